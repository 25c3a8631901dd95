//! A WireGuard tunnel in userspace: boringtun between a UDP socket and a source of packets.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use boringtun::noise::{Tunn, TunnResult};
use boringtun::x25519::{PublicKey, StaticSecret};
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Bytes of a packet inside: WireGuard's own MTU, which leaves room for its headers over IPv6.
pub const MTU: u32 = 1420;
/// More than any datagram.
const LARGEST: usize = 65_536;
/// How often the tunnel's timers are looked at.
const TICK: Duration = Duration::from_millis(100);
/// Seconds between datagrams that keep the way through a NAT open.
const KEEPALIVE: u16 = 25;

/// A key in base64, as `wg genkey` and `wg pubkey` write it.
#[derive(Clone, Copy, Debug)]
pub struct Key([u8; 32]);

impl FromStr for Key {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bytes = BASE64_STANDARD.decode(text).ok();
        let key = bytes.and_then(|bytes| bytes.try_into().ok());
        key.map(Key).ok_or("a key is 32 bytes in base64: wg genkey, wg pubkey")
    }
}

/// Where the packets inside the tunnel go to and come from.
pub trait Inside: Sync {
    /// Waits for the next packet that is to go through the tunnel.
    ///
    /// # Errors
    /// There will be none any more.
    fn next(&self) -> io::Result<Vec<u8>>;

    /// Takes a packet that came through the tunnel, or loses it.
    fn give(&self, packet: &[u8]);
}

/// One end of a tunnel.
pub struct Tunnel {
    tunn: Mutex<Tunn>,
    socket: UdpSocket,
    /// Address of the other end; for a passive end, that of the last peer.
    peer: Mutex<Option<SocketAddr>>,
}

impl Tunnel {
    /// A tunnel with our private key and the other end's public one.
    pub fn new(key: Key, peer_key: Key, socket: UdpSocket, peer: Option<SocketAddr>) -> Self {
        let (ours, theirs) = (StaticSecret::from(key.0), PublicKey::from(peer_key.0));
        let tunn = Tunn::new(ours, theirs, None, Some(KEEPALIVE), 1, None);
        Tunnel { tunn: Mutex::new(tunn), socket, peer: Mutex::new(peer) }
    }

    /// Carries packets until one of its sides fails.
    pub fn carry(&self, inside: &impl Inside) {
        thread::scope(|scope| {
            scope.spawn(|| self.send_all(inside));
            scope.spawn(|| self.receive_all(inside));
            scope.spawn(|| self.tick());
        });
    }

    fn send_all(&self, inside: &impl Inside) {
        let mut buffer = vec![0; LARGEST];
        while let Ok(packet) = inside.next() {
            let sealed = lock(&self.tunn).encapsulate(&packet, &mut buffer);
            self.send(sealed);
        }
    }

    fn receive_all(&self, inside: &impl Inside) {
        let (mut datagram, mut buffer) = (vec![0; LARGEST], vec![0; LARGEST]);
        loop {
            let (length, from) = match self.socket.recv_from(&mut datagram) {
                Ok(received) => received,
                // What an earlier datagram met, such as a peer that is not there yet.
                Err(_) => continue,
            };
            let mut tunn = lock(&self.tunn);
            let mut opened = tunn.decapsulate(Some(from.ip()), &datagram[..length], &mut buffer);
            if !matches!(opened, TunnResult::Err(_)) {
                *lock(&self.peer) = Some(from);
            }
            // After the handshake, packets that waited for it are sent.
            while let TunnResult::WriteToNetwork(_) = opened {
                self.send(opened);
                opened = tunn.decapsulate(None, &[], &mut buffer);
            }
            if let TunnResult::WriteToTunnelV4(packet, _) | TunnResult::WriteToTunnelV6(packet, _) =
                opened
            {
                inside.give(packet);
            }
        }
    }

    fn tick(&self) {
        let mut buffer = vec![0; LARGEST];
        loop {
            thread::sleep(TICK);
            let due = lock(&self.tunn).update_timers(&mut buffer);
            self.send(due);
        }
    }

    fn send(&self, result: TunnResult<'_>) {
        if let TunnResult::WriteToNetwork(datagram) = result
            && let Some(peer) = *lock(&self.peer)
        {
            // A datagram that is lost is the protocol's to send again.
            let _ = self.socket.send_to(datagram, peer);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! smoltcp's TCP as a host of the emulator: with it the stack is tested against another
//! implementation over the same paths, and compared with it in the same run.
#![forbid(unsafe_code)]

mod device;

use ackclock::apps::Pattern;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::Endpoint;
use device::Queues;
use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
pub use smoltcp::socket::tcp::{CongestionControl, State};
use smoltcp::socket::tcp::{Socket, SocketBuffer};
use smoltcp::time::Instant as SmoltcpInstant;
use smoltcp::wire::{HardwareAddress, IpCidr};
use std::net::SocketAddr;

/// Bytes that the application writes or reads at a time.
const CHUNK: usize = 4096;

/// What the host's application does on its one connection.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// Its address and port.
    pub local: SocketAddr,
    /// Whom it connects to; `None`: it listens.
    pub remote: Option<SocketAddr>,
    /// When it connects.
    pub start: Instant,
    /// Bytes that it sends before it closes its direction.
    pub send: u64,
    /// Seed of the [`Pattern`] of what it sends.
    pub send_seed: u64,
    /// Seed of the pattern that it expects.
    pub receive_seed: u64,
    /// Size of each buffer in bytes.
    pub buffer: usize,
    /// The window law.
    pub congestion: CongestionControl,
}

/// A host that runs smoltcp.
pub struct Smoltcp {
    job: Job,
    interface: Interface,
    device: Queues,
    sockets: SocketSet<'static>,
    socket: SocketHandle,
    started: bool,
    sent: u64,
    received: u64,
    /// Offset of the first byte that was not the expected one.
    wrong: Option<u64>,
    /// When the interface wants to be polled.
    due: Instant,
}

impl Smoltcp {
    /// A host for one connection. `mtu` in bytes; everything random follows from `seed`.
    ///
    /// # Panics
    /// If a listener has port 0.
    pub fn new(job: Job, mtu: usize, seed: u64) -> Self {
        let mut device = Queues::new(mtu);
        let mut config = Config::new(HardwareAddress::Ip);
        config.random_seed = seed;
        let mut interface = Interface::new(config, &mut device, SmoltcpInstant::ZERO);
        let prefix = if job.local.is_ipv4() { 8 } else { 64 };
        interface.update_ip_addrs(|addresses| {
            addresses.push(IpCidr::new(job.local.ip().into(), prefix)).expect("room for one");
        });
        let buffer = || SocketBuffer::new(vec![0; job.buffer]);
        let mut socket = Socket::new(buffer(), buffer());
        socket.set_congestion_control(job.congestion);
        if job.remote.is_none() {
            socket.listen(job.local.port()).expect("a port");
        }
        let mut sockets = SocketSet::new(Vec::new());
        let socket = sockets.add(socket);
        Smoltcp {
            job,
            interface,
            device,
            sockets,
            socket,
            started: job.remote.is_none(),
            sent: 0,
            received: 0,
            wrong: None,
            due: job.start,
        }
    }

    /// Bytes that the connection has taken.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Bytes received, all of which were right unless [`wrong`](Self::wrong) says otherwise.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Offset of the first byte that was not the expected one.
    pub fn wrong(&self) -> Option<u64> {
        self.wrong
    }

    /// State of the connection.
    pub fn state(&self) -> State {
        self.sockets.get::<Socket>(self.socket).state()
    }

    fn connect(&mut self, remote: SocketAddr) {
        let socket = self.sockets.get_mut::<Socket>(self.socket);
        let local = (self.job.local.ip(), self.job.local.port());
        socket.connect(self.interface.context(), remote, local).expect("a remote address");
        self.started = true;
    }

    /// Reads and writes what is possible; returns whether anything was.
    fn work(&mut self) -> bool {
        let socket = self.sockets.get_mut::<Socket>(self.socket);
        let mut busy = false;
        while socket.can_recv() {
            let (offset, expected) = (self.received, Pattern::new(self.job.receive_seed));
            let checked = socket
                .recv(|bytes| (bytes.len(), (bytes.len(), expected.first_mismatch(offset, bytes))));
            let Ok((n, mismatch)) = checked else {
                break;
            };
            self.received += n as u64;
            self.wrong = self.wrong.or(mismatch.map(|at| offset + at as u64));
            busy = true;
        }
        let mut chunk = [0; CHUNK];
        while self.sent < self.job.send && socket.can_send() {
            let n = (self.job.send - self.sent).min(CHUNK as u64) as usize;
            Pattern::new(self.job.send_seed).fill(self.sent, &mut chunk[..n]);
            match socket.send_slice(&chunk[..n]) {
                Ok(taken) if taken > 0 => self.sent += taken as u64,
                _ => break,
            }
            busy = true;
        }
        let ends_early = self.job.send == 0 && socket.may_recv();
        if self.sent == self.job.send && socket.may_send() && !ends_early {
            socket.close();
            busy = true;
        }
        busy
    }
}

/// smoltcp counts in microseconds.
fn smoltcp_time(now: Instant) -> SmoltcpInstant {
    SmoltcpInstant::from_micros((now.as_nanos() / 1000) as i64)
}

impl Endpoint for Smoltcp {
    fn on_packet(&mut self, _now: Instant, bytes: &[u8]) {
        self.device.arrived.push_back(bytes.to_vec());
    }

    fn poll(&mut self, now: Instant, send: &mut dyn FnMut(&[u8])) {
        if let (false, Some(remote)) = (self.started, self.job.remote)
            && self.job.start <= now
        {
            self.connect(remote);
        }
        loop {
            self.interface.poll(smoltcp_time(now), &mut self.device, &mut self.sockets);
            let worked = self.started && self.work();
            while let Some(packet) = self.device.leaving.pop_front() {
                send(&packet);
            }
            if !worked && self.device.arrived.is_empty() {
                break;
            }
        }
        let due = self.interface.poll_at(smoltcp_time(now), &self.sockets);
        self.due = match due {
            _ if !self.started => self.job.start,
            Some(due) => Instant::from_micros(due.total_micros().max(0) as u64)
                .max(now + Duration::from_micros(1)),
            None => Instant::FAR_FUTURE,
        };
    }

    fn poll_at(&self) -> Instant {
        self.due
    }

    fn is_done(&self) -> bool {
        self.started && matches!(self.state(), State::Closed | State::TimeWait)
    }
}

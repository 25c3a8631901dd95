//! Probes over raw sockets.
//!
//! Over IPv4 a probe is written with its IP header, so that each has a hop limit of its own; over
//! IPv6, where the kernel writes the header, the socket's hop limit is changed when another is due.

use super::packet::ipv4;
use super::{Answer, Flow, Heard, LARGEST, Method, Probe, ProbeError, Prober, UDP_PORT};
use ackclock::time::Instant;
use ackclock_host::clock::Clock;
use ackclock_host::own_address::address_towards;
use pnet::packet::Packet;
use pnet::packet::ip::{IpNextHeaderProtocol, IpNextHeaderProtocols};
use pnet::transport::{
    TransportChannelType, TransportProtocol, TransportReceiver, TransportSender,
    icmpv6_packet_iter, ipv4_packet_iter, transport_channel,
};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, TcpListener, UdpSocket};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long it takes at most until a listening thread notices that it is to end.
const STOP_CHECK: Duration = Duration::from_millis(50);

/// Largest packet that can come, in bytes.
const BUFFER: usize = 65_535;

/// Probes to one host over raw sockets, and their answers.
pub struct RawProber {
    flow: Flow,
    clock: Clock,
    sender: TransportSender,
    /// The socket's, over IPv6.
    hop_limit: Option<u8>,
    heard: Receiver<io::Result<Heard>>,
    stop: Arc<AtomicBool>,
    listeners: Vec<JoinHandle<()>>,
    /// A socket that keeps other programs from our port, if we have one.
    _port: Option<OwnedFd>,
}

/// A packet without its IP header, or with it.
struct Bytes<'b>(&'b [u8]);

impl Packet for Bytes<'_> {
    fn packet(&self) -> &[u8] {
        self.0
    }

    fn payload(&self) -> &[u8] {
        self.0
    }
}

impl RawProber {
    /// Probes to this host; `port` is the target's for TCP.
    ///
    /// # Errors
    /// See [`ProbeError`].
    pub fn open(target: IpAddr, method: Method, port: u16) -> Result<Self, ProbeError> {
        let local =
            address_towards(target).map_err(|no_way| ProbeError::Unreachable(Box::new(no_way)))?;
        if method == Method::Tcp && target.is_ipv6() {
            return Err(ProbeError::Family(method));
        }
        let (held, identifier) = hold_port(method, local)?;
        let port = if method == Method::Tcp { port } else { UDP_PORT };
        let flow = Flow { method, local, target, identifier, port };
        let clock = Clock::start();
        let stop = Arc::new(AtomicBool::new(false));
        let (report, heard) = mpsc::channel();
        let (sender, receivers) = open_channels(&flow)?;
        let listen = |receiver| {
            let listener =
                Listener { flow, clock, stop: Arc::clone(&stop), report: report.clone() };
            thread::spawn(move || listener.run(receiver))
        };
        let listeners = receivers.into_iter().map(listen).collect();
        Ok(RawProber { flow, clock, sender, hop_limit: None, heard, stop, listeners, _port: held })
    }
}

impl Prober for RawProber {
    fn target(&self) -> IpAddr {
        self.flow.target
    }

    fn now(&self) -> Instant {
        self.clock.now()
    }

    fn send(&mut self, probe: Probe) -> Result<(), ProbeError> {
        let payload = self.flow.payload(probe)?;
        let bytes = match [self.flow.local, self.flow.target] {
            [IpAddr::V4(local), IpAddr::V4(target)] => {
                let smoltcp = smoltcp::wire::IpProtocol::from(protocol(&self.flow).0);
                ipv4([local, target], smoltcp, probe.hop_limit, &payload)
            }
            _ => {
                if self.hop_limit.replace(probe.hop_limit) != Some(probe.hop_limit) {
                    self.sender.set_ttl(probe.hop_limit).map_err(ProbeError::Socket)?;
                }
                payload
            }
        };
        match self.sender.send_to(Bytes(&bytes), self.flow.target) {
            Ok(_) => Ok(()),
            // Errors of earlier probes, such as a router's unreachable message, are reported
            // by the next call. The answer itself is received too.
            Err(error) if is_of_the_path(&error) => Ok(()),
            Err(error) => Err(ProbeError::Send(error)),
        }
    }

    fn hear(&mut self, until: Instant) -> Result<Option<Heard>, ProbeError> {
        let left = Duration::from(until.saturating_since(self.clock.now()));
        match self.heard.recv_timeout(left) {
            Ok(heard) => heard.map(Some).map_err(ProbeError::Socket),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                Err(ProbeError::Socket(io::Error::other("nobody listens any more")))
            }
        }
    }
}

impl Drop for RawProber {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        for listener in self.listeners.drain(..) {
            // A listener that panicked reports nothing more.
            let _ = listener.join();
        }
    }
}

/// Listens to one raw socket.
struct Listener {
    flow: Flow,
    clock: Clock,
    stop: Arc<AtomicBool>,
    report: Sender<io::Result<Heard>>,
}

impl Listener {
    fn run(&self, mut receiver: TransportReceiver) {
        while !self.stop.load(Ordering::Acquire) {
            let result = match next(&self.flow, &mut receiver) {
                Ok(None) => continue,
                Ok(Some(answer)) => Ok(Heard { at: self.clock.now(), answer }),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if is_of_the_path(&error) => continue,
                Err(error) => Err(error),
            };
            let failed = result.is_err();
            if self.report.send(result).is_err() || failed {
                return;
            }
        }
    }
}

/// The next answer, if one comes before it is time to look at the stop flag.
fn next(flow: &Flow, receiver: &mut TransportReceiver) -> io::Result<Option<Answer>> {
    match receiver.channel_type {
        TransportChannelType::Layer3(_) => {
            let mut packets = ipv4_packet_iter(receiver);
            let heard = packets.next_with_timeout(STOP_CHECK)?;
            Ok(heard.and_then(|(packet, _)| flow.answer_in_ipv4(packet.packet())))
        }
        TransportChannelType::Layer4(_) => {
            let mut packets = icmpv6_packet_iter(receiver);
            let heard = packets.next_with_timeout(STOP_CHECK)?;
            Ok(heard.and_then(|(packet, from)| flow.answer_in_icmpv6(from, packet.packet())))
        }
    }
}

/// Whether the error is about what became of an earlier packet.
fn is_of_the_path(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::ConnectionRefused
    )
}

/// What says which probes are ours, and keeps others from having it.
fn hold_port(method: Method, local: IpAddr) -> Result<(Option<OwnedFd>, u16), ProbeError> {
    let held = match method {
        Method::Icmp => {
            let random = ackclock_host::secret::secret().map_err(ProbeError::Socket)?;
            return Ok((None, random[0] as u16));
        }
        Method::Udp => UdpSocket::bind((local, 0))
            .and_then(|socket| Ok((socket.local_addr()?.port(), OwnedFd::from(socket)))),
        Method::Tcp => TcpListener::bind((local, 0))
            .and_then(|socket| Ok((socket.local_addr()?.port(), OwnedFd::from(socket)))),
    };
    held.map(|(port, held)| (Some(held), port)).map_err(ProbeError::Socket)
}

/// Protocol of the probes.
fn protocol(flow: &Flow) -> IpNextHeaderProtocol {
    match (flow.method, flow.target) {
        (Method::Icmp, IpAddr::V4(_)) => IpNextHeaderProtocols::Icmp,
        (Method::Icmp, IpAddr::V6(_)) => IpNextHeaderProtocols::Icmpv6,
        (Method::Udp, _) => IpNextHeaderProtocols::Udp,
        (Method::Tcp, _) => IpNextHeaderProtocols::Tcp,
    }
}

/// A socket to send probes with, and those on which answers come: messages of ICMP, and segments.
fn open_channels(flow: &Flow) -> Result<(TransportSender, Vec<TransportReceiver>), ProbeError> {
    let open = |kind| {
        transport_channel(BUFFER.max(LARGEST.into()), kind).map_err(|error| match error.kind() {
            ErrorKind::PermissionDenied => ProbeError::NotPermitted,
            _ => ProbeError::Socket(error),
        })
    };
    let channel = |protocol| match flow.target {
        IpAddr::V4(_) => TransportChannelType::Layer3(protocol),
        IpAddr::V6(_) => TransportChannelType::Layer4(TransportProtocol::Ipv6(protocol)),
    };
    let (sender, own) = open(channel(protocol(flow)))?;
    match flow.method {
        Method::Icmp => Ok((sender, vec![own])),
        Method::Udp | Method::Tcp => {
            let icmp = match flow.target {
                IpAddr::V4(_) => IpNextHeaderProtocols::Icmp,
                IpAddr::V6(_) => IpNextHeaderProtocols::Icmpv6,
            };
            let (_, errors) = open(channel(icmp))?;
            let segments = (flow.method == Method::Tcp).then_some(own);
            Ok((sender, segments.into_iter().chain([errors]).collect()))
        }
    }
}

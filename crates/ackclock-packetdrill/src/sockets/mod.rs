//! Sockets over one [`Stack`], with the semantics of POSIX and, where that leaves it open, Linux.
//!
//! No call waits: what would have to wait fails with [`WOULD_BLOCK`] and can be asked again after
//! the next packet or timer. Descriptors are numbers that the caller chooses. So whoever drives the
//! stack decides what waiting means: virtual time, a condition variable, or a task of an executor.

mod arrivals;
mod connect;
mod data;
mod departures;
mod errno;
mod error_queue;
mod experimental;
mod freebsd;
mod habits;
mod icmp_errors;
mod known;
mod layout;
mod options;
mod packets;
mod pipe;
mod poll;
mod records;
mod segments;
mod settings;
mod socket;
mod syn_options;
mod tcp_info;
mod values;

pub(crate) use errno::{Errno, WOULD_BLOCK};
pub(crate) use error_queue::Control;
pub(crate) use options::SocketOption;
pub(crate) use pipe::SPLICE_NONBLOCK;
pub(crate) use poll::Events;
pub(crate) use socket::Linger;

use crate::flags::{Flags, Habits, SynOptions};
use ackclock::congestion::BuiltIn;
use ackclock::stack::{
    AddressError, Capabilities, Cidr, Handle, Listener, Stack, StackConfig, Storage,
};
use ackclock::tcp::{ConfigError, State};
use ackclock::time::{Duration, Instant};
use ackclock::wire::ao::AoWitness;
use arrivals::Arrivals;
use experimental::Experimental;
use freebsd::Fins;
use packets::View;
use pipe::Pipe;
use records::Closing;
use socket::{Kind, Socket, Stream};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Names a socket.
pub(crate) type Descriptor = i32;

/// The stack of the sockets.
type Network = Stack<'static, BuiltIn>;

/// All sockets of a stack.
pub(crate) struct Sockets {
    stack: Network,
    flags: Flags,
    /// Latest time that the stack was told.
    now: Instant,
    sockets: BTreeMap<Descriptor, Socket>,
    /// By numbers that are never used again.
    pipes: BTreeMap<u64, Pipe>,
    next_pipe: u64,
    /// For sockets that are bound to any port.
    next_port: u16,
    experimental: Experimental,
    arrivals: Arrivals,
    /// The segment that has come last, until what it brings about was sent.
    asked: Option<View>,
    fins: Fins,
    /// Packets that were sent in the middle of a call.
    outbox: Vec<Vec<u8>>,
    /// Connections that go on behind their sockets.
    closing: Vec<Closing>,
    /// Who knows what the keys of TCP-AO are made of.
    witness: AoWitness,
    /// Number of the next piece.
    next_piece: u64,
}

impl Sockets {
    /// A stack with these settings and no socket.
    ///
    /// # Errors
    /// Names the setting that cannot be used.
    pub(crate) fn new(flags: Flags, now: Instant) -> Result<Self, ConfigError> {
        let config = StackConfig::new(Capabilities::with_mtu(flags.mtu), SECRET);
        let next_port = config.first_ephemeral_port;
        let mut stack = Stack::new(config, flags.law, Storage::growing())?;
        if let Some([first, second]) = flags.fast_open_keys {
            stack.set_fast_open_keys(first, Some(second));
        }
        // That they can be set was tried when they were read.
        let _ = flags.signatures.set(now, &mut stack);
        let (sockets, pipes) = (BTreeMap::new(), BTreeMap::new());
        let local = flags.local;
        let mut sockets = Sockets {
            stack,
            flags,
            now,
            sockets,
            pipes,
            next_pipe: 0,
            next_port,
            experimental: Experimental::default(),
            arrivals: Arrivals::default(),
            asked: None,
            fins: Fins::new(),
            outbox: Vec::new(),
            closing: Vec::new(),
            witness: AoWitness::default(),
            next_piece: 1,
        };
        // Before anything is bound: what comes to them is answered.
        for address in local {
            let _ = sockets.add_address(address);
        }
        Ok(sockets)
    }

    /// The settings, as they are now.
    pub(crate) fn flags(&self) -> &Flags {
        &self.flags
    }

    /// Changes the settings, as `sysctl` does: for sockets that come, and what a SYN agrees on for listeners
    /// that are there. The link and what is looked on with stay as they are.
    pub(crate) fn set_flags(&mut self, flags: Flags) {
        if let Some([first, second]) = flags.fast_open_keys
            && flags.fast_open_keys != self.flags.fast_open_keys
        {
            self.stack.set_fast_open_keys(first, Some(second));
        }
        let agreed = flags.connection;
        for socket in self.sockets.values_mut() {
            socket.fast_open_rules = flags.fast_open;
            let local = socket.local;
            if let (Kind::Listening { listener, mapped, .. }, Some(local)) = (&socket.kind, local) {
                socket.config.timestamps = agreed.timestamps;
                socket.config.sack = agreed.sack;
                socket.config.window_scaling = agreed.window_scaling;
                socket.config.ecn = agreed.ecn;
                let _ = self.stack.set_listener(*listener, socket.listen_config(local));
                if let (Some(mapped), Some(local)) = (*mapped, socket.mapped_local(local)) {
                    let _ = self.stack.set_listener(mapped, socket.listen_config(local));
                }
            }
        }
        self.flags = flags;
    }

    // ---- driving the stack ----

    /// Time has come to `now`: what is due happens.
    pub(crate) fn on_time(&mut self, now: Instant) {
        self.now = self.now.max(now);
        if self.stack.poll_at() <= self.now {
            self.stack.on_timeout(self.now);
        }
        self.uncork_due();
        self.release_acks();
    }

    /// The latest time that the stack was told.
    pub(crate) fn now(&self) -> Instant {
        self.now
    }

    /// When something is due next.
    pub(crate) fn poll_at(&self) -> Instant {
        self.stack.poll_at().min(self.next_uncorking()).min(self.next_ack())
    }

    /// A packet has arrived.
    pub(crate) fn on_packet(&mut self, packet: &[u8]) {
        let signed = self.flags.signatures.signed(&self.witness, packet);
        let packet = signed.as_deref().unwrap_or(packet);
        self.witness.see(packet);
        let translated = self.experimental.received(packet);
        let mut seen = translated.unwrap_or_else(|| packet.to_vec());
        match self.flags.habits {
            Habits::Linux => {
                self.hear_icmp(&mut seen);
                seen = self.as_linux_takes(seen);
                self.asked = View::of(&seen);
            }
            Habits::FreeBsd => {
                self.asked = View::of(&seen);
                if let Some(view) = View::of(&seen) {
                    self.note_fin_acked(&view);
                }
            }
            Habits::None => {}
        }
        self.stack.on_packet(self.now, &seen);
        self.reset_unread();
        self.note_heard(packet);
    }

    /// All packets that are to be sent now.
    pub(crate) fn transmit(&mut self) -> Vec<Vec<u8>> {
        let mut packets = std::mem::take(&mut self.outbox);
        packets.append(&mut self.take_packets());
        for packet in &packets {
            self.witness.see(packet);
            self.note_told(packet);
            self.arrivals.sent(packet);
        }
        self.note_progress();
        self.forget_gone();
        self.asked = None;
        packets
    }

    /// All packets of the stack, as they are to be sent.
    fn take_packets(&mut self) -> Vec<Vec<u8>> {
        let mut packets = Vec::new();
        loop {
            let before = packets.len();
            self.stack.transmit(self.now, &mut |transmit| {
                let mut packet = vec![0; transmit.len()];
                packets.extend(transmit.copy_to(&mut packet).map(|_| packet));
                Ok(())
            });
            if packets.len() == before && !self.release_records() {
                break;
            }
        }
        for packet in &mut packets {
            self.experimental.sent(packet);
            if self.flags.syn_options == SynOptions::FreeBsd {
                syn_options::as_freebsd_orders(packet);
            }
            self.fragment(packet);
        }
        match self.flags.habits {
            Habits::Linux => {
                packets = self.as_linux_sends(packets);
                self.apply_habits(&mut packets);
            }
            Habits::FreeBsd => self.as_freebsd_sends(&mut packets),
            Habits::None => {}
        }
        packets
    }

    /// Both ends and the state of every connection.
    pub(crate) fn states(&self) -> impl Iterator<Item = ([SocketAddr; 2], State)> {
        self.stack.states()
    }

    // ---- opening and closing ----

    /// `socket`: one of the stream type over IPv4 or IPv6.
    pub(crate) fn socket(
        &mut self,
        descriptor: Descriptor,
        domain: i32,
        kind: i32,
        protocol: i32,
    ) -> Result<(), Errno> {
        let is_v6 = match domain {
            libc::AF_INET => false,
            libc::AF_INET6 => true,
            _ => return Err(Errno(libc::EAFNOSUPPORT)),
        };
        let flags = libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
        match (kind & !flags, protocol) {
            (libc::SOCK_STREAM, 0 | libc::IPPROTO_TCP) => {}
            (libc::SOCK_STREAM | libc::SOCK_DGRAM | libc::SOCK_RAW, _) => {
                return Err(Errno(libc::EPROTONOSUPPORT));
            }
            _ => return Err(Errno(libc::EINVAL)),
        }
        let mut socket = Socket::new(is_v6, &self.flags);
        socket.nonblocking = kind & libc::SOCK_NONBLOCK != 0;
        self.insert(descriptor, socket);
        Ok(())
    }

    /// Puts a socket in its place. A number that is in use was closed behind our back.
    fn insert(&mut self, descriptor: Descriptor, socket: Socket) {
        self.remove(descriptor);
        self.sockets.insert(descriptor, socket);
    }

    /// `bind`. An address that nobody has becomes one of the stack's.
    pub(crate) fn bind(
        &mut self,
        descriptor: Descriptor,
        address: SocketAddr,
    ) -> Result<(), Errno> {
        let socket = self.get_socket(descriptor)?;
        let address = socket.inside(address)?;
        if socket.local.is_some() || !matches!(socket.kind, Kind::Fresh) {
            return Err(Errno(libc::EINVAL));
        }
        // Two that may reuse an address share it while neither listens.
        let conflicts = |other: &Socket| {
            let share = socket.reuse_address && other.reuse_address;
            let listens = matches!(other.kind, Kind::Listening { .. });
            other.local.is_some_and(|local| overlap(local, address)) && (listens || !share)
        };
        if self.sockets.values().any(conflicts) {
            return Err(Errno(libc::EADDRINUSE));
        }
        if !address.ip().is_unspecified() {
            self.add_address(address.ip())?;
        }
        let port = if address.port() == 0 { self.free_port() } else { address.port() };
        self.get_mut(descriptor)?.local = Some(SocketAddr::new(address.ip(), port));
        Ok(())
    }

    fn free_port(&mut self) -> u16 {
        let port = self.next_port;
        self.next_port = self.next_port.checked_add(1).unwrap_or(49_152);
        port
    }

    fn add_address(&mut self, address: IpAddr) -> Result<(), Errno> {
        let prefix = if address.is_ipv4() { 16 } else { 64 };
        match self.stack.add_address(Cidr { address, prefix }) {
            Ok(()) | Err(AddressError::Duplicate) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// `listen`. As in Linux one connection more than `backlog` can wait.
    pub(crate) fn listen(&mut self, descriptor: Descriptor, backlog: i32) -> Result<(), Errno> {
        let socket = self.get_socket(descriptor)?;
        match socket.kind {
            Kind::Fresh => {}
            // Again, only the backlog changes.
            Kind::Listening { .. } => {
                self.get_mut(descriptor)?.backlog = self.backlog(backlog);
                self.apply_options(descriptor);
                return Ok(());
            }
            _ => return Err(Errno(libc::EINVAL)),
        }
        let any: IpAddr = match socket.is_v6 {
            true => Ipv6Addr::UNSPECIFIED.into(),
            false => Ipv4Addr::UNSPECIFIED.into(),
        };
        let local = match socket.local {
            Some(local) => local,
            None => SocketAddr::new(any, self.free_port()),
        };
        let backlog = self.backlog(backlog);
        let socket = self.get_mut(descriptor)?;
        socket.backlog = backlog;
        let config = socket.listen_config(local);
        let mapped = socket.mapped_local(local).map(|local| socket.listen_config(local));
        let listener = self.stack.listen(config)?;
        let mapped = match mapped.map(|config| self.stack.listen(config)).transpose() {
            Ok(mapped) => mapped,
            Err(error) => {
                self.stack.close_listener(self.now, listener);
                return Err(error.into());
            }
        };
        let socket = self.get_mut(descriptor)?;
        socket.kind = Kind::Listening { listener, mapped, accepted: 0 };
        socket.local = Some(local);
        Ok(())
    }

    fn close_listeners(&mut self, listener: Listener, mapped: Option<Listener>) {
        self.stack.close_listener(self.now, listener);
        if let Some(mapped) = mapped {
            self.stack.close_listener(self.now, mapped);
        }
    }

    /// How many connections can be accepted now.
    fn acceptable(&self, listener: Listener, mapped: Option<Listener>) -> usize {
        let of_ipv4 = mapped.map_or(0, |mapped| self.stack.acceptable(mapped));
        self.stack.acceptable(listener) + of_ipv4
    }

    /// How many connections can wait: one more than was asked for, of which a negative number means
    /// as many as may be.
    fn backlog(&self, asked: i32) -> usize {
        let limit = usize::from(self.flags.backlog);
        usize::try_from(asked).map_or(limit, |asked| asked.min(limit)) + 1
    }

    /// `accept4`: the next connection becomes `new`; answers its peer.
    pub(crate) fn accept(
        &mut self,
        descriptor: Descriptor,
        new: Descriptor,
        flags: i32,
    ) -> Result<SocketAddr, Errno> {
        let Kind::Listening { listener, mapped, .. } = self.get_socket(descriptor)?.kind else {
            return Err(Errno(libc::EINVAL));
        };
        let handle = self.stack.accept(listener);
        let handle = handle.or_else(|| self.stack.accept(mapped?)).ok_or(WOULD_BLOCK)?;
        if let Kind::Listening { accepted, .. } = &mut self.get_mut(descriptor)?.kind {
            *accepted += 1;
        }
        let mut socket = self.get(descriptor)?.child(handle, self.now);
        socket.nonblocking = flags & libc::SOCK_NONBLOCK != 0;
        socket.local = self.stack.local_addr(handle);
        let peer = self.stack.remote_addr(handle).ok_or(Errno(libc::ECONNABORTED))?;
        let peer = socket.outside(peer);
        self.insert(new, socket);
        self.apply_law(new);
        self.apply_options(new);
        if self.flags.habits == Habits::Linux {
            self.send_after_reading(new);
        }
        self.forget_unready(descriptor);
        Ok(peer)
    }

    /// The error that ended a connection, once.
    pub(crate) fn take_error(&mut self, descriptor: Descriptor) -> Option<Errno> {
        let handle = self.handle(descriptor).ok()?;
        let error = self.stack.info(self.now, handle)?.error?;
        let Kind::Stream(stream) = &mut self.sockets.get_mut(&descriptor)?.kind else {
            return None;
        };
        let is_new = !std::mem::replace(&mut stream.error_told, true);
        is_new.then_some(match stream.errno_of(error) {
            // After the peer's FIN a reset means that nobody reads what we write.
            Errno(libc::ECONNRESET) if stream.saw_end => Errno(libc::EPIPE),
            error => error,
        })
    }

    /// `shutdown`.
    pub(crate) fn shutdown(&mut self, descriptor: Descriptor, how: i32) -> Result<(), Errno> {
        if !(libc::SHUT_RD..=libc::SHUT_RDWR).contains(&how) {
            return Err(Errno(libc::EINVAL));
        }
        if let Kind::Listening { listener, mapped, .. } = self.get(descriptor)?.kind {
            if how != libc::SHUT_WR {
                self.close_listeners(listener, mapped);
                self.get_mut(descriptor)?.kind = Kind::Fresh;
            }
            return Ok(());
        }
        let handle = self.handle(descriptor)?;
        if self.stack.readiness(handle).is_none_or(|readiness| readiness.closed) {
            return Err(Errno(libc::ENOTCONN));
        }
        if how != libc::SHUT_RD {
            self.finish(descriptor);
        }
        if let Kind::Stream(stream) = &mut self.get_mut(descriptor)?.kind {
            stream.read_shut |= how != libc::SHUT_WR;
            stream.write_shut |= how != libc::SHUT_RD;
        }
        Ok(())
    }

    /// Whether all that was queued, and our FIN, was acknowledged, or nothing can be any more: what
    /// a close that lingers waits for. The first call shuts down.
    pub(crate) fn lingered(&mut self, descriptor: Descriptor) -> Result<(), Errno> {
        let Ok(handle) = self.handle(descriptor) else {
            return Ok(());
        };
        self.finish(descriptor);
        match self.stack.readiness(handle) {
            Some(readiness) if !readiness.closed && !readiness.flushed => Err(WOULD_BLOCK),
            _ => Ok(()),
        }
    }

    /// How long closing waits; `None` if it does not.
    pub(crate) fn linger(&self, descriptor: Descriptor) -> Option<Duration> {
        match self.sockets.get(&descriptor)?.linger {
            Linger::For(time) if !time.is_zero() => Some(time),
            _ => None,
        }
    }

    /// `close`.
    pub(crate) fn close(&mut self, descriptor: Descriptor) -> Result<(), Errno> {
        self.get(descriptor)?;
        self.remove(descriptor);
        Ok(())
    }

    fn remove(&mut self, descriptor: Descriptor) {
        for socket in self.sockets.values_mut() {
            if let Kind::Epoll(epoll) = &mut socket.kind {
                epoll.forget(descriptor);
            }
        }
        let Some(socket) = self.sockets.remove(&descriptor) else {
            return;
        };
        match socket.kind {
            Kind::Fresh | Kind::Deferred(_) | Kind::Epoll(_) => {}
            Kind::Pipe(end) => self.close_pipe(end),
            Kind::Listening { listener, mapped, .. } => self.close_listeners(listener, mapped),
            Kind::Stream(Stream { handle, records, .. }) => match socket.linger {
                Linger::For(time) if time.is_zero() => {
                    let _ = self.stack.abort(self.now, handle);
                }
                _ => self.close_behind(handle, records),
            },
        }
    }

    // ---- what calls start from ----

    fn get(&self, descriptor: Descriptor) -> Result<&Socket, Errno> {
        self.sockets.get(&descriptor).ok_or(Errno(libc::EBADF))
    }

    /// As [`get`](Self::get), if it is a socket in the kernel too.
    fn get_socket(&self, descriptor: Descriptor) -> Result<&Socket, Errno> {
        let socket = self.get(descriptor)?;
        if socket.is_socket() { Ok(socket) } else { Err(Errno(libc::ENOTSOCK)) }
    }

    fn get_mut(&mut self, descriptor: Descriptor) -> Result<&mut Socket, Errno> {
        self.sockets.get_mut(&descriptor).ok_or(Errno(libc::EBADF))
    }

    /// Whether there is such a descriptor.
    pub(crate) fn owns(&self, descriptor: Descriptor) -> bool {
        self.sockets.contains_key(&descriptor)
    }

    /// Whether the first write opens its connection.
    pub(crate) fn is_deferred(&self, descriptor: Descriptor) -> bool {
        self.get(descriptor).is_ok_and(|socket| matches!(socket.kind, Kind::Deferred(_)))
    }

    /// Whether calls on it wait.
    pub(crate) fn is_blocking(&self, descriptor: Descriptor) -> bool {
        self.sockets.get(&descriptor).is_some_and(|socket| !socket.nonblocking)
    }

    /// `fcntl` with F_GETFL and F_SETFL.
    pub(crate) fn status_flags(&self, descriptor: Descriptor) -> Result<i32, Errno> {
        let Socket { kind, nonblocking, .. } = self.get(descriptor)?;
        let access = match kind {
            Kind::Pipe(end) if end.writes => libc::O_WRONLY,
            Kind::Pipe(_) => libc::O_RDONLY,
            _ => libc::O_RDWR,
        };
        Ok(access | if *nonblocking { libc::O_NONBLOCK } else { 0 })
    }

    /// As [`status_flags`](Self::status_flags).
    pub(crate) fn set_status_flags(
        &mut self,
        descriptor: Descriptor,
        flags: i32,
    ) -> Result<(), Errno> {
        self.get_mut(descriptor)?.nonblocking = flags & libc::O_NONBLOCK != 0;
        Ok(())
    }

    /// The connection of a socket.
    fn handle(&self, descriptor: Descriptor) -> Result<Handle, Errno> {
        match &self.get(descriptor)?.kind {
            Kind::Stream(stream) => Ok(stream.handle),
            Kind::Epoll(_) | Kind::Pipe(_) => Err(Errno(libc::ENOTSOCK)),
            _ => Err(Errno(libc::ENOTCONN)),
        }
    }
}

/// Whether a segment could be for both.
fn overlap(one: SocketAddr, other: SocketAddr) -> bool {
    let any = one.ip().is_unspecified() || other.ip().is_unspecified();
    one.port() == other.port() && one.port() != 0 && (any || one.ip() == other.ip())
}

/// Any secret: packetdrill wants the same packets each time.
const SECRET: [u64; 2] = [1, 2];

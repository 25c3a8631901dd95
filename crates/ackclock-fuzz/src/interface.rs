//! Any calls of packetdrill's C interface, with any packets between them: as a program would that
//! knows no rules. Pointers are as long as they say, which is all that C can ask for. Calls that wait are also made by
//! other threads, as packetdrill's second thread makes them; at the latest they end when their descriptors are closed.

#[path = "../../ackclock-packetdrill/tests/scripts/table.rs"]
mod table;

// Its one symbol is linked by its name.
use ackclock_packetdrill as _;

use ackclock::seq::{SeqNumber, SeqRange};
use ackclock::wire::{
    Checksums, Ecn, Flags, Header, IpInfo, MAX_HEADER, Options, Protocol, SackBlocks, Timestamps,
    WriteChecksum, parse_packet, write_packet_header,
};
use arbitrary::{Result, Unstructured};
use libc::{c_char, c_int, epoll_event, iovec, msghdr, pollfd};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::ptr::{null, null_mut};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use table::{Answer, Table};

/// Calls and packets of one run.
const MOST_STEPS: u32 = 150;
/// Threads in calls that wait; beyond them the call is left out.
const MOST_THREADS: usize = 3;
/// Real time after which a call has to end whose descriptor was closed.
const PATIENCE: Duration = Duration::from_secs(60);
/// Largest buffer of a call, in bytes.
const MOST_BYTES: usize = 5_000;
/// Most descriptors; beyond them calls that make some are left out.
const MOST_DESCRIPTORS: usize = 24;
/// Most payload of an injected segment.
const MOST_PAYLOAD: usize = 1_460;
/// What the library's one address is unless a socket is bound to another.
const OURS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 168, 0, 1));
const PEER: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
/// Ports of the peer; we are at the first one plus 2,000.
const PORTS: [u16; 3] = [6_080, 6_081, 6_082];
const OUR_PORT: u16 = 8_080;

const FLAGS: [&str; 8] = [
    "judge=on",
    "judge=on,profile=freebsd",
    "judge=on,profile=rfc",
    "judge=on,cc=bbr,ecn=request,delack=100",
    "judge=on,rmem=3000,wmem=2000,mtu=600",
    "judge=on,sack=off,timestamps=off,wscale=off,recovery=reno",
    "judge=on,iw=1,quickack=0,backlog=1,syn_retries=1",
    "judge=on,cc=vegas,rto_min=10,msl=10,fin_timeout=100",
];

/// Options that are worth a try, beside any numbers.
const LEVELS: [c_int; 4] =
    [libc::SOL_SOCKET, libc::IPPROTO_TCP, libc::IPPROTO_IP, libc::IPPROTO_IPV6];
const LAWS: [&[u8]; 4] = [b"reno\0", b"cubic", b"bbr", b"fixed\0\0\0"];

unsafe extern "C" {
    fn packetdrill_interface_init(flags: *const c_char, out: *mut usize);
}

pub(crate) fn run(data: &[u8]) {
    // Input that ends early is not worth more.
    let _ = calls(&mut Unstructured::new(data));
}

fn calls(u: &mut Unstructured<'_>) -> Result<()> {
    let table = Table::new(packetdrill_interface_init, u.choose(&FLAGS)?);
    let mut world =
        World { table, descriptors: Vec::new(), peers: Vec::new(), threads: Vec::new(), clock: 0 };
    let mut result = Ok(());
    for _ in 0..MOST_STEPS {
        if u.is_empty() || result.is_err() {
            break;
        }
        result = world.step(u);
    }
    world.end();
    result
}

/// What the peer knows of one of its connections.
struct Peer {
    ours: SocketAddr,
    port: u16,
    /// The next number of each side.
    our_next: SeqNumber,
    peers_next: SeqNumber,
    timestamp: u32,
}

struct World {
    table: Table,
    descriptors: Vec<c_int>,
    peers: Vec<Peer>,
    /// Threads in calls that wait, and what descriptors they were answered.
    threads: Vec<JoinHandle<Option<c_int>>>,
    clock: i64,
}

impl World {
    fn step(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        match u.int_in_range(0..=10)? {
            10 => self.wait_elsewhere(u)?,
            0 | 1 => self.open(u)?,
            2 | 3 => self.inject(u)?,
            4 => self.receive_packet(),
            5 => self.transfer(u)?,
            6 => self.configure(u)?,
            7 => self.look(u)?,
            8 => self.wait(u)?,
            _ => self.rest(u)?,
        }
        let clock = self.table.clock();
        assert!(clock > self.clock, "the clock stands still");
        self.clock = clock;
        Ok(())
    }

    /// One of the descriptors, or a number that is none.
    fn descriptor(&self, u: &mut Unstructured<'_>) -> Result<c_int> {
        match self.descriptors.is_empty() || u.ratio(1, 30)? {
            true => Ok(*u.choose(&[-1, 1_000_000, c_int::MAX, c_int::MIN])?),
            false => Ok(*u.choose(&self.descriptors)?),
        }
    }

    fn keep(&mut self, answer: Answer) {
        if let Ok(descriptor) = checked(answer) {
            self.descriptors.push(descriptor as c_int);
        }
    }

    fn open(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let table = self.table;
        let fd = self.descriptor(u)?;
        let has_room = self.descriptors.len() < MOST_DESCRIPTORS;
        match u.int_in_range(0..=7)? {
            0 | 1 if has_room => {
                let domain = *u.choose(&[libc::AF_INET, libc::AF_INET, libc::AF_INET6, 99])?;
                let flags = *u.choose(&[0, libc::SOCK_NONBLOCK, 99])?;
                self.keep(table.socket(domain, libc::SOCK_STREAM | flags, 0));
            }
            2 => {
                let address = address(u)?;
                let _ = checked(table.bind(fd, address.as_ptr(), address.len() as u32));
            }
            3 => {
                let _ = checked(table.listen(fd, i32::from(u.arbitrary::<i8>()?)));
            }
            4 => {
                let address = address(u)?;
                let _ = checked(table.connect(fd, address.as_ptr(), address.len() as u32));
            }
            5 if has_room => {
                let (mut address, mut len) = ([0; 28], u.int_in_range(0..=28)?);
                self.keep(table.accept(fd, address.as_mut_ptr(), &mut len));
            }
            6 if has_room => self.keep(table.epoll_create(u.int_in_range(0..=1)?)),
            7 if has_room => {
                let mut ends = [0; 2];
                if checked(table.pipe(ends.as_mut_ptr())).is_ok() {
                    self.descriptors.extend(ends);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A segment near what the peer could send, or any bytes.
    fn inject(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        if u.ratio(1, 10)? {
            let bytes = some_bytes(u, 100)?;
            let _ = self.table.netdev_send(bytes.as_ptr(), bytes.len());
            return Ok(());
        }
        let port = *u.choose(&PORTS)?;
        let known = self.peers.iter().position(|peer| peer.port == port);
        let (ours, seq, ack, timestamp) = match known.map(|known| &self.peers[known]) {
            Some(peer) => (peer.ours, peer.peers_next, peer.our_next, peer.timestamp),
            None => (SocketAddr::new(OURS, OUR_PORT), SeqNumber(1_000), SeqNumber(0), 0),
        };
        let usual = [Flags::ACK, Flags::SYN, Flags::SYN | Flags::ACK, Flags::ACK | Flags::FIN];
        let flags = match u.ratio(1, 5)? {
            true => Flags::from_bits(u.arbitrary()?),
            false => *u.choose(&usual)?,
        };
        let near = |u: &mut Unstructured<'_>, seq: SeqNumber| match u.int_in_range(0..=9)? {
            0 => Ok(seq + u32::from(u.arbitrary::<u16>()?)),
            1 => Ok(seq - u32::from(u.arbitrary::<u16>()?)),
            2 => Ok(SeqNumber(u.arbitrary()?)),
            _ => Ok(seq),
        };
        let (seq, ack) = (near(u, seq)?, near(u, ack)?);
        let syn = flags.contains(Flags::SYN);
        let mut sack = SackBlocks::EMPTY;
        if u.ratio(1, 6)? {
            let start = near(u, ack)?;
            sack.push(SeqRange::new(start, start + u32::from(u.arbitrary::<u16>()?)));
        }
        let stamped = u.ratio(1, 2)?;
        let header = Header {
            source_port: port,
            destination_port: ours.port(),
            seq,
            ack: if flags.contains(Flags::ACK) { ack } else { SeqNumber(0) },
            flags,
            window: *u.choose(&[60_000, 0, 1, 1_000])?,
            urgent_pointer: if flags.contains(Flags::URG) { u.arbitrary()? } else { 0 },
            options: Options {
                mss: syn.then_some(*u.choose(&[1_460, 100, 1])?),
                window_scale: (syn && u.arbitrary()?).then_some(7),
                sack_permitted: syn,
                timestamps: stamped.then_some(Timestamps { value: timestamp, echo: 0 }),
                signature: None,
                sack,
            },
        };
        let ecn = *u.choose(&[Ecn::NotEct, Ecn::Ect0, Ecn::Ce])?;
        let (source, destination) = (PEER.into(), ours.ip().into());
        let ip = IpInfo { source, destination, hop_limit: 64, dscp: 0, ecn };
        let payload = vec![7; if u.arbitrary()? { u.int_in_range(0..=MOST_PAYLOAD)? } else { 0 }];
        let mut bytes = [0; MAX_HEADER];
        let parts = [&payload[..], &[]];
        let len = write_packet_header(&mut bytes, &ip, &header, parts, WriteChecksum::Complete);
        let packet = [&bytes[..len], &payload].concat();
        assert_eq!(self.table.netdev_send(packet.as_ptr(), packet.len()), Ok(0));
        if let Some(peer) = known.map(|known| &mut self.peers[known]) {
            peer.peers_next = seq + payload.len() as u32 + u32::from(syn);
            peer.timestamp = timestamp.wrapping_add(1);
        }
        Ok(())
    }

    /// What the stack sends can be read, and tells the peer its numbers.
    fn receive_packet(&mut self) {
        let Some((_, packet)) = self.table.receive_packet() else {
            return;
        };
        let parsed = parse_packet(&packet, Checksums::default()).expect("a valid packet");
        if let Protocol::Tcp(segment) = parsed.protocol {
            let header = segment.header;
            let peer = Peer {
                ours: SocketAddr::new(segment.ip.source.into(), header.source_port),
                port: header.destination_port,
                our_next: header.seq + segment.len(),
                peers_next: header.ack,
                timestamp: 0,
            };
            let same = |other: &Peer| other.port == peer.port;
            match self.peers.iter_mut().find(|other| same(other)) {
                Some(known) => known.our_next = peer.our_next,
                None => self.peers.push(peer),
            }
        }
    }

    fn transfer(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let table = self.table;
        let fd = self.descriptor(u)?;
        // A call that waits may let much time pass: mostly it does not.
        let wait = if u.ratio(3, 4)? { libc::MSG_DONTWAIT } else { 0 };
        let flags = wait
            | *u.choose(&[0, 0, libc::MSG_PEEK, libc::MSG_OOB, libc::MSG_MORE, libc::MSG_WAITALL])?
            | if u.ratio(1, 20)? { u.arbitrary()? } else { 0 };
        let n = u.int_in_range(0..=MOST_BYTES)?;
        let mut bytes = vec![1; n];
        let (first, second) = bytes.split_at_mut(n / 3);
        let mut parts = [first, second]
            .map(|part| iovec { iov_base: part.as_mut_ptr().cast(), iov_len: part.len() });
        let mut message = msghdr {
            msg_name: null_mut(),
            msg_namelen: 0,
            msg_iov: parts.as_mut_ptr(),
            msg_iovlen: 2,
            msg_control: null_mut(),
            msg_controllen: 0,
            msg_flags: 0,
        };
        let count = i32::from(u.int_in_range(0..=2_u8)?);
        let mut len = 0;
        let answer = match u.int_in_range(0..=10)? {
            0 => table.read(fd, bytes.as_mut_ptr(), n),
            1 => table.readv(fd, parts.as_ptr(), count),
            2 => table.recv(fd, bytes.as_mut_ptr(), n, flags),
            3 => table.recvfrom(fd, bytes.as_mut_ptr(), n, flags, null_mut(), &mut len),
            4 => table.recvmsg(fd, &mut message, flags),
            5 => table.write(fd, bytes.as_ptr(), n),
            6 => table.writev(fd, parts.as_ptr(), count),
            7 => table.send(fd, bytes.as_ptr(), n, flags),
            8 => table.sendto(fd, bytes.as_ptr(), n, flags, null(), 0),
            9 => table.sendmsg(fd, &message, flags),
            _ => {
                let (to, mut offset) = (self.descriptor(u)?, 0);
                let offset = if u.ratio(1, 9)? { &raw mut offset } else { null_mut() };
                table.splice(fd, offset, to, null_mut(), n, u.int_in_range(0..=16)?)
            }
        };
        if let Ok(done) = checked(answer) {
            assert!((0..=n as isize).contains(&done), "{done} of {n} bytes");
        }
        Ok(())
    }

    fn configure(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let table = self.table;
        let fd = self.descriptor(u)?;
        let level = *u.choose(&LEVELS)?;
        let name = if u.ratio(1, 8)? { u.arbitrary()? } else { u.int_in_range(0..=70)? };
        if u.ratio(1, 3)? {
            let mut value = vec![0; u.int_in_range(0..=300)?];
            let mut len = value.len() as u32;
            let _ = checked(table.getsockopt(fd, level, name, value.as_mut_ptr(), &mut len));
            assert!(len as usize <= value.len());
            return Ok(());
        }
        let value = match u.int_in_range(0..=5)? {
            0 => u.choose(&LAWS)?.to_vec(),
            1 => some_bytes(u, 20)?,
            2 => i32::from(u.arbitrary::<i16>()?).to_ne_bytes().repeat(4),
            _ => i32::from(u.arbitrary::<u8>()?).to_ne_bytes().to_vec(),
        };
        let _ = checked(table.setsockopt(fd, level, name, value.as_ptr(), value.len() as u32));
        Ok(())
    }

    fn look(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let table = self.table;
        let (fd, watched) = (self.descriptor(u)?, self.descriptor(u)?);
        let timeout = *u.choose(&[0, 0, 1, 1_000, -1])?;
        match u.int_in_range(0..=4)? {
            0 => {
                let events = u.arbitrary()?;
                let mut two = [fd, watched].map(|fd| pollfd { fd, events, revents: 0 });
                let _ = checked(table.poll(two.as_mut_ptr(), 2, timeout));
            }
            1 => {
                let mut events = [epoll_event { events: 0, u64: 0 }; 3];
                let max = u.int_in_range(-1..=3)?;
                if let Ok(n) = checked(table.epoll_wait(fd, events.as_mut_ptr(), max, timeout)) {
                    assert!(n <= max as isize);
                }
            }
            2 => {
                let (events, operation) = (u.arbitrary()?, u.int_in_range(0..=4)?);
                let mut event = epoll_event { events, u64: u64::MAX };
                let _ = checked(table.epoll_ctl(fd, operation, watched, &mut event));
            }
            3 => {
                let requests = [libc::FIONREAD, libc::TIOCOUTQ, libc::FIONBIO, 0x894B, 0x8905, 7];
                let mut value = 1;
                let _ = checked(table.ioctl(fd, *u.choose(&requests)?, &mut value));
            }
            _ => {
                let commands = [libc::F_GETFL, libc::F_SETFL, libc::F_GETFD, libc::F_DUPFD];
                let value = if u.arbitrary()? { libc::O_NONBLOCK } else { 0 };
                let _ = checked(table.fcntl(fd, *u.choose(&commands)?, value));
            }
        }
        Ok(())
    }

    fn wait(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let micros = *u.choose(&[0, 1_000, 40_000, 1_000_000, 70_000_000])?;
        assert_eq!(self.table.usleep(micros), Ok(0));
        Ok(())
    }

    /// A call that waits, made by another thread, which then looks at the clock as packetdrill's does.
    fn wait_elsewhere(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let (table, fd, which) = (self.table, self.descriptor(u)?, u.int_in_range(0..=6)?);
        if self.threads.len() >= MOST_THREADS {
            return Ok(());
        }
        let thread = thread::spawn(move || {
            let answer = waiting_call(table, fd, which);
            table.clock();
            answer.ok().filter(|_| which == 0).map(|descriptor| descriptor as c_int)
        });
        // Most calls are to have begun to wait when the next step comes.
        for _ in 0..50 {
            if thread.is_finished() {
                break;
            }
            thread::yield_now();
        }
        self.threads.push(thread);
        Ok(())
    }

    /// Closes all descriptors, which ends the calls that wait on them.
    fn end_calls(&mut self) {
        let begin = Instant::now();
        let mut threads = std::mem::take(&mut self.threads);
        while !threads.is_empty() {
            // What a call has accepted may have the number of a descriptor that was closed and is waited for.
            for descriptor in std::mem::take(&mut self.descriptors) {
                let _ = checked(self.table.close(descriptor));
            }
            assert!(begin.elapsed() < PATIENCE, "a call waits for a descriptor that is closed");
            assert_eq!(self.table.usleep(1_000_000), Ok(0));
            thread::yield_now();
            let (over, waiting): (Vec<_>, Vec<_>) =
                threads.into_iter().partition(|thread| thread.is_finished());
            threads = waiting;
            for thread in over {
                self.descriptors.extend(thread.join().expect("no panic in a call"));
            }
        }
        for descriptor in std::mem::take(&mut self.descriptors) {
            let _ = checked(self.table.close(descriptor));
        }
    }

    fn rest(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let fd = self.descriptor(u)?;
        if u.ratio(2, 3)? {
            let _ = checked(self.table.shutdown(fd, u.int_in_range(-1..=3)?));
        } else if checked(self.table.close(fd)).is_ok() {
            self.descriptors.retain(|other| *other != fd);
        }
        Ok(())
    }

    /// Without calls under way the caller may free the stack first, and close the descriptors by itself.
    fn end(mut self) {
        if !self.threads.is_empty() {
            self.end_calls();
        }
        self.table.free();
        for descriptor in self.descriptors {
            // SAFETY: the library made it, and nobody else knows it.
            unsafe { libc::close(descriptor) };
        }
    }
}

/// A call that waits until something has happened, or some minutes.
fn waiting_call(table: Table, fd: c_int, which: u8) -> Answer {
    let mut bytes = [1; 3_000];
    match which {
        0 => {
            let (mut address, mut len) = ([0; 28], 28);
            table.accept(fd, address.as_mut_ptr(), &mut len)
        }
        1 => table.read(fd, bytes.as_mut_ptr(), bytes.len()),
        2 => table.recv(fd, bytes.as_mut_ptr(), bytes.len(), libc::MSG_WAITALL),
        3 => table.write(fd, bytes.as_ptr(), bytes.len()),
        4 => {
            let mut one = pollfd { fd, events: libc::POLLIN, revents: 0 };
            table.poll(&mut one, 1, 100_000)
        }
        5 => {
            let mut event = epoll_event { events: 0, u64: 0 };
            table.epoll_wait(fd, &mut event, 1, -1)
        }
        _ => {
            let address = of_ipv4(Ipv4Addr::new(192, 0, 2, 1), PORTS[0]);
            table.connect(fd, address.as_ptr(), address.len() as u32)
        }
    }
}

/// A call that failed says why.
#[track_caller]
fn checked(answer: Answer) -> Answer {
    if let Err(number) = answer {
        assert!(number > 0, "no errno");
    }
    answer
}

fn some_bytes(u: &mut Unstructured<'_>, most: usize) -> Result<Vec<u8>> {
    let len = u.int_in_range(0..=most)?.min(u.len());
    Ok(u.bytes(len)?.to_vec())
}

/// A `sockaddr_in` of ours or of the peer's, or any bytes.
fn address(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let (address, port) = match u.int_in_range(0..=5)? {
        0 => return some_bytes(u, 30),
        1 => (Ipv4Addr::UNSPECIFIED, 0),
        2 | 3 => (Ipv4Addr::new(192, 168, 0, 1), OUR_PORT),
        _ => (Ipv4Addr::new(192, 0, 2, 1), *u.choose(&PORTS)?),
    };
    Ok(of_ipv4(address, port))
}

/// A `sockaddr_in`.
fn of_ipv4(address: Ipv4Addr, port: u16) -> Vec<u8> {
    let family = (libc::AF_INET as u16).to_ne_bytes();
    [&family[..], &port.to_be_bytes(), &address.octets(), &[0; 8]].concat()
}

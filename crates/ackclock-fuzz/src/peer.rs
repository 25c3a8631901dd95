//! One stack and a peer that says whatever a fuzzer wants.

use ackclock::apps::Pattern;
use ackclock::congestion::BuiltIn;
use ackclock::seq::SeqNumber;
use ackclock::stack::{
    Capabilities, Cidr, Handle, ListenConfig, Listener, Stack, StackConfig, Storage,
};
use ackclock::tcp::{Config, Info, PendingTimers, State};
use ackclock::time::{Duration, Instant};
use ackclock::wire::{
    Checksums, Ecn, Flags, Header, IpInfo, MAX_HEADER, Options, Protocol, WriteChecksum,
    parse_packet, write_packet_header,
};
use ackclock_judge::{Judge, Settings};
use arbitrary::{Result, Unstructured};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

const OUR_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const PEER_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2));
const OUR_PORT: u16 = 5_000;
const PEER_PORT: u16 = 6_000;
/// The peer's numbers wrap soon.
pub(crate) const PEER_ISN: SeqNumber = SeqNumber(u32::MAX - 500);
/// No event makes a stack say more than this.
const MOST_SEGMENTS: usize = 20_000;

/// What our side sends.
pub(crate) const OUR_STREAM: Pattern = Pattern::new(1);

/// A segment that the stack has sent.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) header: Header,
    pub(crate) payload: Vec<u8>,
}

/// A stack with one address, whose connections have this law.
pub(crate) fn stack_at(address: IpAddr, secret: u64, law: BuiltIn) -> Stack<'static, BuiltIn> {
    let config = StackConfig::new(Capabilities::with_mtu(1500), [secret, 7]);
    let mut stack = Stack::new(config, law, Storage::growing()).expect("usable settings");
    stack.add_address(Cidr { address, prefix: 24 }).expect("room for an address");
    stack
}

/// A judge of a host who sees all its packets, and knows nothing else of it.
pub(crate) fn judge() -> Judge {
    Judge::new(Settings { sees_all: true, ..Settings::default() })
}

/// Fails if a segment of the judged host holds what none may hold, whatever its peer does.
///
/// # Panics
/// With the sentence.
pub(crate) fn acquit(judge: &Judge) {
    if let Some(verdict) = judge.findings().of_form() {
        panic!("{verdict}");
    }
}

/// Any built-in law.
pub(crate) fn any_law(u: &mut Unstructured<'_>) -> Result<BuiltIn> {
    Ok(BuiltIn::by_name(u.choose(BuiltIn::NAMES)?).expect("a law of that name"))
}

/// The stack under test, at most one connection of it, and the time.
pub(crate) struct Peer {
    pub(crate) stack: Stack<'static, BuiltIn>,
    pub(crate) now: Instant,
    pub(crate) handle: Option<Handle>,
    pub(crate) listener: Option<Listener>,
    /// From our first SYN on.
    pub(crate) our_isn: SeqNumber,
    judge: Judge,
    written: u64,
}

impl Peer {
    pub(crate) fn new(law: BuiltIn) -> Self {
        Peer {
            stack: stack_at(OUR_ADDRESS, 1, law),
            now: Instant::from_secs(10),
            handle: None,
            listener: None,
            our_isn: SeqNumber(0),
            judge: judge(),
            written: 0,
        }
    }

    pub(crate) fn listen(&mut self, config: &Config) {
        let mut listen = ListenConfig::new(SocketAddr::new(OUR_ADDRESS, OUR_PORT));
        listen.connection = *config;
        listen.set_fast_open(config.fast_open);
        self.listener = Some(self.stack.listen(listen).expect("a free port"));
    }

    /// Opens actively; gives the SYN.
    pub(crate) fn connect(&mut self, config: &Config) -> Sent {
        let local = Some(SocketAddr::new(OUR_ADDRESS, OUR_PORT));
        let remote = SocketAddr::new(PEER_ADDRESS, PEER_PORT);
        let handle = self.stack.connect(self.now, remote, local, config);
        self.handle = Some(handle.expect("a free port"));
        let sent = self.sent();
        assert_eq!(sent.len(), 1, "one SYN");
        self.our_isn = sent[0].header.seq;
        sent[0].clone()
    }

    pub(crate) fn accept(&mut self) {
        if let (None, Some(listener)) = (self.handle, self.listener) {
            self.handle = self.stack.accept(listener);
        }
    }

    /// An active open whose SYN the peer answers with `options`, and the ack of that.
    pub(crate) fn establish(&mut self, config: &Config, options: Options) {
        self.connect(config);
        self.now += Duration::from_millis(10);
        let sent = self.says(&Header {
            seq: PEER_ISN,
            ack: self.our_isn + 1,
            flags: Flags::SYN | Flags::ACK,
            options,
            ..header()
        });
        assert_eq!(sent.len(), 1, "one ack");
    }

    /// The peer sends a segment without payload; gives the stack's answers.
    pub(crate) fn says(&mut self, header: &Header) -> Vec<Sent> {
        self.sends(header, &[])
    }

    pub(crate) fn sends(&mut self, header: &Header, payload: &[u8]) -> Vec<Sent> {
        let ip = IpInfo {
            source: PEER_ADDRESS.into(),
            destination: OUR_ADDRESS.into(),
            hop_limit: 64,
            dscp: 0,
            ecn: Ecn::NotEct,
        };
        let mut bytes = [0; MAX_HEADER];
        let complete = WriteChecksum::Complete;
        let len = write_packet_header(&mut bytes, &ip, header, [payload, &[]], complete);
        self.packet(&[&bytes[..len], payload].concat())
    }

    pub(crate) fn packet(&mut self, bytes: &[u8]) -> Vec<Sent> {
        self.judge.on_received(self.now, bytes);
        self.stack.on_packet(self.now, bytes);
        self.sent()
    }

    /// Lets time pass and fires every timer that falls due, at most `most` of them.
    pub(crate) fn wait(&mut self, time: Duration, most: u32) -> Vec<Sent> {
        let end = self.now + time;
        let mut sent = Vec::new();
        for _ in 0..most {
            let due = self.stack.poll_at();
            if due > end {
                break;
            }
            self.now = self.now.max(due);
            self.stack.on_timeout(self.now);
            sent.extend(self.sent());
            assert!(self.stack.poll_at() > self.now, "a timer stays due");
        }
        self.now = end.max(self.now);
        sent
    }

    /// Queues `len` bytes of our stream.
    pub(crate) fn write(&mut self, len: usize) -> Vec<Sent> {
        let Some(handle) = self.handle else {
            return Vec::new();
        };
        let mut bytes = vec![0; len];
        OUR_STREAM.fill(self.written, &mut bytes);
        let taken = self.stack.send(self.now, handle, &bytes).unwrap_or(0);
        self.written += taken as u64;
        self.sent()
    }

    pub(crate) fn info(&self) -> Option<Info> {
        self.stack.info(self.now, self.handle?)
    }

    /// Everything that the stack wants to send; each packet can be read, and its payload is ours.
    pub(crate) fn sent(&mut self) -> Vec<Sent> {
        let mut packets = Vec::new();
        let mut sink = |transmit: &ackclock::stack::Transmit<'_>| {
            let mut packet = vec![0; transmit.len()];
            transmit.copy_to(&mut packet).expect("room for it");
            packets.push(packet);
            Ok(())
        };
        let mut count = 0;
        while self.stack.transmit(self.now, &mut sink).is_taken() {
            count += 1;
            assert!(count < MOST_SEGMENTS, "it stops sending");
        }
        packets.iter().for_each(|packet| self.judge.on_sent(self.now, packet));
        acquit(&self.judge);
        packets.iter().filter_map(|packet| self.read(packet)).collect()
    }

    fn read(&self, packet: &[u8]) -> Option<Sent> {
        let parsed = parse_packet(packet, Checksums::default()).expect("a packet of ours");
        let Protocol::Tcp(segment) = parsed.protocol else {
            return None;
        };
        let Header { seq, flags, .. } = segment.header;
        if self.our_isn != SeqNumber(0) && !segment.payload.is_empty() {
            assert!(!flags.contains(Flags::SYN), "we send no data with a SYN");
            let offset = u64::from((seq - (self.our_isn + 1).0).0);
            assert_eq!(OUR_STREAM.first_mismatch(offset, segment.payload), None, "{segment:?}");
        }
        Some(Sent { header: segment.header, payload: segment.payload.to_vec() })
    }

    /// What must hold of a connection at any time.
    pub(crate) fn check(&self) {
        let Some(info) = self.info() else {
            return;
        };
        assert!(info.sacked + info.lost <= info.unacked, "{info:?}");
        // The pipe variable of Fall and Floyd misses what lost duplicate acks would have told.
        assert!(info.recovery == "sack-pipe" || info.in_flight <= info.unacked, "{info:?}");
        // A FIN counts, and what is acknowledged of a segment in part.
        assert!(info.unacked <= info.send_queue + 1 + info.mss, "{info:?}");
        assert!(info.mss > 0 && info.cwnd > 0, "{info:?}");
        if info.state.is_synchronized() && info.unacked > 0 {
            let timers = info.timers;
            assert!(timers.retransmit.or(timers.persist).is_some(), "somebody waits: {info:?}");
        }
        if info.state == State::Closed {
            assert_eq!(info.timers, PendingTimers::default(), "{info:?}");
        }
    }
}

/// A header from the peer to us, its window open.
pub(crate) fn header() -> Header {
    Header {
        source_port: PEER_PORT,
        destination_port: OUR_PORT,
        flags: Flags::ACK,
        window: 60_000,
        ..Header::default()
    }
}

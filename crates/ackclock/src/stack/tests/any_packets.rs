//! One stack under packets near valid ones and calls of applications, both drawn at random. After
//! each step the books agree with each other; once all handles are closed and time has passed,
//! nothing is left.

use super::strangers::ipv4;
use super::*;
use crate::apps::Pattern;
use crate::seq::{SeqNumber, SeqRange};
use crate::stack::slot::Owner;
use crate::tcp::{FlightRecord, Nagle};
use crate::test_random::Random;
use crate::wire::{Address, Ecn, Options, Timestamps};
use std::collections::{BTreeSet, VecDeque};

/// How many runs on each kind of storage.
const SEEDS: u64 = 80;
/// Packets, calls and waits of one run.
const STEPS: u32 = 400;
/// No stack has more to say without being asked.
const MOST_PACKETS: usize = 2_000;
/// No stack has more to wait for once its connections are given up.
const MOST_WAITS: usize = 2_000;

const OWN: [&str; 3] = ["10.0.0.1", "10.0.0.9", "fd00::1"];
const PEERS: [&str; 3] = ["10.0.0.2", "10.0.0.3", "fd00::2"];
const OWN_PORTS: [u16; 5] = [80, 80, 81, 50_000, 50_001];
const PEER_PORTS: [u16; 3] = [5_000, 5_001, 80];

fn cidr(address: &str) -> Cidr {
    let address = address.parse::<IpAddr>().unwrap();
    Cidr { address, prefix: if address.is_ipv4() { 24 } else { 64 } }
}

/// RFC 1071, over an even number of bytes.
fn internet_checksum(bytes: &[u8]) -> [u8; 2] {
    let words = bytes.as_chunks::<2>().0.iter().map(|pair| u32::from(u16::from_be_bytes(*pair)));
    let sum: u32 = words.sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    (!((folded & 0xffff) + (folded >> 16)) as u16).to_be_bytes()
}

/// A handle and what it must mean as long as it is open.
#[derive(Clone, Copy)]
struct Open {
    handle: Handle,
    local: SocketAddr,
    remote: SocketAddr,
}

struct World<'a> {
    stack: Stack<'a, BuiltIn>,
    random: Random,
    /// One in so many answers of the peers is odd.
    noise: u32,
    now: Instant,
    /// What the stack sent last.
    sent: VecDeque<Vec<u8>>,
    /// What it got last.
    got: VecDeque<Vec<u8>>,
    open: Vec<Open>,
    void: Vec<Handle>,
    listeners: Vec<Listener>,
    requests: Vec<Request>,
    /// Everything sent, in few bits.
    digest: u64,
}

impl<'a> World<'a> {
    fn new(seed: u64, storage: Storage<'a, BuiltIn>) -> Self {
        let config = StackConfig {
            max_connections: 6,
            max_half_open: 4,
            max_time_wait: 1,
            first_ephemeral_port: 50_000,
            last_ephemeral_port: 50_002,
            resets_per_second: 10,
            secret: [seed, 5],
            ..config()
        };
        let mut stack = Stack::new(config, BuiltIn::default(), storage).unwrap();
        OWN.iter().for_each(|own| stack.add_address(cidr(own)).unwrap());
        let noise = [2, 6, 40][seed as usize % 3];
        let seed = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        World {
            stack,
            noise,
            random: Random(seed),
            now: millis(1),
            sent: VecDeque::new(),
            got: VecDeque::new(),
            open: Vec::new(),
            void: Vec::new(),
            listeners: Vec::new(),
            requests: Vec::new(),
            digest: 0,
        }
    }

    fn step(&mut self) {
        match self.random.below(16) {
            0..8 => self.packet(),
            8..13 => self.call(),
            13 => self.events(),
            _ => self.wait(),
        }
        if self.random.one_in(2) {
            self.transmit();
        }
        self.check();
    }

    // ---- packets ----

    fn packet(&mut self) {
        let mut packet = match self.random.below(24) {
            0 => self.got.get(self.random.below(20) as usize).cloned().unwrap_or_default(),
            1 => self.icmp(),
            2..4 => self.segment_from_nowhere(),
            _ => self.answer(),
        };
        if self.random.one_in(60) && !packet.is_empty() {
            let at = self.random.below(packet.len() as u32) as usize;
            packet[at] ^= 1 << self.random.below(8);
        }
        if self.random.one_in(60) {
            packet.truncate(self.random.below(80) as usize);
        }
        let now = match self.random.one_in(50) {
            true => millis(0),
            false => self.now,
        };
        self.stack.on_packet(now, &packet);
        self.got.push_front(packet);
        self.got.truncate(20);
    }

    fn flags(&mut self) -> Flags {
        let ack = Flags::ACK;
        let usual = [ack, ack, ack | Flags::PSH, ack | Flags::FIN, Flags::SYN, Flags::SYN | ack];
        let seldom = [Flags::RST, Flags::RST | ack, ack | Flags::URG, Flags::FIN, Flags::NONE];
        match self.random.below(12) {
            0..8 => self.random.pick(&usual),
            8..11 => self.random.pick(&seldom),
            _ => Flags::from_bits(self.random.below(0x1000) as u16),
        }
    }

    fn options(&mut self, echo: u32) -> Options {
        let mut options = Options::default();
        if self.random.one_in(3) {
            options.mss = Some(self.random.pick(&[0, 1, 100, 536, 1_460, 65_535]));
            options.window_scale = Some(self.random.below(15) as u8);
            options.sack_permitted = self.random.one_in(2);
        }
        if self.random.one_in(2) {
            let value = (self.now.as_millis() as u32).wrapping_add(self.random.offset());
            options.timestamps = Some(Timestamps { value, echo });
        }
        options
    }

    fn segment_from_nowhere(&mut self) -> Vec<u8> {
        let family = self.random.below(5);
        let (own, peer) = match family {
            0 => (OWN[2], PEERS[2]),
            _ => (self.random.pick(&OWN[..2]), self.random.pick(&PEERS[..2])),
        };
        let own = if self.random.one_in(40) { "10.0.0.255" } else { own };
        let peer = if self.random.one_in(40) { own } else { peer };
        if peer.contains(':') != own.contains(':') {
            return Vec::new();
        }
        let flags = if !self.random.one_in(4) { Flags::SYN } else { self.flags() };
        let header = Header {
            source_port: self.random.pick(&PEER_PORTS),
            destination_port: self.random.pick(&OWN_PORTS),
            seq: SeqNumber(self.random.below(3) * 100_000),
            ack: SeqNumber(self.random.below(u32::MAX)),
            flags,
            window: self.random.below(65_536) as u16,
            options: self.options(0),
            ..Header::default()
        };
        let [peer, own] = [peer, own].map(|address| address.parse::<IpAddr>().unwrap().into());
        self.build(peer, own, &header)
    }

    /// What a peer could say to one of the last packets, or nearly so.
    fn answer(&mut self) -> Vec<u8> {
        let which = match self.random.one_in(2) {
            true => 0,
            false => self.random.below(20) as usize,
        };
        let Some(packet) = self.sent.get(which).cloned() else {
            return self.segment_from_nowhere();
        };
        let Ok(Protocol::Tcp(sent)) =
            parse_packet(&packet, Checksums::default()).map(|packet| packet.protocol)
        else {
            return self.segment_from_nowhere();
        };
        if sent.header.flags.contains(Flags::RST) && !self.random.one_in(9) {
            return self.segment_from_nowhere();
        }
        let is_polite = !self.random.one_in(self.noise);
        let is_syn = sent.header.flags.contains(Flags::SYN);
        let is_fin = sent.header.flags.contains(Flags::FIN);
        let flags = match is_polite {
            true if is_syn && !sent.header.flags.contains(Flags::ACK) => Flags::SYN | Flags::ACK,
            true if self.random.one_in(if is_fin { 2 } else { 15 }) => Flags::ACK | Flags::FIN,
            true => Flags::ACK,
            false => self.flags(),
        };
        let seq = match sent.header.flags.contains(Flags::ACK) {
            true => sent.header.ack,
            false => SeqNumber(700),
        };
        let echo = sent.header.options.timestamps.map_or(0, |timestamps| timestamps.value);
        let mut options = self.options(echo);
        if is_polite {
            let value = self.now.as_millis() as u32;
            options.timestamps = sent.header.options.timestamps.map(|_| Timestamps { value, echo });
        }
        if self.random.one_in(8) {
            let start = sent.header.seq + self.random.below(300);
            options.sack.push(SeqRange::from_len(start, 1 + self.random.below(300)));
        }
        let header = Header {
            source_port: sent.header.destination_port,
            destination_port: sent.header.source_port,
            seq: seq + if is_polite { 0 } else { self.random.offset() },
            ack: sent.header.seq + sent.len() + if is_polite { 0 } else { self.random.offset() },
            flags,
            window: self.random.pick(&[0, 1, 500, 10_000, 65_535]),
            urgent_pointer: self.random.below(300) as u16,
            options,
        };
        self.build(sent.ip.destination, sent.ip.source, &header)
    }

    fn build(&mut self, source: Address, destination: Address, header: &Header) -> Vec<u8> {
        let ip = IpInfo { source, destination, hop_limit: 64, dscp: 0, ecn: Ecn::NotEct };
        let len = self.random.pick(&[0, 0, 0, 1, 10, 100, 500]);
        let payload = std::vec![b'x'; len];
        let mut bytes = [0; MAX_HEADER];
        let checksum = WriteChecksum::Complete;
        let n = write_packet_header(&mut bytes, &ip, header, [&payload, &[]], checksum);
        [&bytes[..n], &payload].concat()
    }

    /// An ICMP message, with the last packet sent in it.
    fn icmp(&mut self) -> Vec<u8> {
        let kind = self.random.pick(&[[3, 0], [3, 3], [3, 4], [11, 0], [12, 0], [8, 0], [4, 0]]);
        let quoted = self.sent.front().cloned().unwrap_or_default();
        let mtu = self.random.pick(&[0_u16, 68, 500, 1_400, 9_000]).to_be_bytes();
        let quote = &quoted[..quoted.len().min(60) & !1];
        let mut message = [&kind[..], &[0, 0, 0, 0], &mtu, quote].concat();
        let sum = internet_checksum(&message);
        message[2..4].copy_from_slice(&sum);
        let mut packet = ipv4([10, 0, 0, 3], [10, 0, 0, 1], 1, &message);
        let sum = internet_checksum(&packet[..20]);
        packet[10..12].copy_from_slice(&sum);
        packet
    }

    // ---- the application ----

    fn call(&mut self) {
        match self.random.below(12) {
            0 => self.connect(),
            1 | 2 if self.listeners.len() < 2 => self.listen(),
            3 if self.random.one_in(6) => self.close_listener(),
            4 if self.random.one_in(8) => self.change_addresses(),
            2..7 => self.accept(),
            _ => self.use_connection(),
        }
    }

    fn settings(&mut self) -> Config {
        Config {
            send_buffer: self.random.pick(&[100, 5_000]),
            receive_buffer: self.random.pick(&[1, 600, 5_000]),
            linger: self.random.pick(&[None, None, None, None, Some(Duration::ZERO), Some(STEP)]),
            msl: Duration::from_millis(self.random.pick(&[1, 30_000, 120_000])),
            timestamps: self.random.one_in(2),
            ..Config::default()
        }
    }

    fn connect(&mut self) {
        let peer: IpAddr = self.random.pick(&PEERS).parse().unwrap();
        let remote = SocketAddr::new(peer, self.random.pick(&PEER_PORTS));
        let own: IpAddr = self.random.pick(&OWN).parse().unwrap();
        let local = SocketAddr::new(own, self.random.pick(&OWN_PORTS));
        let local = self.random.one_in(2).then_some(local);
        let config = self.settings();
        if let Ok(handle) = self.stack.connect(self.now, remote, local, &config) {
            self.keep(handle);
        }
    }

    fn keep(&mut self, handle: Handle) {
        assert!(!self.void.contains(&handle), "{handle:?} is used again");
        let local = self.stack.local_addr(handle).unwrap();
        let remote = self.stack.remote_addr(handle).unwrap();
        self.open.push(Open { handle, local, remote });
    }

    fn listen(&mut self) {
        let local = self.random.pick(&["0.0.0.0:80", "10.0.0.1:81", "[::]:80", "0.0.0.0:0"]);
        let mut config = ListenConfig::new(addr(local));
        config.half_open = 1 + self.random.below(3) as usize;
        config.backlog = 1 + self.random.below(3) as usize;
        config.any_destination = self.random.one_in(2);
        config.requests = self.random.one_in(4);
        config.connection = self.settings();
        config.connection.syn_give_up = Duration::from_secs(1 + u64::from(self.random.below(9)));
        self.listeners.extend(self.stack.listen(config));
    }

    fn close_listener(&mut self) {
        if let Some(listener) = self.listeners.pop() {
            self.stack.close_listener(self.now, listener);
            assert_eq!(self.stack.accept(listener), None);
        }
    }

    fn change_addresses(&mut self) {
        let address = cidr(self.random.pick(&OWN));
        if self.stack.remove_address(self.now, address).is_err() {
            self.stack.add_address(address).unwrap();
        }
    }

    fn accept(&mut self) {
        for listener in self.listeners.clone() {
            self.requests.extend(self.stack.next_request(listener));
            if let Some(handle) = self.stack.accept(listener) {
                self.keep(handle);
            }
        }
        let answer = self.random.pick(&[Answer::Accept, Answer::Refuse, Answer::Ignore]);
        if let Some(request) = self.requests.pop_if(|_| self.random.one_in(3)) {
            let was_pending = self.stack.is_pending(&request);
            assert_eq!(self.stack.answer(self.now, &request, answer).is_ok(), was_pending);
            assert!(self.stack.answer(self.now, &request, answer).is_err(), "it can be done once");
        }
    }

    fn use_connection(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let at = self.random.below(self.open.len() as u32) as usize;
        let (now, handle) = (self.now, self.open[at].handle);
        let mut bytes = [0; 400];
        match self.random.below(16) {
            0..3 => {
                Pattern::new(1).fill(0, &mut bytes);
                let len = self.random.pick(&[1, 50, 400]);
                let _ = self.stack.send(now, handle, &bytes[..len]);
            }
            3 => drop(self.stack.send_urgent(now, handle, b"!")),
            4..7 => drop(self.stack.receive(now, handle, &mut bytes)),
            7 => self.stack.consume(now, handle, 30).unwrap(),
            8 => self.stack.shutdown(now, handle).unwrap(),
            9 => self.stack.set_cork(now, handle, self.random.one_in(2)).unwrap(),
            10 => self.stack.set_nagle(now, handle, self.random.pick(&Nagle::ALL)).unwrap(),
            11 => assert!(self.stack.info(now, handle).is_some()),
            _ => self.close(at),
        }
    }

    fn close(&mut self, at: usize) {
        let handle = self.open.swap_remove(at).handle;
        let closed = match self.random.one_in(4) {
            true => self.stack.abort(self.now, handle),
            false => self.stack.close(self.now, handle),
        };
        assert_eq!(closed, Ok(()));
        self.void.push(handle);
    }

    /// Takes all events; then nothing is new on any connection.
    fn events(&mut self) {
        let pending = self.stack.connections.end() as usize + self.listeners.len();
        let events = events(&mut self.stack);
        assert!(events.len() <= pending, "each is told once: {events:?}");
        for event in events {
            match event {
                Event::Connection { handle, readiness } => {
                    assert!(self.open.iter().any(|open| open.handle == handle));
                    assert_eq!(self.stack.readiness(handle), Some(readiness));
                }
                Event::Acceptable(listener) => assert!(self.listeners.contains(&listener)),
            }
        }
        for Open { handle, .. } in &self.open {
            assert_eq!(self.stack.connections.get_mut(handle.slot).unwrap().take_news(), None);
        }
    }

    // ---- time and the link ----

    fn wait(&mut self) {
        let next = self.stack.poll_at();
        let step = self.random.pick(&[0, 1, 40, 300, 1_000, 20_000]);
        self.now = match self.random.one_in(2) && !next.is_never() {
            true => self.now.max(next),
            false => self.now + Duration::from_millis(step),
        };
        self.fire();
    }

    /// Fires timers and sends everything: then the next deadline is ahead.
    fn fire(&mut self) {
        self.stack.on_timeout(self.now);
        self.drain();
        assert!(self.stack.poll_at() > self.now, "{:?} at {:?}", self.stack.poll_at(), self.now);
        for id in 0..self.stack.connections.end() {
            let now = self.now;
            if let Some(slot) = self.stack.connections.get_mut(id).filter(|slot| !slot.detached) {
                assert!(slot.connection.poll_transmit(now, 0).is_none(), "{id} is forgotten");
            }
        }
    }

    fn drain(&mut self) {
        let packets = packets(self.now, &mut self.stack);
        assert!(packets.len() < MOST_PACKETS);
        packets.into_iter().for_each(|packet| self.note(packet));
    }

    /// Sends some packets over a link that is full now and then.
    fn transmit(&mut self) {
        let (random, mut taken) = (&mut self.random, Vec::new());
        let mut sink = |transmit: &Transmit<'_>| {
            if random.one_in(4) {
                return Err(Rejected);
            }
            let mut packet = std::vec![0; transmit.len()];
            transmit.copy_to(&mut packet).unwrap();
            taken.push(packet);
            Ok(())
        };
        while self.stack.transmit(self.now, &mut sink).is_taken() {}
        taken.into_iter().for_each(|packet| self.note(packet));
    }

    fn note(&mut self, packet: Vec<u8>) {
        assert!(parse_packet(&packet, Checksums::default()).is_ok() || packet[9] == 1);
        assert!(packet.len() <= 1_500);
        for byte in &packet {
            self.digest = self.digest.rotate_left(5) ^ u64::from(*byte);
            self.digest = self.digest.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        self.sent.push_front(packet);
        self.sent.truncate(20);
    }

    // ---- the books ----

    fn check(&self) {
        let stack = &self.stack;
        let mut tuples = BTreeSet::new();
        let mut on_network = 0;
        for (id, slot) in stack.connections.iter() {
            assert!(!(slot.detached && slot.owner == Owner::Nobody), "{id} is kept for nobody");
            let deadline = match id == stack.deadlines.busy {
                true => stack.poll_at(),
                false => stack.deadlines.timers.deadline(id),
            };
            if slot.detached {
                assert!(stack.deadlines.timers.deadline(id).is_never());
            } else {
                assert!(deadline <= slot.connection.poll_timeout(), "{id} oversleeps");
                assert_eq!(stack.find(&slot.tuple), Some(Entity::Connection(id)));
                assert!(tuples.insert(slot.tuple));
                on_network += 1;
            }
        }
        for (id, record) in stack.half_open.records.iter() {
            assert!(!stack.half_open.timers.deadline(id).is_never());
            assert_eq!(stack.find(&record.tuple), Some(Entity::HalfOpen(id)));
            assert!(tuples.insert(record.tuple));
            assert!(stack.listeners.records.get(record.listener).is_some());
            on_network += 1;
        }
        for (id, record) in stack.time_waits.records.iter() {
            assert_eq!(stack.find(&record.tuple), Some(Entity::TimeWait(id)));
            assert!(tuples.insert(record.tuple));
            on_network += 1;
        }
        let waits = stack.time_waits.records.iter().count() > 0;
        assert_eq!(!stack.time_waits.next_expiry().is_never(), waits);
        if !stack.demux.is_absent() {
            assert_eq!(stack.demux.len(), on_network);
        }
        let mut waiting = 0;
        for (id, listener) in stack.listeners.records.iter() {
            let records = stack.half_open.records.iter();
            let half_open = records.filter(|(_, record)| record.listener == id).count();
            assert_eq!(listener.half_open, half_open);
            assert!(half_open <= listener.config.half_open);
            assert!(listener.waiting.len <= listener.config.backlog);
            let mut next = listener.waiting.first;
            for _ in 0..listener.waiting.len {
                let slot = stack.connections.get(next).expect("a slot in the list");
                assert_eq!(slot.owner, Owner::Listener);
                next = slot.next_waiting;
                waiting += 1;
            }
        }
        let owned =
            |owner| stack.connections.iter().filter(|(_, slot)| slot.owner == owner).count();
        assert_eq!(owned(Owner::Listener), waiting);
        assert_eq!(owned(Owner::Application), self.open.len());
        for &Open { handle, local, remote } in &self.open {
            assert_eq!(stack.local_addr(handle), Some(local));
            assert_eq!(stack.remote_addr(handle), Some(remote));
        }
        assert!(self.void.iter().all(|&handle| stack.readiness(handle).is_none()));
    }

    /// Closes everything and lets time pass: nothing is left.
    fn end(&mut self) {
        while !self.listeners.is_empty() {
            self.close_listener();
        }
        while !self.open.is_empty() {
            self.close(0);
        }
        self.fire();
        let mut waits = 0;
        while !self.stack.poll_at().is_never() {
            self.now = self.stack.poll_at();
            self.fire();
            self.check();
            waits += 1;
            assert!(waits < MOST_WAITS, "it never ends");
        }
        let stack = &self.stack;
        assert_eq!(stack.connections.iter().count(), 0);
        assert_eq!(stack.half_open.records.iter().count(), 0);
        assert_eq!(stack.time_waits.records.iter().count(), 0);
        assert_eq!(stack.listeners.records.iter().count(), 0);
        let spare = stack.memory.spare.iter().flatten();
        let whole = |each: &Buffers<'_>| {
            (each.send.len(), each.receive.len(), each.flight.len(), each.reassembly.len())
        };
        assert!(spare.map(whole).all(|lengths| lengths == (SEND, RECEIVE, FLIGHT, RANGES)));
    }

    fn run(mut self) -> (u64, Statistics) {
        for _ in 0..STEPS {
            self.step();
        }
        self.end();
        (self.digest, *self.stack.statistics())
    }
}

const SEND: usize = 1_000;
const RECEIVE: usize = 800;
const FLIGHT: usize = 6;
const RANGES: usize = 3;

/// A run in lent memory.
fn lent<const BUCKETS: usize>(seed: u64) -> (u64, Statistics) {
    let (mut send, mut receive) = ([[0; SEND]; 4], [[0; RECEIVE]; 4]);
    let mut flight = [[FlightRecord::default(); FLIGHT]; 4];
    let mut reassembly = [[SeqRange::default(); RANGES]; 4];
    let mut memory: StackMemory<'_, BuiltIn, Full, 4, 3, 1, 2, BUCKETS> = StackMemory::new();
    let mut parts = send.iter_mut().zip(&mut receive).zip(flight.iter_mut().zip(&mut reassembly));
    let buffers = [(); 4].map(|()| {
        let ((send, receive), (flight, reassembly)) = parts.next().unwrap();
        Buffers {
            send: Buffer::lent(send),
            receive: Buffer::lent(receive),
            flight: Buffer::lent(flight),
            reassembly: Buffer::lent(reassembly),
            ..Buffers::default()
        }
    });
    World::new(seed, memory.storage(buffers)).run()
}

#[test]
fn nothing_leaks_where_storage_grows() {
    for seed in 0..SEEDS {
        World::new(seed, Storage::growing()).run();
    }
}

#[test]
fn nothing_leaks_in_lent_memory_and_the_table_changes_nothing() {
    for seed in 0..SEEDS {
        assert_eq!(lent::<0>(seed), lent::<9>(seed));
    }
}

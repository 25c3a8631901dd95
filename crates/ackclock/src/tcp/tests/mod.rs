//! One connection against a scripted peer: exact segments in, exact segments out.

mod accurate_ecn;
mod acknowledging;
mod bulk;
mod closing;
mod delivery_rates;
mod ecn;
mod every_pair;
mod giving_up;
mod icmp_errors;
mod keepalive;
mod limits;
mod older_recoveries;
mod opening;
mod options;
mod pacing;
mod path_mtu;
mod path_probing;
mod probing;
mod rack;
mod recovering;
mod restarting;
mod roads;
mod sending;
mod tail_loss;
mod timers;
mod two_ends;
mod undo;
mod urgent;
mod window_validation;
mod windows;

use super::*;
use crate::congestion::{BuiltIn, CongestionController, Reno};
use crate::seq::{SeqNumber, SeqRange};
use crate::storage::Buffer;
use crate::time::{Duration, Instant};
use crate::wire::{Ecn, Flags, Header, IpInfo, Options, SackBlocks, Segment, Timestamps};
use core::net::{IpAddr, Ipv4Addr};
use std::vec::Vec;

/// Our initial sequence number: the first byte we send is ISS + 1.
const ISS: u32 = 1_000;
/// The peer's.
const IRS: u32 = 50_000;
const MSS: u32 = 1_000;

const ACK: Flags = Flags::ACK;
const SYN: Flags = Flags::SYN;
const FIN: Flags = Flags::FIN;
const RST: Flags = Flags::RST;
const URG: Flags = Flags::URG;

/// A segment that we sent.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sent {
    seq: u32,
    ack: u32,
    /// Without PSH, which tests ask for by name.
    flags: Flags,
    push: bool,
    window: u16,
    len: u32,
    options: Options,
    urgent_pointer: u16,
    ecn: Ecn,
}

impl Sent {
    /// First byte (counted from our first one, 0) and length.
    fn data(&self) -> (u32, u32) {
        (self.seq.wrapping_sub(ISS + 1), self.len)
    }

    /// Acknowledged bytes of the peer's.
    fn acked(&self) -> u32 {
        self.ack.wrapping_sub(IRS + 1)
    }
}

/// A connection and the time.
struct Test<C = BuiltIn> {
    connection: Connection<'static, C>,
    now: Instant,
    /// The window that the peer's segments advertise.
    peer_window: u16,
}

/// Recovery without a timer of its own: what RACK-TLP does is told in files that name it.
fn config() -> Config {
    Config {
        recovery: RecoveryAlgorithm::Rfc6675,
        mss: Some(MSS as u16),
        timestamps: false,
        window_scaling: false,
        receive_buffer: 10_000,
        ack_policy: AckPolicy::Delayed { timeout: Duration::from_millis(40), quick_acks: 0 },
        ..Config::default()
    }
}

fn rack() -> Config {
    Config { recovery: RecoveryAlgorithm::Rack, ..config() }
}

/// An established connection with `segments` segments in flight and a round-trip time of 10 ms.
fn in_flight(config: Config, segments: u32) -> Test {
    let mut test = Test::established(config);
    test.queue(0, segments * MSS);
    assert_eq!(test.data().len() as u32, segments);
    test
}

fn buffers() -> Buffers<'static> {
    Buffers {
        send: Buffer::growing(),
        receive: Buffer::growing(),
        flight: Buffer::growing(),
        delivery: Buffer::growing(),
        reassembly: Buffer::growing(),
    }
}

fn header(seq: u32, ack: u32, flags: Flags) -> Header {
    Header { seq: SeqNumber(seq), ack: SeqNumber(ack), flags, window: 60_000, ..Header::default() }
}

impl Test {
    /// A connection in SYN-SENT whose SYN has not been sent.
    fn connecting(config: Config) -> Test {
        Test::connecting_with(config, Reno::default().into())
    }

    /// An established connection, its handshake (10 ms) over, under Reno, whose numbers are easily
    /// checked by hand.
    fn established(config: Config) -> Test {
        Test::established_with(config, Reno::default().into())
    }
}

impl<C: CongestionController> Test<C> {
    fn connecting_with(config: Config, controller: C) -> Test<C> {
        config.validate().expect("usable settings");
        let open = Open {
            iss: SeqNumber(ISS),
            timestamp_offset: 0,
            mtu: 1_500,
            ip_header: 20,
            random: 1,
            clock_phase: 0,
        };
        let now = Instant::from_secs(100);
        let connection = Connection::connect(now, &config, controller, buffers(), &open);
        Test { connection, now, peer_window: 60_000 }
    }

    fn established_with(config: Config, controller: C) -> Test<C> {
        let mut test = Test::connecting_with(config, controller);
        let options = Options {
            mss: Some(MSS as u16),
            sack_permitted: true,
            window_scale: config.window_scaling.then_some(0),
            timestamps: config.timestamps.then_some(Timestamps { value: 1, echo: 0 }),
            ..Options::default()
        };
        assert_eq!(test.sent().len(), 1);
        test.wait(10);
        let syn_ack = Header { options, ..header(IRS, ISS + 1, SYN | ACK) };
        assert_eq!(test.segment(syn_ack, &[]), Verdict::Done);
        assert_eq!(test.state(), State::Established);
        assert_eq!(test.sent().len(), 1);
        test
    }

    fn wait(&mut self, millis: u64) {
        self.now += Duration::from_millis(millis);
    }

    /// Lets time pass and fires the timers that fall due, one deadline after the other; gives what
    /// was sent and when, in milliseconds from now.
    fn run(&mut self, millis: u64) -> Vec<(u64, Sent)> {
        let start = self.now;
        let end = self.now + Duration::from_millis(millis);
        let mut sent = Vec::new();
        loop {
            for segment in self.sent() {
                sent.push((self.now.saturating_since(start).as_millis(), segment));
            }
            let next = self.connection.poll_timeout();
            if next > end {
                self.now = end;
                return sent;
            }
            self.now = self.now.max(next);
            self.connection.on_timeout(self.now);
        }
    }

    fn segment(&mut self, header: Header, payload: &[u8]) -> Verdict {
        self.marked_segment(header, payload, Ecn::NotEct)
    }

    fn marked_segment(&mut self, header: Header, payload: &[u8], ecn: Ecn) -> Verdict {
        let ip = IpInfo {
            source: IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2)).into(),
            destination: IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)).into(),
            hop_limit: 64,
            dscp: 0,
            ecn,
        };
        self.connection.on_segment(self.now, &Segment { header, ip, payload })
    }

    /// As [`answered`](Self::answered), for a segment that needs no RST.
    fn peer(&mut self, at: u32, len: u32, acked: u32, flags: Flags) {
        assert_eq!(self.answered(at, len, acked, flags), Verdict::Done);
    }

    /// A segment of the peer's with `len` bytes that begin with its byte `at`, acknowledging our
    /// first `acked` bytes.
    fn answered(&mut self, at: u32, len: u32, acked: u32, flags: Flags) -> Verdict {
        let window = self.peer_window;
        let header = Header { window, ..header(IRS + 1 + at, ISS + 1 + acked, ACK | flags) };
        let payload: Vec<u8> = (at..at + len).map(|n| n as u8).collect();
        self.segment(header, &payload)
    }

    /// A pure ack of our first `acked` bytes.
    fn acks(&mut self, acked: u32) {
        self.peer(0, 0, acked, Flags::NONE);
    }

    /// A pure ack with SACK blocks, each (first byte, first byte after).
    fn sacks(&mut self, acked: u32, blocks: &[(u32, u32)]) {
        let mut sack = SackBlocks::EMPTY;
        for (start, end) in blocks {
            sack.push(SeqRange::new(SeqNumber(ISS + 1 + start), SeqNumber(ISS + 1 + end)));
        }
        let mut header = header(IRS + 1, ISS + 1 + acked, ACK);
        header.options.sack = sack;
        assert_eq!(self.segment(header, &[]), Verdict::Done);
    }

    /// A pure ack of our first `acked` bytes with SACK blocks, which echoes the timestamp of a
    /// segment that we sent at `sent_at`.
    fn acks_echoing(&mut self, acked: u32, blocks: &[(u32, u32)], sent_at: Instant) {
        let mut header = header(IRS + 1, ISS + 1 + acked, ACK);
        for (start, end) in blocks {
            let (start, end) = (SeqNumber(ISS + 1 + start), SeqNumber(ISS + 1 + end));
            header.options.sack.push(SeqRange::new(start, end));
        }
        let echo = sent_at.as_millis() as u32;
        header.options.timestamps = Some(Timestamps { value: 1, echo });
        assert_eq!(self.segment(header, &[]), Verdict::Done);
    }

    /// (milliseconds from now, first byte, length) of each segment with data sent in that time.
    fn data_within(&mut self, millis: u64) -> Vec<(u64, u32, u32)> {
        let sent = self.run(millis);
        let data = sent.iter().filter(|(_, sent)| sent.len > 0);
        data.map(|(at, sent)| (*at, sent.data().0, sent.len)).collect()
    }

    /// Everything that is to be sent now.
    fn sent(&mut self) -> Vec<Sent> {
        let mut sent = Vec::new();
        while let Some(outgoing) = self.connection.poll_transmit(self.now, 0) {
            let payload = self.connection.payload(&outgoing).concat();
            assert_eq!(payload.len(), outgoing.len, "the payload is there");
            self.connection.on_transmitted(self.now, &outgoing);
            let Header { seq, ack, flags, window, options, urgent_pointer, .. } = outgoing.header;
            let push = flags.contains(Flags::PSH);
            let flags = Flags::from_bits(flags.bits() & !Flags::PSH.bits());
            let len = payload.len() as u32;
            for (index, byte) in payload.iter().enumerate() {
                let at = seq.0.wrapping_sub(ISS + 1).wrapping_add(index as u32);
                assert_eq!(*byte, at as u8, "byte {at} of our stream");
            }
            let (seq, ack, ecn) = (seq.0, ack.0, outgoing.ecn);
            sent.push(Sent { seq, ack, flags, push, window, len, options, urgent_pointer, ecn });
            assert!(sent.len() < 1_000, "it stops sending");
        }
        sent
    }

    /// (first byte, length) of each segment with data that is to be sent now.
    fn data(&mut self) -> Vec<(u32, u32)> {
        self.sent().iter().filter(|sent| sent.len > 0).map(Sent::data).collect()
    }

    /// Queues bytes `from` to `to` of our stream.
    fn queue(&mut self, from: u32, to: u32) {
        let data: Vec<u8> = (from..to).map(|n| n as u8).collect();
        assert_eq!(self.connection.send(self.now, &data), Ok(data.len()));
    }

    /// Reads all there is; checks that it is the peer's stream from byte `from` on.
    fn read(&mut self, from: u32) -> usize {
        let mut bytes = [0; 20_000];
        let n = self.connection.receive(&mut bytes).unwrap_or(0);
        for (index, byte) in bytes[..n].iter().enumerate() {
            assert_eq!(*byte, (from as usize + index) as u8);
        }
        n
    }

    fn state(&self) -> State {
        self.connection.state()
    }

    fn info(&self) -> Info {
        self.connection.info(self.now)
    }
}

/// Hot state stays small: the design allows 1,024 bytes on 64-bit targets.
#[test]
#[cfg(target_pointer_width = "64")]
fn a_connection_fits_into_a_kilobyte() {
    let size = size_of::<Connection<'static, BuiltIn>>();
    assert!(size <= 1_024, "{size} bytes");
}

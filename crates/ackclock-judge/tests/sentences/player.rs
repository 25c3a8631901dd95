//! Plays a capture, written as a packet script, to a judge.
//!
//! Lines are those of [`ackclock_testkit::script`]; `>` is what the judged host sends. Steps of the
//! application are `write N`, `urgent` (the last byte written is), `read N`, `close`, `close both`, `abort` and `user_timeout MILLISECONDS`; `other port` gives both sides of the conversation to
//! another connection; `other bytes` gives the next
//! segment of the host another content; `set NAME MILLISECONDS` is a setting of the judge, `law NAME` the
//! window law that it is told, `nagle NAME` its rule for small segments.

use ackclock::apps::Pattern;
use ackclock::seq::{SeqNumber, SeqRange};
use ackclock::time::{Duration, Instant};
use ackclock::wire::{
    Ecn, Flags, Header, IpInfo, MAX_HEADER, SackBlocks, WriteChecksum, write_packet_header,
};
use ackclock_judge::{Call, Findings, Judge, Law, Nagle, Settings};
use ackclock_testkit::script::{Packet, Player, Step, When, play};
use std::net::SocketAddr;

const START: Instant = Instant::from_secs(100);
/// Initial sequence numbers: the host's, and the peer's, which wraps soon.
const ISN: [SeqNumber; 2] = [SeqNumber(7_000), SeqNumber(0_u32.wrapping_sub(5_000))];

/// A handshake with a round trip of 10 ms in which an MSS is all that is agreed on.
pub(crate) const PLAIN: &str = "
    > S 0:0(0) win 10000 <mss 1000>
    +0.01 < S. 0:0(0) ack 1 win 60000 <mss 1000>
    > . 1:1(0) ack 1
    +0.01 quiet
    ";

/// The same with SACK.
pub(crate) const SACK: &str = "
    > S 0:0(0) win 10000 <mss 1000,sackOK>
    +0.01 < S. 0:0(0) ack 1 win 60000 <mss 1000,sackOK>
    > . 1:1(0) ack 1
    +0.01 quiet
    ";

/// The same with timestamps.
pub(crate) const STAMPED: &str = "
    > S 0:0(0) win 10000 <mss 1000,TS val 7 ecr 0>
    +0.01 < S. 0:0(0) ack 1 win 60000 <mss 1000,TS val 100 ecr 7>
    > . 1:1(0) ack 1 <TS val 17 ecr 100>
    +0.01 quiet
    ";

/// `kept(script)` and `broken(sentence, script)`: [`keeps`] and [`breaks`] of captures that all begin alike.
macro_rules! after {
    ($opening:literal) => {
        #[track_caller]
        fn kept(script: &str) {
            $crate::player::keeps(&format!("{}{script}", format_args!($opening)));
        }

        #[track_caller]
        fn broken(name: &str, script: &str) {
            $crate::player::breaks(name, &format!("{}{script}", format_args!($opening)));
        }
    };
}
pub(crate) use after;

struct Capture {
    judge: Option<Judge>,
    settings: Settings,
    now: Instant,
    windows: [u16; 2],
    /// Both ends: the host's and the peer's.
    ends: [SocketAddr; 2],
    content: u64,
    log: Vec<String>,
}

/// The findings about a capture, watched until 0.3 seconds after its last line or as `quiet` says.
///
/// # Panics
/// If a line cannot be read.
pub(crate) fn findings(script: &str) -> Findings {
    let settings = Settings {
        reaction: Duration::from_millis(1),
        calls_are_told: true,
        sees_all: true,
        ..Settings::default()
    };
    let ends = ["10.0.0.1:5000", "10.0.0.2:6000"].map(|end| end.parse().expect("an address"));
    let mut capture = Capture {
        judge: None,
        settings,
        now: START,
        windows: [10_000, 60_000],
        ends,
        content: 1,
        log: Vec::new(),
    };
    if let Err(failure) = play(script, &mut capture) {
        panic!("{failure}");
    }
    let end = capture.now + Duration::from_millis(300);
    capture.judge.expect("a capture with packets").finish(end)
}

/// Asserts that a capture breaks exactly one sentence.
#[track_caller]
pub(crate) fn breaks(name: &str, script: &str) {
    let findings = findings(script);
    let names: Vec<&str> = findings.counts.keys().copied().collect();
    assert_eq!(names, [name], "{:#?}", findings.verdicts);
}

/// Asserts that a capture breaks no sentence.
#[track_caller]
pub(crate) fn keeps(script: &str) {
    let findings = findings(script);
    assert!(findings.is_clean(), "{:#?}", findings.verdicts);
}

impl Capture {
    fn judge(&mut self) -> &mut Judge {
        let settings = self.settings.clone();
        self.judge.get_or_insert_with(|| Judge::new(settings))
    }

    /// A segment of the host (0) or of the peer (1), in bytes.
    fn bytes(&mut self, from: usize, packet: &Packet) -> Vec<u8> {
        let to = 1 - from;
        let window = packet.window.unwrap_or(self.windows[from]);
        self.windows[from] = window;
        let mut options = packet.options.unwrap_or_default();
        // What lies beside blocks, or in their place, stays.
        if !options.sack.is_empty() {
            let (blocks, counters) = (options.sack, options.accurate_ecn());
            options.sack = SackBlocks::EMPTY;
            for block in blocks.as_slice() {
                options.sack.push(SeqRange::new(block.start + ISN[to].0, block.end + ISN[to].0));
            }
            options.set_accurate_ecn(counters);
        }
        let has_ack = packet.flags.contains(Flags::ACK);
        let header = Header {
            source_port: self.ends[from].port(),
            destination_port: self.ends[to].port(),
            seq: ISN[from] + packet.seq.0,
            ack: if has_ack { packet.ack + ISN[to].0 } else { SeqNumber(0) },
            flags: packet.flags,
            window,
            urgent_pointer: packet.urgent.unwrap_or(0),
            options,
        };
        let ip = IpInfo {
            source: self.ends[from].ip().into(),
            destination: self.ends[to].ip().into(),
            hop_limit: 64,
            dscp: 0,
            ecn: packet.ecn.unwrap_or(Ecn::NotEct),
        };
        let mut payload = vec![0; packet.len as usize];
        let pattern = if from == 0 { std::mem::replace(&mut self.content, 1) } else { 2 };
        Pattern::new(pattern).fill(packet.seq.0.into(), &mut payload);
        let mut bytes = [0; MAX_HEADER];
        let len =
            write_packet_header(&mut bytes, &ip, &header, [&payload, &[]], WriteChecksum::Complete);
        [&bytes[..len], &payload].concat()
    }

    fn call(&mut self, words: &[&str]) -> Result<(), String> {
        let number = |text: &str| text.parse::<u64>().map_err(|error| error.to_string());
        let call = match *words {
            ["write", n] => Call::Write(number(n)?),
            ["urgent"] => Call::Urgent,
            ["read", n] => Call::Read(number(n)?),
            ["close"] => Call::Close,
            ["close", "both"] => Call::CloseBoth,
            ["abort"] => Call::Abort,
            ["user_timeout", n] => Call::UserTimeout(Duration::from_millis(number(n)?)),
            ["other", "bytes"] => {
                self.content = 3;
                return Ok(());
            }
            ["other", "port"] => {
                self.ends[1].set_port(self.ends[1].port() + 1);
                return Ok(());
            }
            ["nagle", rule] => {
                self.settings.nagle = Some(match rule {
                    "rfc896" => Nagle::Rfc896,
                    "minshall" => Nagle::Minshall,
                    _ => return Err(format!("no rule {rule}")),
                });
                return Ok(());
            }
            ["law", name] => {
                self.settings.law = match name {
                    "reno" => Law::Reno,
                    "cubic" => Law::Cubic,
                    "veno" => Law::Veno,
                    "bbr" => Law::Bbr,
                    "prague" => Law::Prague,
                    _ => return Err(format!("no law {name}")),
                };
                return Ok(());
            }
            ["set", name, n] => {
                let time = Duration::from_millis(number(n)?);
                match name {
                    "least_rto" => self.settings.least_rto = time,
                    "reaction" => self.settings.reaction = time,
                    "keepalive" => self.settings.keepalive = time,
                    "longest_wait" => self.settings.longest_wait = Some(time),
                    "answers_strangers" => self.settings.answers_strangers = number(n)? > 0,
                    "reports_duplicates" => self.settings.reports_duplicates = number(n)? > 0,
                    "initial_rto" => self.settings.initial_rto = time,
                    "initial_window" => self.settings.initial_window = number(n)? as u32,
                    "keeps_half_open" => self.settings.keeps_half_open = number(n)? > 0,
                    "waits_for_reordering" => {
                        self.settings.waits_for_reordering = number(n)? > 0;
                    }
                    "conserves_packets" => {
                        self.settings.conserves_packets = number(n)? > 0;
                    }
                    "heeds_partial_acks" => self.settings.heeds_partial_acks = number(n)? > 0,
                    "probes_path" => self.settings.probes_path = number(n)? > 0,
                    "goes_back" => self.settings.goes_back = number(n)? > 0,
                    "reassembly_ranges" => {
                        self.settings.reassembly_ranges = number(n)? as usize;
                    }
                    "segments_per_ack" => self.settings.segments_per_ack = number(n)? as u32,
                    _ => return Err(format!("no setting {name}")),
                }
                return Ok(());
            }
            _ => return Err(format!("no step {words:?}")),
        };
        let (now, ends) = (self.now, self.ends);
        self.judge().on_call(now, ends[0], ends[1], call);
        Ok(())
    }
}

impl Player for Capture {
    fn step(&mut self, when: When, step: &Step<'_>) -> Result<(), String> {
        self.now = match when {
            When::After(after) => self.now + after,
            When::At(time) => START + time,
        };
        let now = self.now;
        match step {
            Step::Sent(packet) => {
                let bytes = self.bytes(0, packet);
                self.judge().on_sent(now, &bytes);
            }
            Step::Arrives(packet) => {
                let bytes = self.bytes(1, packet);
                self.judge().on_received(now, &bytes);
            }
            Step::Quiet => self.judge().on_time(now),
            Step::Icmp(_) => return Err("no ICMP here".into()),
            Step::Call(call) => self.call(&call.split_whitespace().collect::<Vec<_>>())?,
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn packets(&self) -> &[String] {
        &self.log
    }
}

//! Peers by lot: each seed draws a packet script in which peer, routers and application do what is lawful and odd: segments
//! out of order, again, in parts, beyond the window or without a byte, windows that close, old acks, ICMP errors.
//!
//! What the stack sends in between decides nothing, so that the peer guesses what to acknowledge.

use crate::Outcome;
use crate::drawn::Lot;
use std::fmt::Write;

const SETTINGS: [&[&str]; 17] = [
    &["sack on", "sack on", "sack off"],
    &["timestamps on", "timestamps on", "timestamps off"],
    &["window_scaling on", "window_scaling off"],
    &["nagle minshall", "nagle rfc896", "nagle off"],
    &["law reno", "law cubic", "law bbr", "law veno", "law vegas"],
    &["recovery rack", "recovery rfc6675", "recovery newreno", "recovery reno"],
    &["ecn off", "ecn accept", "ecn request"],
    &["mss link", "mss 1000", "mss 536"],
    &["mtu 1500", "mtu 1500", "mtu 9000", "mtu 600"],
    &["send_buffer 262144", "send_buffer 3000"],
    &["receive_buffer 10000", "receive_buffer 2500", "receive_buffer 200000"],
    &["reassembly_ranges 64", "reassembly_ranges 4"],
    &["initial_window 10", "initial_window 1"],
    &["ack_policy delayed 0.04 0", "ack_policy delayed 0.2 4", "ack_policy every"],
    &["rto 1 0.2 60", "rto 1 1 60", "rto 3 0.3 3"],
    &["keepalive 7200 75 9", "keepalive 5 1 4"],
    &["user_timeout 500", "user_timeout 100"],
];

const GAPS: [&str; 10] = ["0", "0", "0.001", "0.005", "0.01", "0.02", "0.05", "0.3", "1.1", "4"];
const LENGTHS: [u32; 7] = [1_000, 1_000, 1_000, 536, 100, 1, 0];
const WINDOWS: [u32; 6] = [60_000, 60_000, 60_000, 4_000, 500, 0];
const ERRORS: [&str; 10] = [
    "net_unreachable",
    "host_unreachable",
    "protocol_unreachable",
    "port_unreachable",
    "frag_needed",
    "frag_needed",
    "source_route_failed",
    "admin_prohibited",
    "source_quench",
    "time_exceeded",
];

/// The peer of one script, and what its numbers are.
struct Peer {
    lot: Lot,
    script: String,
    timestamps: bool,
    sack: bool,
    /// Milliseconds since the script began.
    millis: u32,
    /// What the peer has sent, and of which it is the next byte; 1 is the first one.
    next: u32,
    /// What the peer has acknowledged, and what there was to acknowledge at most.
    acked: u32,
    written: u32,
    has_finished: bool,
    is_shut: bool,
}

/// Plays the peer of a seed to a stack.
pub(crate) fn play(seed: u64) -> Outcome {
    let script = script(seed);
    if std::env::var_os(crate::emulated::TRACE).is_some() {
        println!("{script}");
    }
    crate::play(&script)
}

/// The script of a seed.
fn script(seed: u64) -> String {
    let mut peer = Peer {
        lot: Lot::new(seed ^ 0x9ee7),
        script: String::new(),
        timestamps: false,
        sack: true,
        millis: 0,
        next: 1,
        acked: 1,
        written: 0,
        has_finished: false,
        is_shut: false,
    };
    peer.open();
    let steps = peer.lot.of(&[10, 25, 60]);
    for _ in 0..steps {
        peer.step();
    }
    if peer.lot.rarely(3) {
        peer.end();
    }
    peer.line("3", "quiet");
    peer.script
}

impl Peer {
    fn line(&mut self, gap: &str, step: &str) {
        let seconds: f64 = gap.parse().unwrap_or(0.0);
        self.millis += (seconds * 1e3) as u32;
        writeln!(self.script, "+{gap} {step}").expect("a string takes all");
    }

    fn open(&mut self) {
        for choices in SETTINGS {
            if self.lot.rarely(3) {
                let setting = self.lot.of(choices);
                self.timestamps |= setting == "timestamps on";
                self.sack &= setting != "sack off";
                writeln!(self.script, "set {setting}").expect("a string takes all");
            }
        }
        let opening = self.lot.of(&["established", "established passive"]);
        let window = self.lot.of(&WINDOWS[..5]);
        self.line("0", &format!("{opening} win {window}"));
        // The handshake takes a round trip of 10 ms.
        self.millis += 10;
    }

    fn step(&mut self) {
        let gap = self.lot.of(&GAPS);
        match self.lot.below(16) {
            0..=2 => self.write(gap),
            3..=6 => self.acknowledge(gap),
            7..=10 => self.send_text(gap),
            11 => self.read(gap),
            12 => self.send_oddly(gap),
            13 if self.lot.rarely(4) => self.fail(gap),
            14 if self.lot.rarely(4) => {
                self.line(gap, "cork on");
                self.line("0", "cork off");
            }
            15 if self.lot.rarely(6) => self.finish(gap),
            _ => self.line(gap, "quiet"),
        }
    }

    fn write(&mut self, gap: &str) {
        if self.is_shut {
            return;
        }
        let len = self.lot.of(&[1, 100, 999, 1_000, 2_500, 8_000]);
        let call = if self.lot.rarely(8) { "urgent" } else { "write" };
        self.line(gap, &format!("{call} {len}"));
        self.written += len;
    }

    fn read(&mut self, gap: &str) {
        let len = self.lot.of(&[1, 100, 536, 1_000, 1_000, 2_000, 3_000]);
        self.line(gap, &format!("read {len}"));
    }

    /// Options as the peer writes them; `blocks` are SACK blocks.
    fn options(&mut self, blocks: &[(u32, u32)]) -> String {
        let mut options = Vec::new();
        if self.timestamps {
            // Our clock read 1000 when the script began; the peer's has grains of 1 ms too.
            let value =
                100 + self.millis - if self.lot.rarely(12) { 200.min(self.millis) } else { 0 };
            let back = self.lot.of(&[0, 10, 20, 60]).min(self.millis);
            options.push(format!("TS val {value} ecr {}", 1_000 + self.millis - back));
        }
        if self.sack && !blocks.is_empty() {
            let blocks: Vec<_> = blocks.iter().map(|(from, to)| format!("{from}:{to}")).collect();
            options.push(format!("sack {}", blocks.join(" ")));
        }
        if options.is_empty() { String::new() } else { format!(" <{}>", options.join(", ")) }
    }

    fn acknowledge(&mut self, gap: &str) {
        let left = (self.written + 1 + u32::from(self.is_shut)).saturating_sub(self.acked);
        let advance = self.lot.of(&[0, 0, 1_000, 1_000, 2_000, 3_000, 500, 1, u32::MAX]).min(left);
        self.acked += advance;
        let ack = match self.lot.below(20) {
            0 => self.acked.saturating_sub(1_000).max(1),
            1 => self.written + 5_000,
            _ => self.acked,
        };
        let mut blocks = Vec::new();
        while self.lot.rarely(3) && blocks.len() < 3 {
            let from = self.acked + 1_000 * (1 + self.lot.below(6) as u32);
            let block = (from, from + self.lot.of(&[1_000, 1_000, 2_000, 300]));
            blocks.extend((block.1 <= self.written + 1).then_some(block));
        }
        if self.lot.rarely(8) && self.acked > 1_001 {
            blocks.insert(0, (self.acked - 1_000, self.acked));
        }
        let options = self.options(&blocks);
        let window = match self.lot.rarely(5) {
            true => format!(" win {}", self.lot.of(&WINDOWS)),
            false => String::new(),
        };
        let flags = self.lot.of(&[".", ".", ".", ".", ".", ".", "E."]);
        let seq = self.next;
        self.line(gap, &format!("< {flags} {seq}:{seq}(0) ack {ack}{window}{options}"));
    }

    fn send_text(&mut self, gap: &str) {
        let len = self.lot.of(&LENGTHS);
        let (next, far) = (self.next, 1_000 * (1 + self.lot.below(5) as u32));
        let seq = match self.lot.below(10) {
            0..=5 => next,
            // A hole, what came before, in whole or in part, and what no window takes.
            6..=7 => next + far,
            8 => next.saturating_sub(far).max(1),
            9 if self.lot.rarely(3) => next + 300_000,
            _ => next.saturating_sub(self.lot.of(&[1, 300, 700])).max(1),
        };
        if self.has_finished && seq + len > next {
            return;
        }
        self.text(gap, seq, len, "");
        if seq <= next {
            self.next = next.max(seq + len);
        }
    }

    fn text(&mut self, gap: &str, seq: u32, len: u32, more: &str) {
        let mark = self.lot.of(&["", "", "", "[ect0] ", "[ce] "]);
        let push = self.lot.of(&["", "P"]);
        let urgent = match self.lot.rarely(12) && len > 0 {
            true => ("U", format!(" urg {}", self.lot.of(&[1, len, len + 500]))),
            false => ("", String::new()),
        };
        let options = self.options(&[]);
        let (end, ack) = (seq + len, self.acked);
        let flags = format!("{more}{push}{}.", urgent.0);
        self.line(
            gap,
            &format!("< {mark}{flags} {seq}:{end}({len}) ack {ack}{}{options}", urgent.1),
        );
    }

    /// Segments that no connection needs.
    fn send_oddly(&mut self, gap: &str) {
        let (next, ack) = (self.next, self.acked);
        let seq = next + self.lot.of(&[1, 700, 2_000, 400_000]);
        let options = self.options(&[]);
        let segment = match self.lot.below(6) {
            0 => format!("R. {seq}:{seq}(0) ack {ack}"),
            1 => format!("R {seq}:{seq}(0)"),
            2 => format!("S {seq}:{seq}(0)"),
            3 => format!("S. 0:0(0) ack 1{options}"),
            4 => format!("- {next}:{}(100)", next + 100),
            _ => format!(". {}:{}(1) ack {ack}{options}", next.saturating_sub(1), next.max(1)),
        };
        self.line(gap, &format!("< {segment}"));
    }

    fn fail(&mut self, gap: &str) {
        let name = self.lot.of(&ERRORS);
        let mtu = match name {
            "frag_needed" => format!(" mtu {}", self.lot.of(&[1_400, 900, 576, 296, 0])),
            _ => String::new(),
        };
        let about = self.acked;
        self.line(gap, &format!("icmp {name} {about}{mtu}"));
    }

    fn finish(&mut self, gap: &str) {
        if self.lot.rarely(2) && !self.has_finished {
            let (seq, len) = (self.next, self.lot.of(&[0, 0, 500]));
            self.text(gap, seq, len, "F");
            self.has_finished = true;
            self.next += len + 1;
        } else {
            let call = self.lot.of(&["shutdown", "shutdown", "close"]);
            self.line(gap, call);
            self.is_shut = true;
        }
    }

    /// The connection ends in one way or another.
    fn end(&mut self) {
        let gap = self.lot.of(&GAPS);
        let seq = self.next;
        match self.lot.below(4) {
            0 => self.line(gap, &format!("< R {seq}:{seq}(0)")),
            1 => self.line(gap, "abort"),
            _ => {
                self.line(gap, "shutdown");
                self.is_shut = true;
                let all = self.written + 2;
                let options = self.options(&[]);
                self.line("0.01", &format!("< . {seq}:{seq}(0) ack {all}{options}"));
                if !self.has_finished {
                    self.line("0.01", &format!("< F. {seq}:{seq}(0) ack {all}{options}"));
                }
                self.line("0.01", "read end");
                self.line("0", "close");
                self.line("1", &format!("< F. {seq}:{seq}(0) ack {all}{options}"));
                self.line("70", &format!("< . {seq}:{seq}(0) ack {all}{options}"));
            }
        }
    }
}

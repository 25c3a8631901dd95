//! What is known of a connection after some lines of a random script, and what segments mean then.

use crate::steps::split;
use ackclock::wire::Flags;
use ackclock_testkit::script::{Packet, Step, When};
use std::collections::BTreeMap;

/// What Linux takes for the peer's largest segment before any has come (TCP_MSS_DEFAULT), and the shortest that it looks
/// at (TCP_MIN_MSS).
const USUAL_SEGMENT: i64 = 536;
const SHORT_SEGMENT: i64 = 88;
/// Seconds by which Linux delays acks at least (TCP_DELACK_MIN), less two ticks of its timers. What it sends at once comes sooner.
const DELAY: f64 = 0.030;
/// Milliseconds after which what is sent is a timer's.
const TIMER: u64 = 2;
/// The peer's window before it tells another.
const FIRST_WINDOW: u16 = 60_000;

/// Both streams after some lines. Numbers are as scripts write them.
#[derive(Clone, Debug)]
pub(super) struct History {
    /// What was done last.
    pub(super) done: String,
    /// The peer's stream: the next number, ranges behind a hole, and where its FIN is, if one came.
    next: i64,
    ahead: BTreeMap<i64, i64>,
    fin: Option<i64>,
    /// The last ack that was sent.
    told: i64,
    /// Our stream: what is acknowledged, and the next number.
    acked: i64,
    sent: i64,
    /// The peer's window, the one that Linux has taken (`tcp_may_update_window`), and from which number on it takes others.
    window: u16,
    linux_window: u16,
    window_from: i64,
    /// Segments of ours that are not acknowledged, and whether the last ack ended inside one.
    flight: Vec<(i64, i64)>,
    ended_inside: bool,
    /// The end of what was in flight when something was sent again, or by a timer.
    probed: i64,
    /// Whether the last write had MSG_MORE, and TCP_CORK is set.
    is_unfinished: bool,
    /// How much was written in all, and by the last write with MSG_MORE.
    written: i64,
    unfinished: i64,
    /// Whether a RST came with the number that resets.
    is_reset: bool,
    /// Whether `shutdown` has ended reading.
    is_deaf: bool,
    is_corked: bool,
    /// Whether something was written with MSG_EOR while it was set.
    has_record: bool,
    /// Whether a delayed ack was due.
    was_due: bool,
    /// Whether data came that had come before, or the socket had told of a hole.
    had_old: bool,
    /// What Linux takes for the peer's largest segment, and the last shorter one.
    segment: i64,
    shorter: i64,
}

/// Whether the kernel has waited with an ack for as long as it delays them, before the last packet.
fn was_due(packets: &[String]) -> bool {
    // When the first data came that no ack had told of.
    let mut came: Option<f64> = None;
    let earlier = packets.split_last().map_or(&[][..], |(_, earlier)| earlier);
    earlier.iter().any(|packet| {
        let Some((time, what)) = packet.split_once(' ') else { return false };
        let Ok(time) = time.parse::<f64>() else { return false };
        let is_empty = what.contains("(0) ");
        if what.starts_with("< F") || what.starts_with('<') && !is_empty {
            came.get_or_insert(time);
        }
        let was = if what.starts_with('>') { came.take() } else { None };
        is_empty && was.is_some_and(|came| time - came >= DELAY)
    })
}

fn number(seq: ackclock::seq::SeqNumber) -> i64 {
    i64::from(seq.0 as i32)
}

impl History {
    /// What the first lines of a script lead to; `packets` are those that passed on the kernel, with their times.
    pub(super) fn after<'l>(lines: impl Iterator<Item = &'l str>, packets: &[String]) -> Self {
        let mut history = History {
            done: String::new(),
            next: 1,
            ahead: BTreeMap::new(),
            fin: None,
            told: 1,
            acked: 1,
            sent: 1,
            window: FIRST_WINDOW,
            linux_window: FIRST_WINDOW,
            window_from: 1,
            flight: Vec::new(),
            ended_inside: false,
            probed: 1,
            is_unfinished: false,
            written: 0,
            unfinished: 0,
            is_reset: false,
            is_deaf: false,
            is_corked: false,
            has_record: false,
            was_due: was_due(packets),
            had_old: false,
            segment: USUAL_SEGMENT,
            shorter: 0,
        };
        for line in lines {
            match Step::parse(line) {
                Ok((_, Step::Arrives(packet))) => {
                    history.done = history.name_arrived(&packet);
                    history.arrived(&packet);
                }
                Ok((when, Step::Sent(packet))) => {
                    let waited = match when {
                        When::After(time) | When::At(time) => time.as_millis(),
                    };
                    history.sent(&packet, waited);
                }
                Ok((_, Step::Call(call))) => history.called(call),
                _ => {}
            }
        }
        history
    }

    fn called(&mut self, line: &str) {
        let (call, answer) = split(line);
        let words: Vec<&str> = call.split(' ').collect();
        self.done = words[0].into();
        match words[..] {
            ["write", _, n, ..] => {
                self.is_unfinished = words.last() == Some(&"more");
                self.has_record |= words.last() == Some(&"eor");
                self.written += answer.unwrap_or(n).parse().unwrap_or(0);
                if self.is_unfinished {
                    self.unfinished = self.written;
                }
            }
            ["set", _, "TCP_CORK", on] => {
                self.is_corked = on == "1";
                self.has_record = false;
            }
            ["shutdown", _, "rd"] => self.is_deaf = true,
            _ => {}
        }
    }

    /// What may matter of what has come and gone.
    pub(super) fn marks(&self) -> Vec<&'static str> {
        let marks = [
            ("FIN", self.fin_is_taken()),
            ("hole", !self.ahead.is_empty()),
            ("win 0", self.window == 0 || self.linux_window == 0),
            ("win less", self.window > 0 && self.window < self.linux_window),
            ("inside", self.ended_inside),
            ("probed", self.acked < self.probed),
            ("MORE", self.is_unfinished || self.acked <= self.unfinished),
            ("cork", self.is_corked),
            ("EOR", self.is_corked && self.has_record),
            ("unacked", self.next > self.told),
            ("full", self.next - self.told > self.segment),
            ("reset", self.is_reset),
            ("deaf", self.is_deaf),
            ("was due", self.was_due),
            ("old", self.had_old),
        ];
        marks.iter().filter(|(_, is)| *is).map(|(mark, _)| *mark).collect()
    }

    fn fin_is_taken(&self) -> bool {
        self.fin.is_some_and(|fin| fin < self.next)
    }

    /// What a segment of the peer's is.
    fn name_arrived(&self, packet: &Packet) -> String {
        let (seq, len) = (number(packet.seq), i64::from(packet.len));
        let end = seq + len;
        let is = |flag| packet.flags.contains(flag);
        let name = if is(Flags::RST) {
            "< RST"
        } else if is(Flags::SYN) {
            "< SYN"
        } else if !is(Flags::ACK) {
            "< no ACK"
        } else if is(Flags::FIN) {
            match () {
                () if self.fin_is_taken() && end >= self.next => "< data behind FIN",
                () if end < self.next => "< FIN again",
                () if seq <= self.next => "< FIN",
                () => "< FIN ahead",
            }
        } else if len > 0 {
            match () {
                () if self.fin_is_taken() && end >= self.next => "< data behind FIN",
                () if end <= self.next => "< old data",
                () if seq < self.next => "< data partly old",
                () if seq == self.next => "< data",
                () => "< data ahead",
            }
        } else if seq != self.next {
            if seq < self.next { "< old number" } else { "< number ahead" }
        } else {
            match number(packet.ack) {
                ack if ack > self.sent => "< ack of more",
                ack if ack > self.acked => "< ack",
                _ => "< ack again",
            }
        };
        name.into()
    }

    fn arrived(&mut self, packet: &Packet) {
        let is = |flag| packet.flags.contains(flag);
        self.is_reset |= is(Flags::RST) && number(packet.seq) == self.next;
        if is(Flags::RST) || is(Flags::SYN) || !is(Flags::ACK) {
            return;
        }
        let (seq, len) = (number(packet.seq), i64::from(packet.len));
        let mut end = seq + len;
        let ack = number(packet.ack);
        // Nothing of such a segment is taken.
        if ack > self.sent {
            return;
        }
        let window = packet.window.unwrap_or(self.window);
        let is_later = ack > self.acked || seq > self.window_from;
        if is_later || seq == self.window_from && (window > self.linux_window || window == 0) {
            (self.linux_window, self.window_from) = (window, seq);
        }
        self.window = window;
        if ack > self.acked {
            self.acked = ack;
            self.flight.retain(|(_, end)| *end > ack);
            self.ended_inside = self.flight.iter().any(|(first, _)| *first < ack);
        }
        self.had_old |= len > 0 && seq < self.next;
        self.measure(len, is(Flags::PSH));
        if is(Flags::FIN) {
            self.fin.get_or_insert(end);
            end += 1;
        }
        if end > seq && !self.fin_is_taken() {
            let range = self.ahead.entry(seq).or_default();
            *range = end.max(*range);
        }
        while let Some((&first, &last)) =
            self.ahead.first_key_value().filter(|(it, _)| **it <= self.next)
        {
            self.next = self.next.max(last);
            self.ahead.remove(&first);
        }
    }

    /// What Linux learns of the peer's segments (`tcp_measure_rcv_mss`).
    fn measure(&mut self, len: i64, is_pushed: bool) {
        let before = std::mem::take(&mut self.shorter);
        if len >= self.segment {
            self.segment = len;
        } else if len >= USUAL_SEGMENT || len >= SHORT_SEGMENT && !is_pushed {
            self.shorter = len;
            if len == before {
                self.segment = len;
            }
        }
    }

    /// What a segment of ours is.
    pub(super) fn name_sent(&self, packet: &Packet) -> &'static str {
        let (seq, len) = (number(packet.seq), i64::from(packet.len));
        let is = |flag| packet.flags.contains(flag);
        match () {
            () if is(Flags::RST) => "RST",
            () if is(Flags::SYN) => "SYN-ACK",
            () if is(Flags::FIN) && seq + len < self.sent => "FIN again",
            () if is(Flags::FIN) => "FIN",
            () if len > 0 && seq + len <= self.sent => "data again",
            () if len > 0 => "data",
            () if seq < self.acked => "probe",
            () if number(packet.ack) > self.told => "ack",
            () => "ack again",
        }
    }

    fn sent(&mut self, packet: &Packet, waited: u64) {
        let is = |flag| packet.flags.contains(flag);
        if is(Flags::RST) || is(Flags::SYN) {
            return;
        }
        let end = number(packet.seq) + i64::from(packet.len) + i64::from(is(Flags::FIN));
        if end > number(packet.seq) {
            let is_again = end <= self.sent;
            if is_again || waited >= TIMER {
                self.probed = self.sent.max(end);
            }
            self.flight.push((number(packet.seq), end));
        }
        self.sent = self.sent.max(end);
        self.told = self.told.max(number(packet.ack));
    }
}

//! Why a segment was sent, from what changed at its sender in that instant.

use crate::watch::span;
use ackclock::tcp::Info;
use ackclock::time::{Duration, Instant};
use ackclock::wire::Flags;

/// Why a segment was sent; the number beside it says more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Reason {
    #[default]
    Unknown,
    Syn,
    SynAck,
    SynAgain,
    HandshakeAck,
    AckClocked,
    WindowOpen,
    Written,
    Paced,
    LimitedTransmit,
    NewInRecovery,
    TailProbe,
    WindowProbe,
    FastRetransmit,
    InRecovery,
    LateInOrder,
    Timeout,
    AfterTimeout,
    Fin,
    Reset,
    AckAtOnce,
    AckSecond,
    AckTimer,
    AckDuplicate,
    AckOld,
    AckGapFilled,
    AckOfFin,
    WindowUpdate,
}

/// Of each reason a short name, and a sentence in which `{}` is the number.
const WORDS: [(Reason, &str, &str); 28] = [
    (Reason::Unknown, "control", "It answers what arrived."),
    (Reason::Syn, "SYN", "The application opened the connection."),
    (Reason::SynAck, "SYN-ACK", "It answers the SYN that arrived."),
    (Reason::SynAgain, "SYN again", "Nobody answered, and the handshake's timer ran out."),
    (Reason::HandshakeAck, "handshake ack", "It ends the handshake."),
    (
        Reason::AckClocked,
        "new data",
        "An ack for {} bytes arrived and let the window move: the ack clock.",
    ),
    (Reason::WindowOpen, "new data", "The receiver opened its window."),
    (
        Reason::Written,
        "new data",
        "The window of {} bytes had room for what the application wrote.",
    ),
    (Reason::Paced, "new data, paced", "It was its turn at a pace of {} kB/s."),
    (
        Reason::LimitedTransmit,
        "limited transmit",
        "An early duplicate ack shows that a packet has left (RFC 3042).",
    ),
    (
        Reason::NewInRecovery,
        "new data in recovery",
        "Something is being repaired, and the acks say that there is room for more.",
    ),
    (
        Reason::TailProbe,
        "tail loss probe",
        "No ack came for two round trips: a probe before the timeout (RFC 8985).",
    ),
    (Reason::WindowProbe, "window probe", "The receiver's window is closed: is it still?"),
    (
        Reason::FastRetransmit,
        "fast retransmit",
        "What arrived shows that it was lost (duplicate acks so far: {}). Recovery begins.",
    ),
    (
        Reason::InRecovery,
        "retransmission in recovery",
        "It counts as lost too, and there is room for it.",
    ),
    (
        Reason::LateInOrder,
        "retransmission by time",
        "Later packets have arrived, and the wait for it is over (RACK).",
    ),
    (Reason::Timeout, "timeout", "The retransmission timer of {} ms ran out."),
    (
        Reason::AfterTimeout,
        "after a timeout",
        "It was under way when the timer ran out, and is sent again.",
    ),
    (Reason::Fin, "FIN", "The application has no more to send."),
    (Reason::Reset, "RST", "It ends the connection at once."),
    (Reason::AckAtOnce, "ack", "A segment arrived in order and is acknowledged at once."),
    (Reason::AckSecond, "ack of several", "{} segments have arrived since the last ack."),
    (Reason::AckTimer, "delayed ack", "A segment waited {} ms for another; none came in time."),
    (Reason::AckDuplicate, "duplicate ack", "A segment arrived out of order: a hole is before it."),
    (Reason::AckOld, "ack of a copy", "What arrived was there already; the ack says so."),
    (Reason::AckGapFilled, "ack, gap filled", "A segment arrived that had been missing."),
    (Reason::AckOfFin, "ack of FIN", "The other end has no more to send."),
    (
        Reason::WindowUpdate,
        "window update",
        "The application has read, and there is room for {} bytes.",
    ),
];

impl Reason {
    /// A short name, and a sentence in which `{}` is the number.
    pub(crate) fn words(self) -> (&'static str, &'static str) {
        let words = WORDS.iter().find(|(reason, ..)| *reason == self);
        words.map_or(("", ""), |(_, name, sentence)| (name, sentence))
    }
}

/// A segment that is to be explained. Sequence numbers count from the SYN's as 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub(crate) flags: Flags,
    pub(crate) seq: u32,
    pub(crate) payload: u32,
    /// SEG.ACK, and the window field.
    pub(crate) ack: u32,
    pub(crate) window: u16,
}

/// What has arrived at an end since the last look.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arrivals {
    pub(crate) segments: u32,
    pub(crate) with_payload: u32,
    pub(crate) syn: bool,
    pub(crate) fin: bool,
}

/// What an end remembers of what it has sent and received.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Memory {
    /// The sequence number after the highest that was sent.
    pub(crate) next: u32,
    /// Ack and window of the last segment.
    pub(crate) told: Option<(u32, u16)>,
    /// Segments with payload that arrived since, and when the first did.
    pub(crate) unacknowledged: u32,
    pub(crate) since: Option<Instant>,
    /// What was under way when the timer ran out ends here.
    pub(crate) timed_out_until: u32,
    /// Duplicate acks in a row.
    pub(crate) duplicates: u32,
}

/// An instant at one end: what arrived, and the connection before and after. Counters of what has been
/// explained are taken from `before` up to those of `after`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) now: Instant,
    pub(crate) arrivals: Arrivals,
    pub(crate) before: Info,
    pub(crate) after: Info,
}

fn milliseconds(duration: Duration) -> u32 {
    (span(duration) * 1e3).round() as u32
}

impl Moment {
    /// Why a segment was sent, and the number that belongs to it.
    pub(crate) fn explain(&mut self, memory: &mut Memory, segment: &Segment) -> (Reason, u32) {
        let flags = segment.flags;
        if flags.contains(Flags::RST) {
            return (Reason::Reset, 0);
        }
        if flags.contains(Flags::SYN) {
            let again = memory.next > 0;
            memory.next = 1;
            return match flags.contains(Flags::ACK) {
                _ if again => (Reason::SynAgain, 0),
                true => (Reason::SynAck, 0),
                false => (Reason::Syn, 0),
            };
        }
        let end = segment.seq + segment.payload + u32::from(flags.contains(Flags::FIN));
        let explained = if end == segment.seq {
            self.explain_ack(memory, segment)
        } else if segment.seq >= memory.next {
            self.explain_new(memory, segment)
        } else {
            self.explain_again(memory, segment)
        };
        memory.next = memory.next.max(end);
        memory.told = Some((segment.ack, segment.window));
        (memory.unacknowledged, memory.since) = (0, None);
        explained
    }

    /// Whether a counter has grown beyond what was explained; then one more is.
    fn one_of(&mut self, counter: impl Fn(&mut Info) -> &mut u64) -> bool {
        let now = *counter(&mut self.after);
        let explained = counter(&mut self.before);
        let grew = now > *explained;
        *explained = now.min(*explained + 1);
        grew
    }

    fn explain_new(&mut self, memory: &Memory, segment: &Segment) -> (Reason, u32) {
        if self.one_of(|info| &mut info.probes_sent) {
            return (Reason::WindowProbe, 0);
        }
        if self.one_of(|info| &mut info.tail_probes) {
            return (Reason::TailProbe, 0);
        }
        if segment.payload == 0 {
            return (Reason::Fin, 0);
        }
        let acknowledged = self.after.bytes_acked - self.before.bytes_acked;
        if self.after.in_recovery {
            return (Reason::NewInRecovery, 0);
        }
        if acknowledged > 0 {
            return (Reason::AckClocked, acknowledged as u32);
        }
        if memory.duplicates > 0 && self.arrivals.segments > 0 {
            return (Reason::LimitedTransmit, 0);
        }
        if self.before.send_window < self.after.send_window && !self.arrivals.syn {
            return (Reason::WindowOpen, 0);
        }
        match self.after.pacing_rate {
            Some(rate) if memory.next > 1 => (Reason::Paced, (rate / 1000) as u32),
            _ => (Reason::Written, self.after.cwnd),
        }
    }

    fn explain_again(&mut self, memory: &mut Memory, segment: &Segment) -> (Reason, u32) {
        if self.one_of(|info| &mut info.timeouts) {
            memory.timed_out_until = memory.next;
            return (Reason::Timeout, milliseconds(self.before.rto));
        }
        if self.one_of(|info| &mut info.probes_sent) {
            return (Reason::WindowProbe, 0);
        }
        if self.one_of(|info| &mut info.tail_probes) {
            return (Reason::TailProbe, 0);
        }
        if segment.seq < memory.timed_out_until {
            return (Reason::AfterTimeout, 0);
        }
        let began = self.one_of(|info| &mut info.fast_recoveries);
        match self.arrivals.segments {
            0 => (Reason::LateInOrder, 0),
            _ if began || !self.before.in_recovery => (Reason::FastRetransmit, memory.duplicates),
            _ => (Reason::InRecovery, 0),
        }
    }

    fn explain_ack(&mut self, memory: &Memory, segment: &Segment) -> (Reason, u32) {
        let Moment { arrivals, before, after, now } = self;
        if arrivals.syn {
            return (Reason::HandshakeAck, 0);
        }
        if arrivals.fin && after.out_of_order == 0 {
            return (Reason::AckOfFin, 0);
        }
        if arrivals.with_payload == 0 {
            return match (memory.since, memory.told) {
                (Some(since), _) => (Reason::AckTimer, milliseconds(now.saturating_since(since))),
                (None, Some((ack, window))) if ack == segment.ack && window != segment.window => {
                    (Reason::WindowUpdate, after.receive_window)
                }
                _ => (Reason::Unknown, 0),
            };
        }
        if after.out_of_order > before.out_of_order {
            return (Reason::AckDuplicate, 0);
        }
        if before.out_of_order > 0 && after.bytes_received > before.bytes_received {
            return (Reason::AckGapFilled, 0);
        }
        if after.bytes_received == before.bytes_received {
            return (Reason::AckOld, 0);
        }
        match memory.unacknowledged {
            0 | 1 => (Reason::AckAtOnce, 0),
            several => (Reason::AckSecond, several),
        }
    }
}

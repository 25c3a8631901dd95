//! The window that the peer offers: nothing new goes beyond it, and small segments do not nibble at it.

use crate::facts::Facts;
use crate::segment::{Offset, Seen};
use crate::sentence::Sentence;
use crate::settings::Nagle;
use crate::verdict::Docket;
use ackclock::time::{Duration, Instant};
use ackclock::wire::Flags;

pub(crate) static BEYOND_WINDOW: Sentence = Sentence::must(
    "beyond-window",
    5681,
    "3.1",
    "At any given time, a TCP MUST NOT send data with a sequence number higher than the sum of the highest \
     acknowledged sequence number and the minimum of cwnd and rwnd.",
);
pub(crate) static WINDOW_SHRUNK: Sentence = Sentence::should(
    "beyond-shrunk-window",
    9293,
    "3.8.6",
    "If this happens, the sender SHOULD NOT send new data (SHLD-15)",
);
pub(crate) static SILLY_WINDOW: Sentence = Sentence::must(
    "silly-window",
    9293,
    "3.8.6.2.1",
    "A TCP implementation MUST include a SWS avoidance algorithm in the sender (MUST-38).",
);
pub(crate) static NAGLE: Sentence = Sentence::should(
    "nagle",
    9293,
    "3.7.4",
    "If there is unacknowledged data (i.e., SND.NXT > SND.UNA), then the sending TCP endpoint buffers all user \
     data (regardless of the PSH bit) until the outstanding data has been acknowledged or until the TCP \
     endpoint can send a full-sized segment (Eff.snd.MSS bytes).",
);

pub(crate) static PUSH: Sentence = Sentence::must(
    "push-missing",
    9293,
    "3.9.1.2",
    "A TCP endpoint MAY implement PUSH flags on SEND calls (MAY-15). If PUSH flags are not implemented, then the \
     sending TCP peer: (1) MUST NOT buffer data indefinitely (MUST-60), and (2) MUST set the PSH bit in the last \
     buffered segment (i.e., when there is no more queued data to be sent) (MUST-61).",
);

/// The least override timeout (RFC 9293 section 3.8.6.2.1).
const OVERRIDE: Duration = Duration::from_millis(100);

/// A segment of so many bytes of payload and options fits every path (RFC 9293 section 3.7.1).
const LEAST_FULL: Offset = 536;
/// The same of a host that searches its path, whose least size is for the host to choose (RFC 4821 section 7.2): 552 bytes are
/// Linux's `min_pmtu`. Of this stack alone is told that it
/// searches, and it does not halve that after timeouts, as section 7.7 lets a host do.
const LEAST_FOUND: Offset = 512;
/// The first with its headers.
const LEAST_PACKET: Offset = LEAST_FULL + 40;

/// What lets the end of the data go, beside the windows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tail {
    /// What the application has written and the host not sent after this segment; `None` if that is not known.
    pub(crate) unsent: Option<Offset>,
    /// The application has closed.
    pub(crate) is_closing: bool,
    /// The time for a probe of the tail has come (RFC 8985 section 7.3).
    pub(crate) is_probed: bool,
}

/// The offered window.
#[derive(Clone, Debug, Default)]
pub(crate) struct Window {
    /// The furthest edge that any segment told.
    furthest: Offset,
    /// SND.UNA + SND.WND at most, by the segments that certainly counted; SND.WL1 and SND.WL2.
    edge: Offset,
    from: (Offset, Offset),
    /// The latest of those of any segment that may have counted.
    perhaps_from: (Offset, Offset),
    /// The latest of them for a host that orders segments by their acks first: SND.WL2 and SND.WL1.
    by_ack: (Offset, Offset),
    /// When `edge` moved left for the last time.
    shrunk: Instant,
    /// Whether it left no room for a full segment before.
    was_small: bool,
    /// When the window became zero; `None` while it is open.
    pub(crate) closed: Option<Instant>,
    /// Since when each segment told that it is, whether it counted or not, and when one told last that it is no more.
    perhaps_closed: Option<Instant>,
    reopened: Instant,
    /// Where the window ended when the peer took back last what it had told, with more sent by then, and when that was.
    taken_back: Option<(Offset, Instant)>,
    /// Payload and options of the largest segment.
    largest: Offset,
    /// By how much the path has become narrower than every path should be.
    narrow: Offset,
    /// Where the last small segment ended.
    small: Offset,
    last_data: Instant,
}

impl Window {
    /// Takes the windows that the peer's SYN told.
    fn begin(&mut self, facts: &Facts) {
        if self.furthest == 0
            && let Some(peer) = facts.peer_syn
        {
            self.furthest = 1 + Offset::from(peer.window);
            self.edge = self.furthest;
        }
    }

    /// The path has become narrow: what is a full segment shows anew.
    pub(crate) fn on_too_big(&mut self, mtu: u32) {
        self.largest = 0;
        // A router that tells none leaves the host to guess (RFC 1191 section 5).
        self.narrow = self.narrow.max(LEAST_PACKET - Offset::from(mtu));
    }

    /// A segment whose ack is acceptable has reached the host; `certain` if it counts for every host.
    pub(crate) fn on_received(
        &mut self,
        seen: &Seen<'_>,
        ack: Offset,
        facts: &Facts,
        certain: bool,
    ) {
        self.begin(facts);
        let edge = ack + facts.peer_window(seen);
        if edge <= ack {
            self.perhaps_closed.get_or_insert(seen.time);
        } else if self.perhaps_closed.take().is_some() {
            self.reopened = seen.time;
        }
        let (seq, told) = self.from;
        let counts = seq < seen.seq || seq == seen.seq && told <= ack;
        let may_count = (ack, seen.seq) >= self.by_ack;
        self.by_ack = self.by_ack.max((ack, seen.seq));
        if !counts && !may_count && ack <= facts.acked {
            // RFC 9293 section 3.10.7.4: old segments do not update the window.
            return;
        }
        self.furthest = self.furthest.max(edge);
        if edge < facts.sent && ack >= facts.acked {
            self.taken_back = Some((edge, seen.time));
        }
        // A host may have taken the window of a segment that others hold back for what is missing before it.
        let is_latest = (seen.seq, ack) >= self.perhaps_from;
        self.perhaps_from = self.perhaps_from.max((seen.seq, ack));
        if certain && counts && is_latest && ack >= facts.acked {
            if edge < self.edge {
                self.shrunk = seen.time;
                self.was_small = self.edge - facts.sent < facts.peer_mss();
            }
            self.edge = edge;
            self.from = (seen.seq, ack);
            if edge > ack {
                self.closed = None;
            } else {
                self.closed.get_or_insert(seen.time);
            }
        } else if edge > self.edge {
            // It may count.
            self.edge = edge;
            self.closed = None;
        }
    }

    /// Whether the window closed because the peer took back the little that it had told: a host that held data back for it
    /// may have its timer running since then (RFC 9293 section 3.8.6.2.1, the override timeout).
    pub(crate) fn was_taken_back(&self) -> bool {
        self.was_small && self.closed == Some(self.shrunk)
    }

    /// Since when the host may take the window for closed.
    pub(crate) fn perhaps_closed(&self) -> Option<Instant> {
        self.perhaps_closed
    }

    /// When the window was closed last, or had been until then, by any segment: a timer may have begun anew.
    pub(crate) fn turned(&self) -> Instant {
        self.perhaps_closed.unwrap_or(self.reopened)
    }

    /// Whether what goes up to `end`, and was sent last at `last`, was beyond the window when the peer took that back:
    /// "the sender SHOULD NOT send new data (SHLD-15), but SHOULD retransmit normally the old unacknowledged data" (RFC
    /// 9293 section 3.8.6), which the peer need not have kept.
    pub(crate) fn was_beyond(&self, end: Offset, last: Instant) -> bool {
        self.taken_back.is_some_and(|(edge, at)| end > edge && last <= at)
    }

    /// What of the window is left.
    pub(crate) fn usable(&self, facts: &Facts) -> Offset {
        self.edge.max(self.furthest) - facts.sent
    }

    /// Whether a segment that begins here and is new is one that probes a closed window.
    pub(crate) fn is_probe(&mut self, seen: &Seen<'_>, facts: &Facts) -> bool {
        self.begin(facts);
        seen.payload_len() <= 1 && seen.text() >= self.edge
    }

    /// Payload and options of a segment that is certainly full.
    fn full_size(&self, facts: &Facts) -> Offset {
        if facts.settings.probes_path {
            return facts.peer_mss().min(LEAST_FOUND - self.narrow);
        }
        self.largest.max(facts.peer_mss().min(LEAST_FULL - self.narrow))
    }

    /// Up to where what was sent has to be acknowledged before a small segment may go.
    fn awaited(&self, facts: &Facts) -> Option<Offset> {
        let end = match facts.settings.nagle? {
            Nagle::Off => return None,
            Nagle::Rfc896 => facts.sent,
            Nagle::Minshall => self.small,
        };
        (end > facts.acked).then_some(end)
    }

    /// The host has sent data that is new. Returns whether only a probe of the tail may have sent it.
    pub(crate) fn on_new_data(
        &mut self,
        seen: &Seen<'_>,
        facts: &Facts,
        tail: Tail,
        docket: &mut Docket<'_>,
    ) -> bool {
        self.begin(facts);
        let unsent = tail.unsent;
        let mut probes_tail = false;
        let (time, number) = (seen.time, seen.number);
        let quiet = time.saturating_since(self.last_data);
        let size = seen.payload_len() + seen.options_len as Offset;
        let is_small = size < self.full_size(facts);
        self.last_data = time;
        let end = seen.text_end();
        if unsent == Some(0) && !seen.is(Flags::PSH) && !seen.is(Flags::FIN) {
            docket
                .forbid(&PUSH, time, number, || "all that was written is sent, without PSH".into());
        }
        // A probe of a closed window is at least a byte (RFC 9293 section 3.8.6.1), and more only late.
        let least = facts.settings.least_rto.min(OVERRIDE);
        let probes = seen.text() >= self.edge && (seen.payload_len() <= 1 || quiet >= least);
        if end > self.furthest && !probes {
            docket.forbid(&BEYOND_WINDOW, time, number, || {
                format!("new data up to {end}, though the peer takes it up to {}", self.furthest)
            });
        } else if end > self.edge && !probes && time > self.shrunk + facts.settings.reaction {
            docket.forbid(&WINDOW_SHRUNK, time, number, || {
                format!("new data up to {end}, though the window has shrunk to {}", self.edge)
            });
        }
        if is_small {
            let reduced = end == self.edge && unsent.is_some_and(|unsent| unsent > 0);
            // Half the largest window, rounded down.
            let worth = seen.payload_len() >= facts.peer_max_window / 2;
            if reduced && !worth && quiet < least && !probes {
                docket.forbid(&SILLY_WINDOW, time, number, || {
                    format!("{} bytes fill what the window has left", seen.payload_len())
                });
            }
            let goes_along =
                tail.is_closing || seen.is(Flags::FIN) || reduced || seen.text() < facts.sent;
            let awaited = self.awaited(facts).filter(|_| !goes_along && quiet < OVERRIDE);
            probes_tail = awaited.is_some() && tail.is_probed;
            if let Some(end) = awaited.filter(|_| !tail.is_probed) {
                docket.forbid(&NAGLE, time, number, || {
                    format!(
                        "{} bytes, while what was sent up to {end} is not acknowledged",
                        seen.payload_len()
                    )
                });
            }
            // The window has cut others short; a probe's byte goes again with what follows it.
            if !(probes || reduced) {
                self.small = end;
            }
        }
        self.largest = self.largest.max(size);
        probes_tail
    }
}

//! What segments of data hold: the same bytes each time, nothing behind the FIN, and no more than the peer
//! and the path can take.

use crate::facts::Facts;
use crate::segment::{Offset, Seen};
use crate::sentence::Sentence;
use crate::verdict::Docket;
use ackclock::time::{Duration, Instant};
use ackclock::wire::Flags;
use std::collections::VecDeque;

pub(crate) static OTHER_BYTES: Sentence = Sentence::must(
    "inconsistent-retransmission",
    2525,
    "2.4",
    "If, for a given sequence number, a sending TCP retransmits different data than previously sent for that \
     sequence number, then a strong possibility arises that the receiving TCP will reconstruct a different byte \
     stream than that sent by the sending application",
).of_form();
pub(crate) static BEHIND_FIN: Sentence = Sentence::must(
    "data-behind-fin",
    9293,
    "4",
    "A control bit (finis) occupying one sequence number, which indicates that the sender will send no more \
     data or control occupying sequence space.",
).of_form();
pub(crate) static FIN_MOVED: Sentence = Sentence::must(
    "fin-moved",
    9293,
    "3.4",
    "the FIN is considered to occur after the last actual data octet in a segment in which it occurs",
).of_form();
pub(crate) static TOO_LARGE: Sentence = Sentence::must(
    "segment-above-peer-mss",
    9293,
    "3.7.1",
    "The maximum size of a segment that a TCP endpoint really sends, the \"effective send MSS\", MUST be the \
     smaller (MUST-16) of the send MSS (that reflects the available reassembly buffer size at the remote host, \
     the EMTU_R [19]) and the largest transmission size permitted by the IP layer (EMTU_S [19])",
);
pub(crate) static PATH_MTU: Sentence = Sentence::must(
    "packet-above-path-mtu",
    8201,
    "4",
    "When a node receives a Packet Too Big message, it must reduce its estimate of the PMTU for the relevant path, \
     based on the value of the MTU field in the message.",
);

/// How long a host may go on with larger packets: hosts wait whether the message was forged (RFC 5927 section
/// 7.2).
const PATH_MTU_GRACE: Duration = Duration::from_secs(3);
/// After this a host may try larger packets again (RFC 8201 section 4).
const PATH_MTU_AGES: Duration = Duration::from_secs(300);

/// What the path carries, as ICMP told.
#[derive(Clone, Copy, Debug)]
struct PathMtu {
    since: Instant,
    mtu: Offset,
    /// Where the packet begins that a router says it has dropped.
    seq: Offset,
}

/// The data that was sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Data {
    /// Where `bytes` begin.
    base: Offset,
    /// What was sent and is not acknowledged.
    bytes: VecDeque<u8>,
    path_mtu: Option<PathMtu>,
    /// When a router said so last, whether a host believes it or not.
    told_at: Option<Instant>,
}

impl Data {
    /// A router says that it has dropped the packet that begins with `seq`, which is in flight if it `binds`: else it is
    /// forged, or too late (RFC 5927 section 4.1).
    pub(crate) fn on_too_big(&mut self, now: Instant, mtu: u32, seq: Offset, binds: bool) {
        let mtu = Offset::from(mtu);
        self.told_at = Some(now);
        if binds && self.path_mtu.is_none_or(|known| mtu < known.mtu) {
            self.path_mtu = Some(PathMtu { since: now, mtu, seq });
        }
    }

    /// Whether the host was told that the path carries less, since `then`.
    pub(crate) fn was_too_big(&self, then: Instant) -> bool {
        self.told_at.is_some_and(|told| told >= then)
    }

    /// The packet that a router says it has dropped, and since when.
    pub(crate) fn dropped(&self) -> Option<(Offset, Instant)> {
        self.path_mtu.map(|path| (path.seq, path.since))
    }

    /// It has arrived all the same: the message was forged (RFC 5927 section 7.2).
    pub(crate) fn on_forged(&mut self) {
        self.path_mtu = None;
    }

    /// So much is acknowledged.
    pub(crate) fn on_ack(&mut self, ack: Offset) {
        let gone = (ack - self.base).clamp(0, self.bytes.len() as Offset);
        self.bytes.drain(..gone as usize);
        self.base += gone;
    }

    /// The host has sent a segment with text or FIN.
    pub(crate) fn on_sent(
        &mut self,
        seen: &Seen<'_>,
        facts: &Facts,
        is_keepalive: bool,
        docket: &mut Docket<'_>,
    ) {
        self.judge_size(seen, facts, docket);
        if is_keepalive {
            return;
        }
        let (time, number) = (seen.time, seen.number);
        if let Some(fin) = facts.fin {
            if seen.text_end() > fin {
                docket.forbid(&BEHIND_FIN, time, number, || {
                    format!("data up to {}, though the FIN stands at {fin}", seen.text_end())
                });
            }
            if seen.is(Flags::FIN) && seen.text_end() < fin {
                docket.forbid(&FIN_MOVED, time, number, || {
                    format!("a FIN at {}, where it stood at {fin} before", seen.text_end())
                });
            }
        } else if seen.is(Flags::FIN) && seen.text_end() < facts.sent {
            docket.forbid(&FIN_MOVED, time, number, || {
                format!(
                    "a FIN at {}, before data that was sent up to {}",
                    seen.text_end(),
                    facts.sent
                )
            });
        }
        self.take(seen, facts, docket);
    }

    fn judge_size(&self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        if facts.settings.super_segments || seen.payload.is_empty() {
            return;
        }
        let size = seen.payload_len() + seen.options_len as Offset;
        if facts.peer_syn.is_some() && size > facts.peer_mss() {
            docket.forbid(&TOO_LARGE, seen.time, seen.number, || {
                format!(
                    "{} bytes of payload and {} of options, the peer's MSS being {}",
                    seen.payload.len(),
                    seen.options_len,
                    facts.peer_mss()
                )
            });
        }
        let Some(path) = self.path_mtu else { return };
        let packet = size + if facts.is_ipv6 { 60 } else { 40 };
        let grace = path.since + facts.settings.reaction + PATH_MTU_GRACE;
        // Hosts need not believe what is below the least that every path carries.
        let credible = path.mtu >= if facts.is_ipv6 { 1280 } else { 576 };
        let binds = seen.time > grace && seen.time < path.since + PATH_MTU_AGES && credible;
        if binds && packet > path.mtu {
            docket.forbid(&PATH_MTU, seen.time, seen.number, || {
                format!("a packet of {packet} bytes, though the path carries {}", path.mtu)
            });
        }
    }

    /// Compares what was sent before, and keeps what is new.
    fn take(&mut self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        let (text, end) = (seen.text(), self.base + self.bytes.len() as Offset);
        if seen.payload.is_empty() || seen.text_end() <= self.base {
            return;
        }
        if text > end || self.bytes.is_empty() {
            // Nothing is known of what lies before.
            self.bytes.clear();
            self.base = text.max(facts.acked);
            let from = (self.base - text).clamp(0, seen.payload_len()) as usize;
            self.bytes.extend(seen.payload.get(from..).unwrap_or_default());
            return;
        }
        let from = (self.base - text).max(0);
        let known = (end - text).min(seen.payload_len());
        if from < known {
            let at = (text + from - self.base) as usize;
            let again = seen.payload.get(from as usize..known as usize).unwrap_or_default();
            if !self.holds(at, again) {
                docket.forbid(&OTHER_BYTES, seen.time, seen.number, || {
                    format!("other bytes from {} to {} than before", text + from, text + known)
                });
            }
        }
        self.bytes.extend(seen.payload.get(known as usize..).unwrap_or_default());
    }

    /// Whether the kept bytes from `at` on are these.
    fn holds(&self, at: usize, again: &[u8]) -> bool {
        let (front, back) = self.bytes.as_slices();
        let split = front.len().saturating_sub(at).min(again.len());
        let (first, second) = again.split_at(split);
        let behind = (at + split).saturating_sub(front.len());
        front.get(at..).unwrap_or_default().starts_with(first)
            && back.get(behind..).unwrap_or_default().starts_with(second)
    }
}

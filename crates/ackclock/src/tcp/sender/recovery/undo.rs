//! Detection of spurious recovery episodes by Eifel with timestamps (RFC 3522), D-SACK (RFC 3708) and F-RTO
//! (RFC 5682); congestion control then undoes its reduction (RFC 4015).

use super::{AckFacts, Episode, Phase};
use crate::seq::{SeqNumber, SeqRange};

/// State of F-RTO, with or without SACK (RFC 5682 sections 2.1 and 3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ForwardRto {
    /// Not active, or decided: as far as F-RTO can tell the timeout was genuine.
    #[default]
    Off,
    /// Step 2: the first segment was retransmitted, and no ack for it has arrived yet.
    Resent,
    /// Step 3: an ack has arrived, and new data is sent instead of retransmissions; the next ack decides.
    Forward,
}

/// State of Eifel detection: RFC 3522's RetransmitTS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stamp {
    /// Nothing was retransmitted.
    #[default]
    None,
    /// The first segment was retransmitted; the first ack of new data since then has not arrived yet.
    Awaited,
    /// That ack has arrived, or would tell nothing.
    Answered,
}

/// Whether the last reduction can be undone, and what caused it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Alarm {
    /// It cannot be undone.
    #[default]
    None,
    /// It was caused by a loss that acks or the reordering timer have shown.
    Loss,
    /// It was caused by a retransmission timeout.
    Timeout,
    /// It was caused by a retransmission timeout that was repeated since, so that a segment was retransmitted
    /// more than once.
    RepeatedTimeout,
}

/// The state needed to undo the last reduction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Undo {
    /// SND.UNA when the episode began.
    begin: SeqNumber,
    /// The sum of the [fingerprint]s of all ranges retransmitted, less those that D-SACK has reported.
    unreported: u32,
    /// RetransmitTS: when the first retransmission was sent, in milliseconds modulo 2^32.
    retransmit_ts: u32,
    stamp: Stamp,
    alarm: Alarm,
    forward: ForwardRto,
    /// Segments retransmitted on this connection, less those reported by D-SACK. It saturates at both ends,
    /// so that what was long ago counts less.
    balance: i8,
}

/// A hash of a range. The hashes of adjoining ranges add up to that of their union, as a receiver may report
/// adjoining ranges as one.
fn fingerprint(range: SeqRange) -> u32 {
    let mix = |seq: SeqNumber| {
        // One round less would leave the difference of two numbers to carries, which are few.
        let once = seq.0.wrapping_mul(0x9e37_79b1);
        let twice = (once ^ once >> 15).wrapping_mul(0x85eb_ca6b);
        let mixed = (twice ^ twice >> 13).wrapping_mul(0xc2b2_ae35);
        mixed ^ mixed >> 16
    };
    mix(range.end).wrapping_sub(mix(range.start))
}

impl Undo {
    /// Begins an episode. `probe` was retransmitted by a tail loss probe, so it may be reported as a
    /// duplicate too.
    pub(super) fn begin(&mut self, una: SeqNumber, probe: SeqRange) {
        self.disarm();
        self.begin = una;
        self.unreported = fingerprint(probe);
        self.alarm = Alarm::Loss;
    }

    /// Begins an episode by a retransmission timeout; a repeated timeout continues that of the first.
    /// `recovering`: an episode was in progress, whose retransmissions might confuse F-RTO (RFC 5682 sections
    /// 2.1 and 3.1, step 1).
    pub(super) fn begin_timeout(
        &mut self,
        una: SeqNumber,
        probe: SeqRange,
        repeated: bool,
        recovering: bool,
    ) {
        if !repeated {
            self.begin(una, probe);
            self.alarm = Alarm::Timeout;
        } else if self.is_armed() {
            self.alarm = Alarm::RepeatedTimeout;
        }
        let applies = self.is_armed() && (repeated || !recovering);
        self.forward = if applies { ForwardRto::Resent } else { ForwardRto::Off };
    }

    /// Gives up undoing the last reduction.
    pub(super) fn disarm(&mut self) {
        *self = Undo { balance: self.balance, ..Undo::default() };
    }

    /// Whether the last reduction can be undone.
    pub(super) fn is_armed(&self) -> bool {
        self.alarm != Alarm::None
    }

    /// Whether a retransmission timeout began the episode.
    pub(super) fn is_by_timer(&self) -> bool {
        matches!(self.alarm, Alarm::Timeout | Alarm::RepeatedTimeout)
    }

    /// Whether new data is to be sent instead of retransmissions (F-RTO).
    pub(super) fn sends_forward(&self) -> bool {
        self.forward == ForwardRto::Forward
    }

    /// Counts a retransmitted segment, by a probe or otherwise.
    pub(super) fn count_resent(&mut self) {
        self.balance = self.balance.saturating_add(1);
    }

    /// Counts a segment reported by D-SACK.
    pub(super) fn count_reported(&mut self) {
        self.balance = self.balance.saturating_sub(1);
    }

    /// Notes that `range` was retransmitted.
    pub(super) fn on_resent(&mut self, now_ms: u32, range: SeqRange) {
        self.unreported = self.unreported.wrapping_add(fingerprint(range));
        if self.is_armed() && self.stamp == Stamp::None {
            // If the first hole was already retransmitted before the episode, the first ack of new data is
            // for that retransmission: it is older than this one, and tells nothing about it.
            let is_first = range.contains(self.begin);
            self.stamp = if is_first { Stamp::Awaited } else { Stamp::Answered };
            self.retransmit_ts = now_ms;
        }
    }

    /// Whether an ack shows that nothing was lost.
    pub(super) fn is_spurious(&mut self, episode: &Episode, ack: &AckFacts<'_>) -> bool {
        if !self.is_armed() {
            return false;
        }
        let spurious = self.all_duplicated(ack) | self.is_for_original(ack);
        self.forward_rto(episode, ack) | spurious
    }

    /// Whether D-SACK has reported everything retransmitted, each segment once and nothing else (RFC 3708
    /// step A), and no segment was sent more than twice. If more is reported than was retransmitted, the
    /// network duplicates segments, and it is unknown which duplicates are ours (step A.4; Linux counts in
    /// the same way).
    fn all_duplicated(&mut self, ack: &AckFacts<'_>) -> bool {
        let Some(duplicate) = ack.dsack.filter(|duplicate| duplicate.end.after(self.begin)) else {
            return false;
        };
        self.unreported = self.unreported.wrapping_sub(fingerprint(duplicate));
        let is_known = self.stamp != Stamp::None && self.alarm != Alarm::RepeatedTimeout;
        is_known && self.unreported == 0 && self.balance >= 0
    }

    /// Whether the first ack of new data echoes a timestamp older than the first retransmission, so that it
    /// is for the original (RFC 3522 steps 4 and 5). If it acknowledges everything, all acks of the originals
    /// may have been lost; a peer that is known to report duplicates would then have reported one.
    fn is_for_original(&mut self, ack: &AckFacts<'_>) -> bool {
        if self.stamp != Stamp::Awaited || ack.acked == 0 {
            return false;
        }
        self.stamp = Stamp::Answered;
        let older = |echoed: u32| (echoed.wrapping_sub(self.retransmit_ts) as i32) < 0;
        let acks_were_lost = ack.una == ack.nxt && !ack.reports_duplicates;
        ack.echoed_ms.is_some_and(older) && ack.dsack.is_none() && !acks_were_lost
    }

    fn forward_rto(&mut self, episode: &Episode, ack: &AckFacts<'_>) -> bool {
        if episode.phase != Phase::Loss {
            self.forward = ForwardRto::Off;
        }
        match self.forward {
            ForwardRto::Off => false,
            ForwardRto::Resent => {
                if ack.acked > 0 {
                    // Not if it acknowledges a part of the first segment only: then either the retransmission
                    // or nothing arrived.
                    let goes_on = ack.delivered.bytes > 0
                        && !episode.is_completed_by(ack)
                        && ack.can_send_new;
                    self.forward = if goes_on { ForwardRto::Forward } else { ForwardRto::Off };
                } else if ack.duplicate && !ack.uses_sack {
                    self.forward = ForwardRto::Off;
                }
                false
            }
            ForwardRto::Forward if ack.acked == 0 && ack.sacked == 0 && !ack.duplicate => false,
            ForwardRto::Forward => {
                self.forward = ForwardRto::Off;
                // Something sent before the timeout arrived, and nothing sent after it.
                let delivered = ack.delivered;
                let forward = delivered.newest.is_some_and(|last| last.end.after(episode.point));
                delivered.lowest_original.is_some() && !forward && (ack.acked > 0 || ack.uses_sack)
            }
        }
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Else a duplicate of the network's could stand for what was retransmitted.
    #[test]
    fn segments_of_the_same_length_have_fingerprints_of_their_own() {
        for (first, len) in [(1, 1_460), (3_629_415_562, 1_220), (u32::MAX - 5_000, 536)] {
            let range = |n| SeqRange::from_len(SeqNumber(first) + n * len, len);
            let prints: BTreeSet<u32> = (0..2_000).map(|n| fingerprint(range(n))).collect();
            assert_eq!(prints.len(), 2_000, "{len} bytes from {first} on");
        }
    }

    #[test]
    fn fingerprints_of_adjoining_ranges_add_up() {
        let range = |start, end| SeqRange::new(SeqNumber(start), SeqNumber(end));
        let sum = fingerprint(range(7, 1_007)).wrapping_add(fingerprint(range(1_007, 3_000)));
        assert_eq!(sum, fingerprint(range(7, 3_000)));
    }
}

//! Inference from the times at which pieces were sent, for RFC 8985 and F-RTO.
//!
//! Each record holds when it was first sent, and the first and last times at which pieces of it were
//! retransmitted. Inference uses the safe one of the two: a retransmission counts as lost only when the last
//! one would, and as delivered as if it were the first one. When the retransmission timer fires it is the other way
//! round: a lost piece that counts as in flight costs a timeout of its own, and a needless retransmission little.

use super::pieces::PieceSet;
use super::record::{FlightRecord, PiecesOf, times_matter};
use super::records::RecordedFlight;
use super::{Losses, Run};
use crate::profile::{Kept, Profile};
use crate::seq::{SeqNumber, SeqRange};
use crate::tcp::sender::DeliveryRecord;

/// A transmission in RFC 8985's order: by time, and at the same time by sequence number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Transmission {
    /// Segment.xmit_ts in microseconds.
    pub(crate) at: u64,
    /// Segment.end_seq.
    pub(crate) end: SeqNumber,
    /// Segment.retransmitted.
    pub(crate) again: bool,
}

impl Transmission {
    /// Later than all others: what the retransmission timer compares with.
    const TIMER: Transmission = Transmission { at: u64::MAX, end: SeqNumber(0), again: false };

    /// RACK_sent_after (RFC 8985 section 6.2 step 2).
    pub(crate) fn is_after(self, other: Transmission) -> bool {
        self.at > other.at || (self.at == other.at && self.end.after(other.end))
    }
}

/// The data that an ack delivered, cumulatively and selectively.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Delivered {
    /// The latest transmission time, in microseconds, of a retransmission that can be what was delivered (RFC
    /// 8985 section 6.2 step 2).
    pub(crate) believed_until: u64,
    /// Number of sequence numbers.
    pub(crate) bytes: u32,
    /// The most recently sent of the delivered pieces.
    pub(crate) newest: Option<Transmission>,
    /// The delivery record of that piece.
    pub(crate) sent: Option<DeliveryRecord>,
    /// End of the lowest delivered piece that was sent only once.
    pub(crate) lowest_original: Option<SeqNumber>,
}

impl Delivered {
    /// Adds pieces of `record` that had not been delivered before.
    pub(super) fn add<P: Profile>(
        &mut self,
        record: &FlightRecord<P>,
        mask: PiecesOf<P>,
        sent: Option<DeliveryRecord>,
    ) {
        if !mask.any() {
            return;
        }
        self.bytes += record.bytes(mask);
        if !times_matter::<P>() {
            return;
        }
        let originals = mask & !record.ever_resent;
        if originals.any() {
            self.consider(record, originals, record.sent(), false, sent);
            let lowest = record.piece_range(originals.first()).end;
            self.lowest_original =
                Some(self.lowest_original.map_or(lowest, |known| known.min(lowest)));
        }
        let again = mask & record.ever_resent;
        if again.any() && record.last_resent() <= self.believed_until {
            self.consider(record, again, record.first_resent(), true, sent);
        }
    }

    /// Adds the records of a run that had not been delivered before; `sent` is the delivery record of the
    /// last.
    pub(super) fn add_run(&mut self, run: &Run, sent: Option<DeliveryRecord>) {
        self.bytes += run.bytes;
        let transmission = run.newest();
        if self.newest.is_none_or(|newest| transmission.is_after(newest)) {
            (self.newest, self.sent) = (Some(transmission), sent);
        }
        let lowest = run.first_end;
        self.lowest_original = Some(self.lowest_original.map_or(lowest, |known| known.min(lowest)));
    }

    fn consider<P: Profile>(
        &mut self,
        record: &FlightRecord<P>,
        mask: PiecesOf<P>,
        at: u64,
        again: bool,
        sent: Option<DeliveryRecord>,
    ) {
        let transmission = Transmission { at, end: record.piece_range(mask.last()).end, again };
        if self.newest.is_none_or(|newest| transmission.is_after(newest)) {
            (self.newest, self.sent) = (Some(transmission), sent);
        }
    }
}

/// Segments overdue by RFC 8985.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Overdue {
    /// Data newly found lost, including retransmissions.
    pub(crate) lost: Losses,
    /// When the last of the lost retransmissions was sent, in microseconds; `None` if there are none.
    pub(crate) resent_at: Option<u64>,
    /// When the last of the segments that may still arrive was sent, in microseconds; `None` if there are
    /// none.
    pub(crate) waiting: Option<u64>,
}

impl<P: Profile> FlightRecord<P> {
    pub(super) fn first_resent(&self) -> u64 {
        self.sent() + u64::from(self.first_resent)
    }

    pub(super) fn last_resent(&self) -> u64 {
        self.sent() + u64::from(self.last_resent)
    }

    /// The pieces, sent at time `at`, that were sent before `newest`. At the same time, sequence numbers
    /// decide among first transmissions, and among retransmissions; which of the two kinds was sent first is
    /// not known.
    fn sent_before(&self, at: u64, again: bool, newest: Transmission) -> PiecesOf<P> {
        if at < newest.at {
            self.all()
        } else if at == newest.at && again == newest.again && newest.end.after(self.seq) {
            self.pieces_within(SeqRange::new(self.seq, newest.end - 1))
        } else {
            PiecesOf::<P>::NONE
        }
    }
}

impl<P: Profile> RecordedFlight<'_, P> {
    /// Implements [`Flight::detect_overdue`](super::Flight::detect_overdue).
    pub(super) fn mark_overdue(&mut self, newest: Transmission, until: u64) -> Overdue {
        let mut found = Overdue::default();
        // Below `lost_below` only retransmissions can be overdue, and none is if all were sent after
        // `newest`.
        let oldest = self.oldest_resent.get().copied().unwrap_or(0);
        let any_resent = self.resent > 0 && oldest <= newest.at;
        let mut position = if any_resent { 0 } else { self.locate(self.lost_below) };
        let (mut oldest_resent, mut resent_seen) = (u64::MAX, 0);
        let mut settled = true;
        loop {
            position = self.after_sacked(position);
            let Some(record) = self.records.get_mut(position) else {
                break;
            };
            let sent = record.sent();
            // In a burst sent at one instant nothing behind `newest` was sent before it.
            let behind = record.seq.at_or_after(newest.end);
            if sent > newest.at || (sent == newest.at && behind) {
                break;
            }
            let mut originals = record.all() & !record.sacked & !record.lost;
            let candidates = originals & record.sent_before(sent, false, newest);
            if candidates.any() && sent <= until {
                found.lost.add(position, record, candidates);
                self.lost += record.bytes(candidates);
                self.resend_from = self.resend_from.min(record.seq);
                record.lost |= candidates;
                originals &= !candidates;
            } else if candidates.any() {
                found.waiting = found.waiting.max(Some(sent));
            }
            let by_timer = P::SEGMENTATION && newest == Transmission::TIMER;
            let resent_at = if by_timer { record.first_resent() } else { record.last_resent() };
            let again = record.resent & record.sent_before(resent_at, true, newest);
            if again.any() && resent_at <= until {
                found.lost.add(position, record, again);
                found.resent_at = found.resent_at.max(Some(resent_at));
                self.resent -= record.bytes(again);
                self.resend_from = self.resend_from.min(record.seq);
                record.resent &= !again;
            } else if again.any() {
                found.waiting = found.waiting.max(Some(resent_at));
            }
            if record.resent.any() {
                oldest_resent = oldest_resent.min(resent_at);
                resent_seen += record.bytes(record.resent);
            }
            settled &= !originals.any();
            if settled {
                self.lost_below = self.lost_below.max(record.end());
            }
            position += 1;
        }
        if any_resent && let Some(oldest) = self.oldest_resent.get_mut() {
            // Records that were not visited were sent no earlier than `newest`.
            let all_seen = resent_seen == self.resent;
            *oldest = if all_seen { oldest_resent } else { oldest_resent.min(newest.at) };
        }
        found
    }

    /// Implements [`Flight::mark_timed_out`](super::Flight::mark_timed_out).
    pub(super) fn mark_first_and_overdue(&mut self, until: u64) {
        self.forget_reneged();
        let _ = self.mark_overdue(Transmission::TIMER, until);
        let Some(record) = self.records.front_mut() else {
            return;
        };
        let first = PiecesOf::<P>::bit(0);
        self.lost += record.bytes(first & !record.lost);
        self.resent -= record.bytes(first & record.resent);
        record.lost |= first;
        record.resent &= !first;
        self.resend_from = record.seq;
    }
}

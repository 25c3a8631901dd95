//! What an ack measures: what has arrived at the other end, and the round-trip time.

use super::AckInput;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::seq::SeqRange;
use crate::tcp::sender::Sender;
use crate::tcp::sender::flight::{Delivered, Flight, micros, times_matter};
use crate::tcp::timestamps::rtt_since;
use crate::time::{Duration, Instant};

/// What an ack has measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    /// Sequence numbers acknowledged cumulatively.
    pub(super) acked: u32,
    /// Sequence numbers newly SACKed.
    pub(super) sacked: u32,
    /// What has arrived twice (RFC 2883).
    pub(super) dsack: Option<SeqRange>,
    /// What has arrived.
    pub(super) delivered: Delivered,
    /// The round-trip time, if the ack tells one (Karn's rule, RFC 6298 section 3).
    pub(super) rtt: Option<Duration>,
}

impl AckInput<'_> {
    /// The end of the millisecond in which the segment was sent whose timestamp the ack echoes, in
    /// microseconds; without a timestamp the end of time.
    fn echoed_until(&self, now: Instant) -> u64 {
        let Some(echoed) = self.echoed_ms else {
            return u64::MAX;
        };
        let age = (now.as_millis() as u32).wrapping_sub(echoed);
        let millis = now.as_millis().saturating_sub(u64::from(age));
        // Milliseconds of 64 bits of nanoseconds: no overflow.
        millis * 1_000 + 999
    }
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Takes off the flight what an ack that has advanced SND.UNA by `advanced` tells of, and a
    /// measurement of the round trip.
    #[inline(always)]
    pub(super) fn measure(
        &mut self,
        now: Instant,
        input: &AckInput<'_>,
        advanced: u32,
    ) -> Measured {
        // A retransmission is not what was delivered if no round trip has ever been so short, or if
        // the timestamp tells so (RFC 8985 section 6.2 step 2); what an ack with SACK blocks
        // echoes says nothing of them (RFC 7323 section 4.3).
        let (shortest, believed_until) = if times_matter::<P>() {
            let shortest = micros(now).saturating_sub(self.rto.min_rtt().as_micros());
            (shortest, shortest.min(input.echoed_until(now)))
        } else {
            (0, 0)
        };
        let mut delivered = Delivered { believed_until, ..Delivered::default() };
        let acked = self.flight.acknowledge(self.snd_una, &mut delivered);
        delivered.believed_until = shortest;
        if P::ICMP_ERRORS && advanced > 0 {
            self.flight.go_on_within_piece(self.snd_una, self.mss);
        }
        let rtt = acked.sent_at.map(|sent_at| now.saturating_since(sent_at));
        // Timestamps are good also for what was retransmitted (RFC 7323 section 4).
        let rtt = match input.echoed_ms {
            Some(echoed) if rtt.is_none() && advanced > 0 => rtt_since(now, echoed),
            _ => rtt,
        };
        // After a spurious timeout what was unsent then is measured first: the delay that the rest met
        // may be over (RFC 4015 section 3.2).
        let is_for_new = self.snd_una.after(self.recovery.point());
        let measured = rtt.filter(|_| is_for_new || !self.rto.was_spurious());
        self.rto.on_ack(now, self.snd_una, measured);
        let (sacked, dsack) = self.apply_sack(input, &mut delivered);
        self.delivery.on_delivered(now, delivered.bytes);
        Measured { acked: advanced, sacked, dsack, delivered, rtt }
    }

    /// Marks what the SACK blocks report; blocks that cannot be true are left out. Gives what is
    /// newly SACKed, and what has arrived twice.
    fn apply_sack(
        &mut self,
        input: &AckInput<'_>,
        delivered: &mut Delivered,
    ) -> (u32, Option<SeqRange>) {
        let mut dsack = None;
        let outstanding = SeqRange::new(self.snd_una, self.snd_nxt);
        let uses_sack = self.recovery.uses_sack();
        let before = delivered.bytes;
        let data_end = self.snd_una + self.queue.len() as u32;
        for (index, block) in input.sack.as_slice().iter().enumerate() {
            let next = input.sack.as_slice().get(index + 1);
            let duplicate = index == 0
                && (block.end.at_or_before(input.ack) || next.is_some_and(|n| n.covers(*block)));
            if duplicate {
                // RFC 2883 section 4: what arrived twice.
                self.counters.dsacks.add(1);
                dsack = Some(*block);
            } else if uses_sack && !block.is_empty() && outstanding.covers(*block) {
                // A FIN that went with data arrives with them, though receivers may report data only.
                let with_fin = block.end == data_end && self.flight.last_contains(data_end);
                let block = SeqRange::new(block.start, block.end + u32::from(with_fin));
                self.flight.sack(block, delivered);
            }
        }
        (delivered.bytes - before, dsack)
    }
}

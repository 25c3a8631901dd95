//! What an ack measures: the data delivered, and the round-trip time.

use super::AckInput;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::seq::SeqRange;
use crate::tcp::handshake::MAX_OPTIONS;
use crate::tcp::sender::Sender;
use crate::tcp::sender::flight::{Delivered, Flight, micros, times_matter};
use crate::time::{Duration, Instant};

/// Result of measuring an ack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    /// Sequence numbers acknowledged cumulatively.
    pub(super) acked: u32,
    /// Sequence numbers newly SACKed.
    pub(super) sacked: u32,
    /// A duplicate that the peer has received (D-SACK, RFC 2883).
    pub(super) dsack: Option<SeqRange>,
    /// The data newly delivered to the peer.
    pub(super) delivered: Delivered,
    /// The round-trip time, if the ack [gives a sample](super::karn).
    pub(super) rtt: Option<Duration>,
}

impl AckInput<'_> {
    /// The end of the millisecond in which the segment was sent whose timestamp the ack echoes, in
    /// microseconds; `u64::MAX` without a timestamp.
    fn echoed_until(&self, now: Instant) -> u64 {
        let Some(echoed) = self.echoed_ms else {
            return u64::MAX;
        };
        let age = (now.as_millis() as u32).wrapping_sub(echoed);
        let millis = now.as_millis().saturating_sub(u64::from(age));
        // Cannot overflow: the milliseconds come from 64 bits of nanoseconds.
        millis * 1_000 + 999
    }
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Removes from the flight what an ack acknowledges, which has advanced SND.UNA by `advanced`, marks what
    /// it SACKs, and measures the round-trip time.
    #[inline(always)]
    pub(super) fn measure(
        &mut self,
        now: Instant,
        input: &AckInput<'_>,
        advanced: u32,
    ) -> Measured {
        // A retransmission cannot be what was delivered if it was sent less than the least round-trip time
        // ago, or later than the echoed timestamp (RFC 8985 section 6.2 step 2). The timestamp of an ack with
        // SACK blocks says nothing about these (RFC 7323 section 4.3).
        let (shortest, believed_until) = if times_matter::<P>() {
            let shortest = micros(now).saturating_sub(self.rto.min_rtt().as_micros());
            (shortest, shortest.min(input.echoed_until(now)))
        } else {
            (0, 0)
        };
        let mut delivered = Delivered { believed_until, ..Delivered::default() };
        let acked = self.flight.acknowledge(self.snd_una, &mut delivered);
        delivered.believed_until = shortest;
        // Outside recovery nothing is known to be lost: only a tail loss probe was sent again, which may still arrive. An ack
        // of less than a segment beside options is of no segment of ours: a peer may divide its acks.
        let may_be_shorter = P::ICMP_ERRORS || P::PATH_PROBING || P::SACK_WITH_DATA;
        let covers_segment = advanced > 0 && advanced + u32::from(MAX_OPTIONS) >= self.mss();
        if may_be_shorter && covers_segment && self.in_recovery() {
            self.flight.go_on_within_piece(self.snd_una);
        }
        let rtt = self.measure_round_trip(now, input, advanced, acked);
        let (sacked, dsack) = self.apply_sack(input, &mut delivered);
        self.delivery.on_delivered(now, delivered.bytes);
        Measured { acked: advanced, sacked, dsack, delivered, rtt }
    }
}

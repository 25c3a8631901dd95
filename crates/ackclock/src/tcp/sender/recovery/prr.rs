//! Proportional rate reduction (RFC 9937): limits what is sent in fast recovery by what is delivered.

/// PRR's state of one episode, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prr {
    /// prr_delivered: bytes delivered since the episode began.
    delivered: u32,
    /// prr_out: bytes sent since the episode began.
    out: u32,
    /// RecoverFS: FlightSize when the episode began.
    recover_flight: u32,
}

impl Prr {
    /// Begins an episode with an ack that delivered `delivered` bytes; `in_flight` bytes are not SACKed after
    /// it.
    pub(super) fn begin(in_flight: u32, delivered: u32) -> Self {
        Prr { delivered: 0, out: 0, recover_flight: in_flight.saturating_add(delivered) }
    }

    /// How many bytes may be sent after an ack (section 6.2). `safe` is SafeACK: the ack advances SND.UNA and
    /// shows no further loss.
    pub(super) fn on_ack(
        &mut self,
        delivered: u32,
        pipe: u32,
        ssthresh: u32,
        mss: u32,
        safe: bool,
    ) -> u32 {
        self.delivered = self.delivered.saturating_add(delivered);
        let unused = self.delivered.saturating_sub(self.out);
        let count = if pipe > ssthresh {
            let share = u64::from(self.delivered) * u64::from(ssthresh);
            let share = share.div_ceil(u64::from(self.recover_flight.max(1)));
            u32::try_from(share).unwrap_or(u32::MAX).saturating_sub(self.out)
        } else {
            let bound = unused.max(delivered).saturating_add(if safe { mss } else { 0 });
            bound.min(ssthresh - pipe)
        };
        // The fast retransmit is sent in any case.
        if self.out == 0 { count.max(mss) } else { count }
    }

    /// Notes that `bytes` bytes were sent.
    pub(super) fn on_sent(&mut self, bytes: u32) {
        self.out = self.out.saturating_add(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u32 = 1_000;

    /// What each ack of one segment lets out, with everything that may be sent being sent.
    fn episode(flight: u32, ssthresh: u32, lost: u32, acks: usize) -> std::vec::Vec<u32> {
        let mut pipe = flight - lost;
        let mut prr = Prr::begin(flight - MSS, MSS);
        // The fast retransmit.
        prr.on_sent(MSS);
        pipe += MSS;
        (0..acks)
            .map(|_| {
                pipe -= MSS;
                let sent = prr.on_ack(MSS, pipe, ssthresh, MSS, false) / MSS * MSS;
                prr.on_sent(sent);
                pipe += sent;
                sent / MSS
            })
            .collect()
    }

    #[test]
    fn half_the_delivery_rate_goes_out_while_the_flight_is_above_the_threshold() {
        // n / 2 segments after n acks, the first of them the fast retransmit.
        assert_eq!(episode(20 * MSS, 10 * MSS, MSS, 8), [0, 0, 0, 1, 0, 1, 0, 1]);
    }

    #[test]
    fn three_quarters_of_the_delivery_rate_for_a_threshold_of_three_quarters() {
        assert_eq!(episode(20 * MSS, 15 * MSS, MSS, 4), [0, 0, 1, 1]);
    }

    #[test]
    fn below_the_threshold_packets_are_conserved() {
        assert_eq!(episode(20 * MSS, 10 * MSS, 15 * MSS, 4), [1, 1, 1, 1]);
    }

    #[test]
    fn an_ack_that_shows_progress_lets_one_segment_more_out() {
        let mut prr = Prr::begin(19 * MSS, MSS);
        assert_eq!(prr.on_ack(MSS, 4 * MSS, 10 * MSS, MSS, true), 2 * MSS);
    }

    proptest::proptest! {
        /// Packet conservation (RFC 9937 section 6): nothing but what was delivered goes out, and a
        /// segment for the fast retransmit and for each ack that shows progress.
        #[test]
        fn no_more_goes_out_than_arrives_and_is_allowed(
            flight in 1..100u32,
            threshold in 1..100u32,
            acks in proptest::collection::vec((0..8u32, 0..2u32, 0..8_000u32), 1..60),
        ) {
            let mut prr = Prr::begin(flight * MSS, 0);
            let (mut delivered, mut granted, mut pipe) = (0, MSS, flight * MSS);
            for (segments, safe, used) in acks {
                delivered += segments * MSS;
                pipe = pipe.saturating_sub(segments * MSS);
                granted += safe * MSS;
                let count = prr.on_ack(segments * MSS, pipe, threshold * MSS, MSS, safe == 1);
                // Not everything that may go goes.
                let sent = count.min(used);
                prr.on_sent(sent);
                pipe += sent;
                proptest::prop_assert!(prr.out <= delivered + granted, "{prr:?}");
                let bound = (threshold * MSS).max((flight + 1) * MSS);
                proptest::prop_assert!(pipe <= bound, "{pipe} {prr:?}");
            }
        }
    }

    #[test]
    fn the_threshold_is_not_exceeded() {
        let mut prr = Prr::begin(19 * MSS, MSS);
        assert_eq!(prr.on_ack(8 * MSS, 9 * MSS, 10 * MSS, MSS, true), MSS);
    }

    #[test]
    fn the_fast_retransmit_goes_out_in_any_case() {
        let mut prr = Prr::begin(10 * MSS, 0);
        assert_eq!(prr.on_ack(0, 10 * MSS, 5 * MSS, MSS, false), MSS);
    }
}

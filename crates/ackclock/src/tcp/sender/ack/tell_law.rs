//! Reports to congestion control: each ack, congestion events, and the end of a recovery.

use crate::congestion::{Ack, CongestionController, CongestionKind, DeliveryRate};
use crate::profile::Profile;
use crate::tcp::sender::Sender;
use crate::tcp::sender::flight::Losses;
use crate::tcp::sender::recovery::{Outcome, Phase};
use crate::time::{Duration, Instant};

/// The facts of an ack that the sender's state does not hold. The default is an ack without losses, marks and
/// rate samples.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp::sender) struct AckNews {
    /// As in [`Ack`].
    pub(in crate::tcp::sender) bytes_acked: u32,
    pub(in crate::tcp::sender) bytes_sacked: u32,
    pub(in crate::tcp::sender) bytes_delivered: u32,
    pub(in crate::tcp::sender) lost: Losses,
    pub(in crate::tcp::sender) flight_before: u32,
    pub(in crate::tcp::sender) flight_after: u32,
    pub(in crate::tcp::sender) rtt: Option<Duration>,
    /// Delivery rate sample of the segment that the ack is for.
    pub(in crate::tcp::sender) sample: Option<DeliveryRate>,
    /// Whether there are samples of single segments; the round trip as a whole then gives none.
    pub(in crate::tcp::sender) is_measuring: bool,
    /// As in [`Ack`].
    pub(in crate::tcp::sender) ecn_echo: bool,
    pub(in crate::tcp::sender) in_recovery: bool,
    pub(in crate::tcp::sender) after_timeout: bool,
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Reports an ack to congestion control.
    #[inline(always)]
    pub(in crate::tcp::sender) fn tell_law(&mut self, now: Instant, news: &AckNews) {
        if self.hears_nothing() {
            return;
        }
        let window_limited = self.reaches_window(now, news.flight_before);
        let delivered = self.delivery.total();
        let (una, nxt) = (self.snd_una, self.snd_nxt);
        let round = self.round.on_ack(now, una, nxt, delivered, news.flight_after);
        let ack = Ack {
            now,
            bytes_acked: news.bytes_acked,
            bytes_sacked: news.bytes_sacked,
            bytes_delivered: news.bytes_delivered,
            bytes_lost: news.lost.bytes,
            flight_when_lost_sent: news.lost.in_flight_when_sent,
            flight_before: news.flight_before,
            flight_after: news.flight_after,
            rtt: news.rtt,
            smoothed_rtt: self.rto.smoothed_rtt(),
            min_rtt: self.rto.min_rtt(),
            delivery: news.sample.or(round.filter(|_| !news.is_measuring)),
            ecn_echo: news.ecn_echo,
            in_recovery: news.in_recovery,
            after_timeout: news.after_timeout,
            new_round: round.is_some(),
            window_limited: window_limited && (!news.ecn_echo || self.leaves_marks_to_law()),
            random: self.next_random(),
        };
        self.controller.on_ack(&ack);
    }

    /// Reports to congestion control what recovery has found. `flight_size` is FlightSize before the ack, of
    /// which `unrepaired` bytes were marked for retransmission.
    pub(in crate::tcp::sender) fn tell_events(
        &mut self,
        now: Instant,
        outcome: &Outcome,
        flight_size: u32,
        unrepaired: u32,
    ) {
        if let Some(phase) = outcome.undone.filter(|_| P::UNDO) {
            self.counters.undos.add(1);
            self.controller.on_undo(now);
            self.forget_unvalidated_loss();
            self.withdraw_reduction();
            if phase == Phase::Loss {
                self.rto.on_spurious_timeout();
            }
        }
        let kind = CongestionKind::FastRetransmit;
        if outcome.entered {
            self.counters.fast_recoveries.add(1);
            // Data that a timeout has marked for retransmission is not in the network.
            let flight = self.recovery.flight_end().since(self.snd_una);
            let flight_size = flight.saturating_sub(unrepaired);
            self.note_unvalidated_loss(flight_size);
            self.reduce(now, kind, flight_size);
        } else if outcome.reduce_again {
            // The window may already have been reduced for the same flight.
            let flight_size = flight_size.min(self.controller.window());
            self.reduce(now, kind, flight_size);
        }
        if outcome.left {
            let in_flight = self.pipe();
            self.controller.on_recovery_exit(now, in_flight);
        }
    }

    /// Whether the flight reaches the window: only then may the window grow (RFC 7661 section 4.1). In slow
    /// start half the window suffices, since the flight that made the window grow was half as large.
    #[inline(always)]
    fn reaches_window(&mut self, now: Instant, flight_before: u32) -> bool {
        let peak = self.round.peak();
        let window = self.controller.window();
        self.validate_window(now, flight_before, window);
        let slow_start = window < self.controller.slow_start_threshold();
        let reached =
            if slow_start { peak.saturating_mul(2) } else { peak.saturating_add(self.mss()) };
        reached > window
    }
}

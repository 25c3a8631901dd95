//! The law of all senders of the laboratory: a built-in one, and what is wrong with it, if anything.

use ackclock::congestion::{
    Ack, BuiltIn, Congestion, CongestionController, CongestionKind, Loss, Sent, Start,
};
use ackclock::time::{Duration, Instant};

/// What may be wrong with a law.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LawFault {
    /// An ack in slow start counts so many times.
    SlowStartTimes(u8),
    /// An ack in congestion avoidance counts so many times.
    AvoidanceTimes(u8),
    /// Laws that count bytes in slow start count them so many times there.
    BytesTimes(u8),
    /// A fast retransmit leaves three quarters of the window.
    ThreeQuarters,
    /// Veno's fast retransmit always halves, whatever it thinks of the loss.
    AlwaysHalves,
    /// The flight of which half is kept is half of what it is.
    HalfTheFlight,
    /// Congestion changes nothing.
    IgnoresLoss,
    /// The window begins with so many segments.
    StartsWith(u32),
    /// Samples of the round-trip time are all alike: the first one.
    OneSample,
}

/// A built-in law with a fault, or with none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Law {
    law: BuiltIn,
    fault: Option<LawFault>,
    first_rtt: Option<Duration>,
}

impl Law {
    pub(crate) fn new(law: BuiltIn, fault: Option<LawFault>) -> Self {
        Law { law, fault, first_rtt: None }
    }

    fn slow_starts(&self) -> bool {
        self.law.window() < self.law.slow_start_threshold()
    }

    fn counts_bytes(&self) -> bool {
        let words = self.law.to_string();
        ["abc", "lbc", "sabc"].iter().any(|growth| words.contains(&format!("growth={growth}")))
    }

    /// How many times an ack counts.
    fn times(&self) -> u8 {
        match self.fault {
            Some(LawFault::SlowStartTimes(times)) if self.slow_starts() => times,
            Some(LawFault::AvoidanceTimes(times)) if !self.slow_starts() => times,
            Some(LawFault::BytesTimes(times)) if self.slow_starts() && self.counts_bytes() => times,
            _ => 1,
        }
    }
}

impl CongestionController for Law {
    fn name(&self) -> &'static str {
        self.law.name()
    }

    fn on_start(&mut self, start: &Start) {
        let mut start = *start;
        if let Some(LawFault::StartsWith(segments)) = self.fault {
            start.initial_window = start.mss.saturating_mul(segments);
        }
        self.law.on_start(&start);
    }

    fn on_sent(&mut self, sent: &Sent) {
        self.law.on_sent(sent);
    }

    fn on_ack(&mut self, ack: &Ack) {
        let mut ack = *ack;
        if self.fault == Some(LawFault::OneSample) {
            self.first_rtt = self.first_rtt.or(ack.rtt);
            ack.rtt = ack.rtt.and(self.first_rtt);
        }
        let times = self.times();
        self.law.on_ack(&ack);
        ack.new_round = false;
        for _ in 1..times {
            self.law.on_ack(&ack);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.law.on_loss(loss);
    }

    fn on_congestion(&mut self, event: &Congestion) {
        let mut event = *event;
        let is_fast = event.kind == CongestionKind::FastRetransmit;
        let before = self.law.window();
        match self.fault {
            Some(LawFault::IgnoresLoss) => return,
            // Of laws that tell losses apart a mark halves; Reno keeps more of the window for it.
            Some(LawFault::AlwaysHalves) if is_fast && self.name() == "veno" => {
                event.kind = CongestionKind::Ecn;
            }
            Some(LawFault::HalfTheFlight) => event.flight_size /= 2,
            _ => {}
        }
        self.law.on_congestion(&event);
        if is_fast && self.fault == Some(LawFault::ThreeQuarters) {
            self.law.on_unvalidated_loss(event.now, before - before / 4);
        }
    }

    fn on_recovery_exit(&mut self, now: Instant, in_flight: u32) {
        self.law.on_recovery_exit(now, in_flight);
    }

    fn on_undo(&mut self, now: Instant) {
        self.law.on_undo(now);
    }

    fn on_known_threshold(&mut self, threshold: u32) {
        self.law.on_known_threshold(threshold);
    }

    fn on_restart_after_idle(&mut self, now: Instant, restart_window: u32) {
        self.law.on_restart_after_idle(now, restart_window);
    }

    fn on_unvalidated_window(&mut self, now: Instant, least: u32) {
        self.law.on_unvalidated_window(now, least);
    }

    fn on_unvalidated_loss(&mut self, now: Instant, window: u32) {
        self.law.on_unvalidated_loss(now, window);
    }

    fn on_mss_change(&mut self, mss: u32) {
        self.law.on_mss_change(mss);
    }

    fn window(&self) -> u32 {
        self.law.window()
    }

    fn slow_start_threshold(&self) -> u32 {
        self.law.slow_start_threshold()
    }

    fn pacing_rate(&self) -> Option<u64> {
        self.law.pacing_rate()
    }

    fn send_quantum(&self) -> Option<u32> {
        self.law.send_quantum()
    }

    fn wants_prr(&self) -> bool {
        self.law.wants_prr()
    }

    fn wants_delivery_rate(&self) -> bool {
        self.law.wants_delivery_rate()
    }

    fn limits_itself(&self) -> bool {
        self.law.limits_itself()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u32 = 1000;

    /// Reno with 10 segments, in slow start, in which an ack counts for one.
    fn reno(fault: LawFault) -> Law {
        law("reno:growth=per-ack", fault)
    }

    fn law(words: &str, fault: LawFault) -> Law {
        let mut law = Law::new(words.parse().unwrap(), Some(fault));
        let mut start = Start::default();
        (start.mss, start.initial_window) = (MSS, 10 * MSS);
        law.on_start(&start);
        law
    }

    fn after_ack(mut law: Law) -> u32 {
        let mut ack = Ack::default();
        (ack.bytes_acked, ack.window_limited) = (MSS, true);
        law.on_ack(&ack);
        law.window() / MSS
    }

    fn after_loss(mut law: Law) -> u32 {
        law.on_congestion(&Congestion::new(
            Instant::ZERO,
            CongestionKind::FastRetransmit,
            10 * MSS,
        ));
        law.window() / MSS
    }

    #[test]
    fn each_fault_is_what_its_name_says() {
        assert_eq!(after_ack(reno(LawFault::SlowStartTimes(3))), 13);
        assert_eq!(after_ack(reno(LawFault::AvoidanceTimes(3))), 11);
        assert_eq!(after_ack(reno(LawFault::BytesTimes(3))), 11);
        assert_eq!(after_ack(law("reno:growth=lbc", LawFault::BytesTimes(3))), 13);
        assert_eq!(after_ack(reno(LawFault::StartsWith(4))), 5);
        assert_eq!(after_loss(reno(LawFault::AlwaysHalves)), 5);
        assert_eq!(after_loss(reno(LawFault::HalfTheFlight)), 2);
        assert_eq!(after_loss(reno(LawFault::ThreeQuarters)), 7);
        assert_eq!(after_loss(reno(LawFault::IgnoresLoss)), 10);
    }

    #[test]
    fn veno_that_always_halves_does_so_for_random_losses_too() {
        let after_loss_of_twenty = |fault| {
            let mut law = Law::new("veno:threshold=255".parse().unwrap(), fault);
            let mut start = Start::default();
            (start.mss, start.initial_window) = (MSS, 40 * MSS);
            law.on_start(&start);
            for millis in [100, 100] {
                law.on_congestion(&Congestion::new(
                    Instant::ZERO,
                    CongestionKind::FastRetransmit,
                    10 * MSS,
                ));
                let mut ack = Ack::default();
                (ack.rtt, ack.new_round) = (Some(Duration::from_millis(millis)), true);
                law.on_ack(&ack);
            }
            law.on_congestion(&Congestion::new(
                Instant::ZERO,
                CongestionKind::FastRetransmit,
                10 * MSS,
            ));
            law.window()
        };
        assert_eq!(after_loss_of_twenty(None), 12_800);
        assert_eq!(after_loss_of_twenty(Some(LawFault::AlwaysHalves)), 5_000);
    }
}

//! BBR that does not hear of all that its draft answers: to see which answer costs how much.

use ackclock::congestion::{
    Ack, Bbr, Congestion, CongestionController, CongestionKind, Loss, Sent, Start,
};
use ackclock::time::Instant;

/// What BBR does not hear of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deaf {
    /// That more was lost of a flight than LossThresh: no probe is too high (section 5.5.10.2 of
    /// draft-ietf-ccwg-bbr).
    ToExcess,
    /// Losses, whether few or many: the short-term model does not follow what is delivered down
    /// (section 5.5.10.3) either.
    ToLosses,
}

/// BBR with a `Deaf` ear.
#[derive(Clone, Copy, Debug)]
pub struct DeafBbr {
    bbr: Bbr,
    deaf: Deaf,
}

impl DeafBbr {
    /// One that does not hear of that.
    pub fn new(deaf: Deaf) -> Self {
        DeafBbr { bbr: Bbr::new(), deaf }
    }
}

impl CongestionController for DeafBbr {
    fn name(&self) -> &'static str {
        "deaf bbr"
    }

    fn on_start(&mut self, start: &Start) {
        self.bbr.on_start(start);
    }

    fn on_sent(&mut self, sent: &Sent) {
        self.bbr.on_sent(sent);
    }

    fn on_ack(&mut self, ack: &Ack) {
        let mut heard = *ack;
        heard.delivery = heard.delivery.map(|mut delivery| {
            delivery.lost = 0;
            delivery
        });
        self.bbr.on_ack(&heard);
    }

    fn on_loss(&mut self, loss: &Loss) {
        if self.deaf == Deaf::ToExcess {
            let mut heard = *loss;
            heard.lost_since_sent = 0;
            self.bbr.on_loss(&heard);
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        if self.deaf == Deaf::ToExcess || event.kind != CongestionKind::FastRetransmit {
            self.bbr.on_congestion(event);
        }
    }

    fn on_recovery_exit(&mut self, now: Instant, in_flight: u32) {
        self.bbr.on_recovery_exit(now, in_flight);
    }

    fn on_undo(&mut self, now: Instant) {
        self.bbr.on_undo(now);
    }

    fn on_mss_change(&mut self, mss: u32) {
        self.bbr.on_mss_change(mss);
    }

    fn window(&self) -> u32 {
        self.bbr.window()
    }

    fn slow_start_threshold(&self) -> u32 {
        self.bbr.slow_start_threshold()
    }

    fn pacing_rate(&self) -> Option<u64> {
        self.bbr.pacing_rate()
    }

    fn send_quantum(&self) -> Option<u32> {
        self.bbr.send_quantum()
    }

    fn wants_prr(&self) -> bool {
        self.bbr.wants_prr()
    }

    fn wants_delivery_rate(&self) -> bool {
        self.bbr.wants_delivery_rate()
    }

    fn limits_itself(&self) -> bool {
        self.bbr.limits_itself()
    }
}

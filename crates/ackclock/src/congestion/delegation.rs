//! Macros that delegate methods of an algorithm to a part of it: all methods where the algorithm is a choice
//! or a box, some where it has a [`CongestionWindow`](super::window::CongestionWindow).

/// Implements all methods of `CongestionController`, each as `$call!($context self.method(arguments))`.
///
/// Methods with a default body are included, as the default would otherwise hide the inner one. The exception
/// is `is_constant`; see there.
macro_rules! delegate_all {
    ($call:ident $context:tt) => {
        fn name(&self) -> &'static str {
            $call!($context self.name())
        }

        fn on_start(&mut self, start: &$crate::congestion::Start) {
            $call!($context self.on_start(start))
        }

        fn on_known_threshold(&mut self, threshold: u32) {
            $call!($context self.on_known_threshold(threshold))
        }

        fn on_sent(&mut self, sent: &$crate::congestion::Sent) {
            $call!($context self.on_sent(sent))
        }

        fn on_ack(&mut self, ack: &$crate::congestion::Ack) {
            $call!($context self.on_ack(ack))
        }

        fn on_marks(&mut self, marks: &$crate::congestion::Marks) {
            $call!($context self.on_marks(marks))
        }

        fn on_loss(&mut self, loss: &$crate::congestion::Loss) {
            $call!($context self.on_loss(loss))
        }

        fn on_congestion(&mut self, event: &$crate::congestion::Congestion) {
            $call!($context self.on_congestion(event))
        }

        fn on_recovery_exit(&mut self, now: $crate::time::Instant, in_flight: u32) {
            $call!($context self.on_recovery_exit(now, in_flight))
        }

        fn on_undo(&mut self, now: $crate::time::Instant) {
            $call!($context self.on_undo(now))
        }

        fn on_restart_after_idle(&mut self, now: $crate::time::Instant, restart_window: u32) {
            $call!($context self.on_restart_after_idle(now, restart_window))
        }

        fn on_unvalidated_window(&mut self, now: $crate::time::Instant, least: u32) {
            $call!($context self.on_unvalidated_window(now, least))
        }

        fn on_unvalidated_loss(&mut self, now: $crate::time::Instant, window: u32) {
            $call!($context self.on_unvalidated_loss(now, window))
        }

        fn on_mss_change(&mut self, mss: u32) {
            $call!($context self.on_mss_change(mss))
        }

        fn window(&self) -> u32 {
            $call!($context self.window())
        }

        fn slow_start_threshold(&self) -> u32 {
            $call!($context self.slow_start_threshold())
        }

        fn pacing_rate(&self) -> Option<u64> {
            $call!($context self.pacing_rate())
        }

        fn send_quantum(&self) -> Option<u32> {
            $call!($context self.send_quantum())
        }

        fn wants_prr(&self) -> bool {
            $call!($context self.wants_prr())
        }

        fn counts_marks(&self) -> bool {
            $call!($context self.counts_marks())
        }

        fn wants_l4s(&self) -> bool {
            $call!($context self.wants_l4s())
        }

        fn wants_delivery_rate(&self) -> bool {
            $call!($context self.wants_delivery_rate())
        }

        fn limits_itself(&self) -> bool {
            $call!($context self.limits_itself())
        }
    };
}

/// Implements the named methods of `CongestionController` by those of the field `window`.
macro_rules! delegate_to_window {
    ($($method:ident)+) => {
        $(delegate_to_window!(@$method);)+
    };
    (@on_start) => {
        fn on_start(&mut self, start: &$crate::congestion::Start) {
            self.window.start(start);
        }
    };
    (@on_known_threshold) => {
        fn on_known_threshold(&mut self, threshold: u32) {
            self.window.expect(threshold);
        }
    };
    (@on_undo) => {
        fn on_undo(&mut self, _now: $crate::time::Instant) {
            self.window.undo();
        }
    };
    (@on_restart_after_idle) => {
        fn on_restart_after_idle(&mut self, _now: $crate::time::Instant, restart_window: u32) {
            self.window.restart_after_idle(restart_window);
        }
    };
    (@on_unvalidated_window) => {
        fn on_unvalidated_window(&mut self, _now: $crate::time::Instant, least: u32) {
            self.window.give_up_unvalidated(least);
        }
    };
    (@on_unvalidated_loss) => {
        fn on_unvalidated_loss(&mut self, _now: $crate::time::Instant, window: u32) {
            self.window.avoid_congestion_at(window);
        }
    };
    (@on_mss_change) => {
        fn on_mss_change(&mut self, mss: u32) {
            self.window.change_mss(mss);
        }
    };
    (@window) => {
        fn window(&self) -> u32 {
            self.window.cwnd()
        }
    };
    (@slow_start_threshold) => {
        fn slow_start_threshold(&self) -> u32 {
            self.window.ssthresh()
        }
    };
}

pub(super) use {delegate_all, delegate_to_window};

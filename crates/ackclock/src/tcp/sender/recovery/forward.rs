//! A macro that implements `Rules` by forwarding every method to other rules.

/// Implements all methods of `Rules`, each as `$call!($context self.method(arguments))`.
///
/// Methods with a default body are included, as the default would otherwise hide the body of the inner rules.
macro_rules! forward_rules {
    ($call:ident $context:tt) => {
        fn on_ack<F: Flight>(&mut self, episode: &mut Episode, flight: &mut F, ack: &AckFacts<'_>) -> Outcome {
            $call!($context self.on_ack(episode, flight, ack))
        }

        fn on_timeout<F: Flight>(&mut self, episode: &Episode, flight: &mut F, now: Instant, rtt: &MeasuredRtt) {
            $call!($context self.on_timeout(episode, flight, now, rtt))
        }

        fn may_undo(&self) -> bool {
            $call!($context self.may_undo())
        }

        fn forget(&mut self, now: Instant) {
            $call!($context self.forget(now))
        }

        fn reordering(&self) -> Option<u8> {
            $call!($context self.reordering())
        }

        fn expect_reordering(&mut self, steps: u8) {
            $call!($context self.expect_reordering(steps))
        }

        fn on_reordering(&mut self) {
            $call!($context self.on_reordering())
        }

        fn pipe<F: Flight>(&self, episode: &Episode, flight: &F) -> u32 {
            $call!($context self.pipe(episode, flight))
        }

        fn window(&self, episode: &Episode, window: u32) -> u32 {
            $call!($context self.window(episode, window))
        }

        fn regulate<F: Flight>(&mut self, episode: &Episode, flight: &F, outcome: &Outcome, limits: &Limits) {
            $call!($context self.regulate(episode, flight, outcome, limits))
        }

        fn next_retransmission<F: Flight>(&self, episode: &Episode, flight: &mut F, allowance: u32) -> Option<SeqRange> {
            $call!($context self.next_retransmission(episode, flight, allowance))
        }

        fn next_speculation<F: Flight>(&self, episode: &Episode, flight: &F) -> Option<SeqRange> {
            $call!($context self.next_speculation(episode, flight))
        }

        fn on_sent<F: Flight>(&mut self, episode: &Episode, flight: &F, range: SeqRange, new: bool) {
            $call!($context self.on_sent(episode, flight, range, new))
        }

        fn is_plain(&self) -> bool {
            $call!($context self.is_plain())
        }

        #[inline(always)]
        fn take_run(&mut self, now: u64, una: SeqNumber, run: &Run) -> bool {
            $call!($context self.take_run(now, una, run))
        }

        fn early_timer(&self) -> (EarlyTimer, Instant) {
            $call!($context self.early_timer())
        }

        fn on_reordering_timeout<F: Flight>(&mut self, episode: &mut Episode, flight: &mut F, now_and_nxt: (Instant, SeqNumber), rtt: &MeasuredRtt) -> Outcome {
            $call!($context self.on_reordering_timeout(episode, flight, now_and_nxt, rtt))
        }

        #[inline(always)]
        fn schedule_probe<F: Flight>(&mut self, episode: &Episode, flight: &F, facts: &ProbeFacts) {
            $call!($context self.schedule_probe(episode, flight, facts))
        }

        fn cancel_early_timer(&mut self) {
            $call!($context self.cancel_early_timer())
        }

        fn on_probe_sent(&mut self, nxt: SeqNumber, range: SeqRange, new: bool) {
            $call!($context self.on_probe_sent(nxt, range, new))
        }

        fn superfluous(&self) -> SeqRange {
            $call!($context self.superfluous())
        }
    };
}

pub(super) use forward_rules;

//! Rules that are other rules: every method handed on, written once.

/// Writes all methods of `Rules`, each as `$call!($context self.method(arguments))`.
///
/// Provided methods are among them: a default body here would hide that of the rules themselves.
macro_rules! forward_rules {
    ($call:ident $context:tt) => {
        fn on_ack<P: Profile>(&mut self, episode: &mut Episode, flight: &mut Flight<'_, P>, ack: &AckFacts) -> Outcome {
            $call!($context self.on_ack(episode, flight, ack))
        }

        fn on_timeout<P: Profile>(&mut self, episode: &Episode, flight: &mut Flight<'_, P>, now: Instant, rtt: &MeasuredRtt) {
            $call!($context self.on_timeout(episode, flight, now, rtt))
        }

        fn may_undo(&self) -> bool {
            $call!($context self.may_undo())
        }

        fn forget(&mut self) {
            $call!($context self.forget())
        }

        fn on_reordering(&mut self) {
            $call!($context self.on_reordering())
        }

        fn pipe<P: Profile>(&self, episode: &Episode, flight: &Flight<'_, P>) -> u32 {
            $call!($context self.pipe(episode, flight))
        }

        fn window(&self, episode: &Episode, window: u32) -> u32 {
            $call!($context self.window(episode, window))
        }

        fn regulate<P: Profile>(&mut self, episode: &Episode, flight: &Flight<'_, P>, outcome: &Outcome, limits: &Limits) {
            $call!($context self.regulate(episode, flight, outcome, limits))
        }

        fn next_retransmission<P: Profile>(&self, episode: &Episode, flight: &mut Flight<'_, P>, allowance: u32) -> Option<SeqRange> {
            $call!($context self.next_retransmission(episode, flight, allowance))
        }

        fn next_speculation<P: Profile>(&self, episode: &Episode, flight: &Flight<'_, P>) -> Option<SeqRange> {
            $call!($context self.next_speculation(episode, flight))
        }

        fn on_sent<P: Profile>(&mut self, episode: &Episode, flight: &Flight<'_, P>, range: SeqRange, new: bool) {
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

        fn on_reordering_timeout<P: Profile>(&mut self, episode: &mut Episode, flight: &mut Flight<'_, P>, now_and_nxt: (Instant, SeqNumber), rtt: &MeasuredRtt) -> Outcome {
            $call!($context self.on_reordering_timeout(episode, flight, now_and_nxt, rtt))
        }

        #[inline(always)]
        fn schedule_probe<P: Profile>(&mut self, episode: &Episode, flight: &Flight<'_, P>, facts: &ProbeFacts) {
            $call!($context self.schedule_probe(episode, flight, facts))
        }

        fn cancel_early_timer(&mut self) {
            $call!($context self.cancel_early_timer())
        }

        fn on_probe_sent(&mut self, nxt: SeqNumber, range: SeqRange, new: bool) {
            $call!($context self.on_probe_sent(nxt, range, new))
        }

        fn superfluous(&self) -> u32 {
            $call!($context self.superfluous())
        }
    };
}

pub(super) use forward_rules;

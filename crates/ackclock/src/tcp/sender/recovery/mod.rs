//! Which segment next: loss detection and recovery.
//!
//! What is lost is marked on the [`Flight`]. One of the [`Rules`], each in a file of its own,
//! decides when that makes a recovery episode, when the episode ends, what is sent again and what
//! counts as having left the network. How much may be in flight meanwhile is the window law's
//! business.
//!
//! Another recovery is one file with its rules and one line in the list of `algorithm.rs`. Which of them
//! an image has is a type of its profile (`choice.rs`).

mod algorithm;
pub mod choice;
mod forward;
mod go_back_n;
mod newreno;
mod prr;
mod rack;
mod reno;
mod rfc6675;
mod rules;
mod sack_pipe;
mod tahoe;
mod undo;

pub use algorithm::RecoveryAlgorithm;

use super::flight::{Delivered, Flight, Losses, Run, micros};
use crate::profile::{Kept, Part, Profile};
use crate::seq::{SeqNumber, SeqRange};
use crate::time::{Duration, Instant};
use algorithm::AnyRules;
use choice::{RecoveryChoice, RuleSet};
use core::fmt::Debug;
use rules::{Episode, Rules};
use undo::Undo;

/// Duplicate acks, or SACKed segments above a hole, that make a loss (RFC 5681 section 3.2,
/// RFC 6675 DupThresh).
pub(crate) const DUPLICATE_THRESHOLD: u32 = 3;

/// What kind of recovery is going on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// None.
    Open,
    /// Fast recovery, until everything sent before it is acknowledged; the window law stands
    /// still.
    Fast,
    /// After a retransmission timeout, likewise; the window law is in slow start.
    Loss,
}

/// What an ack did, as far as recovery must know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckFacts<'a> {
    /// When it arrived, in microseconds.
    pub(crate) now: u64,
    /// SND.UNA after the ack.
    pub(crate) una: SeqNumber,
    /// SND.NXT.
    pub(crate) nxt: SeqNumber,
    /// Sequence numbers acknowledged cumulatively.
    pub(crate) acked: u32,
    /// Sequence numbers newly SACKed.
    pub(crate) sacked: u32,
    /// Whether it is a duplicate ack (RFC 5681 section 2; RFC 6675 section 2 with SACK).
    pub(crate) duplicate: bool,
    /// Whether it echoed a congestion mark.
    pub(crate) ecn_echo: bool,
    /// The law's window before the ack.
    pub(crate) window: u32,
    /// Whether it is one of these, and carries no SACK block.
    pub(crate) bare_duplicate: bool,
    /// Whether SACK decides what is lost.
    pub(crate) uses_sack: bool,
    /// What arrived twice (RFC 2883).
    pub(crate) dsack: Option<SeqRange>,
    /// Whether the peer has ever reported such a thing.
    pub(crate) reports_duplicates: bool,
    /// Our clock, in milliseconds, when the segment was sent whose timestamp the ack echoes.
    pub(crate) echoed_ms: Option<u32>,
    /// What arrived.
    pub(crate) delivered: &'a Delivered,
    /// Whether there is new data, and a window of the peer's for it.
    pub(crate) can_send_new: bool,
    /// Round-trip times, with this ack.
    pub(crate) rtt: MeasuredRtt,
    /// Segment size.
    pub(crate) mss: u32,
}

/// Round-trip times; zero before the first measurement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeasuredRtt {
    /// The least one.
    pub(crate) min: Duration,
    /// SRTT.
    pub(crate) smoothed: Duration,
}

/// What bounds a recovery that decides by itself how much to send.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Whether the law wants that.
    pub(crate) wants_prr: bool,
    /// The law's window.
    pub(crate) window: u32,
    pub(crate) mss: u32,
    /// DeliveredData (RFC 9937): newly acknowledged and SACKed.
    pub(crate) delivered: u32,
    /// Whether SND.UNA has advanced.
    pub(crate) advanced: bool,
}

/// What a tail loss probe depends on (RFC 8985 section 7.2).
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProbeFacts {
    pub(crate) now: Instant,
    /// When the retransmission timer fires.
    pub(crate) retransmission: Instant,
    pub(crate) rtt: MeasuredRtt,
}

/// A timer that fires before the retransmission timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum EarlyTimer {
    /// None.
    #[default]
    Off,
    /// What was overtaken is lost then (RFC 8985 section 6.2).
    Reordering,
    /// A tail loss probe is due then (RFC 8985 section 7.2).
    Probe,
}

/// What recovery makes of an ack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// What was newly found lost.
    pub(crate) lost: Losses,
    /// A recovery episode begins: the law must hear of it.
    pub(crate) entered: bool,
    /// A fast recovery episode is over.
    pub(crate) left: bool,
    /// Another sign of congestion, in an episode or without one: the law must hear of it.
    pub(crate) reduce_again: bool,
    /// The last reduction was a false alarm; the phase that was over with it.
    pub(crate) undone: Option<Phase>,
    /// The retransmission timer is to run on as it is (RFC 6582 section 3.2, step 3: only the first
    /// partial ack restarts it).
    pub(crate) keep_timer: bool,
}

/// State of loss recovery.
#[derive(Debug)]
pub(crate) struct Recovery<P: Profile> {
    rules: <P::Recovery as RecoveryChoice>::Rules,
    pub(in crate::tcp) episode: Episode,
    undo: <P::Undo as Part>::Keeps<Undo>,
}

impl<P: Profile> Recovery<P> {
    /// `sack`: whether the peer permits SACK.
    pub(crate) fn new(algorithm: RecoveryAlgorithm, sack: bool, iss: SeqNumber) -> Self {
        Recovery {
            rules: RuleSet::choose(algorithm, sack),
            episode: Episode {
                phase: Phase::Open,
                point: iss,
                duplicate_acks: 0,
                flight_end: iss,
                segments_lost: 0,
                owes_retransmission: false,
            },
            undo: Kept::new(Undo::default()),
        }
    }

    /// Which one is at work.
    pub(crate) fn algorithm(&self) -> RecoveryAlgorithm {
        self.rules.algorithm()
    }

    /// By how many steps the reordering window has grown, if segments were seen to arrive in another order
    /// than they were sent in, and the rules mind.
    pub(crate) fn reordering(&self) -> Option<u8> {
        self.rules.reordering()
    }

    /// An earlier connection has seen reordering, and the window for it grow by so many steps.
    pub(crate) fn expect_reordering(&mut self, steps: u8) {
        self.rules.expect_reordering(steps);
    }

    /// Whether SACK decides what is lost.
    pub(crate) fn uses_sack(&self) -> bool {
        P::SACK && self.rules.uses_sack()
    }

    pub(crate) fn phase(&self) -> Phase {
        self.episode.phase
    }

    /// SND.NXT when the last episode began.
    pub(crate) fn point(&self) -> SeqNumber {
        self.episode.point
    }

    /// Where FlightSize ends when an episode begins: what limited transmit has sent since the first
    /// duplicate ack does not count (RFC 5681 section 3.2, step 2).
    pub(crate) fn flight_end(&self) -> SeqNumber {
        self.episode.flight_end
    }

    /// Whether new data is to go out instead of retransmissions (RFC 5682).
    fn sends_forward(&self) -> bool {
        self.undo.get().is_some_and(Undo::sends_forward)
    }

    /// Whether nothing is missing, so far as is known, and only the law's window counts.
    pub(crate) fn is_calm<F: Flight>(&self, flight: &F) -> bool {
        self.episode.phase == Phase::Open
            && !self.sends_forward()
            && flight.sacked() == 0
            && flight.lost() == 0
            && self.rules.is_plain()
    }

    /// As [`on_ack`](Self::on_ack), where [`is_calm`](Self::is_calm) and the ack is for `run` and tells
    /// nothing else. False, without any effect, if it cannot be taken so.
    #[inline(always)]
    pub(crate) fn take_run(
        &mut self,
        now: Instant,
        (una, nxt): (SeqNumber, SeqNumber),
        run: &Run,
    ) -> bool {
        let is_armed = self.undo.get().is_some_and(Undo::is_armed);
        if is_armed || !self.rules.take_run(micros(now), una, run) {
            return false;
        }
        self.episode.duplicate_acks = 0;
        self.episode.flight_end = nxt;
        true
    }

    /// So many segments were found lost.
    pub(crate) fn count_lost(&mut self, segments: u32) {
        if !P::WINDOW_VALIDATION {
            return;
        }
        let segments = u16::try_from(segments).unwrap_or(u16::MAX);
        self.episode.segments_lost = self.episode.segments_lost.saturating_add(segments);
    }

    /// Segments found lost since the last episode began.
    pub(crate) fn segments_lost(&self) -> u16 {
        self.episode.segments_lost
    }

    /// Bytes thought to be in the network.
    pub(crate) fn pipe<F: Flight>(&self, flight: &F) -> u32 {
        self.rules.pipe(&self.episode, flight)
    }

    /// An ack was applied to the flight.
    pub(crate) fn on_ack<F: Flight>(&mut self, flight: &mut F, ack: &AckFacts<'_>) -> Outcome {
        self.episode.count(ack);
        let undone = self.undo_false_alarm(flight, ack);
        let probe = self.rules.superfluous();
        let outcome = Outcome { undone, ..self.rules.on_ack(&mut self.episode, flight, ack) };
        self.note_reduction(&outcome, ack.una, probe);
        outcome
    }

    /// Ends the episode if an ack shows that nothing was lost; gives the phase that is over with it.
    fn undo_false_alarm<F: Flight>(&mut self, flight: &mut F, ack: &AckFacts<'_>) -> Option<Phase> {
        let undo = self.undo.get_mut()?;
        let was_forward = undo.sends_forward();
        if undo.is_spurious(&self.episode, ack) {
            if !undo.is_by_timer() {
                self.rules.on_reordering();
            }
            undo.disarm();
            self.rules.forget(Instant::from_micros(ack.now));
            flight.unmark_lost();
            self.episode.owes_retransmission = false;
            return Some(core::mem::replace(&mut self.episode.phase, Phase::Open));
        }
        if was_forward && !undo.sends_forward() {
            // RFC 5682 section 2.1 step 3a: the new data fills the window, but what is missing is to
            // be sent again all the same.
            self.episode.owes_retransmission = true;
        }
        None
    }

    /// [`EarlyTimer::Reordering`] has fired.
    pub(crate) fn on_reordering_timeout<F: Flight>(
        &mut self,
        flight: &mut F,
        now: Instant,
        (una, nxt): (SeqNumber, SeqNumber),
        rtt: &MeasuredRtt,
    ) -> Outcome {
        let rules = &mut self.rules;
        let probe = rules.superfluous();
        let outcome = rules.on_reordering_timeout(&mut self.episode, flight, (now, nxt), rtt);
        self.note_reduction(&outcome, una, probe);
        outcome
    }

    fn note_reduction(&mut self, outcome: &Outcome, una: SeqNumber, probe: SeqRange) {
        let Some(undo) = self.undo.get_mut() else {
            return;
        };
        if outcome.reduce_again {
            undo.disarm();
        } else if outcome.entered && self.rules.may_undo() {
            undo.begin(una, probe);
        }
    }

    /// D-SACK reports something.
    pub(crate) fn count_duplicate(&mut self) {
        if let Some(undo) = self.undo.get_mut() {
            undo.count_reported();
        }
    }

    /// The last reduction was not made for a loss: it stays, whatever is found out about losses.
    pub(crate) fn keep_reduction(&mut self) {
        if let Some(undo) = self.undo.get_mut() {
            undo.disarm();
        }
    }

    /// The law has heard of `outcome`.
    pub(crate) fn regulate<F: Flight>(&mut self, flight: &F, outcome: &Outcome, limits: &Limits) {
        self.rules.regulate(&self.episode, flight, outcome, limits);
    }

    /// The window that bounds the pipe; the law has `window`.
    pub(crate) fn window(&self, window: u32) -> u32 {
        self.rules.window(&self.episode, window)
    }

    /// The retransmission timer fired, again without an ack since the last time if `repeated`.
    pub(crate) fn on_timeout<F: Flight>(
        &mut self,
        flight: &mut F,
        now: Instant,
        (una, nxt): (SeqNumber, SeqNumber),
        rtt: &MeasuredRtt,
        repeated: bool,
    ) {
        let recovering = self.episode.phase != Phase::Open;
        self.begin_anew(nxt);
        // RFC 6298 rule 5.4, also when some of the flight may yet arrive.
        self.episode.owes_retransmission = true;
        let rules = &mut self.rules;
        if let Some(undo) = self.undo.get_mut()
            && rules.may_undo()
        {
            undo.begin_timeout(una, rules.superfluous(), repeated, recovering);
        }
        rules.on_timeout(&self.episode, flight, now, rtt);
    }

    /// Nothing of the flight can arrive any more, which is no sign of congestion.
    pub(crate) fn on_all_lost<F: Flight>(&mut self, flight: &mut F, now: Instant, nxt: SeqNumber) {
        self.begin_anew(nxt);
        self.keep_reduction();
        self.rules.forget(now);
        flight.mark_all_lost();
    }

    /// Some of the flight is lost, up to `last`, which is no sign of congestion.
    pub(crate) fn on_part_lost(&mut self, now: Instant, last: SeqNumber) {
        self.begin_anew(last);
        self.keep_reduction();
        self.rules.forget(now);
    }

    fn begin_anew(&mut self, nxt: SeqNumber) {
        self.episode.phase = Phase::Loss;
        self.episode.point = nxt;
        self.episode.duplicate_acks = 0;
        self.episode.owes_retransmission = false;
    }

    /// The piece that must be sent again now.
    pub(crate) fn next_retransmission<F: Flight>(
        &self,
        flight: &mut F,
        allowance: u32,
    ) -> Option<SeqRange> {
        if self.sends_forward() {
            return None;
        }
        self.rules.next_retransmission(&self.episode, flight, allowance)
    }

    /// What to retransmit when nothing is lost and no new data can be sent.
    pub(crate) fn next_speculation<F: Flight>(
        &self,
        flight: &F,
        allowance: u32,
    ) -> Option<SeqRange> {
        let speculation = self.rules.next_speculation(&self.episode, flight)?;
        (speculation.len() <= allowance).then_some(speculation)
    }

    /// `range` was sent, for the first time or again.
    pub(crate) fn on_sent<F: Flight>(
        &mut self,
        now: Instant,
        flight: &F,
        range: SeqRange,
        new: bool,
    ) {
        self.episode.owes_retransmission &= new;
        if let Some(undo) = self.undo.get_mut().filter(|_| !new) {
            undo.count_resent();
            undo.on_resent(now.as_millis() as u32, range);
        }
        self.rules.on_sent(&self.episode, flight, range, new);
    }

    /// The timer of the recovery's own, and when it fires.
    pub(crate) fn early_timer(&self) -> (EarlyTimer, Instant) {
        self.rules.early_timer()
    }

    /// New data was sent, or something was acknowledged.
    #[inline(always)]
    pub(crate) fn schedule_probe<F: Flight>(&mut self, flight: &F, facts: &ProbeFacts) {
        self.rules.schedule_probe(&self.episode, flight, facts);
    }

    /// The retransmission timer does not run, or a probe is due.
    pub(crate) fn cancel_early_timer(&mut self) {
        self.rules.cancel_early_timer();
    }

    /// `range` was sent as a tail loss probe; SND.NXT is `nxt` then.
    pub(crate) fn on_probe_sent(&mut self, nxt: SeqNumber, range: SeqRange, new: bool) {
        if let Some(undo) = self.undo.get_mut().filter(|_| !new) {
            undo.count_resent();
        }
        self.rules.on_probe_sent(nxt, range, new);
    }
}

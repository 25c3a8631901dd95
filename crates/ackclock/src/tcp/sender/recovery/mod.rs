//! Loss detection and recovery: decides what to retransmit.
//!
//! Losses are marked on the [`Flight`]. One of the [`Rules`], each in a file of its own, decides when a loss
//! begins a recovery episode, when the episode ends, what is retransmitted, and what counts as having left
//! the network. How much may be in flight meanwhile is up to congestion control.
//!
//! To add an algorithm, write one file with its rules and add one line to the list in `algorithm.rs`. Which
//! algorithms an image has is a type of its profile (`choice.rs`).

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

/// Number of duplicate acks, or of SACKed segments above a hole, that indicate a loss (RFC 5681 section 3.2,
/// RFC 6675 DupThresh).
pub(crate) const DUPLICATE_THRESHOLD: u32 = 3;

/// Phase of loss recovery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// No recovery episode.
    Open,
    /// Fast recovery, until everything sent before it is acknowledged; congestion control keeps the window
    /// constant.
    Fast,
    /// Recovery after a retransmission timeout, until everything sent before it is acknowledged; congestion
    /// control is in slow start.
    Loss,
}

/// The facts of an ack that recovery needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckFacts<'a> {
    /// Time of arrival, in microseconds.
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
    /// Whether it carried ECN-Echo.
    pub(crate) ecn_echo: bool,
    /// The congestion window before the ack, in bytes.
    pub(crate) window: u32,
    /// Whether it is a duplicate ack without a SACK block.
    pub(crate) bare_duplicate: bool,
    /// Whether losses are detected by SACK.
    pub(crate) uses_sack: bool,
    /// A duplicate that the peer has received (D-SACK, RFC 2883).
    pub(crate) dsack: Option<SeqRange>,
    /// Whether the peer has ever reported a duplicate by D-SACK.
    pub(crate) reports_duplicates: bool,
    /// When the segment was sent whose timestamp the ack echoes, by our clock without its offset, in
    /// milliseconds.
    pub(crate) echoed_ms: Option<u32>,
    /// The data that it delivered.
    pub(crate) delivered: &'a Delivered,
    /// Whether there is new data to send, and room for it in the peer's window.
    pub(crate) can_send_new: bool,
    /// Round-trip times, including that of this ack.
    pub(crate) rtt: MeasuredRtt,
    /// Segment size in bytes.
    pub(crate) mss: u32,
}

/// Round-trip times; zero before the first measurement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeasuredRtt {
    /// The least round-trip time.
    pub(crate) min: Duration,
    /// SRTT.
    pub(crate) smoothed: Duration,
}

/// Limits for a recovery that decides itself how much to send (PRR).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Whether congestion control wants proportional rate reduction.
    pub(crate) wants_prr: bool,
    /// The congestion window, in bytes.
    pub(crate) window: u32,
    pub(crate) mss: u32,
    /// DeliveredData (RFC 9937): bytes newly acknowledged and SACKed.
    pub(crate) delivered: u32,
    /// Whether SND.UNA has advanced.
    pub(crate) advanced: bool,
}

/// The facts that the timer of a tail loss probe depends on (RFC 8985 section 7.2).
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProbeFacts {
    pub(crate) now: Instant,
    /// When the retransmission timer expires.
    pub(crate) retransmission: Instant,
    pub(crate) rtt: MeasuredRtt,
}

/// A timer of recovery that expires before the retransmission timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum EarlyTimer {
    /// No such timer.
    #[default]
    Off,
    /// Reordering timer: what was overtaken is considered lost when it expires (RFC 8985 section 6.2).
    Reordering,
    /// Tail loss probe timer (RFC 8985 section 7.2).
    Probe,
}

/// The result of processing an ack, or the reordering timer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Data newly found lost.
    pub(crate) lost: Losses,
    /// Whether a recovery episode begins; congestion control must be told.
    pub(crate) entered: bool,
    /// Whether a fast recovery episode ends.
    pub(crate) left: bool,
    /// Whether there is another sign of congestion, in or outside an episode; congestion control must be
    /// told.
    pub(crate) reduce_again: bool,
    /// The phase that ended because the last reduction was spurious and is to be undone, if so.
    pub(crate) undone: Option<Phase>,
    /// Whether the retransmission timer keeps running without a restart (RFC 6582 section 3.2, step 3: only
    /// the first partial ack restarts it).
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
    /// The initial state; `sack`: whether the peer permits SACK.
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

    /// The algorithm in use.
    pub(crate) fn algorithm(&self) -> RecoveryAlgorithm {
        self.rules.algorithm()
    }

    /// How many steps the reordering window has grown by; `None` if no reordering was seen, or if the
    /// algorithm has no such window.
    pub(crate) fn reordering(&self) -> Option<u8> {
        self.rules.reordering()
    }

    /// Begins with the reordering that an earlier connection has seen: its window had grown by `steps`.
    pub(crate) fn expect_reordering(&mut self, steps: u8) {
        self.rules.expect_reordering(steps);
    }

    /// Whether losses are detected by SACK.
    pub(crate) fn uses_sack(&self) -> bool {
        P::SACK && self.rules.uses_sack()
    }

    pub(crate) fn phase(&self) -> Phase {
        self.episode.phase
    }

    /// SND.NXT when the last episode began (recovery point).
    pub(crate) fn point(&self) -> SeqNumber {
        self.episode.point
    }

    /// End of the data that counts for FlightSize when an episode begins: without what limited transmit has
    /// sent since the first duplicate ack (RFC 5681 section 3.2, step 2).
    pub(crate) fn flight_end(&self) -> SeqNumber {
        self.episode.flight_end
    }

    /// Whether new data is to be sent instead of retransmissions (F-RTO, RFC 5682).
    fn sends_forward(&self) -> bool {
        self.undo.get().is_some_and(Undo::sends_forward)
    }

    /// Whether no data is known to be missing, so that only the congestion window limits the sender.
    pub(crate) fn is_calm<F: Flight>(&self, flight: &F) -> bool {
        self.episode.phase == Phase::Open
            && !self.sends_forward()
            && flight.sacked() == 0
            && flight.lost() == 0
            && self.rules.is_plain()
    }

    /// Fast variant of [`on_ack`](Self::on_ack) for an ack that only acknowledges `run`, while
    /// [`is_calm`](Self::is_calm). Returns false, without any effect, if it does not apply.
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

    /// Adds `segments` to the segments found lost.
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

    /// Bytes considered to be in the network (pipe).
    pub(crate) fn pipe<F: Flight>(&self, flight: &F) -> u32 {
        self.rules.pipe(&self.episode, flight)
    }

    /// Processes an ack that has been applied to the flight.
    pub(crate) fn on_ack<F: Flight>(&mut self, flight: &mut F, ack: &AckFacts<'_>) -> Outcome {
        self.episode.count(ack);
        let undone = self.undo_false_alarm(flight, ack);
        let probe = self.rules.superfluous();
        let outcome = Outcome { undone, ..self.rules.on_ack(&mut self.episode, flight, ack) };
        self.note_reduction(&outcome, ack.una, probe);
        outcome
    }

    /// Ends the episode if an ack shows that nothing was lost; returns the phase that ended.
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
            // RFC 5682 section 2.1 step 3a: the new data fills the window, but the missing segments are to be
            // retransmitted all the same.
            self.episode.owes_retransmission = true;
        }
        None
    }

    /// Handles [`EarlyTimer::Reordering`], which has expired.
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

    /// Counts a duplicate reported by D-SACK.
    pub(crate) fn count_duplicate(&mut self) {
        if let Some(undo) = self.undo.get_mut() {
            undo.count_reported();
        }
    }

    /// Makes the last reduction permanent: it was not made for a loss, so it is not undone whatever is found
    /// out about losses.
    pub(crate) fn keep_reduction(&mut self) {
        if let Some(undo) = self.undo.get_mut() {
            undo.disarm();
        }
    }

    /// Updates limits of recovery itself (PRR), after congestion control was told of `outcome`.
    pub(crate) fn regulate<F: Flight>(&mut self, flight: &F, outcome: &Outcome, limits: &Limits) {
        self.rules.regulate(&self.episode, flight, outcome, limits);
    }

    /// The window that limits the pipe, in bytes; `window` is the congestion window.
    pub(crate) fn window(&self, window: u32) -> u32 {
        self.rules.window(&self.episode, window)
    }

    /// Handles a retransmission timeout; `repeated`: there was no ack since the last one.
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
        // RFC 6298 rule 5.4, even if some of the flight may still arrive.
        self.episode.owes_retransmission = true;
        let rules = &mut self.rules;
        if let Some(undo) = self.undo.get_mut()
            && rules.may_undo()
        {
            undo.begin_timeout(una, rules.superfluous(), repeated, recovering);
        }
        rules.on_timeout(&self.episode, flight, now, rtt);
    }

    /// Marks the whole flight lost, because none of it can arrive any more; this is no sign of congestion.
    pub(crate) fn on_all_lost<F: Flight>(&mut self, flight: &mut F, now: Instant, nxt: SeqNumber) {
        self.begin_anew(nxt);
        self.keep_reduction();
        self.rules.forget(now);
        flight.mark_all_lost();
    }

    /// Begins to repair a part of the flight, up to `last`, that is lost; this is no sign of congestion.
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

    /// The piece to retransmit now, before new data; `allowance` is the window left beyond the pipe, in
    /// bytes.
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

    /// A piece to retransmit though it is not known to be lost, when no new data can be sent.
    pub(crate) fn next_speculation<F: Flight>(
        &self,
        flight: &F,
        allowance: u32,
    ) -> Option<SeqRange> {
        let speculation = self.rules.next_speculation(&self.episode, flight)?;
        (speculation.len() <= allowance).then_some(speculation)
    }

    /// Notes that `range` was sent (`new`) or retransmitted.
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

    /// The additional timer of recovery, and when it expires.
    pub(crate) fn early_timer(&self) -> (EarlyTimer, Instant) {
        self.rules.early_timer()
    }

    /// Schedules a tail loss probe, because new data was sent or acknowledged.
    #[inline(always)]
    pub(crate) fn schedule_probe<F: Flight>(&mut self, flight: &F, facts: &ProbeFacts) {
        self.rules.schedule_probe(&self.episode, flight, facts);
    }

    /// Stops the additional timer, because the retransmission timer is off or a probe is due.
    pub(crate) fn cancel_early_timer(&mut self) {
        self.rules.cancel_early_timer();
    }

    /// Notes that `range` was sent as a tail loss probe, after which SND.NXT is `nxt`.
    pub(crate) fn on_probe_sent(&mut self, nxt: SeqNumber, range: SeqRange, new: bool) {
        if let Some(undo) = self.undo.get_mut().filter(|_| !new) {
            undo.count_resent();
        }
        self.rules.on_probe_sent(nxt, range, new);
    }
}

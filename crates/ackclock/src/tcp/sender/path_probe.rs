//! Probes of the path's MTU (RFC 4821): when one may go, and what its loss means.

use super::flight::Flight;
use super::recovery::{DUPLICATE_THRESHOLD, Outcome, Phase};
use super::{Data, DataKind, Sender, Waiting};
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::seq::{SeqNumber, SeqRange};
use crate::tcp::Settings;
use crate::tcp::sender::flight::Losses;
use crate::time::{Duration, Instant};

/// What is sent in the turn of a connection that searches its path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProbeTurn {
    /// What would be sent anyway.
    None,
    /// Nothing new: acks are to make room for the probe in the windows (section 7.4).
    Gather,
    /// This probe.
    Probe(Data),
}

/// What has become of a probe (section 7.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum ProbeFate {
    /// There is none.
    #[default]
    None,
    /// Nobody knows yet.
    UnderWay,
    /// It was acknowledged.
    Arrived,
    /// It was lost, and nothing else.
    Lost,
    /// The timer has fired for it.
    TimedOut,
    /// It was lost, and other data too.
    Inconclusive,
}

/// A probe as the sender knows it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PathProbe {
    /// Where its data end.
    end: SeqNumber,
    fate: ProbeFate,
    /// Its data are sent again, which is no sign of congestion; another loss is.
    repairs: bool,
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// A probe with `payload` bytes, if it may go: nothing is missing, there is that much new data, and for
    /// so many segments behind it that their acks show whether it has arrived, and the windows take them
    /// (section 7.4).
    pub(crate) fn path_probe(
        &mut self,
        now: Instant,
        settings: &Settings<P>,
        payload: u32,
    ) -> ProbeTurn {
        self.restart_after_idle(now, settings);
        let followers = self.mss().saturating_mul(DUPLICATE_THRESHOLD);
        let needed = payload.saturating_add(followers);
        let window = self.controller.window();
        let may_probe = payload > self.mss()
            && self.waiting == Waiting::ForAck
            && self.recovery.phase() == Phase::Open
            && self.flight.lost() == 0
            && self.flight.sacked() == 0
            && self.unsent() >= needed
            && self.window.size.min(window) >= needed
            && self.urgent.get().is_none()
            && !(self.ecn.is_holding() || self.ecn.is_cwr_due())
            && self.flight.has_room();
        if !may_probe {
            return ProbeTurn::None;
        }
        if self.usable_window() < needed || window.saturating_sub(self.pipe()) < payload {
            return ProbeTurn::Gather;
        }
        if self.released(now, settings) == 0 {
            self.wait_for_pacing(now);
            return ProbeTurn::Gather;
        }
        let seq = self.snd_nxt;
        ProbeTurn::Probe(Data { kind: DataKind::PathProbe, seq, len: payload, fin: false })
    }

    /// The link has taken a probe that ends at `end`.
    pub(super) fn note_path_probe(&mut self, end: SeqNumber) {
        if let Some(probe) = self.path_probe.get_mut() {
            *probe = PathProbe { end, fate: ProbeFate::UnderWay, repairs: false };
        }
    }

    /// What has become of the last probe, told once.
    pub(crate) fn take_probe_fate(&mut self) -> ProbeFate {
        let una = self.snd_una;
        let Some(probe) = self.path_probe.get_mut() else {
            return ProbeFate::None;
        };
        match probe.fate {
            ProbeFate::UnderWay if una.before(probe.end) => ProbeFate::UnderWay,
            fate => {
                probe.fate = ProbeFate::None;
                if fate == ProbeFate::UnderWay { ProbeFate::Arrived } else { fate }
            }
        }
    }

    /// A round trip for each segment of the window (section 7.6.2).
    pub(crate) fn probe_headway(&self) -> Duration {
        let segments = (self.controller.window() / self.mss().max(1)).max(1);
        self.rto.smoothed_rtt().saturating_mul(segments.into())
    }

    /// The segments of the flight change size: whatever becomes of a probe under way tells nothing.
    pub(super) fn give_probe_up(&mut self) {
        if let Some(probe) = self.path_probe.get_mut()
            && probe.fate == ProbeFate::UnderWay
        {
            probe.fate = ProbeFate::Inconclusive;
        }
    }

    /// The end of the data of a probe of which nobody knows yet whether it has arrived.
    fn probe_under_way(&self) -> Option<SeqNumber> {
        let probe = self.path_probe.get()?;
        (probe.fate == ProbeFate::UnderWay && self.snd_una.before(probe.end)).then_some(probe.end)
    }

    fn settle_path_probe(&mut self, fate: ProbeFate) {
        if let Some(probe) = self.path_probe.get_mut() {
            (probe.fate, probe.repairs) = (fate, fate == ProbeFate::Lost);
        }
    }

    /// Recovery has found losses. If what is lost is a probe, and nothing else, that says nothing of
    /// congestion: its data go again in smaller segments, and the law hears of nothing (section 7.6.2). What
    /// else is lost meanwhile is congestion.
    #[inline(always)]
    pub(super) fn judge_path_probe(&mut self, now: Instant, outcome: &mut Outcome) {
        if P::PATH_PROBING && outcome.lost.bytes > 0 {
            self.judge_losses(now, outcome);
        }
    }

    #[cold]
    #[inline(never)]
    fn judge_losses(&mut self, now: Instant, outcome: &mut Outcome) {
        if let Some(probe) = self.path_probe.get_mut()
            && core::mem::take(&mut probe.repairs)
            && self.recovery.phase() == Phase::Loss
        {
            outcome.reduce_again = true;
        }
        let Some(end) = self.probe_under_way() else {
            return;
        };
        let Some((range, lost)) = self.flight.probe(end) else {
            return self.settle_path_probe(ProbeFate::Inconclusive);
        };
        if lost == 0 {
            return;
        }
        let is_alone = self.flight.lost() == lost || !self.recovery.uses_sack();
        if outcome.entered && range.start == self.snd_una && is_alone {
            (outcome.entered, outcome.lost) = (false, Losses::default());
            self.repair_path_probe(now, range);
        } else {
            self.flight.cut_probe(end, self.mss());
            self.settle_path_probe(ProbeFate::Inconclusive);
        }
    }

    /// The data of a probe go again, in segments of the size that passes.
    fn repair_path_probe(&mut self, now: Instant, range: SeqRange) {
        self.flight.cut_probe(range.end, self.mss());
        self.flight.mark_probe_lost(range.end);
        self.recovery.on_part_lost(now, range.end - 1);
        self.settle_path_probe(ProbeFate::Lost);
    }

    /// The retransmission timer has fired. If all but a probe has arrived that was sent, its data go again,
    /// which is no sign of congestion: true. Otherwise it is one (section 7.6.3).
    pub(super) fn repairs_path_probe_on_timeout(&mut self, now: Instant) -> bool {
        if let Some(probe) = self.path_probe.get_mut() {
            probe.repairs = false;
        }
        let Some(end) = self.probe_under_way() else {
            return false;
        };
        let found = self.flight.probe(end).map(|(range, _)| range);
        let Some(range) = found.filter(|range| range.start == self.snd_una) else {
            self.flight.cut_probe(end, self.mss());
            self.settle_path_probe(ProbeFate::Inconclusive);
            return false;
        };
        let is_alone = self.flight.sacked() + range.len() == self.flight.outstanding();
        if is_alone {
            self.repair_path_probe(now, range);
            self.wait_for_ack(self.rto.deadline(now));
        } else {
            self.flight.cut_probe(end, self.mss());
            self.settle_path_probe(ProbeFate::TimedOut);
        }
        is_alone
    }

    /// What begins at `start` goes again. If that is a probe, which was not found lost, an ack of it says
    /// nothing from now on.
    #[inline(always)]
    pub(super) fn note_path_probe_resent(&mut self, start: SeqNumber) {
        if P::PATH_PROBING && self.probe_under_way().is_some_and(|end| start.before(end)) {
            self.give_resent_probe_up(start);
        }
    }

    #[cold]
    #[inline(never)]
    fn give_resent_probe_up(&mut self, start: SeqNumber) {
        if let Some(end) = self.probe_under_way()
            && let Some((range, _)) = self.flight.probe(end)
            && range.contains(start)
        {
            self.flight.cut_probe(end, self.mss());
            self.settle_path_probe(ProbeFate::Inconclusive);
        }
    }
}

//! Probes of the path's MTU (RFC 4821): when one may go, and what its loss means.

use super::flight::Flight;
use super::recovery::{DUPLICATE_THRESHOLD, Outcome, Phase};
use super::{Data, DataKind, Sender, Waiting};
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::seq::SeqRange;
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
    /// Nobody has found it lost; it has arrived if its data are acknowledged.
    UnderWay,
    /// It was lost, and nothing else.
    Lost,
    /// The timer has fired for it.
    TimedOut,
    /// It was lost, and other data too.
    Inconclusive,
    /// It was [`Lost`](Self::Lost), which is known by now, and its data are sent again.
    Repaired,
}

/// What losses are while a probe is under way, or is repaired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Judgement {
    /// What recovery takes them for.
    AsFound,
    /// The probe's alone, which is no congestion.
    Probe,
    /// More than the probe's: congestion that recovery takes for the probe's repair.
    More,
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

    /// The link has taken a probe.
    pub(super) fn note_path_probe(&mut self) {
        self.settle_path_probe(ProbeFate::UnderWay);
    }

    /// What has become of the last probe, whose data are acknowledged if `is_acked`; what is no news any
    /// more is forgotten.
    pub(crate) fn take_probe_fate(&mut self, is_acked: bool) -> ProbeFate {
        let Some(probe) = self.path_probe.get_mut() else {
            return ProbeFate::None;
        };
        let fate = *probe;
        *probe = match fate {
            ProbeFate::UnderWay if !is_acked => fate,
            ProbeFate::Lost => ProbeFate::Repaired,
            _ => ProbeFate::None,
        };
        fate
    }

    /// A round trip for each segment of the window (section 7.6.2).
    pub(crate) fn probe_headway(&self) -> Duration {
        let segments = (self.controller.window() / self.mss().max(1)).max(1);
        self.rto.smoothed_rtt().saturating_mul(segments.into())
    }

    fn is_probe_under_way(&self) -> bool {
        self.path_probe.get() == Some(&ProbeFate::UnderWay)
    }

    fn settle_path_probe(&mut self, fate: ProbeFate) {
        if let Some(probe) = self.path_probe.get_mut() {
            *probe = fate;
        }
    }

    /// The data of a probe go in other segments, so that an ack of them says nothing.
    pub(super) fn give_probe_up(&mut self) {
        if self.is_probe_under_way() {
            self.settle_path_probe(ProbeFate::Inconclusive);
        }
    }

    /// Whether a segment of the flight is longer than those that pass: it is the probe.
    fn is_probe(&self, segment: SeqRange) -> bool {
        // A FIN behind a full segment makes it longer by one.
        let data_end = self.snd_una + self.queue.len() as u32;
        segment.len() > self.mss() && segment.end.at_or_before(data_end)
    }

    /// Recovery has found losses. If what is lost is a probe, and nothing else, that says nothing of
    /// congestion: its data go again in smaller segments, and the law hears of nothing (section 7.6.2). What
    /// else is lost meanwhile is congestion.
    #[inline(always)]
    pub(super) fn judge_path_probe(&mut self, now: Instant, outcome: &mut Outcome) {
        if !P::PATH_PROBING || outcome.lost.bytes == 0 {
            return;
        }
        if self.path_probe.get().is_some_and(|fate| *fate != ProbeFate::None) {
            match self.judge_losses(now, outcome.entered) {
                Judgement::AsFound => {}
                Judgement::Probe => (outcome.entered, outcome.lost) = (false, Losses::default()),
                Judgement::More => outcome.reduce_again = true,
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn judge_losses(&mut self, now: Instant, entered: bool) -> Judgement {
        match self.path_probe.get().copied().unwrap_or_default() {
            ProbeFate::UnderWay => {}
            fate @ (ProbeFate::Lost | ProbeFate::Repaired) => {
                let is_news = fate == ProbeFate::Lost;
                let fate = if is_news { ProbeFate::Inconclusive } else { ProbeFate::None };
                self.settle_path_probe(fate);
                let is_repairing = self.recovery.phase() == Phase::Loss;
                return if is_repairing { Judgement::More } else { Judgement::AsFound };
            }
            _ => return Judgement::AsFound,
        }
        // Behind another loss it will be given up when it goes again.
        let Some(lost) = self.flight.first_lost().filter(|&lost| self.is_probe(lost)) else {
            return Judgement::AsFound;
        };
        let is_alone = self.flight.lost() == lost.len() || !self.recovery.uses_sack();
        if entered && lost.start == self.snd_una && is_alone {
            self.repair_path_probe(now, lost);
            Judgement::Probe
        } else {
            self.settle_path_probe(ProbeFate::Inconclusive);
            Judgement::AsFound
        }
    }

    /// The data of a probe, with which the flight begins, go again in segments of the size that passes.
    fn repair_path_probe(&mut self, now: Instant, probe: SeqRange) {
        self.flight.mark_only_first_lost(self.mss());
        self.recovery.on_part_lost(now, probe.end - 1);
        self.settle_path_probe(ProbeFate::Lost);
    }

    /// The retransmission timer has fired. If all but a probe has arrived that was sent, its data go again,
    /// which is no sign of congestion: true. Otherwise it is one (section 7.6.3).
    pub(super) fn repairs_path_probe_on_timeout(&mut self, now: Instant) -> bool {
        let first = self.flight.first().filter(|&first| self.is_probe(first));
        let Some(first) = first.filter(|_| self.is_probe_under_way()) else {
            if self.path_probe.get() == Some(&ProbeFate::Repaired) {
                self.settle_path_probe(ProbeFate::None);
            }
            return false;
        };
        let is_alone = self.flight.sacked() + first.len() == self.flight.outstanding();
        if is_alone {
            self.repair_path_probe(now, first);
            self.wait_for_ack(self.rto.deadline(now));
        } else {
            self.settle_path_probe(ProbeFate::TimedOut);
        }
        is_alone
    }
}

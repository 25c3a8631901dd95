//! Path MTU probes (RFC 4821): when one may be sent, and what its loss means for recovery.

use super::flight::Flight;
use super::recovery::{DUPLICATE_THRESHOLD, Outcome, Phase};
use super::{Data, DataKind, Sender, Waiting};
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::seq::SeqRange;
use crate::tcp::Settings;
use crate::tcp::sender::flight::Losses;
use crate::time::{Duration, Instant};

/// What a connection that searches for its path MTU sends next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProbeTurn {
    /// No probe is due: other segments as usual.
    None,
    /// No new data, until acks have made room for the probe in the windows (section 7.4).
    Gather,
    /// This probe.
    Probe(Data),
}

/// State of the last probe (section 7.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum ProbeFate {
    /// No probe, or its outcome was handled.
    #[default]
    None,
    /// In flight, and not found lost; it has arrived once its data is acknowledged.
    UnderWay,
    /// Only the probe was lost.
    Lost,
    /// The retransmission timer has expired, with other data in flight that was not SACKed.
    TimedOut,
    /// Says nothing about the size: other data was lost too, or the probe's data was sent in other segments.
    Inconclusive,
    /// [`Lost`](Self::Lost), as the search knows by now; the data is being retransmitted.
    Repaired,
}

/// What losses mean while a probe is in flight or its data is retransmitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Judgement {
    /// What recovery has found.
    AsFound,
    /// Loss of the probe alone: no congestion.
    Probe,
    /// Congestion, which recovery would otherwise count as part of the probe's episode.
    More,
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// A probe with `payload` bytes, if it may be sent: no data is missing, and there is new data for the probe
    /// and for enough segments after it that their acks show whether it has arrived, all of which fits into the
    /// windows (section 7.4).
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

    /// Records that the link has accepted a probe.
    pub(super) fn on_path_probe_sent(&mut self) {
        self.set_probe_fate(ProbeFate::UnderWay);
    }

    /// The state of the last probe, whose data was acknowledged if `is_acked`. An outcome is returned once.
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

    /// Least time from the loss of a probe to the next one: a round trip for each segment of the window (section
    /// 7.6.2).
    pub(crate) fn probe_interval(&self) -> Duration {
        let segments = (self.controller.window() / self.mss().max(1)).max(1);
        self.rto.smoothed_rtt().saturating_mul(segments.into())
    }

    /// Whether a probe was sent of which it is not known yet what has become.
    #[inline(always)]
    pub(crate) fn is_probe_in_flight(&self) -> bool {
        P::PATH_PROBING && self.path_probe.get() == Some(&ProbeFate::UnderWay)
    }

    fn set_probe_fate(&mut self, fate: ProbeFate) {
        if let Some(probe) = self.path_probe.get_mut() {
            *probe = fate;
        }
    }

    /// Notes that the data of the probe is sent in other segments, so that its ack shows nothing.
    pub(super) fn abandon_probe(&mut self) {
        if self.is_probe_in_flight() {
            self.set_probe_fate(ProbeFate::Inconclusive);
        }
    }

    /// Whether a segment of the flight is the probe: it is longer than the MSS.
    fn is_probe(&self, segment: SeqRange) -> bool {
        // A FIN makes a full segment longer by one.
        let data_end = self.snd_una + self.queue.len() as u32;
        segment.len() > self.mss() && segment.end.at_or_before(data_end)
    }

    /// Decides what losses found by recovery mean. If only the probe is lost, this is no sign of congestion:
    /// its data is retransmitted in smaller segments, and congestion control is not told (section 7.6.2). Other
    /// losses until it is repaired are congestion.
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
                self.set_probe_fate(fate);
                let is_repairing = self.recovery.phase() == Phase::Loss;
                return if is_repairing { Judgement::More } else { Judgement::AsFound };
            }
            _ => return Judgement::AsFound,
        }
        // A probe behind another loss is given up when its data is retransmitted.
        let Some(lost) = self.flight.first_lost().filter(|&lost| self.is_probe(lost)) else {
            return Judgement::AsFound;
        };
        let is_alone = self.flight.lost() == lost.len() || !self.recovery.uses_sack();
        if entered && lost.start == self.snd_una && is_alone {
            self.repair_path_probe(now, lost);
            Judgement::Probe
        } else {
            self.set_probe_fate(ProbeFate::Inconclusive);
            Judgement::AsFound
        }
    }

    /// Has the data of the probe, at the front of the flight, retransmitted in segments of the size that passes.
    fn repair_path_probe(&mut self, now: Instant, probe: SeqRange) {
        self.flight.mark_only_first_lost(self.mss());
        self.recovery.on_part_lost(now, probe.end - 1);
        self.set_probe_fate(ProbeFate::Lost);
    }

    /// Handles a timeout if only the probe is missing: its data is retransmitted. Returns whether this is so;
    /// other timeouts are a sign of congestion (section 7.6.3).
    pub(super) fn repairs_path_probe_on_timeout(&mut self, now: Instant) -> bool {
        let first = self.flight.first().filter(|&first| self.is_probe(first));
        let Some(first) = first.filter(|_| self.is_probe_in_flight()) else {
            if self.path_probe.get() == Some(&ProbeFate::Repaired) {
                self.set_probe_fate(ProbeFate::None);
            }
            return false;
        };
        let is_alone = self.flight.sacked() + first.len() == self.flight.outstanding();
        if is_alone {
            self.repair_path_probe(now, first);
            self.wait_for_ack(self.rto.deadline(now));
        } else {
            self.set_probe_fate(ProbeFate::TimedOut);
        }
        is_alone
    }
}

//! The sender's part in explicit congestion notification (RFC 3168 section 6.1.2), which over AccECN is the same
//! but for CWR (RFC 9768 section 4).

use super::Sender;
use super::flight::Flight;
use crate::congestion::{Congestion, CongestionController, CongestionKind, Marks};
use crate::profile::{Kept, Part, Profile};
use crate::seq::SeqNumber;
use crate::time::Instant;
use crate::wire::Ecn;

/// Whether new data may be marked on its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Capability {
    /// No.
    None,
    /// The peer echoes marks until it sees CWR: both SYNs were ECN-setup SYNs (RFC 3168).
    Echoed,
    /// The peer counts them (RFC 9768).
    Counted,
}

/// What has reduced the window within the last window of data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reduced {
    No,
    ByLoss,
    ByMark,
}

/// What the sender remembers of congestion marks: nothing, where an image does without ECN.
#[derive(Clone, Copy, Debug)]
pub(super) struct EcnSender<P: Profile>(<P::Ecn as Part>::Keeps<EcnState>);

#[derive(Clone, Copy, Debug)]
struct EcnState {
    capable: Capability,
    /// The next new data tells the peer that the window was reduced.
    cwr_due: bool,
    /// With a window of one segment only the retransmission timer can slow the sender down: nothing
    /// new is sent before it fires.
    held: bool,
    reduced: Reduced,
    /// SND.NXT at the last reduction. What acknowledges more has seen the CWR.
    point: SeqNumber,
}

impl<P: Profile> EcnSender<P> {
    pub(super) fn new(capable: Capability, iss: SeqNumber) -> Self {
        let reduced = Reduced::No;
        EcnSender(Kept::new(EcnState { capable, cwr_due: false, held: false, reduced, point: iss }))
    }

    #[inline(always)]
    pub(super) fn is_holding(&self) -> bool {
        self.0.get().is_some_and(|marks| marks.held)
    }

    #[inline(always)]
    pub(super) fn is_cwr_due(&self) -> bool {
        self.0.get().is_some_and(|marks| marks.cwr_due)
    }

    /// The timer has fired; returns whether something was held back for it.
    pub(super) fn release(&mut self) -> bool {
        self.0.get_mut().is_some_and(|marks| core::mem::take(&mut marks.held))
    }

    /// New data was sent.
    pub(super) fn on_new_data_sent(&mut self) {
        if let Some(marks) = self.0.get_mut() {
            marks.cwr_due = false;
        }
    }
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Whether new data is sent as ECN-capable.
    pub(crate) fn is_ecn_capable(&self) -> bool {
        self.ecn.0.get().is_some_and(|marks| marks.capable != Capability::None)
    }

    /// The codepoint of new data that may be marked: ECT(1) where the law is scalable and the peer counts marks (RFC
    /// 9331 sections 4.1 and 4.2), else ECT(0).
    pub(crate) fn codepoint(&self) -> Ecn {
        let is_l4s = self.has_counted_marks() && self.controller.wants_l4s();
        if is_l4s { Ecn::Ect1 } else { Ecn::Ect0 }
    }

    /// Whether the peer counts marks of new data.
    pub(super) fn has_counted_marks(&self) -> bool {
        P::ACCURATE_ECN
            && self.ecn.0.get().is_some_and(|marks| marks.capable == Capability::Counted)
    }

    /// How many segments an ack of everything before `una` covers, if that is certain.
    pub(in crate::tcp) fn segments_before(&self, una: SeqNumber) -> Option<u32> {
        self.flight.segments_before(una)
    }

    /// Whether the law answers marks by itself, as they are counted.
    pub(super) fn leaves_marks_to_law(&self) -> bool {
        self.has_counted_marks() && self.controller.counts_marks()
    }

    /// New data can no longer be marked: something changes what it is marked with.
    pub(crate) fn give_up_capability(&mut self) {
        if let Some(marks) = self.ecn.0.get_mut() {
            marks.capable = Capability::None;
        }
    }

    /// Whether the next new data carries CWR.
    pub(crate) fn cwr_due(&self) -> bool {
        self.ecn.is_cwr_due()
    }

    /// Congestion was detected: the window shrinks, once for all that is lost or marked of one
    /// window of data. Recovery knows by itself when a loss is a new instance of congestion.
    pub(super) fn reduce(&mut self, now: Instant, kind: CongestionKind, flight_size: u32) {
        if let Some(marks) = self.ecn.0.get_mut() {
            let by_mark = kind == CongestionKind::Ecn;
            // What was lost from there on, the segment with CWR among it, was sent after the reduction.
            let is_one = self.snd_una.before(marks.point);
            let is_fast = kind == CongestionKind::FastRetransmit;
            if is_fast && is_one && marks.reduced == Reduced::ByMark {
                self.recovery.keep_reduction();
                // A retransmission that is lost too is congestion anew.
                marks.reduced = Reduced::ByLoss;
                return;
            }
            if by_mark {
                self.recovery.keep_reduction();
            }
            marks.reduced = if by_mark { Reduced::ByMark } else { Reduced::ByLoss };
            marks.point = self.snd_nxt;
            marks.cwr_due = marks.capable == Capability::Echoed;
        }
        // So that laws have no answer to marks in an image without ECN.
        if P::ECN || kind != CongestionKind::Ecn {
            let may_be_undone = P::UNDO;
            self.controller.on_congestion(&Congestion { now, kind, flight_size, may_be_undone });
        }
    }

    /// The last reduction was taken back: the peer is not told of it, and a mark that it echoes has
    /// its effect.
    pub(super) fn withdraw_reduction(&mut self) {
        if let Some(marks) = self.ecn.0.get_mut() {
            (marks.reduced, marks.cwr_due) = (Reduced::No, false);
        }
    }

    /// Tells the law of marks that the peer counts (RFC 9768).
    pub(in crate::tcp) fn tell_marks(&mut self, marks: &Marks) {
        self.controller.on_marks(marks);
    }

    /// An ack that advanced SND.UNA by `advanced`, and may have echoed a mark, was digested.
    #[inline(always)]
    pub(in crate::tcp) fn digest_echo(&mut self, now: Instant, echo: bool, advanced: u32) {
        let is_counted = echo && self.leaves_marks_to_law();
        let Some(marks) = self.ecn.0.get_mut() else {
            return;
        };
        if self.snd_una.after(marks.point) {
            marks.reduced = Reduced::No;
        }
        if echo && marks.reduced == Reduced::No && !is_counted {
            marks.held = self.controller.window() <= self.mss.into();
            if marks.held {
                self.restart_timer(now);
            }
            // After a repair an ack tells of more than the window has let out: that is no reason to let it grow
            // ("SHOULD NOT increase the congestion window", section 6.1.2).
            let flight_size = self.snd_nxt.since(self.snd_una).saturating_add(advanced);
            let flight_size = flight_size.min(self.controller.window());
            self.reduce(now, CongestionKind::Ecn, flight_size);
        }
    }
}

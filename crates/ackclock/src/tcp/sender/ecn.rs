//! The sender's part in ECN (RFC 3168 section 6.1.2); with AccECN the same except for CWR (RFC 9768 section
//! 4).

use super::Sender;
use super::flight::Flight;
use crate::congestion::{Congestion, CongestionController, CongestionKind, Marks};
use crate::profile::{Kept, Part, Profile};
use crate::seq::SeqNumber;
use crate::time::Instant;
use crate::wire::Ecn;

/// Whether new data is sent as ECN-capable, and how the peer then reports marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Capability {
    /// Not ECN-capable.
    None,
    /// The peer echoes marks until it sees CWR: both SYNs were ECN-setup ones (RFC 3168).
    Echoed,
    /// The peer counts marks (RFC 9768).
    Counted,
}

/// What has reduced the congestion window within the last window of data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reduced {
    No,
    ByLoss,
    ByMark,
}

/// ECN state of the sender; absent in an image without ECN.
#[derive(Clone, Copy, Debug)]
pub(super) struct EcnSender<P: Profile>(<P::Ecn as Part>::Keeps<EcnState>);

#[derive(Clone, Copy, Debug)]
struct EcnState {
    capable: Capability,
    /// Whether the next new data carries CWR, to tell the peer that the window was reduced.
    cwr_due: bool,
    /// Whether new data is held back until the retransmission timer expires: with a window of one segment
    /// only that can slow the sender down further.
    held: bool,
    reduced: Reduced,
    /// SND.NXT at the last reduction. An ack beyond it comes from a peer that has seen CWR.
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

    /// Ends holding back, because the timer has expired; returns whether new data was held back.
    pub(super) fn release(&mut self) -> bool {
        self.0.get_mut().is_some_and(|marks| core::mem::take(&mut marks.held))
    }

    /// Notes that new data was sent.
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

    /// The codepoint of ECN-capable data: ECT(1) if the congestion control is scalable and the peer counts
    /// marks (RFC 9331 sections 4.1 and 4.2), else ECT(0).
    pub(crate) fn codepoint(&self) -> Ecn {
        let is_l4s = self.has_counted_marks() && self.controller.wants_l4s();
        if is_l4s { Ecn::Ect1 } else { Ecn::Ect0 }
    }

    /// Whether the peer counts marks on new data (AccECN).
    pub(super) fn has_counted_marks(&self) -> bool {
        P::ACCURATE_ECN
            && self.ecn.0.get().is_some_and(|marks| marks.capable == Capability::Counted)
    }

    /// Number of segments that an ack of all data before `una` covers, if that is certain.
    pub(in crate::tcp) fn segments_before(&self, una: SeqNumber) -> Option<u32> {
        self.flight.segments_before(una)
    }

    /// Whether congestion control itself responds to counted marks.
    pub(super) fn leaves_marks_to_law(&self) -> bool {
        self.has_counted_marks() && self.controller.counts_marks()
    }

    /// Stops sending ECN-capable data, because something on the path changes the codepoint.
    pub(crate) fn give_up_capability(&mut self) {
        if let Some(marks) = self.ecn.0.get_mut() {
            marks.capable = Capability::None;
        }
    }

    /// Whether the next new data carries CWR.
    pub(crate) fn cwr_due(&self) -> bool {
        self.ecn.is_cwr_due()
    }

    /// Whether a mark has reduced the window, and nothing sent since then is acknowledged yet.
    pub(crate) fn is_reduced_by_mark(&self) -> bool {
        let is_new = |marks: &EcnState| !self.snd_una.after(marks.point);
        self.ecn.0.get().is_some_and(|marks| marks.reduced == Reduced::ByMark && is_new(marks))
    }

    /// Responds to congestion by reducing the window, but only once for all losses and marks of one window of
    /// data. (Recovery decides by itself when a loss is a new sign of congestion.)
    pub(super) fn reduce(&mut self, now: Instant, kind: CongestionKind, flight_size: u32) {
        if let Some(marks) = self.ecn.0.get_mut() {
            let by_mark = kind == CongestionKind::Ecn;
            // Data lost before `point`, if it is not acknowledged yet, belongs to the window that was already
            // reduced; what is lost from there on was sent after the reduction.
            let is_one = self.snd_una.before(marks.point);
            let is_fast = kind == CongestionKind::FastRetransmit;
            if is_fast && is_one && marks.reduced == Reduced::ByMark {
                self.recovery.keep_reduction();
                // A loss of a retransmission later in this episode is a new sign of congestion.
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
        // The condition drops the response to marks from images without ECN.
        if P::ECN || kind != CongestionKind::Ecn {
            let may_be_undone = P::UNDO;
            self.controller.on_congestion(&Congestion { now, kind, flight_size, may_be_undone });
        }
    }

    /// Notes that the last reduction was undone: the peer is not told of it by CWR, and a mark that it echoes
    /// reduces the window.
    pub(super) fn withdraw_reduction(&mut self) {
        if let Some(marks) = self.ecn.0.get_mut() {
            (marks.reduced, marks.cwr_due) = (Reduced::No, false);
        }
    }

    /// Reports counted marks to congestion control (RFC 9768).
    pub(in crate::tcp) fn tell_marks(&mut self, marks: &Marks) {
        self.controller.on_marks(marks);
    }

    /// Responds to ECN-Echo, if the ack just processed carried it (`echo`). The ack advanced SND.UNA by
    /// `advanced`.
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
            // After a repair one ack may cover more than a whole window; this must not make the window grow
            // ("SHOULD NOT increase the congestion window", section 6.1.2).
            let flight_size = self.snd_nxt.since(self.snd_una).saturating_add(advanced);
            let flight_size = flight_size.min(self.controller.window());
            self.reduce(now, CongestionKind::Ecn, flight_size);
        }
    }
}

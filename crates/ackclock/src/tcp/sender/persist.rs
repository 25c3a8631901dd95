//! The persist timer: probes the peer while its window holds all data back, as the segment that opens the
//! window could be lost and both ends would then wait forever (RFC 9293 section 3.8.6.1).

use super::flight::Flight;
use super::{Data, DataKind, Sender, Waiting};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::seq::SeqRange;
use crate::time::Instant;

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Whether only the peer's window holds data back while no ack is expected: it is closed, or so small
    /// that silly-window avoidance waits.
    pub(crate) fn is_blocked_by_window(&self) -> bool {
        if !self.flight.is_empty() {
            return self.window.size == 0;
        }
        let window = self.usable_window();
        if window >= self.mss() {
            return false;
        }
        let unsent = self.unsent();
        // The cork makes no difference: it holds back only data that the window would take.
        let waiting = unsent > 0 || self.fin_pending();
        let too_small = window < unsent.max(1) && window < self.window.good_part().max(1);
        waiting && too_small
    }

    /// Handles the persist timer: makes the next of an endless series of probes due, with growing intervals.
    /// The peer's answers keep the connection alive (MUST-37, SHLD-30).
    pub(super) fn persist_timeout(&mut self, now: Instant) {
        // Data that the window takes is no probe, and its timer does not back off (RFC 6298 rule 5.1).
        if self.usable_window() == 0 {
            self.rto.back_off();
        }
        self.deadline = self.rto.deadline(now);
        self.waiting = Waiting::WindowProbeDue;
    }

    /// The window probe. If the window is closed: one byte, or the FIN, all the same. If the window is only
    /// too small: as much as it takes (section 3.8.6.2.1 rule 4), as ordinary data. `None` if there is no
    /// memory to record it.
    pub(super) fn window_probe(&mut self) -> Option<Data> {
        if let Some(first) = self.flight.first() {
            let start = first.start.max(self.snd_una);
            return Some(self.segment(DataKind::Probe, SeqRange::from_len(start, 1)));
        }
        if !self.flight.has_room() {
            return None;
        }
        let (unsent, window) = (self.unsent(), self.usable_window());
        let len = unsent.min(window.max(1)).min(self.mss());
        let fin = unsent == 0;
        let kind = if window > 0 { DataKind::New } else { DataKind::Probe };
        let probe = Data { kind, seq: self.snd_nxt, len, fin };
        (!fin || self.fin_pending()).then_some(probe)
    }
}

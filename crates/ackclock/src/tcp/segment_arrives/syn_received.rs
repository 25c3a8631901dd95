//! A segment arrives in SYN-RECEIVED (RFC 9293 section 3.10.7.4). A connection is in that state only after a
//! simultaneous open (section 3.5, figure 7) or a Fast Open (RFC 7413); any other passive open is a half-open
//! record of the stack.

use super::Verdict;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::connection::Connection;
use crate::tcp::handshake::SynOptions;
use crate::time::Instant;
use crate::wire::{Flags, Header, Segment};

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Runs the checks of section 3.10.7.4 up to the fifth. If they pass, the connection is established, and
    /// the segment is processed further as in a synchronized state.
    #[inline(never)]
    pub(super) fn on_segment_in_syn_received(
        &mut self,
        now: Instant,
        segment: &Segment<'_>,
    ) -> Verdict {
        let Header { seq, ack, flags, window, options, .. } = segment.header;
        // A retransmission of the peer's SYN, perhaps with the ack that we wait for. Only what follows the
        // SYN counts (figure 7, line 6); data may already have come with an earlier copy.
        let repeated = flags.contains(Flags::SYN) && seq + 1 == self.first_text();
        let seq = if repeated { seq + 1 } else { seq };
        let goes_on = (repeated || self.check_sequence(now, segment, seq))
            && self.check_reset(now, flags, seq)
            && (repeated || self.check_syn(now, flags));
        if !goes_on {
            return Verdict::Done;
        }
        // Fifth, ACK: it must acknowledge our SYN.
        if !flags.contains(Flags::ACK) {
            if repeated {
                self.send_syn_again();
            }
            return Verdict::Done;
        }
        if !self.acks_syn(ack) {
            return Verdict::Reset;
        }
        if repeated && !SynOptions::of(&segment.header).ecn_setup {
            self.agreement.ecn = false;
        }
        if repeated {
            self.take_crossing_syn_ack(segment);
        }
        let scale = if flags.contains(Flags::SYN) { 0 } else { self.agreement.peer_shift };
        let (rtt, syn_lost) = self.syn_round_trip(now, options.timestamps);
        if self.was_opened_fast() {
            self.finish_fast(now, rtt, syn_lost);
            self.on_segment_synchronized(now, segment);
            return Verdict::Done;
        }
        self.take_ack_of_syn_text(now, ack);
        self.establish(now, u32::from(window) << scale, seq, rtt, syn_lost);
        if repeated {
            self.receiver.force_ack();
            self.take_urgent_text_and_fin(now, segment, seq);
        } else {
            self.on_segment_synchronized(now, segment);
        }
        Verdict::Done
    }
}

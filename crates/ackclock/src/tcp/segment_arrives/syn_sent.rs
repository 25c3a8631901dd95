//! A segment arrives in SYN-SENT (RFC 9293 section 3.10.7.3).

use super::Verdict;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::connection::Connection;
use crate::tcp::{Error, State};
use crate::time::Instant;
use crate::wire::{Flags, Header, Segment};

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// The checks of section 3.10.7.3, in its order.
    #[inline(never)]
    pub(super) fn on_segment_in_syn_sent(
        &mut self,
        now: Instant,
        segment: &Segment<'_>,
    ) -> Verdict {
        let Header { seq, ack, flags, window, options, .. } = segment.header;
        // First, ACK: it must acknowledge our SYN, and perhaps data sent with it.
        let acks_syn = flags.contains(Flags::ACK);
        if acks_syn && !self.acks_syn(ack) {
            return if flags.contains(Flags::RST) { Verdict::Done } else { Verdict::Reset };
        }
        // Second, RST: obeyed only if it acknowledges our SYN. Third, security: none.
        if flags.contains(Flags::RST) {
            if acks_syn {
                self.fail(Error::Refused);
            }
            return Verdict::Done;
        }
        // Fourth, SYN, and fifth, neither SYN nor RST.
        if !flags.contains(Flags::SYN) {
            return Verdict::Done;
        }
        let advertised = self.syn_window();
        self.agree(now, segment, advertised);
        if !acks_syn {
            // Simultaneous open: send our SYN again, now with an ack of the peer's SYN (section 3.5, figure
            // 7).
            self.state = State::SynReceived;
            self.send_syn_again();
            // "If there are other controls or text in the segment, queue these". Not with a FIN, which the
            // peer retransmits.
            if !segment.payload.is_empty() && !flags.contains(Flags::FIN) {
                self.take_text(now, segment, seq + 1);
            }
            return Verdict::Done;
        }
        let (rtt, syn_lost) = self.syn_round_trip(now, options.timestamps);
        self.take_ack_of_syn_text(now, ack);
        // The window of a SYN is never scaled (RFC 7323 section 2.2).
        self.establish(now, u32::from(window), seq, rtt, syn_lost);
        self.take_user_timeout(&segment.header.options);
        self.answer_marked_syn(now, &segment.header);
        self.receiver.force_ack();
        self.take_urgent_text_and_fin(now, segment, seq + 1);
        Verdict::Done
    }
}

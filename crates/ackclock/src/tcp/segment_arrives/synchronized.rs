//! A segment arrives in a synchronized state (RFC 9293 section 3.10.7.4).

use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::seq::SeqNumber;
use crate::tcp::State;
use crate::tcp::accurate_ecn::Marked;
use crate::tcp::connection::Connection;
use crate::tcp::sender::AckInput;
use crate::time::Instant;
use crate::wire::{Flags, Header, Segment};

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// The checks of section 3.10.7.4, in its order; the third is security: none.
    #[inline(never)]
    pub(super) fn on_segment_synchronized(&mut self, now: Instant, segment: &Segment<'_>) {
        let Header { seq, flags, .. } = segment.header;
        if P::ACCURATE_ECN && flags.contains(Flags::SYN) {
            self.take_syn_ack_again(segment);
        }
        let goes_on = self.check_sequence(now, segment, seq)
            && self.check_reset(now, flags, seq)
            && self.check_syn(now, flags)
            && self.check_ack(now, segment, seq);
        if goes_on {
            self.take_urgent_text_and_fin(now, segment, seq);
            if self.is_accurate() {
                self.count_codepoint(segment);
            }
        }
    }

    /// The ack advances the sender, and the state where it acknowledges our FIN.
    #[inline(never)]
    pub(super) fn digest_ack(&mut self, now: Instant, segment: &Segment<'_>, seq: SeqNumber) {
        let Header { ack, window, flags, ref options, .. } = segment.header;
        // Of an ack that a later one has overtaken only the SACK blocks count.
        let is_old = P::SACK && ack.before(self.sender.snd_una());
        let has_echo = P::ECN && self.agreement.ecn && flags.contains(Flags::ECE);
        let ecn_echo = has_echo && !is_old;
        self.count_rarely(|rare| &mut rare.ece_received, ecn_echo.into());
        let marked = self.is_accurate().then(|| match is_old {
            true => Marked::default(),
            false => self.take_feedback(segment, seq),
        });
        let input = AckInput {
            seq,
            ack,
            window: self.agreement.peer_window(window),
            sack: &options.sack,
            ecn_echo: ecn_echo || marked.is_some(),
            marked: Kept::new(marked),
            empty: segment.is_empty() && !is_old,
            echoed_ms: self.timestamps.echoed_ms(options.timestamps),
        };
        self.sender.on_ack(now, &self.settings, &input);
        self.digest_ack_of_fin(now);
    }

    /// The state after an ack that may have been that of our FIN.
    fn digest_ack_of_fin(&mut self, now: Instant) {
        if !self.sender.fin_acked() {
            return;
        }
        match self.state {
            State::FinWait1 => {
                self.state = State::FinWait2;
                if self.sender.is_orphaned() {
                    self.close_deadline = now + self.settings.fin_wait_2_timeout();
                }
            }
            State::Closing => self.state = State::TimeWait,
            State::LastAck => self.state = State::Closed,
            _ => {}
        }
    }
}

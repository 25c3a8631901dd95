//! A segment arrives in a synchronized state (RFC 9293 section 3.10.7.4).

use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::seq::SeqNumber;
use crate::tcp::State;
use crate::tcp::connection::Connection;
use crate::tcp::sender::AckInput;
use crate::time::Instant;
use crate::wire::{Flags, Header, Segment};

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Runs the checks of section 3.10.7.4, in its order; the third, security, is omitted.
    #[inline(never)]
    pub(super) fn on_segment_synchronized(&mut self, now: Instant, segment: &Segment<'_>) {
        let Header { seq, flags, .. } = segment.header;
        let goes_on = self.check_sequence(now, segment, seq)
            && self.check_reset(now, flags, seq)
            && self.check_syn(now, flags)
            && self.check_ack(now, segment, seq);
        if goes_on {
            self.take_urgent_text_and_fin(now, segment, seq);
            if self.has_seldom_state() {
                self.take_seldom_options(segment);
            }
        }
    }

    /// Processes an ack: advances the sender, and the state if our FIN is acknowledged.
    #[inline(never)]
    pub(super) fn digest_ack(&mut self, now: Instant, segment: &Segment<'_>, seq: SeqNumber) {
        let Header { ack, window, ref options, .. } = segment.header;
        // If a later ack has overtaken this one, only its SACK blocks count.
        let is_old = P::SACK && ack.before(self.sender.snd_una());
        let ecn_echo = !is_old && self.hears_congestion(segment, seq);
        let input = AckInput {
            seq,
            ack,
            window: self.agreement.peer_window(window),
            sack: &options.sack,
            ecn_echo,
            empty: segment.is_empty() && !is_old,
            echoed_ms: self.timestamps.echoed_ms(options.timestamps),
        };
        self.take_ack(now, &input);
        self.digest_ack_of_fin(now);
    }

    /// Has the sender process an ack, by which the path may turn out to carry a probe, or not to carry what a probe has
    /// found.
    #[inline(always)]
    pub(in crate::tcp) fn take_ack(&mut self, now: Instant, input: &AckInput<'_>) {
        let una = self.sender.snd_una();
        if self.sender.on_ack(now, &self.settings, input) {
            self.settle_probe(now);
        }
        if self.is_verification_due(now) && self.sender.snd_una() != una {
            self.verify_path_mtu(now);
        }
    }

    /// Whether an ack reports congestion: by ECN-Echo, or by counters that have grown.
    #[inline(always)]
    fn hears_congestion(&mut self, segment: &Segment<'_>, seq: SeqNumber) -> bool {
        if self.is_accurate() {
            return self.take_feedback(segment, seq);
        }
        let flags = segment.header.flags;
        let has_echo = P::ECN && self.agreement.ecn && flags.contains(Flags::ECE);
        self.count_rarely(|rare| &mut rare.ece_received, has_echo.into());
        has_echo
    }

    /// Changes the state if our FIN is acknowledged.
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

//! The eight checks of a segment that arrives (RFC 9293 section 3.10.7.4). The third compares IP's
//! security options, which this stack does not read: there is nothing to compare.

use crate::FOR_SPEED;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::seq::{SeqNumber, SeqRange};
use crate::tcp::connection::{Connection, Reset};
use crate::tcp::timestamps::TimestampCheck;
use crate::tcp::{Error, State};
use crate::time::Instant;
use crate::wire::{Ecn, Flags, Header, Segment};

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// First check: sequence number, preceded by PAWS (RFC 7323 section 5.3). What counts of the
    /// segment begins at `seq`. False if nothing further of it counts.
    #[inline]
    pub(super) fn check_sequence(
        &mut self,
        now: Instant,
        segment: &Segment<'_>,
        seq: SeqNumber,
    ) -> bool {
        let passed = self.timestamps.check(now, &segment.header);
        // As nearly all begin in the window.
        let is_within = FOR_SPEED
            && passed == TimestampCheck::Passed
            && seq.at_or_after(self.receiver.rcv_nxt())
            && seq.before(self.receiver.rcv_edge());
        is_within || self.check_any_sequence(now, segment, seq, passed)
    }

    /// The first check after PAWS, wherever the segment begins.
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    fn check_any_sequence(
        &mut self,
        now: Instant,
        segment: &Segment<'_>,
        seq: SeqNumber,
        passed: TimestampCheck,
    ) -> bool {
        let len = segment.len().wrapping_sub(seq.since(segment.header.seq));
        let reset = segment.header.flags.contains(Flags::RST);
        match passed {
            TimestampCheck::Passed => {}
            TimestampCheck::Old => {
                self.count_rarely(|rare| &mut rare.paws_dropped, 1);
                self.answer_unacceptable(now, len);
                return false;
            }
            TimestampCheck::Missing => {
                self.count_rarely(|rare| &mut rare.paws_dropped, 1);
                return false;
            }
        }
        // "If the RCV.WND is zero, no segments will be acceptable, but special allowance should be
        // made to accept valid ACKs, URGs, and RSTs."
        let (nxt, window) = (self.receiver.rcv_nxt(), self.receiver.rcv_wnd());
        let closed = window == 0 && seq == nxt;
        // An ack from a peer whose data under way fill the window stands where that ends. Were it
        // refused while those are lost, we should send again for ever what it acknowledges.
        let full = !reset && len == 0 && seq == nxt + window;
        if closed || full || self.receiver.is_acceptable(seq, len) {
            return true;
        }
        // A RST is in the window or is nothing (RFC 5961 section 3.2).
        if !reset {
            let Header { ack, flags, ref options, .. } = segment.header;
            if P::TIMESTAMPS && flags.contains(Flags::ACK) && self.is_plausible(ack) {
                self.timestamps.update_by_repetition(now, (seq, len), options.timestamps);
            }
            let old = self.receiver.rcv_nxt().since(seq).min(segment.payload.len() as u32);
            // The text of a SYN stands elsewhere, and such a SYN is challenged only.
            if self.state.is_synchronized() && old > 0 && !flags.contains(Flags::SYN) {
                // Nothing of it is taken, but D-SACK reports it.
                self.receiver.on_old(SeqRange::from_len(seq, old));
            }
            self.take_syn_ack_again(segment);
            self.digest_ack_before_window(now, segment, seq);
            self.answer_unacceptable(now, len);
        }
        false
    }

    /// Appendix A.2: two ends that have taken each other's window probe, but not heard so, send acks
    /// that begin one before what the other expects, for ever. Such an ack counts, if nothing else
    /// of the segment does.
    fn digest_ack_before_window(&mut self, now: Instant, segment: &Segment<'_>, seq: SeqNumber) {
        let Header { flags, ack, .. } = segment.header;
        let is_ack = flags.contains(Flags::ACK) && !flags.contains(Flags::SYN);
        let known = SeqRange::new(self.sender.snd_una(), self.sender.snd_nxt() + 1);
        if is_ack
            && self.state.is_synchronized()
            && seq + 1 == self.receiver.rcv_nxt()
            && known.contains(ack)
        {
            self.digest_ack(now, segment, seq);
        }
    }

    /// "If an incoming segment is not acceptable, an acknowledgment should be sent in reply." What
    /// occupies no sequence number is answered sparingly, or two such ends would never stop; so is
    /// everything before the connection is established.
    fn answer_unacceptable(&mut self, now: Instant, len: u32) {
        if len > 0 && self.state.is_synchronized() {
            self.receiver.force_ack();
        } else {
            self.challenge(now);
        }
    }

    /// Second check: RST. Only one with exactly the next number is believed; another is answered by a
    /// challenge ack (RFC 5961 section 3.2). False if there is one.
    pub(super) fn check_reset(&mut self, now: Instant, flags: Flags, seq: SeqNumber) -> bool {
        if !flags.contains(Flags::RST) {
            return true;
        }
        if seq != self.receiver.rcv_nxt() {
            self.challenge(now);
            return false;
        }
        match self.state {
            // Both sides have finished: nothing was lost.
            State::Closing | State::LastAck | State::TimeWait => self.state = State::Closed,
            State::SynReceived if P::ACTIVE_OPEN && !self.was_opened_fast() => {
                self.fail(Error::Refused);
            }
            _ => self.fail(Error::Reset),
        }
        false
    }

    /// Fourth check: SYN, which is never believed, but answered by a challenge ack (RFC 5961
    /// section 4.2). False if there is one.
    pub(super) fn check_syn(&mut self, now: Instant, flags: Flags) -> bool {
        let is_syn = flags.contains(Flags::SYN);
        if is_syn {
            self.challenge(now);
        }
        !is_syn
    }

    /// Fifth check: ACK, in a synchronized state. False if nothing further of the segment counts.
    pub(super) fn check_ack(
        &mut self,
        now: Instant,
        segment: &Segment<'_>,
        seq: SeqNumber,
    ) -> bool {
        let Header { ack, flags, ref options, .. } = segment.header;
        if !flags.contains(Flags::ACK) {
            return false;
        }
        self.on_heard(now);
        if !self.is_plausible(ack) {
            self.challenge(now);
            return false;
        }
        self.timestamps.update(now, seq, options.timestamps);
        // What an older one SACKs has arrived all the same.
        let reports = P::SACK && !options.sack.is_empty();
        if reports || ack.at_or_after(self.sender.snd_una()) {
            self.digest_ack(now, segment, seq);
        }
        self.state != State::Closed
    }

    /// Whether an ack is of what was sent, and not made up.
    fn is_plausible(&self, ack: SeqNumber) -> bool {
        if ack.after(self.sender.snd_nxt()) {
            return false;
        }
        // RFC 5961 section 5.2: one older than any window's worth of data was made up.
        self.sender.snd_una().since(ack) <= self.sender.window().largest
    }

    /// Sixth to eighth check of a segment whose text begins at `seq`, behind the SYN if there is one.
    #[inline(never)]
    pub(super) fn take_urgent_text_and_fin(
        &mut self,
        now: Instant,
        segment: &Segment<'_>,
        seq: SeqNumber,
    ) {
        if !self.takes_data() {
            // The peer has sent its FIN: what it sends now is a repetition.
            if !segment.is_empty() && self.state.is_synchronized() {
                self.receiver.force_ack();
            }
            return;
        }
        self.check_urgent(&segment.header);
        if !segment.payload.is_empty() || segment.header.flags.contains(Flags::FIN) {
            self.take_text(now, segment, seq);
        }
    }

    /// Sixth check: URG.
    fn check_urgent(&mut self, header: &Header) {
        if header.flags.contains(Flags::URG) {
            // It counts from SEG.SEQ, which is the SYN's where the segment has one.
            self.take_urgent(header.seq + u32::from(header.urgent_pointer));
        }
    }

    /// Seventh check: the segment's text, with which the receiver takes the FIN, as both may have to wait
    /// for what is missing before them.
    pub(in crate::tcp) fn take_text(
        &mut self,
        now: Instant,
        segment: &Segment<'_>,
        seq: SeqNumber,
    ) {
        let flags = segment.header.flags;
        let has_text = !segment.payload.is_empty();
        let end = seq + segment.payload.len() as u32;
        if self.sender.is_orphaned() && has_text && end.after(self.receiver.rcv_nxt()) {
            // Nobody will read it, and the peer must learn that (section 3.6.1, SHLD-3).
            self.fail_with_reset(Error::Aborted);
            self.reset = Reset::Unread;
            return;
        }
        let (fin, push) = (flags.contains(Flags::FIN), flags.contains(Flags::PSH));
        let arrival = self.receiver.on_segment(now, seq, segment.payload, fin, push);
        // After it was counted: the ack that a mark is worth is the one that it gets anyway.
        if P::ECN
            && self.agreement.accurate.echoes_classic()
            && has_text
            && !flags.contains(Flags::SYN)
        {
            let experienced = segment.ip.ecn == Ecn::Ce;
            self.count_rarely(|rare| &mut rare.ce_received, experienced.into());
            self.receiver.on_ecn(experienced, flags.contains(Flags::CWR));
        }
        self.digest_arrival(&arrival);
    }

    /// Eighth check: FIN, once everything before it has arrived.
    pub(super) fn on_fin(&mut self) {
        self.state = match self.state {
            State::FinWait1 => State::Closing,
            State::FinWait2 => State::TimeWait,
            _ => State::CloseWait,
        };
    }
}

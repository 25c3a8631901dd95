//! The eight checks of an arriving segment (RFC 9293 section 3.10.7.4). The third, of IP security options, is
//! omitted: this stack does not read them.

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
    /// First check: the sequence number, preceded by PAWS (RFC 7323 section 5.3). The part of the segment to
    /// check begins at `seq` (after a repeated SYN). Returns false if processing ends.
    #[inline]
    pub(super) fn check_sequence(
        &mut self,
        now: Instant,
        segment: &Segment<'_>,
        seq: SeqNumber,
    ) -> bool {
        let passed = self.timestamps.check(now, &segment.header);
        // The common case: it begins in the window.
        let is_within = FOR_SPEED
            && passed == TimestampCheck::Passed
            && seq.at_or_after(self.receiver.rcv_nxt())
            && seq.before(self.receiver.rcv_edge());
        is_within || self.check_any_sequence(now, segment, seq, passed)
    }

    /// The rest of the first check, after PAWS, for a segment that may begin anywhere.
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
        // An ack exactly at the right edge comes from a peer whose data in flight fills our window. If that
        // data is lost and we refused the ack, we would retransmit forever what it acknowledges.
        let full = !reset && len == 0 && seq == nxt + window;
        if closed || full || self.receiver.is_acceptable(seq, len) {
            return true;
        }
        // A RST outside the window is ignored (RFC 5961 section 3.2).
        if !reset {
            let Header { ack, flags, ref options, .. } = segment.header;
            if flags.contains(Flags::ACK) && self.is_plausible(ack) {
                if self.state.is_synchronized() {
                    // The peer is there, though what it repeats is known.
                    self.on_heard(now);
                }
                self.timestamps.update_by_repetition(now, (seq, len), options.timestamps);
            }
            let old = self.receiver.rcv_nxt().since(seq).min(segment.payload.len() as u32);
            // Data of a SYN begins one number later; such a SYN is only answered by a challenge ack.
            if self.state.is_synchronized() && old > 0 && !flags.contains(Flags::SYN) {
                // The data is dropped, but D-SACK reports it.
                self.receiver.on_old(SeqRange::from_len(seq, old));
            }
            self.take_syn_ack_again(segment);
            self.digest_ack_before_window(now, segment, seq);
            self.answer_unacceptable(now, len);
        }
        false
    }

    /// Accepts the ack of a segment that begins one before RCV.NXT (RFC 9293 Appendix A.2). Two ends that
    /// have accepted each other's window probes, but do not know it, would exchange such acks forever. Only
    /// the ack of such a segment counts.
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

    /// Answers a segment that is not acceptable: "If an incoming segment is not acceptable, an acknowledgment
    /// should be sent in reply." The answer is rate-limited if the segment occupies no sequence number, or
    /// two such ends would never stop, and before the connection is established.
    fn answer_unacceptable(&mut self, now: Instant, len: u32) {
        if len > 0 && self.state.is_synchronized() {
            self.receiver.force_ack();
        } else {
            self.challenge(now);
        }
    }

    /// Second check: RST. It resets the connection only if its sequence number is exactly RCV.NXT; otherwise
    /// it is answered by a challenge ACK (RFC 5961 section 3.2). Returns false if the segment has RST.
    pub(super) fn check_reset(&mut self, now: Instant, flags: Flags, seq: SeqNumber) -> bool {
        if !flags.contains(Flags::RST) {
            return true;
        }
        if seq != self.receiver.rcv_nxt() {
            self.challenge(now);
            return false;
        }
        match self.state {
            // Both sides have sent their FIN: no data was lost.
            State::Closing | State::LastAck | State::TimeWait => self.state = State::Closed,
            State::SynReceived if P::ACTIVE_OPEN && !self.was_opened_fast() => {
                self.fail(Error::Refused);
            }
            _ => self.fail(Error::Reset),
        }
        false
    }

    /// Fourth check: SYN. It never resets the connection, but is answered by a challenge ACK (RFC 5961
    /// section 4.2). Returns false if the segment has SYN.
    pub(super) fn check_syn(&mut self, now: Instant, flags: Flags) -> bool {
        let is_syn = flags.contains(Flags::SYN);
        if is_syn {
            self.challenge(now);
        }
        !is_syn
    }

    /// Fifth check: ACK, in a synchronized state. Returns false if processing ends.
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
        // The SACK blocks of an old ack still count: what they report has arrived.
        let reports = P::SACK && !options.sack.is_empty();
        if reports || ack.at_or_after(self.sender.snd_una()) {
            self.digest_ack(now, segment, seq);
        }
        self.state != State::Closed
    }

    /// Whether an ack number is one that the peer can have sent, and not a forged one.
    fn is_plausible(&self, ack: SeqNumber) -> bool {
        if ack.after(self.sender.snd_nxt()) {
            return false;
        }
        // RFC 5961 section 5.2: an ack older than the largest window is not accepted.
        self.sender.snd_una().since(ack) <= self.sender.window().largest
    }

    /// Sixth to eighth check: urgent data, payload and FIN. The payload begins at `seq`, after the SYN if
    /// there is one.
    #[inline(never)]
    pub(super) fn take_urgent_text_and_fin(
        &mut self,
        now: Instant,
        segment: &Segment<'_>,
        seq: SeqNumber,
    ) {
        if !self.takes_data() {
            // The peer has sent its FIN, so this is a retransmission.
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
            // The urgent pointer counts from SEG.SEQ, which is that of the SYN if the segment has one.
            self.take_urgent(header.seq + u32::from(header.urgent_pointer));
        }
    }

    /// Seventh check: the payload. The receiver takes in the FIN along with it, as both may have to wait for
    /// missing data before them.
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
            // No application will read the data: reset the peer so that it learns this (section 3.6.1,
            // SHLD-3).
            self.fail_with_reset(Error::Aborted);
            self.reset = Reset::Unread;
            return;
        }
        let (fin, push) = (flags.contains(Flags::FIN), flags.contains(Flags::PSH));
        let arrival = self.receiver.on_segment(now, seq, segment.payload, fin, push);
        // Only now, after the ack policy has counted the segment, so that an ack due for the mark is that
        // segment's own ack.
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

    /// Eighth check: FIN; called once all data before it has arrived.
    pub(super) fn on_fin(&mut self) {
        self.state = match self.state {
            State::FinWait1 => State::Closing,
            State::FinWait2 => State::TimeWait,
            _ => State::CloseWait,
        };
    }
}

//! SEGMENT ARRIVES (RFC 9293 section 3.10.7), check by check, with RFC 5961's and RFC 7323's rules
//! where they replace or precede one.

use super::connection::Connection;
use super::handshake::SynOptions;
use super::receiver::Arrival;
use super::sender::AckInput;
use super::timestamps::TimestampCheck;
use super::{Error, State};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::seq::{SeqNumber, SeqRange};
use crate::time::Instant;
use crate::wire::{Ecn, Flags, Header, IcmpErrorKind, Segment};

/// What the stack must do after a segment was digested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Verdict {
    /// Nothing beyond looking at the connection's state.
    Done,
    /// Answer the segment with a RST as for a segment that belongs to nobody
    /// (sections 3.10.7.3 and 3.10.7.4: an unacceptable ACK while the connection is being opened).
    Reset,
}

/// RFC 1191 section 7.1: likely MTUs below a given one, for routers that do not tell theirs.
const MTU_PLATEAUS: [u32; 9] = [32_000, 17_914, 8_166, 4_352, 2_002, 1_492, 1_006, 508, 296];
/// Least path MTU of IPv4 that is believed, in bytes: a smaller one is an attack or a mistake (Linux's
/// `min_pmtu`).
const LEAST_IPV4_MTU: u32 = 552;
/// What every link of IPv6 carries, in bytes (RFC 8200 section 5).
const LEAST_IPV6_MTU: u32 = 1_280;

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// A segment arrived.
    #[inline(never)]
    pub fn on_segment(&mut self, now: Instant, segment: &Segment<'_>) -> Verdict {
        self.count_segment(segment.payload);
        match self.state {
            State::Closed | State::Listen => Verdict::Reset,
            State::SynSent if P::ACTIVE_OPEN => self.on_segment_in_syn_sent(now, segment),
            State::SynReceived if P::ACTIVE_OPEN => self.on_segment_in_syn_received(now, segment),
            _ => {
                self.on_segment_synchronized(now, segment);
                Verdict::Done
            }
        }
    }

    /// Section 3.10.7.3.
    #[inline(never)]
    fn on_segment_in_syn_sent(&mut self, now: Instant, segment: &Segment<'_>) -> Verdict {
        let Header { seq, ack, flags, window, options, .. } = segment.header;
        let acks_syn = flags.contains(Flags::ACK);
        if acks_syn && ack != self.sender.snd_nxt() {
            return if flags.contains(Flags::RST) { Verdict::Done } else { Verdict::Reset };
        }
        if flags.contains(Flags::RST) {
            if acks_syn {
                self.fail(Error::Refused);
            }
            return Verdict::Done;
        }
        if !flags.contains(Flags::SYN) {
            return Verdict::Done;
        }
        let advertised = self.syn_window();
        let ts_recent = options.timestamps.map_or(0, |timestamps| timestamps.value);
        self.agree(now, seq, &SynOptions::of(&segment.header), ts_recent, advertised);
        if !acks_syn {
            // Simultaneous open: our SYN goes again, now with an ack of theirs.
            self.state = State::SynReceived;
            self.send_syn_again();
            return Verdict::Done;
        }
        let rtt = self.syn_rtt(now);
        // The window of a SYN is never scaled (RFC 7323 section 2.2).
        self.establish(now, u32::from(window), seq, rtt, self.syn_retransmits() > 0);
        self.receiver.force_ack();
        self.take_text(now, segment, seq + 1);
        Verdict::Done
    }

    /// Section 3.10.7.4 in SYN-RECEIVED, which a connection of its own is in only after a
    /// simultaneous open.
    #[inline(never)]
    fn on_segment_in_syn_received(&mut self, now: Instant, segment: &Segment<'_>) -> Verdict {
        let Header { seq, ack, flags, window, .. } = segment.header;
        // The other side's SYN once more, perhaps with the ack that we wait for: only what follows
        // the SYN counts (figure 7, line 6).
        let repeated = flags.contains(Flags::SYN) && seq + 1 == self.receiver.rcv_nxt();
        let seq = if repeated { seq + 1 } else { seq };
        let len = segment.len() - u32::from(repeated);
        if !self.check_sequence(now, segment, seq, len) {
            return Verdict::Done;
        }
        if flags.contains(Flags::RST) {
            if seq == self.receiver.rcv_nxt() {
                self.fail(Error::Refused);
            } else {
                self.challenge(now);
            }
            return Verdict::Done;
        }
        if flags.contains(Flags::SYN) && !repeated {
            self.challenge(now);
            return Verdict::Done;
        }
        if !flags.contains(Flags::ACK) {
            if repeated {
                self.send_syn_again();
            }
            return Verdict::Done;
        }
        if ack != self.sender.snd_nxt() {
            return Verdict::Reset;
        }
        if repeated && !SynOptions::of(&segment.header).ecn_setup {
            self.agreement.ecn = false;
        }
        let scale = if flags.contains(Flags::SYN) { 0 } else { self.agreement.peer_shift };
        let rtt = self.syn_rtt(now);
        self.establish(now, u32::from(window) << scale, seq, rtt, self.syn_retransmits() > 0);
        if repeated {
            self.receiver.force_ack();
            self.take_text(now, segment, seq);
        } else {
            self.on_segment_synchronized(now, segment);
        }
        Verdict::Done
    }

    /// Section 3.10.7.4 in the synchronized states.
    #[inline(never)]
    fn on_segment_synchronized(&mut self, now: Instant, segment: &Segment<'_>) {
        let Header { seq, ack, ref options, .. } = segment.header;
        if !self.check(now, segment) {
            return;
        }
        self.on_heard(now);
        if !self.is_plausible(ack) {
            self.challenge(now);
            return;
        }
        self.timestamps.update(now, seq, options.timestamps);
        if ack.at_or_after(self.sender.snd_una()) {
            self.digest_ack(now, segment, seq);
        }
        if self.state != State::Closed {
            self.take_text(now, segment, seq);
        }
    }

    /// Whether an ack is of what was sent, and not made up.
    fn is_plausible(&self, ack: SeqNumber) -> bool {
        if ack.after(self.sender.snd_nxt()) {
            return false;
        }
        // RFC 5961 section 5.2: one older than any window's worth of data was made up.
        self.sender.snd_una().since(ack) <= self.sender.window().largest
    }

    /// The checks up to whether there is an ack; false if nothing further of the segment counts.
    #[inline(never)]
    fn check(&mut self, now: Instant, segment: &Segment<'_>) -> bool {
        let Header { seq, flags, .. } = segment.header;
        if !self.check_sequence(now, segment, seq, segment.len()) {
            return false;
        }
        // Second, RST: only the exact next number is believed (RFC 5961 section 3.2).
        if flags.contains(Flags::RST) && seq == self.receiver.rcv_nxt() {
            self.on_reset();
            return false;
        }
        // Fourth, SYN: never believed (RFC 5961 section 4.2).
        if flags.intersects(Flags::RST | Flags::SYN) {
            self.challenge(now);
            return false;
        }
        flags.contains(Flags::ACK)
    }

    pub(super) fn count_segment(&mut self, payload: &[u8]) {
        let counters = &mut self.counters;
        counters.segments_received.add(1);
        counters.data_segments_received.add(u32::from(!payload.is_empty()));
    }

    /// What became of a segment's text and FIN, and of those that had waited for it.
    pub(super) fn digest_arrival(&mut self, arrival: &Arrival) {
        self.counters.bytes_received.add(arrival.accepted);
        self.counters.reassembly_dropped.add(arrival.dropped);
        if arrival.fin {
            self.on_fin();
        }
    }

    /// First check: sequence number, preceded by PAWS (RFC 7323 section 5.3).
    fn check_sequence(
        &mut self,
        now: Instant,
        segment: &Segment<'_>,
        seq: SeqNumber,
        len: u32,
    ) -> bool {
        let reset = segment.header.flags.contains(Flags::RST);
        match self.timestamps.check(now, &segment.header) {
            TimestampCheck::Passed => {}
            TimestampCheck::Old => {
                self.counters.paws_dropped.add(1);
                self.answer_unacceptable(now, len);
                return false;
            }
            TimestampCheck::Missing => {
                self.counters.paws_dropped.add(1);
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
            let old = self.receiver.rcv_nxt().since(seq).min(segment.payload.len() as u32);
            if self.state.is_synchronized() && old > 0 {
                // Nothing of it is taken, but D-SACK reports it.
                self.receiver.on_old(SeqRange::from_len(seq, old));
            }
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

    /// A challenge ack (RFC 5961), if this connection has not sent too many.
    fn challenge(&mut self, now: Instant) {
        if self.challenge.allow(now) {
            self.counters.challenge_acks.add(1);
            self.challenge_due = true;
        }
    }

    /// An acceptable RST.
    fn on_reset(&mut self) {
        match self.state {
            // Both sides have finished: nothing was lost.
            State::Closing | State::LastAck | State::TimeWait => self.state = State::Closed,
            _ => self.fail(Error::Reset),
        }
    }

    /// The ack advances the sender, and the state where it acknowledges our FIN.
    #[inline(never)]
    fn digest_ack(&mut self, now: Instant, segment: &Segment<'_>, seq: SeqNumber) {
        let Header { ack, window, flags, ref options, .. } = segment.header;
        let ecn_echo = self.agreement.ecn && flags.contains(Flags::ECE);
        self.counters.ece_received.add(ecn_echo.into());
        let input = AckInput {
            seq,
            ack,
            window: self.agreement.peer_window(window),
            sack: &options.sack,
            ecn_echo,
            empty: segment.is_empty(),
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
                if self.orphaned {
                    self.close_deadline = now + self.settings.fin_wait_2_timeout();
                }
            }
            State::Closing => self.state = State::TimeWait,
            State::LastAck => self.state = State::Closed,
            _ => {}
        }
    }

    /// Sixth to eighth: urgent pointer, text and FIN, of a segment whose text begins at `seq`.
    #[inline(never)]
    fn take_text(&mut self, now: Instant, segment: &Segment<'_>, seq: SeqNumber) {
        if !self.takes_data() {
            // The peer has sent its FIN: what it sends now is a repetition.
            if !segment.is_empty() && self.state.is_synchronized() {
                self.receiver.force_ack();
            }
            return;
        }
        let Header { flags, urgent_pointer, .. } = segment.header;
        if flags.contains(Flags::URG) {
            // It counts from SEG.SEQ, which is the SYN's where the segment has one.
            self.take_urgent(segment.header.seq + u32::from(urgent_pointer));
        }
        let fin = flags.contains(Flags::FIN);
        if segment.payload.is_empty() && !fin {
            return;
        }
        let end = seq + segment.payload.len() as u32;
        if self.orphaned && end.after(self.receiver.rcv_nxt()) && !segment.payload.is_empty() {
            // Nobody will read it, and the peer must learn that (section 3.6.1, SHLD-3).
            self.fail_with_reset(Error::Aborted);
            return;
        }
        if self.agreement.ecn_echo && !segment.payload.is_empty() && !flags.contains(Flags::SYN) {
            let experienced = segment.ip.ecn == Ecn::Ce;
            self.counters.ce_received.add(experienced.into());
            self.receiver.on_ecn(experienced, flags.contains(Flags::CWR));
        }
        let push = flags.contains(Flags::PSH);
        let arrival = self.receiver.on_segment(now, seq, segment.payload, fin, push);
        self.digest_arrival(&arrival);
    }

    /// RCV.UP moves forward only (section 3.10.7.4, sixth check).
    fn take_urgent(&mut self, urgent: SeqNumber) {
        let known = self.urgent.get().unwrap_or(self.receiver.first_unread());
        if urgent.after(known) {
            self.urgent.set(urgent);
        }
    }

    /// Eighth: everything up to the peer's FIN has arrived.
    fn on_fin(&mut self) {
        self.state = match self.state {
            State::FinWait1 => State::Closing,
            State::FinWait2 => State::TimeWait,
            _ => State::CloseWait,
        };
    }

    /// An ICMP error about one of our segments arrived (RFC 5927). It is ignored, and the answer is
    /// false, unless `seq` is in flight (section 4.1 there).
    pub fn on_icmp_error(&mut self, now: Instant, kind: IcmpErrorKind, seq: SeqNumber) -> bool {
        let opening = self.is_opening();
        let una = if opening { self.iss() } else { self.sender.snd_una() };
        if seq.before(una) || seq.at_or_after(self.sender.snd_nxt()) {
            return false;
        }
        match kind {
            IcmpErrorKind::PacketTooBig { mtu } => self.on_packet_too_big(now, mtu),
            IcmpErrorKind::Refused if opening => self.fail(Error::Refused),
            _ => self.soft_error = Some(kind),
        }
        true
    }

    /// Path MTU discovery (RFC 1191, RFC 8201).
    fn on_packet_too_big(&mut self, now: Instant, told: u32) {
        let current = self.sender.path_mtu();
        let mtu = match (self.ip_header, told) {
            (20, 0) => {
                let lower = MTU_PLATEAUS.into_iter().find(|plateau| *plateau < current);
                lower.unwrap_or(0).max(LEAST_IPV4_MTU)
            }
            (20, _) => told.max(LEAST_IPV4_MTU),
            // RFC 8201 section 4: less than that is discarded.
            (_, ..LEAST_IPV6_MTU) => return,
            (_, _) => told,
        };
        if mtu >= current {
            return;
        }
        self.sender.set_path_mtu(mtu);
        if self.state.is_synchronized() {
            let mss = self.agreement.send_mss(&self.settings, mtu, self.ip_header);
            self.sender.set_mss(now, mss);
        }
    }
}

//! Accurate ECN (AccECN, RFC 9768): each end counts the packets and bytes that arrive with each ECN codepoint,
//! and every ack reports these counters, in the ACE field (the flags AE, CWR and ECE) and in a TCP option.
//!
//! | sections | topic | module |
//! | --- | --- | --- |
//! | 3.1, 3.2.2.1 | negotiation and feedback in the handshake, tables 2 to 4 | [`agreement`] |
//! | 3.2.2.5.1, 3.2.3.3 | counting what arrives, and when and how to report it | [`receiving`] |
//! | 3.2.2.2, 3.2.2.5.2, 3.2.3.1 | processing the counters that the peer reports | [`sending`] |
//! | 3.2.2.3 to 3.2.2.4, 3.2.3.2.4 to 3.2.3.2.5 | detecting feedback that must not be trusted | [`sending`] |
//!
//! The stack remembers the hosts at which SYNs that request AccECN seem to get lost (section 3.1.4.1).
//!
//! This file connects these modules with the events of a connection. Segments of connections with AccECN take
//! the general road: their flags change from segment to segment, which the templates of the predicted road do
//! not allow.
//!
//! Section 3.2.3.2.2 leaves open whether to try the option again after that of the SYN-ACK was not
//! acknowledged, and section 3.2.2.3 whether to try ECN-capable packets again after marks that never ended: we
//! try neither.

mod agreement;
mod receiving;
mod sending;

pub(crate) use agreement::{AccurateAgreement, Again, REQUEST};

use super::State;
use super::connection::Connection;
use crate::congestion::{CongestionController, Marks};
use crate::profile::{Kept, Part, Profile};
use crate::seq::SeqNumber;
use crate::time::Instant;
use crate::wire::{Ecn, Flags, Header, Options, SackBlocks, Segment};
use receiving::Received;
use sending::{Feedback, Told};

/// Length of a TCP header's option area, in bytes.
const OPTION_AREA: usize = 40;
/// Bytes taken by up to two SACK blocks, which have priority over the counters (section 3.2.3.3).
const TWO_BLOCKS: usize = 20;
const ONE_BLOCK: usize = 12;

/// State of the last ack of the handshake, which reports the ECN codepoint with which the SYN-ACK arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum LastAck {
    /// We have sent it; or the peer has, and an ack of data after it.
    #[default]
    Past,
    /// The peer has sent it, and may send it again, with data before that: for each SYN-ACK that we have sent.
    Repeatable,
    /// We have to send it: our next segment is an ack without data (section 3.2.2.1).
    Owed,
    /// The peer has to send it.
    Awaited,
}

impl LastAck {
    /// Takes an ack of the peer that acknowledges `acked` bytes; `is_bare` if it carries no data. Returns whether it perhaps
    /// repeats the last ack of the handshake: each SYN-ACK that arrives is answered by how that came, not by the
    /// counter (section 3.2.2.1).
    fn take(&mut self, is_bare: bool, acked: u32) -> bool {
        let is_repeated = *self == LastAck::Repeatable && is_bare && acked == 0;
        *self = match *self {
            LastAck::Owed => LastAck::Owed,
            LastAck::Awaited => LastAck::Repeatable,
            last if acked == 0 => last,
            _ => LastAck::Past,
        };
        is_repeated
    }
}

/// The counters of a connection in AccECN mode.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccurateEcn {
    received: Received,
    told: Told,
    last_ack: LastAck,
}

impl Default for AccurateEcn {
    fn default() -> Self {
        let last_ack = LastAck::default();
        AccurateEcn { received: Received::FIRST, told: Told::FIRST, last_ack }
    }
}

/// AccECN counters of both sides (RFC 9768 section 3.2), without their initial values: packets with CE, and
/// payload bytes with each codepoint. All are modulo 2^32.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct AccurateEcnCounts {
    /// Packets received with CE (r.cep).
    pub ce_packets: u32,
    /// Payload bytes received with CE (r.ceb).
    pub ce_bytes: u32,
    /// Payload bytes received with ECT(0) (r.e0b).
    pub ect0_bytes: u32,
    /// Payload bytes received with ECT(1) (r.e1b).
    pub ect1_bytes: u32,
    /// Packets received with CE according to the peer (s.cep).
    pub told_ce_packets: u32,
    /// Payload bytes received with CE according to the peer (s.ceb).
    pub told_ce_bytes: u32,
    /// Payload bytes received with ECT(0) according to the peer (s.e0b).
    pub told_ect0_bytes: u32,
    /// Payload bytes received with ECT(1) according to the peer (s.e1b).
    pub told_ect1_bytes: u32,
    /// The peer's feedback is meaningless and we do not respond to it: its first ACE field was zero, or
    /// everything was reported as marked (sections 3.2.2.3 and 3.2.2.4). We send no more ECN-capable packets.
    pub ignored: bool,
    /// The peer's feedback contradicts itself (section 3.2.3.2.5). We send no more ECN-capable packets.
    pub contradictory: bool,
}

/// The ECN feedback of the acks in TIME-WAIT.
pub(crate) type LastEcn<P> = <<P as Profile>::Ecn as Part>::Keeps<LastFeedback>;

/// The ECN feedback that a connection goes on to give in TIME-WAIT.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LastFeedback {
    /// None: there is no ECN, or nothing to echo.
    Silent,
    /// ECN-Echo: CWR comes with new data only (RFC 3168 section 6.1.2).
    Echoing,
    /// The packet counter of CE marks, as far as the ACE field reports it: modulo 8 (RFC 9768 section 3.2.2.2).
    Counting(u8),
}

impl LastFeedback {
    /// Counts an acceptable packet.
    pub(crate) fn count(&mut self, ecn: Ecn) {
        if let LastFeedback::Counting(marked) = self {
            *marked = marked.wrapping_add((ecn == Ecn::Ce).into());
        }
    }

    /// The flags AE, CWR and ECE of an ack.
    pub(crate) fn flags(self) -> Flags {
        match self {
            LastFeedback::Silent => Flags::NONE,
            LastFeedback::Echoing => Flags::ECE,
            LastFeedback::Counting(marked) => Flags::from_ace(marked),
        }
    }
}

/// Outcome of a SYN that requested AccECN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RequestFate {
    /// It was answered, with or without AccECN.
    Passed,
    /// Only a later SYN, which did not request AccECN, was answered, without AccECN.
    Failed,
}

/// Handling of AccECN at the events of a connection.
impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    fn accurate(&self) -> Option<&AccurateEcn> {
        if !self.is_accurate() {
            return None;
        }
        self.seldom.get().and_then(|seldom| seldom.accurate_ecn.get())
    }

    fn accurate_mut(&mut self) -> Option<&mut AccurateEcn> {
        if !self.is_accurate() {
            return None;
        }
        self.seldom.get_mut().and_then(|seldom| seldom.accurate_ecn.get_mut())
    }

    /// Whether both half-connections are in AccECN mode.
    #[inline(always)]
    pub(crate) fn is_accurate(&self) -> bool {
        P::ACCURATE_ECN && self.agreement.accurate.is_agreed()
    }

    /// Makes our SYNs not request AccECN. They may still request classic ECN.
    pub(crate) fn ask_for_less(&mut self) {
        self.agreement.accurate.withdraw();
    }

    /// Whether our SYNs request AccECN, or at least the first ones do.
    #[inline(always)]
    pub(crate) fn asks_for_accurate_ecn(&self) -> bool {
        P::ACCURATE_ECN && self.agreement.accurate.is_offered()
    }

    /// What became of our SYN that requested AccECN; `None` if it did not, or the connection is not
    /// established.
    pub(crate) fn request_fate(&self) -> Option<RequestFate> {
        if !self.asks_for_accurate_ecn() || self.state != State::Established {
            return None;
        }
        let is_late = !self.asks_accurately() && !self.is_accurate();
        Some(if is_late { RequestFate::Failed } else { RequestFate::Passed })
    }

    /// Whether the SYN to be sent next, or the one that was answered, requests AccECN: the first SYN and one
    /// retransmission do (section 3.1.4.1).
    pub(super) fn asks_accurately(&self) -> bool {
        self.asks_for_accurate_ecn() && self.unanswered_syns() <= 1
    }

    /// Starts AccECN mode if the SYNs have negotiated it. `peers` is the header of the peer's SYN, or SYN-ACK
    /// if it acknowledges ours. If there is no memory, we count nothing and send no ECN-capable packets: the
    /// peer sees zeros.
    #[inline(never)]
    pub(super) fn begin_accurate(&mut self, peers: Option<&Header>) {
        if !self.is_accurate() {
            return;
        }
        let is_marked = self.agreement.accurate.codepoint() == Ecn::Ce;
        let made = self.seldom.make().and_then(|seldom| seldom.accurate_ecn.get_mut());
        let Some(state) = made else {
            return;
        };
        *state = AccurateEcn::default();
        state.last_ack = LastAck::Awaited;
        if let Some(syn_ack) = peers.filter(|peers| peers.flags.contains(Flags::ACK)) {
            state.last_ack = LastAck::Owed;
            state.received.probe();
            state.received.ce_packets += u32::from(is_marked);
            state.told.check_option(syn_ack.options.accurate_ecn());
        }
        self.receiver.count_accurately();
    }

    /// Stops sending AccECN options, because they do not reach the peer.
    pub(super) fn silence_accurate(&mut self) {
        if let Some(state) = self.accurate_mut() {
            state.received.is_silent = true;
        }
    }

    /// Whether we may send ECN-capable packets.
    pub(super) fn may_be_capable(&self) -> bool {
        self.agreement.accurate.is_capable()
            && self
                .accurate()
                .is_some_and(|state| !(state.told.is_deaf || state.told.is_contradictory))
    }

    /// The flags AE, CWR and ECE of a segment that is neither a SYN nor a RST.
    #[inline(always)]
    pub(super) fn congestion_flags(&self, bare: bool) -> Flags {
        let Some(state) = self.accurate() else {
            return if self.receiver.is_echoing() { Flags::ECE } else { Flags::NONE };
        };
        if bare && state.last_ack == LastAck::Owed {
            return Flags::from_ace(agreement::encoded(self.agreement.accurate.codepoint()));
        }
        Flags::from_ace(state.received.ce_packets as u8)
    }

    /// What the acks in TIME-WAIT report.
    pub(super) fn last_ecn_feedback(&self) -> LastEcn<P> {
        LastEcn::<P>::new_with(|| match self.accurate() {
            Some(state) => LastFeedback::Counting(state.received.ce_packets as u8),
            None if self.receiver.is_echoing() => LastFeedback::Echoing,
            None => LastFeedback::Silent,
        })
    }

    /// Whether the next segment must be the ack of the SYN-ACK, without data or SACK blocks.
    pub(super) fn owes_last_ack(&self) -> bool {
        self.accurate().is_some_and(|state| state.last_ack == LastAck::Owed)
    }

    /// Whether the next ack should be sent without data, to have room for the AccECN option.
    pub(super) fn has_counters_to_tell(&self) -> bool {
        self.accurate().is_some_and(|state| state.received.has_news())
    }

    /// Whether all our segments have CWR set. Then the link must not segment them for us (TSO): such devices
    /// clear CWR in all but the first segment (section 3.3.4).
    pub(super) fn has_cwr_in_counter(&self) -> bool {
        self.congestion_flags(false).contains(Flags::CWR) && self.is_accurate()
    }

    /// Adds the AccECN option to `header`, of a segment with `payload` bytes, if there are counters to report
    /// and there is room beside up to two SACK blocks.
    pub(super) fn tell_counters(&self, header: &mut Header, payload: u32) {
        let Some(state) = self.accurate() else {
            return;
        };
        let for_blocks = match header.options.sack.as_slice().len() {
            0 => 0,
            1 => ONE_BLOCK,
            _ => TWO_BLOCKS,
        };
        // The header does not say yet whether the segment will be signed.
        let signature = self.signature();
        let others = Options { sack: SackBlocks::EMPTY, signature, ..header.options };
        let room = OPTION_AREA.saturating_sub(others.len() + for_blocks);
        let room = room.min(self.sender.mss().saturating_sub(payload) as usize);
        // While there is a hole in the received data, counters that were reported before are reported again.
        let repeats = !header.options.sack.is_empty();
        header.options.set_accurate_ecn(state.received.option(room, repeats));
    }

    /// Notes that a segment was sent that is neither a SYN nor a RST.
    pub(super) fn on_counters_sent(&mut self, header: &Header) {
        if let Some(state) = self.accurate_mut() {
            state.received.on_ack_sent(header.options.accurate_ecn());
            if state.last_ack == LastAck::Owed {
                state.last_ack = LastAck::Past;
            }
        }
    }

    /// Counts an acceptable segment that is not a SYN, after its payload was processed.
    pub(super) fn count_codepoint(&mut self, segment: &Segment<'_>) {
        let waits = !self.receiver.ack_deadline().is_never() || !segment.payload.is_empty();
        let Some(state) = self.accurate_mut() else {
            return;
        };
        let len = u32::try_from(segment.payload.len()).unwrap_or(u32::MAX);
        let at_once = state.received.on_packet(segment.ip.ecn, len, waits);
        self.count_rarely(|rare| &mut rare.ce_received, (segment.ip.ecn == Ecn::Ce).into());
        if at_once {
            self.receiver.force_ack();
        }
    }

    /// Processes a retransmitted SYN-ACK: our ack was lost, and the next one feeds back this one's codepoint
    /// (section 3.2.2.1). Only the first SYN-ACK with CE counts.
    #[inline(never)]
    pub(super) fn take_syn_ack_again(&mut self, segment: &Segment<'_>) {
        if !P::ACCURATE_ECN {
            return;
        }
        let header = &segment.header;
        let is_again = header.flags.contains(Flags::SYN | Flags::ACK)
            && header.seq + 1 == self.receiver.rcv_nxt()
            && !self.agreement.accurate.has_answered();
        if !(is_again && self.is_accurate()) {
            return;
        }
        self.agreement.accurate.set_codepoint(segment.ip.ecn);
        let is_first_mark = segment.ip.ecn == Ecn::Ce;
        if let Some(state) = self.accurate_mut() {
            state.last_ack = LastAck::Owed;
            if is_first_mark && state.received.ce_packets == receiving::FIRST_PACKETS {
                state.received.ce_packets += 1;
            }
        }
    }

    /// Processes the peer's SYN-ACK in a simultaneous open. The mode is negotiated already; this segment feeds
    /// back how our SYN arrived.
    pub(super) fn take_crossing_syn_ack(&mut self, segment: &Segment<'_>) {
        if !self.is_accurate() {
            return;
        }
        let is_marked = segment.ip.ecn == Ecn::Ce;
        self.agreement.accurate.take_crossing_syn_ack(segment.header.flags);
        if let Some(state) = self.accurate_mut() {
            state.received.ce_packets += u32::from(is_marked);
            state.told.check_option(segment.header.options.accurate_ecn());
        }
    }

    /// Processes the feedback of an ack that is not older than SND.UNA, and passes its CE marks to congestion
    /// control. Returns whether there were any.
    #[inline(never)]
    pub(super) fn take_feedback(&mut self, segment: &Segment<'_>, seq: SeqNumber) -> bool {
        let header = &segment.header;
        if !self.is_accurate() || header.flags.contains(Flags::SYN) {
            return false;
        }
        // With SACK blocks, more segments may have arrived than are acknowledged.
        let covered = match header.options.sack.is_empty() {
            true => self.sender.segments_before(header.ack),
            false => None,
        };
        let feedback = Feedback {
            seq,
            ack: header.ack,
            timestamp: header.options.timestamps.map(|option| option.value),
            ace: header.flags.ace(),
            option: header.options.accurate_ecn(),
            acked: header.ack.since(self.sender.snd_una()),
            mss: self.sender.mss(),
            covered,
            nxt: self.sender.snd_nxt(),
        };
        let bare = segment.is_empty() && header.options.sack.is_empty();
        let opened_fast = self.was_opened_fast();
        let Some(state) = self.accurate_mut() else {
            return false;
        };
        let is_first = state.told.is_first();
        let awaited = state.last_ack == LastAck::Awaited;
        let is_repeated = state.last_ack.take(bare, feedback.acked);
        if is_first && feedback.ace == 0 {
            state.told.is_deaf = true;
        }
        // In a simultaneous open the peer may not have to send this ack, and may acknowledge data at once.
        let is_last_ack = awaited && bare && (feedback.acked == 0 || opened_fast);
        let marks = if is_last_ack {
            state.told.check_option(feedback.option);
            state.told.begin(&feedback);
            // Table 4. Either this ack reports that the SYN-ACK was marked, or the counter of a later one does.
            let is_marked = agreement::decoded(feedback.ace) == Some(Ecn::Ce);
            state.told.ce_packets += u32::from(is_marked);
            let packets = u32::from(is_marked);
            self.agreement.accurate.note_mangling(feedback.ace);
            Marks { packets, bytes: 0 }
        } else if is_repeated {
            // If it is a counter after all, the next one tells as much.
            Marks::default()
        } else {
            state.told.take(&feedback)
        };
        if !self.may_be_capable() {
            self.sender.give_up_capability();
        }
        let has_marks = marks.packets > 0;
        self.count_rarely(|rare| &mut rare.ece_received, has_marks.into());
        if has_marks {
            self.sender.tell_marks(&marks);
        }
        has_marks
    }

    /// Responds to a SYN-ACK which reports that our SYN was CE-marked: that is congestion, although no counter
    /// includes it (section 3.2.2.2).
    pub(super) fn answer_marked_syn(&mut self, now: Instant, syn_ack: &Header) {
        if self.is_accurate() && agreement::decoded(syn_ack.flags.ace()) == Some(Ecn::Ce) {
            self.sender.digest_echo(now, true, 0);
        }
    }

    /// The AccECN counters; `None` if AccECN is not in use.
    pub(super) fn accurate_counts(&self) -> Option<AccurateEcnCounts> {
        let AccurateEcn { received, told, .. } = self.accurate()?;
        let packets = |counter: u32| counter.wrapping_sub(receiving::FIRST_PACKETS);
        let bytes = |counter: u32| counter.wrapping_sub(receiving::FIRST_ECT);
        Some(AccurateEcnCounts {
            ce_packets: packets(received.ce_packets),
            ce_bytes: received.ce_bytes,
            ect0_bytes: bytes(received.ect0_bytes),
            ect1_bytes: bytes(received.ect1_bytes),
            told_ce_packets: packets(told.ce_packets),
            told_ce_bytes: told.ce_bytes,
            told_ect0_bytes: bytes(told.ect0_bytes),
            told_ect1_bytes: bytes(told.ect1_bytes),
            ignored: told.is_deaf,
            contradictory: told.is_contradictory,
        })
    }
}

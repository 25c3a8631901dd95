//! More accurate congestion notification (RFC 9768): both ends count what has arrived with which codepoint,
//! and every ack tells the counters, in the field ACE (AE, CWR and ECE) and in an option.
//!
//! | sections | what | where |
//! | --- | --- | --- |
//! | 3.1, 3.2.2.1 | the handshake and its feedback, tables 2 to 4 | [`agreement`] |
//! | 3.2.2.5.1, 3.2.3.3 | what arrives is counted, acknowledged and told | [`receiving`] |
//! | 3.2.2.2, 3.2.2.5.2, 3.2.3.1 | what the peer tells | [`sending`] |
//! | 3.2.2.3 to 3.2.2.4, 3.2.3.2.4 to 3.2.3.2.5 | when that is not believed | [`sending`] |
//!
//! That SYNs which ask for it do not come through is remembered by the stack (section 3.1.4.1).
//!
//! Here is where these meet the events of a connection. Connections that use it go the general road: their
//! flags change from segment to segment, and templates know those of none.
//!
//! Section 3.2.3.2.2 leaves open whether an option is tried again if that of the SYN-ACK was not
//! acknowledged, and section 3.2.2.3 whether ECN-capable packets are once marks never ended: here neither is.

mod agreement;
mod receiving;
mod sending;

pub(crate) use agreement::{AccurateAgreement, Again, REQUEST};

use super::State;
use super::connection::Connection;
use crate::congestion::{CongestionController, Marks};
use crate::profile::{Kept, Profile};
use crate::seq::SeqNumber;
use crate::time::Instant;
use crate::wire::{Ecn, Flags, Header, Options, SackBlocks, Segment};
use receiving::Received;
use sending::{Feedback, Told};

/// Bytes of an option area.
const OPTION_AREA: usize = 40;
/// Bytes that up to two SACK blocks take, which go before the counters (section 3.2.3.3).
const TWO_BLOCKS: usize = 20;
const ONE_BLOCK: usize = 12;

/// How the last segment of the handshake tells, or is to tell, with what codepoint the SYN-ACK has arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum LastAck {
    /// It is over.
    #[default]
    Past,
    /// We owe it: the next segment is an ack without data (section 3.2.2.1).
    Owed,
    /// The peer owes it.
    Awaited,
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

/// What both sides have counted over AccECN (RFC 9768 section 3.2), since the first values: packets with CE, and
/// payload bytes with each codepoint. Modulo 2^32.
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
    /// Packets with CE that the peer has told of (s.cep).
    pub told_ce_packets: u32,
    /// Payload bytes with CE that the peer has told of (s.ceb).
    pub told_ce_bytes: u32,
    /// Payload bytes with ECT(0) that the peer has told of (s.e0b).
    pub told_ect0_bytes: u32,
    /// Payload bytes with ECT(1) that the peer has told of (s.e1b).
    pub told_ect1_bytes: u32,
    /// What the peer tells means nothing, and is not answered: its counter was zero at first, or everything
    /// was marked (sections 3.2.2.3 and 3.2.2.4). Nothing more is sent as ECN-capable.
    pub ignored: bool,
    /// What the peer tells contradicts itself (section 3.2.3.2.5). Nothing more is sent as ECN-capable.
    pub contradictory: bool,
}

/// What became of a SYN that asked for AccECN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RequestFate {
    /// It came through, whatever the peer has made of it.
    Passed,
    /// Only one that did not ask was answered, and not as one that does.
    Failed,
}

/// What a connection does with AccECN at its events.
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

    /// SYNs are not to ask for it, but may ask for classic ECN.
    pub(crate) fn ask_for_less(&mut self) {
        self.agreement.accurate.withdraw();
    }

    /// Whether our SYNs ask for it, the first ones at least.
    #[inline(always)]
    pub(crate) fn asks_for_accurate_ecn(&self) -> bool {
        P::ACCURATE_ECN && self.agreement.accurate.is_offered()
    }

    /// What became of our SYN that asked for it, if it did and was answered.
    pub(crate) fn request_fate(&self) -> Option<RequestFate> {
        if !self.asks_for_accurate_ecn() || self.state != State::Established {
            return None;
        }
        let is_late = !self.asks_accurately() && !self.is_accurate();
        Some(if is_late { RequestFate::Failed } else { RequestFate::Passed })
    }

    /// Whether a SYN that is to go, or was answered, asks for it: section 3.1.4.1 would have it asked for once more
    /// if nobody answers.
    pub(super) fn asks_accurately(&self) -> bool {
        self.asks_for_accurate_ecn() && self.unanswered_syns() <= 1
    }

    /// The SYNs have agreed on it; `peers` is the peer's, which is a SYN-ACK if it acknowledges ours.
    /// Where memory is refused nothing is counted, and nothing of ours is ECN-capable: the peer finds zeros.
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

    /// Options of ours do not get through.
    pub(super) fn silence_accurate(&mut self) {
        if let Some(state) = self.accurate_mut() {
            state.received.is_silent = true;
        }
    }

    /// Whether nothing of ours is to be ECN-capable.
    pub(super) fn may_be_capable(&self) -> bool {
        self.agreement.accurate.is_capable()
            && self
                .accurate()
                .is_some_and(|state| !(state.told.is_deaf || state.told.is_contradictory))
    }

    /// AE, CWR and ECE of a segment that is no SYN and no RST.
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

    /// Whether the next segment is to be an ack without data and SACK blocks, that of the SYN-ACK.
    pub(super) fn owes_last_ack(&self) -> bool {
        self.accurate().is_some_and(|state| state.last_ack == LastAck::Owed)
    }

    /// Whether an ack is to go without data, which would leave no room for its option.
    pub(super) fn has_counters_to_tell(&self) -> bool {
        self.accurate().is_some_and(|state| state.received.has_news())
    }

    /// Whether CWR is set in all segments, so that no link is to cut them: such a device clears it behind
    /// the first one (section 3.3.4).
    pub(super) fn has_cwr_in_counter(&self) -> bool {
        self.congestion_flags(false).contains(Flags::CWR) && self.is_accurate()
    }

    /// Puts the option into `header`, of a segment with `payload` bytes of text, if there is news, and room
    /// beside up to two SACK blocks.
    pub(super) fn tell_counters(&self, header: &mut Header, payload: u32) {
        let Some(state) = self.accurate() else {
            return;
        };
        let for_blocks = match header.options.sack.as_slice().len() {
            0 => 0,
            1 => ONE_BLOCK,
            _ => TWO_BLOCKS,
        };
        // Whether it is signed the header says when it goes.
        let signature = self.signature();
        let others = Options { sack: SackBlocks::EMPTY, signature, ..header.options };
        let room = OPTION_AREA.saturating_sub(others.len() + for_blocks);
        let room = room.min(self.sender.mss().saturating_sub(payload) as usize);
        // While data wait behind a hole what was told before is told again.
        let repeats = !header.options.sack.is_empty();
        header.options.set_accurate_ecn(state.received.option(room, repeats));
    }

    /// A segment that is no SYN and no RST went out.
    pub(super) fn on_counters_sent(&mut self, header: &Header) {
        if let Some(state) = self.accurate_mut() {
            state.received.on_ack_sent(header.options.accurate_ecn());
            if state.last_ack == LastAck::Owed {
                state.last_ack = LastAck::Past;
            }
        }
    }

    /// An acceptable segment that is no SYN, whose text was taken.
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

    /// A SYN-ACK has come again: our ack was lost, and the next one feeds its codepoint back (section
    /// 3.2.2.1). One with CE counts once however many come.
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

    /// In a simultaneous open the peer's SYN-ACK has come. That it agrees is known: it feeds back how our SYN
    /// has arrived.
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

    /// Takes the feedback of an ack that is not older than SND.UNA, and tells the law of its marks. Whether it
    /// has any.
    #[inline(never)]
    pub(super) fn take_feedback(&mut self, segment: &Segment<'_>, seq: SeqNumber) -> bool {
        let header = &segment.header;
        if !self.is_accurate() || header.flags.contains(Flags::SYN) {
            return false;
        }
        // Blocks tell of more than what is acknowledged.
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
        if awaited {
            state.last_ack = LastAck::Past;
        }
        if is_first && feedback.ace == 0 {
            state.told.is_deaf = true;
        }
        // In a simultaneous open the peer may owe no such ack, and acknowledge data at once.
        let is_last_ack = awaited && bare && (feedback.acked == 0 || opened_fast);
        let marks = if is_last_ack {
            state.told.check_option(feedback.option);
            state.told.begin(&feedback);
            // Table 4. How the SYN-ACK was marked is told by this ack, or by a later one's counter.
            let is_marked = agreement::decoded(feedback.ace) == Some(Ecn::Ce);
            state.told.ce_packets += u32::from(is_marked);
            let packets = u32::from(is_marked);
            self.agreement.accurate.note_mangling(feedback.ace);
            Marks { packets, bytes: 0 }
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

    /// The SYN-ACK has told that our SYN was marked on its way: that is congestion, though no counter tells of
    /// it (section 3.2.2.2).
    pub(super) fn answer_marked_syn(&mut self, now: Instant, syn_ack: &Header) {
        if self.is_accurate() && agreement::decoded(syn_ack.flags.ace()) == Some(Ecn::Ce) {
            self.sender.digest_echo(now, true, 0);
        }
    }

    /// What was counted, where AccECN is in use.
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

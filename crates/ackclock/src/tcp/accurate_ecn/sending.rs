//! The sender's part: how much of what was sent has met congestion, by the counters that acks tell
//! (RFC 9768 sections 3.2.2.2, 3.2.2.5.2 and 3.2.3.1, appendix A), and when they are not believed (sections
//! 3.2.2.3, 3.2.2.4, 3.2.3.2.4 and 3.2.3.2.5).

use super::receiving::{FIRST_ECT, FIRST_PACKETS};
use crate::congestion::Marks;
use crate::seq::SeqNumber;
use crate::wire::AccurateEcnOption;

/// Values of the ACE field.
const ACES: u32 = 8;
/// Marks that never end: in so many round trips, the first ones, everything was marked, and so many packets at least:
/// a queue for L4S may mark all that comes while it is too long, but by then flows have made room.
const MARKED_ROUNDS: u8 = 4;
const MARKED_PACKETS: u32 = 64;
/// Bits of a counter in an option.
const MASK: u32 = 0x00ff_ffff;

/// An ack, as far as its feedback goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Feedback {
    /// SEG.SEQ and SEG.ACK.
    pub(super) seq: SeqNumber,
    pub(super) ack: SeqNumber,
    /// TSval, if there are timestamps.
    pub(super) timestamp: Option<u32>,
    /// The ACE field.
    pub(super) ace: u8,
    pub(super) option: Option<AccurateEcnOption>,
    /// Bytes that it acknowledges for the first time, and payload bytes of a full segment.
    pub(super) acked: u32,
    pub(super) mss: u32,
    /// Segments that have arrived since the ack before, if that is certain.
    pub(super) covered: Option<u32>,
    /// SND.NXT.
    pub(super) nxt: SeqNumber,
}

/// Whether the first round trips were marked from end to end (section 3.2.2.3).
#[derive(Clone, Copy, Debug)]
struct Constancy {
    /// Rounds that have begun, if all that was acknowledged in them was marked.
    rounds: Option<u8>,
    /// Where the current one ends.
    end: SeqNumber,
    /// Bytes told to be marked that are not acknowledged yet.
    ahead: u32,
}

impl Constancy {
    const FIRST: Constancy = Constancy { rounds: Some(0), end: SeqNumber(0), ahead: 0 };

    /// An ack has told of so many bytes more that were marked. How many rounds were marked.
    fn on_ack(&mut self, feedback: &Feedback, marked: u32) -> u8 {
        let Some(rounds) = &mut self.rounds else {
            return 0;
        };
        self.ahead = self.ahead.saturating_add(marked);
        let Some(ahead) = self.ahead.checked_sub(feedback.acked) else {
            self.rounds = None;
            return 0;
        };
        self.ahead = ahead;
        if feedback.acked > 0 && (*rounds == 0 || feedback.ack.after(self.end)) {
            *rounds = rounds.saturating_add(1);
            self.end = feedback.nxt;
        }
        *rounds
    }
}

/// What the peer has counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    /// s.cep, s.ceb, s.e0b and s.e1b.
    pub(super) ce_packets: u32,
    pub(super) ce_bytes: u32,
    pub(super) ect0_bytes: u32,
    pub(super) ect1_bytes: u32,
    /// Of the last ack whose feedback counted.
    seq: SeqNumber,
    ack: SeqNumber,
    timestamp: u32,
    /// No ack has come yet.
    is_first: bool,
    /// Feedback means nothing: the field is zero from the start (sections 3.2.2.1 and 3.2.2.4), or everything is
    /// marked (section 3.2.2.3).
    pub(super) is_deaf: bool,
    /// The bytes have contradicted the field: something mangles feedback (section 3.2.3.2.5).
    pub(super) is_contradictory: bool,
    /// The bytes of CE are those that the last ack has told, not an estimate.
    is_exact: bool,
    constancy: Constancy,
    /// Options mean nothing: their counters are zero from the start (section 3.2.3.2.4).
    ignores_options: bool,
    /// Whether an option has come.
    saw_option: bool,
}

impl Told {
    pub(super) const FIRST: Told = Told {
        ce_packets: FIRST_PACKETS,
        ce_bytes: 0,
        ect0_bytes: FIRST_ECT,
        ect1_bytes: FIRST_ECT,
        seq: SeqNumber(0),
        ack: SeqNumber(0),
        timestamp: 0,
        is_first: true,
        is_deaf: false,
        is_contradictory: false,
        is_exact: true,
        constancy: Constancy::FIRST,
        ignores_options: false,
        saw_option: false,
    };

    /// Whether no ack has come yet.
    pub(super) fn is_first(&self) -> bool {
        self.is_first
    }

    /// The first option may be one that a box has zeroed.
    pub(super) fn check_option(&mut self, option: Option<AccurateEcnOption>) {
        if let Some(option) = option.filter(|_| !core::mem::replace(&mut self.saw_option, true)) {
            self.ignores_options |= option.ect0() == Some(0) || option.ect1() == Some(0);
        }
    }

    /// The feedback of the last ack of the handshake was taken in another way.
    pub(super) fn begin(&mut self, feedback: &Feedback) {
        self.is_first = false;
        self.note(feedback);
    }

    fn note(&mut self, feedback: &Feedback) {
        (self.seq, self.ack) = (feedback.seq, feedback.ack);
        self.timestamp = feedback.timestamp.unwrap_or(0);
    }

    /// Whether a later ack has come before this one, or may have: then this one's feedback says nothing.
    /// What it tells the next ack tells too.
    fn is_superseded(&self, feedback: &Feedback) -> bool {
        let is_later = |timestamp: u32| timestamp.wrapping_sub(self.timestamp) as i32 > 0;
        let advances = feedback.ack.after(self.ack)
            || feedback.ack == self.ack
                && (feedback.seq.after(self.seq) || feedback.timestamp.is_some_and(is_later));
        !advances
    }

    /// Takes the feedback of an ack that is not older than others. Gives what it tells.
    pub(super) fn take(&mut self, feedback: &Feedback) -> Marks {
        self.check_option(feedback.option);
        let is_first = core::mem::replace(&mut self.is_first, false);
        if !is_first && self.is_superseded(feedback) {
            return Marks::default();
        }
        self.note(feedback);
        let told = self.take_option(feedback.option.filter(|_| !self.ignores_options));
        let (packets, bytes) = match told {
            Some(bytes) if self.contradicts(feedback, bytes) => {
                // Bytes were marked, and the field is what it was.
                self.is_contradictory = true;
                (bytes.div_ceil(feedback.mss.max(1)), bytes)
            }
            _ => self.count(feedback, told),
        };
        let is_news = feedback.acked > 0 || packets > 0 || feedback.covered.is_none();
        self.is_exact = told.is_some() || (self.is_exact && !is_news);
        let rounds = self.constancy.on_ack(feedback, bytes);
        let marked = self.ce_packets.wrapping_sub(FIRST_PACKETS);
        self.is_deaf |= rounds >= MARKED_ROUNDS && marked >= MARKED_PACKETS;
        if self.is_deaf { Marks::default() } else { Marks { packets, bytes } }
    }

    /// Counts the packets that the field tells. Gives them, and their bytes.
    fn count(&mut self, feedback: &Feedback, told: Option<u32>) -> (u32, u32) {
        let packets = self.packets(feedback, told);
        self.ce_packets = self.ce_packets.wrapping_add(packets);
        let bytes = told.unwrap_or_else(|| {
            // Appendix A.3, and the next option tells better.
            let estimate = packets.saturating_mul(feedback.mss).min(feedback.acked);
            self.ce_bytes = self.ce_bytes.wrapping_add(estimate);
            estimate
        });
        (packets, bytes)
    }

    /// Whether an option tells of marked bytes, though the field has not moved, and certainly not gone round either:
    /// the bytes were known exactly, and too few segments have arrived since.
    fn contradicts(&self, feedback: &Feedback, bytes: u32) -> bool {
        let is_still = self.least(feedback) == 0;
        let is_certain = self.is_exact && feedback.covered.is_some_and(|covered| covered < ACES);
        bytes > 0 && is_still && is_certain
    }

    /// By how much the field has moved at least.
    fn least(&self, feedback: &Feedback) -> u32 {
        u32::from(feedback.ace).wrapping_sub(self.ce_packets) % ACES
    }

    /// Takes the byte counters. Gives by how much that of CE has grown, if it is among them.
    fn take_option(&mut self, option: Option<AccurateEcnOption>) -> Option<u32> {
        let option = option?;
        let add = |counter: &mut u32, told: Option<u32>| {
            let told = told?;
            let growth = told.wrapping_sub(*counter) & MASK;
            if growth > MASK / 2 {
                // It was estimated too high.
                *counter = counter.wrapping_sub(growth.wrapping_neg() & MASK);
                return Some(0);
            }
            *counter = counter.wrapping_add(growth);
            Some(growth)
        };
        add(&mut self.ect0_bytes, option.ect0());
        add(&mut self.ect1_bytes, option.ect1());
        add(&mut self.ce_bytes, option.ce())
    }

    /// How many packets with CE the peer has counted since: the field tells it modulo 8. Where it may
    /// have gone round more often, the bytes of an option tell how often; without one the safest
    /// likely case is that as many as possible of what is acknowledged were marked.
    fn packets(&self, feedback: &Feedback, told: Option<u32>) -> u32 {
        let least = self.least(feedback);
        let segments = |bytes: u32| bytes.div_ceil(feedback.mss.max(1));
        let rounds = match told {
            // What has arrived behind a hole counts too, though it is not acknowledged.
            Some(bytes) => segments(bytes).saturating_sub(least).div_ceil(ACES),
            // If it is more than what is acknowledged there were control packets among it.
            None => segments(feedback.acked).saturating_sub(least) / ACES,
        };
        least + ACES * rounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u32 = 1_000;

    fn ack(ack: u32, ace: u8) -> Feedback {
        let seq = SeqNumber(0);
        let acked = 0;
        let (ack, nxt) = (SeqNumber(ack), SeqNumber(ack));
        let (option, covered) = (None, None);
        Feedback { seq, ack, timestamp: None, ace, option, acked, mss: MSS, covered, nxt }
    }

    fn option(ect0: u32, ce: u32) -> Option<AccurateEcnOption> {
        Some(AccurateEcnOption { ect1_first: false, len: 2, fields: [ect0, ce, 0] })
    }

    /// What acks that acknowledge so many segments each tell by these fields.
    fn told(acks: &[(u32, u8)]) -> std::vec::Vec<u32> {
        let mut told = Told::FIRST;
        let mut number = 0;
        let take = |&(segments, ace)| {
            number += segments * MSS;
            let feedback = Feedback { acked: segments * MSS, ..ack(number, ace) };
            told.take(&feedback).packets
        };
        acks.iter().map(take).collect()
    }

    #[test]
    fn the_field_tells_what_is_new_across_its_wrap() {
        assert_eq!(told(&[(1, 5), (1, 6), (2, 0), (2, 2), (1, 2)]), [0, 1, 2, 2, 0]);
    }

    /// Appendix A.2.1.
    #[test]
    fn without_an_option_as_many_as_possible_were_marked() {
        assert_eq!(told(&[(7, 5)]), [0], "eight cannot be");
        assert_eq!(told(&[(8, 5)]), [8]);
        assert_eq!(told(&[(8, 6)]), [1], "nine cannot be");
        assert_eq!(told(&[(20, 6)]), [17]);
        assert_eq!(told(&[(1, 0)]), [3], "control packets may be among them");
    }

    /// Appendix A.2.2.
    #[test]
    fn the_bytes_of_an_option_tell_how_often_the_field_has_gone_round() {
        let marked = |segments: u32, ace, ce| {
            let acked = segments * MSS;
            Told::FIRST.clone_take(&Feedback { option: option(1, ce), acked, ..ack(acked, ace) })
        };
        assert_eq!(marked(20, 6, 1_000), Marks { packets: 1, bytes: 1_000 });
        assert_eq!(marked(20, 6, 9_000), Marks { packets: 9, bytes: 9_000 });
        assert_eq!(marked(20, 5, 0), Marks { packets: 0, bytes: 0 });
        assert_eq!(marked(2, 6, 9_000), Marks { packets: 9, bytes: 9_000 }, "behind a hole");
    }

    impl Told {
        fn clone_take(mut self, feedback: &Feedback) -> Marks {
            self.take(feedback)
        }
    }

    #[test]
    fn what_was_estimated_is_not_told_again_and_the_option_is_right() {
        let mut told = Told::FIRST;
        let first = told.take(&Feedback { acked: 3_000, ..ack(3_000, 7) });
        assert_eq!(first, Marks { packets: 2, bytes: 2_000 });
        let acked = Feedback { acked: 1_000, ..ack(4_000, 0) };
        let second = told.take(&Feedback { option: option(1, 2_500), ..acked });
        assert_eq!(second, Marks { packets: 1, bytes: 500 });
        let acked = Feedback { acked: 1_000, ..ack(5_000, 1) };
        assert_eq!(told.take(&acked).bytes, 1_000);
        let acked = Feedback { acked: 1_000, ..ack(6_000, 1) };
        let fourth = told.take(&Feedback { option: option(1, 2_600), ..acked });
        assert_eq!((fourth, told.ce_bytes), (Marks::default(), 2_600), "900 were too many");
    }

    #[test]
    fn an_ack_that_others_have_overtaken_tells_nothing() {
        let mut told = Told::FIRST;
        assert_eq!(told.take(&Feedback { acked: 2_000, ..ack(2_000, 7) }).packets, 2);
        assert_eq!(told.take(&ack(1_000, 6)).packets, 0);
        assert_eq!(told.take(&ack(2_000, 6)).packets, 0, "which of two alike is later?");
        let later = Feedback { seq: SeqNumber(1), ..ack(2_000, 0) };
        assert_eq!(told.take(&later).packets, 1);
        let later = Feedback { timestamp: Some(1), ..later };
        assert_eq!(told.take(&Feedback { ace: 1, ..later }).packets, 1);
        assert_eq!(told.take(&Feedback { ace: 2, ..later }).packets, 0, "of the same millisecond");
    }

    /// Section 3.2.3.2.4.
    #[test]
    fn an_option_with_zeros_at_first_is_the_last_one_heeded() {
        for (fields, heeded) in [([0, 0, 1], false), ([1, 0, 0], false), ([1, 0, 1], true)] {
            let mut told = Told::FIRST;
            told.check_option(Some(AccurateEcnOption { ect1_first: false, len: 3, fields }));
            let acked = 20 * MSS;
            let later = Feedback { option: option(1, 0), acked, ..ack(acked, 5) };
            assert_eq!(told.take(&later).packets, if heeded { 0 } else { 16 });
        }
    }

    /// Section 3.2.2.3.
    #[test]
    fn marks_without_end_mean_nothing() {
        // Acks of so many segments each, of which so many were marked, in a round trip each.
        let deaf_after = |acks: &[(u32, u32)]| {
            let (mut told, mut number, mut marks) = (Told::FIRST, 0, 0);
            acks.iter().position(|&(segments, marked)| {
                (number, marks) = (number + segments * MSS, marks + marked);
                let acked = segments * MSS;
                let option = option(1, marks * MSS);
                let nxt = SeqNumber(number + segments * MSS);
                let ace = (FIRST_PACKETS + marks) as u8 % 8;
                told.take(&Feedback { acked, option, nxt, ..ack(number, ace) });
                told.is_deaf
            })
        };
        assert_eq!(deaf_after(&[(4, 4); 20]), Some(15));
        assert_eq!(deaf_after(&[(32, 32); 8]), Some(6), "of each second ack the data went before");
        assert_eq!(deaf_after(&[(1, 1); 80]), Some(63), "few packets say little");
        let after = |first: [(u32, u32); 2]| {
            let mut acks = [(4, 4); 30];
            acks[..2].copy_from_slice(&first);
            deaf_after(&acks)
        };
        assert_eq!(after([(4, 4), (4, 3)]), None);
        assert_eq!(after([(0, 4), (4, 0)]), Some(16), "behind a hole");
    }

    /// Section 3.2.3.2.5.
    #[test]
    fn bytes_without_packets_contradict_the_field_where_it_cannot_have_gone_round() {
        let take = |told: &mut Told, number, ace, ce, covered| {
            let option = Some(ce).filter(|ce| *ce > 0).and_then(|ce| option(1, ce));
            let marks = told.take(&Feedback { acked: MSS, option, covered, ..ack(number, ace) });
            (told.is_contradictory, marks.packets)
        };
        let mut told = Told::FIRST;
        assert_eq!(take(&mut told, 1_000, 6, 1_000, Some(1)), (false, 1));
        assert_eq!(take(&mut told, 2_000, 6, 2_000, Some(1)), (true, 1), "it counts all the same");
        assert_eq!(told.ce_packets, FIRST_PACKETS + 1);
        let after = |first: &[(u8, u32, Option<u32>)]| {
            let mut told = Told::FIRST;
            let mut number = 0;
            for &(ace, ce, covered) in first {
                number += MSS;
                take(&mut told, number, ace, ce, covered);
            }
            told.is_contradictory
        };
        assert!(!after(&[(5, 8_000, Some(8))]), "eight of them");
        assert!(!after(&[(5, 1_000, None)]), "nobody knows how many");
        assert!(!after(&[(6, 0, Some(1)), (6, 2_000, Some(1))]), "the ack before told no bytes");
        assert!(after(&[(6, 1_000, Some(1)), (6, 1_000, Some(1)), (6, 1_001, Some(1))]));
    }
}

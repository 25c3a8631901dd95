//! The sender's part: how much of what was sent has met congestion, by the counters that acks tell
//! (RFC 9768 sections 3.2.2.2, 3.2.2.5.2 and 3.2.3.1, appendix A).

use super::receiving::{FIRST_ECT, FIRST_PACKETS};
use crate::congestion::Marks;
use crate::seq::SeqNumber;
use crate::wire::AccurateEcnOption;

/// Values of the ACE field.
const ACES: u32 = 8;
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
    /// Feedback means nothing: the field is zero from the start (sections 3.2.2.1 and 3.2.2.4).
    pub(super) is_deaf: bool,
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
        let packets = self.packets(feedback, told);
        self.ce_packets = self.ce_packets.wrapping_add(packets);
        let bytes = told.unwrap_or_else(|| {
            // Appendix A.3, and the next option tells better.
            let estimate = packets.saturating_mul(feedback.mss).min(feedback.acked);
            self.ce_bytes = self.ce_bytes.wrapping_add(estimate);
            estimate
        });
        if self.is_deaf { Marks::default() } else { Marks { packets, bytes } }
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
        let least = u32::from(feedback.ace).wrapping_sub(self.ce_packets) % ACES;
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
        Feedback { seq, ack: SeqNumber(ack), timestamp: None, ace, option: None, acked, mss: MSS }
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
}

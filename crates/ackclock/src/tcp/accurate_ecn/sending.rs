//! AccECN as data sender: how many CE marks the counters in acks report (RFC 9768 sections 3.2.2.2, 3.2.2.5.2
//! and 3.2.3.1, appendix A), and when these counters must not be trusted (sections 3.2.2.3, 3.2.2.4, 3.2.3.2.4
//! and 3.2.3.2.5).

use super::receiving::{FIRST_ECT, FIRST_PACKETS};
use crate::congestion::Marks;
use crate::seq::SeqNumber;
use crate::wire::AccurateEcnOption;

/// Number of values of the ACE field.
const ACES: u32 = 8;
/// Limits for marks that never end: everything was marked in this many round trips from the start, and that was
/// at least this many packets. An L4S queue may mark every packet while it is too long, but by then senders
/// have slowed down.
const MARKED_ROUNDS: u8 = 4;
const MARKED_PACKETS: u32 = 64;
/// Mask for the 24 bits of a counter in an option.
const MASK: u32 = 0x00ff_ffff;

/// The parts of an ack that matter for AccECN feedback.
#[derive(Clone, Copy, Debug)]
pub(super) struct Feedback {
    /// SEG.SEQ and SEG.ACK.
    pub(super) seq: SeqNumber,
    pub(super) ack: SeqNumber,
    /// TSval, if the connection uses timestamps.
    pub(super) timestamp: Option<u32>,
    /// The ACE field.
    pub(super) ace: u8,
    pub(super) option: Option<AccurateEcnOption>,
    /// Newly acknowledged bytes, and payload bytes of a full-sized segment.
    pub(super) acked: u32,
    pub(super) mss: u32,
    /// Number of segments that have arrived since the previous ack, if that is certain.
    pub(super) covered: Option<u32>,
    /// SND.NXT.
    pub(super) nxt: SeqNumber,
}

/// Detects whether everything is marked from the start (section 3.2.2.3).
#[derive(Clone, Copy, Debug)]
struct Constancy {
    /// Number of round trips begun so far; `None` once acknowledged data was found to be unmarked.
    rounds: Option<u8>,
    /// End of the current round trip.
    end: SeqNumber,
    /// Bytes reported as marked that are not acknowledged yet.
    ahead: u32,
}

impl Constancy {
    const FIRST: Constancy = Constancy { rounds: Some(0), end: SeqNumber(0), ahead: 0 };

    /// Processes an ack that reports `marked` more bytes as marked. Returns the number of fully marked round
    /// trips.
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

/// Counters of the peer as its acks report them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    /// s.cep, s.ceb, s.e0b and s.e1b.
    pub(super) ce_packets: u32,
    pub(super) ce_bytes: u32,
    pub(super) ect0_bytes: u32,
    pub(super) ect1_bytes: u32,
    /// SEG.SEQ, SEG.ACK and TSval of the last ack whose feedback was used.
    seq: SeqNumber,
    ack: SeqNumber,
    timestamp: u32,
    /// No ack has arrived yet.
    is_first: bool,
    /// The feedback is meaningless: the ACE field was zero from the start (sections 3.2.2.1 and 3.2.2.4), or
    /// everything is marked (section 3.2.2.3).
    pub(super) is_deaf: bool,
    /// The byte counters have contradicted the ACE field, so something on the path mangles feedback (section
    /// 3.2.3.2.5).
    pub(super) is_contradictory: bool,
    /// `ce_bytes` is the value that the last ack reported, not an estimate.
    is_exact: bool,
    constancy: Constancy,
    /// Options are ignored, because their counters were zero from the start (section 3.2.3.2.4).
    ignores_options: bool,
    /// Whether an option has arrived.
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

    /// Whether no ack has arrived yet.
    pub(super) fn is_first(&self) -> bool {
        self.is_first
    }

    /// Checks whether the first option was zeroed by a middlebox; later options are not checked.
    pub(super) fn check_option(&mut self, option: Option<AccurateEcnOption>) {
        if let Some(option) = option.filter(|_| !core::mem::replace(&mut self.saw_option, true)) {
            self.ignores_options |= option.ect0() == Some(0) || option.ect1() == Some(0);
        }
    }

    /// Notes the last ack of the handshake, whose feedback is encoded differently and was processed elsewhere.
    pub(super) fn begin(&mut self, feedback: &Feedback) {
        self.is_first = false;
        self.note(feedback);
    }

    fn note(&mut self, feedback: &Feedback) {
        (self.seq, self.ack) = (feedback.seq, feedback.ack);
        self.timestamp = feedback.timestamp.unwrap_or(0);
    }

    /// Whether a later ack has, or may have, arrived before this one. Then this one's feedback is not used; the
    /// next ack includes it.
    fn is_superseded(&self, feedback: &Feedback) -> bool {
        let is_later = |timestamp: u32| timestamp.wrapping_sub(self.timestamp) as i32 > 0;
        let advances = feedback.ack.after(self.ack)
            || feedback.ack == self.ack
                && (feedback.seq.after(self.seq) || feedback.timestamp.is_some_and(is_later));
        !advances
    }

    /// Processes the feedback of an ack unless a later one has arrived. Returns the newly reported marks.
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
                // There were marked bytes, but the ACE field has not changed.
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

    /// Counts the packets newly reported in the ACE field. Returns them and their bytes.
    fn count(&mut self, feedback: &Feedback, told: Option<u32>) -> (u32, u32) {
        let packets = self.packets(feedback, told);
        self.ce_packets = self.ce_packets.wrapping_add(packets);
        let bytes = told.unwrap_or_else(|| {
            // An estimate as in appendix A.3, which the next option corrects.
            let estimate = packets.saturating_mul(feedback.mss).min(feedback.acked);
            self.ce_bytes = self.ce_bytes.wrapping_add(estimate);
            estimate
        });
        (packets, bytes)
    }

    /// Whether an option reports newly marked bytes although the ACE field has not changed and cannot have
    /// wrapped: the bytes were known exactly before, and too few segments have arrived since.
    fn contradicts(&self, feedback: &Feedback, bytes: u32) -> bool {
        let is_still = self.least(feedback) == 0;
        let is_certain = self.is_exact && feedback.covered.is_some_and(|covered| covered < ACES);
        bytes > 0 && is_still && is_certain
    }

    /// Least number of packets that explains the change of the ACE field.
    fn least(&self, feedback: &Feedback) -> u32 {
        u32::from(feedback.ace).wrapping_sub(self.ce_packets) % ACES
    }

    /// Processes the byte counters. Returns the growth of the CE counter, if the option contains it.
    fn take_option(&mut self, option: Option<AccurateEcnOption>) -> Option<u32> {
        let option = option?;
        let add = |counter: &mut u32, told: Option<u32>| {
            let told = told?;
            let growth = told.wrapping_sub(*counter) & MASK;
            if growth > MASK / 2 {
                // The earlier estimate was too high.
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

    /// Number of newly CE-marked packets. The ACE field reports it modulo 8. Where the field may have wrapped,
    /// the byte counters of an option tell how often; without an option, we take the safest likely case, that
    /// as many of the acknowledged segments as possible were marked.
    fn packets(&self, feedback: &Feedback, told: Option<u32>) -> u32 {
        let least = self.least(feedback);
        let segments = |bytes: u32| bytes.div_ceil(feedback.mss.max(1));
        let rounds = match told {
            // Segments received behind a hole count too, although they are not acknowledged.
            Some(bytes) => segments(bytes).saturating_sub(least).div_ceil(ACES),
            // If it is more than the acknowledged segments, there were control packets among the marked ones.
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

    /// Marked packets that each of these acks reports; each acknowledges that many segments, with that ACE
    /// field.
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
        // acks, each for a number of segments of which a number was marked, one ack per round trip.
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

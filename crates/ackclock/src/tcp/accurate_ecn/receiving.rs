//! AccECN as data receiver: counters of the codepoints that arrived, when a change is worth an ack at once, and
//! the contents of the AccECN option (RFC 9768 sections 3.2.2.5.1 and 3.2.3.3).

use crate::wire::{AccurateEcnOption, Ecn};

/// Initial values of the counters (section 3.2.1).
pub(super) const FIRST_PACKETS: u32 = 5;
pub(super) const FIRST_ECT: u32 = 1;

/// Number of CE marks that trigger an ack at once: if data are waiting to be acknowledged, and if none are.
const MARKS_WITH_DATA: u8 = 2;
const MARKS_WITHOUT: u8 = 3;

/// Bits that stand for the byte counters in a set.
const ECT0: u8 = 1;
const CE: u8 = 2;
const ECT1: u8 = 4;

/// Counters of what has arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct Received {
    /// r.cep: packets with CE.
    pub(super) ce_packets: u32,
    /// r.ceb, r.e0b and r.e1b: payload bytes with CE, ECT(0) and ECT(1).
    pub(super) ce_bytes: u32,
    pub(super) ect0_bytes: u32,
    pub(super) ect1_bytes: u32,
    /// Sets of byte counters: those that have ever changed, and those that have changed since they were last
    /// reported in an option.
    changed: u8,
    untold: u8,
    /// CE marks received since the last ack.
    marks: u8,
    /// Whether the last packet was CE-marked.
    was_marked: bool,
    /// No options are sent, because the first one did not reach the peer.
    pub(super) is_silent: bool,
    /// Number of options still to be sent even if no counter has changed, for the peer to find out whether they
    /// arrive.
    probes: u8,
}

impl Received {
    pub(super) const FIRST: Received = Received {
        ce_packets: FIRST_PACKETS,
        ce_bytes: 0,
        ect0_bytes: FIRST_ECT,
        ect1_bytes: FIRST_ECT,
        changed: 0,
        untold: 0,
        marks: 0,
        was_marked: false,
        is_silent: false,
        probes: 0,
    };

    /// Counts an acceptable packet with `len` payload bytes. Returns whether to send an ack at once, given
    /// whether data are waiting to be acknowledged (`unacknowledged`).
    pub(super) fn on_packet(&mut self, ecn: Ecn, len: u32, unacknowledged: bool) -> bool {
        let is_marked = ecn == Ecn::Ce;
        let counter = match ecn {
            Ecn::NotEct => None,
            Ecn::Ect0 => Some((&mut self.ect0_bytes, ECT0)),
            Ecn::Ect1 => Some((&mut self.ect1_bytes, ECT1)),
            Ecn::Ce => Some((&mut self.ce_bytes, CE)),
        };
        if let Some((bytes, bit)) = counter.filter(|_| len > 0) {
            *bytes = bytes.wrapping_add(len);
            self.changed |= bit;
            self.untold |= bit;
        }
        let begins = is_marked && !self.was_marked && len > 0;
        self.was_marked = is_marked;
        if is_marked {
            self.ce_packets = self.ce_packets.wrapping_add(1);
            self.marks = self.marks.saturating_add(1);
        }
        let enough = if unacknowledged { MARKS_WITH_DATA } else { MARKS_WITHOUT };
        begins || (is_marked && self.marks >= enough)
    }

    /// Notes that a segment was sent, whose ACE field reports the packet counter.
    pub(super) fn on_ack_sent(&mut self, option: Option<AccurateEcnOption>) {
        self.marks = 0;
        if option.is_some() {
            (self.untold, self.probes) = (0, self.probes.saturating_sub(1));
        }
    }

    /// Makes the ack of the SYN-ACK report all counters, changed or not, and also the next segment that has
    /// room for them (section 3.2.3.2.1).
    pub(super) fn probe(&mut self) {
        self.probes = 2;
    }

    /// Whether a counter has changed since it was last reported in an option.
    pub(super) fn has_news(&self) -> bool {
        !self.is_silent && self.untold != 0
    }

    /// The option for a segment that has `room` bytes for it. It contains every counter that has ever changed
    /// or, if the room is too small, those that have changed since they were last reported. `None` if these do
    /// not fit either, or if nothing has changed and the segment does not repeat earlier reports (`repeats`),
    /// which may have been lost.
    pub(super) fn option(&self, room: usize, repeats: bool) -> Option<AccurateEcnOption> {
        if self.is_silent || (self.untold == 0 && self.probes == 0 && !repeats) {
            return None;
        }
        let fits = |needed: u8| {
            let shorter = |ect1_first: &bool| Self::fields(needed, *ect1_first);
            let ect1_first = [false, true].into_iter().min_by_key(shorter)?;
            let len = shorter(&ect1_first);
            (AccurateEcnOption::padded(len) <= room).then_some((ect1_first, len))
        };
        let wanted = if self.probes > 0 { ECT0 | CE | ECT1 } else { self.changed };
        let (ect1_first, len) = fits(wanted).or_else(|| fits(self.untold))?;
        if len == 0 {
            return None;
        }
        Some(self.told(ect1_first, len))
    }

    /// The option of a SYN-ACK, with the initial values of all counters.
    pub(super) fn first_option() -> AccurateEcnOption {
        Self::FIRST.told(false, 3)
    }

    /// Number of fields that an option in this order needs to report a set of counters.
    fn fields(set: u8, ect1_first: bool) -> u8 {
        let (first, last) = if ect1_first { (ECT1, ECT0) } else { (ECT0, ECT1) };
        match set {
            _ if set & last != 0 => 3,
            _ if set & CE != 0 => 2,
            _ => u8::from(set & first != 0),
        }
    }

    fn told(&self, ect1_first: bool, len: u8) -> AccurateEcnOption {
        let (first, last) = match ect1_first {
            true => (self.ect1_bytes, self.ect0_bytes),
            false => (self.ect0_bytes, self.ect1_bytes),
        };
        let mut fields = [first, self.ce_bytes, last].map(|bytes| bytes & 0x00ff_ffff);
        for field in fields.iter_mut().skip(len.into()) {
            *field = 0;
        }
        AccurateEcnOption { ect1_first, len, fields }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns, for each of these arrivals (codepoint, bytes, whether data are waiting to be acknowledged),
    /// whether it triggers an ack at once.
    fn at_once(arrivals: &[(Ecn, u32, bool)]) -> std::vec::Vec<bool> {
        let mut received = Received::FIRST;
        let on_packet = |&(ecn, len, waits)| {
            let at_once = received.on_packet(ecn, len, waits);
            if at_once {
                received.on_ack_sent(None);
            }
            at_once
        };
        arrivals.iter().map(on_packet).collect()
    }

    /// Section 3.2.2.5.1.
    #[test]
    fn the_first_mark_and_every_second_one_on_data_are_worth_an_ack() {
        use Ecn::{Ce, Ect0};
        let data = [Ect0, Ce, Ce, Ce, Ect0, Ce, Ce, Ect0].map(|ecn| (ecn, 100, true));
        assert_eq!(at_once(&data), [false, true, false, true, false, true, false, false]);
        let acks = [Ce; 7].map(|ecn| (ecn, 0, false));
        assert_eq!(at_once(&acks), [false, false, true, false, false, true, false]);
        let mixed = [(Ce, 0, false), (Ce, 100, true)];
        assert_eq!(at_once(&mixed), [false, true], "two, though the one before was marked too");
    }

    #[test]
    fn an_option_has_what_has_ever_changed_and_no_more_than_it_needs() {
        let option = |arrivals: &[Ecn], room| {
            let mut received = Received::FIRST;
            for ecn in arrivals {
                received.on_packet(*ecn, 100, true);
            }
            received
                .option(room, false)
                .map(|option| (option.ect1_first, option.len, option.fields))
        };
        use Ecn::{Ce, Ect0, Ect1, NotEct};
        assert_eq!(option(&[NotEct], 40), None);
        assert_eq!(option(&[Ect0, Ect0], 40), Some((false, 1, [201, 0, 0])));
        assert_eq!(option(&[Ect1], 40), Some((true, 1, [101, 0, 0])));
        assert_eq!(option(&[Ce], 40), Some((false, 2, [1, 100, 0])));
        assert_eq!(option(&[Ce, Ect1], 40), Some((true, 2, [101, 100, 0])));
        assert_eq!(option(&[Ce, Ect1, Ect0], 40), Some((false, 3, [101, 100, 101])));
        assert_eq!(option(&[Ce, Ect1, Ect0], 8), None, "all three are news");
        assert_eq!(option(&[Ect0], 4), None);
    }

    /// Section 3.2.3.3: counters that were not reported yet are not left out, but others may be.
    #[test]
    fn without_much_room_an_option_has_the_news() {
        let mut received = Received::FIRST;
        received.on_packet(Ecn::Ect0, 100, true);
        received.on_packet(Ecn::Ect1, 100, true);
        received.on_ack_sent(received.option(12, false));
        assert_eq!(received.option(12, false), None, "no news");
        assert_eq!(received.option(12, true).map(|option| option.len), Some(3));
        assert_eq!(received.option(8, true), None);
        received.on_packet(Ecn::Ect1, 100, true);
        let told = received.option(8, false).map(|option| (option.ect1_first, option.len));
        assert_eq!(told, Some((true, 1)));
        assert_eq!(received.option(12, false).map(|option| option.len), Some(3));
    }
}

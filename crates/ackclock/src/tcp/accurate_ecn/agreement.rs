//! Negotiation of AccECN in the handshake, and the feedback that the handshake carries (RFC 9768 tables 2 to
//! 4).

use super::receiving::{FIRST_PACKETS, Received};
use crate::wire::{AccurateEcnOption, Ecn, Flags};

/// State of the AccECN negotiation, in one byte because half-open records and connections must be small.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct AccurateAgreement(u8);

/// Our SYN may request AccECN, and our SYN-ACK may agree to it.
const OFFERED: u8 = 1 << 0;
/// Both sides are in AccECN mode, for the rest of the connection.
const AGREED: u8 = 1 << 1;
/// We must not send ECN-capable packets.
const INCAPABLE: u8 = 1 << 2;
/// Position of the two bits that hold the ECN codepoint of the peer's latest SYN or SYN-ACK.
const CODEPOINT: u32 = 3;
/// We have sent a SYN-ACK.
const ANSWERED: u8 = 1 << 5;
/// AccECN is not in use, and the peer expects ECN-Echo as in RFC 3168.
const CLASSIC_ECHO: u8 = 1 << 6;

/// AE, CWR and ECE of a SYN that requests AccECN.
pub(crate) const REQUEST: Flags = Flags::AE.union(Flags::CWR).union(Flags::ECE);
/// ACE fields that mean classic ECN: ECE alone in a SYN-ACK, CWR and ECE in a SYN.
const CLASSIC: (u8, u8) = (0b001, 0b011);
/// ACE field with all three flags set. In a SYN-ACK it means a server that reflects the flags of the SYN.
const BROKEN: u8 = 0b111;

/// After this many timeouts of the SYN-ACK, its next retransmission no longer agrees to AccECN.
const GIVES_UP: u32 = 2;

/// The ACE value that encodes an ECN codepoint in a SYN-ACK (table 2) and in the ack of a SYN-ACK (table 3).
pub(super) const fn encoded(ecn: Ecn) -> u8 {
    match ecn {
        Ecn::NotEct => 0b010,
        Ecn::Ect1 => 0b011,
        Ecn::Ect0 => 0b100,
        Ecn::Ce => 0b110,
    }
}

/// The ECN codepoint that an ACE value encodes; `None` if it encodes none.
pub(super) const fn decoded(ace: u8) -> Option<Ecn> {
    match ace {
        0b010 => Some(Ecn::NotEct),
        0b011 => Some(Ecn::Ect1),
        0b100 => Some(Ecn::Ect0),
        0b110 => Some(Ecn::Ce),
        _ => None,
    }
}

/// What a repeated SYN does to the mode that an earlier SYN has negotiated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Again {
    /// The mode stays; at most the codepoint that we feed back changes.
    Goes,
    /// The peer has requested two different modes, so that we cannot tell which one it is in: the connection
    /// must be reset (section 3.1.5).
    Clashes,
}

impl AccurateAgreement {
    /// The ACE field of an end that has received no CE mark yet.
    pub(crate) const FIRST_COUNTER: Flags = Flags::from_ace(FIRST_PACKETS as u8);

    /// The state before the first segment of the peer.
    pub(crate) const fn offer(offered: bool) -> Self {
        AccurateAgreement(if offered { OFFERED } else { 0 })
    }

    /// Whether our SYN may request AccECN.
    pub(crate) const fn is_offered(self) -> bool {
        self.0 & OFFERED != 0
    }

    /// Makes our SYN not request AccECN.
    pub(crate) fn withdraw(&mut self) {
        self.0 &= !OFFERED;
    }

    /// Whether both half-connections are in AccECN mode.
    pub(crate) const fn is_agreed(self) -> bool {
        self.0 & AGREED != 0
    }

    /// Whether the peer expects us to echo CE marks as in RFC 3168.
    pub(crate) const fn echoes_classic(self) -> bool {
        self.0 & CLASSIC_ECHO != 0
    }

    /// Sets whether the peer expects us to echo CE marks as in RFC 3168.
    pub(crate) fn set_classic_echo(&mut self, expected: bool) {
        self.0 = self.0 & !CLASSIC_ECHO | if expected { CLASSIC_ECHO } else { 0 };
    }

    /// Whether we may send ECN-capable packets, given that AccECN was negotiated.
    pub(crate) const fn is_capable(self) -> bool {
        self.0 & INCAPABLE == 0
    }

    /// The ECN codepoint of the peer's latest SYN or SYN-ACK.
    pub(crate) const fn codepoint(self) -> Ecn {
        match self.0 >> CODEPOINT & 3 {
            0 => Ecn::NotEct,
            1 => Ecn::Ect1,
            2 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }

    pub(super) fn set_codepoint(&mut self, ecn: Ecn) {
        let bits = match ecn {
            Ecn::NotEct => 0,
            Ecn::Ect1 => 1,
            Ecn::Ect0 => 2,
            Ecn::Ce => 3,
        };
        self.0 = self.0 & !(3 << CODEPOINT) | bits << CODEPOINT;
    }

    /// Whether we have sent a SYN-ACK.
    pub(crate) const fn has_answered(self) -> bool {
        self.0 & ANSWERED != 0
    }

    /// Notes that a SYN-ACK was sent after this many timeouts of earlier ones. If it did not agree to AccECN,
    /// we must not send ECN-capable packets any more (section 3.1.5).
    pub(crate) fn on_syn_ack_sent(&mut self, timeouts: u32) {
        self.0 |= ANSWERED | if timeouts < GIVES_UP { 0 } else { INCAPABLE };
    }

    /// Processes the flags and ECN codepoint of the peer's SYN (table 2). A combination of flags without a
    /// meaning as yet requests AccECN (section 3.1.3). Returns whether AccECN is negotiated.
    pub(crate) fn take_syn(&mut self, flags: Flags, ecn: Ecn) -> bool {
        let asks = !matches!(flags.ace(), 0b000 | 0b011);
        if self.is_offered() && asks {
            self.0 |= AGREED;
            self.set_codepoint(ecn);
        }
        self.is_agreed()
    }

    /// Processes a repeated SYN of the peer: the mode stays, but we feed back the codepoint of the latest SYN.
    pub(crate) fn take_syn_again(&mut self, flags: Flags, ecn: Ecn, classic: bool) -> Again {
        let ace = flags.ace();
        if self.is_agreed() {
            self.set_codepoint(ecn);
            if ace == 0 {
                self.0 |= INCAPABLE;
            }
            return if ace == CLASSIC.1 { Again::Clashes } else { Again::Goes };
        }
        let asks = !matches!(ace, 0b000 | 0b011);
        if self.is_offered() && classic && asks { Again::Clashes } else { Again::Goes }
    }

    /// Processes the flags and ECN codepoint of the SYN-ACK that answers our SYN, if that requested AccECN
    /// (table 2). Returns whether AccECN is negotiated. Our SYN was not ECN-capable: if it was when it arrived,
    /// we must not send ECN-capable packets (section 3.2.2.3).
    pub(crate) fn take_syn_ack(&mut self, flags: Flags, ecn: Ecn) -> bool {
        let ace = flags.ace();
        if self.is_offered() && !matches!(ace, 0b000 | BROKEN) && ace != CLASSIC.0 {
            self.0 |= AGREED;
            self.set_codepoint(ecn);
            self.note_mangling(ace);
        }
        self.is_agreed()
    }

    /// Processes a peer's SYN-ACK that has crossed ours in a simultaneous open.
    pub(super) fn take_crossing_syn_ack(&mut self, flags: Flags) {
        self.note_mangling(flags.ace());
        if flags.ace() == 0 {
            self.0 |= INCAPABLE;
        }
    }

    /// Checks the codepoint with which, according to `ace`, our SYN or SYN-ACK arrived. It was sent as Not-ECT.
    pub(super) fn note_mangling(&mut self, ace: u8) {
        if decoded(ace).is_some_and(|ecn| ecn != Ecn::NotEct) {
            self.0 |= INCAPABLE;
        }
    }

    /// The flags of the SYN-ACK to be sent now. After two timeouts it no longer agrees to AccECN, because there
    /// may be middleboxes that drop SYN-ACKs which do (section 3.2.3.2.2).
    pub(crate) fn syn_ack_flags(self, timeouts: u32) -> Flags {
        let feedback = Flags::from_ace(encoded(self.codepoint()));
        if timeouts < GIVES_UP { feedback } else { Flags::NONE }
    }

    /// The AccECN option of the SYN-ACK to be sent now. Only the first SYN-ACK has one.
    pub(crate) fn syn_ack_option(self) -> Option<AccurateEcnOption> {
        (!self.has_answered()).then(Received::first_option)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered() -> AccurateAgreement {
        AccurateAgreement::offer(true)
    }

    /// Table 2, first block, and section 3.1.3.
    #[test]
    fn a_syn_that_asks_is_answered_by_how_it_came() {
        let codepoints = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce];
        for (ecn, answer) in codepoints.into_iter().zip([0b010, 0b011, 0b100, 0b110]) {
            for ace in [0b111, 0b001, 0b010, 0b100, 0b101, 0b110] {
                let mut agreement = offered();
                assert!(agreement.take_syn(Flags::SYN | Flags::from_ace(ace), ecn));
                assert_eq!(agreement.syn_ack_flags(0).ace(), answer);
                assert!(agreement.is_capable());
            }
        }
        for ace in [0b000, 0b011] {
            assert!(!offered().take_syn(Flags::SYN | Flags::from_ace(ace), Ecn::NotEct));
        }
        assert!(!AccurateAgreement::offer(false).take_syn(Flags::SYN | REQUEST, Ecn::NotEct));
    }

    /// Table 2, and section 3.2.2.3: our SYN was not ECN-capable.
    #[test]
    fn a_syn_ack_agrees_and_tells_whether_the_syn_was_mangled() {
        let taken = |ace| {
            let mut agreement = offered();
            let flags = Flags::SYN | Flags::ACK | Flags::from_ace(ace);
            (agreement.take_syn_ack(flags, Ecn::NotEct), agreement.is_capable())
        };
        let all = [0, 1, 2, 3, 4, 5, 6, 7].map(taken);
        let (none, capable, mangled) = ((false, true), (true, true), (true, false));
        assert_eq!(all, [none, none, capable, mangled, mangled, capable, mangled, none]);
    }

    /// Section 3.1.5.
    #[test]
    fn the_mode_stays_and_two_modes_clash() {
        let again = |first, second| {
            let mut agreement = offered();
            let agreed = agreement.take_syn(Flags::from_ace(first), Ecn::NotEct);
            let classic = first == 0b011;
            let again = agreement.take_syn_again(Flags::from_ace(second), Ecn::Ce, classic);
            assert_eq!(agreement.is_agreed(), agreed);
            (again, agreement.is_capable(), agreement.syn_ack_flags(0).ace())
        };
        assert_eq!(again(0b111, 0b111), (Again::Goes, true, 0b110), "the latest is fed back");
        assert_eq!(again(0b111, 0b000), (Again::Goes, false, 0b110));
        assert_eq!(again(0b111, 0b011).0, Again::Clashes);
        assert_eq!(again(0b011, 0b111).0, Again::Clashes);
        assert_eq!(again(0b011, 0b000).0, Again::Goes);
        assert_eq!(again(0b000, 0b111).0, Again::Goes, "it goes on without");
    }

    /// Section 3.2.3.2.2.
    #[test]
    fn syn_acks_without_an_answer_ask_for_less_and_less() {
        let mut agreement = offered();
        agreement.take_syn(REQUEST, Ecn::NotEct);
        assert!(agreement.syn_ack_option().is_some());
        for (timeouts, ace, capable) in [(0, 0b010, true), (1, 0b010, true), (2, 0, false)] {
            assert_eq!(agreement.syn_ack_flags(timeouts).ace(), ace);
            agreement.on_syn_ack_sent(timeouts);
            assert_eq!(agreement.syn_ack_option(), None);
            assert_eq!(agreement.is_capable(), capable);
        }
    }
}

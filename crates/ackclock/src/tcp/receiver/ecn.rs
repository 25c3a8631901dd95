//! The receiver's part in explicit congestion notification (RFC 3168 section 6.1.3).

/// State of the receiver's ECN feedback.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum EcnReceiver {
    /// Acks carry no ECN flags.
    #[default]
    Silent,
    /// Acks carry ECN-Echo (RFC 3168).
    Echoing,
    /// Acks carry AccECN's counter (RFC 9768).
    Counting,
}

impl EcnReceiver {
    /// Whether acks carry ECN-Echo.
    pub(super) fn is_echoing(self) -> bool {
        self == EcnReceiver::Echoing
    }

    /// Whether acks carry any ECN flag.
    pub(super) fn tells_something(self) -> bool {
        self != EcnReceiver::Silent
    }

    /// Notes data within the window, with or without a CE mark (`experienced`) and CWR (`reduced`). Returns
    /// whether to ack at once: the peer's congestion window may be so small that it waits for this ack.
    pub(super) fn on_data(&mut self, experienced: bool, reduced: bool) -> bool {
        let begins = experienced && !self.is_echoing();
        let goes_on = experienced || (self.is_echoing() && !reduced);
        *self = if goes_on { EcnReceiver::Echoing } else { EcnReceiver::Silent };
        begins || reduced
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is echoed after each of these arrivals: (mark, CWR).
    fn echoed(arrivals: &[(bool, bool)]) -> std::vec::Vec<bool> {
        let mut receiver = EcnReceiver::default();
        let after = |&(mark, cwr)| {
            receiver.on_data(mark, cwr);
            receiver.is_echoing()
        };
        arrivals.iter().map(after).collect()
    }

    #[test]
    fn a_mark_is_echoed_until_the_peer_has_reduced_its_window() {
        let (mark, plain, cwr) = ((true, false), (false, false), (false, true));
        assert_eq!(echoed(&[plain, mark, plain, cwr, plain]), [false, true, true, false, false]);
    }

    #[test]
    fn a_mark_on_the_segment_with_cwr_is_a_new_one() {
        assert_eq!(echoed(&[(true, false), (true, true), (false, true)]), [true, true, false]);
    }

    #[test]
    fn the_first_mark_and_the_end_of_echoing_are_worth_an_ack() {
        let mut receiver = EcnReceiver::default();
        let arrivals = [(false, false), (true, false), (true, false), (false, true)];
        let at_once = arrivals.map(|(mark, cwr)| receiver.on_data(mark, cwr));
        assert_eq!(at_once, [false, true, false, true]);
    }
}

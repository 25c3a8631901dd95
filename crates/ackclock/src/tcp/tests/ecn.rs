//! Explicit congestion notification (RFC 3168 section 6.1).

use super::*;

const ECE: Flags = Flags::ECE;
const CWR: Flags = Flags::CWR;

fn asking() -> Config {
    Config { ecn: EcnMode::Request, ..config() }
}

/// The peer's answer to our SYN with these flags besides.
fn syn_ack(flags: Flags) -> Header {
    let options = Options { mss: Some(MSS as u16), sack_permitted: true, ..Options::default() };
    Header { options, ..header(IRS, ISS + 1, SYN | ACK | flags) }
}

/// An established connection over which ECN is in use.
fn capable(config: Config) -> Test {
    let mut test = Test::connecting(Config { ecn: EcnMode::Request, ..config });
    assert_eq!(test.sent().len(), 1);
    test.wait(10);
    assert_eq!(test.segment(syn_ack(ECE), &[]), Verdict::Done);
    assert!(test.info().ecn);
    assert_eq!(test.sent().len(), 1);
    test
}

/// As [`capable`], with `segments` in flight and a window of ten.
fn in_flight(segments: u32) -> Test {
    let mut test = capable(config());
    test.queue(0, segments * MSS);
    assert_eq!(test.data().len(), segments as usize);
    test
}

impl Test {
    /// A pure ack of our first `acked` bytes with ECN-Echo.
    fn echoes(&mut self, acked: u32) {
        self.peer(0, 0, acked, ECE);
    }

    /// The peer's bytes from `at` on, with that codepoint and those flags.
    fn arrives(&mut self, at: u32, len: u32, ecn: Ecn, flags: Flags) {
        let header = header(IRS + 1 + at, ISS + 1, ACK | flags);
        let payload: Vec<u8> = (at..at + len).map(|n| n as u8).collect();
        assert_eq!(self.marked_segment(header, &payload, ecn), Verdict::Done);
    }

    /// (first byte, flags, codepoint) of each segment with data or FIN that is to be sent now.
    fn codepoints(&mut self) -> Vec<(u32, Flags, Ecn)> {
        let shape = |sent: &Sent| (sent.data().0, sent.flags, sent.ecn);
        self.sent().iter().map(shape).collect()
    }

    fn window(&self) -> u32 {
        self.info().cwnd / MSS
    }
}

#[test]
fn a_syn_asks_only_if_it_shall() {
    for (ecn, flags) in
        [(EcnMode::Off, SYN), (EcnMode::Accept, SYN), (EcnMode::Request, SYN | ECE | CWR)]
    {
        let sent = Test::connecting(Config { ecn, ..config() }).sent();
        assert_eq!((sent[0].flags, sent[0].ecn), (flags, Ecn::NotEct));
    }
}

#[test]
fn only_a_syn_ack_with_ece_and_without_cwr_agrees() {
    for (flags, agreed) in [(ECE, true), (Flags::NONE, false), (ECE | CWR, false), (CWR, false)] {
        let mut test = Test::connecting(asking());
        test.sent();
        assert_eq!(test.segment(syn_ack(flags), &[]), Verdict::Done);
        assert_eq!(test.info().ecn, agreed);
        test.queue(0, 100);
        let expected = if agreed { Ecn::Ect0 } else { Ecn::NotEct };
        assert_eq!(test.codepoints(), [(0, ACK, expected)]);
    }
}

#[test]
fn who_did_not_ask_is_not_answered() {
    let mut test = Test::connecting(config());
    test.sent();
    assert_eq!(test.segment(syn_ack(ECE), &[]), Verdict::Done);
    assert!(!test.info().ecn);
}

#[test]
fn a_syn_without_an_answer_is_sent_again_without_asking() {
    let mut test = Test::connecting(asking());
    let syns: Vec<_> = test.run(3_500).iter().map(|(at, syn)| (*at, syn.flags)).collect();
    assert_eq!(syns, [(0, SYN | ECE | CWR), (1_000, SYN), (3_000, SYN)]);
    // The answer to the first SYN comes late: the peer may mark, and expects an echo; it has also
    // heard that we do not ask, so that nothing of ours may be marked.
    assert_eq!(test.segment(syn_ack(ECE), &[]), Verdict::Done);
    assert!(!test.info().ecn);
    test.queue(0, 100);
    assert_eq!(test.codepoints(), [(0, ACK, Ecn::NotEct)]);
    test.arrives(0, 100, Ecn::Ce, Flags::NONE);
    assert_eq!(test.sent()[0].flags, ACK | ECE);
}

#[test]
fn both_may_ask_in_a_simultaneous_open() {
    for (flags, agreed) in [(ECE | CWR, true), (Flags::NONE, false)] {
        let mut test = Test::connecting(asking());
        test.sent();
        let options = Options { mss: Some(MSS as u16), ..Options::default() };
        let _ = test.segment(Header { options, ..header(IRS, 0, SYN | flags) }, &[]);
        let expected = if agreed { SYN | ACK | ECE } else { SYN | ACK };
        assert_eq!(test.sent()[0].flags, expected);
        let answer = if agreed { ECE } else { Flags::NONE };
        let _ = test.segment(Header { options, ..header(IRS, ISS + 1, SYN | ACK | answer) }, &[]);
        assert_eq!((test.state(), test.info().ecn), (State::Established, agreed));
    }
}

#[test]
fn nothing_but_new_data_can_be_marked() {
    let mut test = capable(config());
    test.queue(0, 2_000);
    assert_eq!(test.codepoints(), [(0, ACK, Ecn::Ect0), (1_000, ACK, Ecn::Ect0)]);
    test.run(0);
    let resent = test.run(250);
    assert_eq!((resent[0].1.data(), resent[0].1.ecn), ((0, 1_000), Ecn::NotEct));
    test.peer_window = 0;
    test.acks(2_000);
    test.queue(2_000, 2_100);
    let probe = &test.run(1_000)[0].1;
    assert_eq!((probe.data(), probe.flags, probe.ecn), ((2_000, 1), ACK, Ecn::NotEct));
    test.peer(0, 10, 2_000, Flags::PSH);
    let ack = &test.run(40)[0].1;
    assert_eq!((ack.len, ack.ecn), (0, Ecn::NotEct));
    test.connection.abort();
    assert_eq!((test.sent()[0].flags, test.sent().len()), (RST | ACK, 0));
}

#[test]
fn a_fin_by_itself_cannot_be_marked() {
    let mut test = capable(config());
    test.connection.shutdown(test.now);
    assert_eq!(test.codepoints(), [(0, FIN | ACK, Ecn::NotEct)]);
}

#[test]
fn a_mark_is_echoed_at_once_and_until_cwr_comes() {
    let mut test = capable(config());
    test.arrives(0, 100, Ecn::Ect0, Flags::NONE);
    assert!(test.sent().is_empty(), "the ack is delayed");
    test.arrives(100, 100, Ecn::Ce, Flags::NONE);
    let ack = &test.sent()[0];
    assert_eq!((ack.acked(), ack.flags), (200, ACK | ECE));
    test.arrives(200, 100, Ecn::Ect0, Flags::NONE);
    test.queue(0, 100);
    let data = &test.sent()[0];
    assert_eq!((data.flags, data.acked(), data.ecn), (ACK | ECE, 300, Ecn::Ect0));
    test.arrives(300, 100, Ecn::Ect0, CWR);
    let ack = &test.sent()[0];
    assert_eq!((ack.acked(), ack.flags), (400, ACK));
    assert_eq!(test.info().ce_received, 1);
}

#[test]
fn marks_outside_the_window_and_without_data_are_ignored() {
    let mut test = capable(config());
    test.arrives(0, 100, Ecn::Ect0, Flags::NONE);
    test.arrives(0, 100, Ecn::Ce, Flags::NONE);
    assert_eq!(test.sent()[0].flags, ACK, "a duplicate");
    test.arrives(20_000, 100, Ecn::Ce, Flags::NONE);
    assert_eq!(test.sent()[0].flags, ACK, "beyond the window");
    test.arrives(100, 0, Ecn::Ce, Flags::NONE);
    test.arrives(100, 100, Ecn::Ect0, Flags::NONE);
    test.wait(40);
    assert_eq!((test.sent()[0].flags, test.info().ce_received), (ACK, 0));
}

#[test]
fn without_ecn_marks_and_echoes_mean_nothing() {
    let mut test = Test::established(config());
    test.arrives(0, 100, Ecn::Ce, Flags::NONE);
    test.wait(40);
    assert_eq!(test.sent()[0].flags, ACK);
    test.queue(0, 5_000);
    test.sent();
    let before = test.window();
    test.echoes(2_000);
    assert!(test.window() >= before);
    assert_eq!((test.info().ce_received, test.info().ece_received), (0, 0));
}

#[test]
fn an_echo_reduces_the_window_once_for_each_window_of_data() {
    let mut test = in_flight(10);
    assert_eq!(test.window(), 10);
    test.echoes(1_000);
    assert_eq!((test.window(), test.info().ssthresh), (8, 8_000), "RFC 8511: by a fifth");
    assert_eq!(test.info().retransmitted, 0);
    // The echo goes on until the peer has heard; what was sent before the reduction is no news.
    for acked in 2..=10 {
        test.echoes(acked * 1_000);
    }
    assert_eq!((test.window(), test.info().ece_received), (8, 10));
    test.queue(10_000, 15_000);
    let mut expected = [10_000, 11_000, 12_000, 13_000, 14_000].map(|at| (at, ACK, Ecn::Ect0));
    expected[0].1 = ACK | CWR;
    assert_eq!(test.codepoints(), expected);
    test.acks(11_000);
    test.echoes(12_000);
    assert_eq!(test.window(), 3, "four in flight, marked after the peer had the CWR");
}

#[test]
fn an_echo_does_not_open_the_window() {
    let mut test = in_flight(10);
    test.echoes(1_000);
    test.queue(10_000, 30_000);
    for acked in 2..=10 {
        test.echoes(acked * 1_000);
        test.sent();
    }
    assert_eq!(test.window(), 8);
    for acked in 11..=18 {
        test.acks(acked * 1_000);
        test.sent();
    }
    assert_eq!(test.window(), 9, "a window of them without echo does");
}

#[test]
fn the_cwr_stands_in_one_segment_even_if_the_link_cuts() {
    let mut test = in_flight(10);
    test.echoes(10_000);
    test.queue(10_000, 15_000);
    let outgoing = test.connection.poll_transmit(test.now, 65_535).expect("data");
    assert_eq!((outgoing.len, outgoing.segment_size), (1_000, 0));
    assert!(outgoing.header.flags.contains(CWR));
    test.connection.on_transmitted(test.now, &outgoing);
    let outgoing = test.connection.poll_transmit(test.now, 65_535).expect("data");
    assert_eq!((outgoing.len, outgoing.segment_size), (4_000, 1_000));
    assert!(!outgoing.header.flags.contains(CWR));
    assert_eq!(outgoing.ecn, Ecn::Ect0);
}

#[test]
fn a_loss_is_told_by_cwr_on_new_data_only() {
    let mut test = in_flight(10);
    test.sacks(0, &[(1_000, 4_000)]);
    let resent = test.codepoints();
    assert_eq!(resent, [(0, ACK, Ecn::NotEct)]);
    test.acks(10_000);
    test.queue(10_000, 12_000);
    assert_eq!(test.codepoints(), [(10_000, ACK | CWR, Ecn::Ect0), (11_000, ACK, Ecn::Ect0)]);
}

#[test]
fn a_timeout_is_told_by_cwr_too() {
    let mut test = in_flight(1);
    test.run(250);
    test.acks(1_000);
    test.queue(1_000, 2_000);
    assert_eq!(test.codepoints(), [(1_000, ACK | CWR, Ecn::Ect0)]);
}

#[test]
fn a_loss_and_a_mark_in_one_window_reduce_it_once() {
    let mut test = in_flight(10);
    test.echoes(1_000);
    assert_eq!(test.window(), 8);
    test.sacks(1_000, &[(2_000, 5_000)]);
    assert_eq!(test.data().first(), Some(&(1_000, 1_000)), "the loss is repaired");
    assert_eq!((test.window(), test.info().fast_recoveries), (8, 1));
    // The other way round.
    let mut test = in_flight(10);
    test.sacks(0, &[(1_000, 4_000)]);
    test.sent();
    assert_eq!(test.window(), 5);
    test.echoes(5_000);
    assert_eq!(test.window(), 5);
}

#[test]
fn a_retransmission_lost_after_a_mark_reduces_the_window_once_more() {
    let mut test = capable(rack());
    test.queue(0, 20_000);
    assert_eq!(test.data().len(), 10);
    test.wait(10);
    test.echoes(0);
    test.sacks(0, &[(1_000, 4_000)]);
    assert_eq!((test.data().first(), test.info().cwnd), (Some(&(0, 1_000)), 8_000));
    test.wait(1);
    test.sacks(0, &[(1_000, 9_000)]);
    assert_eq!(test.data().first(), Some(&(11_000, 1_000)));
    test.wait(10);
    test.sacks(0, &[(11_000, 12_000), (1_000, 9_000)]);
    assert_eq!(test.data().first(), Some(&(0, 1_000)));
    assert_eq!((test.info().cwnd, test.info().fast_recoveries), (4_000, 1));
}

#[test]
fn a_reduction_that_is_taken_back_is_not_told() {
    let mut test = in_flight(10);
    test.sacks(0, &[(1_000, 4_000)]);
    assert_eq!(test.data(), [(0, 1_000)]);
    test.wait(1);
    test.acks(10_000);
    test.sacks(10_000, &[(0, 1_000)]);
    assert_eq!((test.info().undos, test.window()), (1, 10));
    test.queue(10_000, 11_000);
    assert_eq!(test.codepoints(), [(10_000, ACK, Ecn::Ect0)]);
    test.echoes(11_000);
    assert_eq!(test.info().ssthresh, 2_000, "FlightSize was one segment");
}

#[test]
fn with_a_window_of_one_segment_an_echo_makes_new_data_wait_for_the_timer() {
    let mut test = in_flight(1);
    test.run(250);
    test.echoes(1_000);
    assert_eq!(test.window(), 1, "the echo is of the window that the timer has reduced");
    test.queue(1_000, 3_000);
    assert_eq!(test.codepoints(), [(1_000, ACK | CWR, Ecn::Ect0)]);
    test.wait(10);
    test.echoes(2_000);
    assert_eq!(test.window(), 1);
    assert_eq!(test.info().timers.retransmit, Some(test.info().rto));
    let sent: Vec<_> = test.run(300).iter().map(|(at, sent)| (*at, sent.data())).collect();
    assert_eq!(sent, [(200, (2_000, 1_000))]);
    assert_eq!(test.info().timeouts, 1, "nothing else was lost");
}

/// RFC 3168 section 6.1.2: "the sending TCP MUST reset the retransmit timer on receiving the ECN-Echo
/// packet when the congestion window is one", though it acknowledges nothing.
#[test]
fn with_a_window_of_one_segment_an_echo_alone_starts_the_timer_anew() {
    let mut test = capable(Config {
        initial_window: crate::congestion::InitialWindow::segments(1),
        ..config()
    });
    test.queue(0, 2_000);
    assert_eq!(test.data(), [(0, 1_000)]);
    test.wait(150);
    test.echoes(0);
    assert_eq!(test.window(), 1);
    assert_eq!(test.info().timers.retransmit, Some(test.info().rto));
}

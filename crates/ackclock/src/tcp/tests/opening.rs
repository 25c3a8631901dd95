//! Opening (RFC 9293 sections 3.5, 3.10.1, 3.10.7.3).

use super::*;

fn syn_ack() -> Header {
    let options = Options { mss: Some(1_200), ..Options::default() };
    Header { options, ..header(IRS, ISS + 1, SYN | ACK) }
}

#[test]
fn active_open_offers_options_and_acknowledges_the_answer() {
    let mut test = Test::connecting(Config::default());
    let sent = test.sent();
    assert_eq!(sent.len(), 1);
    assert_eq!((sent[0].seq, sent[0].flags, sent[0].window), (ISS, SYN, 65_535));
    let options = sent[0].options;
    assert_eq!((options.mss, options.window_scale), (Some(1_460), Some(3)));
    assert!(options.sack_permitted && options.timestamps.is_some());
    assert!(test.sent().is_empty());

    assert_eq!(test.segment(syn_ack(), &[]), Verdict::Done);
    assert_eq!(test.state(), State::Established);
    let sent = test.sent();
    assert_eq!(sent.len(), 1);
    assert_eq!((sent[0].seq, sent[0].ack, sent[0].flags), (ISS + 1, IRS + 1, ACK));
    assert_eq!(sent[0].options, Options::default(), "the peer offered none");
    assert_eq!((test.info().mss, test.info().peer_mss), (1_200, 1_200));
}

#[test]
fn without_an_mss_option_536_is_assumed() {
    let mut test = Test::connecting(config());
    test.sent();
    let _ = test.segment(header(IRS, ISS + 1, SYN | ACK), &[]);
    assert_eq!(test.info().mss, 536);
}

#[test]
fn the_syn_is_repeated_with_backoff_and_then_given_up() {
    let mut test = Test::connecting(config());
    let at: Vec<u64> = test.run(179_999).into_iter().map(|(at, _)| at).collect();
    assert_eq!(at, [0, 1_000, 3_000, 7_000, 15_000, 31_000, 63_000, 127_000]);
    assert_eq!(test.state(), State::SynSent);
    assert!(test.run(1).is_empty());
    assert_eq!((test.state(), test.connection.error()), (State::Closed, Some(Error::TimedOut)));
}

#[test]
fn a_lost_syn_means_one_segment_and_three_seconds() {
    let mut test = Test::connecting(config());
    test.run(1_500);
    let _ = test.segment(syn_ack(), &[]);
    test.queue(0, 5_000);
    assert_eq!(test.data(), [(0, 1_000)], "RFC 6928 section 2: IW is one segment");
    assert_eq!(test.info().rto, Duration::from_secs(3), "RFC 6298 rule 5.7");
}

#[test]
fn a_syn_without_any_answer_is_trouble() {
    let mut test = Test::connecting(config());
    test.run(6_999);
    assert!(!test.connection.readiness().troubled);
    test.run(1);
    assert!(test.connection.readiness().troubled);
}

#[test]
fn data_queued_before_the_handshake_follows_it() {
    let mut test = Test::connecting(config());
    test.queue(0, 2_000);
    assert_eq!(test.sent().iter().map(|sent| sent.len).collect::<Vec<_>>(), [0]);
    let _ = test.segment(syn_ack(), &[]);
    assert_eq!(test.data(), [(0, 1_000), (1_000, 1_000)]);
}

#[test]
fn a_reset_that_acknowledges_the_syn_refuses() {
    let mut test = Test::connecting(config());
    test.sent();
    let _ = test.segment(header(IRS, 0, RST), &[]);
    assert_eq!(test.state(), State::SynSent, "without an ack it is not believed");
    let _ = test.segment(header(IRS, ISS + 2, RST | ACK), &[]);
    assert_eq!(test.state(), State::SynSent, "with a wrong one neither");
    let _ = test.segment(header(0, ISS + 1, RST | ACK), &[]);
    assert_eq!((test.state(), test.connection.error()), (State::Closed, Some(Error::Refused)));
    assert!(test.sent().is_empty());
}

#[test]
fn an_ack_of_something_else_is_answered_with_reset() {
    let mut test = Test::connecting(config());
    test.sent();
    assert_eq!(test.segment(header(IRS, ISS + 5, ACK), &[]), Verdict::Reset);
    assert_eq!(test.segment(header(IRS, ISS, SYN | ACK), &[]), Verdict::Reset);
    assert_eq!(test.state(), State::SynSent);
}

#[test]
fn simultaneous_open() {
    let mut test = Test::connecting(config());
    test.sent();
    let options = Options { mss: Some(1_200), sack_permitted: true, ..Options::default() };
    let _ = test.segment(Header { options, ..header(IRS, 0, SYN) }, &[]);
    assert_eq!(test.state(), State::SynReceived);
    let sent = test.sent();
    assert_eq!(sent.len(), 1);
    assert_eq!((sent[0].seq, sent[0].ack, sent[0].flags), (ISS, IRS + 1, SYN | ACK));
    // Figure 7, line 6: the other side's SYN again, now with an ack.
    let _ = test.segment(Header { options, ..header(IRS, ISS + 1, SYN | ACK) }, &[]);
    assert_eq!(test.state(), State::Established);
    test.queue(0, 10);
    assert_eq!(test.data(), [(0, 10)]);
}

/// The SYN was sent again after one second and after three; the answer echoes the clock of `asked`
/// milliseconds after the first, and comes after `waited` milliseconds. Ten segments are queued.
fn opened_by_an_answer_to(asked: i64, waited: u64) -> Test {
    let mut test = Test::connecting(Config { timestamps: true, ..config() });
    let begin = test.now;
    let syns = test.run(waited).len() as u64;
    let echo = (begin.as_millis() as i64 + asked) as u32;
    let timestamps = Some(Timestamps { value: 1, echo });
    let options = Options { mss: Some(1_012), timestamps, ..Options::default() };
    let _ = test.segment(Header { options, ..syn_ack() }, &[]);
    test.queue(0, 10_000);
    assert_eq!(test.info().retransmitted, syns - 1);
    test
}

/// RFC 4015: a path of 1.5 s is no path that loses.
#[test]
fn a_syn_repeated_too_early_means_nothing() {
    for (waited, rto) in [(1_500, 4_500), (3_200, 9_600)] {
        let mut test = opened_by_an_answer_to(0, waited);
        assert_eq!(test.data().len(), 10);
        let (rtt, rto) = (Duration::from_millis(waited), Duration::from_millis(rto));
        assert_eq!((test.info().rtt, test.info().rto), (rtt, rto));
    }
}

#[test]
fn the_echo_of_a_later_syn_means_that_the_first_was_lost() {
    for (asked, waited, rtt, rto) in [(1_000, 1_500, 0, 3_000), (1_000, 3_200, 2_200, 6_600)] {
        let mut test = opened_by_an_answer_to(asked, waited);
        assert_eq!(test.data().len(), 1);
        let (rtt, rto) = (Duration::from_millis(rtt), Duration::from_millis(rto));
        assert_eq!((test.info().rtt, test.info().rto), (rtt, rto));
    }
}

/// An answer that comes again after each SYN echoes the first one that arrived, however long ago that was.
#[test]
fn an_echo_of_before_the_last_two_syns_tells_nothing() {
    for asked in [0, 1_000, 3_000] {
        let mut test = opened_by_an_answer_to(asked, 7_200);
        assert_eq!(test.data().len(), 1);
        assert_eq!((test.info().rtt, test.info().rto), (Duration::ZERO, Duration::from_secs(3)));
    }
}

/// Before the first SYN there was nothing to echo.
#[test]
fn an_echo_that_is_older_than_the_first_syn_tells_nothing() {
    let mut test = opened_by_an_answer_to(-1, 1_500);
    assert_eq!(test.data().len(), 1);
    assert_eq!((test.info().rtt, test.info().rto), (Duration::ZERO, Duration::from_secs(3)));
}

/// What became of the SYN is reckoned from when the link took it.
#[test]
fn a_syn_that_had_to_wait_for_the_link_may_be_repeated_too_early_too() {
    let mut test = Test::connecting(Config { timestamps: true, ..config() });
    test.wait(700);
    let begin = test.now;
    assert_eq!(test.run(1_500).len(), 2);
    let timestamps = Some(Timestamps { value: 1, echo: begin.as_millis() as u32 });
    let options = Options { mss: Some(1_012), timestamps, ..Options::default() };
    let _ = test.segment(Header { options, ..syn_ack() }, &[]);
    test.queue(0, 10_000);
    assert_eq!(test.data().len(), 10);
}

/// RFC 9293 section 3.10.7.3, fourth: text is kept until the connection is established.
#[test]
fn text_in_a_syn_waits_for_the_connection() {
    let mut test = Test::connecting(config());
    test.sent();
    let text: Vec<u8> = (0..5).collect();
    let _ = test.segment(header(IRS, 0, SYN), &text);
    assert_eq!((test.state(), test.read(0)), (State::SynReceived, 0));
    assert!(!test.connection.readiness().readable);
    let sent = test.sent();
    assert_eq!((sent[0].flags, sent[0].ack), (SYN | ACK, IRS + 6));
    assert_eq!(sent[0].window, 10_000 - 5, "no more than the SYN has offered");
    // Figure 7, line 6, without the text, and with it.
    for len in [0, 5] {
        let mut test = Test::connecting(config());
        test.sent();
        let _ = test.segment(header(IRS, 0, SYN), &text);
        test.sent();
        let _ = test.segment(header(IRS, ISS + 1, SYN | ACK), &text[..len]);
        assert_eq!((test.state(), test.read(0)), (State::Established, 5));
        assert_eq!(test.sent()[0].ack, IRS + 6);
    }
    test.peer(5, 3, 0, Flags::NONE);
    assert_eq!((test.state(), test.read(0)), (State::Established, 8));
}

/// Whoever sends a SYN in the peer's name has shown nothing.
#[test]
fn text_in_a_syn_is_for_nobody_if_the_connection_fails() {
    for reset in [false, true] {
        let mut test = Test::connecting(config());
        test.sent();
        let _ = test.segment(header(IRS, 0, SYN), &[0, 1, 2]);
        if reset {
            test.connection.abort();
        } else {
            test.connection.fail(Error::TimedOut);
        }
        assert_eq!((test.state(), test.read(0)), (State::Closed, 0));
        assert!(test.connection.receive(&mut [0; 3]).is_err());
    }
}

#[test]
fn a_plain_ack_also_ends_a_simultaneous_open() {
    let mut test = Test::connecting(config());
    test.sent();
    let _ = test.segment(header(IRS, 0, SYN), &[]);
    test.sent();
    test.peer(0, 5, 0, Flags::NONE);
    assert_eq!((test.state(), test.read(0)), (State::Established, 5));
}

#[test]
fn in_syn_received_a_wrong_ack_is_answered_with_reset() {
    let mut test = Test::connecting(config());
    test.sent();
    let _ = test.segment(header(IRS, 0, SYN), &[]);
    test.sent();
    assert_eq!(test.answered(0, 0, 7, Flags::NONE), Verdict::Reset);
    assert_eq!(test.state(), State::SynReceived);
    let _ = test.segment(header(IRS + 1, ISS + 1, RST), &[]);
    assert_eq!((test.state(), test.connection.error()), (State::Closed, Some(Error::Refused)));
}

#[test]
fn soft_icmp_errors_do_not_abort_hard_ones_do() {
    use crate::wire::IcmpErrorKind;
    let mut test = Test::connecting(config());
    test.sent();
    let iss = SeqNumber(ISS);
    assert!(!test.connection.on_icmp_error(test.now, IcmpErrorKind::Refused, iss + 1));
    assert!(test.connection.on_icmp_error(test.now, IcmpErrorKind::Unreachable, iss));
    assert_eq!(test.info().soft_error, Some(IcmpErrorKind::Unreachable));
    assert_eq!(test.state(), State::SynSent);
    assert!(test.connection.on_icmp_error(test.now, IcmpErrorKind::Refused, iss));
    assert_eq!((test.state(), test.connection.error()), (State::Closed, Some(Error::Refused)));
}

#[test]
fn a_soft_icmp_error_explains_the_timeout() {
    use crate::wire::IcmpErrorKind;
    let mut test = Test::connecting(config());
    test.sent();
    test.connection.on_icmp_error(test.now, IcmpErrorKind::Unreachable, SeqNumber(ISS));
    test.run(400_000);
    assert_eq!(test.connection.error(), Some(Error::Unreachable));
}

#[test]
fn text_and_fin_may_come_with_the_syn_ack() {
    let mut test = Test::connecting(config());
    test.sent();
    let _ = test.segment(header(IRS, ISS + 1, SYN | ACK | FIN), &[0, 1, 2]);
    assert_eq!((test.state(), test.read(0)), (State::CloseWait, 3));
    assert_eq!(test.sent()[0].acked(), 4);
}

#[test]
fn shutting_down_before_the_peer_answers_waits_for_the_handshake() {
    let mut test = Test::connecting(config());
    test.queue(0, 500);
    test.connection.shutdown(test.now);
    test.sent();
    let _ = test.segment(syn_ack(), &[]);
    let sent = test.sent();
    assert_eq!((sent[0].data(), sent[0].flags), ((0, 500), FIN | ACK));
    assert_eq!(test.state(), State::FinWait1);
}

#[test]
fn closing_before_the_peer_answers_ends_it() {
    let mut test = Test::connecting(config());
    test.sent();
    test.connection.close(test.now);
    assert!(test.connection.is_over());
    assert!(test.sent().is_empty());
}

//! Closing (RFC 9293 sections 3.6, 3.10.4, 3.10.5).

use super::*;

#[test]
fn active_close_reaches_time_wait() {
    let mut test = Test::established(config());
    test.connection.shutdown(test.now);
    let sent = test.sent();
    assert_eq!(sent.len(), 1);
    assert_eq!((sent[0].seq, sent[0].flags), (ISS + 1, FIN | ACK));
    assert_eq!(test.state(), State::FinWait1);
    test.acks(1);
    assert_eq!(test.state(), State::FinWait2);
    test.peer(0, 0, 1, FIN);
    assert_eq!(test.state(), State::TimeWait);
    let sent = test.sent();
    assert_eq!((sent.len(), sent[0].acked(), sent[0].flags), (1, 1, ACK));
    let time_wait = test.connection.time_wait().expect("in TIME-WAIT");
    assert_eq!(time_wait.duration, Duration::from_secs(60));
    assert_eq!((time_wait.snd_nxt.0, time_wait.rcv_nxt.0), (ISS + 2, IRS + 2));
}

#[test]
fn fin_and_ack_of_ours_in_one_segment() {
    let mut test = Test::established(config());
    test.connection.shutdown(test.now);
    test.sent();
    test.peer(0, 0, 1, FIN);
    assert_eq!(test.state(), State::TimeWait);
}

#[test]
fn simultaneous_close() {
    let mut test = Test::established(config());
    test.connection.shutdown(test.now);
    test.sent();
    test.peer(0, 0, 0, FIN);
    assert_eq!(test.state(), State::Closing);
    assert_eq!(test.sent()[0].acked(), 1);
    test.peer(1, 0, 1, Flags::NONE);
    assert_eq!(test.state(), State::TimeWait);
}

#[test]
fn passive_close_ends_with_the_ack_of_our_fin() {
    let mut test = Test::established(config());
    test.peer(0, 3, 0, FIN);
    assert_eq!(test.state(), State::CloseWait);
    assert_eq!(test.sent()[0].acked(), 4, "a FIN is acknowledged at once");
    assert_eq!(test.read(0), 3);
    assert_eq!(test.connection.receive(&mut [0; 10]), Err(ReceiveError::Finished));
    test.queue(0, 10);
    assert_eq!(test.data(), [(0, 10)], "the other direction stays open");
    test.connection.shutdown(test.now);
    test.sent();
    assert_eq!(test.state(), State::LastAck);
    test.peer(4, 0, 11, Flags::NONE);
    assert_eq!((test.state(), test.connection.error()), (State::Closed, None));
}

#[test]
fn after_shutdown_the_queue_goes_first_and_data_still_arrives() {
    let mut test = Test::established(config());
    test.queue(0, 1_500);
    test.connection.shutdown(test.now);
    assert_eq!(test.connection.send(test.now, b"x"), Err(SendError::Finished));
    let sent = test.sent();
    let shape: Vec<_> = sent.iter().map(|s| (s.data(), s.flags, s.push)).collect();
    assert_eq!(shape, [((0, 1_000), ACK, false), ((1_000, 500), FIN | ACK, true)]);
    test.acks(1_501);
    test.peer(0, 100, 1_501, Flags::NONE);
    assert_eq!((test.state(), test.read(0)), (State::FinWait2, 100));
}

#[test]
fn a_lost_fin_is_retransmitted() {
    let mut test = Test::established(config());
    test.connection.shutdown(test.now);
    let sent = test.run(700);
    let fins: Vec<_> = sent.iter().map(|(at, s)| (*at, s.seq, s.flags)).collect();
    assert_eq!(
        fins,
        [(0, ISS + 1, FIN | ACK), (200, ISS + 1, FIN | ACK), (600, ISS + 1, FIN | ACK)]
    );
}

#[test]
fn a_fin_that_arrives_early_waits_for_what_is_missing() {
    let mut test = Test::established(config());
    test.peer(1_000, 0, 0, FIN);
    assert_eq!(test.state(), State::Established);
    test.peer(0, 1_000, 0, Flags::NONE);
    assert_eq!(test.state(), State::CloseWait);
    assert_eq!(test.sent().last().map(Sent::acked), Some(1_001));
}

#[test]
fn abort_sends_reset() {
    let mut test = Test::established(config());
    test.queue(0, 100);
    test.sent();
    test.connection.abort();
    let sent = test.sent();
    assert_eq!(sent.len(), 1);
    assert_eq!((sent[0].seq, sent[0].flags), (ISS + 101, RST | ACK));
    assert!(test.connection.is_over());
    assert_eq!(test.connection.error(), Some(Error::Aborted));
    assert_eq!(test.connection.send(test.now, b"x"), Err(SendError::Closed(Error::Aborted)));
}

#[test]
fn a_reset_ends_the_connection_with_an_error() {
    let mut test = Test::established(config());
    test.peer(0, 5, 0, Flags::NONE);
    let _ = test.segment(header(IRS + 6, 0, RST), &[]);
    assert_eq!((test.state(), test.connection.error()), (State::Closed, Some(Error::Reset)));
    assert_eq!(test.read(0), 5, "what arrived before can be read");
    let closed = ReceiveError::Closed(Error::Reset);
    assert_eq!(test.connection.receive(&mut [0; 10]), Err(closed));
    assert!(test.sent().is_empty(), "a reset is not answered");
}

#[test]
fn closing_with_data_unread_resets() {
    let mut test = Test::established(config());
    test.peer(0, 5, 0, Flags::NONE);
    test.connection.close(test.now);
    assert_eq!(test.sent().last().map(|s| s.flags), Some(RST | ACK));
}

#[test]
fn data_that_arrives_after_close_resets() {
    let mut test = Test::established(config());
    test.connection.close(test.now);
    assert_eq!(test.sent()[0].flags, FIN | ACK);
    test.peer(0, 5, 1, Flags::NONE);
    assert_eq!(test.sent().last().map(|s| s.flags), Some(RST | ACK));
    assert!(test.connection.is_over());
}

/// The reset bears the number that the peer expects, as far as it has told (RFC 9293 section 3.10.7.1), or
/// it would have to ask (RFC 5961 section 3.2).
#[test]
fn data_after_close_are_reset_with_the_number_that_they_acknowledge() {
    let mut test = Test::established(config());
    test.queue(0, 1_000);
    test.connection.close(test.now);
    assert_eq!(test.sent().len(), 1);
    test.peer(0, 5, 0, Flags::NONE);
    let sent = test.sent();
    assert_eq!((sent[0].flags, sent[0].seq, sent[0].ack), (RST | ACK, ISS + 1, IRS + 1));
    assert_eq!((sent.len(), test.connection.is_over()), (1, true));
}

#[test]
fn zero_linger_resets_at_once() {
    let mut config = config();
    config.linger = Some(Duration::ZERO);
    let mut test = Test::established(config);
    test.connection.close(test.now);
    assert_eq!(test.sent()[0].flags, RST | ACK);
}

#[test]
fn linger_gives_the_queue_so_much_time() {
    let mut config = config();
    config.linger = Some(Duration::from_secs(2));
    let mut test = Test::established(config);
    test.queue(0, 10);
    test.connection.close(test.now);
    let sent = test.run(10_000);
    let (at, last) = sent.last().expect("something was sent");
    assert_eq!((*at, last.flags), (2_000, RST | ACK));
    assert_eq!(test.connection.error(), Some(Error::Aborted));
}

#[test]
fn nobody_waits_for_ever_in_fin_wait_2() {
    let mut test = Test::established(config());
    test.connection.close(test.now);
    test.sent();
    test.acks(1);
    assert_eq!(test.state(), State::FinWait2);
    test.run(59_999);
    assert_eq!(test.state(), State::FinWait2);
    test.run(1);
    assert!(test.connection.is_over());
}

#[test]
fn a_half_closed_connection_waits_in_fin_wait_2() {
    let mut test = Test::established(config());
    test.connection.shutdown(test.now);
    test.sent();
    test.acks(1);
    test.run(600_000);
    assert_eq!(test.state(), State::FinWait2, "the application still listens");
}

/// SHLD-2.
#[test]
fn a_reset_may_explain_itself() {
    let mut test = Test::established(config());
    let _ = test.segment(header(IRS + 1, 0, RST), b"out of memory");
    assert_eq!(test.connection.error(), Some(Error::Reset));
    assert_eq!(test.info().receive_queue, 0, "what it says is not data");
    let mut test = Test::connecting(config());
    test.sent();
    let _ = test.segment(header(0, ISS + 1, RST | ACK), b"nobody here");
    assert_eq!(test.connection.error(), Some(Error::Refused));
}

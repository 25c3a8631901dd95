//! Listeners whose application answers each SYN.

use super::*;
use crate::tcp::Error;

const TO: &str = "192.0.2.77:4711";

/// A server that takes requests for any destination, at most `half_open` at a time.
fn listen(pair: &mut Pair, half_open: usize) -> Listener {
    let mut any = ListenConfig::new(addr("0.0.0.0:0"));
    (any.any_destination, any.requests, any.half_open) = (true, true, half_open);
    pair.server.listen(any).unwrap()
}

/// A client's request at the server.
fn requested(pair: &mut Pair, listener: Listener) -> (Handle, Request) {
    let client = pair.client.connect(pair.now, addr(TO), None, &Config::default()).unwrap();
    pair.run();
    let request = pair.server.next_request(listener).unwrap();
    (client, request)
}

#[test]
fn nothing_is_sent_before_the_application_accepts() {
    let mut pair = Pair::new();
    let listener = listen(&mut pair, 10);
    let (client, request) = requested(&mut pair, listener);
    assert_eq!(events(&mut pair.server), [Event::Acceptable(listener)]);
    assert_eq!(request.local, addr(TO));
    assert_eq!(Some(request.remote), pair.client.local_addr(client));
    assert_eq!(pair.server.next_request(listener), None, "it was told");
    // The client repeats its SYN, which makes no other request.
    pair.wait();
    assert_eq!(pair.client.info(pair.now, client).unwrap().state, crate::tcp::State::SynSent);
    pair.run();
    assert_eq!(pair.client.info(pair.now, client).unwrap().state, crate::tcp::State::SynSent);
    assert_eq!(pair.server.next_request(listener), None);
    assert_eq!(pair.server.answer(pair.now, &request, Answer::Accept), Ok(()));
    assert!(pair.server.is_pending(&request));
    pair.run();
    assert!(!pair.server.is_pending(&request));
    assert!(pair.client.readiness(client).unwrap().established);
    assert_eq!(events(&mut pair.server)[0], Event::Acceptable(listener));
    let server = pair.server.accept(listener).unwrap();
    assert_eq!(pair.server.local_addr(server), Some(addr(TO)));
    let again = pair.server.answer(pair.now, &request, Answer::Accept);
    assert_eq!(again, Err(InvalidHandle));
}

#[test]
fn a_refused_peer_is_told_at_once() {
    let mut pair = Pair::new();
    let listener = listen(&mut pair, 10);
    let (client, request) = requested(&mut pair, listener);
    pair.server.answer(pair.now, &request, Answer::Refuse).unwrap();
    let reset = packets(pair.now, &mut pair.server);
    assert_eq!(shape(&reset), [(Flags::RST | Flags::ACK, "".into())]);
    pair.client.on_packet(pair.now, &reset[0]);
    assert_eq!(pair.client.info(pair.now, client).unwrap().error, Some(Error::Refused));
    assert!(!pair.server.is_pending(&request));
}

#[test]
fn an_ignored_peer_asks_again() {
    let mut pair = Pair::new();
    let listener = listen(&mut pair, 10);
    let (client, request) = requested(&mut pair, listener);
    pair.server.answer(pair.now, &request, Answer::Ignore).unwrap();
    assert_eq!(packets(pair.now, &mut pair.server), Vec::<Vec<u8>>::new());
    pair.wait();
    pair.run();
    let again = pair.server.next_request(listener).unwrap();
    pair.server.answer(pair.now, &again, Answer::Accept).unwrap();
    pair.run();
    assert!(pair.client.readiness(client).unwrap().established);
}

#[test]
fn no_segment_but_a_reset_is_heard_before_the_answer() {
    let mut pair = Pair::new();
    let listener = listen(&mut pair, 10);
    pair.client.connect(pair.now, addr(TO), None, &Config::default()).unwrap();
    let syn = packets(pair.now, &mut pair.client).remove(0);
    pair.server.on_packet(pair.now, &syn);
    let request = pair.server.next_request(listener).unwrap();
    let seq = segment(&syn).header.seq;
    for (flags, seq) in [
        (Flags::ACK, seq + 1),
        (Flags::FIN | Flags::ACK, seq + 1),
        (Flags::SYN, seq + 100),
        (Flags::RST, seq + 2),
        (Flags::NONE, seq + 1),
    ] {
        let stray = with_header(&syn, |header| (header.flags, header.seq) = (flags, seq));
        pair.server.on_packet(pair.now, &stray);
        assert_eq!(packets(pair.now, &mut pair.server), Vec::<Vec<u8>>::new(), "{flags:?}");
        assert!(pair.server.is_pending(&request));
    }
    events(&mut pair.server);
    let reset =
        with_header(&syn, |header| (header.flags, header.seq) = (Flags::RST, header.seq + 1));
    pair.server.on_packet(pair.now, &reset);
    assert!(!pair.server.is_pending(&request));
    assert_eq!(events(&mut pair.server), [Event::Acceptable(listener)], "it is gone");
    assert_eq!(pair.server.answer(pair.now, &request, Answer::Accept), Err(InvalidHandle));
}

#[test]
fn who_waits_long_gives_way_and_no_cookie_is_sent() {
    let mut pair = Pair::new();
    let listener = listen(&mut pair, 2);
    let (_, first) = requested(&mut pair, listener);
    let (_, second) = requested(&mut pair, listener);
    let third = pair.client.connect(pair.now, addr(TO), None, &Config::default()).unwrap();
    pair.run();
    assert_eq!(pair.server.next_request(listener), None, "both places are new");
    assert_eq!(pair.server.statistics().half_open_overflow, 1);
    // The others' SYNs come again before the third one's.
    while pair.server.next_request(listener).is_none() {
        pair.wait();
        pair.run();
    }
    let still = [first, second].map(|request| pair.server.is_pending(&request));
    assert_eq!(still, [false, true], "the oldest gives way");
    assert_eq!(pair.client.info(pair.now, third).unwrap().state, crate::tcp::State::SynSent);
    assert_eq!(packets(pair.now, &mut pair.server), Vec::<Vec<u8>>::new());
}

#[test]
fn requests_end_when_nobody_answers_and_with_their_listener() {
    let mut pair = Pair::new();
    let listener = listen(&mut pair, 10);
    let (client, request) = requested(&mut pair, listener);
    pair.client.abort(pair.now, client).unwrap();
    let until = pair.server.poll_at();
    let arrived = millis(1_001);
    assert_eq!(until, arrived + Config::default().syn_give_up);
    pair.server.on_timeout(until);
    assert!(!pair.server.is_pending(&request));
    assert_eq!(pair.server.statistics().half_open_timeouts, 1);
    let (_, request) = requested(&mut pair, listener);
    pair.server.close_listener(pair.now, listener);
    assert!(!pair.server.is_pending(&request));
    assert_eq!(pair.server.next_request(listener), None);
}

#[test]
fn an_accepted_request_has_all_the_time_of_a_handshake() {
    let mut pair = Pair::new();
    let listener = listen(&mut pair, 10);
    let (_, request) = requested(&mut pair, listener);
    pair.now += Duration::from_secs(20);
    pair.server.answer(pair.now, &request, Answer::Accept).unwrap();
    let accepted_at = pair.now;
    // Nobody answers.
    let mut syn_acks = 0;
    while pair.server.is_pending(&request) {
        syn_acks += packets(pair.now, &mut pair.server).len();
        pair.now = pair.server.poll_at();
        pair.server.on_timeout(pair.now);
    }
    let mut usual = Pair::new();
    usual.listen();
    usual.connect();
    let syn = packets(usual.now, &mut usual.client).remove(0);
    usual.server.on_packet(usual.now, &syn);
    let (begun, mut expected) = (usual.now, 0);
    while usual.server.statistics().half_open_timeouts == 0 {
        expected += packets(usual.now, &mut usual.server).len();
        usual.now = usual.server.poll_at();
        usual.server.on_timeout(usual.now);
    }
    assert_eq!(syn_acks, expected);
    assert_eq!(pair.now.saturating_since(accepted_at), usual.now.saturating_since(begun));
}

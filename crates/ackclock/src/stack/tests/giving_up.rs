//! What the application hears when nobody answers.

use super::*;

/// Sends what the client has to send into the void until it gives up: what it is told of troubles and
/// ends, and after how many milliseconds.
fn told_when_nobody_answers(pair: &mut Pair) -> Vec<(u64, bool, bool)> {
    packets(pair.now, &mut pair.client);
    let sent_at = pair.now;
    let mut told = Vec::new();
    while !pair.client.poll_at().is_never() {
        pair.wait();
        for event in events(&mut pair.client) {
            let Event::Connection { readiness, .. } = event else { panic!("{event:?}") };
            let after = pair.now.saturating_since(sent_at).as_millis();
            told.push((after, readiness.troubled, readiness.closed));
        }
        packets(pair.now, &mut pair.client);
    }
    told
}

/// MUST-20, SHLD-9: at R1 the application is told, at R2 the connection is over.
#[test]
fn trouble_is_told_long_before_the_connection_is_given_up() {
    let mut pair = Pair::new();
    let (client, _) = pair.established();
    events(&mut pair.client);
    pair.client.send(pair.now, client, b"anybody?").unwrap();
    let told = told_when_nobody_answers(&mut pair);
    // A probe goes out 200 ms before the timer runs anew: 0.2 + 0.2 + 0.4 + 0.8 s.
    assert_eq!(told, [(1_600, true, false), (924_800, false, true)]);
    assert_eq!(pair.client.info(pair.now, client).unwrap().error, Some(Error::TimedOut));
}

/// MUST-20 of a SYN: told when its third retransmission is due, as of any other segment.
#[test]
fn trouble_in_opening_is_told_with_the_third_retransmission() {
    let mut pair = Pair::new();
    pair.connect();
    events(&mut pair.client);
    let told = told_when_nobody_answers(&mut pair);
    assert_eq!(told, [(7_000, true, false), (180_000, false, true)]);
}

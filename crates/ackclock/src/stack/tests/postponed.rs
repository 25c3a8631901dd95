//! Packets whose next hop is not known yet.

use super::*;

#[test]
fn what_resumes_is_what_was_postponed() {
    let mut pair = Pair::new();
    let (waiting, server) = pair.established();
    let other = pair.connect();
    pair.run();
    let now = pair.now;
    assert_eq!(pair.client.send(now, waiting, b"hello"), Ok(5));
    let refused = pair.client.transmit(now, &mut |_| Err(Rejected));
    assert_eq!(refused, Offered::Rejected);
    pair.client.postpone(now);
    assert_eq!(packets(now, &mut pair.client), Vec::<Vec<u8>>::new());

    pair.client.resume();
    assert_eq!(pair.client.ready.front(), Some(waiting.slot));
    assert!(pair.client.ready.is_alone(waiting.slot), "not {}", other.slot);
    pair.run();
    let mut heard = [0; 10];
    assert_eq!(pair.server.receive(pair.now, server, &mut heard), Ok(5));

    pair.client.resume();
    assert_eq!(pair.client.ready.front(), None, "nobody waits any more");
}

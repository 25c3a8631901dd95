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

/// Has what is sent next wait for its next hop.
fn postpone(now: Instant, client: &mut Stack<'static, Window>) {
    assert_eq!(client.transmit(now, &mut |_| Err(Rejected)), Offered::Rejected);
    client.postpone(now);
}

/// Nobody is looked for: they are found in the order in which they were postponed.
#[test]
fn those_who_have_waited_longest_resume_first() {
    let mut pair = Pair::new();
    let handles = [pair.established().0, pair.connect(), pair.connect()];
    pair.run();
    let now = pair.now;
    for nth in [2, 0, 1] {
        assert_eq!(pair.client.send(now, handles[nth], b"hello"), Ok(5));
        postpone(now, &mut pair.client);
    }
    // It waits all the same.
    assert_eq!(pair.client.send(now, handles[1], b"again"), Ok(5));
    assert_eq!(pair.client.ready.front(), None);
    pair.client.resume();
    for nth in [2, 0, 1] {
        assert_eq!(pair.client.ready.front(), Some(handles[nth].slot));
        assert_eq!(pair.client.transmit(now, &mut |_| Ok(())), Offered::Taken);
    }
}

/// A new connection in the place of one that has waited does not wait.
#[test]
fn a_place_that_becomes_free_waits_no_more() {
    let mut pair = Pair::new();
    let (waiting, server) = pair.established();
    let now = pair.now;
    assert_eq!(pair.client.send(now, waiting, b"hello"), Ok(5));
    postpone(now, &mut pair.client);
    pair.server.abort(now, server).unwrap();
    pair.run();
    pair.client.close(now, waiting).unwrap();
    let next = pair.connect();
    assert_eq!(next.slot, waiting.slot);
    assert!(!packets(now, &mut pair.client).is_empty(), "its SYN");
}

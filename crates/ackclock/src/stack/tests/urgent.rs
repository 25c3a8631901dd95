//! Urgent data, as the application hears of it.

use super::*;

/// MUST-32: the application hears of urgent data, and of each advance of the pointer.
#[test]
fn each_advance_of_the_urgent_pointer_is_an_event() {
    let mut pair = Pair::new();
    let (client, server) = pair.established();
    pair.client.send_urgent(pair.now, client, b"abc").unwrap();
    let like = packets(pair.now, &mut pair.client).remove(0);
    let told = |pair: &mut Pair, pointer| {
        let packet = with_header(&like, |header| header.urgent_pointer = pointer);
        pair.server.on_packet(pair.now, &packet);
        let events = events(&mut pair.server).len();
        (events, pair.server.urgent_ahead(server))
    };
    events(&mut pair.server);
    assert_eq!(told(&mut pair, 3), (1, Some(3)));
    assert!(pair.server.readiness(server).unwrap().urgent);
    assert_eq!(told(&mut pair, 3), (0, Some(3)));
    assert_eq!(told(&mut pair, 2), (0, Some(3)), "RCV.UP only moves forward");
    assert_eq!(told(&mut pair, 10), (1, Some(10)));
    pair.server.on_packet(pair.now, &like);
    assert_eq!(pair.server.consume(pair.now, server, 3), Ok(()));
    assert_eq!(pair.server.urgent_ahead(server), Some(7));
    events(&mut pair.server);
    assert_eq!(told(&mut pair, 9), (0, Some(7)), "of old data");
}

//! Numbered requirements of RFC 9293 that no other test shows by the way.

use super::*;

/// A segment with URG, whose pointer is `pointer` bytes from its first byte, the peer's byte `at`.
fn urgent(at: u32, pointer: u16) -> Header {
    Header { urgent_pointer: pointer, ..header(IRS + 1 + at, ISS + 1, ACK | URG) }
}

/// MUST-31: a pointer has 16 bits, urgent data any length.
#[test]
fn urgent_data_may_be_longer_than_the_pointer_reaches() {
    let mut test = Test::established(config());
    let data: Vec<u8> = (0..70_000_u32).map(|n| n as u8).collect();
    assert_eq!(test.connection.send_urgent(test.now, &data), Ok(70_000));
    let sent = test.sent();
    assert_eq!((sent[0].flags, sent[0].urgent_pointer), (ACK | URG, 65_535));
    assert_eq!((sent[9].data(), sent[9].urgent_pointer), ((9_000, 1_000), 61_000));

    let mut test = Test::established(config());
    for at in (0..80_000).step_by(1_000) {
        let pointer = (80_000 - at).min(65_535);
        let _ = test.segment(urgent(at, pointer as u16), &[0; 1_000]);
        assert_eq!(test.connection.urgent_ahead(), Some(pointer));
        test.connection.consume(1_000);
        test.sent();
    }
    assert_eq!(test.connection.urgent_ahead(), None);
}

/// MUST-62: the receiver counts to the byte before the pointer, also when the end has come.
#[test]
fn all_before_the_urgent_pointer_is_urgent() {
    let mut test = Test::established(config());
    let mut segment = urgent(0, 3);
    segment.flags |= FIN;
    let _ = test.segment(segment, &[0, 1, 2, 3, 4]);
    assert_eq!(test.connection.urgent_ahead(), Some(3));
    test.connection.consume(2);
    assert_eq!(test.connection.urgent_ahead(), Some(1));
    test.connection.consume(1);
    assert_eq!(test.connection.urgent_ahead(), None);
    let _ = test.segment(urgent(6, 0), &[]);
    assert_eq!(test.connection.urgent_ahead(), None, "nothing lies before it");
}

/// The pointer counts from the segment that carries it, so no link can cut such a segment.
#[test]
fn a_link_that_segments_gets_urgent_data_segment_by_segment() {
    let mut test = Test::established(config());
    assert_eq!(test.connection.send_urgent(test.now, &[0; 2_000]), Ok(2_000));
    let outgoing = test.connection.poll_transmit(test.now, 65_536).expect("data");
    assert_eq!((outgoing.len, outgoing.segment_size), (1_000, 0));
}

/// MUST-26: data of ours that is outstanding finds out by itself whether the peer lives.
#[test]
fn a_keepalive_probe_gives_way_to_data() {
    let mut config = config();
    config.keepalive = Some(Keepalive::default());
    let mut test = Test::established(config);
    test.wait(7_200_000);
    test.connection.on_timeout(test.now);
    test.queue(0, 10);
    let sent = test.sent();
    assert_eq!((sent.len(), sent[0].data()), (1, (0, 10)));
}

/// MUST-24: no probe is sent once keepalive is off.
#[test]
fn a_keepalive_probe_that_was_not_sent_is_taken_back() {
    let mut config = config();
    config.keepalive = Some(Keepalive::default());
    let mut test = Test::established(config);
    test.wait(7_200_000);
    test.connection.on_timeout(test.now);
    test.connection.set_keepalive(None);
    assert!(test.sent().is_empty());
}

/// MUST-40: less than 0.5 s, whatever the setting.
#[test]
fn no_ack_is_delayed_by_half_a_second() {
    let mut config = config();
    config.ack_policy = AckPolicy::Delayed { timeout: Duration::from_millis(500), quick_acks: 0 };
    let mut test = Test::established(config);
    test.peer(0, 1, 0, Flags::NONE);
    let sent = test.run(1_000);
    assert_eq!(sent.iter().map(|(at, s)| (*at, s.acked())).collect::<Vec<_>>(), [(499, 1)]);
    config.ack_policy = AckPolicy::Delayed { timeout: Duration::from_millis(501), quick_acks: 0 };
    assert_eq!(config.validate(), Err(ConfigError::AckTimeout));
}

//! Urgent data, both ways (RFC 9293 section 3.8.5).

use super::*;

/// A segment with URG, whose pointer is `pointer` bytes from its first byte, the peer's byte `at`.
pub(super) fn urgent(at: u32, pointer: u16) -> Header {
    Header { urgent_pointer: pointer, ..header(IRS + 1 + at, ISS + 1, ACK | URG) }
}

#[test]
fn urgent_data_is_marked_until_its_last_byte_was_sent() {
    let mut test = Test::established(config());
    let data: Vec<u8> = (0..1_500_u32).map(|n| n as u8).collect();
    assert_eq!(test.connection.send_urgent(test.now, &data), Ok(1_500));
    test.queue(1_500, 3_000);
    let sent = test.sent();
    let shape: Vec<_> = sent.iter().map(|s| (s.data(), s.flags, s.urgent_pointer)).collect();
    // The pointer points at byte 1,500, the first that is not urgent (MUST-62).
    assert_eq!(
        shape,
        [
            ((0, 1_000), ACK | URG, 1_500),
            ((1_000, 1_000), ACK | URG, 500),
            ((2_000, 1_000), ACK, 0)
        ]
    );
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

/// The pointer counts from the segment that carries it, so no link can cut such a segment.
#[test]
fn a_link_that_segments_gets_urgent_data_segment_by_segment() {
    let mut test = Test::established(config());
    assert_eq!(test.connection.send_urgent(test.now, &[0; 2_000]), Ok(2_000));
    let outgoing = test.connection.poll_transmit(test.now, 65_536).expect("data");
    assert_eq!((outgoing.len, outgoing.segment_size), (1_000, 0));
}

#[test]
fn urgent_data_is_signalled_until_it_was_read() {
    let mut test = Test::established(config());
    let mut segment = header(IRS + 1, ISS + 1, ACK | URG);
    segment.urgent_pointer = 8;
    let _ = test.segment(segment, &[0, 1, 2]);
    assert_eq!(test.connection.urgent_ahead(), Some(8));
    assert!(test.connection.readiness().urgent);
    test.peer(3, 7, 0, Flags::NONE);
    let mut bytes = [0; 4];
    assert_eq!(test.connection.receive(&mut bytes), Ok(4));
    assert_eq!(test.connection.urgent_ahead(), Some(4));
    test.connection.consume(4);
    assert!(!test.connection.readiness().urgent);
    assert_eq!(test.info().receive_queue, 2, "what follows is not urgent");
}

#[test]
fn urgent_data_stays_urgent_until_it_was_read_also_with_a_fin_behind_it() {
    let mut test = Test::established(config());
    // The pointer names the byte after the urgent data (MUST-62).
    let urgent = Header { urgent_pointer: 10, ..header(IRS + 1, ISS + 1, ACK | URG | FIN) };
    let _ = test.segment(urgent, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(test.connection.urgent_ahead(), Some(10));
    assert_eq!(test.connection.receive(&mut [0; 9]), Ok(9));
    assert_eq!(test.connection.urgent_ahead(), Some(1));
    assert_eq!(test.connection.receive(&mut [0; 9]), Ok(1));
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

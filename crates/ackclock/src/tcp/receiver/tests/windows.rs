//! What window is offered, and which segments it makes acceptable.

use super::*;

#[test]
fn the_edge_moves_by_full_segments_only() {
    let mut receiver = receiver();
    deliver(&mut receiver, 1000, 2000);
    assert_eq!(ack(&mut receiver), 9000);
    receiver.consume(499);
    assert_eq!(receiver.window(), 9000, "less than a segment more");
    receiver.consume(1);
    assert_eq!(receiver.window(), 9500);
}

#[test]
fn the_edge_of_a_small_buffer_moves_by_half_of_it() {
    let mut receiver = receiver_with(&config(), 200, 8);
    deliver(&mut receiver, 1000, 1200);
    assert_eq!(ack(&mut receiver), 0);
    receiver.consume(99);
    assert_eq!(receiver.window(), 0);
    assert!(!receiver.window_update_due(true));
    receiver.consume(1);
    assert_eq!(receiver.window(), 100);
    assert!(receiver.window_update_due(true));
}

#[test]
fn an_update_is_due_for_two_segments_or_half_the_buffer() {
    let mut receiver = receiver();
    deliver(&mut receiver, 1000, 6000);
    ack(&mut receiver);
    receiver.consume(999);
    assert!(!receiver.window_update_due(true));
    receiver.consume(1);
    assert!(receiver.window_update_due(true));
    assert_eq!(ack(&mut receiver), 6000);
    assert!(!receiver.window_update_due(true));
}

#[test]
fn an_update_is_due_when_a_full_segment_fits_again() {
    let mut receiver = receiver();
    deliver(&mut receiver, 1000, 10_900);
    assert_eq!(ack(&mut receiver), 100);
    receiver.consume(499);
    assert!(!receiver.window_update_due(true));
    receiver.consume(1);
    assert!(receiver.window_update_due(true));
    assert_eq!(ack(&mut receiver), 600);
}

#[test]
fn nobody_needs_an_update_after_the_fin() {
    let mut receiver = receiver();
    deliver_fin(&mut receiver, 1000, 9000);
    ack(&mut receiver);
    read_all(&mut receiver);
    assert!(!receiver.window_update_due(true));
}

fn scaled() -> Receiver<'static, Full> {
    let config = Setup { window_shift: 4, ..config() };
    receiver_with(&config, 10_000, 8)
}

#[test]
fn a_scaled_window_is_rounded_up_while_there_is_room() {
    let mut receiver = scaled();
    deliver(&mut receiver, 1000, 1005);
    receiver.consume(5);
    // 9,995 are promised and 10,000 are free, which are 625 units of 16.
    assert_eq!(ack(&mut receiver), 10_000);
    assert_eq!(receiver.window_field(10_000), 625);
    assert_eq!(receiver.rcv_wnd(), 10_000);
}

#[test]
fn a_scaled_window_is_rounded_down_without_room_but_still_honoured() {
    let mut receiver = scaled();
    deliver(&mut receiver, 1000, 1005);
    // 9,995 are promised and free: 624 units and 11 bytes.
    assert_eq!(ack(&mut receiver), 9984);
    assert_eq!(receiver.rcv_wnd(), 9995);
    assert_eq!(deliver(&mut receiver, 1005, 11_000), accepted(9995));
}

#[test]
fn the_window_field_bounds_the_window() {
    let limit = 1 << 21;
    let window_of = |window_shift| {
        let config = Setup { window_shift, ..config() };
        let ring = Buffer::lent(vec![0; limit].leak());
        let receiver = agreed(IRS, 65_535, &config, ring, Buffer::default());
        (receiver.window(), receiver.window_field(receiver.window()))
    };
    assert_eq!(window_of(0), (65_535, 65_535));
    assert_eq!(window_of(2), (262_140, 65_535));
    assert_eq!(window_of(14), (1 << 21, 128));
}

#[cfg(feature = "alloc")]
#[test]
fn a_window_of_one_gibibyte_can_be_offered() {
    let config = Setup { receive_limit: 1 << 30, window_shift: 14, ..config() };
    let mut receiver = agreed(IRS, 65_535, &config, Buffer::growing(), Buffer::growing());
    assert_eq!(ack(&mut receiver), 65_535 << 14);
    assert!(receiver.is_acceptable(IRS + (65_535 << 14), 1));
}

#[test]
fn the_four_cases_of_section_3_4() {
    let mut receiver = receiver_with(&config(), 100, 8);
    let acceptable = |receiver: &Receiver<'_, Full>, seq, len| {
        let seq = SeqNumber(seq);
        receiver.is_acceptable(seq, len)
    };
    // No data, open window.
    assert!(acceptable(&receiver, 1000, 0) && acceptable(&receiver, 1099, 0));
    assert!(!acceptable(&receiver, 999, 0) && !acceptable(&receiver, 1100, 0));
    // Data, open window: the first or the last number lies in it.
    assert!(acceptable(&receiver, 1099, 500) && acceptable(&receiver, 990, 11));
    assert!(!acceptable(&receiver, 990, 10) && !acceptable(&receiver, 1100, 1));
    deliver(&mut receiver, 1000, 1100);
    // No data, closed window.
    assert!(acceptable(&receiver, 1100, 0));
    assert!(!acceptable(&receiver, 1099, 0) && !acceptable(&receiver, 1101, 0));
    // Data, closed window.
    assert!(!acceptable(&receiver, 1100, 1));
}

#[test]
fn the_window_ends_where_it_was_advertised() {
    let mut receiver = receiver_with(&config(), 100, 8);
    deliver(&mut receiver, 1000, 1060);
    assert!(
        receiver.is_acceptable(SeqNumber(1060), 1) && receiver.is_acceptable(SeqNumber(1099), 1)
    );
    assert!(
        !receiver.is_acceptable(SeqNumber(1059), 1) && !receiver.is_acceptable(SeqNumber(1100), 1)
    );
    read_all(&mut receiver);
    assert!(!receiver.is_acceptable(SeqNumber(1100), 1), "not advertised yet");
    ack(&mut receiver);
    assert!(
        receiver.is_acceptable(SeqNumber(1159), 1) && !receiver.is_acceptable(SeqNumber(1160), 1)
    );
}

//! The end of the stream.

use super::*;

#[test]
fn a_fin_in_order_takes_a_number_of_its_own() {
    let mut receiver = receiver();
    let arrival = deliver_fin(&mut receiver, 1000, 1100);
    assert_eq!(arrival, Arrival { fin: true, ..accepted(100) });
    assert_eq!(receiver.rcv_nxt(), SeqNumber(1101));
    assert!(receiver.is_finished() && receiver.ack_due(NOW));
    assert_eq!(read_all(&mut receiver), stream(1000, 1100));
}

#[test]
fn a_fin_out_of_order_takes_effect_when_it_is_reached() {
    let mut receiver = receiver();
    assert_eq!(deliver_fin(&mut receiver, 1100, 1200), accepted(0));
    assert!(!receiver.is_finished());
    let arrival = deliver(&mut receiver, 1000, 1100);
    assert_eq!(arrival, Arrival { fin: true, ..accepted(200) });
    assert_eq!(receiver.rcv_nxt(), SeqNumber(1201));
}

#[test]
fn a_bare_fin_out_of_order_is_remembered() {
    let mut receiver = receiver();
    assert_eq!(deliver_fin(&mut receiver, 1100, 1100), accepted(0));
    assert!(receiver.ack_due(NOW));
    ack(&mut receiver);
    assert_eq!(deliver(&mut receiver, 1000, 1050), accepted(50));
    assert!(receiver.ack_due(NOW), "a part of the hole was filled");
    assert!(deliver(&mut receiver, 1050, 1100).fin);
}

#[test]
fn a_fin_that_comes_again_is_acknowledged_and_changes_nothing() {
    let mut receiver = receiver();
    deliver_fin(&mut receiver, 1000, 1000);
    ack(&mut receiver);
    assert_eq!(deliver_fin(&mut receiver, 1000, 1000), accepted(0));
    assert!(receiver.ack_due(NOW));
    assert_eq!(receiver.rcv_nxt(), SeqNumber(1001));
}

#[test]
fn a_fin_beyond_the_window_is_ignored() {
    let mut receiver = receiver_with(&config(), 100, 8);
    assert_eq!(deliver_fin(&mut receiver, 1000, 1100), accepted(100));
    assert!(!receiver.is_finished());
    read_all(&mut receiver);
    ack(&mut receiver);
    assert!(deliver_fin(&mut receiver, 1000, 1100).fin);
}

#[test]
fn data_behind_a_fin_do_not_exist() {
    let mut receiver = receiver();
    deliver_fin(&mut receiver, 1050, 1100);
    assert_eq!(deliver(&mut receiver, 1100, 1200), accepted(0));
    assert_eq!(receiver.out_of_order(), 50);
    assert!(deliver(&mut receiver, 1000, 1200).fin);
    assert_eq!(deliver(&mut receiver, 1101, 1200), accepted(0));
    assert_eq!(read_all(&mut receiver), stream(1000, 1100));
}

#[test]
fn a_fin_before_data_already_received_is_ignored() {
    let mut receiver = receiver();
    deliver(&mut receiver, 1100, 1200);
    assert!(!deliver_fin(&mut receiver, 1000, 1050).fin);
    assert!(!receiver.is_finished());
    assert_eq!(deliver(&mut receiver, 1050, 1100), accepted(150));
}

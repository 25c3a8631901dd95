//! Which blocks are reported, where an ack answers more than one segment; the worked examples of RFC
//! 2018 and RFC 2883 are packet scripts.

use super::*;

#[test]
fn the_enclosing_block_comes_second_also_after_another_arrival() {
    let mut receiver = receiver();
    deliver(&mut receiver, 2000, 2500);
    deliver(&mut receiver, 2100, 2200);
    deliver(&mut receiver, 3000, 3500);
    assert_eq!(acknowledge(&mut receiver), (1000, vec![(2100, 2200), (2000, 2500), (3000, 3500)]));
}

#[test]
fn without_sack_nothing_is_reported() {
    let no_sack = ReceiverConfig { sack: false, ..config() };
    let mut receiver = receiver_with(&no_sack, 10_000, 8);
    assert_eq!(answer(&mut receiver, 1200, 1300), (1000, vec![]));
    assert_eq!(answer(&mut receiver, 1200, 1300), (1000, vec![]));
}

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
    let no_sack = Setup { sack: false, ..config() };
    let mut receiver = receiver_with(&no_sack, 10_000, 8);
    assert_eq!(answer(&mut receiver, 1200, 1300), (1000, vec![]));
    assert_eq!(answer(&mut receiver, 1200, 1300), (1000, vec![]));
}

#[test]
fn a_range_is_reported_once_though_one_reported_before_it_was_joined() {
    let mut receiver = receiver();
    deliver(&mut receiver, 1200, 1300);
    deliver(&mut receiver, 1400, 1500);
    deliver(&mut receiver, 1000, 1300);
    assert_eq!(acknowledge(&mut receiver), (1300, vec![(1200, 1300), (1400, 1500)]));
    deliver(&mut receiver, 1450, 1550);
    assert_eq!(acknowledge(&mut receiver), (1300, vec![(1450, 1500), (1400, 1550)]));
}

#[test]
fn what_is_remembered_of_none_of_the_last_arrivals_is_told_from_above() {
    let mut receiver = receiver();
    for start in [1100, 1300, 1500, 1700, 1900, 2100, 2300] {
        deliver(&mut receiver, start, start + 100);
    }
    // Four are remembered; these three are filled, and 1700 is what is left of them.
    for (start, end) in [(2000, 2100), (2200, 2300)] {
        deliver(&mut receiver, start, end);
    }
    let told = acknowledge(&mut receiver);
    assert_eq!(told, (1000, vec![(1900, 2400), (1700, 1800), (1500, 1600), (1300, 1400)]));
}

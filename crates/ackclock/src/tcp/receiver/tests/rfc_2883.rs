//! The worked examples of RFC 2883 section 4.

use super::*;

fn at(next: u32) -> Receiver<'static> {
    receiver_at(SeqNumber(next - 1), &config(), 10_000, 8)
}

#[test]
fn example_1_a_duplicate_segment() {
    let mut receiver = at(3000);
    deliver(&mut receiver, 3000, 3500);
    assert_eq!(answer(&mut receiver, 3500, 4000), (4000, vec![]));
    let reported = answer(&mut receiver, 3000, 3500);
    assert_eq!(reported, (4000, vec![(3000, 3500)]));
    assert_eq!(blocks(&receiver, 4), [], "each is reported once");
}

#[test]
fn example_2_an_out_of_order_segment_and_a_duplicate() {
    let mut receiver = at(3000);
    deliver(&mut receiver, 3000, 4000);
    assert_eq!(answer(&mut receiver, 4500, 5000), (4000, vec![(4500, 5000)]));
    assert_eq!(answer(&mut receiver, 3000, 3500), (4000, vec![(3000, 3500), (4500, 5000)]));
}

#[test]
fn example_3_a_duplicate_of_an_out_of_order_segment() {
    let mut receiver = at(3500);
    deliver(&mut receiver, 3500, 4000);
    deliver(&mut receiver, 4500, 5000);
    assert_eq!(answer(&mut receiver, 5000, 5500), (4000, vec![(4500, 5500)]));
    assert_eq!(answer(&mut receiver, 5000, 5500), (4000, vec![(5000, 5500), (4500, 5500)]));
}

#[test]
fn example_4_a_single_duplicate_part() {
    let mut receiver = at(500);
    deliver(&mut receiver, 500, 1000);
    assert_eq!(answer(&mut receiver, 2000, 2500), (1000, vec![(2000, 2500)]));
    assert_eq!(answer(&mut receiver, 1000, 1500), (1500, vec![(2000, 2500)]));
    assert_eq!(answer(&mut receiver, 1000, 2000), (2500, vec![(1000, 1500)]));
}

#[test]
fn example_5_of_two_duplicate_parts_the_first_is_reported() {
    let mut receiver = at(500);
    deliver(&mut receiver, 500, 1000);
    answer(&mut receiver, 3000, 3500);
    assert_eq!(answer(&mut receiver, 1000, 1500), (1500, vec![(3000, 3500)]));
    assert_eq!(answer(&mut receiver, 2000, 2500), (1500, vec![(2000, 2500), (3000, 3500)]));
    assert_eq!(answer(&mut receiver, 1000, 2500), (2500, vec![(1000, 1500), (3000, 3500)]));
}

#[test]
fn a_part_of_a_hole_and_of_what_lies_behind_it() {
    let mut receiver = at(1000);
    deliver(&mut receiver, 2000, 2500);
    deliver(&mut receiver, 3000, 3500);
    ack(&mut receiver);
    assert_eq!(
        answer(&mut receiver, 1800, 2200),
        (1000, vec![(2000, 2200), (1800, 2500), (3000, 3500)])
    );
}

#[test]
fn the_enclosing_block_comes_second_also_after_another_arrival() {
    let mut receiver = at(1000);
    deliver(&mut receiver, 2000, 2500);
    deliver(&mut receiver, 2100, 2200);
    deliver(&mut receiver, 3000, 3500);
    assert_eq!(acknowledge(&mut receiver), (1000, vec![(2100, 2200), (2000, 2500), (3000, 3500)]));
}

#[test]
fn a_duplicate_of_a_whole_block_is_listed_twice() {
    let mut receiver = at(1000);
    deliver(&mut receiver, 2000, 2500);
    assert_eq!(answer(&mut receiver, 2000, 2500), (1000, vec![(2000, 2500), (2000, 2500)]));
}

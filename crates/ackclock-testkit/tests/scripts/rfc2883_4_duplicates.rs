//! RFC 2883 section 4: the first block of an ack reports data that arrived twice. The numbers of
//! the RFC's examples are shifted so that its left edge is 1.

use ackclock_testkit::script::check;

#[track_caller]
fn established(script: &str) {
    check(&format!("set ack_policy every\n established\n {script}"));
}

#[test]
fn example_1_a_duplicate_segment() {
    established(
        "
        < . 1:501(500) ack 1
        > . 1:1(0) ack 501
        < . 501:1001(500) ack 1
        > . 1:1(0) ack 1001
        < . 1:501(500) ack 1
        > . 1:1(0) ack 1001 <sack 1:501>
        < . 1001:1501(500) ack 1              # each is reported once
        > . 1:1(0) ack 1501 <>
        ",
    );
}

#[test]
fn example_2_an_out_of_order_segment_and_a_duplicate() {
    established(
        "
        < . 1:1001(1000) ack 1
        > . 1:1(0) ack 1001
        < . 1501:2001(500) ack 1
        > . 1:1(0) ack 1001 <sack 1501:2001>
        < . 1:501(500) ack 1
        > . 1:1(0) ack 1001 <sack 1:501 1501:2001>
        ",
    );
}

#[test]
fn example_3_a_duplicate_of_an_out_of_order_segment() {
    established(
        "
        < . 1:501(500) ack 1
        > . 1:1(0) ack 501
        < . 1001:1501(500) ack 1
        > . 1:1(0) ack 501 <sack 1001:1501>
        < . 1501:2001(500) ack 1
        > . 1:1(0) ack 501 <sack 1001:2001>
        < . 1501:2001(500) ack 1
        > . 1:1(0) ack 501 <sack 1501:2001 1001:2001>
        ",
    );
}

#[test]
fn example_4_a_segment_of_which_a_part_is_a_duplicate() {
    established(
        "
        < . 1:501(500) ack 1
        > . 1:1(0) ack 501
        < . 1501:2001(500) ack 1
        > . 1:1(0) ack 501 <sack 1501:2001>
        < . 501:1001(500) ack 1
        > . 1:1(0) ack 1001 <sack 1501:2001>
        < . 501:1501(1000) ack 1
        > . 1:1(0) ack 2001 <sack 501:1001>
        ",
    );
}

#[test]
fn example_5_of_two_parts_that_are_duplicates_the_first_is_reported() {
    established(
        "
        < . 1:501(500) ack 1
        > . 1:1(0) ack 501
        < . 2501:3001(500) ack 1
        > . 1:1(0) ack 501 <sack 2501:3001>
        < . 501:1001(500) ack 1
        > . 1:1(0) ack 1001 <sack 2501:3001>
        < . 1501:2001(500) ack 1
        > . 1:1(0) ack 1001 <sack 1501:2001 2501:3001>
        < . 501:2001(1500) ack 1
        > . 1:1(0) ack 2001 <sack 501:1001 2501:3001>
        ",
    );
}

#[test]
fn a_duplicate_of_a_whole_block_stands_there_twice() {
    established(
        "
        < . 1001:1501(500) ack 1
        > . 1:1(0) ack 1 <sack 1001:1501>
        < . 1001:1501(500) ack 1
        > . 1:1(0) ack 1 <sack 1001:1501 1001:1501>
        ",
    );
}

#[test]
fn a_part_of_a_hole_and_of_what_lies_behind_it() {
    established(
        "
        < . 1001:1501(500) ack 1
        > . 1:1(0) ack 1 <sack 1001:1501>
        < . 2001:2501(500) ack 1
        > . 1:1(0) ack 1 <sack 2001:2501 1001:1501>
        < . 801:1201(400) ack 1
        > . 1:1(0) ack 1 <sack 1001:1201 801:1501 2001:2501>
        ",
    );
}

#[test]
fn a_segment_that_reaches_from_one_block_into_the_next() {
    established(
        "
        < . 501:1001(500) ack 1
        > . 1:1(0) ack 1 <sack 501:1001>
        < . 1501:2001(500) ack 1
        > . 1:1(0) ack 1 <sack 1501:2001 501:1001>
        < . 801:1701(900) ack 1               # the lower of its two old parts, and what it made
        > . 1:1(0) ack 1 <sack 801:1001 501:2001>
        < . 1:501(500) ack 1
        > . 1:1(0) ack 2001 <>
        read 1999
        ",
    );
}

#[test]
fn a_segment_with_old_and_new_data() {
    established(
        "
        < . 1:501(500) ack 1
        > . 1:1(0) ack 501
        < . 301:801(500) ack 1
        > . 1:1(0) ack 801 <sack 301:501>
        read 800
        ",
    );
}

#[test]
fn a_repeated_fin_alone_is_no_duplicate_data() {
    established(
        "
        < FP. 1:101(100) ack 1
        > . 1:1(0) ack 102
        < F. 101:101(0) ack 1
        > . 1:1(0) ack 102 <>
        < FP. 1:101(100) ack 1
        > . 1:1(0) ack 102 <sack 1:101>
        ",
    );
}

#[test]
fn a_segment_around_a_block_repeats_it() {
    established(
        "
        < . 501:1001(500) ack 1
        > . 1:1(0) ack 1 <sack 501:1001>
        < . 1:1501(1500) ack 1
        > . 1:1(0) ack 1501 <sack 501:1001>
        read 1500
        ",
    );
}

/// Its text stands behind the number of the SYN, and it is challenged, whatever it brings (RFC 5961 section 4).
#[test]
fn a_syn_that_comes_late_is_not_reported() {
    established(
        "
        < . 1:501(500) ack 1
        > . 1:1(0) ack 501
        < S 0:100(100)
        > . 1:1(0) ack 501 <>
        ",
    );
}

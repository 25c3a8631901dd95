//! What every segment must look like.

use crate::player::breaks;

#[test]
fn options_of_a_syn_stand_in_no_other_segment() {
    breaks(
        "mss-option-without-syn",
        "
        > S 0:0(0) <mss 1000>
        +0.01 < S. 0:0(0) ack 1 <mss 1000>
        > . 1:1(0) ack 1 <mss 1000>
        ",
    );
    breaks(
        "sack-permitted-without-syn",
        "
        > S 0:0(0) <mss 1000,sackOK>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1 <sackOK>
        ",
    );
}

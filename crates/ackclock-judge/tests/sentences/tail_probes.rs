//! Probes of the tail (RFC 8985 section 7): what they are made of, and when.

use crate::player::{PLAIN, SACK, breaks, keeps};

/// So many segments of 1,000 bytes.
fn segments(count: u32) -> String {
    (0..count).map(|n| format!("> . {}:{}(1000) ack 1\n", n * 1000 + 1, n * 1000 + 1001)).collect()
}

/// The last segment, which has become too long for the path, goes again in part.
#[test]
fn a_probe_is_a_part_of_a_last_segment_that_has_become_too_long() {
    let probed = |part: &str| {
        format!(
            "{}+0.01 < . 1:1(0) ack 1001\n+0.1 > . {part} ack 1\n+0.01 < . 1:1(0) ack 3001\n",
            segments(3)
        )
    };
    keeps(&format!("{SACK}{}", probed("2001:2601(600)")));
    breaks("retransmission-too-early", &format!("{SACK}{}", probed("1001:1601(600)")));
    breaks("retransmission-too-early", &format!("{PLAIN}{}", probed("2001:2601(600)")));
}

/// Two round trips of 500 ms are longer than a timeout may be, by which the tail is probed at the latest (RFC 8985 section
/// 7.2).
#[test]
fn a_probe_beside_the_window_comes_no_later_than_the_timer() {
    let probed = |after: &str| {
        format!(
            "law reno
            > S 0:0(0) win 10000 <mss 1000,sackOK>
            +0.5 < S. 0:0(0) ack 1 win 60000 <mss 1000,sackOK>
            > . 1:1(0) ack 1
            {}+{after} > . 10001:11001(1000) ack 1
            +0.01 < . 1:1(0) ack 11001
            ",
            segments(10)
        )
    };
    keeps(&probed("0.6"));
    breaks("initial-window", &probed("0.3"));
}

/// Who echoes what was never sent has the host measure anything.
#[test]
fn an_unknown_echo_of_a_syn_measures_as_well_as_it_can() {
    let opened = |echo: u32| {
        format!(
            "
            > S 0:0(0) win 10000 <mss 1000,TS val 7 ecr 0>
            +1 > S 0:0(0) win 10000 <mss 1000,TS val 1007 ecr 0>
            +0.01 < S. 0:0(0) ack 1 win 60000 <mss 1000,TS val 100 ecr {echo}>
            > . 1:1(0) ack 1 <TS val 1017 ecr 100>
            > . 1:901(900) ack 1 <TS val 1017 ecr 100>
            +0.4 > . 1:901(900) ack 1 <TS val 1417 ecr 100>
            +0.01 < . 1:1(0) ack 901 <TS val 510 ecr 1417>
            "
        )
    };
    keeps(&opened(1_011));
    breaks("initial-rto-too-low", &opened(7));
}

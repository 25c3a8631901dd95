//! Windows that the peer takes back from what was sent: what was beyond them was not lost by congestion.

use crate::player::{SACK, after};

after!(
    "law reno
{SACK}"
);

/// So many segments of 1,000 bytes.
fn segments(from: u32, count: u32) -> String {
    let starts = (0..count).map(|n| from + n * 1000);
    starts.map(|start| format!("> . {start}:{}(1000) ack 1\n", start + 1000)).collect()
}

/// Ten segments, of which one is acknowledged with this window; then `probe`, and ten segments from `then` on in a window that is open again.
fn sent_beyond(window: u32, probe: &str, then: u32) -> String {
    format!(
        "{}+0.01 < . 1:1(0) ack 1001 win {window}\n{probe}+0.01 < . 1:1(0) ack {then} win 60000\n\
         {}+0.01 < . 1:1(0) ack {}\n",
        segments(1, 10),
        segments(then, 10),
        then + 10_000
    )
}

/// RFC 9293 section 3.8.6: "If the window shrinks to zero, the TCP implementation MUST probe it in the standard way".
#[test]
fn a_byte_into_a_window_that_was_taken_back_is_a_probe_and_no_timeout() {
    let probe = "+1 > . 1001:1002(1) ack 1\n";
    kept(&sent_beyond(0, probe, 1_002));
    broken("loss-window", &sent_beyond(60_000, probe, 1_002));
}

#[test]
fn what_goes_again_once_the_window_opens_was_not_lost_by_congestion() {
    kept(&sent_beyond(0, "+0.4 quiet\n", 1_001));
    broken("loss-response", &sent_beyond(60_000, "+0.4 quiet\n", 1_001));
}

/// RFC 9293 section 3.8.6.1: a closed window has the persist timer run in the place of the other.
#[test]
fn the_timer_may_begin_anew_when_a_window_closes_and_when_it_opens() {
    let turns = |window: u32, silence: &str| {
        format!(
            "> . 1:1001(1000) ack 1\n+1 < . 1:1(0) ack 1 win {window}\n\
             +0.2 < . 1:1(0) ack 1 win 60000\n+{silence} > . 1:1001(1000) ack 1\n\
             +0.01 < . 1:1(0) ack 1001\n"
        )
    };
    kept(&turns(0, "1.2"));
    broken("not-retransmitted", &turns(60_000, "1.2"));
    broken("not-retransmitted", &turns(0, "2.2"));
}

/// RFC 9293 section 3.8.6: "the sender SHOULD NOT send new data (SHLD-15), but SHOULD retransmit normally the old
/// unacknowledged data between SND.UNA and SND.UNA+SND.WND (SHLD-16)".
#[test]
fn the_timer_of_what_is_in_flight_may_run_on_when_the_window_closes() {
    let closes = |before: &str, after: &str| {
        format!(
            "> . 1:1001(1000) ack 1\n+{before} < . 1:1(0) ack 1 win 0\n+{after} > . 1:2(1) ack 1\n\
             +0.01 < . 1:1(0) ack 1001\n"
        )
    };
    kept(&closes("0.9", "0.1"));
    kept(&closes("0.1", "1"));
    broken("zero-window-probe-too-early", &closes("0.05", "0.1"));
}

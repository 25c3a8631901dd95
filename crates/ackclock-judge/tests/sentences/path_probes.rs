//! Probes of the path's MTU as they show themselves: longer than the other segments. The loss of one alone is no
//! congestion (RFC 4821 section 4).

use crate::player::{PLAIN, SACK, breaks, keeps};

/// A segment of so many bytes.
fn line(from: u32, len: u32) -> String {
    format!("> . {from}:{}({len}) ack 1\n", from + len)
}

/// So many segments of 300 bytes.
fn parts(from: u32, count: u32) -> String {
    (0..count).map(|n| line(from + n * 300, 300)).collect()
}

fn ack(to: u32) -> String {
    format!("+0.01 < . 1:1(0) ack {to}\n")
}

/// A probe of 600 bytes is all that is missing, and goes again by the timer.
#[test]
fn a_timeout_of_a_probe_alone_closes_no_window() {
    let script = format!(
        "{}{}{}+1 {}{}{}{}",
        parts(1, 10),
        ack(3_001),
        line(3_001, 600),
        parts(3_001, 2),
        ack(3_601),
        parts(3_601, 12),
        ack(7_201)
    );
    keeps(&format!("set probes_path 1\nlaw reno\n{PLAIN}{script}"));
    breaks("loss-window", &format!("law reno\n{PLAIN}{script}"));
}

/// Segments had 900 bytes before the path became narrower; `between` of 300 go before one of 600, which is lost.
fn narrowed(between: u32) -> String {
    let probe = 1_801 + between * 300;
    let sacks: String = (1..=3)
        .map(|n| {
            format!("< . 1:1(0) ack {probe} <sack {}:{}>\n", probe + 600, probe + 600 + n * 300)
        })
        .collect();
    let end = probe + 600 + 18 * 300;
    let grown: String =
        (1..=between).map(|n| format!("< . 1:1(0) ack {}\n", 1_801 + n * 300)).collect();
    format!(
        "{}{}{}{}+0.01 {grown}{}{}+0.01 {sacks}{}{}{}{}",
        line(1, 900),
        line(901, 900),
        ack(1_801),
        parts(1_801, between),
        line(probe, 600),
        parts(probe + 600, 18),
        parts(probe, 2),
        ack(end),
        parts(end, 18),
        ack(end + 18 * 300)
    )
}

#[test]
fn a_probe_is_known_where_segments_were_longer_before() {
    let probes = |between| format!("set probes_path 1\nlaw reno\n{SACK}{}", narrowed(between));
    keeps(&probes(8));
    breaks("loss-response", &probes(6));
}

//! Pacing rate, send quantum and window (section 5.6).

use super::*;

#[test]
fn a_quantum_is_a_millisecond_within_two_segments_and_64_kib() {
    let quantum = |rate| {
        Flow { bbr: Bbr { pacing_rate: Rate::new(rate), ..Flow::new().bbr }, ..Flow::new() }
            .bbr
            .send_quantum()
    };
    assert_eq!(
        [1_000, 5_000_000, 1_000_000_000].map(quantum),
        [Some(2_000), Some(5_000), Some(65_536)]
    );
}

#[test]
fn the_window_holds_four_segments_on_the_smallest_path() {
    let mut flow = Flow::new();
    flow.rounds(30, Told { rate: 1_000, in_flight: MSS, acked: 0, ..ROUND });
    assert!(flow.bbr.is(Flag::FullBwReached));
    // Three quanta of two segments are more.
    assert_eq!(flow.bbr.window(), 6 * MSS);
}

#[test]
fn a_window_that_nothing_fills_does_not_grow() {
    let mut flow = Flow::new();
    let window = flow.bbr.window();
    let sample = Ack { bytes_delivered: MSS, bytes_acked: MSS, ..Ack::default() };
    (0..10).for_each(|_| flow.bbr.on_ack(&sample));
    assert_eq!(flow.bbr.window(), window);
}

#[test]
fn a_timeout_leaves_one_segment_until_everything_is_repaired() {
    let mut flow = Flow::cruising();
    let window = flow.bbr.window();
    flow.bbr.on_congestion(&congestion(CongestionKind::Timeout, BDP));
    flow.bbr.on_congestion(&congestion(CongestionKind::RepeatedTimeout, BDP));
    assert_eq!(flow.bbr.window(), MSS);
    let repairing = Ack {
        after_timeout: true,
        bytes_delivered: MSS,
        window_limited: true,
        now: flow.now,
        ..Ack::default()
    };
    flow.bbr.on_ack(&repairing);
    assert_eq!(flow.bbr.window(), 4 * MSS, "MinPipeCwnd");
    flow.bbr.on_ack(&Ack { after_timeout: false, window_limited: false, ..repairing });
    assert_eq!(flow.bbr.window(), window);
}

#[test]
fn fast_recovery_leaves_the_window_to_the_model() {
    let mut flow = Flow::cruising();
    let before = sizes(&flow.bbr);
    flow.bbr.on_congestion(&congestion(CongestionKind::FastRetransmit, BDP));
    assert_eq!(sizes(&flow.bbr), before);
    flow.bbr.on_recovery_exit(flow.now, BDP);
    assert_eq!(sizes(&flow.bbr), before);
}

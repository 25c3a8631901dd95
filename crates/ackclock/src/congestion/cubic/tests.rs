//! CUBIC's numbers, worked by hand from RFC 9438.

use super::*;
use crate::congestion::LARGEST_WINDOW;
use crate::congestion::tests::{acked, congestion, sizes, start};
use CongestionKind::{Ecn, FastRetransmit, RepeatedTimeout, Timeout};
use proptest::prelude::*;

const MSS: u32 = 1000;

fn cubic(segments: u32) -> Cubic {
    let mut cubic = Cubic::default();
    cubic.on_start(&start(MSS, segments * MSS));
    cubic
}

/// An ack at that time on a path of so many milliseconds.
fn at(millis: u64, bytes: u32, rtt_millis: u64) -> Ack {
    Ack {
        now: Instant::from_millis(millis),
        smoothed_rtt: Duration::from_millis(rtt_millis),
        ..acked(bytes)
    }
}

/// A loss at a window of 100 segments of which 71.43 were in flight: K = cbrt(50 / 0.4) = 5 s. The
/// stage begins at time zero.
fn from_50_to_100() -> Cubic {
    let mut cubic = cubic(100);
    cubic.on_congestion(&congestion(FastRetransmit, 71_429));
    begin(&mut cubic);
    assert_eq!(sizes(&cubic), (50 * MSS, 50 * MSS));
    cubic
}

/// A congestion avoidance stage begins.
fn begin(cubic: &mut Cubic) {
    cubic.now.stage = Stage::Avoidance(cubic.begin_avoidance());
}

/// t - K in milliseconds, in congestion avoidance.
fn since_plateau(cubic: &Cubic) -> Option<i32> {
    match cubic.now.stage {
        Stage::Avoidance(curve) => Some(curve.since_plateau),
        _ => None,
    }
}

#[test]
fn the_cube_root_is_exact_at_the_cubes_and_beside_them() {
    for root in [1u64, 2, 3, 10, 1_000, 4_217, 1 << 21, 2_642_245] {
        let cube = root.pow(3);
        assert_eq!(u64::from(cube_root(cube)), root);
        assert_eq!(u64::from(cube_root(cube - 1)), root - 1);
        assert_eq!(u64::from(cube_root(cube + 1)), root);
    }
    assert_eq!((cube_root(0), cube_root(u64::MAX)), (0, LONGEST_MILLIS));
}

proptest! {
    #[test]
    fn the_cube_root_brackets_its_argument(n in any::<u64>()) {
        let root = u128::from(cube_root(n));
        prop_assert!(root.pow(3) <= u128::from(n) && u128::from(n) < (root + 1).pow(3));
    }
}

/// cbrt(30 / 0.4) = 4.217163 s, cbrt(1 / 0.4) = 1.357209 s, cbrt(50 / 0.4) = 5 s.
#[test]
fn k_is_the_cube_root_of_the_loss_over_c() {
    assert_eq!(time_to_grow(30 * MSS, MSS), 4_218);
    assert_eq!(time_to_grow(MSS, MSS), 1_358);
    assert_eq!(time_to_grow(50 * MSS, MSS), 5_000);
    assert_eq!(time_to_grow(50 * 1460, 1460), 5_000);
    assert_eq!(time_to_grow(0, MSS), 0);
}

#[test]
fn the_curve_passes_through_the_points_of_figure_1() {
    let cubic = from_50_to_100();
    let seconds = [0, 1, 4, 5, 6, 7, 10];
    let windows = seconds.map(|seconds| cubic.w_cubic(seconds * 1_000 - 5_000));
    // 100 + 0.4 (t - 5)^3
    assert_eq!(windows, [50_000, 74_400, 99_600, 100_000, 100_400, 103_200, 150_000]);
}

proptest! {
    /// Figure 1 in exact rational arithmetic, a fraction of a byte left off on the way from W_max.
    #[test]
    fn the_curve_is_figure_1_to_the_byte(
        w_max in 0..=LARGEST_WINDOW,
        mss in 1..=65_535u32,
        millis in -2_642_245..=2_642_245i32,
    ) {
        let mut cubic = cubic(1);
        cubic.mss = mss;
        cubic.now.w_max = w_max;
        // 0.4 (t - K)^3 segments, t in seconds.
        let offset = 4 * i128::from(millis).pow(3) * i128::from(mss) / 10_000_000_000;
        let exact = (i128::from(w_max) + offset).clamp(0, u32::MAX.into());
        prop_assert_eq!(i128::from(cubic.w_cubic(millis)), exact);
    }

    /// Figure 2: the least K in whole milliseconds with C K^3 >= W_max - cwnd_epoch.
    #[test]
    fn k_is_figure_2_to_the_millisecond(bytes in 0..=LARGEST_WINDOW, mss in 1..=65_535u32) {
        let k = u128::from(time_to_grow(bytes, mss));
        let reaches = |k: u128| 4 * k.pow(3) * u128::from(mss) >= u128::from(bytes) * 10_000_000_000;
        prop_assert!(reaches(k) && (k == 0 || !reaches(k - 1)), "{k}");
    }
}

#[test]
fn the_curve_saturates_instead_of_wrapping() {
    let cubic = from_50_to_100();
    assert_eq!(cubic.w_cubic(i32::MAX), u32::MAX);
    assert_eq!(cubic.w_cubic(i32::MIN), 0);
}

#[test]
fn a_loss_leaves_seven_tenths_of_the_flight() {
    let mut cubic = cubic(20);
    cubic.on_congestion(&congestion(FastRetransmit, 20 * MSS));
    assert_eq!(sizes(&cubic), (14 * MSS, 14 * MSS));
    assert_eq!((cubic.now.w_max, cubic.now.cwnd_prior), (20 * MSS, 20 * MSS));
}

#[test]
fn a_loss_leaves_two_segments_at_least_and_a_mark_one() {
    for (kind, cwnd) in [(FastRetransmit, 2 * MSS), (Ecn, MSS), (Timeout, MSS)] {
        let mut cubic = cubic(2);
        cubic.on_congestion(&congestion(kind, MSS));
        assert_eq!(sizes(&cubic), (cwnd, 2 * MSS));
    }
}

/// RFC 8511 section 3.1.
#[test]
fn a_congestion_mark_leaves_85_percent_of_the_flight() {
    let mut cubic = cubic(20);
    cubic.on_congestion(&congestion(Ecn, 20 * MSS));
    assert_eq!(sizes(&cubic), (17 * MSS, 17 * MSS));
    assert_eq!((cubic.now.w_max, cubic.now.cwnd_prior), (20 * MSS, 20 * MSS));
}

#[test]
fn congestion_never_opens_the_window() {
    let mut cubic = cubic(4);
    cubic.on_congestion(&congestion(FastRetransmit, 20 * MSS));
    assert_eq!(sizes(&cubic), (4 * MSS, 14 * MSS));
}

#[test]
fn fast_convergence_gives_up_more_when_the_last_window_was_not_reached() {
    let mut cubic = cubic(100);
    cubic.on_congestion(&congestion(FastRetransmit, 100 * MSS));
    assert_eq!((cubic.cwnd, cubic.now.w_max), (70_000, 100_000));
    // Below W_max: 70 * 0.85.
    cubic.on_congestion(&congestion(FastRetransmit, 70 * MSS));
    assert_eq!((cubic.cwnd, cubic.now.w_max), (49_000, 59_500));
    // cbrt(10.5 / 0.4) = 2.9718 s
    begin(&mut cubic);
    assert_eq!(since_plateau(&cubic), Some(-2_972));
    // At W_max again: not converging.
    cubic.cwnd = 59_500;
    cubic.on_congestion(&congestion(FastRetransmit, 59_500));
    assert_eq!(cubic.now.w_max, 59_500);
}

/// After 4 s on a path of 1 s, target = W_cubic(5 s) = W_max.
#[test]
fn an_ack_brings_the_window_its_share_of_the_way_to_the_target() {
    let mut cubic = from_50_to_100();
    cubic.cwnd = 80_000;
    cubic.on_ack(&at(4_000, 4_000, 1_000));
    // 20,000 * 4,000 / 80,000
    assert_eq!(cubic.window(), 81_000);
    cubic.on_ack(&at(4_000, 1_000, 1_000));
    // 19,000 * 1,000 / 81,000 = 234 and 46,000 / 81,000
    assert_eq!((cubic.window(), cubic.remainder), (81_234, 46_000));
}

#[test]
fn the_target_is_at_most_half_as_much_again() {
    let mut cubic = from_50_to_100();
    // W_cubic(11 s) is 186 segments; a whole window is acknowledged at once.
    cubic.on_ack(&at(10_000, 50_000, 1_000));
    assert_eq!(cubic.window(), 75_000);
    cubic.on_ack(&at(10_000, u32::MAX, 1_000));
    assert_eq!(cubic.window(), 112_500);
}

#[test]
fn the_target_is_at_least_the_window() {
    let mut cubic = from_50_to_100();
    cubic.cwnd = 99_990;
    // W_cubic(2 s) is 89.2 segments.
    cubic.on_ack(&at(1_000, 50_000, 1_000));
    assert_eq!(cubic.window(), 99_990);
}

#[test]
fn a_long_path_regains_its_window_after_k_seconds() {
    let mut cubic = cubic(1_000);
    cubic.on_congestion(&congestion(FastRetransmit, 1_000 * MSS));
    cubic.on_ack(&at(0, MSS, 100));
    // cbrt(300 / 0.4) = 9.086 s
    let mut millis = 0;
    while cubic.window() < 999 * MSS {
        millis += 100;
        cubic.on_ack(&at(millis, cubic.window(), 100));
    }
    // One segment is missing cbrt(2.5) = 1.357 s before K, and the target is 0.1 s ahead.
    assert_eq!(millis, 7_700);
}

/// On a path of next to no delay the curve stands still, as it were, while Reno's estimate grows: K is
/// cbrt(3 / 0.4) = 1.957 s.
#[test]
fn a_short_path_follows_reno() {
    let mut cubic = cubic(10);
    cubic.on_congestion(&congestion(FastRetransmit, 10 * MSS));
    let acks_for_a_segment: [u32; 5] = core::array::from_fn(|_| {
        let before = cubic.window();
        (1..)
            .find(|_| {
                cubic.on_ack(&at(0, MSS, 0));
                cubic.window() > before
            })
            .unwrap_or(0)
    });
    assert_eq!(cubic.window(), 12 * MSS);
    // 7 * 17/9 = 13.2, then 15.1, 17.0 segments; from 10 on, the window before the loss, as many
    // as the window has.
    assert_eq!(acks_for_a_segment, [14, 15, 17, 10, 11]);
}

#[test]
fn time_that_the_application_limits_is_no_part_of_t() {
    let mut cubic = from_50_to_100();
    cubic.on_ack(&at(1_000, MSS, 100));
    assert_eq!(since_plateau(&cubic), Some(-4_000));
    let limited = Ack { window_limited: false, ..at(3_000, MSS, 100) };
    cubic.on_ack(&limited);
    assert_eq!(since_plateau(&cubic), Some(-4_000));
    cubic.on_ack(&at(3_500, MSS, 100));
    assert_eq!(since_plateau(&cubic), Some(-3_500));
}

#[test]
fn idle_time_is_no_part_of_t() {
    let mut cubic = from_50_to_100();
    let sent = |millis, in_flight| Sent {
        now: Instant::from_millis(millis),
        bytes: MSS,
        in_flight,
        ..Sent::default()
    };
    cubic.on_sent(&sent(500, 2 * MSS));
    cubic.on_ack(&at(1_000, MSS, 100));
    assert_eq!(since_plateau(&cubic), Some(-4_000));
    cubic.on_sent(&sent(61_000, MSS));
    cubic.on_ack(&at(61_100, MSS, 100));
    assert_eq!(since_plateau(&cubic), Some(-3_900));
}

#[test]
fn time_that_runs_backwards_does_not_count() {
    let mut cubic = from_50_to_100();
    for millis in [2_000, 1_000, 2_500] {
        cubic.on_ack(&at(millis, MSS, 100));
    }
    assert_eq!(since_plateau(&cubic), Some(-2_500));
}

#[test]
fn an_idle_time_of_any_length_is_over_some_time() {
    const DAY: u64 = 24 * 60 * 60 * 1_000;
    for (days, since) in
        [(1, 86_395_000), (24, 2_073_595_000), (25, i32::MAX - 5_000), (60, i32::MAX - 5_000)]
    {
        let mut cubic = from_50_to_100();
        cubic.on_ack(&at(days * DAY, MSS, 100));
        assert_eq!(since_plateau(&cubic), Some(since), "{days}");
        cubic.on_congestion(&Congestion {
            now: Instant::from_millis(days * DAY),
            ..congestion(FastRetransmit, 71_429)
        });
        begin(&mut cubic);
        let begun = since_plateau(&cubic).unwrap_or_default();
        cubic.on_ack(&at(days * DAY + 1_000, MSS, 100));
        assert_eq!(since_plateau(&cubic), Some(begun + 1_000), "{days}");
    }
}

#[test]
fn a_timeout_starts_again_and_then_stands_on_the_plateau() {
    let mut cubic = cubic(10);
    cubic.on_congestion(&congestion(Timeout, 10 * MSS));
    assert_eq!(sizes(&cubic), (MSS, 7 * MSS));
    for expected in 2..=7 {
        // One segment for an ack, however much it acknowledges, while the loss is repaired.
        cubic.on_ack(&at(0, 5 * MSS, 10));
        assert_eq!(cubic.window(), expected * MSS);
    }
    cubic.on_ack(&at(0, MSS, 10));
    assert_eq!((cubic.now.w_max, since_plateau(&cubic)), (7 * MSS, Some(0)));
    // Section 4.8: W_est begins with the window. (An ack of a segment grows it by less than one.)
    let Stage::Avoidance(curve) = cubic.now.stage else { panic!("avoidance") };
    assert_eq!(curve.w_est, 7 * MSS);
}

#[test]
fn a_repeated_timeout_keeps_the_threshold() {
    let mut cubic = cubic(10);
    cubic.on_congestion(&congestion(Timeout, 10 * MSS));
    cubic.on_congestion(&congestion(RepeatedTimeout, MSS));
    assert_eq!(sizes(&cubic), (MSS, 7 * MSS));
    cubic.on_undo(Instant::ZERO);
    assert_eq!(sizes(&cubic), (10 * MSS, u32::MAX));
}

#[test]
fn a_false_alarm_leaves_no_trace() {
    for kind in [FastRetransmit, Ecn, Timeout] {
        let mut cubic = from_50_to_100();
        cubic.on_ack(&at(3_000, 10 * MSS, 100));
        let before = Cubic { before_event: None, ..cubic };
        cubic.on_congestion(&congestion(kind, 60 * MSS));
        assert_ne!(sizes(&cubic), sizes(&before));
        cubic.on_undo(Instant::from_millis(3_000));
        assert_eq!(cubic, before);
    }
}

/// t_epoch is restored, so the curve goes on where it would be by now.
#[test]
fn the_time_until_a_false_alarm_is_found_out_counts() {
    let mut cubic = from_50_to_100();
    cubic.on_ack(&at(1_000, MSS, 100));
    cubic.on_congestion(&congestion(FastRetransmit, 50 * MSS));
    let repairing = Ack { in_recovery: true, window_limited: false, ..at(1_500, MSS, 100) };
    cubic.on_ack(&repairing);
    cubic.on_undo(Instant::from_millis(2_000));
    assert_eq!(since_plateau(&cubic), Some(-3_000));
}

#[test]
fn undo_changes_nothing_once_the_window_has_outgrown_the_event() {
    let mut cubic = cubic(10);
    cubic.on_congestion(&congestion(FastRetransmit, 10 * MSS));
    while cubic.window() <= 10 * MSS {
        cubic.on_ack(&at(0, MSS, 0));
    }
    cubic.on_undo(Instant::ZERO);
    assert_eq!(sizes(&cubic), (11 * MSS, 7 * MSS));
}

/// A round of acks of a segment each.
fn round(cubic: &mut Cubic, rtt_millis: u64, acks: u32) {
    for n in 0..acks {
        let rtt = Some(Duration::from_millis(rtt_millis));
        cubic.on_ack(&Ack { rtt, new_round: n == 0, ..acked(MSS) });
    }
}

/// RFC 9406, and RFC 9438 section 4.10: W_max is then where slow start has led.
#[test]
fn hystart_ends_the_initial_slow_start_without_a_loss() {
    let mut cubic = cubic(10);
    round(&mut cubic, 100, 10);
    assert_eq!(sizes(&cubic), (20 * MSS, u32::MAX));
    // The eighth sample tells of the delay; from then on an ack counts for a quarter.
    round(&mut cubic, 120, 20);
    assert_eq!(cubic.window(), 31 * MSS);
    for _ in 0..4 {
        round(&mut cubic, 120, 4);
    }
    assert_eq!(sizes(&cubic), (35 * MSS, u32::MAX));
    round(&mut cubic, 120, 1);
    assert_eq!(sizes(&cubic), (35 * MSS, 35 * MSS));
    round(&mut cubic, 120, 1);
    assert_eq!((cubic.now.w_max, since_plateau(&cubic)), (35 * MSS, Some(0)));
}

#[test]
fn hystart_can_be_switched_off() {
    let mut cubic = Cubic::default().without_hystart();
    cubic.on_start(&start(MSS, 10 * MSS));
    for _ in 0..10 {
        round(&mut cubic, 100, 10);
        round(&mut cubic, 120, 10);
    }
    assert_eq!(sizes(&cubic), (210 * MSS, u32::MAX));
}

/// Linux's rule: the ninth late sample of a round ends slow start where it is.
#[test]
fn the_hystart_of_linux_ends_the_initial_slow_start_at_once() {
    let mut cubic = Cubic { watch: Watch::Linux, ..Cubic::default() };
    cubic.on_start(&start(MSS, 10 * MSS));
    let mut ack = |rtt_millis, new_round| {
        let rtt = Duration::from_millis(rtt_millis);
        let min_rtt = Duration::from_millis(100);
        let now = Instant::from_millis(rtt_millis);
        cubic.on_ack(&Ack { now, rtt: Some(rtt), min_rtt, new_round, ..acked(MSS) });
        sizes(&cubic)
    };
    for n in 0..10 {
        ack(100, n == 0);
    }
    for n in 0..8 {
        ack(120, n == 0);
    }
    assert_eq!(ack(120, false), (28 * MSS, 28 * MSS));
}

#[test]
fn hystart_watches_the_initial_slow_start_only() {
    let mut cubic = cubic(10);
    cubic.on_congestion(&congestion(Timeout, 400 * MSS));
    round(&mut cubic, 100, 100);
    round(&mut cubic, 200, 100);
    round(&mut cubic, 200, 10);
    assert_eq!(sizes(&cubic), (211 * MSS, 280 * MSS));
}

#[test]
fn the_growth_is_a_parameter() {
    let mut cubic = Cubic::new(Growth::PerAck);
    cubic.on_start(&start(MSS, 10 * MSS));
    cubic.on_ack(&acked(8 * MSS));
    assert_eq!(cubic.window(), 11 * MSS);
    // In congestion avoidance 14 acks make a segment of Reno's estimate, however much they tell of:
    // 7 * 17/9 = 13.2.
    cubic.on_congestion(&congestion(FastRetransmit, 10 * MSS));
    for _ in 0..13 {
        cubic.on_ack(&at(0, 2 * MSS, 0));
    }
    assert_eq!(cubic.window(), 7 * MSS);
    cubic.on_ack(&at(0, 2 * MSS, 0));
    assert_eq!(cubic.window(), 8 * MSS);
}

/// RFC 7661 section 4.4.3.
#[test]
fn a_window_never_validated_is_halved_and_its_size_remembered() {
    let mut cubic = cubic(100);
    cubic.on_congestion(&congestion(FastRetransmit, 50 * MSS));
    cubic.cwnd = 80 * MSS;
    cubic.on_unvalidated_window(Instant::ZERO, 10 * MSS);
    assert_eq!(sizes(&cubic), (40 * MSS, 60 * MSS));
}

#[test]
fn slow_start_counts_two_segments_and_stands_still_in_recovery() {
    let mut cubic = cubic(10);
    cubic.on_ack(&acked(8 * MSS));
    assert_eq!(cubic.window(), 12 * MSS);
    cubic.on_ack(&Ack { in_recovery: true, ..acked(2 * MSS) });
    assert_eq!(cubic.window(), 12 * MSS);
}

#[test]
fn a_restart_that_lowers_the_window_begins_a_new_stage() {
    let mut cubic = from_50_to_100();
    cubic.on_restart_after_idle(Instant::ZERO, 60 * MSS);
    assert_eq!(since_plateau(&cubic), Some(-5_000));
    cubic.on_restart_after_idle(Instant::ZERO, 10 * MSS);
    assert_eq!(sizes(&cubic), (10 * MSS, 50 * MSS));
    cubic.on_ack(&at(0, 2 * MSS, 100));
    assert_eq!(cubic.window(), 12 * MSS);
}

#[test]
fn the_curve_is_drawn_anew_in_segments_of_the_new_size() {
    let mut cubic = from_50_to_100();
    cubic.on_mss_change(500);
    cubic.on_ack(&at(0, 500, 0));
    // cbrt(100 / 0.4) = 6.2996 s
    assert_eq!((cubic.window(), since_plateau(&cubic)), (50_000, Some(-6_300)));
    cubic.on_mss_change(60_000);
    assert_eq!(cubic.window(), 60_000);
}

//! Startup and Drain (sections 5.3.1 and 5.3.2).

use super::*;

#[test]
fn it_starts_with_the_initial_window_paced_at_2_77_windows_a_round_trip() {
    let flow = Flow::new();
    assert_eq!((sizes(&flow.bbr), flow.state()), ((10 * MSS, u32::MAX), State::Startup));
    assert_eq!(flow.bbr.pacing_rate(), Some(500_000 * 277 / 100));
}

#[test]
fn without_a_round_trip_time_it_assumes_a_millisecond_until_there_is_one() {
    let mut flow = Flow::new();
    flow.bbr.on_start(&start(None));
    assert_eq!(flow.bbr.pacing_rate(), Some(10_000_000 * 277 / 100));
    flow.ack(Told { rate: 100_000, in_flight: 0, acked: MSS, ..ROUND });
    assert_eq!(flow.bbr.pacing_rate(), Some(500_000 * 277 / 100));
}

#[test]
fn startup_goes_on_while_the_bandwidth_grows_by_a_quarter_each_round() {
    let mut flow = Flow::new();
    let mut rate = 1_000_000;
    for _ in 0..10 {
        flow.ack(Told { rate, ..ROUND });
        rate = rate * 5 / 4 + 16;
    }
    assert_eq!((flow.state(), flow.bbr.full_bw_count), (State::Startup, 0));
}

#[test]
fn startup_paces_at_2_77_and_lets_two_bandwidth_delay_products_fly() {
    let mut flow = Flow::new();
    flow.rounds(3, Told { in_flight: 2 * BDP, ..ROUND });
    assert_eq!(flow.state(), State::Startup);
    assert!(flow.paces_at(277));
    // It grows by what is delivered until it has passed the target.
    assert_eq!(flow.bbr.window(), 10_000 + 3 * BDP);
}

#[test]
fn three_rounds_without_more_bandwidth_end_startup() {
    let mut flow = Flow::new();
    flow.rounds(3, Told { in_flight: 2 * BDP, ..ROUND });
    assert_eq!(flow.state(), State::Startup);
    flow.ack(Told { ends_round: false, in_flight: 2 * BDP, ..ROUND });
    assert_eq!(flow.state(), State::Startup, "the round goes on");
    flow.ack(Told { in_flight: 2 * BDP, ..ROUND });
    assert_eq!(flow.state(), State::Drain);
    assert!(flow.paces_at(50));
}

#[test]
fn rounds_that_the_application_limits_do_not_count() {
    let mut flow = Flow::new();
    flow.rounds(20, Told { app_limited: true, ..ROUND });
    assert_eq!(flow.state(), State::Startup);
}

#[test]
fn many_losses_in_a_round_end_startup_and_bound_the_flight() {
    let flow = Flow::losing_in_startup(4_001, 6);
    assert_eq!((flow.state(), flow.bbr.inflight_longterm), (State::Drain, BDP));
    assert_eq!(Flow::losing_in_startup(4_000, 6).state(), State::Startup, "2 % may be lost");
    assert_eq!(
        Flow::losing_in_startup(4_001, 5).state(),
        State::Startup,
        "fewer than six may be noise"
    );
}

/// Appendix A.2 of the draft: whether the application limits the samples does not matter.
#[test]
fn many_losses_end_startup_of_a_flow_that_the_application_limits() {
    let mut flow = Flow::new();
    flow.ack(Told { app_limited: true, ..ROUND });
    flow.bbr.on_congestion(&congestion(CongestionKind::FastRetransmit, BDP));
    (0..6).for_each(|_| flow.lose(MSS));
    let lost = 6 * MSS;
    let told = Told { lost, in_recovery: true, in_flight: 2 * BDP, ..ROUND };
    flow.ack(Told { app_limited: true, ..told });
    assert!(flow.bbr.is(Flag::FullBwNow) && flow.bbr.is(Flag::FullBwReached));
    assert_eq!(flow.state(), State::Drain);
}

/// Section 5.3.1.3 counts ranges of sequence numbers, however many one ack or timer finds.
#[test]
fn six_ranges_that_are_found_lost_at_once_end_startup() {
    let states = [5, 6].map(|ranges| {
        let mut flow = Flow::new();
        flow.ack(ROUND);
        flow.bbr.on_congestion(&congestion(CongestionKind::FastRetransmit, BDP));
        flow.lose_ranges(6 * MSS, ranges);
        let lost = 6 * MSS;
        flow.ack(Told { lost, in_recovery: true, in_flight: 2 * BDP, ..ROUND });
        flow.state()
    });
    assert_eq!(states, [State::Startup, State::Drain]);
}

#[test]
fn without_selective_acks_one_loss_ends_startup() {
    let mut flow = Flow::new();
    flow.bbr.on_start(&Start { selective_acks: false, ..start(None) });
    flow.ack(ROUND);
    flow.bbr.on_congestion(&congestion(CongestionKind::FastRetransmit, BDP));
    flow.lose(MSS);
    flow.ack(Told { in_recovery: true, in_flight: 2 * BDP, ends_round: false, ..ROUND });
    assert_eq!(flow.state(), State::Drain);
}

#[test]
fn drain_ends_when_one_bandwidth_delay_product_is_in_flight() {
    let mut flow = Flow::draining();
    flow.ack(Told { in_flight: BDP + 1, ..ROUND });
    assert_eq!(flow.state(), State::Drain);
    flow.ack(Told { in_flight: BDP, ends_round: false, ..ROUND });
    assert_eq!(flow.state(), State::ProbeBwCruise, "no queue is left that DOWN would drain");
}

#[test]
fn drain_ends_after_three_rounds_at_the_latest() {
    let mut flow = Flow::draining();
    flow.rounds(3, Told { in_flight: 2 * BDP, ..ROUND });
    assert_eq!(flow.state(), State::Drain);
    flow.ack(Told { in_flight: 2 * BDP, ..ROUND });
    assert_eq!(flow.state(), State::ProbeBwDown);
    assert!(flow.paces_at(90));
}

/// Three rounds that bring no more bandwidth end it, whatever was delivered under another law.
#[test]
fn rounds_are_counted_from_where_the_law_begins() {
    let states = [0, 1 << 31, u32::MAX - 1_000].map(|delivered| {
        let mut flow = Flow::after(delivered);
        (0..5).for_each(|_| flow.ack(ROUND));
        (flow.bbr.state, flow.bbr.rounds_since_probe_up)
    });
    assert_eq!(states, [states[0]; 3]);
    assert_ne!(states[0].0, State::Startup);
}

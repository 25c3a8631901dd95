//! ProbeBW: down, cruise, refill, up (section 5.3.3).

use super::*;

#[test]
fn it_cruises_when_no_queue_is_left() {
    let mut flow = Flow::down();
    flow.ack(Told { in_flight: BDP + 1, ..ROUND });
    assert_eq!(flow.state(), State::ProbeBwDown);
    flow.ack(ROUND);
    assert_eq!(flow.state(), State::ProbeBwCruise);
    assert!(flow.paces_at(100));
    assert_eq!(flow.bbr.window(), 2 * BDP + BDP);
}

#[test]
fn it_cruises_with_headroom_below_the_bound_on_the_flight() {
    let mut flow = Flow::down();
    flow.bbr.inflight_longterm = BDP;
    flow.ack(Told { in_flight: 170_001, ..ROUND });
    assert_eq!(flow.state(), State::ProbeBwDown);
    flow.ack(Told { in_flight: 170_000, ..ROUND });
    assert_eq!(flow.state(), State::ProbeBwCruise);
    flow.ack(ROUND);
    assert_eq!(flow.bbr.window(), 170_000);
}

/// Milliseconds from DOWN to REFILL on a path too long for Reno to fill in time.
fn probe_wait(random: u32) -> u64 {
    let mut flow = Flow::draining();
    flow.random = random;
    flow.ack(ROUND);
    let began = flow.now;
    flow.ack(ROUND);
    while flow.state() == State::ProbeBwCruise {
        flow.ack_after(1, Told { ends_round: false, acked: 0, ..ROUND });
    }
    assert_eq!(flow.state(), State::ProbeBwRefill);
    flow.now.saturating_since(began).as_millis()
}

#[test]
fn it_probes_again_after_two_to_three_seconds() {
    assert_eq!([0, u32::MAX / 2, u32::MAX].map(probe_wait), [2_001, 2_500, 3_000]);
}

/// Rounds from DOWN to REFILL.
fn probe_rounds(random: u32, rate: u64) -> u32 {
    let round = Told { rate, in_flight: 0, acked: MSS, ..ROUND };
    let mut flow = Flow::new();
    flow.rounds(4, Told { in_flight: 2 * BDP, ..round });
    flow.random = random;
    flow.ack(round);
    let mut rounds = 0;
    while flow.state() != State::ProbeBwRefill {
        flow.ack(round);
        rounds += 1;
    }
    rounds
}

#[test]
fn it_probes_as_often_as_reno_would_have_filled_the_path() {
    assert_eq!([0, 1].map(|random| probe_rounds(random, BANDWIDTH)), [63, 62]);
    // 20 segments fill a path of 1 MB/s.
    assert_eq!([0, 1].map(|random| probe_rounds(random, 1_000_000)), [20, 19]);
}

#[test]
fn a_round_of_refilling_comes_before_the_probe() {
    let mut flow = Flow::refilling();
    assert!(flow.paces_at(100));
    flow.ack(Told { ends_round: false, ..ROUND });
    assert_eq!(flow.state(), State::ProbeBwRefill);
    flow.ack(ROUND);
    assert_eq!(flow.state(), State::ProbeBwUp);
    assert!(flow.paces_at(125));
    flow.rounds(1, ROUND);
    assert_eq!(flow.bbr.window(), BDP * 9 / 4 + 2 * MSS + BDP);
}

#[test]
fn a_probe_ends_when_three_rounds_have_found_no_more() {
    let mut flow = Flow::up();
    flow.rounds(2, ROUND);
    assert_eq!(flow.state(), State::ProbeBwUp);
    flow.ack(ROUND);
    assert_eq!(flow.state(), State::ProbeBwDown);
    assert!(!flow.bbr.is(Flag::PrevProbeTooHigh));
}

#[test]
fn a_probe_that_finds_more_bandwidth_goes_on() {
    let mut flow = Flow::up();
    let mut rate = BANDWIDTH;
    for _ in 0..4 {
        rate = rate * 3 / 2;
        flow.ack(Told { rate, ..ROUND });
        assert_eq!(flow.state(), State::ProbeBwUp);
    }
    assert_eq!(flow.bbr.max_bw(), Rate::new(rate));
}

#[test]
fn a_probe_that_loses_more_than_two_percent_was_too_high() {
    let mut flow = Flow::up();
    flow.lose(4_000);
    assert_eq!(flow.state(), State::ProbeBwUp);
    flow.lose(4_001);
    assert_eq!(flow.state(), State::ProbeBwDown);
    // Of 195,999 bytes before them 2 % may have been lost, 3,919 of 3,999.
    assert_eq!(flow.bbr.inflight_longterm, 195_999 + 195_999 * 2 / 98);
    assert!(flow.bbr.is(Flag::PrevProbeTooHigh));
    let bound = flow.bbr.inflight_longterm;
    flow.lose(50_000);
    assert_eq!(flow.bbr.inflight_longterm, bound, "one reaction to each probe");
}

#[test]
fn the_bound_on_the_flight_never_falls_by_more_than_cubics_share() {
    let mut flow = Flow::up();
    flow.bbr.on_loss(&Loss {
        now: flow.now,
        bytes: 20_000,
        flight_when_sent: 50_000,
        lost_since_sent: 20_000,
        total_delivered: flow.delivered,
        ..Loss::default()
    });
    assert_eq!(flow.bbr.inflight_longterm, BDP * 7 / 10);
}

/// After a probe that was too high the next one.
fn probing_after_too_high() -> Flow {
    let mut flow = Flow::up();
    flow.lose(4_001);
    flow.ack(Told { in_flight: 150_000, ..ROUND });
    flow.ack_after(2_001, Told { in_flight: 150_000, tx_in_flight: 150_000, ..ROUND });
    assert_eq!(flow.state(), State::ProbeBwRefill);
    flow.ack(Told { in_flight: 150_000, tx_in_flight: 150_000, ..ROUND });
    assert_eq!(flow.state(), State::ProbeBwUp);
    flow
}

#[test]
fn the_probe_after_one_that_was_too_high_only_touches_the_bound() {
    let mut flow = probing_after_too_high();
    let bound = flow.bbr.inflight_longterm;
    flow.ack(Told { in_flight: bound - 1, tx_in_flight: 150_000, ends_round: false, ..ROUND });
    assert_eq!(flow.state(), State::ProbeBwUp);
    flow.ack(Told { in_flight: bound, tx_in_flight: 150_000, ends_round: false, ..ROUND });
    assert_eq!(flow.state(), State::ProbeBwDown);
    // Its feedback is good: at once another probe, which persists.
    flow.ack(ROUND);
    assert_eq!(flow.state(), State::ProbeBwRefill);
    flow.ack(ROUND);
    flow.ack(Told { in_flight: 2 * BDP, ..ROUND });
    assert_eq!(flow.state(), State::ProbeBwUp);
}

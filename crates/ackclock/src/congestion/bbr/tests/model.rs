//! What is believed of the path (section 5.5).

use super::*;

#[test]
fn a_safe_flight_raises_the_bound() {
    let mut flow = Flow::cruising();
    flow.bbr.inflight_longterm = 150_000;
    flow.ack(Told { tx_in_flight: 160_000, lost: 3_200, ..ROUND });
    assert_eq!(flow.bbr.inflight_longterm, 160_000);
    flow.ack(Told { tx_in_flight: 170_000, lost: 3_401, ..ROUND });
    assert_eq!(flow.bbr.inflight_longterm, 160_000, "too much was lost of it");
}

#[test]
fn a_flight_that_fills_the_bound_raises_it_faster_in_each_round() {
    let mut flow = Flow::up();
    flow.bbr.inflight_longterm = 100_000;
    let mut raised = std::vec::Vec::new();
    for _ in 0..5 {
        let before = flow.bbr.inflight_longterm;
        flow.bbr.cwnd = before;
        flow.bbr.on_sent(&Sent {
            now: flow.now,
            bytes: MSS,
            in_flight: before,
            app_limited: false,
        });
        let acked = before;
        flow.ack(Told { tx_in_flight: 90_000, acked, in_flight: before, ..ROUND });
        raised.push((flow.bbr.inflight_longterm - before) / MSS);
        flow.ack(Told { tx_in_flight: 90_000, acked: 0, ends_round: false, ..ROUND });
        assert_eq!(flow.state(), State::ProbeBwUp, "the bound limits the bandwidth");
    }
    assert_eq!(raised, [1, 2, 4, 8, 16]);
}

#[test]
fn losses_while_cruising_make_it_follow_what_is_delivered() {
    let mut flow = Flow::cruising();
    flow.lose(1_000);
    let slower = Told { rate: 9_500_000, ..ROUND };
    flow.ack(slower);
    // The round of the loss ends; 9.5 MB/s and 190,000 bytes were delivered, and more before it.
    assert_eq!(flow.bbr.bw(), Rate::new(BANDWIDTH));
    flow.lose(1_000);
    flow.ack(slower);
    assert_eq!(flow.bbr.bw(), Rate::new(9_500_000));
    assert_eq!(flow.bbr.inflight_shortterm, 294_000, "70 % of 70 %");
    assert_eq!(flow.bbr.window(), 294_000);
    flow.lose(1_000);
    flow.ack(Told { rate: 2_000_000, ..ROUND });
    flow.lose(1_000);
    flow.ack(Told { rate: 2_000_000, ..ROUND });
    assert_eq!(flow.bbr.bw(), Rate::new(9_500_000).percent(70));
}

#[test]
fn a_round_without_losses_changes_nothing_and_refilling_forgets_them() {
    let mut flow = Flow::cruising();
    (0..2).for_each(|_| {
        flow.lose(1_000);
        flow.ack(Told { rate: 9_000_000, ..ROUND });
    });
    assert_eq!(flow.bbr.bw(), Rate::new(9_000_000));
    flow.rounds(3, Told { rate: 8_000_000, ..ROUND });
    assert_eq!(flow.bbr.bw(), Rate::new(9_000_000));
    flow.ack_after(2_000, ROUND);
    assert_eq!((flow.state(), flow.bbr.bw()), (State::ProbeBwRefill, Rate::new(BANDWIDTH)));
    assert_eq!(flow.bbr.inflight_shortterm, INFINITY);
}

#[test]
fn losses_while_probing_do_not_slow_it_down() {
    let mut flow = Flow::refilling();
    flow.lose(1_000);
    flow.ack(Told { rate: 5_000_000, ..ROUND });
    flow.lose(1_000);
    flow.ack(Told { rate: 5_000_000, ..ROUND });
    assert_eq!(flow.bbr.bw(), Rate::new(BANDWIDTH));
}

#[test]
fn a_lower_bandwidth_is_believed_when_a_whole_cycle_has_measured_it() {
    let mut flow = Flow::cruising();
    let slow = Told { rate: 5_000_000, in_flight: 50_000, ..ROUND };
    let mut cycles = 0;
    while flow.bbr.max_bw() > Rate::new(5_000_000) {
        let before = flow.state();
        flow.ack_after(100, slow);
        cycles += u32::from(before == State::ProbeBwUp && flow.state() == State::ProbeBwDown);
        assert!(cycles < 5);
    }
    assert_eq!(cycles, 1);
}

#[test]
fn samples_that_the_application_limits_can_only_raise_the_bandwidth() {
    let mut flow = Flow::cruising();
    let limited = Told { app_limited: true, ..ROUND };
    flow.ack(Told { rate: 5_000_000, ..limited });
    assert_eq!(flow.bbr.max_bw(), Rate::new(BANDWIDTH));
    flow.ack(Told { rate: 20_000_000, ..limited });
    assert_eq!(flow.bbr.max_bw(), Rate::new(20_000_000));
}

#[test]
fn acks_that_come_in_batches_open_the_window_by_what_comes_at_once() {
    let mut flow = Flow::cruising();
    flow.rounds(12, ROUND);
    // 100 KB more than 10 MB/s deliver in 20 ms.
    flow.ack(Told { acked: BDP + 100_000, ..ROUND });
    assert_eq!(flow.bbr.extra_acked(), 300_000);
    flow.ack(ROUND);
    assert_eq!(flow.bbr.max_inflight(), 2 * BDP + 300_000);
    flow.rounds(12, Told { acked: 0, ..ROUND });
    assert_eq!(flow.bbr.extra_acked(), 0, "forgotten after ten rounds");
}

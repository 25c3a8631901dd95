//! Congestion that was none, and congestion marks (section 5.5.11).

use super::*;

#[test]
fn leaving_startup_for_losses_that_were_none_is_undone() {
    let mut flow = Flow::losing_in_startup(4_001, 6);
    assert_eq!(flow.state(), State::Drain);
    flow.bbr.on_undo(flow.now);
    assert_eq!((flow.state(), flow.bbr.inflight_longterm), (State::Startup, INFINITY));
    assert!(!flow.bbr.is(Flag::FullBwReached));
}

#[test]
fn a_probe_that_ended_for_losses_that_were_none_begins_anew() {
    let mut flow = Flow::up();
    flow.bbr.on_congestion(&congestion(CongestionKind::FastRetransmit, BDP));
    flow.lose(4_001);
    assert_eq!(flow.state(), State::ProbeBwDown);
    flow.bbr.on_undo(flow.now);
    assert_eq!((flow.state(), flow.bbr.inflight_longterm), (State::ProbeBwRefill, INFINITY));
    flow.ack(ROUND);
    assert_eq!(flow.state(), State::ProbeBwRefill, "a whole round of refilling");
    flow.ack(ROUND);
    assert_eq!(flow.state(), State::ProbeBwUp);
}

#[test]
fn what_false_losses_took_from_the_short_term_model_is_undone() {
    let mut flow = Flow::cruising();
    flow.bbr.on_congestion(&congestion(CongestionKind::FastRetransmit, BDP));
    flow.lose(1_000);
    flow.ack(Told { rate: 9_000_000, in_recovery: true, ..ROUND });
    flow.bbr.bw_shortterm = Rate::new(7_000_000);
    flow.bbr.on_undo(flow.now);
    assert_eq!(flow.bbr.bw_shortterm, Rate::INFINITY);
}

#[test]
fn a_congestion_mark_ends_startup_and_a_probe() {
    let mut starting = Flow::new();
    starting.ack(ROUND);
    starting.bbr.on_congestion(&congestion(CongestionKind::Ecn, BDP));
    starting.ack(Told { in_flight: 2 * BDP, ..ROUND });
    assert_eq!(starting.state(), State::Drain);

    let mut probing = Flow::up();
    probing.bbr.on_congestion(&congestion(CongestionKind::Ecn, BDP));
    probing.ack(Told { tx_in_flight: 220_000, in_flight: 240_000, ..ROUND });
    assert_eq!(probing.state(), State::ProbeBwDown);
    assert_eq!(probing.bbr.inflight_longterm, 220_000);
}

#[test]
fn a_congestion_mark_while_cruising_counts_as_a_loss() {
    let mut flow = Flow::cruising();
    for _ in 0..2 {
        flow.bbr.on_congestion(&congestion(CongestionKind::Ecn, BDP));
        flow.ack(Told { rate: 9_000_000, ends_round: true, ..ROUND });
        flow.ack(Told { rate: 9_000_000, ..ROUND });
    }
    assert_eq!(flow.bbr.bw(), Rate::new(9_000_000));
}

//! The least round-trip time, ProbeRTT and restarts from idle (sections 5.3.4, 5.4 and 5.5.7).

use super::*;

/// Cruising, with acks of a longer round-trip time until ProbeRTT begins; how long that took.
fn until_probe_rtt(flow: &mut Flow) -> u64 {
    let began = flow.now;
    while flow.state() != State::ProbeRtt {
        flow.ack(Told { rtt_millis: 25, ..ROUND });
    }
    flow.now.saturating_since(began).as_millis()
}

#[test]
fn five_seconds_without_a_shorter_round_trip_begin_probe_rtt() {
    let mut flow = Flow::cruising();
    flow.ack(ROUND);
    // The first sample of 20 ms was taken with the first ack.
    let since = flow.now.saturating_since(Instant::from_millis(10_020)).as_millis();
    assert_eq!(since + until_probe_rtt(&mut flow), 5_020);
    assert!(flow.bbr.limits_itself());
    assert_eq!(flow.bbr.window(), BDP / 2);
}

#[test]
fn a_shorter_round_trip_puts_probe_rtt_off() {
    let mut flow = Flow::cruising();
    flow.ack_after(4_000, Told { rtt_millis: 19, ..ROUND });
    assert_eq!(until_probe_rtt(&mut flow), 5_020);
    assert_eq!(flow.bbr.min_rtt, 19_000);
}

#[test]
fn probe_rtt_holds_half_the_flight_for_200_ms_and_a_round() {
    let mut flow = Flow::cruising();
    until_probe_rtt(&mut flow);
    let window_before = flow.bbr.prior_cwnd;
    flow.ack_after(10, Told { in_flight: BDP / 2 + 1, ..ROUND });
    assert_eq!(flow.bbr.probe_rtt_phase, ProbeRttPhase::Draining);
    let small = Told { in_flight: BDP / 2, acked: BDP / 2, ..ROUND };
    flow.ack_after(10, small);
    flow.ack_after(200, small);
    assert_eq!(flow.state(), State::ProbeRtt, "exactly 200 ms");
    flow.ack_after(1, Told { ends_round: false, ..small });
    assert_eq!(flow.state(), State::ProbeBwCruise);
    assert!(!flow.bbr.limits_itself());
    assert_eq!(flow.bbr.window(), window_before);
}

#[test]
fn probe_rtt_holds_for_a_round_that_takes_longer() {
    let mut flow = Flow::cruising();
    until_probe_rtt(&mut flow);
    let small = Told { in_flight: BDP / 2, acked: BDP / 2, ..ROUND };
    flow.ack(small);
    flow.ack_after(300, Told { ends_round: false, ..small });
    assert_eq!(flow.state(), State::ProbeRtt);
    flow.ack(small);
    assert_eq!(flow.state(), State::ProbeBwCruise);
}

#[test]
fn probe_rtt_returns_to_startup_if_the_pipe_was_never_full() {
    let mut flow = Flow::new();
    let limited = Told { app_limited: true, in_flight: 2_000, ..ROUND };
    until_probe_rtt_of(&mut flow, limited);
    flow.rounds(13, limited);
    assert_eq!(flow.state(), State::Startup);
}

fn until_probe_rtt_of(flow: &mut Flow, told: Told) {
    while flow.state() != State::ProbeRtt {
        flow.ack(Told { rtt_millis: 30, ..told });
    }
}

#[test]
fn a_round_trip_time_is_believed_for_ten_seconds() {
    let mut flow = Flow::cruising();
    let longer = Told { rtt_millis: 30, in_flight: BDP / 2, ..ROUND };
    let mut min_rtts = std::vec::Vec::new();
    while flow.now < Instant::from_millis(21_000) {
        flow.ack(longer);
        min_rtts.push((flow.now.as_millis(), flow.bbr.min_rtt));
    }
    let changed = min_rtts.iter().find(|(_, rtt)| *rtt == 30_000);
    assert_eq!(changed, Some(&(20_020, 30_000)), "the handshake was at 10,000 ms");
}

#[test]
fn an_idle_time_makes_it_pace_at_the_bandwidth_and_counts_as_probe_rtt() {
    let mut flow = Flow::up();
    assert!(flow.paces_at(125));
    flow.now += Duration::from_secs(60);
    flow.bbr.on_sent(&Sent { now: flow.now, bytes: MSS, in_flight: MSS, app_limited: true });
    assert!(flow.paces_at(100));
    flow.ack(Told { rtt_millis: 25, app_limited: true, in_flight: 0, acked: 0, ..ROUND });
    assert_ne!(flow.state(), State::ProbeRtt);
    assert_eq!(flow.bbr.window(), BDP * 9 / 4 + 2 * MSS + BDP, "the window stays");
}

#[test]
fn data_that_waits_for_the_window_is_no_restart() {
    let mut flow = Flow::up();
    flow.bbr.on_sent(&Sent { now: flow.now, bytes: MSS, in_flight: MSS, app_limited: false });
    flow.bbr.on_sent(&Sent { now: flow.now, bytes: MSS, in_flight: BDP, app_limited: true });
    assert!(flow.paces_at(125));
}

#[test]
fn an_idle_time_in_probe_rtt_ends_it() {
    let mut flow = Flow::cruising();
    until_probe_rtt(&mut flow);
    flow.ack(Told { in_flight: 0, ..ROUND });
    flow.now += Duration::from_secs(1);
    flow.bbr.on_sent(&Sent { now: flow.now, bytes: MSS, in_flight: MSS, app_limited: true });
    assert_eq!((flow.state(), flow.bbr.window()), (State::ProbeBwCruise, 3 * BDP));
}

/// RFC 5681 section 3.1: one segment, although nothing is in flight when everything is taken for lost.
#[test]
fn a_timeout_in_probe_rtt_is_no_idle_time() {
    let mut flow = Flow::cruising();
    until_probe_rtt(&mut flow);
    flow.ack(Told { in_flight: 0, ..ROUND });
    flow.now += Duration::from_secs(1);
    flow.bbr.on_congestion(&congestion(CongestionKind::Timeout, BDP));
    flow.bbr.on_sent(&Sent { now: flow.now, bytes: MSS, in_flight: MSS, app_limited: true });
    assert_eq!((flow.state(), flow.bbr.window()), (State::ProbeRtt, MSS));
}

/// What a timeout has taken is not given back because ProbeRTT is over (RFC 5681 section 3.1), but when what was lost is
/// repaired. A fast recovery has taken nothing.
#[test]
fn probe_rtt_that_ends_in_a_recovery_gives_back_what_it_has_taken_itself() {
    for (kind, left) in
        [(CongestionKind::FastRetransmit, None), (CongestionKind::Timeout, Some(5 * MSS))]
    {
        let mut flow = Flow::cruising();
        until_probe_rtt(&mut flow);
        let before = flow.bbr.prior_cwnd;
        flow.bbr.on_congestion(&congestion(kind, BDP));
        let repair = Told { in_flight: MSS, acked: MSS, in_recovery: true, ..ROUND };
        flow.ack(repair);
        flow.ack_after(201, repair);
        let window = left.unwrap_or(before);
        assert_eq!((flow.state(), flow.bbr.window()), (State::ProbeBwCruise, window), "{kind:?}");
        flow.ack(Told { in_flight: MSS, acked: MSS, ..ROUND });
        assert_eq!(flow.bbr.window(), before, "{kind:?}");
    }
}

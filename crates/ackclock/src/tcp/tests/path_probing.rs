//! Probes of the path's MTU (RFC 4821), as far as no packet script tells.

use super::*;

/// Segments of 700 bytes at first, on a path that may take 1,000.
fn probing() -> Config {
    Config { mtu_probing: MtuProbing::Always, base_mss: 700, ..config() }
}

/// A connection that has sent a probe of 1,000 bytes and nothing else yet.
fn probed(config: Config) -> Test {
    let mut test = Test::established(config);
    test.queue(0, 3_100);
    let probe = test.connection.poll_transmit(test.now, 0).expect("a probe");
    assert_eq!((probe.len, probe.segment_size), (1_000, 0));
    test.connection.on_transmitted(test.now, &probe);
    test
}

fn search(test: &Test) -> (u32, u32) {
    let search = test.info().path_search.expect("it searches");
    (search.probes_sent, search.probes_lost)
}

/// All that was sent but the probe has arrived, or nothing else was sent.
#[test]
fn a_timeout_for_a_probe_alone_is_no_congestion() {
    let mut test = probed(probing());
    let window = test.info().cwnd;
    test.wait(200);
    test.connection.on_timeout(test.now);
    assert_eq!(test.data(), [(0, 700), (700, 300), (1_000, 700), (1_700, 700), (2_400, 700)]);
    let info = test.info();
    assert_eq!((info.cwnd, info.ssthresh, info.timeouts), (window, u32::MAX, 0));
    assert_eq!((search(&test), info.mss), ((1, 1), 700));
}

/// RFC 4821 section 7.6.3.
#[test]
fn a_timeout_for_a_probe_and_perhaps_for_more_is_congestion() {
    let mut test = probed(probing());
    assert_eq!(test.data().len(), 3);
    test.wait(200);
    test.connection.on_timeout(test.now);
    assert_eq!(test.data(), [(0, 700)]);
    let info = test.info();
    assert_eq!((info.cwnd, info.timeouts, search(&test)), (700, 1, (1, 1)));
}

/// The ack says it, and not only the next segment that the general road sends: what a timeout makes of the window
/// before that is a matter of the MSS.
#[test]
fn an_ack_of_a_probe_makes_segments_longer_whether_or_not_any_is_to_be_sent() {
    let mut test = probed(probing());
    assert_eq!(test.data().len(), 3);
    test.wait(10);
    test.acks(1_000);
    assert_eq!(test.info().mss, 1_000);
}

/// A link that cuts gets a probe in one segment all the same, and what follows in large pieces.
#[test]
fn a_link_that_segments_does_not_cut_a_probe() {
    let mut test = Test::established(probing());
    test.queue(0, 3_100);
    let mut sent = Vec::new();
    while let Some(outgoing) = test.connection.poll_transmit(test.now, 65_535) {
        test.connection.on_transmitted(test.now, &outgoing);
        sent.push((outgoing.len, outgoing.segment_size));
    }
    assert_eq!(sent, [(1_000, 0), (2_100, 700)]);
    test.wait(10);
    test.acks(3_100);
    test.queue(3_100, 4_100);
    assert_eq!((test.data(), test.info().mss), ([(3_100, 1_000)].into(), 1_000));
}

/// RFC 4821 section 7.4: with pacing a probe waits for its time as any segment does.
#[test]
fn a_probe_is_paced() {
    let mut test = Test::established(Config { pacing: Pacing::Always, ..probing() });
    test.queue(0, 700);
    assert_eq!(test.data(), [(0, 700)]);
    test.wait(10);
    test.acks(700);
    test.queue(700, 2_100);
    assert_eq!(test.data(), [(700, 700), (1_400, 700)], "a quantum");
    test.queue(2_100, 8_000);
    assert_eq!(test.data(), [], "it is spent");
    let later = test.data_within(1);
    assert_eq!(later.first().map(|&(_, at, len)| (at, len)), Some((2_100, 1_000)), "{later:?}");
    assert!(later.iter().all(|&(at, ..)| at > 0), "{later:?}");
}

/// A closed window throws a probe away, as all else.
#[test]
fn a_probe_that_goes_again_for_another_reason_tells_nothing() {
    let mut test = probed(probing());
    test.peer_window = 0;
    test.acks(0);
    test.run(1_000);
    test.peer_window = 60_000;
    test.acks(0);
    let again = test.data();
    assert!(again.iter().all(|&(_, len)| len <= 1_000), "{again:?}");
    test.acks(1_000);
    test.data();
    assert_eq!((search(&test).1, test.info().mss), (0, 700));
}

#[test]
fn a_connection_that_may_not_probe_keeps_nothing_for_it() {
    let mut test = Test::established(config());
    test.queue(0, 5_000);
    assert_eq!(test.data()[0], (0, 1_000));
    assert_eq!(test.info().path_search, None);
    assert!(test.connection.seldom.get().is_none());
}

/// Before a black hole was found all is as without probes.
#[test]
fn a_probe_goes_after_a_black_hole_only_where_that_was_asked_for() {
    let mut test =
        Test::established(Config { mtu_probing: MtuProbing::AfterBlackHole, ..probing() });
    test.queue(0, 5_000);
    assert_eq!(test.data()[0], (0, 1_000));
    let search = test.info().path_search.expect("it may search");
    assert_eq!((search.stage, search.probes_sent), (SearchStage::Waiting, 0));
}

/// New data that waits for the windows to take a probe goes as a tail loss probe, one segment of it.
#[test]
fn behind_a_tail_loss_probe_data_waits_for_a_path_probe_as_before() {
    let mut test =
        Test::established(Config { mtu_probing: MtuProbing::Always, base_mss: 700, ..rack() });
    test.queue(0, 700);
    assert_eq!(test.data(), [(0, 700)]);
    test.wait(10);
    test.peer_window = 4_000;
    test.acks(700);
    test.queue(700, 2_100);
    assert_eq!(test.data(), [(700, 700), (1_400, 700)]);
    test.queue(2_100, 8_000);
    assert_eq!(test.data(), [], "it gathers");
    test.wait(20);
    test.connection.on_timeout(test.now);
    let probe = test.connection.poll_transmit(test.now, 0).expect("a tail loss probe");
    test.connection.on_transmitted(test.now, &probe);
    assert_eq!((probe.len, test.info().tail_probes), (700, 1));
    assert_eq!(test.connection.repeats(test.now, &probe), 0);
    assert_eq!(test.data(), []);
}

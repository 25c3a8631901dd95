//! Prague where marks are counted, and where they are not.

use super::*;
use crate::congestion::tests::{acked, congestion, sizes, start};
use crate::congestion::{Ack, Congestion, CongestionKind, Marks, Start};
use crate::time::{Duration, Instant};

const MSS: u32 = 1_000;

/// A connection with that round-trip time.
struct Flow {
    law: Prague,
    now: Instant,
    rtt: Duration,
}

impl Flow {
    fn new(rtt_millis: u64) -> Self {
        let mut law = Prague::default();
        law.on_start(&start(MSS, 10 * MSS));
        Flow { law, now: Instant::from_secs(1), rtt: Duration::from_millis(rtt_millis) }
    }

    /// An ack of so many bytes, so many of them marked.
    fn ack(&mut self, bytes: u32, marked: u32) {
        let (now, smoothed_rtt) = (self.now, self.rtt);
        self.law.on_marks(&Marks { packets: marked.div_ceil(MSS), bytes: marked });
        let told = Ack { bytes_delivered: bytes, ..acked(bytes) };
        self.law.on_ack(&Ack { now, smoothed_rtt, ..told });
    }

    fn loses(&mut self, kind: CongestionKind, flight: u32) {
        self.law.on_congestion(&Congestion::new(self.now, kind, flight));
    }

    /// So many round trips pass in which nothing is told.
    fn rounds(&mut self, rounds: u32) {
        for _ in 0..rounds {
            let (now, smoothed_rtt, new_round) = (self.now, self.rtt, true);
            self.law.on_ack(&Ack { now, smoothed_rtt, new_round, ..Ack::default() });
        }
    }
}

#[test]
fn where_marks_are_not_counted_it_is_cubic() {
    let mut law = Prague::default();
    let mut cubic = Cubic::default();
    let classic = Start { counts_marks: false, ..start(MSS, 20 * MSS) };
    law.on_start(&classic);
    cubic.on_start(&classic);
    assert_eq!((law.name(), law.wants_l4s(), law.counts_marks()), ("prague", false, false));
    assert_eq!(law.pacing_rate(), None);
    for kind in [CongestionKind::Ecn, CongestionKind::FastRetransmit] {
        law.on_congestion(&congestion(kind, 20 * MSS));
        cubic.on_congestion(&congestion(kind, 20 * MSS));
        assert_eq!(sizes(&law), sizes(&cubic));
    }
    // RFC 8511: 85 % for a mark, then 70 % of 20 segments are more than the window.
    assert_eq!(law.window(), 14 * MSS);
}

#[test]
fn the_first_mark_ends_slow_start_with_half_of_the_window() {
    let mut flow = Flow::new(20);
    assert!(flow.law.wants_l4s() && flow.law.counts_marks());
    flow.ack(2 * MSS, 0);
    assert_eq!(sizes(&flow.law), (12 * MSS, u32::MAX));
    flow.ack(2 * MSS, MSS);
    assert_eq!(sizes(&flow.law), (6 * MSS, 6 * MSS));
}

#[test]
fn marks_of_one_round_trip_are_answered_once() {
    let mut flow = Flow::new(20);
    flow.ack(MSS, MSS);
    let reduced = flow.law.window();
    assert_eq!(reduced, 5 * MSS);
    flow.now += Duration::from_micros(19_999);
    flow.ack(MSS, MSS);
    assert_eq!(flow.law.window(), reduced);
    flow.now += Duration::from_micros(1);
    // All of the round trip was marked, so alpha is still one.
    flow.ack(MSS, MSS);
    assert_eq!(flow.law.window(), reduced / 2);
}

#[test]
fn alpha_halved_is_given_up() {
    let mut flow = Flow::new(20);
    flow.ack(MSS, MSS);
    flow.now += flow.rtt;
    // A quarter of the bytes: alpha is 61/64 then, and 5000 (1 - 61/128) = 2617.2.
    flow.ack(2 * MSS, MSS / 2);
    assert_eq!(flow.law.window(), 2_618);
}

#[test]
fn the_window_is_never_below_two_segments_for_marks() {
    let mut flow = Flow::new(20);
    for _ in 0..20 {
        flow.ack(MSS, MSS);
        flow.now += flow.rtt;
    }
    assert_eq!(flow.law.window(), 2 * MSS);
    // Nor does a mark open one that is.
    flow.loses(CongestionKind::Timeout, 2 * MSS);
    flow.now += flow.rtt;
    flow.ack(MSS, MSS);
    assert_eq!(flow.law.window(), MSS);
}

#[test]
fn only_what_is_unmarked_opens_the_window() {
    let mut flow = Flow::new(20);
    flow.ack(MSS, MSS);
    assert_eq!(flow.law.window(), 5 * MSS);
    // Within the round trip of that mark: six of seven segments are credit, one more than a window.
    flow.ack(7 * MSS, 3 * MSS);
    assert_eq!(flow.law.window(), 5 * MSS);
    flow.ack(MSS, 0);
    assert_eq!(flow.law.window(), 6 * MSS);
}

#[test]
fn a_reduction_for_marks_leaves_the_credit() {
    let mut flow = Flow::new(20);
    flow.ack(MSS, MSS);
    flow.ack(4 * MSS, 0);
    flow.now += flow.rtt;
    flow.ack(0, 0);
    // Nothing was marked since the mark: alpha is 15/16, and 5000 (1 - 15/32) = 2656.25. The credit of four
    // segments pays for one, though the ack itself brings none.
    flow.ack(MSS, MSS);
    assert_eq!(flow.law.window(), 2_657 + MSS);
}

#[test]
fn a_loss_takes_half_as_with_reno() {
    let mut flow = Flow::new(20);
    flow.loses(CongestionKind::FastRetransmit, 10 * MSS);
    assert_eq!(sizes(&flow.law), (5 * MSS, 5 * MSS));
    flow.law.on_undo(flow.now);
    assert_eq!(sizes(&flow.law), (10 * MSS, u32::MAX));
    flow.loses(CongestionKind::Timeout, 8 * MSS);
    assert_eq!(sizes(&flow.law), (MSS, 4 * MSS));
}

#[test]
fn a_loss_and_a_mark_of_one_round_trip_take_no_more_than_half() {
    let mut flow = Flow::new(20);
    flow.ack(MSS, MSS);
    assert_eq!(flow.law.window(), 5 * MSS);
    flow.loses(CongestionKind::FastRetransmit, 9 * MSS);
    assert_eq!(flow.law.window(), 5 * MSS);
    // The other way round too, and a flight that is not of the window counts as it is.
    flow.ack(MSS, MSS);
    assert_eq!(flow.law.window(), 5 * MSS);
    flow.loses(CongestionKind::FastRetransmit, 5 * MSS);
    assert_eq!(flow.law.window(), 2_500);
}

#[test]
fn an_undo_does_not_take_back_what_was_given_up_for_marks() {
    let mut flow = Flow::new(20);
    flow.loses(CongestionKind::FastRetransmit, 10 * MSS);
    flow.now += flow.rtt;
    flow.ack(MSS, MSS);
    assert_eq!(flow.law.window(), 2_500);
    flow.law.on_undo(flow.now);
    assert_eq!(flow.law.window(), 7_500);
}

/// RFC 9331 section 4.3 item 3: a queue that every packet of a round trip has waited in for more than 5 ms does not
/// mark for L4S.
#[test]
fn a_mark_of_a_longer_queue_is_answered_as_reno_does_at_least() {
    let left = |rtts: [u64; 3], marked_before: bool| {
        let mut flow = Flow::new(20);
        let min_rtt = Duration::from_millis(20);
        if marked_before {
            flow.ack(MSS, MSS);
            // Round trips without a mark leave little of alpha, and bring a segment.
            for _ in 0..62 {
                flow.now += flow.rtt;
                flow.ack(1, 0);
            }
            flow.ack(6 * MSS, 0);
        }
        for rtt in rtts {
            flow.now += flow.rtt;
            let (now, smoothed_rtt, rtt) = (flow.now, flow.rtt, Some(Duration::from_millis(rtt)));
            flow.law.on_ack(&Ack { now, smoothed_rtt, rtt, min_rtt, ..Ack::default() });
        }
        let before = flow.law.window();
        let (now, smoothed_rtt) = (flow.now, flow.rtt);
        flow.law.on_marks(&Marks { packets: 1, bytes: 0 });
        flow.law.on_ack(&Ack { now, smoothed_rtt, min_rtt, ..Ack::default() });
        (before, flow.law.window())
    };
    // Alpha is (15/16)^63 = 0.01715, 6000 / 2 of which are 51.
    assert_eq!(left([25, 25, 25], true), (6_000, 5_949));
    assert_eq!(left([25, 26, 26], true), (6_000, 4_800));
    assert_eq!(left([26, 26, 25], true), (6_000, 5_949), "not of the whole last one");
    assert_eq!(left([26, 26, 26], false), (10_000, 5_000), "the first mark takes more");
}

/// Section 2.4.4: at its own pace for 500 round trips.
#[test]
fn a_short_round_trip_counts_as_25_ms_once_a_connection_is_old() {
    let answered = |rtt_millis, rounds| {
        let mut flow = Flow::new(rtt_millis);
        flow.ack(0, 0);
        flow.rounds(rounds);
        flow.ack(MSS, MSS);
        let first = flow.law.window();
        flow.now += Duration::from_micros(24_999);
        flow.ack(MSS, MSS);
        let second = flow.law.window() < first;
        flow.now += Duration::from_micros(1);
        flow.ack(MSS, MSS);
        (second, flow.law.window() < first)
    };
    assert_eq!(answered(5, 499), (true, true));
    assert_eq!(answered(5, 500), (false, true));
    assert_eq!(answered(24, 500), (false, true));
    assert_eq!(answered(26, 500), (false, false), "a longer one counts as it is");
}

#[test]
fn the_window_grows_by_the_square_of_the_ratio_of_round_trips() {
    let acks_for_a_segment = |rtt_millis, rounds| {
        let mut flow = Flow::new(rtt_millis);
        flow.ack(0, 0);
        flow.rounds(rounds);
        flow.ack(MSS, MSS);
        (1..).find(|_| {
            flow.ack(MSS, 0);
            flow.law.window() > 5 * MSS
        })
    };
    assert_eq!(acks_for_a_segment(5, 0), Some(5));
    // (5 ms / 25 ms)^2 of a segment for each of them.
    assert_eq!(acks_for_a_segment(5, 500), Some(5 * 25));
    assert_eq!(acks_for_a_segment(100, 500), Some(5));
}

#[test]
fn it_paces_a_window_in_a_round_trip_and_two_far_from_the_end_of_slow_start() {
    let mut flow = Flow::new(20);
    assert_eq!(flow.law.pacing_rate(), None);
    flow.ack(0, 0);
    // 10,000 bytes in 20 ms, twice; a quantum is what goes in 250 us.
    assert_eq!((flow.law.pacing_rate(), flow.law.send_quantum()), (Some(1_000_000), Some(250)));
    flow.loses(CongestionKind::FastRetransmit, 10 * MSS);
    assert_eq!(flow.law.pacing_rate(), Some(250_000));
}

#[test]
fn the_handshake_gives_a_rate_to_begin_with() {
    let mut law = Prague::new();
    let rtt = Some(Duration::from_millis(10));
    law.on_start(&Start { rtt, ..start(MSS, 10 * MSS) });
    assert_eq!(law.pacing_rate(), Some(2_000_000));
}

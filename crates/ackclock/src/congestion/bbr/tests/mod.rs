//! Each state and each transition, with exact numbers.

mod control;
mod model;
mod probe_bw;
mod probe_rtt;
mod startup;
mod undo;

use super::*;
use crate::congestion::tests::{congestion, sizes};

const MSS: u32 = 1_000;
/// The path of these tests: 10 MB/s and 20 ms.
const BANDWIDTH: u64 = 10_000_000;
const BDP: u32 = 200_000;

/// A flow under BBR, ack by ack.
struct Flow {
    bbr: Bbr,
    now: Instant,
    /// C.delivered.
    delivered: u32,
    random: u32,
}

/// One ack, and what it tells.
#[derive(Clone, Copy)]
struct Told {
    /// Bytes per second, measured over 20 ms.
    rate: u64,
    in_flight: u32,
    /// Bytes newly delivered.
    acked: u32,
    lost: u32,
    tx_in_flight: u32,
    app_limited: bool,
    /// Whether the ack is for something sent after the last ack.
    ends_round: bool,
    in_recovery: bool,
    rtt_millis: u64,
}

/// A round in a single ack, which is a batch of one bandwidth-delay product: the window takes that
/// into account.
const ROUND: Told = Told {
    rate: BANDWIDTH,
    in_flight: BDP,
    acked: BDP,
    lost: 0,
    tx_in_flight: BDP,
    app_limited: false,
    ends_round: true,
    in_recovery: false,
    rtt_millis: 20,
};

fn start(rtt: Option<Duration>) -> Start {
    Start {
        now: Instant::from_secs(10),
        mss: MSS,
        initial_window: 10 * MSS,
        rtt,
        selective_acks: true,
        counts_marks: false,
        delivered: 0,
    }
}

impl Flow {
    fn new() -> Self {
        Flow::after(0)
    }

    /// The law is put on a connection that has delivered so many bytes before.
    fn after(delivered: u32) -> Self {
        let mut bbr = Bbr::default();
        let start = Start { delivered, ..start(Some(Duration::from_millis(20))) };
        bbr.on_start(&start);
        Flow { bbr, now: start.now, delivered, random: 0 }
    }

    /// An ack 20 ms after the last one.
    fn ack(&mut self, told: Told) {
        self.ack_after(20, told);
    }

    fn ack_after(&mut self, millis: u64, told: Told) {
        self.now += Duration::from_millis(millis);
        let prior_delivered = if told.ends_round { self.delivered } else { 0 };
        self.delivered = self.delivered.wrapping_add(told.acked);
        let rtt = Some(Duration::from_millis(told.rtt_millis));
        let delivery = DeliveryRate {
            delivered: u32::try_from(told.rate / 50).unwrap_or(u32::MAX),
            interval: Duration::from_millis(20),
            app_limited: told.app_limited,
            prior_delivered,
            total_delivered: self.delivered,
            flight_when_sent: told.tx_in_flight,
            lost: told.lost,
            rtt,
        };
        self.bbr.on_ack(&Ack {
            now: self.now,
            bytes_acked: told.acked,
            bytes_delivered: told.acked,
            flight_after: told.in_flight,
            rtt,
            delivery: Some(delivery),
            in_recovery: told.in_recovery,
            window_limited: true,
            random: self.random,
            ..Ack::default()
        });
    }

    fn rounds(&mut self, count: u32, told: Told) {
        (0..count).for_each(|_| self.ack(told));
    }

    /// Losses of so many bytes out of a flight of one bandwidth-delay product.
    fn lose(&mut self, bytes: u32) {
        self.lose_ranges(bytes, 1);
    }

    /// The same, in so many ranges.
    fn lose_ranges(&mut self, bytes: u32, ranges: u32) {
        self.bbr.on_loss(&Loss {
            now: self.now,
            bytes,
            ranges,
            flight_when_sent: BDP,
            lost_since_sent: bytes,
            total_delivered: self.delivered,
            random: self.random,
            ..Loss::default()
        });
    }

    /// In Startup, or past it, after a round of recovery in which so many bytes of a flight were lost,
    /// found in so many detections.
    fn losing_in_startup(lost: u32, detections: u32) -> Self {
        let mut flow = Flow::new();
        flow.ack(ROUND);
        flow.bbr.on_congestion(&congestion(CongestionKind::FastRetransmit, BDP));
        (0..detections).for_each(|_| flow.lose(MSS));
        flow.ack(Told { lost, in_recovery: true, in_flight: 2 * BDP, ..ROUND });
        flow
    }

    /// In Drain: three rounds after the first have found no more bandwidth.
    fn draining() -> Self {
        let mut flow = Flow::new();
        flow.rounds(4, Told { in_flight: 2 * BDP, ..ROUND });
        assert_eq!(flow.bbr.state, State::Drain);
        flow
    }

    fn down() -> Self {
        let mut flow = Flow::draining();
        flow.rounds(4, Told { in_flight: 2 * BDP, ..ROUND });
        assert_eq!(flow.bbr.state, State::ProbeBwDown);
        flow
    }

    fn cruising() -> Self {
        let mut flow = Flow::draining();
        flow.ack(ROUND);
        assert_eq!(flow.bbr.state, State::ProbeBwCruise);
        flow
    }

    fn refilling() -> Self {
        let mut flow = Flow::cruising();
        flow.ack_after(2_001, ROUND);
        assert_eq!(flow.bbr.state, State::ProbeBwRefill);
        flow
    }

    fn up() -> Self {
        let mut flow = Flow::refilling();
        flow.ack(ROUND);
        assert_eq!(flow.bbr.state, State::ProbeBwUp);
        flow
    }

    fn state(&self) -> State {
        self.bbr.state
    }

    /// Whether it paces at so much of the bandwidth, in percent, less the margin; to what a rate
    /// resolves.
    fn paces_at(&self, percent_of_bandwidth: u64) -> bool {
        let rate = self.bbr.pacing_rate.bytes_per_second();
        rate.abs_diff(BANDWIDTH * percent_of_bandwidth * 99 / 10_000) <= 16
    }
}

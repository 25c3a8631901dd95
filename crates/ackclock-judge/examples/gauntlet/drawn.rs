//! Situations by lot: each seed draws a path, settings of both ends, and what the applications do.

use crate::actor::{Leave, Plan, QUIET};
use crate::emulated::Run;
use crate::hosts::{Hosting, Tune};
use ackclock::congestion::InitialWindow;
use ackclock::tcp::{
    AckPolicy, BufferTuning, Config, EcnMode, Keepalive, Nagle, Pacing, RecoveryAlgorithm,
    RestartAfterIdle,
};
use ackclock::time::Duration;

/// Random numbers of a seed: splitmix64 (Steele, Lea and Flood 2014).
pub(crate) struct Lot(u64);

impl Lot {
    pub(crate) fn new(seed: u64) -> Lot {
        Lot(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// A number below a bound.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// True once in so many times.
    pub(crate) fn rarely(&mut self, times: u64) -> bool {
        self.next().is_multiple_of(times)
    }
}

const PATHS: [&str; 16] = [
    "rate=10mbit,delay=10ms,loss=0",
    "rate=10mbit,delay=20ms,loss=2%",
    "rate=5mbit,delay=40ms,loss=6%",
    "rate=2mbit,delay=5ms,loss=15%",
    "rate=20mbit,delay=10ms,loss=0,queue=8",
    "rate=8mbit,delay=15ms,loss=0,reorder=4%:8ms",
    "rate=8mbit,delay=15ms,loss=1%,reorder=6%:3",
    "rate=10mbit,delay=2ms,loss=1%,duplicate=6%",
    "rate=10mbit,delay=10ms,loss=1%,corrupt=3%",
    "rate=5mbit,delay=30ms,loss=0,queue=codel:5ms:100ms:1000:ecn",
    "rate=4mbit,delay=20ms,loss=1%,queue=codel:2ms:40ms:1000:ecn",
    "rate=10mbit,delay=10ms,loss=1%,jitter=6ms",
    "rate=1mbit,delay=30ms,loss=2%,mtu=640,queue=20",
    "rate=10mbit,delay=10ms,loss=1%,mtu=1300",
    "rate=50mbit,delay=50ms,loss=0.2%,queue=300",
    "rate=6mbit,delay=10ms,loss=0,outage=60ms..900ms:lose",
];

/// Settings of one end.
pub(crate) fn config(lot: &mut Lot) -> Config {
    let mut config = Config::default();
    config.timestamps = lot.rarely(2);
    config.sack = !lot.rarely(4);
    config.window_scaling = !lot.rarely(4);
    config.nagle = lot.of(&Nagle::ALL);
    config.ecn = lot.of(&[EcnMode::Off, EcnMode::Accept, EcnMode::Request, EcnMode::Request]);
    config.recovery = lot.of(&[
        RecoveryAlgorithm::Rack,
        RecoveryAlgorithm::Rack,
        RecoveryAlgorithm::Rfc6675,
        RecoveryAlgorithm::NewReno,
        RecoveryAlgorithm::Reno,
    ]);
    config.receive_buffer = lot.of(&[5_000, 16_000, 60_000, 256 * 1024]);
    config.mss = lot.of(&[None, None, None, Some(1_000), Some(700)]);
    if lot.rarely(3) {
        let timeout = lot.of(&[10, 100, 300]);
        let quick_acks = lot.of(&[0, 3]);
        let timeout = Duration::from_millis(timeout);
        config.ack_policy = AckPolicy::Delayed { timeout, quick_acks };
    }
    if lot.rarely(3) {
        draw_rare(lot, &mut config);
    }
    config
}

/// Settings that few connections change.
fn draw_rare(lot: &mut Lot, config: &mut Config) {
    config.pacing = lot.of(&[Pacing::Law, Pacing::Always, Pacing::Off]);
    config.restart_after_idle = lot.of(&[
        RestartAfterIdle::RestartWindow,
        RestartAfterIdle::Never,
        RestartAfterIdle::Validation,
        RestartAfterIdle::OneSegmentAfterRto,
    ]);
    config.buffer_tuning = lot.of(&[BufferTuning::Fixed, BufferTuning::Automatic]);
    config.burst_limit = std::num::NonZeroU16::new(lot.of(&[0, 0, 3, 10]));
    if lot.rarely(2) {
        config.recovery = lot.of(RecoveryAlgorithm::ALL);
    }
    if lot.rarely(3) {
        let (idle, interval) = (Duration::from_millis(300), Duration::from_millis(400));
        config.keepalive = Some(Keepalive { idle, interval, count: 30 });
    }
    if lot.rarely(4) {
        config.window_clamp = Some(lot.of(&[3_000, 30_000]));
    }
    config.reassembly_ranges = lot.of(&[64, 64, 2]);
    config.flight_records = lot.of(&[4_096, 6]);
}

fn plan(lot: &mut Lot) -> Plan {
    let ms = Duration::from_millis;
    let mut plan = Plan { amount: lot.of(&[0, 500, 9_000, 40_000, 150_000]), ..QUIET };
    plan.piece = lot.of(&[100, 700, 4_096, 20_000]);
    plan.gap = ms(lot.of(&[0, 0, 2, 30]));
    plan.burst = lot.of(&[1, 5]);
    if lot.rarely(4) {
        plan.read = lot.of(&[200, 3_000]);
        plan.read_gap = ms(lot.of(&[1, 20]));
        plan.reads_from = ms(lot.of(&[0, 700, 2_500]));
    }
    if lot.rarely(8) {
        plan.urgent = 7;
    }
    plan
}

/// The run of a seed.
pub(crate) fn run(seed: u64) -> Run {
    let mut lot = Lot::new(seed);
    let mut run = Run::new(lot.of(&PATHS));
    run.law = lot.of(&[
        "reno",
        "reno",
        "cubic",
        "veno",
        "bbr",
        "bbr",
        "vegas",
        "tahoe",
        "cubic:hystart=off",
        "reno:hystart=on",
        "reno:growth=per-ack",
    ]);
    run.seed = seed;
    run.configs = [config(&mut lot), config(&mut lot)];
    run.plans = [plan(&mut lot), plan(&mut lot)];
    run.ipv6 = lot.rarely(3);
    run.simultaneous = lot.rarely(10);
    run.limit = Duration::from_secs(900);
    if !run.simultaneous && lot.rarely(4) {
        run.connections = lot.of(&[3, 12]);
        run.apart = Duration::from_millis(lot.of(&[1, 60]));
    }
    // With so many losses and little room for what is behind them a timer may be backed off for longer than a connection
    // waits that its application has left.
    run.arrives &= run.path != PATHS[3] || run.configs.iter().all(|c| c.reassembly_ranges > 2);
    leave_early(&mut lot, &mut run);
    run
}

fn leave_early(lot: &mut Lot, run: &mut Run) {
    if lot.rarely(8) {
        let end = usize::from(lot.rarely(2));
        run.plans[end].leave = lot.of(&[Leave::Abort, Leave::CloseBoth]);
        run.arrives = false;
        run.limit = Duration::from_secs(60);
    }
}

/// Laws with their parameters.
const LAWS: [&str; 11] = [
    "cubic",
    "reno",
    "veno",
    "bbr",
    "vegas:alpha=1,beta=3,gamma=1",
    "vegas:growth=per-ack",
    "tahoe",
    "cubic:hystart=off",
    "reno:hystart=on",
    "reno:growth=per-ack",
    "veno:growth=abc",
];

/// Paths with long round trips, or with none to speak of.
const FAR_PATHS: [&str; 4] = [
    "rate=1mbit,delay=1500ms,loss=3%",
    "rate=20mbit,delay=300ms,loss=0.5%,queue=1000",
    "rate=300kbit,delay=200ms,loss=1%,queue=12",
    "rate=1gbit,delay=20us,loss=1%,reorder=3%:100us",
];

/// The run of a seed with everything by lot that a host can be set to: all of [`Config`], of its stack and its listeners, and
/// calls in between.
pub(crate) fn wide_run(seed: u64) -> Run {
    let mut lot = Lot::new(seed ^ 0x31de);
    let path = if lot.rarely(4) { lot.of(&FAR_PATHS) } else { lot.of(&PATHS) };
    let mut run = Run::new(path);
    (run.law, run.seed) = (lot.of(&LAWS), seed);
    run.configs = [wide_config(&mut lot), wide_config(&mut lot)];
    run.plans = [plan(&mut lot), plan(&mut lot)];
    run.ipv6 = lot.rarely(2);
    run.simultaneous = lot.rarely(12);
    run.limit = Duration::from_secs(900);
    if !run.simultaneous && lot.rarely(2) {
        run.connections = lot.of(&[2, 5, 20]);
        run.apart = Duration::from_millis(lot.of(&[0, 1, 60]));
        run.one_port = lot.rarely(2);
    }
    let connections = usize::from(run.connections);
    let hosting = [0, 1].map(|_| Hosting::draw(&mut lot, connections));
    run.arrives = hosting[1].has_room_for(connections) || run.path == PATHS[0];
    // Who gives up after as long as the longest timeout may do so before anything is sent again.
    run.arrives &= run.configs.iter().all(|config| config.give_up > config.rto.max);
    run.hosting = Some(hosting);
    if lot.rarely(2) {
        let after = Duration::from_millis(lot.of(&[1, 30, 700]));
        run.plans[usize::from(lot.rarely(2))].tune = Some((after, Tune::draw(&mut lot)));
    }
    leave_early(&mut lot, &mut run);
    run
}

/// All of a connection's settings.
fn wide_config(lot: &mut Lot) -> Config {
    let secs = Duration::from_secs;
    let mut config = config(lot);
    if lot.rarely(2) {
        draw_rare(lot, &mut config);
    }
    config.send_buffer = lot.of(&[256 * 1024, 3_000, 40_000]);
    config.initial_window = lot.of(&[
        InitialWindow::Rfc6928,
        InitialWindow::Rfc3390,
        InitialWindow::segments(1),
        InitialWindow::segments(2),
    ]);
    config.ack_policy = match lot.below(5) {
        0 => AckPolicy::EverySegment,
        1 => AckPolicy::Delayed { timeout: Duration::from_millis(400), quick_acks: 0 },
        _ => config.ack_policy,
    };
    let (initial, most) = lot.of(&[(secs(1), secs(120)), (secs(1), secs(60)), (secs(3), secs(3))]);
    (config.rto.initial, config.rto.max) = (initial, most);
    config.rto.min = Duration::from_millis(lot.of(&[200, 200, 30, 1_000]));
    config.give_up = secs(lot.of(&[924, 120]));
    config.syn_give_up = secs(lot.of(&[180, 200]));
    config.user_timeout = lot.of(&[None, None, Some(secs(300))]);
    config.linger = lot.of(&[None, None, Some(secs(100))]);
    config.msl = secs(lot.of(&[30, 1]));
    config.fin_wait_2_timeout = secs(lot.of(&[60, 200]));
    config.hop_limit = lot.of(&[64, 255, 1]);
    config.dscp = lot.of(&[0, 46]);
    config
}

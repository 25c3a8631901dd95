//! Transfers over paths that duplicate packets, or lose acks as often as data: means of several runs in
//! virtual time.

use ackclock::apps::{Amount, Server, Service, Source, SourceConfig};
use ackclock::congestion::BuiltIn;
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::tcp::Info;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{ApplicationId, Emulator, LEFT, PairConfig, RIGHT};
use ackclock_judge::FormJudges;
use std::net::SocketAddr;

/// Runs of each setting.
pub const SEEDS: u64 = 20;
/// How long the transfers last among whose packets are duplicates, in seconds.
pub const SECONDS: u64 = 60;

type Judged = Emulator<BuiltIn, Option<FormJudges>>;

/// A path, both directions of which are alike, and a transfer over it.
fn start(
    path: &str,
    seed: u64,
    amount: Amount,
    timestamps: bool,
) -> (Judged, ApplicationId<Source>) {
    let mut config = PairConfig::new(path.parse().expect("a path"));
    config.seed = seed;
    let law: BuiltIn = "cubic".parse().expect("a law");
    let mut emulator =
        Emulator::pair(&config, [law; 2], FormJudges::if_asked([LEFT, RIGHT])).expect("a network");
    let remote = SocketAddr::new("10.0.0.2".parse().expect("an address"), Service::Discard.port());
    let mut source = SourceConfig::new(remote);
    source.amount = amount;
    source.connection.timestamps = timestamps;
    let mut listen = ListenConfig::new(remote);
    listen.connection = source.connection;
    let server = Server::new(Service::Discard, listen, Buffer::growing());
    emulator.add_application(RIGHT, server).expect("it listens");
    let source = emulator.add_application(LEFT, Source::new(source)).expect("it connects");
    (emulator, source)
}

/// What arrives of a flow under CUBIC, in Mbit/s, and what its sender knows in the end: 20 Mbit/s,
/// 20 ms, and 1 % of the packets lost and `duplicates` percent carried twice in either direction.
pub fn duplicated(duplicates: u32, seed: u64) -> (f64, Info) {
    let path = format!("rate=20mbit,delay=20ms,loss=1%,duplicate={duplicates}%,queue=infinite");
    let (mut emulator, source) = start(&path, seed, Amount::Bytes(u64::MAX), true);
    let end = Instant::ZERO + Duration::from_secs(SECONDS);
    emulator.run_until(end);
    let source = emulator.application(source).expect("it was added");
    let info = source.info(end, emulator.stack(LEFT)).expect("it was opened");
    (info.bytes_acked as f64 * 8e-6 / SECONDS as f64, info)
}

/// How many seconds 500 kB take, and what their sender knows in the end: 20 Mbit/s, 20 ms, and 20 % of the
/// packets lost in either direction.
pub fn lossy_both_ways(timestamps: bool, seed: u64) -> (f64, Info) {
    let path = "rate=20mbit,delay=20ms,loss=20%,queue=infinite";
    let (mut emulator, source) = start(path, seed, Amount::Bytes(500_000), timestamps);
    let ended = |emulator: &Judged| {
        emulator.application(source).is_some_and(|source| source.ended().is_some())
    };
    while !ended(&emulator) {
        emulator.run_until(emulator.now() + Duration::from_millis(100));
    }
    let source = emulator.application(source).expect("it was added");
    let took = source.started().zip(source.ended());
    let took = took.map_or(Duration::ZERO, |(from, to)| to.saturating_since(from));
    (took.as_micros() as f64 / 1e6, *source.last_info().expect("it was open"))
}

/// The mean of what each seed gives.
pub fn mean(of: impl Fn(u64) -> f64) -> f64 {
    (1..=SEEDS).map(of).sum::<f64>() / SEEDS as f64
}

//! Senders of data under each law and each recovery of this workspace's stack, judged over paths of all kinds.

use ackclock::apps::{Amount, Server, Service, Source, SourceConfig};
use ackclock::congestion::BuiltIn;
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::tcp::{EcnMode, RecoveryAlgorithm};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Emulator, LEFT, PairConfig, RIGHT};
use ackclock_judge::{Findings, Judges, Law, Settings};
use std::net::SocketAddr;

/// What a run transfers, over which path, and how.
#[derive(Clone, Copy, Debug)]
struct Run {
    path: &'static str,
    law: &'static str,
    recovery: RecoveryAlgorithm,
    sack: bool,
    timestamps: bool,
    ecn: bool,
    seed: u64,
}

fn settings(law: &str, heeds_sack: bool) -> Settings {
    let law = match law {
        "reno" => Law::Reno,
        "cubic" => Law::Cubic,
        "veno" => Law::Veno,
        "bbr" => Law::Bbr,
        "prague" => Law::Prague,
        _ => Law::Unknown,
    };
    Settings { law, heeds_sack, reaction: Duration::ZERO, sees_all: true, ..Settings::default() }
}

/// Sends 1 MB, or what two minutes suffice for; the findings about the sender.
fn judged(run: &Run) -> Findings {
    let mut config = PairConfig::new(run.path.parse().expect("a path"));
    config.seed = run.seed;
    let law: BuiltIn = run.law.parse().expect("a law");
    let settings = settings(run.law, run.recovery.needs_sack());
    let judges = Judges::new().with(LEFT, settings);
    let mut emulator = Emulator::pair(&config, [law; 2], judges).expect("a network");
    let remote = SocketAddr::from(([10, 0, 0, 2], Service::Discard.port()));
    let mut source = SourceConfig::new(remote);
    source.amount = Amount::Bytes(1_000_000);
    source.connection.timestamps = run.timestamps;
    source.connection.sack = run.sack;
    source.connection.recovery = run.recovery;
    source.connection.ecn = if run.ecn { EcnMode::Request } else { EcnMode::Accept };
    let mut listen = ListenConfig::new(remote);
    listen.connection = source.connection;
    let server = Server::new(Service::Discard, listen, Buffer::growing());
    emulator.add_application(RIGHT, server).expect("it listens");
    emulator.add_application(LEFT, Source::new(source)).expect("it connects");
    emulator.run_until(Instant::from_secs(120));
    emulator.into_observer().finish().remove(&LEFT).expect("it was judged")
}

/// Those that follow an RFC: the others are older than the rules, or a paper's.
const RECOVERIES: [RecoveryAlgorithm; 4] = [
    RecoveryAlgorithm::Rack,
    RecoveryAlgorithm::Rfc6675,
    RecoveryAlgorithm::NewReno,
    RecoveryAlgorithm::Reno,
];

const PATHS: [&str; 8] = [
    "rate=10mbit,delay=20ms",
    "rate=10mbit,delay=20ms,loss=3%",
    "rate=2mbit,delay=100ms,loss=10%",
    "rate=10mbit,delay=20ms,queue=10",
    "rate=10mbit,delay=20ms,duplicate=5%,loss=1%",
    "rate=10mbit,delay=20ms,reorder=5%:10ms",
    "rate=10mbit,delay=1ms,loss=1%,reorder=5%:3,duplicate=5%,corrupt=1%",
    "rate=5mbit,delay=50ms,queue=codel:5ms:100ms:1000:ecn",
];

/// `JUDGE_SEEDS` sets the last seed.
#[test]
fn no_law_and_no_recovery_breaks_a_sentence() {
    let seeds = std::env::var("JUDGE_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(2);
    let mut said = Vec::new();
    for seed in 1..=seeds {
        for path in PATHS {
            for law in ["reno", "cubic", "veno", "bbr"] {
                for (index, &recovery) in RECOVERIES.iter().enumerate() {
                    let odd = !(index as u64 + seed).is_multiple_of(2);
                    let sack = odd || recovery.needs_sack();
                    let timestamps = (index as u64 / 2 + seed).is_multiple_of(2);
                    let run = Run { path, law, recovery, sack, timestamps, ecn: odd, seed };
                    for verdict in judged(&run).verdicts {
                        said.push(format!("{run:?}: {verdict}"));
                    }
                }
            }
        }
    }
    assert!(said.is_empty(), "{} verdicts:\n{}", said.len(), said.join("\n"));
}

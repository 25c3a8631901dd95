//! The stack of this workspace over emulated paths, each end judged.

use ackclock::apps::{Amount, Server, Service, Source, SourceConfig};
use ackclock::congestion::BuiltIn;
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Emulator, LEFT, PairConfig, RIGHT};
use ackclock_judge::{Findings, Judges, Law, Settings};
use std::net::SocketAddr;

/// What a run transfers, over which path, and under which law.
struct Run {
    path: &'static str,
    law: &'static str,
    address: &'static str,
    timestamps: bool,
    seed: u64,
}

fn settings(law: &str) -> Settings {
    let law = match law {
        "reno" => Law::Reno,
        "cubic" => Law::Cubic,
        "veno" => Law::Veno,
        "bbr" => Law::Bbr,
        "prague" => Law::Prague,
        _ => Law::Unknown,
    };
    Settings { law, reaction: Duration::ZERO, sees_all: true, ..Settings::default() }
}

/// Sends 2 MB or what a minute suffices for; the findings about both hosts.
fn judged(run: &Run) -> Findings {
    let mut config = PairConfig::new(run.path.parse().expect("a path"));
    config.seed = run.seed;
    let law: BuiltIn = run.law.parse().expect("a law");
    let judges = Judges::new().with(LEFT, settings(run.law)).with(RIGHT, settings(run.law));
    let mut emulator = Emulator::pair(&config, [law; 2], judges).expect("a network");
    let remote = SocketAddr::new(run.address.parse().expect("an address"), Service::Discard.port());
    let mut source = SourceConfig::new(remote);
    source.amount = Amount::Bytes(2_000_000);
    source.connection.timestamps = run.timestamps;
    let mut listen = ListenConfig::new(remote);
    listen.connection = source.connection;
    let server = Server::new(Service::Discard, listen, Buffer::growing());
    emulator.add_application(RIGHT, server).expect("it listens");
    emulator.add_application(LEFT, Source::new(source)).expect("it connects");
    emulator.run_until(Instant::ZERO + Duration::from_secs(60));
    let mut findings = Findings::default();
    for (_, of_host) in emulator.into_observer().finish() {
        findings.join(of_host);
    }
    findings
}

#[test]
fn the_stack_breaks_no_sentence_on_any_kind_of_path() {
    let paths = [
        "rate=10mbit,delay=20ms,loss=0",
        "rate=10mbit,delay=20ms,loss=1%",
        "rate=10mbit,delay=20ms,loss=10%",
        "rate=10mbit,delay=20ms,loss=0,queue=10",
        "rate=10mbit,delay=20ms,loss=0,duplicate=5%",
        "rate=10mbit,delay=20ms,loss=0,reorder=5%:10ms",
        "rate=10mbit,delay=20ms,loss=1%,reorder=5%:3,duplicate=5%,corrupt=1%",
        "rate=1mbit,delay=100ms,loss=1%,mtu=576",
    ];
    let mut said = Vec::new();
    for path in paths {
        for law in ["reno", "cubic", "veno", "bbr"] {
            for (address, timestamps) in [("10.0.0.2", true), ("fd00::2", false)] {
                let run = Run { path, law, address, timestamps, seed: 1 };
                let findings = judged(&run);
                assert!(findings.judged > 1000, "{path}: {} segments", findings.judged);
                assert_eq!(findings.unknown.len(), 0, "{:?}", findings.unknown);
                for verdict in findings.verdicts {
                    said.push(format!("{path} {law} {address}: {verdict}"));
                }
            }
        }
    }
    assert!(said.is_empty(), "{} verdicts:\n{}", said.len(), said.join("\n"));
}

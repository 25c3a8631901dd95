//! Tables of what loss recovery costs, in virtual time: reordering, a delay spike, a lost tail, a lost
//! half of a window. Nothing here depends on how fast the machine is.

use ackclock::apps::{Amount, Server, Service, Source, SourceConfig};
use ackclock::congestion::BuiltIn;
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::tcp::{Info, RecoveryAlgorithm};
use ackclock::time::Duration;
use ackclock_emulator::{Emulator, LEFT, PairConfig, RIGHT};
use ackclock_judge::FormJudges;
use std::net::SocketAddr;

const CLEAN: &str = "rate=10mbit,delay=20ms,loss=0,queue=infinite";

/// A transfer with these words on the way there and a clean way back: how long it took, and what the
/// sender knows in the end.
fn transfer(recovery: RecoveryAlgorithm, words: &str, bytes: u64, buffer: u32) -> (Duration, Info) {
    let mut config = PairConfig::new(CLEAN.parse().expect("a path"));
    config.paths[0] = words.parse().expect("a path");
    config.seed = 1;
    let judges = FormJudges::if_asked([LEFT, RIGHT]);
    let mut emulator = Emulator::pair(&config, [BuiltIn::default(); 2], judges).expect("a network");
    let remote = SocketAddr::new("10.0.0.2".parse().expect("an address"), Service::Discard.port());
    let server = Server::new(Service::Discard, ListenConfig::new(remote), Buffer::growing());
    emulator.add_application(RIGHT, server).expect("it listens");
    let mut source = SourceConfig::new(remote);
    source.amount = Amount::Bytes(bytes);
    source.connection.recovery = recovery;
    source.connection.send_buffer = buffer;
    let source = emulator.add_application(LEFT, Source::new(source)).expect("it connects");
    let done = |emulator: &Emulator<BuiltIn, Option<FormJudges>>| {
        emulator.application(source).expect("it was added").ended().is_some()
    };
    while !done(&emulator) {
        emulator.run_until(emulator.now() + Duration::from_millis(100));
    }
    // D-SACKs of the last segments may yet come.
    emulator.run_until(emulator.now() + Duration::from_secs(1));
    let source = emulator.application(source).expect("it was added");
    let took = source.started().zip(source.ended());
    let took = took.map_or(Duration::ZERO, |(from, to)| to.saturating_since(from));
    (took, *source.last_info().expect("it was open"))
}

/// A row for each recovery that knows SACK or falls back on NewReno.
fn table(what: &str, words: &str, bytes: u64, buffer: u32) {
    println!("\n{what} (`{words}`):\n");
    println!("| recovery | ms | sent again | timeouts | probes | fast recoveries | undone |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for recovery in RecoveryAlgorithm::ALL {
        let (took, info) = transfer(*recovery, words, bytes, buffer);
        println!(
            "| {} | {} | {} | {} | {} | {} | {} |",
            recovery.name(),
            took.as_millis(),
            info.retransmitted,
            info.timeouts,
            info.tail_probes,
            info.fast_recoveries,
            info.undos,
        );
    }
}

fn main() {
    const BUFFER: u32 = 256 * 1024;
    println!("Loss recovery under CUBIC.");
    table("2 MiB, nothing in the way", CLEAN, 2 << 20, BUFFER);
    table("2 MiB, 5 % reordered", &format!("{CLEAN},reorder=5%:10ms"), 2 << 20, BUFFER);
    table(
        "4 MiB, the line stands still for a second",
        &format!("{CLEAN},outage=2s..3s"),
        4 << 20,
        BUFFER,
    );
    let tail = "rate=10mbit,delay=20ms,queue=infinite,loss=packets:10:11";
    table("Ten segments, the last two lost", tail, 10 * 1_448, BUFFER);
    let lost: Vec<String> = (111..133).map(|packet| packet.to_string()).collect();
    let burst = format!("rate=10mbit,delay=50ms,queue=infinite,loss=packets:{}", lost.join(":"));
    table("2 MiB, half of a window of 45 segments lost at once", &burst, 2 << 20, 1 << 16);
    table("2 MiB, 1 % lost", "rate=10mbit,delay=20ms,queue=infinite,loss=1%", 2 << 20, BUFFER);
}

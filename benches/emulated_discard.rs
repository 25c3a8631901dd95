//! The project's main job as users run it: 16 MiB to a discard service over the default emulated
//! path. What is measured is wall time; the project asks for less than a second.

use ackclock::apps::{Amount, Server, Service, Source, SourceConfig};
use ackclock::congestion::BuiltIn;
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::time::Instant;
use ackclock_emulator::{Emulator, Ended, LEFT, PairConfig, Path, RIGHT};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::net::SocketAddr;

/// Bytes of a transfer, as many as `ackclock discard` sends.
const BYTES: u64 = 16 << 20;

/// Does one transfer and returns the virtual time at its end.
fn transfer() -> Instant {
    let mut config = PairConfig::new(Path::default());
    config.seed = 1;
    let [_, [address, ..]] = config.addresses.each_ref().map(Vec::as_slice) else {
        panic!("the far end has no address");
    };
    let far_end = SocketAddr::new(address.address, Service::Discard.port());
    let mut emulator =
        Emulator::pair(&config, [BuiltIn::default(); 2], ()).expect("usable settings");
    let server = Server::new(Service::Discard, ListenConfig::new(far_end), Buffer::growing());
    emulator.add_application(RIGHT, server.once()).expect("a listener");
    let mut source = SourceConfig::new(far_end);
    source.amount = Amount::Bytes(BYTES);
    let source = emulator.add_application(LEFT, Source::new(source)).expect("a connection");

    assert_eq!(emulator.run_until_done(Instant::FAR_FUTURE), Ended::Done);
    let error = emulator.application(source).and_then(Source::error);
    assert_eq!(error, None);
    emulator.now()
}

fn emulated_discard(criterion: &mut Criterion) {
    println!("emulated_discard: {} s of virtual time", transfer().as_millis() as f64 / 1000.0);
    let mut group = criterion.benchmark_group("emulated_discard");
    group.throughput(Throughput::Bytes(BYTES)).sample_size(20);
    group.bench_function("16 MiB over the default path", |bencher| bencher.iter(transfer));
    group.finish();
}

criterion_group!(benches, emulated_discard);
criterion_main!(benches);

//! Buffers that follow the need of a connection.

use crate::common::{far_end, pair};
use ackclock::apps::{Amount, Server, Service, Source, SourceConfig};
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::tcp::{BufferTuning, Config};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Ended, LEFT, RIGHT};

/// 100 Mbit/s and 100 ms: 1.25 MB fill the path.
const LONG_AND_FAT: &str = "rate=100mbit,delay=50ms,loss=0,queue=2000";

/// How long 20 MB take with such buffers at both ends.
fn time(buffer: u32, tuning: BufferTuning) -> Duration {
    let mut emulator = pair(LONG_AND_FAT, 1);
    let mut config = Config::default();
    config.send_buffer = buffer;
    config.receive_buffer = buffer;
    config.buffer_tuning = tuning;
    let mut source = SourceConfig::new(far_end(false, Service::Discard.port()));
    source.connection = config;
    source.amount = Amount::Bytes(20_000_000);
    let mut listen = ListenConfig::new(source.remote);
    listen.connection = config;
    let server = Server::new(Service::Discard, listen, Buffer::growing()).once();
    emulator.add_application(RIGHT, server).unwrap();
    let source = emulator.add_application(LEFT, Source::new(source)).unwrap();
    assert_eq!(emulator.run_until_done(Instant::from_secs(1_000)), Ended::Done);
    let source = emulator.application(source).unwrap();
    source.ended().unwrap().saturating_since(source.started().unwrap())
}

#[test]
fn buffers_that_follow_the_need_cost_a_long_path_little() {
    let large = time(4 << 20, BufferTuning::Fixed);
    let following = time(4 << 20, BufferTuning::Automatic);
    let small = time(65_535, BufferTuning::Fixed);
    // A small buffer gives 64 KB in each round trip.
    assert!(small > Duration::from_secs(30), "{small}");
    // Tuning costs one round trip, before the window has caught up with slow start.
    let later = Duration::from_millis(100);
    assert!((large..=large + later).contains(&following), "{following} and {large}");
}

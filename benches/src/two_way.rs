//! Transfers in both directions at once.

use ackclock::apps::{Amount, Server, Service, Source, SourceConfig};
use ackclock::congestion::BuiltIn;
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::time::Instant;
use ackclock_emulator::{Emulator, Ended, LEFT, PairConfig, RIGHT};
use std::net::SocketAddr;

/// How it went.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outcome {
    /// From the first SYN to the end.
    pub seconds: f64,
    /// Packets that the queues of the two directions dropped.
    pub dropped: [u64; 2],
}

/// A mebibyte to `service` over 10 Mbit/s and 40 ms with this queue in either direction, client and server
/// under these laws.
pub fn run(queue: &str, service: &str, laws: [&str; 2]) -> Outcome {
    let path = format!("rate=10mbit,delay=20ms,loss=0,queue={queue}");
    let config = PairConfig::new(path.parse().expect("a path"));
    let laws = laws.map(|law| law.parse::<BuiltIn>().expect("a law"));
    let mut emulator = Emulator::pair(&config, laws, ()).expect("a network");
    let service: Service = if service == "echo" { Service::Echo } else { Service::Discard };
    let remote = SocketAddr::new("10.0.0.2".parse().expect("an address"), service.port());
    let mut source = SourceConfig::new(remote);
    source.amount = Amount::Bytes(1 << 20);
    source.echo = service == Service::Echo;
    (source.connection.send_buffer, source.connection.receive_buffer) = (4 << 20, 4 << 20);
    let mut listen = ListenConfig::new(remote);
    listen.connection = source.connection;
    let server = Server::new(service, listen, Buffer::growing()).once();
    emulator.add_application(RIGHT, server).expect("it listens");
    emulator.add_application(LEFT, Source::new(source)).expect("it connects");
    let ended = emulator.run_until_done(Instant::from_secs(100));
    assert_eq!(ended, Ended::Done);
    Outcome {
        seconds: emulator.now().as_nanos() as f64 / 1e9,
        dropped: [LEFT, RIGHT].map(|host| emulator.link_statistics(host).packets_dropped),
    }
}

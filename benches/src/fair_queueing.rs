//! Requests beside a bulk flow with a giant window, both from one host.

use ackclock::apps::{
    Amount, Completed, Exchange, Recorded, Requests, RequestsConfig, Respond, Server, Service,
    Source, SourceConfig,
};
use ackclock::congestion::BuiltIn;
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Emulator, LEFT, PairConfig, RIGHT};
use std::net::SocketAddr;

/// How long a run takes.
const SECONDS: u64 = 30;
/// When the first request goes: the flow has filled its window.
const FIRST: Duration = Duration::from_secs(10);
/// Between a response and the next request.
const PAUSE: Duration = Duration::from_micros(12_345);

/// How requests fared, and the flow beside them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Beside {
    /// Requests that were answered.
    pub requests: usize,
    /// The median and the longest time from a request to its response, in milliseconds.
    pub median: f64,
    /// See there.
    pub longest: f64,
    /// What the flow put on the line in the whole run, in percent of its rate: payload only.
    pub share: f64,
}

/// A flow with a window of a megabyte over a line of that rate, 5 ms long, and requests and responses of 100
/// bytes, one after another, over a second connection of the same host. `limit` is the line's `bql`, or
/// empty.
pub fn run(rate: &str, limit: &str) -> Beside {
    let limit = if limit.is_empty() { String::new() } else { format!(",bql={limit}") };
    let path = format!("rate={rate},delay=5ms,loss=0,queue=infinite{limit}");
    let config = PairConfig::new(path.parse().expect("a path"));
    let law: BuiltIn = "fixed:1M".parse().expect("a law");
    let mut emulator = Emulator::pair(&config, [law; 2], ()).expect("a network");
    let far_end = |port| SocketAddr::new("10.0.0.2".parse().expect("an address"), port);

    let mut source = SourceConfig::new(far_end(Service::Discard.port()));
    source.amount = Amount::Bytes(u64::MAX);
    (source.connection.send_buffer, source.connection.receive_buffer) = (2 << 20, 2 << 20);
    let mut listen = ListenConfig::new(source.remote);
    listen.connection = source.connection;
    let sink = Server::new(Service::Discard, listen, Buffer::growing());
    let sink = emulator.add_application(RIGHT, sink).expect("it listens");
    emulator.add_application(LEFT, Source::new(source)).expect("it connects");

    let remote = far_end(4000);
    let server = Server::new(Respond, ListenConfig::new(remote), Buffer::growing());
    emulator.add_application(RIGHT, server).expect("it listens");
    let exchange = |pause| Exchange { pause, request: 100, response: 100 };
    let exchanges = std::iter::once(exchange(FIRST)).chain(std::iter::repeat(exchange(PAUSE)));
    let schedule = Recorded::new(exchanges, Buffer::growing());
    let requests = Requests::new(RequestsConfig::new(remote), schedule);
    let requests = emulator.add_application(LEFT, requests).expect("it connects");
    emulator.run_until(Instant::from_secs(SECONDS));

    let requests = emulator.application(requests).expect("it was added");
    let took = |done: &Completed| done.ended.saturating_since(done.began).as_nanos() as f64 / 1e6;
    let mut took: Vec<f64> = requests.schedule().completed().iter().map(took).collect();
    took.sort_by(f64::total_cmp);
    let received = emulator.application(sink).expect("it was added").statistics().bytes_received;
    let line = config.paths[0].rate.bits_per_second() as f64 / 8.0 * SECONDS as f64;
    Beside {
        requests: took.len(),
        median: crate::report::median(took.clone()),
        longest: took.last().copied().unwrap_or(0.0),
        share: received as f64 / line * 100.0,
    }
}

//! Connections of one host that share its line.

use crate::common::{far_end, pair_under};
use ackclock::apps::{
    Amount, Completed, Exchange, Recorded, Requests, RequestsConfig, Respond, Server, Service,
    Source, SourceConfig,
};
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{LEFT, RIGHT};

/// The least time of a request and its response of 100 bytes each: 5 ms there and back, and the packets
/// of 152 bytes on the line.
const LEAST: Duration = Duration::from_nanos(10_000_000 + 2 * 152 * 800);
/// The time of five full packets on the line.
const FIVE_PACKETS: Duration = Duration::from_micros(5 * 1_200);

/// A flow with a window of a megabyte and, from its 2nd second on, a hundred requests beside it, over
/// 10 Mbit/s and 5 ms: how long the requests took, and the bytes that the flow's peer has after 10 s.
fn requests_beside_a_giant_window(bql: &str) -> (Vec<Duration>, u64) {
    let path = format!("rate=10mbit,delay=5ms,loss=0,queue=infinite{bql}");
    let mut emulator = pair_under("fixed:1M".parse().unwrap(), &path, 1, ());
    let listen = ListenConfig::new(far_end(false, 4000));
    let server = Server::new(Respond, listen, Buffer::growing());
    emulator.add_application(RIGHT, server).unwrap();
    let mut source = SourceConfig::new(far_end(false, 9));
    source.amount = Amount::Bytes(u64::MAX);
    (source.connection.send_buffer, source.connection.receive_buffer) = (2 << 20, 2 << 20);
    let mut listen = ListenConfig::new(source.remote);
    listen.connection = source.connection;
    let server = Server::new(Service::Discard, listen, Buffer::growing());
    let sink = emulator.add_application(RIGHT, server).unwrap();
    emulator.add_application(LEFT, Source::new(source)).unwrap();
    let exchange = |pause| Exchange { pause, request: 100, response: 100 };
    let exchanges = std::iter::once(exchange(Duration::from_secs(2)))
        .chain(std::iter::repeat_n(exchange(Duration::from_micros(12_345)), 99));
    let schedule = Recorded::new(exchanges, Buffer::growing());
    let requests = Requests::new(RequestsConfig::new(far_end(false, 4000)), schedule);
    let requests = emulator.add_application(LEFT, requests).unwrap();
    emulator.run_until(Instant::from_secs(10));
    let received = emulator.application(sink).unwrap().statistics().bytes_received;
    let requests = emulator.application(requests).unwrap();
    assert_eq!(requests.error(), None);
    let took = |done: &Completed| done.ended.saturating_since(done.began);
    (requests.schedule().completed().iter().map(took).collect(), received)
}

#[test]
fn a_request_waits_behind_all_that_a_giant_window_has_put_into_the_queue() {
    let (took, _) = requests_beside_a_giant_window("");
    assert!(
        took.len() >= 5 && took.iter().all(|took| *took > Duration::from_millis(800)),
        "{took:?}"
    );
}

/// Before it go the packet on the line, the three that are in the device's queue when it has just taken
/// one with fewer than 3 kB in it, and the other connection's turn.
#[test]
fn a_byte_queue_limit_lets_a_request_wait_for_its_share_only() {
    let (took, received) = requests_beside_a_giant_window(",bql=3kB");
    assert_eq!(took.len(), 100);
    assert!(took.iter().all(|took| *took >= LEAST && *took <= LEAST + FIVE_PACKETS), "{took:?}");
    let line = 1_250_000 * 10 * 1_448 / 1_500;
    assert!(received > line / 100 * 98, "{received}");
}

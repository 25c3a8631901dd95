//! Applications with random times and sizes, which follow from seeds.

use crate::common::{far_end, pair};
use ackclock::apps::{
    Amount, Burst, Completed, Exchange, Later, Recorded, Requests, RequestsConfig, Respond, Server,
    Service, Source, SourceConfig,
};
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Distribution, Draws, Ended, LEFT, RIGHT};

const PATH: &str = "rate=1.5mbit,delay=20ms,loss=1%,queue=20";

/// The outcome of 30 bursts that begin at a random time, with pauses of 100 ms on average.
fn on_and_off(seed: u64) -> Vec<Completed> {
    let mut emulator = pair(PATH, 1);
    let listen = ListenConfig::new(far_end(false, 9));
    let server = Server::new(Service::Discard, listen, Buffer::growing()).once();
    let server = emulator.add_application(RIGHT, server).unwrap();
    let draws = |distribution, stream| Draws::new(distribution, seed, stream);
    let pauses = draws(Distribution::Exponential(100_000_000), 0);
    let bursts = pauses.zip(draws(Distribution::Uniform(1, 20_000), 1)).take(30);
    let bursts = bursts.map(|(pause, bytes)| Burst {
        pause: Duration::from_nanos(pause),
        amount: Amount::Bytes(bytes),
    });
    let schedule = Recorded::new(bursts, Buffer::growing());
    let source = Source::with_schedule(SourceConfig::new(far_end(false, 9)), schedule);
    let at = draws(Distribution::Uniform(0, 1_000_000_000), 2).map(Instant::from_nanos).next();
    let at = at.unwrap();
    let source = emulator.add_application(LEFT, Later::new(at, source)).unwrap();
    assert_eq!(emulator.run_until_done(Instant::from_secs(100)), Ended::Done);
    let source = emulator.application(source).unwrap().application();
    assert_eq!((source.started(), source.error()), (Some(at), None));
    let received = emulator.application(server).unwrap().statistics().bytes_received;
    assert_eq!(received, source.sent());
    source.schedule().completed().to_vec()
}

#[test]
fn an_on_off_source_does_what_its_seed_says() {
    let completed = on_and_off(1);
    let sizes = Draws::new(Distribution::Uniform(1, 20_000), 1, 1);
    assert!(completed.iter().map(|each| each.sent).eq(sizes.take(30)));
    let pauses = Draws::new(Distribution::Exponential(100_000_000), 1, 0).skip(1);
    for (pair, pause) in completed.windows(2).zip(pauses) {
        assert_eq!(pair[1].began.saturating_since(pair[0].ended), Duration::from_nanos(pause));
    }
    assert_eq!(completed, on_and_off(1));
    assert_ne!(completed, on_and_off(2));
}

#[test]
fn requests_of_random_sizes_are_all_answered() {
    let mut emulator = pair(PATH, 1);
    let listen = ListenConfig::new(far_end(true, 4000));
    let server = Server::new(Respond, listen, Buffer::growing()).once();
    emulator.add_application(RIGHT, server).unwrap();
    let mut draws = [
        Distribution::Exponential(50_000_000),
        Distribution::Uniform(8, 2_000),
        Distribution::Exponential(30_000),
    ]
    .map(|distribution| Draws::new(distribution, 3, 7));
    let exchanges = std::iter::from_fn(move || {
        let [pause, request, response] = draws.each_mut().map(|draws| draws.next());
        let (request, response) = (request? as u32, response? as u32);
        Some(Exchange { pause: Duration::from_nanos(pause?), request, response })
    });
    let schedule = Recorded::new(exchanges.take(40), Buffer::growing());
    let requests = Requests::new(RequestsConfig::new(far_end(true, 4000)), schedule);
    let requests = emulator.add_application(LEFT, requests).unwrap();
    assert_eq!(emulator.run_until_done(Instant::from_secs(100)), Ended::Done);
    let requests = emulator.application(requests).unwrap();
    assert_eq!((requests.error(), requests.completed()), (None, 40));
    // An answer takes at least a round trip.
    let completed = requests.schedule().completed();
    assert!(completed.iter().all(|each| each.latency() > Duration::from_millis(40)));
}

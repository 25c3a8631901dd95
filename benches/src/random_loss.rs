//! What laws make of a path that loses packets at random: 50 Mbit/s, 40 ms, and a queue of one
//! bandwidth-delay product.

use ackclock::apps::{Amount, Server, Service, Source, SourceConfig};
use ackclock::congestion::CongestionController;
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Emulator, Event, LEFT, Observer, PairConfig, RIGHT, Series, Wants};
use ackclock_judge::FormJudges;
use std::net::SocketAddr;

/// Bits per second.
pub const RATE: f64 = 50e6;
/// The bandwidth-delay product, in bytes, IP headers included.
pub const BDP: u64 = 250_000;

/// How a flow fared, from its first SYN on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Use {
    /// What the sender put on the line, in percent of its rate.
    pub utilisation: f64,
    /// Payload that was acknowledged, in percent of the line's rate.
    pub goodput: f64,
    /// Bytes that wait, in the median of time.
    pub queue: u64,
    /// Segments sent again.
    pub retransmitted: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Reductions that were taken back.
    pub undos: u64,
}

/// How long the queue at the line is, in bytes.
#[derive(Default)]
struct Queue(Series);

impl Observer for Queue {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        if let Event::Queue(queue) = event
            && queue.from == LEFT.into()
        {
            self.0.record(now, queue.length.bytes);
        }
    }

    fn wants(&self) -> Wants {
        Wants { queues: true, ..Wants::NOTHING }
    }
}

/// A flow under `law` for so many seconds, where both directions lose packets with the probability
/// `loss`. Buffers are large enough for whatever window.
pub fn run<C: CongestionController + Clone + 'static>(
    law: C,
    loss: &str,
    seconds: u64,
    seed: u64,
) -> Use {
    let path = format!("rate=50mbit,delay=20ms,loss={loss},queue={BDP}B");
    let mut config = PairConfig::new(path.parse().expect("a path"));
    config.seed = seed;
    let observer = (Queue::default(), FormJudges::if_asked([LEFT, RIGHT]));
    let mut emulator = Emulator::pair(&config, [law.clone(), law], observer).expect("a network");
    let remote = SocketAddr::new("10.0.0.2".parse().expect("an address"), Service::Discard.port());
    let mut source = SourceConfig::new(remote);
    source.amount = Amount::Bytes(u64::MAX);
    source.connection.send_buffer = 4 << 20;
    source.connection.receive_buffer = 4 << 20;
    let mut listen = ListenConfig::new(remote);
    listen.connection = source.connection;
    let server = Server::new(Service::Discard, listen, Buffer::growing());
    emulator.add_application(RIGHT, server).expect("it listens");
    let source = emulator.add_application(LEFT, Source::new(source)).expect("it connects");
    let end = Instant::ZERO + Duration::from_secs(seconds);
    emulator.run_until(end);

    let source = emulator.application(source).expect("it was added");
    let info = source.info(end, emulator.stack(LEFT)).expect("it was opened");
    let percent = |bytes: u64| bytes as f64 * 8.0 / seconds as f64 / RATE * 100.0;
    Use {
        utilisation: percent(emulator.link_statistics(LEFT).bytes_carried),
        goodput: percent(info.bytes_acked),
        queue: emulator.observer().0.0.over(Instant::ZERO, end).expect("a queue").median,
        retransmitted: info.retransmitted,
        timeouts: info.timeouts,
        undos: info.undos,
    }
}

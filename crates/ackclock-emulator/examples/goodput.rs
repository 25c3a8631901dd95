//! Goodput: how much of a path's rate a discard transfer of 16 MiB uses, without loss and with that
//! of the default path, and what recovery did meanwhile. Run it with `--release` for a meaningful
//! wall time.
//!
//! The idle time is the longest in which the sender's line had nothing to send, from the first data
//! on.

use ackclock::apps::{Amount, Server, Service, Source, SourceConfig};
use ackclock::congestion::BuiltIn;
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Emulator, Event, LEFT, Observer, PairConfig, Path, RIGHT, Rate};
use std::error::Error;

const BYTES: u64 = 16 << 20;

/// An observer of the line out of the left host.
struct Line {
    rate: Rate,
    /// When the line becomes idle; `None` before the first data.
    busy_until: Option<Instant>,
    longest_idle: Duration,
}

impl Observer for Line {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        let Event::Sent(packet) = event else { return };
        let bytes = packet.bytes.len();
        if packet.from != LEFT.into() || (self.busy_until.is_none() && bytes < 1000) {
            return;
        }
        let free_at = self.busy_until.unwrap_or(now);
        self.longest_idle = self.longest_idle.max(now.saturating_since(free_at));
        self.busy_until = Some(free_at.max(now) + self.rate.transmission_time(bytes));
    }
}

fn run(text: &str, seed: u64) -> Result<(), Box<dyn Error>> {
    let path: Path = text.parse()?;
    let mut config = PairConfig::new(path.clone());
    config.seed = seed;
    let line = Line { rate: path.rate, busy_until: None, longest_idle: Duration::ZERO };
    let mut emulator = Emulator::pair(&config, [BuiltIn::default(), BuiltIn::default()], line)?;
    let remote = "10.0.0.2:9".parse()?;
    let server = Server::new(Service::Discard, ListenConfig::new(remote), Buffer::growing());
    emulator.add_application(RIGHT, server.once())?;
    let mut source = SourceConfig::new(remote);
    source.amount = Amount::Bytes(BYTES);
    let source = emulator.add_application(LEFT, Source::new(source))?;

    let began = std::time::Instant::now();
    let ended = emulator.run_until_done(Instant::from_secs(3600));
    let wall = began.elapsed();

    let source = emulator.application(source).ok_or("it was added")?;
    let info = source.last_info().ok_or("the transfer is not over")?;
    let link = emulator.link_statistics(LEFT);
    let seconds = emulator.now().as_nanos() as f64 / 1e9;
    let bits = link.bytes_carried as f64 * 8.0;
    println!(
        "{path} seed {seed}: {ended:?}, {:.3} Mbit/s, line used {:.1} %, lost {} + {} in the \
         queue, retransmitted {}, D-SACKs {}, fast recoveries {}, timeouts {}, idle {:?}, wall \
         {wall:.0?}",
        BYTES as f64 * 8.0 / seconds / 1e6,
        bits / seconds / path.rate.bits_per_second() as f64 * 100.0,
        link.packets_lost,
        link.packets_dropped,
        info.retransmitted,
        info.dsacks_received,
        info.fast_recoveries,
        info.timeouts,
        emulator.observer().longest_idle,
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    for queue in [16, 64, 1000] {
        run(&format!("rate=10mbit,delay=20ms,loss=0,queue={queue}"), 1)?;
    }
    for seed in 0..6 {
        run("rate=10mbit,delay=20ms,loss=1%,queue=64", seed)?;
    }
    run("rate=10mbit,delay=20ms,loss=10%,queue=64", 1)?;
    run("rate=1gbit,delay=20ms,loss=0,queue=64", 1)
}

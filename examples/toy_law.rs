//! A congestion control of one's own in the emulator.
//!
//! The algorithm below opens the window by a segment per round trip while the path shows no queue, and
//! closes it by a quarter when it does, or when something is lost. It is a toy: it starts slowly and
//! yields to every other algorithm. See the documentation of `CongestionController` for the calls that an
//! algorithm receives and the results that it returns.
//!
//! ```sh
//! cargo run --example toy_law
//! ```

use ackclock::apps::{Amount, Server, Service, Source, SourceConfig};
use ackclock::congestion::{Ack, BoxedController, Congestion, CongestionController, Reno, Start};
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::time::Instant;
use ackclock_emulator::{Emulator, LEFT, PairConfig, RIGHT};
use std::error::Error;

#[derive(Clone, Debug, Default)]
struct Toy {
    mss: u32,
    window: u32,
}

impl CongestionController for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn on_start(&mut self, start: &Start) {
        *self = Toy { mss: start.mss, window: start.initial_window };
    }

    fn on_ack(&mut self, ack: &Ack) {
        // The path's own time is the least that was ever measured; the rest is queueing.
        let queueing = ack.smoothed_rtt.saturating_sub(ack.min_rtt);
        if !ack.new_round || ack.in_recovery {
        } else if queueing > ack.min_rtt / 4 {
            self.window = (self.window - self.window / 4).max(2 * self.mss);
        } else if ack.window_limited {
            self.window += self.mss;
        }
    }

    fn on_congestion(&mut self, _event: &Congestion) {
        self.window = (self.window - self.window / 4).max(2 * self.mss);
    }

    fn on_mss_change(&mut self, mss: u32) {
        self.mss = mss;
        self.window = self.window.max(mss);
    }

    fn window(&self) -> u32 {
        self.window
    }

    fn slow_start_threshold(&self) -> u32 {
        0 // It never is in slow start.
    }
}

/// Sends 4 MiB over a path of 10 Mbit/s and 40 ms there and back; how long that took and what the
/// round-trip time was in the end, in milliseconds.
fn transfer(law: BoxedController) -> Result<(u64, u64), Box<dyn Error>> {
    let config = PairConfig::new("rate=10mbit,delay=20ms,loss=0,queue=100".parse()?);
    let mut emulator = Emulator::pair(&config, [law.clone(), law], ())?;
    let remote = "10.0.0.2:9".parse()?;
    let server = Server::new(Service::Discard, ListenConfig::new(remote), Buffer::growing());
    emulator.add_application(RIGHT, server.once())?;
    let mut source = SourceConfig::new(remote);
    source.amount = Amount::Bytes(4 << 20);
    let source = emulator.add_application(LEFT, Source::new(source))?;
    emulator.run_until_done(Instant::from_secs(60));
    let info = emulator.application(source).and_then(Source::last_info).ok_or("it did not end")?;
    Ok((emulator.now().as_millis(), info.rtt.as_millis()))
}

fn main() -> Result<(), Box<dyn Error>> {
    for law in [Box::<Toy>::default() as BoxedController, Box::<Reno>::default()] {
        let name = law.name();
        let (millis, rtt) = transfer(law)?;
        println!("{name}: 4 MiB in {millis} ms, round-trip time {rtt} ms in the end");
    }
    Ok(())
}

#[test]
fn the_toy_fills_the_path_with_less_queue_than_reno() -> Result<(), Box<dyn Error>> {
    let (toy, reno) = (transfer(Box::<Toy>::default())?, transfer(Box::<Reno>::default())?);
    assert!(toy.0 < reno.0 + reno.0 / 4 && toy.1 < reno.1 / 2, "{toy:?} {reno:?}");
    Ok(())
}

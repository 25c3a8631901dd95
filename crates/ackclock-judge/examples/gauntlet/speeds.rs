//! Transfers that must not take longer than path and law allow: what was chosen, and where the bound comes from.
//!
//! Slow start doubles the window in each round trip, so that a path is full after as many round trips as it holds doublings of the
//! initial window; a law that follows RFC 5681 or a successor keeps a path with a queue of a round trip busy; and over
//! a path that loses the share p of segments Reno sends 1.22 / sqrt(p) segments in a round trip (Mathis and others,
//! 1997). A run may take half as long again, and two seconds more.

use crate::actor::{Plan, QUIET};
use crate::emulated::Run;
use ackclock::tcp::{BufferTuning, Config, RecoveryAlgorithm};
use ackclock::time::Duration;

/// A path: rate in bytes per millisecond, round trip in milliseconds, and the rest of it.
struct Speed {
    path: &'static str,
    rate: u64,
    round_trip: u64,
    /// Segments lost of a million.
    loss: u64,
    amount: u64,
}

const SPEEDS: [Speed; 7] = [
    Speed {
        path: "rate=20mbit,delay=20ms,loss=0,queue=70",
        rate: 2_500,
        round_trip: 40,
        loss: 0,
        amount: 15_000_000,
    },
    Speed {
        path: "rate=100mbit,delay=50ms,loss=0,queue=900",
        rate: 12_500,
        round_trip: 100,
        loss: 0,
        amount: 6_000_000,
    },
    Speed {
        path: "rate=50mbit,delay=10ms,loss=1%",
        rate: 6_250,
        round_trip: 20,
        loss: 10_000,
        amount: 4_000_000,
    },
    Speed {
        path: "rate=20mbit,delay=20ms,loss=0,reorder=2%:8ms",
        rate: 2_500,
        round_trip: 40,
        loss: 0,
        amount: 15_000_000,
    },
    Speed {
        path: "rate=20mbit,delay=20ms,loss=0,duplicate=3%",
        rate: 2_500,
        round_trip: 40,
        loss: 0,
        amount: 15_000_000,
    },
    Speed {
        path: "rate=20mbit,delay=20ms,loss=0,jitter=8ms",
        rate: 2_500,
        round_trip: 48,
        loss: 0,
        amount: 15_000_000,
    },
    Speed {
        path: "rate=20mbit,delay=1500us,loss=0,queue=10",
        rate: 2_500,
        round_trip: 3,
        loss: 0,
        amount: 15_000_000,
    },
];

/// Laws that share the Internet today, and how their host is set.
const LAWS: [&str; 5] = ["reno", "cubic", "veno", "bbr", "reno:hystart=on"];

impl Speed {
    /// How long the transfer may take.
    fn within(&self) -> Duration {
        let segment = 1_448;
        // 1.22 / sqrt(p), of which the half and no more than the path carries.
        let by_loss = match (1_000_000 * 1_000_000_u64).checked_div(self.loss) {
            Some(square) => square.isqrt() * segment * 122 / 100 / 1_000 / self.round_trip,
            None => u64::MAX,
        };
        let steady = self.amount / self.rate.min(by_loss).max(1);
        let doublings = (self.rate * self.round_trip / (10 * segment)).max(2).ilog2() + 2;
        let millis = steady + u64::from(doublings) * self.round_trip;
        Duration::from_millis(millis + millis / 2 + 2_000)
    }
}

/// Each law over each path, with buffers that are no bound and with such as follow the need.
pub(crate) fn all() -> Vec<(String, Run)> {
    let mut list = Vec::new();
    for (number, speed) in SPEEDS.iter().enumerate() {
        for (turn, law) in LAWS.into_iter().enumerate() {
            let mut config = Config::default();
            (config.send_buffer, config.receive_buffer) = (4_000_000, 4_000_000);
            config.timestamps = (turn + number) % 2 == 0;
            // As many holes as there may be after slow start.
            config.reassembly_ranges = 4_096;
            config.recovery = RecoveryAlgorithm::Rack;
            if turn % 2 == 1 {
                config.buffer_tuning = BufferTuning::Automatic;
            }
            let run = Run {
                law,
                configs: [config; 2],
                plans: [Plan { amount: speed.amount, piece: 20_000, ..QUIET }, QUIET],
                seed: 7,
                limit: Duration::from_secs(120),
                within: speed.within(),
                ..Run::new(speed.path)
            };
            list.push((format!("speed of {law}, {}", speed.path), run));
        }
    }
    list
}

//! What a run is made of. The `Debug` form of everything here is Rust that makes it again.

use ackclock::congestion::{BuiltIn, InitialWindow};
use ackclock::tcp::{AckPolicy, Config, RecoveryAlgorithm};
use ackclock::time::Duration;
use ackclock_emulator::Path;

/// One end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Left,
    Right,
}

impl Side {
    pub(crate) const BOTH: [Side; 2] = [Side::Left, Side::Right];

    pub(crate) fn other(self) -> Side {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }
}

/// One direction of the path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathSetting {
    pub(crate) bits_per_second: u64,
    pub(crate) delay_micros: u64,
    pub(crate) queue_packets: u32,
    /// In packets of a thousand, as the next ones.
    pub(crate) loss: u32,
    pub(crate) duplicate: u32,
    pub(crate) reorder: u32,
    pub(crate) reorder_micros: u64,
    pub(crate) corrupt: u32,
    /// How much the delay varies; packets stay in order.
    pub(crate) jitter_micros: u64,
    /// When the path is dead, and for how long, in milliseconds from the run's beginning.
    pub(crate) outage_millis: Option<(u64, u64)>,
    pub(crate) mtu: u32,
}

impl PathSetting {
    pub(crate) fn path(&self) -> Path {
        let percent = |thousandths: u32| format!("{}.{}%", thousandths / 10, thousandths % 10);
        let outage = self.outage_millis.map_or(String::new(), |(from, length)| {
            format!(",outage={}ms..{}ms:lose", from, from + length)
        });
        let text = format!(
            "rate={}bit,delay={}us,queue={},loss={},duplicate={},reorder={}:{}us,corrupt={},\
             jitter={}us,mtu={}{outage}",
            self.bits_per_second,
            self.delay_micros,
            self.queue_packets,
            percent(self.loss),
            percent(self.duplicate),
            percent(self.reorder),
            self.reorder_micros,
            percent(self.corrupt),
            self.jitter_micros,
            self.mtu,
        );
        text.parse().expect("a path")
    }
}

/// How one end is set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndSetting {
    pub(crate) mss: u16,
    pub(crate) send_buffer: u32,
    pub(crate) receive_buffer: u32,
    pub(crate) flight_records: u32,
    pub(crate) reassembly_ranges: u32,
    pub(crate) window_scaling: bool,
    pub(crate) timestamps: bool,
    pub(crate) sack: bool,
    pub(crate) nagle: bool,
    /// `None`: an ack for each segment.
    pub(crate) delayed_ack_millis: Option<u64>,
    pub(crate) initial_window: u16,
    /// Index in the list of recoveries.
    pub(crate) recovery: usize,
    /// Index in [`LAWS`].
    pub(crate) law: usize,
}

/// The window laws that are tried.
pub(crate) const LAWS: [&str; 7] = ["reno", "cubic", "tahoe", "veno", "bbr", "vegas", "none"];

/// So long that no connection of these tests is given up: a fifth of all packets may be lost, and
/// sooner or later many in a row are.
const NEVER: Duration = Duration::from_secs(1_000_000_000);

impl EndSetting {
    pub(crate) fn config(&self) -> Config {
        let mut config = Config::default();
        config.mss = Some(self.mss);
        config.send_buffer = self.send_buffer;
        config.receive_buffer = self.receive_buffer;
        config.flight_records = self.flight_records;
        config.reassembly_ranges = self.reassembly_ranges;
        config.window_scaling = self.window_scaling;
        config.timestamps = self.timestamps;
        config.sack = self.sack;
        config.nagle = self.nagle;
        config.ack_policy = match self.delayed_ack_millis {
            None => AckPolicy::EverySegment,
            Some(millis) => {
                AckPolicy::Delayed { timeout: Duration::from_millis(millis), quick_acks: 4 }
            }
        };
        config.initial_window = InitialWindow::segments(self.initial_window);
        config.recovery = RecoveryAlgorithm::ALL[self.recovery % RecoveryAlgorithm::ALL.len()];
        (config.give_up, config.syn_give_up) = (NEVER, NEVER);
        config
    }

    pub(crate) fn law(&self) -> BuiltIn {
        BuiltIn::by_name(LAWS[self.law]).expect("a law")
    }
}

/// Everything that is settled before a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) seed: u64,
    pub(crate) ipv6: bool,
    /// Both ends connect at the same instant (RFC 9293 section 3.5, figure 7).
    pub(crate) simultaneous: bool,
    /// So many sequence numbers after the left end's first one they begin again at 0.
    pub(crate) wraps_after: Option<u32>,
    pub(crate) paths: [PathSetting; 2],
    pub(crate) ends: [EndSetting; 2],
}

/// A step of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    /// Time passes.
    Run { micros: u64 },
    /// The end offers so many bytes; what does not fit is not offered again.
    Write { side: Side, bytes: u32 },
    /// The end reads so many bytes, if there are any.
    Read { side: Side, bytes: u32 },
    /// Whether the end reads whatever arrives; it does at first.
    SetReading { side: Side, on: bool },
    /// Half-close.
    Shutdown { side: Side },
    /// The end gives its handle up.
    Close { side: Side },
    /// The end breaks off.
    Abort { side: Side },
    /// Nagle's algorithm.
    Nagle { side: Side, on: bool },
    /// Full-sized segments only.
    Cork { side: Side, on: bool },
    /// Keepalive, with three probes a second apart.
    Keepalive { side: Side, on: bool },
    /// Another codepoint.
    Dscp { side: Side, dscp: u8 },
    /// The clock of one host jumps, for one call.
    ClockJump { side: Side, millis: i64 },
}

//! The settings and actions of a run. The `Debug` form of each type here is Rust code for the same
//! value.

use ackclock::congestion::{BuiltIn, InitialWindow};
use ackclock::tcp::{AckPolicy, Config, Nagle, RecoveryAlgorithm};
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
    /// Packets of a thousand that are lost; likewise `duplicate`, `reorder` and `corrupt`.
    pub(crate) loss: u32,
    pub(crate) duplicate: u32,
    pub(crate) reorder: u32,
    pub(crate) reorder_micros: u64,
    pub(crate) corrupt: u32,
    /// The most by which the delay varies; packets stay in order.
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

/// The settings of one end.
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
    pub(crate) nagle: Nagle,
    /// Delay of acks; `None` for an ack for each segment.
    pub(crate) delayed_ack_millis: Option<u64>,
    pub(crate) initial_window: u16,
    /// Index in the list of recoveries.
    pub(crate) recovery: usize,
    /// Index in [`LAWS`].
    pub(crate) law: usize,
}

/// The window laws that are tried.
pub(crate) const LAWS: [&str; 7] = ["reno", "cubic", "tahoe", "veno", "bbr", "vegas", "none"];

/// A give-up time so long that no connection of these tests reaches it: a fifth of all packets may
/// be lost, and sooner or later many in a row are.
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

/// All settings of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) seed: u64,
    pub(crate) ipv6: bool,
    /// Both ends connect at the same instant (RFC 9293 section 3.5, figure 7).
    pub(crate) simultaneous: bool,
    /// Sequence numbers of the left end wrap to 0 this many after its first one.
    pub(crate) wraps_after: Option<u32>,
    pub(crate) paths: [PathSetting; 2],
    pub(crate) ends: [EndSetting; 2],
}

/// A step of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    /// Time passes.
    Run { micros: u64 },
    /// The end writes this many bytes; those that do not fit are not written later.
    Write { side: Side, bytes: u32 },
    /// The end reads up to this many bytes.
    Read { side: Side, bytes: u32 },
    /// Sets whether the end reads whatever arrives, as it does at first.
    SetReading { side: Side, on: bool },
    /// The end half-closes its connection.
    Shutdown { side: Side },
    /// The end closes its handle.
    Close { side: Side },
    /// The end aborts its connection.
    Abort { side: Side },
    /// Sets Nagle's algorithm.
    Nagle { side: Side, kind: Nagle },
    /// Sets whether only full-sized segments are sent.
    Cork { side: Side, on: bool },
    /// Sets keepalive, with three probes a second apart.
    Keepalive { side: Side, on: bool },
    /// Sets the DSCP.
    Dscp { side: Side, dscp: u8 },
    /// The clock of one host jumps, for one call.
    ClockJump { side: Side, millis: i64 },
}

//! What a sender tells of a path of which all is known: nothing disturbs it, each segment is acknowledged, and there is always
//! more to send.
//!
//! Acks of segments that the slowest link has spaced come at its rate, so that no rate of delivery above it is measured, and
//! once the path is full none below but BBR's, which sends less than that at times: at that rate times a gain of its own draft.

use crate::Fault;
use crate::actor::{Plan, QUIET};
use crate::emulated::{Bench, Run};
use ackclock::congestion::BuiltIn;
use ackclock::tcp::{AckPolicy, Config, Pacing};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Emulator, LEFT};

/// What is known of a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// Bytes of payload that it carries in a second.
    rate: u64,
    round_trip: Duration,
    /// From then on it is full.
    full_from: Instant,
    /// The sender is told to pace whatever its law says.
    paces: bool,
}

/// Gains with which BBR paces (draft-ietf-ccwg-bbr section 2.4 and 5.3), in hundredths: startup, drain, and the phases of
/// ProbeBW; and the share of each that is sent (section 2.5).
const GAINS: [u64; 5] = [277, 50, 90, 100, 125];
const SENT_PERCENT: u64 = 99;

/// Whether two rates differ by less than one of two thousand, more than times in whole microseconds make.
fn is_near(one: u64, other: u64) -> bool {
    one.abs_diff(other) <= other / 2_000 + 2
}

impl Known {
    /// What the sender tells that cannot be.
    pub(crate) fn contradicted(&self, emulator: &Emulator<BuiltIn, Bench>) -> Option<Fault> {
        let now = emulator.now();
        let mut told = emulator.stack(LEFT).connections(now).map(|(_, info)| info);
        // While the application has more to send than the window takes.
        let info =
            told.find(|info| info.send_queue > 2 * info.in_flight && info.rtt_samples > 0)?;
        let is_full = now >= self.full_from;
        let (rate, pacing) = (info.delivery_rate, info.pacing_rate);
        let is_bbr = info.congestion == "bbr";
        let is_gain = |rate: u64| {
            GAINS.iter().any(|gain| is_near(rate, self.rate * gain * SENT_PERCENT / 10_000))
        };
        let holds = [
            (rate <= self.rate + self.rate / 2_000, "delivery faster than the path"),
            (is_bbr || !is_full || is_near(rate, self.rate), "delivery slower than the path"),
            // BBR counts what it measures with a small window so (section 5.3.4.3 of its draft).
            (is_bbr || !is_full || !info.delivery_rate_app_limited, "limited by the application"),
            (info.min_rtt >= self.round_trip, "a round trip shorter than the path's"),
            (!is_bbr || !is_full || pacing.is_some_and(is_gain), "BBR's pacing"),
            (!self.paces || pacing.is_some(), "no pacing, where all is to be paced"),
        ];
        let (_, what) = holds.iter().find(|(holds, _)| !holds)?;
        let text = format!("{what}, where {} B/s pass: {info:?}", self.rate);
        Some(Fault::Numbers(text))
    }
}

/// Each law over two paths.
pub(crate) fn all() -> Vec<(String, Run)> {
    // Bytes in a millisecond, and milliseconds of a round trip.
    const PATHS: [(&str, u64, u64); 2] = [
        ("rate=20mbit,delay=20ms,loss=0,queue=300", 2_500, 40),
        ("rate=8mbit,delay=5ms,loss=0,queue=100", 1_000, 10),
    ];
    let mut config = Config::default();
    (config.send_buffer, config.receive_buffer) = (4_000_000, 4_000_000);
    config.ack_policy = AckPolicy::EverySegment;
    let mut paced = config;
    paced.pacing = Pacing::Always;
    let run = |law: &'static str, (path, rate, round_trip): (&'static str, u64, u64), paces| Run {
        law,
        configs: [if paces { paced } else { config }; 2],
        plans: [Plan { amount: rate * 12_000, piece: 20_000, ..QUIET }, QUIET],
        limit: Duration::from_secs(60),
        known: Some(Known {
            // With timestamps 1,448 of 1,500 bytes are payload.
            rate: rate * 1_000 * 1_448 / 1_500,
            round_trip: Duration::from_millis(round_trip),
            full_from: Instant::from_secs(4),
            paces,
        }),
        ..Run::new(path)
    };
    let named = |(law, path): (&'static str, (&'static str, u64, u64))| {
        (format!("what {law} tells of {}", path.0), run(law, path, false))
    };
    let laws = ["reno", "cubic", "bbr"];
    let all = laws.into_iter().flat_map(|law| PATHS.map(|path| (law, path))).map(named);
    let paced = PATHS
        .map(|path| (format!("what cubic, paced, tells of {}", path.0), run("cubic", path, true)));
    all.chain(paced).collect()
}

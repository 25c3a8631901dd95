//! What may stand for a parameter's value, and the number that it is on an axis.

use ackclock::congestion::{BuiltIn, InitialWindow};
use ackclock::tcp::{AckPolicy, CongestionControl, EcnMode, Pacing, RecoveryAlgorithm, RtoConfig};
use ackclock::time::Duration;
use ackclock_emulator::{Loss, Probability, Rate};
use serde::Deserialize;
use std::str::FromStr;

/// What may stand for a value, besides those that an experiment has itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A span of time: `20ms`.
    Time,
    /// Whole seconds, without a unit.
    Seconds,
    /// A queue's length in packets.
    Packets,
    /// How many of something.
    Count,
    /// A number from 0 on.
    Number,
    /// A share of packets: `1%`, or another way to lose them.
    Loss,
    /// A rate: `50kbit`.
    Rate,
    /// Two whole numbers between which values are drawn: `40..400`.
    Span,
    /// A law, as `--cc` takes it.
    Law,
    /// How losses are repaired.
    Recovery,
    /// When receivers acknowledge.
    Acks,
    /// A retransmission timer.
    Timer,
    /// A window to begin with.
    InitialWindow,
    /// Explicit congestion notification.
    Ecn,
    /// Whether transmissions are spread over the round trip.
    Pacing,
    /// Nothing but the values that the experiment has itself.
    Listed,
}

/// Most packets in a queue, and most of anything that is counted.
const MOST: u64 = 1_000_000;

impl Kind {
    /// The kind of a choice, by its name, since what is not stated has alike names in all papers.
    pub(crate) fn of_choice(name: &str, value: &str) -> Kind {
        if value.contains("..") {
            return Kind::Span;
        }
        match name {
            "acks" => Kind::Acks,
            "advertised" | "exchanges" | "mss" | "threshold" => Kind::Count,
            "buffer" | "gateway" => Kind::Packets,
            "delay" | "pause" | "round_trip" | "start" => Kind::Time,
            "jitter" | "loss" | "small" | "step" => Kind::Number,
            "length" => Kind::Seconds,
            "line" | "rate" => Kind::Rate,
            "new_timer" | "old_timer" | "timer" => Kind::Timer,
            "recovery" => Kind::Recovery,
            _ => Kind::Listed,
        }
    }

    /// Whether a word is such a value.
    pub(crate) fn accepts(self, word: &str) -> bool {
        fn reads<T: FromStr>(word: &str) -> bool {
            word.parse::<T>().is_ok()
        }
        let counts = || word.parse::<u64>().is_ok_and(|count| (1..=MOST).contains(&count));
        match self {
            Kind::Time => reads::<Duration>(word),
            Kind::Seconds | Kind::Packets | Kind::Count => counts(),
            Kind::Number => word.parse::<f64>().is_ok_and(|number| (0.0..1e9).contains(&number)),
            Kind::Loss => reads::<Loss>(word),
            Kind::Rate => reads::<Rate>(word),
            Kind::Span => span(word).is_some(),
            Kind::Law => reads::<CongestionControl>(word),
            Kind::Recovery => reads::<RecoveryAlgorithm>(word),
            Kind::Acks => reads::<AckPolicy>(word),
            Kind::Timer => reads::<RtoConfig>(word),
            Kind::InitialWindow => reads::<InitialWindow>(word),
            Kind::Ecn => reads::<EcnMode>(word),
            Kind::Pacing => reads::<Pacing>(word),
            Kind::Listed => false,
        }
    }

    /// Such values in words; nothing if none but the listed ones are.
    pub(crate) fn takes(self) -> String {
        match self {
            Kind::Time => "a time such as 20ms".to_owned(),
            Kind::Seconds => format!("seconds, 1 to {MOST}"),
            Kind::Packets => format!("packets, 1 to {MOST}"),
            Kind::Count => format!("a whole number, 1 to {MOST}"),
            Kind::Number => "a number from 0 on".to_owned(),
            Kind::Loss => "a share such as 1%, every:N or gilbert:P:R".to_owned(),
            Kind::Rate => "a rate such as 1.5mbit".to_owned(),
            Kind::Span => "a span such as 40..400".to_owned(),
            Kind::Law => format!("a law ({}, newreno)", BuiltIn::NAMES.join(", ")),
            Kind::Recovery => format!("a recovery ({})", RecoveryAlgorithm::NAMES.join(", ")),
            Kind::Acks => format!("an ack policy ({})", AckPolicy::WORDS),
            Kind::Timer => format!("a timer ({})", RtoConfig::WORDS),
            Kind::InitialWindow => format!("a window ({})", InitialWindow::WORDS),
            Kind::Ecn => EcnMode::WORDS.to_owned(),
            Kind::Pacing => Pacing::WORDS.to_owned(),
            Kind::Listed => String::new(),
        }
    }

    /// The number that a value is on an axis; `None` if it is none.
    pub(crate) fn number(self, word: &str) -> Option<f64> {
        match self {
            Kind::Time => word.parse::<Duration>().ok().map(|time| time.as_nanos() as f64 / 1e9),
            Kind::Loss => {
                let share = word.parse::<Probability>().ok()?;
                Some(f64::from(share.parts_per_billion()) / 1e9)
            }
            Kind::Rate => word.parse::<Rate>().ok().map(|rate| rate.bits_per_second() as f64),
            _ => word.parse::<f64>().ok().filter(|number| number.is_finite()),
        }
    }

    /// The unit on an axis; nothing if there is none.
    pub(crate) fn unit(self) -> &'static str {
        match self {
            Kind::Time | Kind::Seconds => " (s)",
            Kind::Packets => " (packets)",
            Kind::Loss => " (share)",
            Kind::Rate => " (bit/s)",
            _ => "",
        }
    }
}

fn span(word: &str) -> Option<()> {
    let (first, last) = word.split_once("..")?;
    let (first, last) = (first.parse::<u64>().ok()?, last.parse::<u64>().ok()?);
    (first <= last && last <= MOST).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_a_number_in_the_unit_of_its_axis() {
        assert_eq!(Kind::Time.number("20ms"), Some(0.02));
        assert_eq!(Kind::Loss.number("0.1%"), Some(0.001));
        assert_eq!(Kind::Loss.number("every:7"), None);
        assert_eq!(Kind::Rate.number("50kbit"), Some(50_000.0));
        assert_eq!(Kind::Packets.number("infinite"), None);
        assert_eq!(Kind::Listed.number("500"), Some(500.0));
    }

    #[test]
    fn what_is_no_value_is_refused() {
        for (kind, good, bad) in [
            (Kind::Time, "20ms", "20"),
            (Kind::Packets, "20", "0"),
            (Kind::Loss, "1%", "101%"),
            (Kind::Span, "40..400", "400..40"),
            (Kind::Law, "veno:threshold=3", "venom"),
            (Kind::Recovery, "rack", "rak"),
            (Kind::Number, "0.5", "-1"),
        ] {
            assert!(kind.accepts(good), "{kind:?} {good}");
            assert!(!kind.accepts(bad), "{kind:?} {bad}");
        }
        assert!(!Kind::Listed.accepts("anything"));
    }
}

//! Changes of a line in the course of time: its rate, and outages.

use crate::units::{Rate, ShowDuration, UnitError, parse_duration};
use ackclock::time::{Duration, Instant};
use std::fmt;
use std::str::FromStr;

/// A change of a line's rate. A transmission that has begun keeps its rate.
///
/// As text, after the rate that the line begins with: `rate=10mbit/1mbit@5s/10mbit@6s`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateChange {
    /// When the rate changes, since the beginning of the run.
    pub at: Duration,
    /// The rate from then on.
    pub rate: Rate,
}

/// Reads `10mbit/1mbit@5s`: the first rate, and the changes in order of time.
pub(crate) fn parse_rates(text: &str) -> Result<(Rate, Vec<RateChange>), UnitError> {
    let mut parts = text.split('/');
    let first = parts.next().unwrap_or_default().parse()?;
    let change = |part: &str| {
        let (rate, at) = part.split_once('@').ok_or(UnitError::RateChange)?;
        Ok(RateChange { at: parse_duration(at)?, rate: rate.parse()? })
    };
    let changes: Vec<_> = parts.map(change).collect::<Result<_, UnitError>>()?;
    if !changes.is_sorted_by(|one, next| one.at < next.at) {
        return Err(UnitError::Order);
    }
    Ok((first, changes))
}

/// Writes the change as in a path: `1mbit@5s`.
impl fmt::Display for RateChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.rate, ShowDuration(self.at))
    }
}

/// When a line fails, and what becomes of packets then.
///
/// As text: `5s..6s` or `5s..6s/10s..10.5s`, with `:lose` at the end for [`Outages::lose`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outages {
    /// Beginning and end of each outage, since the beginning of the run, in order of time. The line
    /// works again at the end.
    pub spans: Vec<[Duration; 2]>,
    /// Whether the line goes on in an outage and the packets that leave it are lost. Otherwise the
    /// line stands still: a transmission that has begun is completed, none begins, and packets wait
    /// in the queue as far as it has room.
    pub lose: bool,
}

impl FromStr for Outages {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (text, lose) = match text.strip_suffix(":lose") {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let span = |part: &str| {
            let (from, until) = part.split_once("..").ok_or(UnitError::Outage)?;
            Ok([parse_duration(from)?, parse_duration(until)?])
        };
        let spans: Vec<_> = text.split('/').map(span).collect::<Result<_, UnitError>>()?;
        if !spans.as_flattened().is_sorted_by(|one, next| one < next) {
            return Err(UnitError::Order);
        }
        Ok(Outages { spans, lose })
    }
}

/// Writes the text that [`FromStr`] reads.
impl fmt::Display for Outages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, [from, until]) in self.spans.iter().enumerate() {
            let separator = if index > 0 { "/" } else { "" };
            write!(f, "{separator}{}..{}", ShowDuration(*from), ShowDuration(*until))?;
        }
        f.write_str(if self.lose { ":lose" } else { "" })
    }
}

/// The state of a line over time. The times of calls never go back.
#[derive(Debug)]
pub(crate) struct Schedule {
    rate: Rate,
    /// Changes still to come, the next one last; likewise the outages.
    changes: Vec<RateChange>,
    outages: Vec<[Duration; 2]>,
    lose: bool,
}

impl Schedule {
    pub(crate) fn new(rate: Rate, changes: &[RateChange], outages: &Outages) -> Self {
        Schedule {
            rate,
            changes: changes.iter().rev().copied().collect(),
            outages: outages.spans.iter().rev().copied().collect(),
            lose: outages.lose,
        }
    }

    /// The rate of a transmission that begins now.
    pub(crate) fn rate(&mut self, now: Instant) -> Rate {
        while let Some(change) = self.changes.pop_if(|change| Instant::ZERO + change.at <= now) {
            self.rate = change.rate;
        }
        self.rate
    }

    /// When a line that stands still works again; `None` if it works.
    pub(crate) fn stands_until(&mut self, now: Instant) -> Option<Instant> {
        if self.lose { None } else { self.out_until(now) }
    }

    /// Whether a packet that leaves the line now is lost.
    pub(crate) fn loses(&mut self, now: Instant) -> bool {
        self.lose && self.out_until(now).is_some()
    }

    fn out_until(&mut self, now: Instant) -> Option<Instant> {
        while self.outages.pop_if(|[_, until]| Instant::ZERO + *until <= now).is_some() {}
        let [from, until] = *self.outages.last()?;
        (Instant::ZERO + from <= now).then_some(Instant::ZERO + until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::time::ParseDurationError;

    fn outages(text: &str) -> Result<Outages, UnitError> {
        text.parse()
    }

    #[test]
    fn rates_change_at_their_times() {
        let (rate, changes) = parse_rates("10mbit/1mbit@5s/20mbit@7.5s").unwrap();
        let mut schedule = Schedule::new(rate, &changes, &Outages::default());
        let times = [0, 4_999, 5_000, 7_499, 7_500, 100_000].map(Instant::from_millis);
        let rates = times.map(|now| schedule.rate(now).bits_per_second() / 1_000_000);
        assert_eq!(rates, [10, 10, 1, 1, 20, 20]);
        // A first question that comes late gets the latest rate.
        let mut late = Schedule::new(rate, &changes, &Outages::default());
        assert_eq!(late.rate(times[5]).bits_per_second(), 20_000_000);
    }

    #[test]
    fn an_outage_has_its_beginning_but_not_its_end() {
        let states = |text: &str| {
            let rate = "1mbit".parse().unwrap();
            let mut schedule = Schedule::new(rate, &[], &outages(text).unwrap());
            [4_999, 5_000, 5_999, 6_000, 10_000, 10_500].map(|millis| {
                let now = Instant::from_millis(millis);
                (schedule.stands_until(now).map(Instant::as_millis), schedule.loses(now))
            })
        };
        let [none, first, second] = [None, Some(6_000), Some(10_500)];
        let stands = [none, first, first, none, second, none].map(|until| (until, false));
        assert_eq!(states("5s..6s/10s..10.5s"), stands);
        let loses = [false, true, true, false, true, false].map(|lost| (None, lost));
        assert_eq!(states("5s..6s/10s..10.5s:lose"), loses);
    }

    #[test]
    fn outages_are_written_so_that_they_are_read_back() {
        for text in ["5s..6s", "0s..1ns/10s..10500ms", "5s..6s:lose"] {
            assert_eq!(outages(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn errors_say_what_is_expected() {
        for (text, error) in [
            ("", UnitError::Outage),
            ("5s", UnitError::Outage),
            ("5s-6s", UnitError::Outage),
            ("5..6", UnitError::Duration(ParseDurationError::Unit)),
            ("6s..5s", UnitError::Order),
            ("5s..5s", UnitError::Order),
            ("5s..7s/6s..8s", UnitError::Order),
        ] {
            assert_eq!(outages(text), Err(error), "{text}");
        }
        for (text, error) in [
            ("10mbit/1mbit", UnitError::RateChange),
            ("10mbit/5s:1mbit", UnitError::RateChange),
            ("10mbit@1s", UnitError::RateUnit),
            ("10mbit/0bit@1s", UnitError::Zero),
            ("10mbit/1mbit@5s/2mbit@5s", UnitError::Order),
        ] {
            assert_eq!(parse_rates(text), Err(error), "{text}");
        }
    }
}

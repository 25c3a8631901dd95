//! Other values than the paper's: what a user set, and what is swept.

use super::Offer;
use crate::experiment::{Experiment, Variant};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Most points of all sweeps together, each of which is run with every variant and seed.
const MOST_POINTS: usize = 10_000;

/// Other values than the paper's for parameters of experiments.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Settings {
    set: Vec<(String, String)>,
    sweeps: Vec<(String, Vec<String>)>,
}

impl Settings {
    /// Reads what a user wrote: `NAME=VALUE`, and of sweeps `NAME=FIRST..LAST:STEP` or
    /// `NAME=VALUE,VALUE,...`.
    ///
    /// # Errors
    /// The first that cannot be read, that is given twice, or that makes too many points.
    pub fn read<S: AsRef<str>>(set: &[S], sweeps: &[S]) -> Result<Self, SettingError> {
        let mut settings = Settings::default();
        for text in set.iter().map(AsRef::as_ref) {
            let (name, value) = split(text)?;
            settings.take(name)?;
            settings.set.push((name.to_owned(), value.to_owned()));
        }
        for text in sweeps.iter().map(AsRef::as_ref) {
            let (name, words) = split(text)?;
            settings.take(name)?;
            let values = values(words).ok_or_else(|| SettingError::Sweep(text.to_owned()))?;
            settings.sweeps.push((name.to_owned(), values));
        }
        let points = settings.sweeps.iter().try_fold(1_usize, |points, (_, values)| {
            points.checked_mul(values.len()).filter(|points| *points <= MOST_POINTS)
        });
        points.map(|_| settings).ok_or(SettingError::TooMany)
    }

    fn take(&self, name: &str) -> Result<(), SettingError> {
        match self.names().any(|each| each == name) {
            true => Err(SettingError::Twice(name.to_owned())),
            false => Ok(()),
        }
    }

    /// Whether everything is as in the papers.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty() && self.sweeps.is_empty()
    }

    /// The names, those that are set first.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let set = self.set.iter().map(|(name, _)| name.as_str());
        set.chain(self.sweeps.iter().map(|(name, _)| name.as_str()))
    }

    /// The options of the command line that say the same.
    pub(crate) fn options(&self) -> String {
        let set = self.set.iter().map(|(name, value)| format!(" --set {name}={value}"));
        let swept = self.sweeps.iter();
        let swept = swept.map(|(name, values)| format!(" --sweep {name}={}", values.join(",")));
        set.chain(swept).collect()
    }

    /// What is swept.
    pub(crate) fn sweeps(&self) -> &[(String, Vec<String>)] {
        &self.sweeps
    }

    /// Those of the experiments that have all of these parameters.
    ///
    /// # Errors
    /// None of them has; or one that has cannot have that value.
    pub fn fitting(
        &self,
        experiments: &[&'static Experiment],
    ) -> Result<Vec<&'static Experiment>, SettingError> {
        let mut fitting = Vec::new();
        let mut lacking = None;
        for &experiment in experiments {
            match self.check(experiment) {
                Ok(()) => fitting.push(experiment),
                Err(error @ SettingError::Unknown { .. }) => lacking = lacking.or(Some(error)),
                Err(error) => return Err(error),
            }
        }
        match lacking {
            Some(error) if fitting.is_empty() => Err(error),
            _ => Ok(fitting),
        }
    }

    fn check(&self, experiment: &Experiment) -> Result<(), SettingError> {
        if self.is_empty() {
            return Ok(());
        }
        let offers = experiment.offers();
        let id = || experiment.id();
        let set = self.set.iter().map(|(name, value)| (name, value));
        let swept = self.sweeps.iter().flat_map(|(name, all)| all.iter().map(move |it| (name, it)));
        for (name, value) in set.chain(swept) {
            let offer = offers.iter().find(|offer| offer.name == name).ok_or_else(|| {
                let known = offers.iter().map(|offer| offer.name).collect();
                SettingError::Unknown { id: id(), name: name.clone(), known }
            })?;
            if !offer.accepts(value) {
                let (name, takes) = (offer.name, offer.takes());
                return Err(SettingError::Value { id: id(), name, value: value.clone(), takes });
            }
        }
        Ok(())
    }

    /// The variants of an experiment with these values instead of their own: each of them at each point
    /// of the sweeps, those that have become alike only once.
    pub(crate) fn apply(&self, offers: &[Offer], variants: &[Variant]) -> Vec<Variant> {
        let mut found: Vec<Variant> = Vec::new();
        for variant in variants {
            for point in self.points() {
                let known = point.iter().filter_map(|(name, value)| {
                    let offer = offers.iter().find(|offer| offer.name == *name)?;
                    Some((offer.name, *value))
                });
                let changed =
                    known.fold(variant.clone(), |changed, (name, value)| changed.with(name, value));
                if found.iter().all(|each| each.name() != changed.name()) {
                    found.push(changed);
                }
            }
        }
        found
    }

    /// What is set, and each combination of what is swept.
    fn points(&self) -> Vec<Vec<(&str, &str)>> {
        let set = self.set.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        self.sweeps.iter().fold(vec![set], |points: Vec<Vec<_>>, (name, values)| {
            let with = |point: &Vec<_>, value| [&point[..], &[(name.as_str(), value)]].concat();
            let each = |point| values.iter().map(move |value| with(point, value.as_str()));
            points.iter().flat_map(each).collect()
        })
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set = self.set.iter().map(|(name, value)| format!("{name}={value}"));
        let swept = self.sweeps.iter().map(|(name, values)| match &values[..] {
            [first, .., last] if values.len() > 4 => format!("{name}={first} to {last}"),
            _ => format!("{name}={}", values.join(", ")),
        });
        f.write_str(&set.chain(swept).collect::<Vec<_>>().join("; "))
    }
}

fn split(text: &str) -> Result<(&str, &str), SettingError> {
    let parts = text.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty());
    parts.ok_or_else(|| SettingError::Form(text.to_owned()))
}

/// The values of a sweep; `None` if the words are none.
fn values(words: &str) -> Option<Vec<String>> {
    let Some((first, rest)) = words.split_once("..") else {
        let values: Vec<String> = words.split(',').map(str::to_owned).collect();
        return values.iter().all(|value| !value.is_empty()).then_some(values);
    };
    let (last, step) = rest.split_once(':')?;
    let numbers = [Decimal::read(first)?, Decimal::read(last)?, Decimal::read(step)?];
    let unit = numbers[1].unit;
    // 10..120ms:10 is as good as 10ms..120ms:10ms.
    if numbers.iter().any(|number| !number.unit.is_empty() && number.unit != unit) {
        return None;
    }
    let digits = numbers.iter().map(|number| number.digits).max()?;
    let [first, last, step] = numbers.map(|number| number.scaled(digits));
    let (first, last, step) = (first?, last?, step?);
    if step == 0 || first > last || (last - first) / step >= MOST_POINTS as u64 {
        return None;
    }
    let values = (first..=last).step_by(usize::try_from(step).ok()?);
    Some(values.map(|value| Decimal { value, digits, unit }.to_string()).collect())
}

/// A number with its unit, exactly as it was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Decimal<'a> {
    /// Without its decimal point.
    value: u64,
    /// How many digits are behind that.
    digits: u32,
    unit: &'a str,
}

impl<'a> Decimal<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        let value = format!("{whole}{part}").parse().ok()?;
        Some(Decimal { value, digits: part.len() as u32, unit })
    }

    fn scaled(self, digits: u32) -> Option<u64> {
        self.value.checked_mul(10_u64.checked_pow(digits.checked_sub(self.digits)?)?)
    }
}

impl fmt::Display for Decimal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = 10_u64.pow(self.digits);
        write!(f, "{}", self.value / one)?;
        let part = self.value % one;
        if part > 0 {
            let digits = format!("{part:0width$}", width = self.digits as usize);
            write!(f, ".{}", digits.trim_end_matches('0'))?;
        }
        f.write_str(self.unit)
    }
}

/// Why a parameter cannot be set so.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SettingError {
    /// It is no name and value.
    Form(String),
    /// It is no sweep.
    Sweep(String),
    /// The parameter is given already.
    Twice(String),
    /// There are too many points.
    TooMany,
    /// The experiment has no such parameter.
    Unknown {
        /// The experiment.
        id: String,
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<&'static str>,
    },
    /// The parameter cannot have that value.
    Value {
        /// The experiment.
        id: String,
        /// The name.
        name: &'static str,
        /// The value.
        value: String,
        /// The values that it can have, in words.
        takes: String,
    },
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingError::Form(text) => write!(f, "'{text}' sets nothing: write NAME=VALUE"),
            SettingError::Sweep(text) => write!(
                f,
                "'{text}' is no sweep: write NAME=FIRST..LAST:STEP, as in delay=10ms..100ms:10ms, or \
                 NAME=VALUE,VALUE"
            ),
            SettingError::Twice(name) => write!(f, "{name} is given twice: leave one away"),
            SettingError::TooMany => {
                write!(f, "more than {MOST_POINTS} points: make the steps larger")
            }
            SettingError::Unknown { id, name, known } => {
                write!(f, "{id} has no parameter '{name}': it has {}", known.join(", "))
            }
            SettingError::Value { id, name, value, takes } => {
                write!(f, "{name} of {id} cannot be '{value}': give {takes}")
            }
        }
    }
}

impl std::error::Error for SettingError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select;

    fn read(set: &[&str], sweeps: &[&str]) -> Result<Settings, SettingError> {
        Settings::read(set, sweeps)
    }

    fn error(set: &[&str], sweeps: &[&str]) -> String {
        let experiments = select(&["zhang91.two_way_1_1_small_pipe"]).unwrap();
        let fitting = read(set, sweeps).and_then(|settings| settings.fitting(&experiments));
        fitting.unwrap_err().to_string()
    }

    #[test]
    fn a_span_is_swept_by_exact_steps_in_the_words_that_were_given() {
        let of = |words: &str| values(words).unwrap().join(" ");
        assert_eq!(of("10..40:10"), "10 20 30 40");
        assert_eq!(of("0.1%..0.5%:0.2%"), "0.1% 0.3% 0.5%");
        assert_eq!(of("10..30ms:10"), "10ms 20ms 30ms");
        assert_eq!(of("1.5mbit..2mbit:0.25mbit"), "1.5mbit 1.75mbit 2mbit");
        assert_eq!(of("reno,cubic"), "reno cubic");
        for none in ["10..40", "10..40:0", "40..10:10", "10ms..40s:10ms", "a,,b", "..:1"] {
            assert_eq!(values(none), None, "{none}");
        }
    }

    #[test]
    fn what_cannot_be_set_is_answered_in_a_line_with_what_can() {
        let unknown = error(&["bufer=20"], &[]);
        let known = "zhang91.two_way_1_1_small_pipe has no parameter 'bufer': it has tau, buffer, \
                     recovery, timer, in_service, start, length, tcp, cc, iw, ";
        assert!(unknown.starts_with(known), "{unknown}");
        assert_eq!(
            error(&[], &["buffer=0..10:5"]),
            "buffer of zhang91.two_way_1_1_small_pipe cannot be '0': give packets, 1 to 1000000"
        );
        assert_eq!(
            error(&["tcp=tomorrow"], &[]),
            "tcp of zhang91.two_way_1_1_small_pipe cannot be 'tomorrow': give paper, today, today-bbr"
        );
        assert_eq!(error(&["buffer"], &[]), "'buffer' sets nothing: write NAME=VALUE");
        assert_eq!(error(&["tau=1s"], &["tau=1s,2s"]), "tau is given twice: leave one away");
        assert_eq!(
            error(&[], &["buffer=1..100:1", "length=1..101:1"]),
            "more than 10000 points: make the steps larger"
        );
    }

    #[test]
    fn of_several_experiments_those_that_have_the_parameter_are_run() {
        let all =
            select(&["zhang91.formulas", "zhang91.one_way_3", "allman98.burst_probe"]).unwrap();
        let ids = |settings: Settings| -> Vec<String> {
            settings.fitting(&all).unwrap().into_iter().map(Experiment::id).collect()
        };
        assert_eq!(ids(Settings::default()).len(), 3);
        assert_eq!(ids(read(&["tau=2s"], &[]).unwrap()), ["zhang91.one_way_3"]);
        assert_eq!(
            ids(read(&["tcp=today"], &[]).unwrap()),
            ["zhang91.one_way_3", "zhang91.formulas"]
        );
    }

    #[test]
    fn variants_that_become_alike_are_run_once() {
        let experiment = select(&["zhang91.two_way_1_1_small_pipe"]).unwrap()[0];
        let variants = [("20", 5), ("60", 9)]
            .map(|(buffer, seeds)| Variant::new(&[("tau", "0.01s"), ("buffer", buffer)], seeds));
        let settings = read(&["start=1s"], &["buffer=10..30:10", "cc=reno,cubic"]).unwrap();
        let names = settings.apply(&experiment.offers(), &variants);
        let names: Vec<String> = names.iter().map(Variant::name).collect();
        let expected = [
            "tau=0.01s buffer=10 start=1s cc=reno",
            "tau=0.01s buffer=10 start=1s cc=cubic",
            "tau=0.01s buffer=20 start=1s cc=reno",
            "tau=0.01s buffer=20 start=1s cc=cubic",
            "tau=0.01s buffer=30 start=1s cc=reno",
            "tau=0.01s buffer=30 start=1s cc=cubic",
        ];
        assert_eq!(names, expected);
    }
}

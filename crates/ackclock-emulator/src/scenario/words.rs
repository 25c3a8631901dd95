//! Values in scenario files that are written as text.

use crate::link::path::Path;
use crate::random::draws::Distribution;
use crate::units::parse_bytes;
use ackclock::congestion::{Growth, InitialWindow};
use ackclock::tcp::{
    AckPolicy, AckTimer, BufferTuning, CongestionControl, EcnMode, FastOpenMode, MtuProbing, Nagle,
    Pacing, RecoveryAlgorithm, RestartAfterIdle, RtoBackoff, RtoConfig,
};
use ackclock::time::Duration;
use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// A type whose values are written as text.
pub(super) trait Word: Sized {
    /// Reads a value; the error says what may stand there.
    fn read(text: &str) -> Result<Self, String>;

    /// Reads a value that is written as a number; `None` if it may not be.
    fn read_number(_number: u64) -> Option<Self> {
        None
    }
}

/// A [`Word`] in a file, read by serde.
#[derive(Clone, Debug, Default)]
pub(super) struct Text<T>(pub(super) T);

impl<'de, T: Word> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor(PhantomData))
    }
}

struct TextVisitor<T>(PhantomData<T>);

impl<T: Word> Visitor<'_> for TextVisitor<T> {
    type Value = Text<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text in quotes")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        T::read(text).map(Text).map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        let read = u64::try_from(number).ok().and_then(T::read_number);
        read.map(Text).ok_or_else(|| E::invalid_type(Unexpected::Signed(number), &self))
    }
}

fn message(error: impl fmt::Display) -> String {
    error.to_string()
}

/// Implements [`Word`] for types that have [`FromStr`](std::str::FromStr).
macro_rules! word {
    ($($word:ty),+) => {
        $(impl Word for $word {
            fn read(text: &str) -> Result<Self, String> {
                text.parse().map_err(message)
            }
        })+
    };
}

word!(
    Path,
    Duration,
    CongestionControl,
    RecoveryAlgorithm,
    RestartAfterIdle,
    Pacing,
    RtoConfig,
    RtoBackoff,
    BufferTuning,
    EcnMode,
    FastOpenMode,
    MtuProbing,
    Nagle,
    Growth,
    AckPolicy,
    AckTimer
);

impl Word for InitialWindow {
    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(message)
    }

    fn read_number(number: u64) -> Option<Self> {
        number.try_into().ok().map(InitialWindow::segments)
    }
}

/// A number of bytes: 65536, or `64kB` in steps of 1000.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes(pub(super) u64);

impl Word for Bytes {
    fn read(text: &str) -> Result<Self, String> {
        parse_bytes(text).map(Bytes).map_err(message)
    }

    fn read_number(number: u64) -> Option<Self> {
        Some(Bytes(number))
    }
}

/// A type whose values can be drawn at random, since they are counts of a unit.
pub(super) trait Counted: Word {
    fn count(self) -> u64;
}

impl Counted for Duration {
    fn count(self) -> u64 {
        self.as_nanos()
    }
}

impl Counted for Bytes {
    fn count(self) -> u64 {
        self.0
    }
}

/// The distribution of a value: `5s` is constant, `0s..5s` uniform over the span, `exponential:5s`
/// exponential with that mean.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drawn<T> {
    pub(super) distribution: Distribution,
    value: PhantomData<T>,
}

impl<T: Counted> Drawn<T> {
    pub(super) fn new(distribution: Distribution) -> Self {
        Drawn { distribution, value: PhantomData }
    }
}

impl<T: Counted> Word for Drawn<T> {
    fn read(text: &str) -> Result<Self, String> {
        if let Some(mean) = text.strip_prefix("exponential:") {
            return Ok(Drawn::new(Distribution::Exponential(T::read(mean)?.count())));
        }
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let (first, last) = (T::read(first)?.count(), T::read(last)?.count());
        if first > last {
            return Err("the end of a span must not be below its beginning".into());
        }
        Ok(Drawn::new(Distribution::Uniform(first, last)))
    }

    fn read_number(number: u64) -> Option<Self> {
        T::read_number(number).map(|value| Drawn::new(Distribution::Constant(value.count())))
    }
}

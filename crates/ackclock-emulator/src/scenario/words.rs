//! Words of scenario files that are read from text.

use crate::path::Path;
use crate::units::parse_bytes;
use ackclock::congestion::InitialWindow;
use ackclock::tcp::{
    AckPolicy, AckTimer, CongestionControl, EcnMode, RecoveryAlgorithm, RtoBackoff, RtoConfig,
};
use ackclock::time::Duration;
use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// Something that is written as text.
pub(super) trait Word: Sized {
    /// Reads it; the error says what may stand there.
    fn read(text: &str) -> Result<Self, String>;

    /// Reads it from a number, if it may be one.
    fn read_number(_number: u64) -> Option<Self> {
        None
    }
}

/// Reads a [`Word`] where it stands.
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

/// Words that know how they are read.
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
    RtoConfig,
    RtoBackoff,
    EcnMode,
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
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub(super) struct Bytes(pub(super) u64);

impl Word for Bytes {
    fn read(text: &str) -> Result<Self, String> {
        parse_bytes(text).map(Bytes).map_err(message)
    }

    fn read_number(number: u64) -> Option<Self> {
        Some(Bytes(number))
    }
}

/// A value, or any from the first to the last of a span: `5s` or `0s..5s`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span<T> {
    pub(super) first: T,
    pub(super) last: T,
}

impl<T: Word + Copy + PartialOrd> Word for Span<T> {
    fn read(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let span = Span { first: T::read(first)?, last: T::read(last)? };
        if span.first > span.last {
            return Err("the end of a span must not be below its beginning".into());
        }
        Ok(span)
    }

    fn read_number(number: u64) -> Option<Self> {
        T::read_number(number).map(|value| Span { first: value, last: value })
    }
}

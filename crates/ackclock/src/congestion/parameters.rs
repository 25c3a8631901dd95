//! Parameters of congestion control algorithms, read from text and written as text: `cubic:hystart=off`.

use core::fmt;
use core::str::FromStr;

/// The parameters of an algorithm in textual form: `law:name=value,name=value`.
pub(super) trait Parameters {
    /// The parameters that the algorithm has, for error texts; empty: none.
    const TAKES: &'static str = "";

    /// Sets a parameter, with an empty value if none was given; `None` if name or value is not accepted.
    fn set(&mut self, _name: &str, _value: &str) -> Option<()> {
        None
    }

    /// Writes the parameters that differ from the default.
    fn write(&self, _list: &mut ParameterList<'_, '_>) -> fmt::Result {
        Ok(())
    }
}

/// Output of an algorithm's parameters.
pub(super) struct ParameterList<'f, 'a> {
    formatter: &'f mut fmt::Formatter<'a>,
    separator: char,
}

impl<'f, 'a> ParameterList<'f, 'a> {
    pub(super) fn new(formatter: &'f mut fmt::Formatter<'a>) -> Self {
        ParameterList { formatter, separator: ':' }
    }

    /// Writes `name=value`, or only the name if the value is empty, unless `value` equals `default`.
    pub(super) fn add<T: fmt::Display + PartialEq>(
        &mut self,
        name: &str,
        value: T,
        default: T,
    ) -> fmt::Result {
        if value == default {
            return Ok(());
        }
        write!(self.formatter, "{}{name}{value}", self.separator)?;
        self.separator = ',';
        Ok(())
    }
}

/// Parses `on` or `off`.
pub(super) fn parse_switch(text: &str) -> Option<bool> {
    match text {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

/// The word for a switch: `on` or `off`.
pub(super) fn switch(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

/// A size in segments or bytes: `10` segments; `14600B`, `14k` or `1M` bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Size {
    Segments(u32),
    Bytes(u32),
}

impl FromStr for Size {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let suffix = text.get(digits.len()..).unwrap_or_default();
        // Checked because `u32::from_str` would also accept a plus sign.
        let first = digits.bytes().next().ok_or(())?;
        let number: u32 = digits.parse().map_err(|_| ())?;
        let bytes = |shift: u32| number.checked_mul(1 << shift).map(Size::Bytes).ok_or(());
        let is_one_of =
            |names: [&str; 2]| names.iter().any(|name| suffix.eq_ignore_ascii_case(name));
        match suffix {
            _ if !first.is_ascii_digit() => Err(()),
            "" => Ok(Size::Segments(number)),
            "B" | "b" => bytes(0),
            _ if is_one_of(["k", "kB"]) => bytes(10),
            _ if is_one_of(["M", "MB"]) => bytes(20),
            _ if is_one_of(["G", "GB"]) => bytes(30),
            _ => Err(()),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Segments(segments) => write!(f, "{segments}"),
            Size::Bytes(bytes) => write!(f, "{bytes}B"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn a_bare_number_counts_segments_and_a_suffix_means_bytes() {
        let sizes = ["10", "14600B", "14k", "2MB", "1g"].map(|text| text.parse::<Size>());
        let expected = [
            Size::Segments(10),
            Size::Bytes(14_600),
            Size::Bytes(14_336),
            Size::Bytes(2 << 20),
            Size::Bytes(1 << 30),
        ];
        assert_eq!(sizes, expected.map(Ok));
    }

    #[test]
    fn a_size_is_written_as_it_is_read() {
        for text in ["10", "14600B"] {
            assert_eq!(text.parse::<Size>().map(|size| size.to_string()), Ok(text.to_string()));
        }
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in ["", "B", "+1", "-1", "1 ", "1x", "1kBB", "4G", "4294967296", "ü"] {
            assert_eq!(text.parse::<Size>(), Err(()), "{text}");
        }
    }
}

//! Values of flags.

use ackclock::time::Duration;
use std::str::FromStr;

/// Sizes of a buffer in bytes, as the kernel's `tcp_rmem` and `tcp_wmem` have them, but for the least.
pub(super) struct Buffer {
    /// What a connection begins with.
    pub(super) usual: u32,
    /// What it can grow to.
    pub(super) most: u32,
}

fn misfit(pair: &str) -> String {
    format!("flag `{pair}`: not a number that fits")
}

/// A number, in hexadecimal digits behind `0x`.
pub(super) fn number<N: FromStr + TryFrom<u64>>(pair: &str, value: &str) -> Result<N, String> {
    let read = match value.strip_prefix("0x") {
        Some(digits) => {
            u64::from_str_radix(digits, 16).ok().and_then(|number| number.try_into().ok())
        }
        None => value.parse().ok(),
    };
    read.ok_or_else(|| misfit(pair))
}

/// A number from 1 on.
pub(super) fn count(pair: &str, value: &str) -> Result<u16, String> {
    number(pair, value).and_then(|count| if count > 0 { Ok(count) } else { Err(misfit(pair)) })
}

pub(super) fn millis(pair: &str, value: &str) -> Result<Duration, String> {
    number(pair, value).map(Duration::from_millis)
}

/// From one second on.
pub(super) fn seconds(pair: &str, value: &str) -> Result<Duration, String> {
    count(pair, value).map(|seconds| Duration::from_secs(seconds.into()))
}

pub(super) fn switch(pair: &str, value: &str) -> Result<bool, String> {
    match value {
        "on" | "1" => Ok(true),
        "off" | "0" => Ok(false),
        _ => Err(format!("flag `{pair}`: use on or off")),
    }
}

/// True: those of Linux.
pub(super) fn habits(pair: &str, value: &str) -> Result<Habits, String> {
    match value {
        "linux" => Ok(Habits::Linux),
        "freebsd" => Ok(Habits::FreeBsd),
        "none" => Ok(Habits::None),
        _ => Err(format!("flag `{pair}`: use linux, freebsd or none")),
    }
}

/// Whose habits, which no standard asks for, the sockets have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Habits {
    Linux,
    FreeBsd,
    None,
}

/// Whose order and padding the options of a SYN have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SynOptions {
    Linux,
    FreeBsd,
}

pub(super) fn syn_options(pair: &str, value: &str) -> Result<SynOptions, String> {
    match value {
        "linux" => Ok(SynOptions::Linux),
        "freebsd" => Ok(SynOptions::FreeBsd),
        _ => Err(format!("flag `{pair}`: use linux or freebsd")),
    }
}

/// Bytes, or `least:usual:most` bytes.
pub(super) fn buffer(pair: &str, value: &str) -> Result<Buffer, String> {
    let sizes = value.split(':').map(|size| number(pair, size)).collect::<Result<Vec<u32>, _>>()?;
    match sizes[..] {
        [size] => Ok(Buffer { usual: size, most: size }),
        [_, usual, most] => Ok(Buffer { usual, most }),
        _ => Err(format!("flag `{pair}`: use bytes, or least:usual:most bytes")),
    }
}

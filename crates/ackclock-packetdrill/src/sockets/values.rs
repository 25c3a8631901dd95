//! Values of options as the kernel lays them out.

use super::{Errno, Linger};
use ackclock::time::{Duration, Instant};

/// There is no such option.
pub(super) const UNKNOWN: Errno = Errno(libc::ENOPROTOOPT);
/// The option takes no such value.
pub(super) const INVALID: Errno = Errno(libc::EINVAL);

/// An `int`.
pub(super) fn integer(value: &[u8]) -> Result<i32, Errno> {
    Ok(i32::from_ne_bytes(*value.first_chunk().ok_or(INVALID)?))
}

/// An `int`, or for options of IPv4 a single byte.
pub(super) fn integer_or_byte(value: &[u8]) -> Result<i32, Errno> {
    integer(value).or_else(|error| value.first().map(|byte| i32::from(*byte)).ok_or(error))
}

/// `struct linger`.
pub(super) fn linger(value: &[u8]) -> Result<Linger, Errno> {
    let (on, seconds) = (integer(value)?, integer(value.get(4..).unwrap_or_default())?);
    Ok(if on == 0 { Linger::Off } else { Linger::For(from_seconds(seconds)) })
}

/// The bytes of a `struct linger`.
pub(super) fn write_linger(linger: Linger) -> Vec<u8> {
    let (on, seconds) = match linger {
        Linger::Off => (0, 0),
        Linger::For(time) => (1, seconds(time)),
    };
    [i32::to_ne_bytes(on), i32::to_ne_bytes(seconds)].concat()
}

/// `struct timeval`; zero: for ever.
pub(super) fn timeout(value: &[u8]) -> Result<Option<Duration>, Errno> {
    let word = |from: usize| value.get(from..)?.first_chunk().map(|word| i64::from_ne_bytes(*word));
    let (seconds, micros) = word(0).zip(word(8)).ok_or(INVALID)?;
    if !(0..1_000_000).contains(&micros) {
        return Err(Errno(libc::EDOM));
    }
    let time = Duration::from_secs(seconds.max(0) as u64) + Duration::from_micros(micros as u64);
    Ok((!time.is_zero()).then_some(time))
}

/// The bytes of a `struct timeval`.
pub(super) fn write_timeout(timeout: Option<Duration>) -> Vec<u8> {
    let micros = timeout.map_or(0, |time| time.as_micros()) as i64;
    [micros / 1_000_000, micros % 1_000_000].map(i64::to_ne_bytes).concat()
}

/// The bytes of a `struct timespec`.
pub(super) fn write_time(at: Instant) -> [u8; 16] {
    let nanos = at.as_nanos();
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&(nanos / 1_000_000_000).to_ne_bytes());
    bytes[8..].copy_from_slice(&(nanos % 1_000_000_000).to_ne_bytes());
    bytes
}

/// Negative ones count as none.
pub(super) fn from_seconds(seconds: i32) -> Duration {
    Duration::from_secs(seconds.max(0) as u64)
}

/// In whole seconds.
pub(super) fn seconds(time: Duration) -> i32 {
    (time.as_millis() / 1_000) as i32
}

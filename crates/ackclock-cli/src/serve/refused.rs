//! Counts of what the stacks of a service refused or ended, for lack of room or by a rate limit.

use ackclock::stack::Statistics;
use serde::Serialize;
use std::fmt;
use std::ops::{Add, Sub};

/// Counters of refusals.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Refused {
    /// SYN segments for which there was no half-open place: nearly all were answered with a SYN cookie.
    pub(super) half_open_syns: u64,
    /// SYN segments and last acks of handshakes dropped because too many connections waited for the
    /// service to accept them.
    pub(super) accept_queue_segments: u64,
    /// Connections refused because the memory for queues was spent.
    pub(super) memory_connections: u64,
    /// Idle connections that were ended for others because memory or records were short.
    pub(super) idle_connections: u64,
    /// SYN segments whose data were not taken: with a wrong Fast Open cookie, or while too many connections were
    /// being opened so. Most of these have an old cookie and get a new one.
    pub(super) fast_open_syns: u64,
    /// Segments dropped because their signature was missing, wrong, not expected or not to be checked (RFC 2385,
    /// RFC 5925).
    pub(super) signatures: u64,
    /// RST segments not sent because of the rate limit.
    pub(super) resets: u64,
}

impl Refused {
    fn each(self, other: Self, join: fn(u64, u64) -> u64) -> Self {
        Refused {
            half_open_syns: join(self.half_open_syns, other.half_open_syns),
            accept_queue_segments: join(self.accept_queue_segments, other.accept_queue_segments),
            memory_connections: join(self.memory_connections, other.memory_connections),
            idle_connections: join(self.idle_connections, other.idle_connections),
            fast_open_syns: join(self.fast_open_syns, other.fast_open_syns),
            signatures: join(self.signatures, other.signatures),
            resets: join(self.resets, other.resets),
        }
    }
}

impl From<&Statistics> for Refused {
    fn from(statistics: &Statistics) -> Self {
        Refused {
            half_open_syns: statistics.half_open_overflow,
            accept_queue_segments: statistics.accept_overflow,
            memory_connections: statistics.memory_refused,
            idle_connections: statistics.gave_way,
            fast_open_syns: statistics.fast_open_refused + statistics.fast_open_overflow,
            signatures: statistics.signature_missing
                + statistics.signature_unexpected
                + statistics.signature_wrong
                + statistics.signature_key_unknown
                + statistics.signature_not_checkable,
            resets: statistics.resets_suppressed,
        }
    }
}

impl Add for Refused {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.each(other, u64::wrapping_add)
    }
}

impl Sub for Refused {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        self.each(earlier, u64::saturating_sub)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refused {
            half_open_syns,
            accept_queue_segments,
            memory_connections,
            idle_connections,
            fast_open_syns,
            signatures,
            resets,
        } = self;
        write!(
            f,
            "{half_open_syns} half-open, {accept_queue_segments} accept queue, \
             {memory_connections} memory, {idle_connections} idle, {fast_open_syns} fast, {signatures} signatures, {resets} resets"
        )
    }
}

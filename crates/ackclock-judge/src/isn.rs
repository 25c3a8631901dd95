//! Initial sequence numbers that tell nothing of those of other connections (RFC 6528).

use crate::sentence::Sentence;
use crate::verdict::Docket;
use ackclock::seq::SeqNumber;
use ackclock::time::Instant;
use std::collections::VecDeque;
use std::net::SocketAddr;

pub(crate) static ISN_FORETOLD: Sentence = Sentence::must(
    "isn-foretold",
    6528,
    "3",
    "F() MUST NOT be computable from the outside, or an attacker could still guess at sequence numbers from the \
     ISN used for some other connection.",
);

/// Connections of which the numbers are remembered.
const REMEMBERED: usize = 16;

/// M, the clock of initial sequence numbers, ticks every 4 microseconds (RFC 9293 section 3.4.1).
const TICK_MICROS: u64 = 4;

/// The initial sequence numbers that the host chose last.
#[derive(Clone, Debug, Default)]
pub(crate) struct InitialNumbers {
    last: VecDeque<(Instant, (SocketAddr, SocketAddr), SeqNumber)>,
}

impl InitialNumbers {
    /// A connection between `ends` begins with the number `isn`. Between two of other ends only the clock may not be the
    /// difference: then F is the same for both.
    pub(crate) fn on_begin(
        &mut self,
        (time, number): (Instant, u64),
        ends: (SocketAddr, SocketAddr),
        isn: SeqNumber,
        docket: &mut Docket<'_>,
    ) {
        let is_foretold = |&(before, others, other): &(Instant, _, SeqNumber)| {
            let micros = time.saturating_since(before).as_micros();
            let ticks = (micros / TICK_MICROS) as u32;
            // The clocks of the two may have been read just before and just after a tick.
            let beyond = isn.0.wrapping_sub(other.0).wrapping_sub(ticks);
            others != ends && (isn == other || beyond.wrapping_add(1) <= 2)
        };
        if let Some((_, (local, remote), other)) =
            self.last.iter().copied().find(|it| is_foretold(it))
        {
            docket.forbid(&ISN_FORETOLD, time, number, || {
                format!("ISN {isn} follows from {other}, that of {local} to {remote}, by the clock")
            });
        }
        if self.last.len() == REMEMBERED {
            self.last.pop_front();
        }
        self.last.push_back((time, ends, isn));
    }
}

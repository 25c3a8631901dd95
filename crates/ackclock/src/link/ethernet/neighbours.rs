//! The neighbour cache: hardware addresses of hosts on the link (RFC 826 and RFC 4861), bounded.
//!
//! A neighbour is asked once per second and at most three times, and then given up; an answer is valid for
//! half a minute. If the neighbour is still needed after that, the entry remains in use while the neighbour
//! itself is asked, and is dropped if it does not answer. An address that was told without being asked for is
//! treated so from the start, since anyone can send that in a neighbour's name.

use super::statistics::{EthernetStatistics, count};
use crate::profile::Profile;
use crate::time::{Duration, Instant};
use crate::wire::{Address, EthernetAddress};
use core::net::Ipv4Addr;

/// Time between two requests to one neighbour: `RETRANS_TIMER` of RFC 4861 section 10, and the most frequent
/// that RFC 1122 section 2.3.2.1 recommends for ARP.
const RETRANS_TIMER: Duration = Duration::from_secs(1);

/// How often a neighbour is asked: `MAX_MULTICAST_SOLICIT` and `MAX_UNICAST_SOLICIT` of RFC 4861 section 10.
const MAX_SOLICIT: u8 = 3;

/// How long an answer is valid: `REACHABLE_TIME` of RFC 4861 section 10; RFC 1122 section 2.3.2.1 has "on the
/// order of a minute" for ARP.
const REACHABLE_TIME: Duration = Duration::from_secs(30);

/// How long to wait for a sign of a neighbour that is needed again before it is asked:
/// `DELAY_FIRST_PROBE_TIME` of RFC 4861 section 10.
const DELAY_FIRST_PROBE_TIME: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// The place is empty.
    Vacant,
    /// The neighbour is being resolved: this many requests were sent to all; the next one is due at the
    /// deadline.
    Incomplete(u8),
    /// Resolution failed: no one has answered.
    Failed,
    /// The neighbour has answered; this is valid until the deadline, and the entry is kept while it is not
    /// needed.
    Reachable,
    /// The neighbour itself is asked whether it is still there: this many requests were sent; the next one is
    /// due at the deadline.
    Probe(u8),
}

/// An entry of the cache.
#[derive(Clone, Copy, Debug)]
struct Neighbour {
    address: Address,
    hardware: EthernetAddress,
    state: State,
    /// Turn of the cache in which it was last needed.
    turn: u32,
    deadline: Instant,
    /// Until when it is not asked again. Until then it keeps its place, as otherwise it would not be known
    /// that it was asked.
    quiet_until: Instant,
}

impl Neighbour {
    /// An empty entry, whose address is no next hop. All zeros.
    const NONE: Self = Neighbour {
        address: Address::V4(Ipv4Addr::UNSPECIFIED),
        hardware: EthernetAddress([0; 6]),
        state: State::Vacant,
        turn: 0,
        deadline: Instant::ZERO,
        quiet_until: Instant::ZERO,
    };

    const fn is_unresolved(&self) -> bool {
        matches!(self.state, State::Incomplete(_) | State::Failed)
    }
}

/// Result of resolving a next hop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Resolution {
    /// Resolved: its hardware address.
    Known(EthernetAddress),
    /// Being resolved: keep the packet.
    Wait,
    /// It does not answer: the packet is lost.
    Unreachable,
    /// All places are taken by other neighbours being resolved: the packet is lost.
    NoPlace,
}

/// How far a neighbour's address can be trusted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Trust {
    /// It was told as an answer: confirmed, if we have asked.
    Confirmed,
    /// It may be right: the neighbour is asked when it is needed.
    Stale,
}

/// What is due now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Due {
    /// Send a request for this address; to the neighbour itself if its hardware address is given, otherwise
    /// to all.
    Ask(Address, Option<EthernetAddress>),
    /// A neighbour was given up.
    GaveUp,
}

/// A cache of at most `N` neighbours. The least recently used one is replaced by a new one.
#[derive(Debug)]
pub(super) struct Neighbours<const N: usize> {
    places: [Neighbour; N],
    turn: u32,
}

impl<const N: usize> Neighbours<N> {
    /// An empty cache.
    pub(super) const fn new() -> Self {
        Neighbours { places: const { [Neighbour::NONE; N] }, turn: 0 }
    }

    fn find(&mut self, address: Address) -> Option<&mut Neighbour> {
        self.places.iter_mut().find(|neighbour| neighbour.address == address)
    }

    /// Resolves a next hop; begins to ask for it if it is not known.
    pub(super) fn resolve<P: Profile>(
        &mut self,
        now: Instant,
        address: Address,
        statistics: &mut EthernetStatistics,
    ) -> Resolution {
        self.turn = self.turn.wrapping_add(1);
        let turn = self.turn;
        let Some(neighbour) = self.find(address) else {
            let state = State::Incomplete(0);
            let hardware = EthernetAddress::default();
            let (deadline, quiet_until) = (now, now);
            let new = Neighbour { address, hardware, state, turn, deadline, quiet_until };
            return if self.insert::<P>(now, &new, statistics) {
                Resolution::Wait
            } else {
                Resolution::NoPlace
            };
        };
        neighbour.turn = turn;
        let is_due = neighbour.deadline <= now;
        match neighbour.state {
            State::Incomplete(_) => Resolution::Wait,
            State::Failed if neighbour.quiet_until <= now => {
                neighbour.state = State::Incomplete(MAX_SOLICIT - 1);
                Resolution::Wait
            }
            State::Failed => Resolution::Unreachable,
            State::Reachable if is_due => {
                neighbour.state = State::Probe(0);
                neighbour.deadline = now + DELAY_FIRST_PROBE_TIME;
                Resolution::Known(neighbour.hardware)
            }
            State::Vacant | State::Reachable | State::Probe(_) => {
                Resolution::Known(neighbour.hardware)
            }
        }
    }

    /// Whether there is an entry for the address; if so, its hardware address, if known.
    pub(super) fn known(&mut self, address: Address) -> Option<Option<EthernetAddress>> {
        let neighbour = self.find(address)?;
        Some((!neighbour.is_unresolved()).then_some(neighbour.hardware))
    }

    /// Notes the hardware address that a neighbour has told; returns whether packets may have waited for it.
    /// If there is no entry, one is made if `is_new` allows that.
    pub(super) fn learn<P: Profile>(
        &mut self,
        now: Instant,
        address: Address,
        hardware: EthernetAddress,
        trust: Trust,
        is_new: bool,
        statistics: &mut EthernetStatistics,
    ) -> bool {
        let turn = self.turn;
        match self.find(address) {
            Some(neighbour) => {
                // An answer counts only if the neighbour was asked.
                let is_asked =
                    matches!(neighbour.state, State::Incomplete(1..) | State::Probe(1..));
                let is_sure = is_asked && trust == Trust::Confirmed;
                let waited = neighbour.is_unresolved();
                // The address is known already, and this does not confirm that the neighbour is reachable.
                if !is_sure && !waited && neighbour.hardware == hardware {
                    return false;
                }
                neighbour.hardware = hardware;
                neighbour.deadline = if is_sure { now + REACHABLE_TIME } else { now };
                neighbour.state = State::Reachable;
                waited
            }
            None => {
                if is_new {
                    let (state, quiet_until, deadline) = (State::Reachable, now, now);
                    let new = Neighbour { address, hardware, state, turn, deadline, quiet_until };
                    self.insert::<P>(now, &new, statistics);
                }
                false
            }
        }
    }

    /// Notes that the neighbour may no longer be reachable, so that it is asked when it is needed.
    pub(super) fn doubt(&mut self, now: Instant, address: Address) {
        if let Some(neighbour) = self.find(address)
            && neighbour.state == State::Reachable
        {
            neighbour.deadline = neighbour.deadline.min(now);
        }
    }

    /// Notes that the neighbour has confirmed the address that is known.
    pub(super) fn confirm(&mut self, now: Instant, address: Address) {
        if let Some(neighbour) = self.find(address)
            && !neighbour.is_unresolved()
        {
            neighbour.state = State::Reachable;
            neighbour.deadline = now + REACHABLE_TIME;
        }
    }

    /// Adds a new neighbour in a free place, or in that of the least recently used one. A neighbour asked for
    /// within the last second is not replaced, even if it has answered, so that none is asked more often (RFC
    /// 1122 section 2.3.2.1). And at most half of the places are for neighbours that are not resolved, so
    /// that asking for many removes only few. Returns whether there is a place.
    fn insert<P: Profile>(
        &mut self,
        now: Instant,
        new: &Neighbour,
        statistics: &mut EthernetStatistics,
    ) -> bool {
        let unresolved = self.places.iter().filter(|it| it.is_unresolved()).count();
        let is_full = new.is_unresolved() && unresolved >= (N / 2).max(1);
        let (mut best, mut found) = (0, None);
        for place in &mut self.places {
            let fitness = match place.state {
                _ if place.quiet_until > now => continue,
                State::Failed => u32::MAX - 1,
                State::Vacant if !is_full => u32::MAX,
                State::Reachable | State::Probe(_) if !is_full => new.turn.wrapping_sub(place.turn),
                _ => continue,
            };
            if fitness >= best {
                (best, found) = (fitness, Some(place));
            }
        }
        let Some(place) = found else {
            return false;
        };
        if matches!(place.state, State::Reachable | State::Probe(_)) {
            count::<P>(&mut statistics.replaced);
        }
        *place = *new;
        true
    }

    /// When the next request is due.
    pub(super) fn poll_at(&self) -> Instant {
        let mut at = Instant::FAR_FUTURE;
        for neighbour in &self.places {
            if matches!(neighbour.state, State::Incomplete(_) | State::Probe(_)) {
                at = at.min(neighbour.deadline);
            }
        }
        at
    }

    /// The next thing that is due. A request stays due until [`asked`](Self::asked).
    pub(super) fn due(&mut self, now: Instant) -> Option<Due> {
        for neighbour in &mut self.places {
            if neighbour.deadline > now {
                continue;
            }
            match neighbour.state {
                State::Incomplete(asked) if asked < MAX_SOLICIT => {
                    return Some(Due::Ask(neighbour.address, None));
                }
                State::Incomplete(_) => {
                    neighbour.state = State::Failed;
                    neighbour.quiet_until = now + RETRANS_TIMER;
                    return Some(Due::GaveUp);
                }
                State::Probe(asked) if asked < MAX_SOLICIT => {
                    return Some(Due::Ask(neighbour.address, Some(neighbour.hardware)));
                }
                // RFC 4861 section 7.3.3: drop the entry, so that it is resolved anew when needed.
                State::Probe(_) => {
                    *neighbour = Neighbour::NONE;
                    return Some(Due::GaveUp);
                }
                State::Vacant | State::Failed | State::Reachable => {}
            }
        }
        None
    }

    /// Notes that a request was sent.
    pub(super) fn asked(&mut self, now: Instant, address: Address) {
        if let Some(neighbour) = self.find(address)
            && let State::Incomplete(asked) | State::Probe(asked) = &mut neighbour.state
        {
            *asked = asked.saturating_add(1);
            neighbour.deadline = now + RETRANS_TIMER;
            neighbour.quiet_until = neighbour.deadline;
        }
    }

    /// Number of neighbours in the cache.
    #[cfg(test)]
    #[allow(dead_code, reason = "only tests with a heap ask for it")]
    pub(super) fn len(&self) -> usize {
        self.places.iter().filter(|it| it.state != State::Vacant).count()
    }
}

//! Who on the link has which hardware address: the cache of RFC 826 and RFC 4861, bounded.
//!
//! A neighbour is asked for once per second and at most three times, then given up; one that has
//! answered is believed for half a minute. If it is still needed then, it goes on being used while
//! it is asked itself, and is forgotten if it does not answer. So it is at once with one that has told
//! its address without being asked, which anybody can do in its name.

use super::statistics::{EthernetStatistics, count};
use crate::profile::Profile;
use crate::time::{Duration, Instant};
use crate::wire::{Address, EthernetAddress};
use core::net::Ipv4Addr;

/// Between two requests to one neighbour: `RETRANS_TIMER` of RFC 4861 section 10, and the most that
/// RFC 1122 section 2.3.2.1 recommends for ARP.
const RETRANS_TIMER: Duration = Duration::from_secs(1);

/// How often a neighbour is asked: `MAX_MULTICAST_SOLICIT` and `MAX_UNICAST_SOLICIT` there.
const MAX_SOLICIT: u8 = 3;

/// How long an answer is believed: `REACHABLE_TIME` there; RFC 1122 section 2.3.2.1 has "on the order
/// of a minute" for ARP.
const REACHABLE_TIME: Duration = Duration::from_secs(30);

/// How long a neighbour that is needed again is waited for before it is asked:
/// `DELAY_FIRST_PROBE_TIME` there.
const DELAY_FIRST_PROBE_TIME: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Nobody is here.
    Vacant,
    /// All were asked so often who it is; the next request is due at the deadline.
    Incomplete(u8),
    /// Nobody answered.
    Failed,
    /// It answered; the answer is believed until the deadline, and longer while nobody needs it.
    Reachable,
    /// It was itself asked so often whether it is still there; the next request is due at the
    /// deadline.
    Probe(u8),
}

/// One neighbour.
#[derive(Clone, Copy, Debug)]
struct Neighbour {
    address: Address,
    hardware: EthernetAddress,
    state: State,
    /// In which turn of the cache it was last needed.
    turn: u32,
    deadline: Instant,
    /// It is not asked for again before. So long it keeps its place, or whoever needed it next would
    /// not know that it was asked.
    quiet_until: Instant,
}

impl Neighbour {
    /// Nobody, whose address is no next hop. All zeros.
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

/// What is known about a next hop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Resolution {
    /// Its hardware address.
    Known(EthernetAddress),
    /// It is being asked for: keep the packet.
    Wait,
    /// It does not answer: the packet is lost.
    Unreachable,
    /// All places are taken by others that are being asked for: the packet is lost.
    NoPlace,
}

/// How sure news of a neighbour are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Trust {
    /// It says that it answers: so it is if it was asked.
    Confirmed,
    /// It may be so: it is asked when it is needed.
    Stale,
}

/// What is to be done now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Due {
    /// Ask who has the address; ask the neighbour itself if its hardware address is given.
    Ask(Address, Option<EthernetAddress>),
    /// A neighbour was given up.
    GaveUp,
}

/// At most `N` neighbours. The one that was not needed longest gives way to a new one.
#[derive(Debug)]
pub(super) struct Neighbours<const N: usize> {
    places: [Neighbour; N],
    turn: u32,
}

impl<const N: usize> Neighbours<N> {
    /// Nobody is known.
    pub(super) const fn new() -> Self {
        Neighbours { places: const { [Neighbour::NONE; N] }, turn: 0 }
    }

    fn find(&mut self, address: Address) -> Option<&mut Neighbour> {
        self.places.iter_mut().find(|neighbour| neighbour.address == address)
    }

    /// Whom to hand a packet for this next hop; begins to ask if that is not known.
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

    /// Whether there is an entry for the address, and its hardware address if that is known.
    pub(super) fn known(&mut self, address: Address) -> Option<Option<EthernetAddress>> {
        let neighbour = self.find(address)?;
        Some((!neighbour.is_unresolved()).then_some(neighbour.hardware))
    }

    /// A neighbour has told its hardware address; whether packets may have waited for it. Without an
    /// entry one is made if `is_new` allows.
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
                // Nobody answers who was not asked.
                let is_asked =
                    matches!(neighbour.state, State::Incomplete(1..) | State::Probe(1..));
                let is_sure = is_asked && trust == Trust::Confirmed;
                let waited = neighbour.is_unresolved();
                // What is known already, and is no news about reaching it.
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

    /// The neighbour is reachable only as far as it will show.
    pub(super) fn doubt(&mut self, now: Instant, address: Address) {
        if let Some(neighbour) = self.find(address)
            && neighbour.state == State::Reachable
        {
            neighbour.deadline = neighbour.deadline.min(now);
        }
    }

    /// The neighbour has answered for the address that we know.
    pub(super) fn confirm(&mut self, now: Instant, address: Address) {
        if let Some(neighbour) = self.find(address)
            && !neighbour.is_unresolved()
        {
            neighbour.state = State::Reachable;
            neighbour.deadline = now + REACHABLE_TIME;
        }
    }

    /// Puts a new neighbour into a free place, or in the place of the one that was needed least
    /// recently. Nobody who was asked for within a second gives way, even if it has answered, so that
    /// nobody is asked for more often (RFC 1122 section 2.3.2.1); and at most half the places are for
    /// those of whom nothing is known, so that asking for many makes us forget few. Returns whether
    /// there is a place.
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

    /// Something that is due. A request stays due until [`asked`](Self::asked).
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
                // RFC 4861 section 7.3.3: whoever needs it resolves it anew.
                State::Probe(_) => {
                    *neighbour = Neighbour::NONE;
                    return Some(Due::GaveUp);
                }
                State::Vacant | State::Failed | State::Reachable => {}
            }
        }
        None
    }

    /// The request was sent.
    pub(super) fn asked(&mut self, now: Instant, address: Address) {
        if let Some(neighbour) = self.find(address)
            && let State::Incomplete(asked) | State::Probe(asked) = &mut neighbour.state
        {
            *asked = asked.saturating_add(1);
            neighbour.deadline = now + RETRANS_TIMER;
            neighbour.quiet_until = neighbour.deadline;
        }
    }

    /// How many there are.
    #[cfg(test)]
    #[allow(dead_code, reason = "only tests with a heap ask for it")]
    pub(super) fn len(&self) -> usize {
        self.places.iter().filter(|it| it.state != State::Vacant).count()
    }
}

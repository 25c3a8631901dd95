//! Listeners: sockets that wait for connections.

use super::id_queue::{IdQueue, Link};
use super::limits;
use super::pool::{NO_ID, Place, Pool};
use super::tuple::End;
use super::{ListenConfig, ListenError};
use crate::profile::{Kept, Part, Profile};
use crate::storage::Buffer;
use crate::tcp::Initial;
use crate::time::Instant;

/// A listener's settings, converted from a [`ListenConfig`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings<P: Profile> {
    local: End,
    pub(super) half_open: usize,
    pub(super) backlog: usize,
    defer_accept: u8,
    any_destination: bool,
    requests: bool,
    fast_open: <P::FastOpen as Part>::Keeps<FastOpenSettings>,
    /// Initial settings of accepted connections.
    pub(super) connection: Initial<P>,
}

/// Fast Open settings of a listener; see [`ListenConfig::fast_open`].
#[derive(Clone, Copy, Debug)]
pub(super) struct FastOpenSettings {
    /// Most connections whose handshakes are not finished.
    pub(super) most: usize,
    pub(super) without_cookie: bool,
}

impl<P: Profile> Settings<P> {
    fn new(config: &ListenConfig, clock_phase: u32) -> Self {
        Settings {
            local: config.local.into(),
            half_open: config.half_open,
            backlog: config.backlog,
            defer_accept: if P::RARE_SETTINGS { config.defer_accept } else { 0 },
            any_destination: P::RARE_SETTINGS && config.any_destination,
            requests: P::RARE_SETTINGS && config.requests,
            fast_open: Kept::new(FastOpenSettings {
                most: config.fast_open,
                without_cookie: config.fast_open_without_cookie,
            }),
            connection: Initial::new(&config.connection, clock_phase),
        }
    }

    /// See [`ListenConfig::defer_accept`].
    pub(super) const fn defer_accept(&self) -> u8 {
        self.defer_accept
    }

    /// See [`ListenConfig::any_destination`].
    const fn any_destination(&self) -> bool {
        self.any_destination
    }

    /// Fast Open settings, if it is enabled.
    pub(super) fn fast_open(&self) -> Option<&FastOpenSettings> {
        self.fast_open.get().filter(|settings| settings.most > 0 && !self.requests())
    }

    /// See [`ListenConfig::requests`].
    pub(super) const fn requests(&self) -> bool {
        P::RARE_SETTINGS && self.requests
    }
}

/// One listener.
#[derive(Debug)]
pub(super) struct ListenerRecord<P: Profile> {
    /// The listener's settings.
    pub(super) config: Settings<P>,
    /// Until when acks may bring back SYN cookies.
    pub(super) cookies_until: <P::SynCookies as Part>::Keeps<Instant>,
    /// Connections accepted by Fast Open whose handshakes are not finished.
    pub(super) opened_fast: <P::FastOpen as Part>::Keeps<usize>,
    /// Number of half-open connections.
    pub(super) half_open: usize,
    /// The accept queue: established connections that wait for `accept`.
    pub(super) waiting: Waiting,
}

/// An accept queue: a list of connection slots, linked through `Slot::next_waiting`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    /// The first slot.
    pub(super) first: u32,
    /// The last slot.
    pub(super) last: u32,
    /// Number of connections.
    pub(super) len: usize,
}

impl Waiting {
    /// An empty queue.
    const NONE: Waiting = Waiting { first: NO_ID, last: NO_ID, len: 0 };
}

impl<P: Profile> ListenerRecord<P> {
    /// Whether another half-open connection fits.
    pub(super) const fn has_room_for_half_open(&self) -> bool {
        self.half_open < self.config.half_open
    }

    /// Whether another established connection fits.
    pub(super) const fn has_room_for_established(&self) -> bool {
        self.waiting.len < self.config.backlog
    }

    /// Changes the settings, except for address, port and `any_destination`.
    pub(super) fn set(&mut self, config: &ListenConfig, clock_phase: u32) {
        let local = self.config.local;
        let any_destination = self.config.any_destination;
        self.config = Settings { local, any_destination, ..Settings::new(config, clock_phase) };
    }

    /// How well the listener fits a destination: a specific address counts more than a specific port; 0: it
    /// does not fit.
    fn fitness(&self, destination: End, is_local: bool) -> u8 {
        let local = self.config.local;
        let ip = local.ip();
        let (address, port) = (!ip.is_unspecified(), local.port() != 0);
        let fits = ip.is_ipv4() == destination.ip().is_ipv4()
            && (is_local || self.config.any_destination())
            && (!address || ip == destination.ip())
            && (!port || local.port() == destination.port());
        if fits { 1 + (u8::from(address) << 1 | u8::from(port)) } else { 0 }
    }
}

/// All listeners.
#[derive(Debug)]
pub(super) struct Listeners<'a, P: Profile> {
    /// The listeners' records.
    pub(super) records: Pool<'a, ListenerRecord<P>>,
    /// Listeners that have a connection to accept, or a request, that the application was not told of.
    pub(super) events: IdQueue<'a>,
}

impl<'a, P: Profile> Listeners<'a, P> {
    /// No listeners.
    pub(super) const fn new(
        records: Buffer<'a, Place<ListenerRecord<P>>>,
        links: Buffer<'a, Link>,
    ) -> Self {
        let records = Pool::new(records, limits::LISTENERS);
        Listeners { records, events: IdQueue::new(links) }
    }

    /// Adds a listener with checked settings. `clock_phase` is the host's random number that sets the phase
    /// of clocks that tick.
    pub(super) fn add(
        &mut self,
        config: &ListenConfig,
        clock_phase: u32,
    ) -> Result<u32, ListenError> {
        let local = End::from(config.local);
        if self.records.iter().any(|(_, record)| record.config.local == local) {
            return Err(ListenError::AddressInUse);
        }
        let id = self.records.vacancy().ok_or(ListenError::NoResources)?;
        if !self.events.reserve(id as usize + 1) {
            return Err(ListenError::NoResources);
        }
        let record = || ListenerRecord {
            config: Settings::new(config, clock_phase),
            cookies_until: Kept::new(Instant::ZERO),
            opened_fast: Kept::new(0),
            half_open: 0,
            waiting: Waiting::NONE,
        };
        self.records.fill(id, record).ok_or(ListenError::NoResources)
    }

    /// The most specific listener for a destination; `is_local`: whether the address is one of ours.
    pub(super) fn find(&self, destination: End, is_local: bool) -> Option<u32> {
        let (mut best, mut found) = (1, None);
        for (id, record) in self.records.iter() {
            let fitness = record.fitness(destination, is_local);
            if fitness >= best {
                (best, found) = (fitness, Some(id));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Full;

    fn config(local: &str, any_destination: bool) -> ListenConfig {
        let mut config = ListenConfig::new(local.parse().unwrap());
        config.any_destination = any_destination;
        config
    }

    #[test]
    fn the_most_specific_listener_wins() {
        let (mut records, mut links) = ([const { Place::EMPTY }; 6], [Link::OUT; 6]);
        let mut listeners =
            Listeners::<Full>::new(Buffer::lent(&mut records), Buffer::lent(&mut links));
        for (id, local, any) in [
            (0, "0.0.0.0:0", true),
            (1, "0.0.0.0:80", false),
            (2, "10.0.0.1:0", false),
            (3, "10.0.0.1:80", false),
            (4, "[::]:80", false),
        ] {
            assert_eq!(listeners.add(&config(local, any), 0), Ok(id));
        }
        let find = |to: &str, local| {
            listeners.find(to.parse::<core::net::SocketAddr>().unwrap().into(), local)
        };
        assert_eq!(find("10.0.0.1:80", true), Some(3));
        assert_eq!(find("10.0.0.1:81", true), Some(2));
        assert_eq!(find("10.0.0.2:80", true), Some(1));
        assert_eq!(find("10.0.0.2:81", true), Some(0));
        assert_eq!(find("192.0.2.1:80", false), Some(0), "any destination");
        assert_eq!(find("[::1]:80", true), Some(4));
        assert_eq!(find("[::1]:80", false), None);
        assert_eq!(find("[::1]:81", true), None);
    }

    #[test]
    fn one_listener_for_one_address() {
        let (mut records, mut links) = ([const { Place::EMPTY }; 1], [Link::OUT; 1]);
        let mut listeners =
            Listeners::<Full>::new(Buffer::lent(&mut records), Buffer::lent(&mut links));
        assert_eq!(listeners.add(&config("0.0.0.0:80", false), 0), Ok(0));
        assert_eq!(listeners.add(&config("0.0.0.0:80", true), 0), Err(ListenError::AddressInUse));
        assert_eq!(listeners.add(&config("0.0.0.0:81", true), 0), Err(ListenError::NoResources));
    }
}

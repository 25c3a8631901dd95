//! Cache of path metrics that connections leave for later ones to the same host (RFC 9040 section 6, temporal
//! sharing; Linux's `tcp_metrics`): slow-start threshold, round-trip time and its variation, and reordering. A
//! connection uses and updates it if it is [configured to](Config::reuse_metrics).
//!
//! [`Config::reuse_metrics`]: crate::tcp::Config::reuse_metrics

use super::Stack;
use crate::congestion::CongestionController;
use crate::profile::{InitialValue, Kept, Profile};
use crate::tcp::Lessons;
use crate::time::{Duration, Instant};
use crate::wire::Address;
use core::net::Ipv4Addr;

/// Number of hosts remembered. A new one replaces the one that was used or updated least recently.
const HOSTS: usize = 32;
/// How long metrics are valid (as in Linux).
const BELIEVED: Duration = Duration::from_secs(3_600);
/// Milliseconds in which a slow-start threshold doubles: the older it is, the less it says about the capacity
/// of the path (section 8.1).
const DOUBLES_IN: u64 = 600_000;
/// Number of doublings after which the threshold is dropped.
const MOST_DOUBLINGS: u64 = 5;

/// Metrics of one host.
#[derive(Clone, Copy, Debug)]
struct Host {
    address: Address,
    lessons: Lessons,
    learned_at: Instant,
    used_at: Instant,
}

impl Host {
    const NONE: Host = Host {
        address: Address::V4(Ipv4Addr::UNSPECIFIED),
        lessons: Lessons { rtt: 0, rttvar: 0, threshold: 0, reordering: None },
        learned_at: Instant::ZERO,
        used_at: Instant::ZERO,
    };

    /// Whether this entry holds metrics that are still valid.
    fn is_believed(&self, now: Instant) -> bool {
        self.lessons != Lessons::default() && now.saturating_since(self.learned_at) < BELIEVED
    }

    /// The metrics as adjusted for their age.
    fn aged(&self, now: Instant) -> Lessons {
        let doublings = now.saturating_since(self.learned_at).as_millis() / DOUBLES_IN;
        let factor = if doublings < MOST_DOUBLINGS { 1 << doublings } else { 0 };
        // An infinite threshold means that there is none.
        let threshold = self.lessons.threshold.checked_mul(factor).unwrap_or(0);
        Lessons { threshold, ..self.lessons }
    }
}

/// The cache.
#[derive(Debug)]
pub(super) struct HostMetricsCache([Host; HOSTS]);

impl InitialValue for HostMetricsCache {
    const INITIAL: Self = HostMetricsCache([Host::NONE; HOSTS]);
}

/// The mean of the old and the new value (section 6.3); if one of them is unknown (0), the other.
fn merged(old: u32, new: u32) -> u32 {
    match (old, new) {
        (0, only) | (only, 0) => only,
        (old, new) => old.midpoint(new),
    }
}

impl HostMetricsCache {
    fn find(&mut self, now: Instant, address: Address) -> Option<&mut Host> {
        self.0.iter_mut().find(|host| host.address == address && host.is_believed(now))
    }

    /// The metrics of a host and their age. Does not count as use of the entry.
    pub(super) fn look_up(&self, now: Instant, address: Address) -> Option<(Lessons, Duration)> {
        let is_it = |host: &&Host| host.address == address && host.is_believed(now);
        let host = self.0.iter().find(is_it)?;
        Some((host.aged(now), now.saturating_since(host.learned_at)))
    }

    /// The hosts with valid metrics.
    pub(super) fn hosts(&self, now: Instant) -> impl Iterator<Item = Address> + '_ {
        self.0.iter().filter(move |host| host.is_believed(now)).map(|host| host.address)
    }

    /// Forgets the hosts selected by `which`.
    pub(super) fn forget(&mut self, which: impl Fn(Address) -> bool) {
        for host in self.0.iter_mut().filter(|host| which(host.address)) {
            *host = Host::NONE;
        }
    }

    /// The metrics of a host, for a connection that uses them.
    fn recall(&mut self, now: Instant, address: Address) -> Option<Lessons> {
        let host = self.find(now, address)?;
        host.used_at = now;
        Some(host.aged(now))
    }

    /// Merges in what a connection to a host that is now closing has learned (section 6.2, CLOSE).
    pub(super) fn learn(&mut self, now: Instant, address: Address, new: Lessons) {
        if new == Lessons::default() {
            return;
        }
        let known = self.find(now, address).map(|host| host.aged(now));
        let old = known.unwrap_or_default();
        let lessons = Lessons {
            rtt: merged(old.rtt, new.rtt),
            rttvar: merged(old.rttvar, new.rttvar),
            threshold: merged(old.threshold, new.threshold),
            reordering: new.reordering,
        };
        let place = match known {
            Some(_) => self.find(now, address),
            None => self.0.iter_mut().min_by_key(|host| (host.is_believed(now), host.used_at)),
        };
        if let Some(place) = place {
            *place = Host { address, lessons, learned_at: now, used_at: now };
        }
    }
}

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// Initializes a new connection from the cached metrics of its host, if it is configured to.
    pub(super) fn begin_with_metrics(&mut self, id: u32) {
        let (Some(cache), Some(slot)) = (self.host_metrics.get_mut(), self.connections.get_mut(id))
        else {
            return;
        };
        if slot.reuses_metrics.get().is_some_and(|reuses| *reuses)
            && let Some(lessons) = cache.recall(self.now, slot.tuple.remote.ip())
        {
            slot.connection.begin_with_lessons(lessons);
        }
    }

    /// Updates the cache from a connection that is about to leave the network.
    #[inline(never)]
    pub(super) fn learn_metrics(&mut self, now: Instant, id: u32) {
        if let Some(cache) = self.host_metrics.get_mut()
            && let Some(slot) = self.connections.get(id)
        {
            cache.learn(now, slot.tuple.remote.ip(), slot.connection.lessons());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> Address {
        Address::V4(Ipv4Addr::new(10, 0, 0, last))
    }

    fn at(seconds: u64) -> Instant {
        Instant::from_secs(seconds)
    }

    const LESSONS: Lessons =
        Lessons { rtt: 40_000, rttvar: 5_000, threshold: 20_000, reordering: Some(1) };

    #[test]
    fn what_is_new_is_averaged_with_what_was_known() {
        let mut cache = HostMetricsCache::INITIAL;
        cache.learn(at(10), address(1), LESSONS);
        assert_eq!(cache.recall(at(20), address(1)), Some(LESSONS));
        let second = Lessons { rtt: 60_000, rttvar: 9_000, threshold: 0, reordering: None };
        cache.learn(at(30), address(1), second);
        let expected = Lessons { rtt: 50_000, rttvar: 7_000, threshold: 20_000, reordering: None };
        assert_eq!(cache.recall(at(40), address(1)), Some(expected));
        assert_eq!(cache.recall(at(40), address(2)), None);
    }

    #[test]
    fn a_threshold_doubles_every_ten_minutes_and_all_is_forgotten_after_an_hour() {
        let mut cache = HostMetricsCache::INITIAL;
        cache.learn(at(100), address(1), LESSONS);
        let mut threshold =
            |after: u64| cache.recall(at(100 + after), address(1)).map(|known| known.threshold);
        let known = [599, 600, 2_999, 3_000, 3_599, 3_600].map(&mut threshold);
        let expected = [Some(20_000), Some(40_000), Some(320_000), Some(0), Some(0), None];
        assert_eq!(known, expected);
    }

    #[test]
    fn a_newcomer_takes_the_place_of_the_host_that_was_used_least_recently() {
        let mut cache = HostMetricsCache::INITIAL;
        for n in 0..HOSTS as u8 {
            cache.learn(at(100 + u64::from(n)), address(n), LESSONS);
        }
        assert!(cache.recall(at(200), address(0)).is_some());
        cache.learn(at(201), address(100), LESSONS);
        assert!(cache.recall(at(202), address(100)).is_some());
        assert!(cache.recall(at(202), address(0)).is_some(), "used since");
        assert_eq!(cache.recall(at(202), address(1)), None);
    }

    #[test]
    fn a_connection_that_has_learned_nothing_takes_no_place() {
        let mut cache = HostMetricsCache::INITIAL;
        cache.learn(at(1), address(1), Lessons::default());
        assert!(cache.0.iter().all(|host| !host.is_believed(at(1))));
    }
}

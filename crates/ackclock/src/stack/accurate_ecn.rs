//! Hosts to which SYNs that ask for AccECN do not seem to come through: for a while none asks for it there (RFC 9768
//! section 3.1.4.1).

use super::Stack;
use crate::congestion::CongestionController;
use crate::profile::{InitialValue, Kept, Profile};
use crate::tcp::RequestFate;
use crate::time::{Duration, Instant};
use crate::wire::Address;
use core::net::Ipv4Addr;

/// How many hosts are remembered. One more takes the place of the one that was met least recently.
const HOSTS: usize = 8;
/// After so many failures in a row it is clear that it is not chance.
const CLEAR_AFTER: u8 = 2;
/// For so long nobody asks then, and twice as long after each failure that follows.
const AVOIDED_FOR: Duration = Duration::from_secs(600);
/// After this number of failures in a row the time grows no more: it is a week then.
const MOST_FAILURES: u8 = 12;

/// What is remembered of a host.
#[derive(Clone, Copy, Debug)]
struct Host {
    address: Address,
    /// Connections in a row that opened only once they did not ask for it any more.
    failures: u8,
    avoided_until: Instant,
    met_at: Instant,
}

/// The hosts at which such SYNs have failed.
#[derive(Debug)]
pub(super) struct DeafHosts([Host; HOSTS]);

impl InitialValue for DeafHosts {
    const INITIAL: Self = DeafHosts(
        [Host {
            address: Address::V4(Ipv4Addr::UNSPECIFIED),
            failures: 0,
            avoided_until: Instant::ZERO,
            met_at: Instant::ZERO,
        }; HOSTS],
    );
}

impl DeafHosts {
    /// Whether SYNs to a host are not to ask now.
    fn avoids(&self, now: Instant, address: Address) -> bool {
        self.0.iter().any(|host| host.address == address && host.avoided_until > now)
    }

    fn note(&mut self, now: Instant, address: Address, fate: RequestFate) {
        let known = self.0.iter().position(|host| host.failures > 0 && host.address == address);
        match fate {
            RequestFate::Passed => {
                if let Some(host) = known.and_then(|at| self.0.get_mut(at)) {
                    (host.failures, host.avoided_until) = (0, Instant::ZERO);
                }
            }
            RequestFate::Failed => {
                let place = match known {
                    Some(at) => self.0.get_mut(at),
                    None => self.0.iter_mut().min_by_key(|host| (host.failures > 0, host.met_at)),
                };
                let Some(host) = place else {
                    return;
                };
                let failures = if known.is_some() { host.failures } else { 0 };
                let failures = (failures + 1).min(MOST_FAILURES);
                let avoided_until = match failures.checked_sub(CLEAR_AFTER) {
                    Some(more) => now + AVOIDED_FOR.saturating_mul(1 << more),
                    None => Instant::ZERO,
                };
                *host = Host { address, failures, avoided_until, met_at: now };
            }
        }
    }

    /// The hosts that are avoided now, and for how long.
    pub(super) fn avoided(&self, now: Instant) -> impl Iterator<Item = (Address, Duration)> + '_ {
        let is_avoided = move |host: &&Host| host.avoided_until > now;
        let left = move |host: &Host| (host.address, host.avoided_until.saturating_since(now));
        self.0.iter().filter(is_avoided).map(left)
    }

    /// Forgets what is known of the hosts that `which` names.
    pub(super) fn forget(&mut self, which: impl Fn(Address) -> bool) {
        for host in self.0.iter_mut().filter(|host| which(host.address)) {
            (host.failures, host.avoided_until) = (0, Instant::ZERO);
        }
    }
}

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// Has the SYNs of a new connection ask for less where those that ask for AccECN have failed.
    pub(super) fn ask_for_less(&mut self, now: Instant, id: u32) {
        if let (Some(hosts), Some(slot)) = (self.deaf_hosts.get(), self.connections.get_mut(id))
            && hosts.avoids(now, slot.tuple.remote.ip())
        {
            slot.connection.ask_for_less();
        }
    }

    /// A SYN was answered.
    #[inline(never)]
    pub(super) fn note_request(&mut self, now: Instant, id: u32) {
        if let (Some(hosts), Some(slot)) = (self.deaf_hosts.get_mut(), self.connections.get(id))
            && let Some(fate) = slot.connection.request_fate()
        {
            hosts.note(now, slot.tuple.remote.ip(), fate);
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

    #[test]
    fn two_failures_in_a_row_say_for_how_long_nobody_asks() {
        let mut hosts = DeafHosts::INITIAL;
        let (host, other) = (address(1), address(2));
        hosts.note(at(10), host, RequestFate::Failed);
        assert!(!hosts.avoids(at(10), host), "once may be chance");
        hosts.note(at(20), host, RequestFate::Passed);
        hosts.note(at(30), host, RequestFate::Failed);
        assert!(!hosts.avoids(at(30), host), "not in a row");
        hosts.note(at(40), host, RequestFate::Failed);
        assert!(hosts.avoids(at(639), host) && !hosts.avoids(at(640), host));
        assert!(!hosts.avoids(at(40), other));
        hosts.note(at(700), host, RequestFate::Failed);
        assert!(hosts.avoids(at(1_899), host) && !hosts.avoids(at(1_900), host), "twice as long");
        assert_eq!(
            hosts.avoided(at(1_000)).collect::<std::vec::Vec<_>>(),
            [(host, Duration::from_secs(900))]
        );
        hosts.forget(|address| address == host);
        assert!(!hosts.avoids(at(701), host));
    }

    #[test]
    fn a_host_more_takes_the_place_of_the_one_met_least_recently() {
        let mut hosts = DeafHosts::INITIAL;
        for round in 0..2 {
            for last in 1..=9 {
                hosts.note(at(round * 10 + u64::from(last)), address(last), RequestFate::Failed);
                hosts.note(at(round * 10 + u64::from(last)), address(last), RequestFate::Failed);
            }
        }
        assert!(!hosts.avoids(at(30), address(1)));
        assert!((2..=9).all(|last| hosts.avoids(at(30), address(last))));
    }
}

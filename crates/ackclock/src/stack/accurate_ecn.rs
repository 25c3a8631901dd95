//! Cache of hosts at which SYNs that request AccECN seem to get lost: for a while no SYN to them requests it
//! (RFC 9768 section 3.1.4.1).

use super::Stack;
use crate::congestion::CongestionController;
use crate::profile::{InitialValue, Kept, Profile};
use crate::tcp::RequestFate;
use crate::time::{Duration, Instant};
use crate::wire::Address;
use core::net::Ipv4Addr;

/// Number of hosts remembered. A new one replaces the one whose SYN failed least recently.
const HOSTS: usize = 8;
/// Number of consecutive failures after which chance is ruled out.
const CLEAR_AFTER: u8 = 2;
/// For how long AccECN is not requested then; the time doubles with each further failure.
const AVOIDED_FOR: Duration = Duration::from_secs(600);
/// Number of consecutive failures after which the time no longer grows: it is a week then.
const MOST_FAILURES: u8 = 12;

/// State of one host.
#[derive(Clone, Copy, Debug)]
struct Host {
    address: Address,
    /// Consecutive connections that opened only after their SYN no longer requested AccECN.
    failures: u8,
    avoided_until: Instant,
    met_at: Instant,
}

/// The hosts at which SYNs that request AccECN have failed.
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
    /// Whether SYNs to this host should not request AccECN now.
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

    /// The hosts to which AccECN is not requested now, each with the time left.
    pub(super) fn avoided(&self, now: Instant) -> impl Iterator<Item = (Address, Duration)> + '_ {
        let is_avoided = move |host: &&Host| host.avoided_until > now;
        let left = move |host: &Host| (host.address, host.avoided_until.saturating_since(now));
        self.0.iter().filter(is_avoided).map(left)
    }

    /// Forgets the hosts selected by `which`.
    pub(super) fn forget(&mut self, which: impl Fn(Address) -> bool) {
        for host in self.0.iter_mut().filter(|host| which(host.address)) {
            (host.failures, host.avoided_until) = (0, Instant::ZERO);
        }
    }
}

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// Makes a new connection's SYNs not request AccECN if earlier requests to the same host have failed.
    pub(super) fn ask_for_less(&mut self, now: Instant, id: u32) {
        if let (Some(hosts), Some(slot)) = (self.deaf_hosts.get(), self.connections.get_mut(id))
            && hosts.avoids(now, slot.tuple.remote.ip())
        {
            slot.connection.ask_for_less();
        }
    }

    /// Records whether the SYN that was answered had requested AccECN.
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

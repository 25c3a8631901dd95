//! Table of everything the stack remembers about other hosts (RFC 9040; `ip tcp_metrics` on Linux).
//!
//! Each kind of information has its own cache, because each is an optional part with its own source, use and
//! expiry: [path metrics measured by connections](super::host_metrics), [path MTUs](super::icmp_errors), [Fast
//! Open cookies](super::fast_open), and [hosts at which SYNs that request AccECN get
//! lost](super::accurate_ecn). An image contains those that its profile selects.

use super::Stack;
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::tcp::Lessons;
use crate::time::{Duration, Instant};
use crate::wire::Address;
use core::net::IpAddr;

/// What the stack remembers about one host and the path to it; see [`Stack::host_metrics`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct HostMetrics {
    /// Address of the host.
    pub address: IpAddr,
    /// Smoothed round-trip time, if known.
    pub rtt: Option<Duration>,
    /// Mean deviation of the round-trip time, if known.
    pub rttvar: Option<Duration>,
    /// Slow-start threshold in bytes, if known.
    pub ssthresh: Option<u32>,
    /// Number of steps by which the reordering window has grown (RFC 8985 section 6.2 step 4), if reordering
    /// was seen.
    pub reordering: Option<u8>,
    /// Time since a connection last updated these metrics; zero if none has.
    pub age: Duration,
    /// Path MTU in bytes, if the path is known to be narrower than the link.
    pub mtu: Option<u32>,
    /// Whether the host has provided a Fast Open cookie (RFC 7413).
    pub has_cookie: bool,
    /// For how long SYNs to this host will not request AccECN, because SYNs that did have failed (RFC 9768
    /// section 3.1.4.1); `None` if they may.
    pub without_accurate_ecn: Option<Duration>,
}

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// Everything the stack remembers about other hosts. Connections that [reuse
    /// metrics](crate::tcp::Config::reuse_metrics) leave the path metrics of at most 32 hosts, which expire
    /// after an hour. Regardless of that setting, there are the MTUs of at most 8 narrow paths, at most 32 Fast
    /// Open cookies, and at most 8 hosts at which SYNs that request AccECN get lost. Slow-start thresholds are
    /// reported as a new connection would use them: they double every ten minutes.
    pub fn host_metrics(&self, now: Instant) -> impl Iterator<Item = HostMetrics> + '_ {
        let measured = self.host_metrics.get();
        let narrow = self.narrow_paths.get();
        let cookies = self.fast_open.get();
        let deaf = self.deaf_hosts.get();
        let is_measured = move |host| measured.is_some_and(|all| all.look_up(now, host).is_some());
        let is_narrow = move |host| narrow.is_some_and(|all| all.find(now, host).is_some());
        let has_cookie = move |host| cookies.is_some_and(|all| all.givers().any(|of| of == host));
        let first = measured.into_iter().flat_map(move |all| all.hosts(now));
        let second = narrow.into_iter().flat_map(move |all| all.destinations(now));
        let third = cookies.into_iter().flat_map(|all| all.givers());
        let last = deaf.into_iter().flat_map(move |all| all.avoided(now)).map(|(host, _)| host);
        first
            .chain(second.filter(move |&host| !is_measured(host)))
            .chain(third.filter(move |&host| !(is_measured(host) || is_narrow(host))))
            .chain(last.filter(move |&h| !(is_measured(h) || is_narrow(h) || has_cookie(h))))
            .map(move |host| self.known_of(now, host))
    }

    /// What the stack remembers about one host.
    fn known_of(&self, now: Instant, host: Address) -> HostMetrics {
        let measured = self.host_metrics.get().and_then(|all| all.look_up(now, host));
        let (Lessons { rtt, rttvar, threshold, reordering }, age) = measured.unwrap_or_default();
        let micros = |micros: u32| Duration::from_micros(micros.into());
        let avoided = self.deaf_hosts.get().and_then(|all| {
            all.avoided(now).find(|(address, _)| *address == host).map(|(_, left)| left)
        });
        HostMetrics {
            address: host.into(),
            rtt: (rtt > 0).then(|| micros(rtt)),
            rttvar: (rtt > 0).then(|| micros(rttvar)),
            ssthresh: (threshold > 0).then_some(threshold),
            reordering,
            age,
            mtu: self.narrow_paths.get().and_then(|all| all.find(now, host)).map(|(mtu, _)| mtu),
            has_cookie: self.fast_open.get().is_some_and(|all| all.givers().any(|of| of == host)),
            without_accurate_ecn: avoided,
        }
    }

    /// Forgets everything [remembered](Self::host_metrics) about a host, or about all hosts if `address` is
    /// `None`.
    pub fn forget_host_metrics(&mut self, address: Option<IpAddr>) {
        let address = address.map(Address::from);
        let which = move |host| address.is_none_or(|address| address == host);
        self.host_metrics.get_mut().into_iter().for_each(|all| all.forget(which));
        self.narrow_paths.get_mut().into_iter().for_each(|all| all.forget(which));
        self.fast_open.get_mut().into_iter().for_each(|all| all.forget(which));
        self.deaf_hosts.get_mut().into_iter().for_each(|all| all.forget(which));
    }
}

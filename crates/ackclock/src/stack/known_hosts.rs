//! What is remembered of other hosts, as one table to whoever looks at it (RFC 9040; `ip tcp_metrics` on Linux).
//!
//! Each kind of knowledge has a store of its own, since each is a part of its own, with its own ways to be found
//! out, to be told and to grow old: [what connections have measured](super::host_metrics), [narrow
//! paths](super::icmp_errors), [cookies](super::fast_open), and [where SYNs with AccECN
//! fail](super::accurate_ecn). Images have those that they ask for.

use super::Stack;
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::tcp::Lessons;
use crate::time::{Duration, Instant};
use crate::wire::Address;
use core::net::IpAddr;

/// What is remembered of a host and the path to it; see [`Stack::host_metrics`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct HostMetrics {
    /// Address of the host.
    pub address: IpAddr,
    /// Round-trip time, if it is known.
    pub rtt: Option<Duration>,
    /// Mean deviation of the round-trip time, if it is known.
    pub rttvar: Option<Duration>,
    /// Slow-start threshold in bytes, if there is one.
    pub ssthresh: Option<u32>,
    /// By how many steps the reordering window has grown (RFC 8985 section 6.2 step 4), if reordering was
    /// seen.
    pub reordering: Option<u8>,
    /// How long ago a connection has added to these; zero if none has.
    pub age: Duration,
    /// Largest packet that the path takes, in bytes, if it is known to be narrow.
    pub mtu: Option<u32>,
    /// Whether it has given a Fast Open cookie (RFC 7413).
    pub has_cookie: bool,
    /// For how long no SYN asks it for AccECN, as those that did have failed (RFC 9768 section 3.1.4.1).
    pub without_accurate_ecn: Option<Duration>,
}

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// What is remembered of other hosts: what connections that [reuse
    /// metrics](crate::tcp::Config::reuse_metrics) have learned of the paths to them, for at most 32 and an hour; and
    /// whatever connections do, the MTU of at most 8 narrow paths, at most 32 cookies, and at most 8 hosts that
    /// SYNs with AccECN do not reach. Thresholds are as a new connection would begin with them: they double every
    /// ten minutes.
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

    /// What is remembered of one host.
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

    /// Forgets what is [remembered](Self::host_metrics) of a host, or of all if none is named.
    pub fn forget_host_metrics(&mut self, address: Option<IpAddr>) {
        let address = address.map(Address::from);
        let which = move |host| address.is_none_or(|address| address == host);
        self.host_metrics.get_mut().into_iter().for_each(|all| all.forget(which));
        self.narrow_paths.get_mut().into_iter().for_each(|all| all.forget(which));
        self.fast_open.get_mut().into_iter().for_each(|all| all.forget(which));
        self.deaf_hosts.get_mut().into_iter().for_each(|all| all.forget(which));
    }
}

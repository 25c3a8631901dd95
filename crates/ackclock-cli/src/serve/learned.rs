//! Metrics of hosts, measured by earlier connections (RFC 9040), in the format of `ip tcp_metrics`.

use crate::report::{milliseconds, seconds};
use ackclock::stack::HostMetrics;
use serde::Serialize;
use std::fmt;

/// The metrics of a host.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub(crate) struct LearnedHost {
    address: String,
    age_seconds: f64,
    rtt_seconds: Option<f64>,
    rttvar_seconds: Option<f64>,
    ssthresh_bytes: Option<u32>,
    /// Steps by which the reordering window has grown; null if no reordering was seen.
    reordering: Option<u8>,
    /// What the path takes, if it is known to be narrow.
    mtu_bytes: Option<u32>,
    fast_open_cookie: bool,
    /// For how long no SYN asks it for AccECN, since those that did have failed; null if they may.
    without_accurate_ecn_seconds: Option<f64>,
    #[serde(skip)]
    line: String,
}

impl From<HostMetrics> for LearnedHost {
    fn from(host: HostMetrics) -> Self {
        let mut line = format!("{} age {:.1} s", host.address, seconds(host.age));
        let rtt = host.rtt.map(|rtt| format!(" rtt {}", milliseconds(rtt)));
        let rttvar = host.rttvar.map(|rttvar| format!(" rttvar {}", milliseconds(rttvar)));
        let ssthresh = host.ssthresh.map(|ssthresh| format!(" ssthresh {ssthresh}"));
        let reordering = host.reordering.map(|steps| format!(" reordering {steps}"));
        let mtu = host.mtu.map(|mtu| format!(" mtu {mtu}"));
        let cookie = host.has_cookie.then(|| " fast open cookie".to_owned());
        let avoided = host.without_accurate_ecn;
        let avoided = avoided.map(|left| format!(" without AccECN for {:.0} s", seconds(left)));
        let words = [rtt, rttvar, ssthresh, reordering, mtu, cookie, avoided];
        line.extend(words.into_iter().flatten());
        LearnedHost {
            address: host.address.to_string(),
            age_seconds: seconds(host.age),
            rtt_seconds: host.rtt.map(seconds),
            rttvar_seconds: host.rttvar.map(seconds),
            ssthresh_bytes: host.ssthresh,
            reordering: host.reordering,
            mtu_bytes: host.mtu,
            fast_open_cookie: host.has_cookie,
            without_accurate_ecn_seconds: host.without_accurate_ecn.map(seconds),
            line,
        }
    }
}

impl fmt::Display for LearnedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line)
    }
}

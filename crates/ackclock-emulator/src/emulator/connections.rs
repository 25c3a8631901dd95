//! Events of connections: each change of the values that papers plot.

use crate::ids::HostId;
use crate::observer::{ConnectionOnHost, Event};
use ackclock::congestion::CongestionController;
use ackclock::stack::Stack;
use ackclock::tcp::{Info, State};
use ackclock::time::{Duration, Instant};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::net::SocketAddr;

/// The connections that have been reported to observers.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    /// By host, and then by both ends.
    known: BTreeMap<HostId, BTreeMap<[SocketAddr; 2], Known>>,
    told_of: u64,
    looks: u64,
}

/// A connection and its state as last reported to observers.
#[derive(Debug)]
struct Known {
    number: u64,
    told: Info,
    /// The number of the last look that found the connection.
    seen: u64,
}

/// The values whose change is an event.
fn plotted(info: &Info) -> (State, [u32; 3], Duration, bool) {
    (info.state, [info.cwnd, info.ssthresh, info.in_flight], info.rtt, info.in_recovery)
}

impl Connections {
    /// Compares the connections of a host with the last report, and reports the changes.
    pub(crate) fn look_at<C: CongestionController + Clone>(
        &mut self,
        now: Instant,
        host: HostId,
        stack: &Stack<'_, C>,
        tell: &mut dyn FnMut(&Event<'_>),
    ) {
        self.looks += 1;
        let here = self.known.entry(host).or_default();
        let mut there = 0;
        for (ends, info) in stack.connections(now) {
            there += 1;
            let known = match here.entry(ends) {
                Entry::Occupied(known) => {
                    let known = known.into_mut();
                    known.seen = self.looks;
                    if plotted(&known.told) == plotted(&info) {
                        continue;
                    }
                    known.told = info;
                    known
                }
                Entry::Vacant(place) => {
                    self.told_of += 1;
                    place.insert(Known { number: self.told_of - 1, told: info, seen: self.looks })
                }
            };
            tell(&Event::Connection(known.on(host, ends)));
        }
        if here.len() == there {
            return;
        }
        here.retain(|ends, known| {
            let stays = known.seen == self.looks;
            if !stays {
                tell(&Event::ConnectionGone(known.on(host, *ends)));
            }
            stays
        });
    }
}

impl Known {
    fn on(&self, host: HostId, [local, remote]: [SocketAddr; 2]) -> ConnectionOnHost<'_> {
        ConnectionOnHost { number: self.number, host, local, remote, info: &self.told }
    }
}

//! ICMP errors: finds the connection that each concerns (RFC 5927 section 4), and remembers the path MTUs
//! that they report, or that probes have found, for the next connection to the same destination (RFC 1191
//! section 6.3).

use super::aftermath::Cause;
use super::demux::Entity;
use super::tuple::FourTuple;
use super::{Slot, Stack};
use crate::congestion::CongestionController;
use crate::profile::{InitialValue, Kept, Profile};
use crate::time::{Duration, Instant};
use crate::wire::{Address, IcmpError, IcmpErrorKind};
use core::net::Ipv4Addr;

/// Number of destinations whose path MTU is remembered.
const DESTINATIONS: usize = 8;
/// Time for which a remembered path MTU is believed (RFC 1191 section 6.3).
const BELIEVED: Duration = Duration::from_secs(600);

/// The remembered path MTU to a destination.
#[derive(Clone, Copy, Debug)]
struct NarrowPath {
    destination: Address,
    /// The path MTU in bytes.
    mtu: u32,
    /// Until when the path MTU is believed.
    until: Instant,
}

/// The path MTUs learned most recently. A new one replaces the one that expires first.
#[derive(Debug)]
pub(super) struct NarrowPaths([NarrowPath; DESTINATIONS]);

impl InitialValue for NarrowPaths {
    const INITIAL: Self = NarrowPaths(
        [NarrowPath {
            destination: Address::V4(Ipv4Addr::UNSPECIFIED),
            mtu: 0,
            until: Instant::ZERO,
        }; DESTINATIONS],
    );
}

impl NarrowPaths {
    /// The path MTU to a destination, in bytes, if it is remembered, and until when it is believed.
    pub(super) fn find(&self, now: Instant, destination: Address) -> Option<(u32, Instant)> {
        let known = |path: &&NarrowPath| path.until > now && path.destination == destination;
        self.0.iter().find(known).map(|path| (path.mtu, path.until))
    }

    /// Destinations for which a path MTU is remembered.
    pub(super) fn destinations(&self, now: Instant) -> impl Iterator<Item = Address> + '_ {
        self.0.iter().filter(move |path| path.until > now).map(|path| path.destination)
    }

    /// Forgets the path MTUs of destinations that `which` selects.
    pub(super) fn forget(&mut self, which: impl Fn(Address) -> bool) {
        for path in self.0.iter_mut().filter(|path| which(path.destination)) {
            path.until = Instant::ZERO;
        }
    }

    /// Remembers the path MTU that probes of a connection have newly found, if any.
    #[inline(always)]
    pub(super) fn learn_from<C: CongestionController, P: Profile>(
        &mut self,
        now: Instant,
        slot: &mut Slot<'_, C, P>,
    ) {
        if let Some(mtu) = slot.connection.take_found_mtu() {
            self.learn(now, slot.tuple.remote.ip(), mtu);
        }
    }

    pub(super) fn learn(&mut self, now: Instant, destination: Address, mtu: u32) {
        let known = self.0.iter().position(|path| path.destination == destination);
        let place = match known {
            Some(place) => self.0.get_mut(place),
            None => self.0.iter_mut().min_by_key(|path| path.until),
        };
        if let Some(place) = place {
            *place = NarrowPath { destination, mtu, until: now + BELIEVED };
        }
    }
}

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// Processes an ICMP error: it concerns the entity with the quoted four-tuple, and only if the quoted
    /// sequence number is in flight (RFC 5927 section 4.1). Returns whether any entity has the four-tuple.
    #[inline(never)]
    pub(super) fn on_icmp_error(&mut self, now: Instant, error: &IcmpError) -> bool {
        let tuple = FourTuple { local: error.local.into(), remote: error.remote.into() };
        match self.find(&tuple) {
            Some(Entity::Connection(id)) if P::SIGNATURES && self.ignores_icmp(id, error) => {
                if self.may_tell() {
                    tell!(warn, "ICMP error ignored, {}: TCP-AO signs the connection", tuple);
                }
                self.statistics.count(|all| &mut all.icmp_ignored);
            }
            Some(Entity::Connection(id)) => {
                let mut tries_fast_open = false;
                let is_ours = self.connections.get_mut(id).is_some_and(|slot| {
                    let before = slot.connection.path_mtu();
                    tries_fast_open = slot.connection.tries_fast_open();
                    let is_ours = slot.connection.on_icmp_error(now, error.kind, error.seq);
                    learn_path(&mut self.narrow_paths, now, slot, before);
                    is_ours
                });
                self.statistics.count(|all| {
                    if is_ours { &mut all.icmp_errors } else { &mut all.icmp_ignored }
                });
                if is_ours && tries_fast_open {
                    self.note_lost_fast_open(now, id);
                }
                self.touched(now, id, Cause::Step);
            }
            Some(Entity::HalfOpen(id)) if self.is_syn_ack(id, error) => {
                self.statistics.count(|all| &mut all.icmp_errors);
                if error.kind == IcmpErrorKind::Refused {
                    self.forget_half_open(id);
                }
            }
            whose => {
                self.statistics.count(|all| &mut all.icmp_ignored);
                return whose.is_some();
            }
        }
        true
    }

    /// Whether an ICMP error quotes the SYN-ACK of a half-open connection.
    fn is_syn_ack(&self, id: u32, error: &IcmpError) -> bool {
        self.half_open.records.get(id).is_some_and(|record| record.iss == error.seq)
    }

    /// Handles the timers of a connection, and remembers its path MTU if they have lowered it, which happens
    /// when a router's report is confirmed.
    pub(super) fn fire_timers(&mut self, now: Instant, id: u32) {
        if let Some(slot) = self.connections.get_mut(id) {
            let before = slot.connection.path_mtu();
            slot.connection.on_timeout(now);
            learn_path(&mut self.narrow_paths, now, slot, before);
            if slot.connection.has_failed_to_open_fast() {
                self.note_lost_fast_open(now, id);
            }
        }
    }

    /// The remembered path MTU to a destination, in bytes, and until when it is believed.
    pub(super) fn narrow_path(&self, destination: Address) -> Option<(u32, Instant)> {
        self.narrow_paths.get()?.find(self.now, destination)
    }
}

/// Remembers the path MTU of a connection if it has become less than `before`.
fn learn_path<C: CongestionController, P: Profile>(
    paths: &mut impl Kept<NarrowPaths>,
    now: Instant,
    slot: &Slot<'_, C, P>,
    before: u32,
) {
    let mtu = slot.connection.path_mtu();
    // An MTU that a search by probes has not confirmed yet is of no use to other connections.
    if mtu < before
        && !slot.connection.searches_path()
        && let Some(paths) = paths.get_mut()
    {
        paths.learn(now, slot.tuple.remote.ip(), mtu);
    }
}

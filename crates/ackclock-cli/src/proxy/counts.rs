//! Counters of a proxy.

use ackclock_net::relay::Carried;
use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number that flows add to.
#[derive(Debug, Default)]
pub(super) struct Counter(AtomicU64);

impl Counter {
    pub(super) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counters of a proxy's flows.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) opened: Counter,
    pub(super) completed: Counter,
    pub(super) failed: Counter,
    pub(super) idle: Counter,
    pub(super) refused: Counter,
    pub(super) unreachable: Counter,
    pub(super) given_up: Counter,
    pub(super) carried: Carried,
}

/// The counters at one time, or the difference between two times.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Counts {
    /// Connections to both sides.
    pub(super) opened_connections: u64,
    /// Connections whose directions have both ended.
    pub(super) completed_connections: u64,
    /// Connections that one of the sides has reset, or where it did not answer any more.
    pub(super) failed_connections: u64,
    /// Connections that were ended because no data moved.
    pub(super) idle_connections: u64,
    /// Requests that were refused, as they were outside.
    pub(super) refused_requests: u64,
    /// Requests without an answer: outside was none in time, or no way.
    pub(super) unreachable_requests: u64,
    /// Requests whose peer has given up, or that were discarded for newer ones.
    pub(super) given_up_requests: u64,
    /// Bytes from the interface to the outside.
    pub(super) out_bytes: u64,
    /// Bytes from the outside to the interface.
    pub(super) back_bytes: u64,
}

impl Counters {
    /// Their present values.
    pub(super) fn counts(&self) -> Counts {
        Counts {
            opened_connections: self.opened.get(),
            completed_connections: self.completed.get(),
            failed_connections: self.failed.get(),
            idle_connections: self.idle.get(),
            refused_requests: self.refused.get(),
            unreachable_requests: self.unreachable.get(),
            given_up_requests: self.given_up.get(),
            out_bytes: self.carried.out(),
            back_bytes: self.carried.back(),
        }
    }
}

impl Counts {
    /// Connections that are there.
    pub(super) fn open_connections(&self) -> u64 {
        let ended = self.completed_connections + self.failed_connections + self.idle_connections;
        self.opened_connections - ended
    }

    /// The difference since an earlier count.
    pub(super) fn since(&self, before: &Counts) -> Counts {
        Counts {
            opened_connections: self.opened_connections - before.opened_connections,
            completed_connections: self.completed_connections - before.completed_connections,
            failed_connections: self.failed_connections - before.failed_connections,
            idle_connections: self.idle_connections - before.idle_connections,
            refused_requests: self.refused_requests - before.refused_requests,
            unreachable_requests: self.unreachable_requests - before.unreachable_requests,
            given_up_requests: self.given_up_requests - before.given_up_requests,
            out_bytes: self.out_bytes - before.out_bytes,
            back_bytes: self.back_bytes - before.back_bytes,
        }
    }
}

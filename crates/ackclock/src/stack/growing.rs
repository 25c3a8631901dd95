//! Storage for a stack that grows on a heap.

use super::Storage;
use crate::profile::{Full, Profile};
use crate::storage::Buffer;

impl<C> Storage<'_, C, Full> {
    /// Storage that grows on demand, up to the limits of the [`StackConfig`](super::StackConfig).
    pub fn growing() -> Self {
        Self::growing_for(Full)
    }
}

impl<C, P: Profile> Storage<'_, C, P> {
    /// As [`growing`](Storage::growing), for a stack with this profile.
    pub fn growing_for(_profile: P) -> Self {
        Storage {
            connections: Buffer::growing(),
            spare: Buffer::growing(),
            connection_timers: Buffer::growing(),
            ready: Buffer::growing(),
            credits: Buffer::growing(),
            events: Buffer::growing(),
            half_open: Buffer::growing(),
            half_open_timers: Buffer::growing(),
            syn_acks: Buffer::growing(),
            time_wait: Buffer::growing(),
            listeners: Buffer::growing(),
            listener_events: Buffer::growing(),
            addresses: Buffer::growing(),
            resting: Buffer::growing(),
            buckets: Buffer::growing(),
            replies: Buffer::growing(),
            echoes: Buffer::growing(),
            echo_data: Buffer::growing(),
        }
    }
}

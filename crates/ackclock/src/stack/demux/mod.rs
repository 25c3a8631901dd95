//! Demultiplexing: finds the entity with a given four-tuple.
//!
//! With [`Many`](super::scale::Many) connections a hash table finds it in O(1); the keys of the hash are
//! secret, so that no one can choose four-tuples that collide. With [`Few`](super::scale::Few) connections,
//! or without memory for a table, all records are searched linearly.

pub(super) mod hash;
mod table;

pub(super) use hash::{HashKeys, Multilinear};
pub(super) use table::Bucket;

use super::scale::Scale;
use super::secret::Secret;
use super::tuple::FourTuple;
use crate::storage::Buffer;
use table::Table;

/// What can have a four-tuple.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Entity {
    /// A connection slot.
    Connection(u32),
    /// A half-open connection.
    HalfOpen(u32),
    /// A connection in TIME-WAIT.
    TimeWait(u32),
}

/// The table from four-tuples to entities.
#[derive(Debug)]
pub(super) struct Demux<'a, S: Scale> {
    table: Table<'a>,
    keys: S::HashKeys,
}

impl<'a, S: Scale> Demux<'a, S> {
    /// An empty table, before there is memory and a secret.
    pub(super) const fn empty(buckets: Buffer<'a, Bucket>) -> Self {
        Demux { table: Table::new(buckets), keys: S::HashKeys::NONE }
    }

    /// A table in `buckets`, which must be empty.
    pub(super) fn new(buckets: Buffer<'a, Bucket>, secret: &Secret) -> Self {
        Demux { table: Table::new(buckets), keys: S::HashKeys::of(secret) }
    }

    /// Whether there is no table, so that the caller must search all records.
    pub(super) fn is_absent(&self) -> bool {
        !S::IS_MANY || self.table.is_absent()
    }

    /// Number of entities in the table.
    #[cfg(test)]
    #[allow(dead_code, reason = "only tests with a heap ask for it")]
    pub(super) fn len(&self) -> usize {
        self.table.len
    }

    /// The entity with this four-tuple; `is_it` checks the tuple of a candidate.
    pub(super) fn find(
        &self,
        tuple: &FourTuple,
        is_it: impl FnMut(Entity) -> bool,
    ) -> Option<Entity> {
        if self.is_absent() {
            return None;
        }
        self.table.find(self.keys.hash(tuple), is_it)
    }

    /// Makes room for one more entity; returns whether there is room.
    pub(super) fn reserve(&mut self) -> bool {
        self.is_absent() || self.table.reserve()
    }

    /// Adds an entity that is not in the table. Without [room](Self::reserve) for it, it will not be found.
    pub(super) fn insert(&mut self, tuple: &FourTuple, entity: Entity) {
        if !self.is_absent() {
            self.table.insert(self.keys.hash(tuple), entity);
        }
    }

    /// Replaces `old` by `new`, which has the same four-tuple.
    pub(super) fn replace(&mut self, tuple: &FourTuple, old: Entity, new: Entity) {
        if !self.is_absent() {
            self.table.replace(self.keys.hash(tuple), old, new);
        }
    }

    /// Removes an entity.
    pub(super) fn remove(&mut self, tuple: &FourTuple, entity: Entity) {
        if !self.is_absent() {
            self.table.remove(self.keys.hash(tuple), entity);
        }
    }
}

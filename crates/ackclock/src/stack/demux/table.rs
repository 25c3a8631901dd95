//! A hash table with open addressing that stores no keys: a bucket holds a hash and an id, and the caller
//! checks whether the record with that id is the right one.

use super::Entity;
use crate::stack::pool::NO_ID;
use crate::storage::Buffer;

/// Bits of an id (see `pool`); the two bits above hold the kind of entity.
const ID_BITS: u32 = 30;

/// One bucket: the hash, and kind and id in one word; 0 means empty.
#[derive(Clone, Copy, Debug)]
pub(in crate::stack) struct Bucket {
    hash: u32,
    entity: u32,
}

impl Bucket {
    /// An empty bucket.
    pub(in crate::stack) const EMPTY: Bucket = Bucket { hash: 0, entity: 0 };

    const fn new(hash: u32, entity: Entity) -> Self {
        let (kind, id) = match entity {
            Entity::Connection(id) => (1, id),
            Entity::HalfOpen(id) => (2, id),
            Entity::TimeWait(id) => (3, id),
        };
        Bucket { hash, entity: (kind << ID_BITS) | (id & (NO_ID >> 2)) }
    }

    const fn entity(self) -> Option<Entity> {
        let id = self.entity & (NO_ID >> 2);
        match self.entity >> ID_BITS {
            1 => Some(Entity::Connection(id)),
            2 => Some(Entity::HalfOpen(id)),
            3 => Some(Entity::TimeWait(id)),
            _ => None,
        }
    }
}

/// Number of buckets that a growing table starts with.
const FIRST_GROWTH: usize = 16;

/// The hash table, with linear probing. Removal shifts the following buckets back, so that no tombstones
/// accumulate.
#[derive(Debug)]
pub(in crate::stack) struct Table<'a> {
    buckets: Buffer<'a, Bucket>,
    /// Number of entities in the table.
    pub(in crate::stack) len: usize,
}

impl<'a> Table<'a> {
    /// A table in `buckets`, which must be empty. Without memory for buckets there is no table: see
    /// [`is_absent`](Self::is_absent).
    pub(in crate::stack) const fn new(buckets: Buffer<'a, Bucket>) -> Self {
        Table { buckets, len: 0 }
    }

    /// Whether there is no table, so that the caller must search all records.
    pub(in crate::stack) fn is_absent(&self) -> bool {
        self.buckets.is_empty() && !self.buckets.can_grow()
    }

    /// The entity with this hash that `is_it` accepts.
    pub(in crate::stack) fn find(
        &self,
        hash: u32,
        mut is_it: impl FnMut(Entity) -> bool,
    ) -> Option<Entity> {
        let is_it = |bucket: Bucket| bucket.hash == hash && bucket.entity().is_some_and(&mut is_it);
        self.search(hash, is_it)?.1.entity()
    }

    /// Makes room for one more entity; returns whether there is room.
    pub(in crate::stack) fn reserve(&mut self) -> bool {
        if self.is_absent() {
            return true;
        }
        if !self.buckets.can_grow() {
            // One bucket stays empty, as it ends every search.
            return self.len + 1 < self.buckets.len();
        }
        (self.len + 1) * 4 <= self.buckets.len() * 3 || self.enlarge()
    }

    /// Adds an entity that is not in the table; returns whether there was room.
    pub(in crate::stack) fn insert(&mut self, hash: u32, entity: Entity) -> bool {
        if self.is_absent() {
            return true;
        }
        if !self.reserve() {
            return false;
        }
        self.place(Bucket::new(hash, entity));
        true
    }

    /// Replaces `old` by `new`, which has the same hash.
    #[inline(never)]
    pub(in crate::stack) fn replace(&mut self, hash: u32, old: Entity, new: Entity) {
        if let Some(position) = self.position(hash, old)
            && let Some(bucket) = self.buckets.get_mut(position)
        {
            *bucket = Bucket::new(hash, new);
        }
    }

    /// Removes an entity.
    #[inline(never)]
    pub(in crate::stack) fn remove(&mut self, hash: u32, entity: Entity) {
        let Some(mut hole) = self.position(hash, entity) else {
            return;
        };
        self.len -= 1;
        let mut position = hole;
        for _ in 0..self.buckets.len() {
            position = self.after(position);
            let Some(&bucket) = self.buckets.get(position) else {
                break;
            };
            if bucket.entity == 0 {
                break;
            }
            // A following bucket may move into the hole unless its search begins after the hole.
            let home = self.home(bucket.hash);
            if self.steps(home, position) >= self.steps(hole, position) {
                self.write(hole, bucket);
                hole = position;
            }
        }
        self.write(hole, Bucket::EMPTY);
    }

    /// The bucket where the search for a hash begins. The range of hashes is mapped to the table in order.
    fn home(&self, hash: u32) -> usize {
        ((u64::from(hash) * self.buckets.len() as u64) >> 32) as usize
    }

    fn after(&self, position: usize) -> usize {
        if position + 1 >= self.buckets.len() { 0 } else { position + 1 }
    }

    /// Number of steps forward from one position to another, wrapping around.
    fn steps(&self, from: usize, to: usize) -> usize {
        if to >= from { to - from } else { to + self.buckets.len() - from }
    }

    /// Position and content of the first bucket from the home of a hash on that is empty or that `is_it`
    /// accepts.
    fn search(&self, hash: u32, mut is_it: impl FnMut(Bucket) -> bool) -> Option<(usize, Bucket)> {
        let mut position = self.home(hash);
        for _ in 0..self.buckets.len() {
            let bucket = *self.buckets.get(position)?;
            if bucket.entity == 0 || is_it(bucket) {
                return Some((position, bucket));
            }
            position = self.after(position);
        }
        None
    }

    fn position(&self, hash: u32, entity: Entity) -> Option<usize> {
        let wanted = Bucket::new(hash, entity).entity;
        let (position, bucket) = self.search(hash, |bucket| bucket.entity == wanted)?;
        (bucket.entity == wanted).then_some(position)
    }

    fn write(&mut self, position: usize, bucket: Bucket) {
        if let Some(place) = self.buckets.get_mut(position) {
            *place = bucket;
        }
    }

    /// Stores a bucket in the first empty place from its home on; the caller has made sure that there is one.
    fn place(&mut self, bucket: Bucket) {
        if let Some((position, _)) = self.search(bucket.hash, |_| false) {
            self.write(position, bucket);
            self.len += 1;
        }
    }

    #[cold]
    #[inline(never)]
    fn enlarge(&mut self) -> bool {
        let mut larger = Table::new(self.buckets.another());
        let count = self.buckets.len().saturating_mul(2).max(FIRST_GROWTH);
        if !larger.buckets.grow(count, Bucket::EMPTY) {
            return false;
        }
        self.buckets.iter().filter(|bucket| bucket.entity != 0).for_each(|&b| larger.place(b));
        *self = larger;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn without_buckets_nothing_is_found_and_nothing_refused() {
        let mut table = Table::new(Buffer::default());
        assert!(table.is_absent());
        assert!(table.insert(1, Entity::Connection(0)));
        assert_eq!(table.find(1, |_| true), None);
    }

    #[test]
    fn lent_buckets_keep_one_empty() {
        let mut buckets = [Bucket::EMPTY; 3];
        let mut table = Table::new(Buffer::lent(&mut buckets));
        assert!(table.insert(u32::MAX, Entity::Connection(7)));
        assert!(table.insert(u32::MAX, Entity::TimeWait(7)));
        assert!(!table.insert(0, Entity::HalfOpen(1)));
        let time_wait = |entity| entity == Entity::TimeWait(7);
        assert_eq!(table.find(u32::MAX, time_wait), Some(Entity::TimeWait(7)));
        assert_eq!(table.find(u32::MAX - 1, |_| true), None);
        table.replace(u32::MAX, Entity::TimeWait(7), Entity::HalfOpen(2));
        assert_eq!(table.find(u32::MAX, time_wait), None);
        table.remove(u32::MAX, Entity::Connection(7));
        assert_eq!(table.find(u32::MAX, |_| true), Some(Entity::HalfOpen(2)));
    }

    /// Hashes that fill few homes, so that searches collide and wrap.
    fn hash(key: u32) -> u32 {
        (key % 5).wrapping_mul(0x3fff_ffff)
    }

    fn check(mut table: Table<'_>, calls: &[(bool, u32)]) -> Result<(), TestCaseError> {
        let mut oracle = BTreeMap::new();
        for &(insert, key) in calls {
            let entity = match key % 3 {
                0 => Entity::Connection(key),
                1 => Entity::HalfOpen(key),
                _ => Entity::TimeWait(key),
            };
            if insert && !oracle.contains_key(&key) {
                if table.insert(hash(key), entity) {
                    oracle.insert(key, entity);
                }
            } else if !insert {
                table.remove(hash(key), entity);
                oracle.remove(&key);
            }
            for key in 0..32 {
                let expected = oracle.get(&key).copied();
                let is_it = |entity| Some(entity) == expected;
                prop_assert_eq!(table.find(hash(key), is_it), expected);
            }
            prop_assert_eq!(table.len, oracle.len());
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn behaves_as_a_map(calls in prop::collection::vec((any::<bool>(), 0_u32..32), 1..200)) {
            let mut buckets = [Bucket::EMPTY; 13];
            check(Table::new(Buffer::lent(&mut buckets)), &calls)?;
            #[cfg(feature = "alloc")]
            check(Table::new(Buffer::growing()), &calls)?;
        }
    }
}

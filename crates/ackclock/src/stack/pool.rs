//! Pools of records with ids: connections, half-open connections, listeners.

use crate::storage::Buffer;

/// An id that no record has.
pub(super) const NO_ID: u32 = u32::MAX;

/// Most places in a pool: an id and the kind of its record must fit into 32 bits (see `demux`).
const MAX_PLACES: usize = 1 << 30;

/// A place for one record. Its representation is fixed so that a place never used is all zeros.
#[derive(Debug)]
#[repr(u32)]
pub(super) enum Place<T> {
    /// Free; `next_free` is valid only if the place was used before.
    Vacant { generation: u32, next_free: u32 } = 0,
    /// In use.
    Taken { generation: u32, record: T } = 1,
}

impl<T> Place<T> {
    /// A place that was never used.
    pub(super) const EMPTY: Self = Place::Vacant { generation: 0, next_free: 0 };

    const fn record(&self) -> Option<&T> {
        match self {
            Place::Vacant { .. } => None,
            Place::Taken { record, .. } => Some(record),
        }
    }

    const fn generation(&self) -> u32 {
        match self {
            Place::Vacant { generation, .. } | Place::Taken { generation, .. } => *generation,
        }
    }
}

/// Records with small ids, found in O(1). Ids are reused, but never together with the same generation.
#[derive(Debug)]
pub(super) struct Pool<'a, T> {
    places: Buffer<'a, Place<T>>,
    /// First place of the list of places that were used and are free again.
    free: u32,
    /// First place that was never used; so are all after it.
    unused: u32,
    /// Most records where storage grows.
    limit: usize,
}

impl<'a, T> Pool<'a, T> {
    /// An empty pool in `places`: limited to the length of lent memory, or to `limit` if memory grows.
    pub(super) const fn new(places: Buffer<'a, Place<T>>, limit: usize) -> Self {
        Pool {
            places,
            free: NO_ID,
            unused: 0,
            limit: if limit < MAX_PLACES { limit } else { MAX_PLACES },
        }
    }

    /// Most records at the same time.
    const fn limit(&self) -> usize {
        if self.places.can_grow() { self.limit } else { self.places.length() }
    }

    /// Whether no further record fits.
    pub(super) fn is_full(&self) -> bool {
        self.free == NO_ID && self.unused as usize >= self.limit()
    }

    /// An id above all that were ever used.
    pub(super) fn end(&self) -> u32 {
        self.unused
    }

    /// The id that the next record will get; makes room for it. `None` if there is no room.
    pub(super) fn vacancy(&mut self) -> Option<u32> {
        if self.is_full() {
            return None;
        }
        if self.free != NO_ID {
            return Some(self.free);
        }
        if self.unused as usize >= self.places.len() {
            self.places.push(Place::EMPTY).ok()?;
        }
        Some(self.unused)
    }

    /// Adds a record as `id`, which must be the [vacancy](Self::vacancy). `make` builds it in place.
    pub(super) fn fill(&mut self, id: u32, make: impl FnOnce() -> T) -> Option<u32> {
        let place = self.places.get_mut(id as usize)?;
        let Place::Vacant { generation, next_free } = *place else { return None };
        if id == self.unused {
            self.unused += 1;
        } else {
            self.free = next_free;
        }
        // A vacant place has nothing to drop.
        core::mem::forget(core::mem::replace(place, Place::Taken { generation, record: make() }));
        Some(id)
    }

    /// Removes and returns a record; its handles become invalid.
    pub(super) fn remove(&mut self, id: u32) -> Option<T> {
        let place = self.places.get_mut(id as usize)?;
        place.record()?;
        let generation = place.generation().wrapping_add(1);
        let vacant = Place::Vacant { generation, next_free: self.free };
        let Place::Taken { record, .. } = core::mem::replace(place, vacant) else { return None };
        self.free = id;
        Some(record)
    }

    /// Removes a record without copying it.
    pub(super) fn discard(&mut self, id: u32) {
        if let Some(place) = self.places.get_mut(id as usize)
            && place.record().is_some()
        {
            let generation = place.generation().wrapping_add(1);
            *place = Place::Vacant { generation, next_free: self.free };
            self.free = id;
        }
    }

    /// The record under `id`.
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    pub(super) fn get(&self, id: u32) -> Option<&T> {
        self.places.get(id as usize)?.record()
    }

    /// The record with this id, mutable.
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    pub(super) fn get_mut(&mut self, id: u32) -> Option<&mut T> {
        match self.places.get_mut(id as usize)? {
            Place::Vacant { .. } => None,
            Place::Taken { record, .. } => Some(record),
        }
    }

    /// The record with this id, mutable, and the generation of its handles.
    pub(super) fn get_mut_with_generation(&mut self, id: u32) -> Option<(&mut T, u32)> {
        match self.places.get_mut(id as usize)? {
            Place::Vacant { .. } => None,
            Place::Taken { record, generation } => Some((record, *generation)),
        }
    }

    /// The record with this id, if it is of this generation.
    pub(super) fn get_of(&self, id: u32, generation: u32) -> Option<&T> {
        let place = self.places.get(id as usize)?;
        place.record().filter(|_| place.generation() == generation)
    }

    /// The record with this id, mutable, if it is of this generation.
    pub(super) fn get_mut_of(&mut self, id: u32, generation: u32) -> Option<&mut T> {
        match self.places.get_mut(id as usize)? {
            Place::Taken { generation: of, record } if *of == generation => Some(record),
            _ => None,
        }
    }

    /// The generation that a handle of `id` must have.
    pub(super) fn generation(&self, id: u32) -> u32 {
        self.places.get(id as usize).map_or(0, Place::generation)
    }

    /// All records with their ids.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        (0..self.end()).filter_map(|id| Some((id, self.get(id)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert<T>(pool: &mut Pool<'_, T>, record: T) -> Option<u32> {
        let id = pool.vacancy()?;
        pool.fill(id, || record)
    }

    #[test]
    fn a_place_is_used_again_under_a_new_generation() {
        let mut memory = [const { Place::EMPTY }; 2];
        let mut pool = Pool::new(Buffer::lent(&mut memory), 100);
        assert_eq!(insert(&mut pool, 'a'), Some(0));
        assert_eq!(insert(&mut pool, 'b'), Some(1));
        assert_eq!(insert(&mut pool, 'c'), None);
        assert!(pool.is_full());
        let generation = pool.generation(0);
        assert_eq!(pool.remove(0), Some('a'));
        assert_eq!(pool.remove(0), None);
        assert_eq!(insert(&mut pool, 'd'), Some(0));
        assert_ne!(pool.generation(0), generation);
        assert!(pool.iter().eq([(0, &'d'), (1, &'b')]));
        assert_eq!(pool.get_mut(2), None);
    }

    #[cfg(feature = "alloc")]
    #[test]
    fn growing_memory_grows_to_the_limit() {
        let mut pool = Pool::new(Buffer::growing(), 3);
        for n in 0..3 {
            assert_eq!(pool.vacancy(), Some(n));
            assert_eq!(insert(&mut pool, n), Some(n));
        }
        assert_eq!(pool.vacancy(), None);
        assert_eq!(insert(&mut pool, 3), None);
    }
}

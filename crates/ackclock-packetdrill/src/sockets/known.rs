//! What is known of connections besides what the stack knows. A peer that opens ever new ones does not make it grow:
//! once there is twice as much as at the last look, all that belongs to no connection any more is forgotten.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

/// Both ends, ours first.
pub(super) type Ends = [SocketAddr; 2];

/// Entries that are never looked through.
const FEW: usize = 64;

/// A table of what is known of each connection.
pub(super) struct Known<T> {
    entries: BTreeMap<Ends, T>,
    /// With more entries than these they are looked through.
    most: usize,
}

impl<T> Default for Known<T> {
    fn default() -> Self {
        Known { entries: BTreeMap::new(), most: FEW }
    }
}

impl<T: Default> Known<T> {
    pub(super) fn get(&self, ends: &Ends) -> Option<&T> {
        self.entries.get(ends)
    }

    /// What is known of a connection; at first nothing.
    pub(super) fn of(&mut self, ends: Ends) -> &mut T {
        self.entries.entry(ends).or_default()
    }

    pub(super) fn remove(&mut self, ends: &Ends) {
        self.entries.remove(ends);
    }

    /// Whether it is time for [`forget_others`](Self::forget_others).
    pub(super) fn is_large(&self) -> bool {
        self.entries.len() > self.most
    }

    /// Forgets all but these.
    pub(super) fn forget_others(&mut self, those: &BTreeSet<Ends>) {
        self.entries.retain(|ends, _| those.contains(ends));
        self.most = FEW.max(2 * self.entries.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_at_most_twice_the_connections() {
        let ends = |n: u16| [SocketAddr::from(([10, 0, 0, 1], 80)), ([10, 0, 0, 2], n).into()];
        let open: BTreeSet<Ends> = (0..100).map(ends).collect();
        let mut known = Known::<u32>::default();
        for n in 0..10_000 {
            *known.of(ends(n)) += 1;
            if known.is_large() {
                known.forget_others(&open);
            }
            assert!(known.entries.len() <= 200);
        }
        assert!(open.iter().all(|ends| known.get(ends) == Some(&1)));
    }
}

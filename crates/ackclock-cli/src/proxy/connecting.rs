//! Requests that wait for an outer connection: bounded; beyond the bound the one that has waited longest is discarded.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::task::AbortHandle;

/// Tasks that wait for a connection outside, by their numbers.
#[derive(Debug)]
pub(super) struct Connecting {
    most: usize,
    tasks: Mutex<BTreeMap<u64, AbortHandle>>,
}

impl Connecting {
    /// An empty set of at most this many requests.
    pub(super) fn new(most: usize) -> Self {
        Connecting { most: most.max(1), tasks: Mutex::default() }
    }

    /// Adds a task, whose number is above those of all others. Returns whether the one that has waited longest had
    /// to give way.
    pub(super) fn add(&self, number: u64, task: AbortHandle) -> bool {
        let mut tasks = self.lock();
        tasks.insert(number, task);
        let oldest = if tasks.len() > self.most { tasks.pop_first() } else { None };
        drop(tasks);
        oldest.is_some_and(|(_, task)| {
            task.abort();
            true
        })
    }

    /// A task waits no longer.
    pub(super) fn remove(&self, number: u64) {
        self.lock().remove(&number);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, AbortHandle>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_has_waited_longest_gives_way() {
        let connecting = Connecting::new(2);
        let tasks = [(); 4].map(|()| tokio::spawn(std::future::pending::<()>()));
        let mut tasks = Vec::from(tasks);
        assert!(!connecting.add(0, tasks[0].abort_handle()));
        assert!(!connecting.add(1, tasks[1].abort_handle()));
        connecting.remove(0);
        assert!(!connecting.add(2, tasks[2].abort_handle()));
        assert!(connecting.add(3, tasks[3].abort_handle()));
        assert!(tasks.remove(1).await.unwrap_err().is_cancelled());
        assert!(tasks.iter().all(|task| !task.is_finished()));
    }
}

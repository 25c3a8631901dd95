//! A change of a hop in mid-run.

use super::{Case, CaseError, Line, Shape, path};
use ackclock::time::Duration;
use ackclock_emulator::Path;

/// What becomes of a hop in mid-run.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// When.
    pub(crate) at: Duration,
    /// Which hop, counted from 0.
    pub(crate) hop: usize,
    /// Its paths from then on: there, and back.
    pub(crate) paths: [Path; 2],
}

impl Change {
    /// Reads a line: `at` and `hop`, and what the hop's paths have instead of what the case gave them.
    ///
    /// # Errors
    /// Says what cannot be used.
    pub(crate) fn read(line: &Line, case: &Case) -> Result<Change, CaseError> {
        let at = line.read("at").ok_or_else(|| CaseError("change: say when, as at=5s".into()))?;
        let hop: usize = line.read("hop").unwrap_or(0);
        let before = case.hops.get(hop);
        let before = before.ok_or_else(|| CaseError(format!("change: there is no hop {hop}")))?;
        let is_between = case.shape == Shape::Chain && hop > 0 && hop + 1 < case.hops.len();
        if line.get("mtu").is_some() && !is_between {
            // A stack is not told that the link of its host takes less.
            return Err(CaseError(
                "change: only a hop between routers of a chain can have another mtu".into(),
            ));
        }
        let changed = |before: &Line| {
            let items = line.items().filter(|(key, _)| !matches!(*key, "at" | "hop"));
            path(&items.fold(before.clone(), |path, (key, value)| path.with(key, value)))
        };
        Ok(Change { at, hop, paths: [changed(&before[0])?, changed(&before[1])?] })
    }
}

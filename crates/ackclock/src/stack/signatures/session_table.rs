//! The sessions of all connections that TCP-AO signs, by their four-tuples.
//!
//! A session stays when its connection turns from half-open to open and into TIME-WAIT, since the four-tuple
//! stays. Those whose connections are over are swept out when room is needed: until then nothing is found by them, as
//! whoever looks for one knows that its connection is there.

use super::session::Session;
use crate::profile::InitialValue;
use crate::stack::limits::AO_SESSIONS_WITHOUT_HEAP;
use crate::stack::tuple::FourTuple;
use crate::storage::{Buffer, CAN_GROW};

/// How many there are before any is swept out, where there is a heap.
const FIRST_SWEEP: usize = 16;

/// The sessions of a stack, in the order of their four-tuples where there is a heap.
#[derive(Debug)]
pub(super) struct Sessions {
    grown: Buffer<'static, Session>,
    /// Where there is no heap.
    few: [Option<Session>; AO_SESSIONS_WITHOUT_HEAP],
    /// With so many, those of connections that are over are to go first.
    sweep_at: usize,
}

impl InitialValue for Sessions {
    const INITIAL: Self = Sessions {
        grown: Buffer::own(),
        few: [None; AO_SESSIONS_WITHOUT_HEAP],
        sweep_at: FIRST_SWEEP,
    };
}

impl Sessions {
    fn place(&self, tuple: &FourTuple) -> Result<usize, usize> {
        self.grown.binary_search_by_key(tuple, |session| session.tuple)
    }

    /// The session of a connection.
    pub(super) fn get(&self, tuple: &FourTuple) -> Option<&Session> {
        if CAN_GROW {
            return self.grown.get(self.place(tuple).ok()?);
        }
        self.few.iter().flatten().find(|session| session.tuple == *tuple)
    }

    /// The session of a connection, to be changed.
    pub(super) fn get_mut(&mut self, tuple: &FourTuple) -> Option<&mut Session> {
        if CAN_GROW {
            let at = self.place(tuple).ok()?;
            return self.grown.get_mut(at);
        }
        self.few.iter_mut().flatten().find(|session| session.tuple == *tuple)
    }

    /// How many there are.
    #[cfg(test)]
    #[allow(dead_code, reason = "only tests with an algorithm ask for it")]
    pub(super) fn len(&self) -> usize {
        self.grown.len() + self.few.iter().flatten().count()
    }

    /// All sessions, to be changed.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Session> {
        self.grown.iter_mut().chain(self.few.iter_mut().flatten())
    }

    /// Whether there are so many that those of connections that are over are to go.
    pub(super) fn is_to_be_swept(&self) -> bool {
        if CAN_GROW {
            self.grown.len() >= self.sweep_at
        } else {
            self.few.iter().all(Option::is_some)
        }
    }

    /// Forgets the sessions of connections that are over.
    pub(super) fn sweep(&mut self, is_alive: impl Fn(&FourTuple) -> bool) {
        for place in &mut self.few {
            *place = place.filter(|session| is_alive(&session.tuple));
        }
        let mut kept = 0;
        for at in 0..self.grown.len() {
            if self.grown.get(at).is_some_and(|session| is_alive(&session.tuple)) {
                self.grown.swap(kept, at);
                kept += 1;
            }
        }
        if kept < self.grown.len() {
            self.grown.shrink(kept);
        }
        self.sweep_at = kept.saturating_mul(2).max(FIRST_SWEEP);
    }

    /// Adds the session of a connection that begins, in place of the one that had its four-tuple before. Returns
    /// whether there is room for it.
    pub(super) fn begin(&mut self, session: Session) -> bool {
        if let Some(place) = self.get_mut(&session.tuple) {
            *place = session;
            return true;
        }
        if CAN_GROW {
            let at = self.place(&session.tuple).unwrap_or_else(|at| at);
            let is_added = self.grown.push(session).is_ok();
            if is_added && let Some(rest) = self.grown.get_mut(at..) {
                rest.rotate_right(1);
            }
            return is_added;
        }
        let vacant = self.few.iter_mut().find(|place| place.is_none());
        vacant.is_some_and(|place| {
            *place = Some(session);
            true
        })
    }
}

//! Table of the TCP-AO sessions of all connections, by four-tuple.
//!
//! A session stays while its connection goes from half-open to established and into TIME-WAIT, since the
//! four-tuple stays the same, and is removed with it. The session of a half-open record that is dropped stays,
//! so that resets can still be signed; such sessions are removed when room is needed. Until then they do no
//! harm, because callers look up a session only for an entity that exists.

use super::session::Session;
use crate::profile::InitialValue;
use crate::stack::limits::AO_SESSIONS_WITHOUT_HEAP;
use crate::stack::tuple::FourTuple;
use crate::storage::{Buffer, CAN_GROW};

/// Number of sessions at which the first sweep happens, with a heap.
const FIRST_SWEEP: usize = 16;

/// The sessions of a stack, sorted by four-tuple if there is a heap.
#[derive(Debug)]
pub(super) struct Sessions {
    grown: Buffer<'static, Session>,
    /// Used instead where there is no heap.
    few: [Option<Session>; AO_SESSIONS_WITHOUT_HEAP],
    /// Number of sessions from which on those of closed connections are removed before one is added.
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

    /// The session of a connection, mutably.
    pub(super) fn get_mut(&mut self, tuple: &FourTuple) -> Option<&mut Session> {
        if CAN_GROW {
            let at = self.place(tuple).ok()?;
            return self.grown.get_mut(at);
        }
        self.few.iter_mut().flatten().find(|session| session.tuple == *tuple)
    }

    /// Number of sessions.
    #[cfg(test)]
    #[allow(dead_code, reason = "only tests with an algorithm ask for it")]
    pub(super) fn len(&self) -> usize {
        self.grown.len() + self.few.iter().flatten().count()
    }

    /// All sessions, mutably.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Session> {
        self.grown.iter_mut().chain(self.few.iter_mut().flatten())
    }

    /// Whether there are so many sessions that those of closed connections should be removed.
    pub(super) fn is_to_be_swept(&self) -> bool {
        if CAN_GROW {
            self.grown.len() >= self.sweep_at
        } else {
            self.few.iter().all(Option::is_some)
        }
    }

    /// Removes the sessions whose connection does not exist any more.
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

    /// Removes the session of a connection.
    pub(super) fn end(&mut self, tuple: &FourTuple) {
        if CAN_GROW {
            if let Ok(at) = self.place(tuple) {
                if let Some(rest) = self.grown.get_mut(at..) {
                    rest.rotate_left(1);
                }
                self.grown.shrink(self.grown.len() - 1);
            }
            return;
        }
        for place in &mut self.few {
            *place = place.filter(|session| session.tuple != *tuple);
        }
    }

    /// Adds the session of a new connection, replacing an earlier one with the same four-tuple. Returns whether
    /// there was room for it.
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

#[cfg(test)]
mod tests {
    use super::super::keys::{AoParameters, KeyScope, Keys, Scheme, SignatureKey};
    use super::super::session::Numbers;
    use super::*;
    use crate::seq::SeqNumber;
    use crate::stack::Cidr;
    use crate::stack::tuple::End;
    use crate::wire::{Address, AoFunctions, TrafficKey};
    use core::net::{IpAddr, Ipv4Addr};

    /// Dummy functions in place of an algorithm.
    const FUNCTIONS: AoFunctions =
        AoFunctions { derive: |_, _| TrafficKey::NONE, code: |_, _, _| [0; 16] };

    fn tuple(port: u16) -> FourTuple {
        let end = |last, port| End::new(Address::V4(Ipv4Addr::new(10, 0, 0, last)), port);
        FourTuple { local: end(1, 179), remote: end(2, port) }
    }

    fn session(port: u16, local_isn: u32) -> Session {
        let parameters =
            AoParameters { send_id: 1, recv_id: 1, covers_options: true, functions: &FUNCTIONS };
        let key = SignatureKey::new(Scheme::Ao(parameters), b"key").unwrap();
        let mut keys = Keys::INITIAL;
        let all = Cidr { address: IpAddr::V4(Ipv4Addr::UNSPECIFIED), prefix: 0 };
        keys.set(&KeyScope::of(all), key).unwrap();
        let (local_isn, remote_isn) = (SeqNumber(local_isn), SeqNumber(0));
        let numbers = Numbers { local_isn, remote_isn, sne: 0 };
        Session::new(&keys, &tuple(port), &numbers, None).unwrap()
    }

    #[test]
    fn each_connection_finds_its_own_and_those_that_are_over_are_swept_out() {
        let mut sessions = Sessions::INITIAL;
        for port in [5, 1, 9, 3, 7] {
            assert!(sessions.begin(session(port, u32::from(port))));
        }
        assert!(sessions.begin(session(9, 99)), "in place of the one before");
        assert_eq!(sessions.len(), 5);
        for (port, isn) in [(1, 1), (3, 3), (5, 5), (7, 7), (9, 99)] {
            assert_eq!(sessions.get(&tuple(port)).unwrap().local_isn, SeqNumber(isn));
        }
        assert!(sessions.get(&tuple(2)).is_none());
        sessions.end(&tuple(5));
        sessions.end(&tuple(5));
        assert_eq!(sessions.len(), 4);
        for (port, isn) in [(1, 1), (3, 3), (7, 7), (9, 99)] {
            assert_eq!(sessions.get(&tuple(port)).unwrap().local_isn, SeqNumber(isn));
        }
        sessions.sweep(|alive| [tuple(1), tuple(9)].contains(alive));
        assert_eq!(sessions.len(), 2);
        assert!(sessions.get(&tuple(9)).is_some() && sessions.get(&tuple(5)).is_none());
    }

    #[test]
    fn without_a_heap_there_are_places_for_some() {
        let mut sessions = Sessions::INITIAL;
        let most = if CAN_GROW { FIRST_SWEEP } else { AO_SESSIONS_WITHOUT_HEAP };
        for port in 0..most as u16 {
            assert!(!sessions.is_to_be_swept());
            assert!(sessions.begin(session(port, 0)));
        }
        assert!(sessions.is_to_be_swept());
        assert_eq!(sessions.begin(session(999, 0)), CAN_GROW);
        sessions.sweep(|alive| *alive != tuple(0));
        assert!(!sessions.is_to_be_swept());
        assert!(sessions.begin(session(1_000, 0)));
    }
}

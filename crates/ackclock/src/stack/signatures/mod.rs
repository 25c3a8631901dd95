//! Segment signatures (TCP MD5 option, RFC 2385; TCP-AO, RFC 5925): which peers have keys, and which segments
//! are authentic.
//!
//! Arriving segments are checked in one place, [`is_authentic`](Stack::is_authentic), before any record or
//! connection sees them; segments of signed connections never take the predicted road. Sent segments are signed
//! in one place, by a [`Signer`], when their headers are written. Whether a connection is signed, and by which
//! of the two options, is decided when it is opened. The MD5 key is looked up for each segment, so that it can
//! be changed while connections use it (RFC 2385 section 2); the TCP-AO key is the one on which both ends have
//! agreed in their segments (RFC 5925 section 6.1).

#[cfg(feature = "tcp-ao")]
mod ao;
mod check;
mod keys;
#[cfg(feature = "tcp-md5")]
mod md5;
mod session;
mod session_table;
mod signer;

pub use keys::KeyScope;
pub(super) use signer::{KeyOf, Signer, signer_of};

use super::demux::Entity;
use super::tuple::FourTuple;
use super::{KeyError, Slot, Stack};
use crate::congestion::CongestionController;
use crate::profile::{InitialValue, Kept, Profile};
use crate::seq::SeqNumber;
use crate::tcp::Info;
use crate::tcp::challenge::AnswerLimit;
use crate::time::Instant;
use crate::wire::{KeyIds, SignatureKind};
use keys::Keys;
use session::{Numbers, Session};
use session_table::Sessions;

/// Keys of a stack, and TCP-AO state of the connections that use them.
#[derive(Debug)]
pub(super) struct Signatures {
    keys: Keys,
    sessions: Sessions,
    /// KeyIDs of the latest authentic segment, for the connection that it may open.
    heard: Option<KeyIds>,
    /// Rate limit for log messages about dropped segments, so that forged ones cannot fill a disk. All are
    /// counted.
    lines: AnswerLimit,
    /// Whether segments with a TCP-AO option are dropped if no TCP-AO key applies to their connection (RFC 5925
    /// section 7.3).
    refuses_unmatched: bool,
}

impl InitialValue for Signatures {
    const INITIAL: Self = Signatures {
        keys: Keys::INITIAL,
        sessions: Sessions::INITIAL,
        heard: None,
        lines: AnswerLimit::INITIAL,
        refuses_unmatched: false,
    };
}

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// Removes an MD5 key. Segments of those peers are no longer signed, and signed ones no longer accepted,
    /// unless another key applies to them. Connections that used the key end with
    /// [`Error::KeyRemoved`](crate::tcp::Error::KeyRemoved), and nothing is sent to the peer.
    ///
    /// # Errors
    /// There is no key with exactly this scope.
    pub fn remove_key(&mut self, now: Instant, scope: &keys::KeyScope) -> Result<(), KeyError> {
        let now = self.begin(now);
        let signatures = self.signatures.get_mut().ok_or(KeyError::Unknown)?;
        signatures.keys.remove(scope, |key| key.as_md5().is_some())?;
        self.follow_keys(now);
        Ok(())
    }

    /// Adds a key of either kind, and updates the connections to which it applies.
    #[allow(dead_code, reason = "whoever sets one brings an algorithm")]
    fn set_key(
        &mut self,
        now: Instant,
        scope: &keys::KeyScope,
        key: keys::SignatureKey,
    ) -> Result<(), KeyError> {
        let now = self.begin(now);
        let signatures = self.signatures.get_mut().ok_or(KeyError::LeftOut)?;
        let set = signatures.keys.set(scope, key);
        if set == Err(KeyError::NoResources) {
            self.statistics.count(|all| &mut all.calls_refused);
        }
        set?;
        self.follow_keys(now);
        Ok(())
    }

    /// How to sign a connection with these addresses and ports if it is opened now.
    #[inline]
    pub(super) fn signature_for(&self, tuple: &FourTuple) -> Option<SignatureKind> {
        let keys = &self.signatures.get()?.keys;
        // The usual case.
        if keys.is_empty() { None } else { keys.kind(tuple) }
    }

    /// Whether a connection with these addresses and ports is to be signed.
    pub(super) fn signs(&self, tuple: &FourTuple) -> bool {
        P::SIGNATURES && self.signature_for(tuple).is_some()
    }

    /// How segments of an entity are signed; without an entity, how those of a new one with this four-tuple
    /// would be.
    fn signature_of(&self, entity: Option<Entity>, tuple: &FourTuple) -> Option<SignatureKind> {
        match entity {
            Some(Entity::Connection(id)) => self.connections.get(id)?.connection.signature(),
            Some(Entity::HalfOpen(id)) => self.half_open.records.get(id)?.signature(),
            Some(Entity::TimeWait(id)) => self.time_waits.records.get(id)?.signature(),
            None => self.signature_for(tuple),
        }
    }

    /// A snapshot of a connection, with its TCP-AO state.
    pub(super) fn info_of(&self, now: Instant, slot: &Slot<'_, C, P>) -> Info {
        let mut info = slot.connection.info(now);
        // A detached connection must not be given the state of a new one with the same four-tuple.
        let is_there = || {
            !slot.detached
                || !matches!(
                    self.find(&slot.tuple),
                    Some(Entity::Connection(_) | Entity::HalfOpen(_))
                )
        };
        if slot.connection.signature() == Some(SignatureKind::Ao) && is_there() {
            let sessions = self.signatures.get().map(|signatures| &signatures.sessions);
            info.ao = sessions.and_then(|all| all.get(&slot.tuple)).map(Session::info);
        }
        info
    }

    /// Sets up the signature state of a new connection, from our ISN and, if its SYN has arrived, the peer's.
    /// Returns false if there is no memory or no key for it.
    #[inline(never)]
    pub(super) fn begin_signed(
        &mut self,
        kind: SignatureKind,
        tuple: &FourTuple,
        local_isn: SeqNumber,
        remote_isn: Option<SeqNumber>,
    ) -> bool {
        if kind != SignatureKind::Ao {
            return true;
        }
        self.sweep_sessions();
        let Some(Signatures { keys, sessions, heard, .. }) = self.signatures.get_mut() else {
            return false;
        };
        let heard = heard.filter(|_| remote_isn.is_some());
        let remote_isn = remote_isn.unwrap_or_default();
        let numbers = Numbers { local_isn, remote_isn, sne: 0 };
        let session = Session::new(keys, tuple, &numbers, heard);
        let is_there = session.is_some_and(|session| sessions.begin(session));
        if !is_there {
            self.statistics.count(|all| &mut all.memory_refused);
        }
        is_there
    }

    /// Removes the TCP-AO state of a closed connection or an ended TIME-WAIT, unless there is a new entity with
    /// the same four-tuple.
    #[cold]
    #[inline(never)]
    pub(super) fn end_signed(&mut self, tuple: &FourTuple) {
        if self.find(tuple).is_none()
            && let Some(signatures) = self.signatures.get_mut()
        {
            signatures.sessions.end(tuple);
        }
    }

    /// Number of connections with TCP-AO state.
    #[cfg(test)]
    #[allow(dead_code, reason = "only tests with an algorithm ask for it")]
    pub(super) fn ao_sessions(&self) -> usize {
        self.signatures.get().map_or(0, |signatures| signatures.sessions.len())
    }

    /// If there are many sessions, removes those of connections that no longer exist.
    fn sweep_sessions(&mut self) {
        let signatures = self.signatures.get_mut();
        let full = signatures.filter(|signatures| signatures.sessions.is_to_be_swept());
        let Some(mut sessions) =
            full.map(|signatures| core::mem::replace(&mut signatures.sessions, Sessions::INITIAL))
        else {
            return;
        };
        sessions.sweep(|tuple| self.find(tuple).is_some());
        if let Some(signatures) = self.signatures.get_mut() {
            signatures.sessions = sessions;
        }
    }

    /// Notes that a segment of a connection with TCP-AO was sent.
    #[inline(never)]
    pub(super) fn on_signed_sent(&mut self, id: u32, seq: SeqNumber) {
        if let Some(slot) = self.connections.get(id)
            && let Some(signatures) = self.signatures.get_mut()
            && let Some(session) = signatures.sessions.get_mut(&slot.tuple)
        {
            session.sent.advance(seq);
        }
    }

    /// Applies a change of the keys. Connections without a signature stay unsigned, and those whose last key is
    /// gone fail; half-open and TIME-WAIT records that would be signed differently now are removed.
    fn follow_keys(&mut self, now: Instant) {
        if let Some(Signatures { keys, sessions, .. }) = self.signatures.get_mut() {
            sessions.iter_mut().for_each(|session| session.follow(keys));
        }
        for id in 0..self.connections.end() {
            let slot = self.connections.get_mut(id).filter(|slot| !slot.detached);
            let keys = self.signatures.get().map(|signatures| &signatures.keys);
            if let Some(slot) = slot
                && let Some(kind) = slot.connection.signature()
                && keys.is_none_or(|keys| match kind {
                    SignatureKind::Md5 => keys.md5(&slot.tuple).is_none(),
                    SignatureKind::Ao => keys.ao(&slot.tuple, |_| true).is_none(),
                })
            {
                slot.connection.fail(crate::tcp::Error::KeyRemoved);
                self.touched(now, id, super::aftermath::Cause::Step);
            }
        }
        for id in 0..self.half_open.records.end() {
            let record = self.half_open.records.get(id);
            if record.is_some_and(|it| it.signature() != self.signature_for(&it.tuple)) {
                self.forget_half_open(id);
            }
        }
        for id in 0..self.time_waits.records.end() {
            let record = self.time_waits.records.get(id);
            if record.is_some_and(|it| it.signature() != self.signature_for(&it.tuple)) {
                self.forget_time_wait(id);
            }
        }
    }
}

//! Signatures of segments (MD5: RFC 2385, TCP-AO: RFC 5925): which peers have keys, and which segments are
//! believed.
//!
//! What arrives is checked once, in [`is_authentic`](Stack::is_authentic), before any record or connection
//! hears of it; the predicted road reads no segment of a signed connection. What is sent is signed once, by a
//! [`Signer`], where its headers are written. Whether a connection is signed, and by which of the two, is settled
//! when it is opened. By which MD5 key, with each segment, so that a key can be changed while connections use
//! it (RFC 2385 section 2); by which key of TCP-AO, by what both ends say of that (RFC 5925 section 6.1).

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

/// The keys of a stack, and what it knows of the connections that use them.
#[derive(Debug)]
pub(super) struct Signatures {
    keys: Keys,
    sessions: Sessions,
    /// What the segment that was found authentic last said of keys: whoever opens a connection for it asks.
    heard: Option<KeyIds>,
    /// Of lines about segments that are dropped: whoever sends forged ones does not fill a disk. All are counted.
    lines: AnswerLimit,
    /// Segments with a TCP-AO option of connections without such a key are dropped (RFC 5925 section 7.3).
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
    /// Forgets an MD5 key: segments of those peers are no longer signed, nor believed with a signature, unless
    /// another key is for them too. Connections that it signed end with
    /// [`Error::KeyRemoved`](crate::tcp::Error::KeyRemoved), and without a word to the peer.
    ///
    /// # Errors
    /// There is no key for exactly this.
    pub fn remove_key(&mut self, now: Instant, scope: &keys::KeyScope) -> Result<(), KeyError> {
        let now = self.begin(now);
        let signatures = self.signatures.get_mut().ok_or(KeyError::Unknown)?;
        signatures.keys.remove(scope, |key| key.as_md5().is_some())?;
        self.follow_keys(now);
        Ok(())
    }

    /// Sets a key of either kind; what it concerns follows it.
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

    /// How a connection with these ends is to be signed if it is opened now.
    #[inline]
    pub(super) fn signature_for(&self, tuple: &FourTuple) -> Option<SignatureKind> {
        let keys = &self.signatures.get()?.keys;
        // As nearly always.
        if keys.is_empty() { None } else { keys.kind(tuple) }
    }

    /// Whether a connection with these ends is to be signed.
    pub(super) fn signs(&self, tuple: &FourTuple) -> bool {
        P::SIGNATURES && self.signature_for(tuple).is_some()
    }

    /// How the segments of whoever has a four-tuple are signed; of nobody, those of whoever may have it next.
    fn signature_of(&self, entity: Option<Entity>, tuple: &FourTuple) -> Option<SignatureKind> {
        match entity {
            Some(Entity::Connection(id)) => self.connections.get(id)?.connection.signature(),
            Some(Entity::HalfOpen(id)) => self.half_open.records.get(id)?.signature(),
            Some(Entity::TimeWait(id)) => self.time_waits.records.get(id)?.signature(),
            None => self.signature_for(tuple),
        }
    }

    /// A snapshot of a connection, with what is kept of it here.
    pub(super) fn info_of(&self, now: Instant, slot: &Slot<'_, C, P>) -> Info {
        let mut info = slot.connection.info(now);
        // One that has left its four-tuple is not to be taken for who has it now.
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

    /// A connection begins that is signed so: our initial number and, where its SYN has come, the peer's. Returns
    /// whether there is memory for what is to be kept of it.
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

    /// A connection or its TIME-WAIT is over: what was kept of it goes, its keys among it, unless somebody else has the
    /// four-tuple by now.
    #[cold]
    #[inline(never)]
    pub(super) fn end_signed(&mut self, tuple: &FourTuple) {
        if self.find(tuple).is_none()
            && let Some(signatures) = self.signatures.get_mut()
        {
            signatures.sessions.end(tuple);
        }
    }

    /// How many connections there is something kept of.
    #[cfg(test)]
    #[allow(dead_code, reason = "only tests with an algorithm ask for it")]
    pub(super) fn ao_sessions(&self) -> usize {
        self.signatures.get().map_or(0, |signatures| signatures.sessions.len())
    }

    /// Sessions of connections that are over go if there are many.
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

    /// A segment of a connection that TCP-AO signs is on its way.
    #[inline(never)]
    pub(super) fn on_signed_sent(&mut self, id: u32, seq: SeqNumber) {
        if let Some(slot) = self.connections.get(id)
            && let Some(signatures) = self.signatures.get_mut()
            && let Some(session) = signatures.sessions.get_mut(&slot.tuple)
        {
            session.sent.advance(seq);
        }
    }

    /// The keys have changed. A connection without a signature goes on without; what is no connection yet,
    /// or no longer, is begun anew.
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

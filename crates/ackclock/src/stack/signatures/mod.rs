//! Signatures of segments (RFC 2385): which peers have keys, and which segments are believed.
//!
//! What arrives is checked once, in [`is_authentic`](Stack::is_authentic), before any record or connection
//! hears of it; the predicted road reads no segment of a signed connection. What is sent is signed once, in
//! [`SignatureKey::sign`], where its headers are written. Whether a connection is signed is settled when it is
//! opened; by which key, with each segment, so that a key can be changed while connections use it (section
//! 2).

#[cfg(feature = "tcp-md5")]
mod md5;

use super::addresses::Network;
use super::demux::Entity;
use super::limits;
use super::tuple::{FourTuple, NOBODY};
use super::{Cidr, KeyError, Stack, Statistics};
use crate::congestion::CongestionController;
use crate::profile::{InitialValue, Kept, Part, Profile};
use crate::storage::OnDemand;
use crate::time::Instant;
use crate::wire::{Digest, Segment, SignedSegment, WriteChecksum, sign};
use core::fmt;
use core::net::SocketAddr;

/// The longest key in bytes (section 4.5; Linux's `TCP_MD5SIG_MAXKEYLEN`).
const LONGEST_KEY: usize = 80;

/// Whose segments are signed: those of all connections with these peers, or only those of one service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyScope {
    /// The peers: all addresses that share the prefix. Of several keys for a peer that of the longest
    /// prefix counts.
    pub peers: Cidr,
    /// The port at which either end was connected to, such as 179 for BGP, whoever opens the
    /// connection; 0: any. A key for a port counts more than one for any with the same prefix.
    pub port: u16,
}

impl KeyScope {
    /// All connections with the peers of a network.
    pub const fn of(peers: Cidr) -> Self {
        KeyScope { peers, port: 0 }
    }
}

impl fmt::Display for KeyScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            0 => self.peers.fmt(f),
            port => write!(f, "{} port {port}", self.peers),
        }
    }
}

/// A key, and how it signs.
#[derive(Clone, Copy)]
pub(super) struct SignatureKey {
    digest: Digest,
    bytes: [u8; LONGEST_KEY],
    len: u8,
}

impl SignatureKey {
    #[allow(dead_code, reason = "whoever adds one brings an algorithm")]
    fn new(digest: Digest, key: &[u8]) -> Result<Self, KeyError> {
        let mut bytes = [0; LONGEST_KEY];
        match bytes.get_mut(..key.len()) {
            Some(place) if !key.is_empty() => place.copy_from_slice(key),
            _ => return Err(KeyError::Length),
        }
        Ok(SignatureKey { digest, bytes, len: key.len() as u8 })
    }

    fn digest(&self, segment: &SignedSegment<'_>) -> [u8; 16] {
        (self.digest)(segment, self.bytes.get(..self.len.into()).unwrap_or_default())
    }

    /// Signs a segment whose headers were written with room for it.
    pub(super) fn sign(
        &self,
        headers: &mut [u8],
        transport_offset: usize,
        payload: [&[u8]; 2],
        checksum: WriteChecksum,
    ) {
        sign(headers, transport_offset, payload, checksum, &|segment| self.digest(segment));
    }

    /// Whether the segment in a packet has its signature. How long that takes says nothing of how much of
    /// it is right.
    fn has_signed(&self, packet: &[u8]) -> bool {
        let Some(segment) = SignedSegment::in_packet(packet) else {
            return false;
        };
        let pairs = segment.md5_digest().map(|told| told.iter().zip(self.digest(&segment)));
        pairs.is_some_and(|pairs| pairs.fold(0, |wrong, (told, own)| wrong | (told ^ own)) == 0)
    }
}

impl fmt::Debug for SignatureKey {
    /// Keys are secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SignatureKey")
    }
}

/// A key and for whom it is.
#[derive(Clone, Copy, Debug)]
struct Place {
    network: Network,
    port: u16,
    key: Option<SignatureKey>,
}

impl Place {
    const EMPTY: Self =
        Place { network: Network { address: NOBODY, prefix: 0 }, port: 0, key: None };

    /// How well it fits a connection, more specific being greater; `None`: not at all.
    fn fitness(&self, tuple: &FourTuple) -> Option<(u8, bool)> {
        let is_service =
            self.port == 0 || [tuple.local.port(), tuple.remote.port()].contains(&self.port);
        let fits = self.key.is_some() && is_service && self.network.contains(tuple.remote.ip());
        fits.then_some((self.network.prefix, self.port != 0))
    }
}

/// A place for each key.
#[derive(Debug)]
struct Keys([Place; limits::KEYS]);

impl InitialValue for Keys {
    const INITIAL: Self = Keys([Place::EMPTY; limits::KEYS]);
}

impl Default for Keys {
    fn default() -> Self {
        Self::INITIAL
    }
}

/// The keys of a stack.
#[derive(Debug)]
pub(super) struct Signatures {
    keys: OnDemand<Keys>,
    /// How many there are.
    len: usize,
}

impl InitialValue for Signatures {
    const INITIAL: Self = Signatures { keys: OnDemand::INITIAL, len: 0 };
}

impl Signatures {
    /// The key for a connection.
    pub(super) fn find(&self, tuple: &FourTuple) -> Option<&SignatureKey> {
        if self.len == 0 {
            return None;
        }
        let places = self.keys.get()?.0.iter();
        let fitting = places.filter_map(|place| Some((place.fitness(tuple)?, place)));
        fitting.max_by_key(|(fitness, _)| *fitness).and_then(|(_, place)| place.key.as_ref())
    }

    #[allow(dead_code, reason = "whoever sets one brings an algorithm")]
    fn set(&mut self, scope: &KeyScope, key: SignatureKey) -> Result<(), KeyError> {
        let network = Network::of(scope.peers).ok_or(KeyError::Peers)?;
        if network.prefix > super::bits(network.address) {
            return Err(KeyError::Peers);
        }
        let Keys(places) = self.keys.make().ok_or(KeyError::NoResources)?;
        let port = scope.port;
        let is_same =
            |place: &Place| place.key.is_some() && place.network == network && place.port == port;
        let known = places.iter().position(is_same);
        let vacant = || places.iter().position(|place| place.key.is_none());
        let at = known.or_else(vacant).ok_or(KeyError::NoResources)?;
        if known.is_none() {
            self.len += 1;
        }
        if let Some(place) = places.get_mut(at) {
            *place = Place { network, port, key: Some(key) };
        }
        Ok(())
    }

    fn remove(&mut self, scope: &KeyScope) -> Result<(), KeyError> {
        let network = Network::of(scope.peers).ok_or(KeyError::Unknown)?;
        let mut places = self.keys.get_mut().map(|Keys(places)| places.iter_mut()).into_iter();
        let place = places.by_ref().flatten().find(|place| {
            place.key.is_some() && place.network == network && place.port == scope.port
        });
        *place.ok_or(KeyError::Unknown)? = Place::EMPTY;
        self.len -= 1;
        Ok(())
    }
}

/// The key of a segment that goes, if it is to be signed.
pub(super) type KeyOf<'k, P> =
    <<P as Profile>::Signatures as Part>::Keeps<Option<&'k SignatureKey>>;

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// Forgets a key: segments of those peers are no longer signed, nor believed with a signature, unless
    /// another key is for them too. Connections that it signed end with
    /// [`Error::KeyRemoved`](crate::tcp::Error::KeyRemoved), and without a word to the peer.
    ///
    /// # Errors
    /// There is no key for exactly this.
    pub fn remove_key(&mut self, now: Instant, scope: &KeyScope) -> Result<(), KeyError> {
        let now = self.begin(now);
        self.signatures.get_mut().ok_or(KeyError::Unknown)?.remove(scope)?;
        self.follow_keys(now);
        Ok(())
    }

    /// The key of a connection with these ends.
    pub(super) fn key_for(&self, tuple: &FourTuple) -> Option<&SignatureKey> {
        self.signatures.get()?.find(tuple)
    }

    /// Whether a connection with these ends is to be signed.
    pub(super) fn signs(&self, tuple: &FourTuple) -> bool {
        P::SIGNATURES && self.key_for(tuple).is_some()
    }

    /// The keys have changed. A connection without a signature goes on without; what is no connection yet,
    /// or no longer, is begun anew.
    fn follow_keys(&mut self, now: Instant) {
        for id in 0..self.connections.end() {
            let slot = self.connections.get_mut(id).filter(|slot| !slot.detached);
            let keys = self.signatures.get();
            if let Some(slot) = slot
                && slot.connection.is_signed()
                && keys.is_none_or(|keys| keys.find(&slot.tuple).is_none())
            {
                slot.connection.fail(crate::tcp::Error::KeyRemoved);
                self.touched(now, id, super::aftermath::Cause::Step);
            }
        }
        for id in 0..self.half_open.records.end() {
            let record = self.half_open.records.get(id);
            let other = record.filter(|record| record.is_signed() != self.signs(&record.tuple));
            if other.is_some() {
                self.forget_half_open(id);
            }
        }
        for id in 0..self.time_waits.records.end() {
            let record = self.time_waits.records.get(id);
            let other = record.filter(|record| record.is_signed() != self.signs(&record.tuple));
            if other.is_some() {
                self.forget_time_wait(id);
            }
        }
    }

    /// Whether a segment may be believed: it has the right signature, or none and is to have none. All
    /// others are dropped without an answer (section 2).
    #[inline]
    pub(super) fn is_authentic(&mut self, packet: &[u8], segment: &Segment<'_>) -> bool {
        let is_signed = segment.header.options.md5;
        let any = self.signatures.get().is_some_and(|signatures| signatures.len > 0);
        if !is_signed && !any { true } else { self.check_signature(packet, segment) }
    }

    #[inline(never)]
    fn check_signature(&mut self, packet: &[u8], segment: &Segment<'_>) -> bool {
        let tuple = FourTuple::of(segment);
        let is_to_be_signed = match self.find(&tuple) {
            Some(Entity::Connection(id)) => {
                self.connections.get(id).is_some_and(|slot| slot.connection.is_signed())
            }
            Some(_) => true,
            // What is for somebody else is his to judge.
            None if self.listener_for(&tuple).is_none()
                && !self.addresses.contains(tuple.local.ip()) =>
            {
                return true;
            }
            None => true,
        };
        let key = self.key_for(&tuple).filter(|_| is_to_be_signed);
        let fault: fn(&mut Statistics) -> &mut u64 = match (key, segment.header.options.md5) {
            (None, false) => return true,
            (None, true) => |all| &mut all.signature_unexpected,
            (Some(_), false) => |all| &mut all.signature_missing,
            (Some(key), true) if key.has_signed(packet) => return true,
            (Some(_), true) => |all| &mut all.signature_wrong,
        };
        let remote = SocketAddr::from(tuple.remote);
        tell!(warn, "segment from {} dropped: its signature is not what it should be", remote);
        self.statistics.count(fault);
        false
    }
}

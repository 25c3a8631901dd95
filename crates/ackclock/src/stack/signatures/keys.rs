//! The signature keys of a stack: the scope of each, and the selection of keys for a connection.

use crate::profile::InitialValue;
use crate::stack::addresses::Network;
use crate::stack::tuple::{FourTuple, NOBODY};
use crate::stack::{Cidr, KeyError, bits, limits};
use crate::storage::OnDemand;
use crate::wire::{AoContext, AoFunctions, Digest, SignatureKind, TrafficKey};
use core::fmt;

/// Largest key length in bytes (RFC 2385 section 4.5; Linux's `TCP_MD5SIG_MAXKEYLEN` and `TCP_AO_MAXKEYLEN`).
const LONGEST_KEY: usize = 80;

/// The connections to which a key applies: all connections with some peers, or only those of one service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyScope {
    /// The peers: all addresses that match the prefix. If several keys apply to a peer, the one with the
    /// longest prefix is used.
    pub peers: Cidr,
    /// Server port of the connection, such as 179 for BGP, whichever end opens it; 0 for any port. With the
    /// same prefix, a key for one port takes precedence over a key for any port.
    pub port: u16,
}

impl KeyScope {
    /// All connections with the peers in a network.
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

/// How a key is used to sign.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "whoever adds one brings an algorithm")]
pub(super) enum Scheme {
    /// With MD5 (RFC 2385).
    Md5(Digest),
    /// With TCP-AO: the key is a master key tuple (MKT, RFC 5925 section 3.1).
    Ao(AoParameters),
}

/// Parameters of a master key tuple, beside the key and its scope (RFC 5925 section 3.1).
#[derive(Clone, Copy, Debug)]
pub(super) struct AoParameters {
    /// SendID: the KeyID of segments that are sent.
    pub(super) send_id: u8,
    /// RecvID: the KeyID of segments that arrive.
    pub(super) recv_id: u8,
    /// Whether TCP options other than TCP-AO are covered by the MAC.
    pub(super) covers_options: bool,
    pub(super) functions: &'static AoFunctions,
}

/// A key, and how it is used to sign.
#[derive(Clone, Copy)]
pub(in crate::stack) struct SignatureKey {
    scheme: Scheme,
    bytes: [u8; LONGEST_KEY],
    len: u8,
}

impl SignatureKey {
    #[allow(dead_code, reason = "whoever adds one brings an algorithm")]
    pub(super) fn new(scheme: Scheme, key: &[u8]) -> Result<Self, KeyError> {
        let mut bytes = [0; LONGEST_KEY];
        match bytes.get_mut(..key.len()) {
            Some(place) if !key.is_empty() => place.copy_from_slice(key),
            _ => return Err(KeyError::Length),
        }
        Ok(SignatureKey { scheme, bytes, len: key.len() as u8 })
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len.into()).unwrap_or_default()
    }

    fn kind(&self) -> SignatureKind {
        match self.scheme {
            Scheme::Md5(_) => SignatureKind::Md5,
            Scheme::Ao(_) => SignatureKind::Ao,
        }
    }

    /// The MD5 function and the key, if this is an MD5 key.
    pub(super) fn as_md5(&self) -> Option<(Digest, &[u8])> {
        match self.scheme {
            Scheme::Md5(digest) => Some((digest, self.bytes())),
            Scheme::Ao(_) => None,
        }
    }

    /// The master key tuple, if this is a TCP-AO key.
    pub(super) fn as_ao(&self) -> Option<MasterKey<'_>> {
        match self.scheme {
            Scheme::Md5(_) => None,
            Scheme::Ao(parameters) => Some(MasterKey { parameters, key: self.bytes() }),
        }
    }
}

impl fmt::Debug for SignatureKey {
    /// Prints no key, because keys are secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SignatureKey")
    }
}

/// A master key tuple (MKT) without its scope.
#[derive(Clone, Copy)]
pub(super) struct MasterKey<'k> {
    pub(super) parameters: AoParameters,
    key: &'k [u8],
}

impl MasterKey<'_> {
    /// Derives the traffic key for one direction of a connection (RFC 5925 section 5.2).
    pub(super) fn traffic_key(&self, context: &AoContext) -> TrafficKey {
        (self.parameters.functions.derive)(self.key, context)
    }
}

/// A key with its scope.
#[derive(Clone, Copy, Debug)]
struct Place {
    network: Network,
    port: u16,
    /// Number of keys that had been added before it.
    order: u32,
    key: Option<SignatureKey>,
}

impl Place {
    const EMPTY: Self =
        Place { network: Network { address: NOBODY, prefix: 0 }, port: 0, order: 0, key: None };

    /// How specific the key is for a connection: a greater value is more specific; `None` if it does not apply.
    fn fitness(&self, tuple: &FourTuple) -> Option<(u8, bool)> {
        let is_service =
            self.port == 0 || [tuple.local.port(), tuple.remote.port()].contains(&self.port);
        let fits = self.key.is_some() && is_service && self.network.contains(tuple.remote.ip());
        fits.then_some((self.network.prefix, self.port != 0))
    }

    fn as_ao(&self) -> Option<MasterKey<'_>> {
        self.key.as_ref()?.as_ao()
    }

    /// Whether there could be a connection to which both this key and one with that network and port apply.
    fn overlaps(&self, network: &Network, port: u16) -> bool {
        let is_same_service = self.port == 0 || port == 0 || self.port == port;
        let is_in = |one: &Network, other: &Network| {
            other.prefix <= one.prefix && other.contains(one.address)
        };
        is_same_service && (is_in(&self.network, network) || is_in(network, &self.network))
    }
}

/// Storage for the keys.
#[derive(Debug)]
struct Places([Place; limits::KEYS]);

impl InitialValue for Places {
    const INITIAL: Self = Places([Place::EMPTY; limits::KEYS]);
}

impl Default for Places {
    fn default() -> Self {
        Self::INITIAL
    }
}

/// All keys of a stack.
#[derive(Debug)]
pub(super) struct Keys {
    places: OnDemand<Places>,
    /// Number of keys.
    len: usize,
    /// Number of keys ever added.
    set: u32,
}

impl InitialValue for Keys {
    const INITIAL: Self = Keys { places: OnDemand::INITIAL, len: 0, set: 0 };
}

impl Keys {
    /// Whether there are no keys.
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The keys that apply to a connection, each with how specific it is.
    fn fitting(&self, tuple: FourTuple) -> impl Iterator<Item = ((u8, bool), &Place)> {
        let places = if self.len == 0 { None } else { self.places.get() };
        let places = places.map(|Places(places)| places.iter()).into_iter().flatten();
        places.filter_map(move |place| Some((place.fitness(&tuple)?, place)))
    }

    /// How to sign a connection that is opened now: as the most specific key says. TCP-AO takes precedence over
    /// an equally specific MD5 key (RFC 5925 section 8).
    #[inline(never)]
    pub(super) fn kind(&self, tuple: &FourTuple) -> Option<SignatureKind> {
        let kinds = self
            .fitting(*tuple)
            .filter_map(|(fitness, place)| Some((fitness, place.key.as_ref()?.kind())));
        kinds
            .max_by_key(|(fitness, kind)| (*fitness, *kind == SignatureKind::Ao))
            .map(|(_, kind)| kind)
    }

    /// The MD5 key to use for a connection.
    pub(super) fn md5(&self, tuple: &FourTuple) -> Option<&SignatureKey> {
        let md5 = |place: &&Place| place.key.is_some_and(|key| key.kind() == SignatureKind::Md5);
        let fitting = self.fitting(*tuple).filter(|(_, place)| md5(place));
        fitting.max_by_key(|(fitness, _)| *fitness).and_then(|(_, place)| place.key.as_ref())
    }

    /// The most specific master key tuple for a connection among those accepted by `is_it`; of equally specific
    /// ones, the one added first.
    pub(super) fn ao(
        &self,
        tuple: &FourTuple,
        is_it: impl Fn(&AoParameters) -> bool,
    ) -> Option<MasterKey<'_>> {
        let fitting = self.fitting(*tuple).filter_map(|(fitness, place)| {
            let key = place.as_ao().filter(|key| is_it(&key.parameters))?;
            Some(((fitness, core::cmp::Reverse(place.order)), key))
        });
        fitting.max_by_key(|(fitness, _)| *fitness).map(|(_, key)| key)
    }

    /// The SendIDs and RecvIDs of the master key tuples that apply to a connection.
    #[allow(dead_code, reason = "whoever has some brings an algorithm")]
    pub(super) fn ao_ids(&self, tuple: FourTuple) -> impl Iterator<Item = (u8, u8)> {
        let keys = self.fitting(tuple).filter_map(|(_, place)| place.as_ao());
        keys.map(|key| (key.parameters.send_id, key.parameters.recv_id))
    }

    /// Adds a key. An MD5 key replaces the one with the same scope. A TCP-AO key is added to those that exist;
    /// it must not share an ID with another that could apply to the same connection (RFC 5925 section 3.1).
    #[allow(dead_code, reason = "whoever sets one brings an algorithm")]
    pub(super) fn set(&mut self, scope: &KeyScope, key: SignatureKey) -> Result<(), KeyError> {
        let network = Network::of(scope.peers).ok_or(KeyError::Peers)?;
        if network.prefix > bits(network.address) {
            return Err(KeyError::Peers);
        }
        let Places(places) = self.places.make().ok_or(KeyError::NoResources)?;
        let port = scope.port;
        if let Some(new) = key.as_ao()
            && places.iter().any(|place| {
                place.as_ao().is_some_and(|old| {
                    let (new, old) = (new.parameters, old.parameters);
                    new.send_id == old.send_id || new.recv_id == old.recv_id
                }) && place.overlaps(&network, port)
            })
        {
            return Err(KeyError::IdInUse);
        }
        let is_same = |place: &Place| {
            let is_md5 = |key: &SignatureKey| key.kind() == SignatureKind::Md5;
            is_md5(&key)
                && place.key.as_ref().is_some_and(is_md5)
                && place.network == network
                && place.port == port
        };
        let known = places.iter().position(is_same);
        let vacant = || places.iter().position(|place| place.key.is_none());
        let at = known.or_else(vacant).ok_or(KeyError::NoResources)?;
        if known.is_none() {
            self.len += 1;
        }
        let order = self.set;
        self.set = self.set.saturating_add(1);
        if let Some(place) = places.get_mut(at) {
            *place = Place { network, port, order, key: Some(key) };
        }
        Ok(())
    }

    /// Removes the key with exactly this scope that `is_it` accepts.
    pub(super) fn remove(
        &mut self,
        scope: &KeyScope,
        is_it: impl Fn(&SignatureKey) -> bool,
    ) -> Result<(), KeyError> {
        let network = Network::of(scope.peers).ok_or(KeyError::Unknown)?;
        let mut places = self.places.get_mut().map(|Places(places)| places.iter_mut()).into_iter();
        let place = places.by_ref().flatten().find(|place| {
            place.key.as_ref().is_some_and(&is_it)
                && place.network == network
                && place.port == scope.port
        });
        *place.ok_or(KeyError::Unknown)? = Place::EMPTY;
        self.len -= 1;
        Ok(())
    }
}

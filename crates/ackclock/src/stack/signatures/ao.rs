//! User calls for TCP-AO (RFC 5925): adding and removing keys, and selecting which of them a connection uses.

use super::keys::{AoParameters, KeyScope, Scheme, SignatureKey};
use super::session::Session;
use super::{Signatures, Stack};
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::stack::{Handle, KeyError};
use crate::time::Instant;
use crate::wire::ao::AoKey;

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// Adds a TCP-AO key (master key tuple, RFC 5925) for connections with some peers. Every segment sent on
    /// them carries the option; arriving segments without it, with an unknown key or with a wrong MAC are
    /// dropped and counted.
    ///
    /// A connection may have several keys. It starts with the most specific one for its addresses and ports,
    /// and among equally specific ones with the one added first; a passive open starts with the key that the
    /// peer's SYN requests. Later [`set_ao_rnext_key`](Self::set_ao_rnext_key) makes the peer change its key,
    /// and the peer can make us change ours. Keys apply to connections opened from now on, and to those that
    /// already use TCP-AO. If an MD5 key is more specific, it is used instead (RFC 5925 section 8).
    ///
    /// Connections with TCP-AO do not use Fast Open or segmentation offload. Once synchronized, they ignore
    /// hard ICMP errors, including IPv4's "fragmentation needed" (section 7.8); to find a narrow path without
    /// ICMP, probe for its MTU ([`Config::mtu_probing`](crate::tcp::Config::mtu_probing), RFC 4821). Section
    /// 7.7 recommends [keepalives](crate::tcp::Config::keepalive), since a peer that has restarted cannot reset
    /// the connection.
    ///
    /// # Errors
    /// The length of the key or the prefix is invalid; another key that could apply to the same connection has
    /// one of these IDs; the profile has no [`Signatures`](crate::profile::Profile::Signatures); or there are
    /// already [`limits::KEYS`](crate::stack::limits::KEYS) keys.
    pub fn add_ao_key(
        &mut self,
        now: Instant,
        scope: &KeyScope,
        key: &AoKey<'_>,
    ) -> Result<(), KeyError> {
        let AoKey { send_id, recv_id, algorithm, covers_options, key } = *key;
        let functions = algorithm.functions();
        let parameters = AoParameters { send_id, recv_id, covers_options, functions };
        self.set_key(now, scope, SignatureKey::new(Scheme::Ao(parameters), key)?)
    }

    /// Removes a TCP-AO key. Connections that use it change to the most specific remaining key; those without
    /// one end with [`Error::KeyRemoved`](crate::tcp::Error::KeyRemoved), and nothing is sent to the peer.
    ///
    /// # Errors
    /// There is no key with these IDs for exactly this scope.
    pub fn remove_ao_key(
        &mut self,
        now: Instant,
        scope: &KeyScope,
        send_id: u8,
        recv_id: u8,
    ) -> Result<(), KeyError> {
        let now = self.begin(now);
        let signatures = self.signatures.get_mut().ok_or(KeyError::Unknown)?;
        let is_it = |key: &SignatureKey| {
            let ids = key.as_ao().map(|key| (key.parameters.send_id, key.parameters.recv_id));
            ids == Some((send_id, recv_id))
        };
        signatures.keys.remove(scope, is_it)?;
        self.follow_keys(now);
        Ok(())
    }

    /// Makes a connection sign what it sends with the key that has this SendID (current_key, RFC 5925 section
    /// 7.1), until the peer requests another key.
    ///
    /// # Errors
    /// The connection does not use TCP-AO, or it has no such key.
    pub fn set_ao_current_key(
        &mut self,
        now: Instant,
        handle: Handle,
        send_id: u8,
    ) -> Result<(), KeyError> {
        let (session, keys) = self.session_of(now, handle)?;
        let tuple = session.tuple;
        let key = keys.ao(&tuple, |key| key.send_id == send_id).ok_or(KeyError::Unknown)?;
        session.send_by(&key);
        Ok(())
    }

    /// Makes a connection ask its peer to sign with the key that has this RecvID (rnext_key, RFC 5925 section
    /// 7.1). Every segment sent from now on carries the request.
    ///
    /// # Errors
    /// The connection does not use TCP-AO, or it has no such key.
    pub fn set_ao_rnext_key(
        &mut self,
        now: Instant,
        handle: Handle,
        recv_id: u8,
    ) -> Result<(), KeyError> {
        let (session, keys) = self.session_of(now, handle)?;
        let tuple = session.tuple;
        keys.ao(&tuple, |key| key.recv_id == recv_id).ok_or(KeyError::Unknown)?;
        session.rnext = recv_id;
        Ok(())
    }

    /// Sets whether a connection with TCP-AO processes ICMP errors like other connections (RFC 5925 section
    /// 7.8). By default it ignores hard ones, since they are not authenticated.
    ///
    /// # Errors
    /// The connection does not use TCP-AO.
    pub fn set_ao_heeds_icmp(
        &mut self,
        now: Instant,
        handle: Handle,
        heeds: bool,
    ) -> Result<(), KeyError> {
        self.session_of(now, handle)?.0.heeds_icmp = heeds;
        Ok(())
    }

    /// Sets whether to drop segments that carry a TCP-AO option although no TCP-AO key applies to their
    /// connection. By default they are accepted as if they had no option, and counted (RFC 5925 section 7.3).
    ///
    /// # Errors
    /// The profile has no [`Signatures`](crate::profile::Profile::Signatures).
    pub fn refuse_unmatched_ao(&mut self, refuses: bool) -> Result<(), KeyError> {
        let signatures = self.signatures.get_mut().ok_or(KeyError::LeftOut)?;
        signatures.refuses_unmatched = refuses;
        Ok(())
    }

    /// The (SendID, RecvID) pairs of all TCP-AO keys that a connection may use (RFC 5925 section 7.1); empty if
    /// it does not use TCP-AO.
    pub fn ao_keys(&self, handle: Handle) -> impl Iterator<Item = (u8, u8)> {
        let slot = self.resolve(handle);
        let signatures = self.signatures.get();
        let tuple = slot.map(|slot| slot.tuple);
        let is_signed = slot.is_some_and(|slot| {
            slot.connection.signature() == Some(crate::wire::SignatureKind::Ao)
        });
        let both = tuple.zip(signatures).filter(|_| is_signed);
        both.into_iter().flat_map(|(tuple, signatures)| signatures.keys.ao_ids(tuple))
    }

    /// The TCP-AO state of a connection, for a call that changes it.
    fn session_of(
        &mut self,
        now: Instant,
        handle: Handle,
    ) -> Result<(&mut Session, &super::Keys), KeyError> {
        self.begin(now);
        let slot = self.resolve(handle).filter(|slot| !slot.detached);
        let slot =
            slot.filter(|slot| slot.connection.signature() == Some(crate::wire::SignatureKind::Ao));
        let tuple = slot.map(|slot| slot.tuple).ok_or(KeyError::NotSigned)?;
        let signatures = self.signatures.get_mut().ok_or(KeyError::LeftOut)?;
        let Signatures { keys, sessions, .. } = signatures;
        let session = sessions.get_mut(&tuple).ok_or(KeyError::NotSigned)?;
        Ok((session, keys))
    }
}

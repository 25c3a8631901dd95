//! Keys for TCP's authentication option (TCP-AO, RFC 5925), and which of them a connection uses.

use super::keys::{AoParameters, KeyScope, Scheme, SignatureKey};
use super::session::Session;
use super::{Signatures, Stack};
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::stack::{Handle, KeyError};
use crate::time::Instant;
use crate::wire::ao::AoKey;

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// Has the segments of connections with some peers signed by TCP-AO (RFC 5925): each segment that is sent
    /// has the option, and one that arrives without, with an unknown key or a wrong code is dropped and counted.
    ///
    /// A connection may have several keys. It begins with the one that fits its ends best, and of several that
    /// fit alike with the one that was set first; a passive open begins with what the peer's SYN asks for. Then
    /// [`set_ao_rnext_key`](Self::set_ao_rnext_key) has the peer change its key, and the peer's wish changes ours.
    /// Keys concern connections that are opened from now on, and those that TCP-AO signs already. Where an MD5 key fits a
    /// connection better, that counts (RFC 5925 section 8).
    ///
    /// Such connections have no Fast Open, leave no segmentation to the link, and ignore hard ICMP errors once
    /// they are synchronized, IPv4's "fragmentation needed" among them (section 7.8); RFC 4821's probes
    /// ([`Config::mtu_probing`](crate::tcp::Config::mtu_probing)) find narrow paths without. Section 7.7
    /// advises [keepalives](crate::tcp::Config::keepalive), since a peer that has restarted cannot reset them.
    ///
    /// # Errors
    /// The key's length or the prefix cannot be, another key that some connection may have too has one of
    /// the IDs, the profile has no [`Signatures`](crate::profile::Profile::Signatures), or
    /// [`limits::KEYS`](crate::stack::limits::KEYS) keys are there.
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

    /// Forgets a key of TCP-AO. Connections that use it go on with the one of those that are left which fits best;
    /// without any they end with [`Error::KeyRemoved`](crate::tcp::Error::KeyRemoved), and without a word to the
    /// peer.
    ///
    /// # Errors
    /// There is no key with these IDs for exactly this.
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

    /// Has a connection sign what it sends from now on by the key with this SendID (current_key, RFC 5925 section
    /// 7.1), until the peer asks for another.
    ///
    /// # Errors
    /// TCP-AO does not sign the connection, or it has no such key.
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

    /// Has a connection ask its peer to sign by the key with this RecvID from now on (rnext_key, RFC 5925
    /// section 7.1): each segment that is sent says so.
    ///
    /// # Errors
    /// TCP-AO does not sign the connection, or it has no such key.
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

    /// Whether a connection that TCP-AO signs heeds ICMP errors as others do (RFC 5925 section 7.8). At first
    /// it ignores hard ones, since nobody signs them.
    ///
    /// # Errors
    /// TCP-AO does not sign the connection.
    pub fn set_ao_heeds_icmp(
        &mut self,
        now: Instant,
        handle: Handle,
        heeds: bool,
    ) -> Result<(), KeyError> {
        self.session_of(now, handle)?.0.heeds_icmp = heeds;
        Ok(())
    }

    /// Whether segments that have a TCP-AO option, of connections for which there is no such key, are dropped.
    /// At first they are taken as if they had none, and counted (RFC 5925 section 7.3).
    ///
    /// # Errors
    /// The profile has no [`Signatures`](crate::profile::Profile::Signatures).
    pub fn refuse_unmatched_ao(&mut self, refuses: bool) -> Result<(), KeyError> {
        let signatures = self.signatures.get_mut().ok_or(KeyError::LeftOut)?;
        signatures.refuses_unmatched = refuses;
        Ok(())
    }

    /// The SendIDs and RecvIDs of all keys of TCP-AO that a connection may use (RFC 5925 section 7.1); none if
    /// TCP-AO does not sign it.
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

    /// What is kept of a connection, for a call that changes it.
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

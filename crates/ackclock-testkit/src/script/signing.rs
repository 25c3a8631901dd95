//! Signatures: whoever has the script's keys signs the peer's segments, and checks ours.

use super::setting::Settings;
use ackclock::wire::ao::{AoKey, AoSigner, AoWitness, key_ids};
use ackclock::wire::md5::{is_signed_by, sign_headers};
use ackclock::wire::{KeyIds, SignatureKind, WriteChecksum};

/// Bytes before a segment.
const IPV4_HEADER: usize = 20;

/// What is known of a connection for that.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Signing {
    /// Who knows what the keys of TCP-AO are made of.
    witness: AoWitness,
}

impl Signing {
    /// We have sent a segment. A script says whether it is signed; that it is signed rightly is seen to here.
    pub(super) fn check(&mut self, settings: &Settings, bytes: &[u8]) -> Result<(), String> {
        self.witness.see(bytes);
        let is_right = match (&settings.md5_key, key_ids(bytes)) {
            (Some(key), _) => is_signed_by(bytes, key),
            (None, Some(ids)) => {
                let key = ao_key(settings, |key| key.send_id == ids.key_id)?;
                self.ao_signer(bytes, &key)?.has_signed(bytes)
            }
            (None, None) => settings.ao_keys.is_empty(),
        };
        if is_right { Ok(()) } else { Err("a segment has no right signature".into()) }
    }

    /// Signs a packet of the peer's, whose IDs of TCP-AO are ours the other way round: as the script says, or by the
    /// first key.
    pub(super) fn sign(
        &mut self,
        settings: &Settings,
        packet: &mut [u8],
        (kind, ids): (SignatureKind, Option<KeyIds>),
    ) -> Result<(), String> {
        let complete = WriteChecksum::Complete;
        match (kind, &settings.md5_key) {
            (SignatureKind::Md5, Some(key)) => {
                sign_headers(packet, IPV4_HEADER, [&[], &[]], complete, key);
            }
            (SignatureKind::Md5, None) => {}
            (SignatureKind::Ao, _) => {
                self.witness.see(packet);
                let is_it = |key: &AoKey<'_>| ids.is_none_or(|ids| key.recv_id == ids.key_id);
                let key = ao_key(settings, is_it)?;
                let own = KeyIds { key_id: key.recv_id, rnext_key_id: key.send_id };
                let signer = self.ao_signer(packet, &key)?;
                let ids = ids.unwrap_or(own);
                signer.sign_headers(packet, IPV4_HEADER, [&[], &[]], complete, ids);
            }
        }
        Ok(())
    }

    fn ao_signer(&self, packet: &[u8], key: &AoKey<'_>) -> Result<AoSigner, String> {
        let signer = self.witness.signer(packet, key.algorithm, key.covers_options, key.key);
        signer.ok_or_else(|| "a packet is no segment".into())
    }
}

/// Our key of TCP-AO for which `is_it` says yes.
fn ao_key(settings: &Settings, is_it: impl Fn(&AoKey<'_>) -> bool) -> Result<AoKey<'_>, String> {
    let mut keys = settings.ao_keys.iter().flat_map(|key| AoKey::read(key));
    keys.find(is_it).ok_or_else(|| "there is no such key of TCP-AO".into())
}

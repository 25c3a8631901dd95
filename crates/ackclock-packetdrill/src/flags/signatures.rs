//! Keys that sign segments, and whoever signs those of the peer's that scripts write without a digest.

use ackclock::congestion::BuiltIn;
use ackclock::stack::{Capabilities, Cidr, KeyError, KeyScope, Stack, StackConfig, Storage};
use ackclock::time::Instant;
use ackclock::wire::ao::{AoKey, AoWitness, key_ids};
use ackclock::wire::md5::sign_headers;
use ackclock::wire::{
    Checksums, Protocol, SignatureKind, WriteChecksum, complete_checksum, parse_packet,
};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Everybody.
const ALL: [Cidr; 2] = [
    Cidr { address: IpAddr::V4(Ipv4Addr::UNSPECIFIED), prefix: 0 },
    Cidr { address: IpAddr::V6(Ipv6Addr::UNSPECIFIED), prefix: 0 },
];

/// Keys of all connections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SignatureKeys {
    pub(super) md5: Option<String>,
    /// As [`AoKey::read`] reads them.
    pub(super) ao: Vec<String>,
}

impl SignatureKeys {
    /// Adds a key of TCP-AO.
    pub(super) fn add_ao(&mut self, text: &str) -> Result<(), String> {
        AoKey::read(text).map_err(|error| error.to_string())?;
        self.ao.push(text.to_owned());
        Ok(())
    }

    /// Whether a stack takes them.
    ///
    /// # Errors
    /// Says what is wrong with one.
    pub(super) fn try_out(&self) -> Result<(), KeyError> {
        let config = StackConfig::new(Capabilities::with_mtu(1500), [0, 0]);
        match Stack::new(config, BuiltIn::default(), Storage::growing()) {
            Ok(mut stack) => self.set(Instant::ZERO, &mut stack),
            Err(_) => Ok(()),
        }
    }

    /// Gives them to a stack.
    ///
    /// # Errors
    /// Says what is wrong with one.
    pub(crate) fn set(&self, now: Instant, stack: &mut Stack<'_, BuiltIn>) -> Result<(), KeyError> {
        ALL.iter().map(|peers| KeyScope::of(*peers)).try_for_each(|scope| {
            if let Some(key) = &self.md5 {
                stack.set_md5_key(now, &scope, key.as_bytes())?;
            }
            let mut ao = self.ao.iter().flat_map(|key| AoKey::read(key));
            ao.try_for_each(|key| stack.add_ao_key(now, &scope, &key))
        })
    }

    /// The peer's packet with the right digest, if it has an option for one and there is such a key: scripts cannot
    /// compute it. The option stands first, as Linux writes it. `None`: it stays as it is.
    pub(crate) fn signed(&self, witness: &AoWitness, packet: &[u8]) -> Option<Vec<u8>> {
        let nothing = Checksums { ip: false, transport: false };
        let Protocol::Tcp(segment) = parse_packet(packet, nothing).ok()?.protocol else {
            return None;
        };
        let kind = segment.header.options.signature?;
        let mut signed = packet.to_vec();
        let complete = WriteChecksum::Complete;
        let offset = if segment.ip.source.is_ipv4() { 20 } else { 40 };
        match kind {
            SignatureKind::Md5 => {
                let key = self.md5.as_ref()?.as_bytes();
                sign_headers(&mut signed, offset, [&[], &[]], complete, key);
            }
            SignatureKind::Ao => {
                let ids = key_ids(packet)?;
                let mut keys = self.ao.iter().flat_map(|key| AoKey::read(key));
                let key = keys.find(|key| key.recv_id == ids.key_id)?;
                let mut witness = *witness;
                witness.see(packet);
                let signer = witness.signer(packet, key.algorithm, key.covers_options, key.key)?;
                // The IDs that the script wrote give way to zeros, which the signer replaces.
                signed.get_mut(offset + 22..offset + 24)?.fill(0);
                signer.sign_headers(&mut signed, offset, [&[], &[]], complete, ids);
            }
        }
        complete_checksum(&mut signed);
        Some(signed)
    }
}

//! Options for signatures of segments.

use crate::values::SignatureKey;
use clap::Args;

/// Options for signatures of segments.
#[derive(Args, Clone, Debug)]
pub(crate) struct SignatureOptions {
    /// Sign every segment with this key and accept only signed segments (TCP MD5, RFC 2385; 1 to 80 bytes); with
    /// PEERS=, an address or network, only on connections with these peers; @FILE instead of a key
    /// reads the first line of the file; may be repeated for other peers
    #[arg(long = "md5-key", value_name = "[PEERS=]KEY", value_parser = SignatureKey::md5)]
    md5_keys: Vec<SignatureKey>,

    /// The same with TCP-AO (RFC 5925): ID is the number of the key, or SendID/RecvID, 0 to 255; the algorithm is
    /// SHA1 or AES128; no-options excludes other TCP options from the signature; KEY is text, hex:DIGITS or
    /// @FILE; of several keys for a peer, the first is used until the peer requests another
    #[arg(
        long = "ao-key",
        value_name = "[PEERS=]ID[/RECV_ID][:SHA1|AES128][:no-options]=KEY",
        value_parser = SignatureKey::ao
    )]
    ao_keys: Vec<SignatureKey>,
}

impl SignatureOptions {
    /// All keys.
    pub(crate) fn keys(&self) -> Vec<SignatureKey> {
        self.md5_keys.iter().chain(&self.ao_keys).cloned().collect()
    }
}

//! Options for signatures of segments.

use crate::values::SignatureKey;
use clap::Args;

/// Options for signatures of segments.
#[derive(Args, Clone, Debug)]
pub(crate) struct SignatureOptions {
    /// Sign every segment with this key and believe none without (TCP MD5, RFC 2385; 1 to 80 bytes); with
    /// PEERS=, an address or network, only those of connections with these; @FILE in place of a key
    /// reads the first line of the file; may be repeated for other peers
    #[arg(long = "md5-key", value_name = "[PEERS=]KEY", value_parser = SignatureKey::md5)]
    md5_keys: Vec<SignatureKey>,

    /// The same by TCP-AO (RFC 5925): ID is the number of the key, or SendID/RecvID, 0 to 255; it signs by
    /// SHA1 or AES128, and options other than its own unless no-options; KEY is text, hex:DIGITS or @FILE;
    /// the first for a peer is used until the peer asks for another
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

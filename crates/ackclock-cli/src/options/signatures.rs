//! Options for signatures of segments.

use crate::values::SignatureKey;
use clap::Args;

/// Options for signatures of segments.
#[derive(Args, Clone, Debug)]
pub(crate) struct SignatureOptions {
    /// Sign every segment with this key and believe none without (TCP MD5, RFC 2385; 1 to 80 bytes); with
    /// PEERS=, an address or network, only those of connections with these; @FILE in place of a key
    /// reads the first line of the file; may be repeated for other peers
    #[arg(long = "md5-key", value_name = "[PEERS=]KEY")]
    pub(crate) md5_keys: Vec<SignatureKey>,
}

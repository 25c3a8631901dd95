//! Traffic keys of a connection, and their derivation from the master key that both ends share (RFC 5925
//! section 5.2).

use super::signature::{AoCoverage, SignedSegment};
use super::signature_option::MD5_DIGEST;
use crate::seq::SeqNumber;
use core::fmt;
use core::net::{IpAddr, SocketAddr};

/// Length of the longest traffic key, in bytes (RFC 5926 section 3.2.1).
const LONGEST: usize = 20;

/// A traffic key, which signs the segments of one direction of one connection (RFC 5925 section 3.2). A
/// shorter key is padded with zeros.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TrafficKey(pub(super) [u8; LONGEST]);

impl TrafficKey {
    /// A placeholder that is no key: all zeros.
    pub const NONE: Self = TrafficKey([0; LONGEST]);

    /// The key's bytes, padded with zeros.
    pub fn as_bytes(&self) -> &[u8; LONGEST] {
        &self.0
    }
}

impl fmt::Debug for TrafficKey {
    /// Hides the key, which is secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TrafficKey")
    }
}

/// The context that a traffic key is derived for: one direction of one connection (RFC 5925 section 5.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AoContext {
    /// Address and port of the sender.
    pub source: SocketAddr,
    /// Address and port of the receiver.
    pub destination: SocketAddr,
    /// The sender's initial sequence number.
    pub source_isn: SeqNumber,
    /// The receiver's initial sequence number; 0 for SYNs, whose sender does not know it.
    pub destination_isn: SeqNumber,
}

impl AoContext {
    /// The bytes of the context in the order of RFC 5925 figures 7 and 8.
    #[allow(dead_code, reason = "an algorithm reads it, and without its feature there is none")]
    pub(super) fn items(&self, each: &mut dyn FnMut(&[u8])) {
        let ends = [self.source, self.destination];
        for end in ends {
            match end.ip() {
                IpAddr::V4(address) => each(&address.octets()),
                IpAddr::V6(address) => each(&address.octets()),
            }
        }
        ends.iter().for_each(|end| each(&end.port().to_be_bytes()));
        [self.source_isn, self.destination_isn].iter().for_each(|isn| each(&isn.0.to_be_bytes()));
    }
}

/// A pair of algorithms of TCP-AO that belong together (RFC 5926 section 3).
#[derive(Debug)]
pub(crate) struct AoFunctions {
    /// The key derivation function: master key and context to traffic key.
    pub(crate) derive: fn(&[u8], &AoContext) -> TrafficKey,
    /// The message authentication code; it is truncated to the room in the option.
    pub(crate) code: fn(&TrafficKey, &SignedSegment<'_>, AoCoverage) -> [u8; MD5_DIGEST],
}

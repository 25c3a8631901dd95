//! Keys of one connection's segments, and how they are made of the key that its ends share (RFC 5925
//! section 5.2).

use super::signature::{AoCoverage, SignedSegment};
use super::signature_option::MD5_DIGEST;
use crate::seq::SeqNumber;
use core::fmt;
use core::net::{IpAddr, SocketAddr};

/// Bytes of the longest traffic key (RFC 5926 section 3.2.1).
const LONGEST: usize = 20;

/// A traffic key: it signs the segments of one direction of one connection (RFC 5925 section 3.2). A shorter one
/// has zeros at its end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TrafficKey(pub(super) [u8; LONGEST]);

impl TrafficKey {
    /// One that nobody has: all zeros.
    pub const NONE: Self = TrafficKey([0; LONGEST]);

    /// Its bytes, with zeros at the end of one that is shorter than the longest.
    pub fn as_bytes(&self) -> &[u8; LONGEST] {
        &self.0
    }
}

impl fmt::Debug for TrafficKey {
    /// Keys are secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TrafficKey")
    }
}

/// What a traffic key is made for: one direction of one connection (RFC 5925 section 5.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AoContext {
    /// The end that sends.
    pub source: SocketAddr,
    /// The end that receives.
    pub destination: SocketAddr,
    /// The sender's initial sequence number.
    pub source_isn: SeqNumber,
    /// The receiver's; 0 for SYNs, whose sender does not know it.
    pub destination_isn: SeqNumber,
}

impl AoContext {
    /// The bytes of RFC 5925 figures 7 and 8, in their order.
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

/// What TCP-AO computes: a pair of algorithms that belong together (RFC 5926 section 3).
#[derive(Debug)]
pub(crate) struct AoFunctions {
    /// The key derivation function: of a master key.
    pub(crate) derive: fn(&[u8], &AoContext) -> TrafficKey,
    /// The message authentication code, of which as much counts as the option has room for.
    pub(crate) code: fn(&TrafficKey, &SignedSegment<'_>, AoCoverage) -> [u8; MD5_DIGEST],
}

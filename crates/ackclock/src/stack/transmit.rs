//! One transmission on its way to the link.

use crate::wire::{Ecn, WriteChecksum};

/// A packet to send: headers, and the payload where it lies in the send queue, to be gathered or
/// copied by the link.
#[derive(Clone, Copy, Debug)]
pub struct Transmit<'a> {
    /// IP and transport headers.
    pub header: &'a [u8],
    /// The payload, in two slices in order.
    pub payload: [&'a [u8]; 2],
    /// Where the transport header begins in `header`, in bytes.
    pub transport_offset: usize,
    /// Payload bytes per segment if the link is to cut the packet; 0: send it as it is.
    pub segment_size: u16,
    /// Whether the transport checksum is complete.
    pub checksum: WriteChecksum,
    /// ECN codepoint in the IP header.
    pub ecn: Ecn,
}

impl Transmit<'_> {
    /// Length of the packet in bytes.
    pub fn len(&self) -> usize {
        let [first, second] = self.payload;
        self.header.len() + first.len() + second.len()
    }

    /// Whether it has no byte (it never does).
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies the packet into `to`; returns its length, or `None` if it does not fit.
    pub fn copy_to(&self, to: &mut [u8]) -> Option<usize> {
        let to = to.get_mut(..self.len())?;
        let mut at = 0;
        for part in [self.header, self.payload[0], self.payload[1]] {
            at += crate::storage::copy(to.get_mut(at..)?, part);
        }
        Some(at)
    }
}

/// The sink took nothing: it has no room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rejected;

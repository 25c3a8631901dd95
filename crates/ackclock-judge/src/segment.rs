//! A segment as the rules see it: sequence numbers that do not wrap, counted from the SYN.

use ackclock::seq::SeqNumber;
use ackclock::time::Instant;
use ackclock::wire::{Ecn, Flags, Header};

/// A place in one direction's sequence space, counted from its SYN, which is 0; the first byte of data is 1.
/// It does not wrap.
pub(crate) type Offset = i64;

/// One direction's sequence space: turns sequence numbers into offsets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Space {
    /// The number and the offset that were seen last.
    near: (SeqNumber, Offset),
}

impl Space {
    /// The space that begins with a SYN of this number.
    pub(crate) const fn new(initial: SeqNumber) -> Space {
        Space { near: (initial, 0) }
    }

    /// The offset of a number less than 2^31 away from the largest one that was noted.
    pub(crate) fn offset(&self, seq: SeqNumber) -> Offset {
        let (near, at) = self.near;
        at + Offset::from(seq.distance(near))
    }

    /// The number of the SYN.
    pub(crate) fn initial(&self) -> SeqNumber {
        let (near, at) = self.near;
        near - (at as u32)
    }

    /// Notes how far the direction has come.
    pub(crate) fn note(&mut self, offset: Offset) {
        let (near, at) = self.near;
        if offset > at {
            self.near = (near + (offset - at) as u32, offset);
        }
    }
}

/// A segment that passed the judged host's interface, in either direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Seen<'a> {
    /// When it passed.
    pub(crate) time: Instant,
    /// Its number among the packets that the judge saw, from 1.
    pub(crate) number: u64,
    pub(crate) header: Header,
    pub(crate) ecn: Ecn,
    pub(crate) payload: &'a [u8],
    /// SEG.SEQ in its sender's space.
    pub(crate) seq: Offset,
    /// SEG.ACK in the other space, if the segment has ACK.
    pub(crate) ack: Option<Offset>,
    /// Bytes of the TCP header's options, padding included.
    pub(crate) options_len: usize,
}

impl Seen<'_> {
    /// Payload bytes.
    pub(crate) fn payload_len(&self) -> Offset {
        self.payload.len() as Offset
    }

    /// SEG.LEN: payload, SYN and FIN.
    pub(crate) fn len(&self) -> Offset {
        self.payload_len() + Offset::from(self.is(Flags::SYN)) + Offset::from(self.is(Flags::FIN))
    }

    /// The first number behind it, SYN and FIN counted.
    pub(crate) fn end(&self) -> Offset {
        self.seq + self.len()
    }

    /// Where its payload begins.
    pub(crate) fn text(&self) -> Offset {
        self.seq + Offset::from(self.is(Flags::SYN))
    }

    /// The first number behind its payload.
    pub(crate) fn text_end(&self) -> Offset {
        self.text() + self.payload_len()
    }

    /// Whether it has all of these flags.
    pub(crate) fn is(&self, flags: Flags) -> bool {
        self.header.flags.contains(flags)
    }
}

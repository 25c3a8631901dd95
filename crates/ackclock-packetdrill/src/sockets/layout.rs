//! Where things are in the bytes of a packet of TCP.

pub(super) const NO_OPERATION: u8 = 1;
/// SYN among the flags.
pub(super) const SYN: u8 = 0x02;

/// Where an option is among others, and its length.
pub(super) fn find(options: &[u8], wanted: u8) -> Option<(usize, usize)> {
    let mut at = 0;
    while let Some(&kind) = options.get(at) {
        let len = match kind {
            0 => return None,
            NO_OPERATION => 1,
            _ => usize::from(*options.get(at + 1)?).max(2),
        };
        if kind == wanted {
            return (at + len <= options.len()).then_some((at, len));
        }
        at += len;
    }
    None
}

/// Where things are in a packet of TCP.
pub(super) struct Layout {
    /// Where the addresses begin, and the length of one.
    addresses: (usize, usize),
    pub(super) tcp: usize,
}

impl Layout {
    pub(super) fn of(packet: &[u8]) -> Option<Layout> {
        let (layout, protocol) = match packet.first()? >> 4 {
            4 => (
                Layout { addresses: (12, 4), tcp: usize::from(packet[0] & 15) * 4 },
                packet.get(9)?,
            ),
            _ => (Layout { addresses: (8, 16), tcp: 40 }, packet.get(6)?),
        };
        (i32::from(*protocol) == libc::IPPROTO_TCP).then_some(layout)
    }

    pub(super) fn of_syn(packet: &[u8]) -> Option<Layout> {
        let layout = Self::of(packet)?;
        (layout.flags(packet)? & SYN != 0).then_some(layout)
    }

    pub(super) fn flags(&self, packet: &[u8]) -> Option<u8> {
        packet.get(self.tcp + 13).copied()
    }

    /// Address and port of the source (0) or the destination (1).
    pub(super) fn end(&self, packet: &[u8], side: usize) -> Option<Vec<u8>> {
        let (begin, len) = self.addresses;
        let address = packet.get(begin + side * len..)?.get(..len)?;
        let port = packet.get(self.tcp + side * 2..)?.get(..2)?;
        Some([address, port].concat())
    }

    pub(super) fn options<'p>(&self, packet: &'p [u8]) -> Option<&'p [u8]> {
        let header = usize::from(packet.get(self.tcp + 12)? >> 4) * 4;
        packet.get(self.tcp + 20..self.tcp + header)
    }

    /// Computes the checksum of TCP anew (RFC 9293 section 3.1).
    pub(super) fn complete(&self, packet: &mut [u8]) {
        let (begin, len) = self.addresses;
        packet[self.tcp + 16..self.tcp + 18].fill(0);
        let segment = &packet[self.tcp..];
        let words = packet[begin..begin + 2 * len].chunks(2).chain(segment.chunks(2));
        let word =
            |word: &[u8]| u32::from(word[0]) << 8 | word.get(1).map_or(0, |low| u32::from(*low));
        let mut sum = 6 + segment.len() as u32 + words.map(word).sum::<u32>();
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        packet[self.tcp + 16..self.tcp + 18].copy_from_slice(&(!sum as u16).to_be_bytes());
    }
}

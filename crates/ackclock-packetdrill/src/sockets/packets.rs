//! Packets as they leave the stack: what is read of them, and what is changed in them.

use super::layout::{ACK, Layout, NO_OPERATION, PSH, RST, SYN, complete, find, mend_checksum};
use std::net::SocketAddr;

/// Flags of segments that are never part of a piece.
const URG: u8 = 0x20;
const ALONE: u8 = URG | SYN | RST;
/// Kinds of options, and how long one with timestamps is.
const MSS: u8 = 2;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;
const STAMP: usize = 12;
/// "Don't fragment" in the first byte of its word (RFC 791 section 3.1).
const DONT_FRAGMENT: u8 = 0x40;

/// What has to be known of a packet.
pub(super) struct View {
    /// Our end and the peer's.
    pub(super) ends: [SocketAddr; 2],
    pub(super) seq: u32,
    pub(super) ack: u32,
    /// As it stands in the header.
    pub(super) window: u16,
    pub(super) payload: u32,
    pub(super) flags: u8,
    layout: Layout,
}

impl View {
    /// Reads a packet of the stack's; `None` if it carries no TCP.
    pub(super) fn of(packet: &[u8]) -> Option<View> {
        let layout = Layout::of(packet)?;
        let header = packet.get(layout.tcp..)?;
        let short = |at: usize| Some(u16::from_be_bytes(*header.get(at..)?.first_chunk()?));
        let long = |at: usize| Some(u32::from_be_bytes(*header.get(at..)?.first_chunk()?));
        Some(View {
            ends: layout.ends(packet)?,
            seq: long(4)?,
            ack: long(8)?,
            window: short(14)?,
            payload: header.len().checked_sub(layout.header(packet)?)? as u32,
            flags: layout.flags(packet)?,
            layout,
        })
    }

    /// The sequence number behind its data.
    pub(super) fn end(&self) -> u32 {
        self.seq.wrapping_add(self.payload)
    }

    /// Whether it may be part of a piece.
    pub(super) fn is_ordinary(&self) -> bool {
        self.payload > 0 && self.flags & ALONE == 0
    }

    pub(super) fn is_syn(&self) -> bool {
        self.flags & SYN != 0
    }

    /// Whether it has no flag but ACK.
    pub(super) fn is_plain_ack(&self) -> bool {
        self.flags == ACK
    }

    /// Sets PSH or takes it away, and puts the checksum right.
    pub(super) fn set_push(&self, packet: &mut [u8], on: bool) {
        let flags = if on { self.flags | PSH } else { self.flags & !PSH };
        let (before, after) = (u16::from(packet[self.layout.tcp + 13]), u16::from(flags));
        packet[self.layout.tcp + 13] = flags;
        mend_checksum(packet, self.layout.tcp + 16, before, after);
    }
}

/// The ranges that a packet SACKs.
pub(super) fn sacks(packet: &[u8]) -> Vec<(u32, u32)> {
    let read = || {
        let options = Layout::of(packet)?.options(packet)?;
        let (at, len) = find(options, SACK)?;
        let ranges = options.get(at + 2..at + len)?.as_chunks::<8>().0;
        let number = |bytes: &[u8]| bytes.first_chunk().map_or(0, |it| u32::from_be_bytes(*it));
        Some(ranges.iter().map(|range| (number(range), number(&range[4..]))).collect())
    };
    read().unwrap_or_default()
}

/// The value of a packet's timestamp.
pub(super) fn timestamp(packet: &[u8]) -> Option<u32> {
    let options = Layout::of(packet)?.options(packet)?;
    let (at, _) = find(options, TIMESTAMPS)?;
    options.get(at + 2..)?.first_chunk().map(|value| u32::from_be_bytes(*value))
}

/// The packet with a timestamp that echoes none; `None` if it has no room for it.
pub(super) fn stamped(packet: &[u8], value: u32) -> Option<Vec<u8>> {
    let layout = Layout::of(packet)?;
    let header = layout.header(packet)?;
    let place = layout.tcp + header;
    if header + STAMP > 60 || packet.len() < place || packet.len() + STAMP > usize::from(u16::MAX) {
        return None;
    }
    let mut packet = packet.to_vec();
    let stamp =
        [[NO_OPERATION, NO_OPERATION, TIMESTAMPS, 10], value.to_be_bytes(), [0; 4]].concat();
    packet.splice(place..place, stamp);
    packet[layout.tcp + 12] += (STAMP as u8 / 4) << 4;
    complete(&mut packet);
    Some(packet)
}

/// Makes of a packet, whose data may have been cut off, one with this number and these flags; without ACK it tells
/// nothing of our end.
pub(super) fn restart(packet: &mut [u8], number: u32, flags: u8) {
    let Some(layout) = Layout::of(packet) else { return };
    packet[layout.tcp + 4..layout.tcp + 8].copy_from_slice(&number.to_be_bytes());
    packet[layout.tcp + 13] = flags;
    if flags & ACK == 0 {
        packet[layout.tcp + 8..layout.tcp + 12].fill(0);
        packet[layout.tcp + 14..layout.tcp + 16].fill(0);
    }
    complete(packet);
}

/// Gives an ICMP message another type and code, and tells those that it had; `None` if it is none.
pub(super) fn rewrite_icmp(packet: &mut [u8], to: [u8; 2]) -> Option<[u8; 2]> {
    let (at, protocol, icmp) = match packet.first()? >> 4 {
        4 => (usize::from(packet[0] & 15) * 4, *packet.get(9)?, libc::IPPROTO_ICMP),
        _ => (40, *packet.get(6)?, libc::IPPROTO_ICMPV6),
    };
    let was = *packet.get(at..at + 4)?.first_chunk::<2>()?;
    if i32::from(protocol) != icmp {
        return None;
    }
    packet[at..at + 2].copy_from_slice(&to);
    mend_checksum(packet, at + 2, u16::from_be_bytes(was), u16::from_be_bytes(to));
    Some(was)
}

/// Has a SYN announce at most this size of segments.
pub(super) fn limit_mss(packet: &mut [u8], most: u16) {
    let place = Layout::of_syn(packet).and_then(|layout| {
        let (at, _) = find(layout.options(packet)?, MSS)?;
        Some((layout.tcp, layout.tcp + 20 + at + 2))
    });
    let Some((tcp, at)) = place else { return };
    let before = u16::from_be_bytes([packet[at], packet[at + 1]]);
    if most < before {
        packet[at..at + 2].copy_from_slice(&most.to_be_bytes());
        mend_checksum(packet, tcp + 16, before, most);
    }
}

/// Lets routers fragment a packet of IPv4.
pub(super) fn allow_fragments(packet: &mut [u8]) {
    if packet.len() >= 20 && packet[0] >> 4 == 4 && packet[6] & DONT_FRAGMENT != 0 {
        packet[6] &= !DONT_FRAGMENT;
        mend_checksum(packet, 10, u16::from(DONT_FRAGMENT) << 8, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet of IPv4 with ten bytes, whose checksums are right.
    fn packet() -> Vec<u8> {
        let mut packet = vec![0; 50];
        packet[..12].copy_from_slice(&[0x45, 0, 0, 50, 0, 1, 0x40, 0, 64, 6, 0, 0]);
        packet[12..20].copy_from_slice(&[192, 168, 0, 1, 192, 0, 2, 1]);
        packet[20..34]
            .copy_from_slice(&[0x1f, 0x90, 0x17, 0x70, 0, 0, 0, 1, 0, 0, 0, 2, 0x50, 0x10]);
        let header = !sum(&packet[..20], 0);
        packet[10..12].copy_from_slice(&header.to_be_bytes());
        let segment = !sum(&packet[12..], 6 + 30);
        packet[36..38].copy_from_slice(&segment.to_be_bytes());
        packet
    }

    fn sum(bytes: &[u8], first: u32) -> u16 {
        let words = bytes.chunks(2).map(|word| u32::from(word[0]) << 8 | u32::from(word[1]));
        let sum = words.sum::<u32>() + first;
        ((sum & 0xffff) + (sum >> 16)) as u16
    }

    #[test]
    fn checksums_stay_right() {
        let mut packet = packet();
        let view = View::of(&packet).expect("a segment");
        assert_eq!((view.payload, view.seq, view.ack, view.is_plain_ack()), (10, 1, 2, true));
        view.set_push(&mut packet, true);
        assert_eq!((packet[33], sum(&packet[12..], 6 + 30)), (0x18, 0xffff));
        View::of(&packet).expect("a segment").set_push(&mut packet, false);
        assert_eq!((packet[33], sum(&packet[12..], 6 + 30)), (0x10, 0xffff));
        allow_fragments(&mut packet);
        assert_eq!((packet[6], sum(&packet[..20], 0)), (0, 0xffff));
    }
}

//! Where things are in the bytes of a packet of TCP.

use ackclock::wire::complete_checksum;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

pub(super) const NO_OPERATION: u8 = 1;
/// Flags (RFC 9293 section 3.1).
pub(super) const FIN: u8 = 0x01;
pub(super) const SYN: u8 = 0x02;
pub(super) const RST: u8 = 0x04;
pub(super) const PSH: u8 = 0x08;
pub(super) const ACK: u8 = 0x10;

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
#[derive(Clone, Copy)]
pub(super) struct Layout {
    /// Where the TCP header begins.
    pub(super) tcp: usize,
}

impl Layout {
    pub(super) fn of(packet: &[u8]) -> Option<Layout> {
        let (tcp, protocol) = match packet.first()? >> 4 {
            4 => (usize::from(packet[0] & 15) * 4, packet.get(9)?),
            _ => (40, packet.get(6)?),
        };
        (i32::from(*protocol) == libc::IPPROTO_TCP).then_some(Layout { tcp })
    }

    pub(super) fn of_syn(packet: &[u8]) -> Option<Layout> {
        let layout = Self::of(packet)?;
        (layout.flags(packet)? & SYN != 0).then_some(layout)
    }

    pub(super) fn flags(&self, packet: &[u8]) -> Option<u8> {
        packet.get(self.tcp + 13).copied()
    }

    /// Length of the TCP header in bytes.
    pub(super) fn header(&self, packet: &[u8]) -> Option<usize> {
        Some(usize::from(packet.get(self.tcp + 12)? >> 4) * 4)
    }

    /// Source and destination.
    pub(super) fn ends(&self, packet: &[u8]) -> Option<[SocketAddr; 2]> {
        let is_v4 = packet.first()? >> 4 == 4;
        let end = |side: usize| {
            let address: IpAddr = if is_v4 {
                (*packet.get(12 + side * 4..)?.first_chunk::<4>()?).into()
            } else {
                Ipv6Addr::from(*packet.get(8 + side * 16..)?.first_chunk::<16>()?).into()
            };
            let port = u16::from_be_bytes(*packet.get(self.tcp + side * 2..)?.first_chunk()?);
            Some(SocketAddr::new(address, port))
        };
        Some([end(0)?, end(1)?])
    }

    pub(super) fn options<'p>(&self, packet: &'p [u8]) -> Option<&'p [u8]> {
        packet.get(self.tcp + 20..self.tcp + self.header(packet)?)
    }
}

/// Tells in a packet how long it is now, and computes its checksum of TCP anew.
pub(super) fn complete(packet: &mut [u8]) {
    let (at, length) = if packet[0] >> 4 == 4 { (2, packet.len()) } else { (4, packet.len() - 40) };
    let before = u16::from_be_bytes([packet[at], packet[at + 1]]);
    packet[at..at + 2].copy_from_slice(&(length as u16).to_be_bytes());
    if at == 2 {
        mend_checksum(packet, 10, before, length as u16);
    }
    complete_checksum(packet);
}

/// Puts a checksum right of which a word has changed (RFC 1624 equation 3).
pub(super) fn mend_checksum(packet: &mut [u8], place: usize, before: u16, after: u16) {
    let sum = !u16::from_be_bytes([packet[place], packet[place + 1]]);
    let sum = u32::from(sum) + u32::from(!before) + u32::from(after);
    let sum = (sum & 0xffff) + (sum >> 16);
    let sum = !((sum & 0xffff) + (sum >> 16)) as u16;
    packet[place..place + 2].copy_from_slice(&sum.to_be_bytes());
}

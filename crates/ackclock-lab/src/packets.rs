//! TCP segments out of the packets that an observer sees.

use ackclock::wire::{Checksums, Protocol, Segment, parse_packet};
use ackclock_emulator::PacketOnLink;

/// The TCP segment in a packet; `None` if it carries something else.
pub(crate) fn segment<'a>(packet: &PacketOnLink<'a>) -> Option<Segment<'a>> {
    let unverified = Checksums { ip: false, transport: false };
    match parse_packet(packet.bytes, unverified).ok()?.protocol {
        Protocol::Tcp(segment) => Some(segment),
        _ => None,
    }
}

//! An observer of a connection's packets that can sign and verify them.

use super::{AoAlgorithm, AoSigner};
use crate::seq::SeqNumber;
use crate::wire::{AoContext, Checksums, Flags, Protocol, parse_packet};
use core::net::SocketAddr;

/// An observer of the packets of one connection from its SYNs on. It learns the initial sequence numbers that
/// traffic keys are derived from (RFC 5925 section 5.2); for a tool that acts as one of the ends, or
/// monitors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AoWitness {
    /// The two ends and their initial sequence numbers.
    isns: [Option<(SocketAddr, SeqNumber)>; 2],
}

impl AoWitness {
    /// Notes a packet from one end to the other. A SYN gives its sender's initial sequence number; a SYN
    /// between other ends begins a new connection, which replaces the old one.
    pub fn see(&mut self, packet: &[u8]) {
        let Some((source, destination, seq, flags)) = facts(packet) else {
            return;
        };
        if flags.contains(Flags::SYN) {
            let mut others = self.isns.iter().flatten();
            let other = others.find(|(end, _)| *end == destination).copied();
            self.isns = [Some((source, seq)), other];
        }
    }

    fn isn(&self, of: SocketAddr) -> SeqNumber {
        let isn = self.isns.iter().flatten().find(|(end, _)| *end == of);
        isn.map_or(SeqNumber(0), |(_, isn)| *isn)
    }

    /// The parameters to sign a packet of the connection with a master key. An initial sequence number not
    /// seen in a SYN is taken as 0, and the sequence number extension is correct for the first 2 GiB. `None`
    /// if it is no TCP segment.
    pub fn signer(
        &self,
        packet: &[u8],
        algorithm: AoAlgorithm,
        covers_options: bool,
        master_key: &[u8],
    ) -> Option<AoSigner> {
        let (source, destination, seq, flags) = facts(packet)?;
        let is_syn = flags.contains(Flags::SYN);
        let knows_both = !is_syn || flags.contains(Flags::ACK);
        let context = AoContext {
            source,
            destination,
            source_isn: if is_syn { seq } else { self.isn(source) },
            destination_isn: if knows_both { self.isn(destination) } else { SeqNumber(0) },
        };
        let from = context.source_isn;
        let extended = u64::from(from.0).wrapping_add_signed(seq.distance(from).into());
        Some(AoSigner {
            algorithm,
            traffic_key: algorithm.traffic_key(master_key, &context),
            sne: (extended >> 32) as u32,
            covers_options,
        })
    }
}

/// Both ends, sequence number and flags of the TCP segment in an IP packet.
fn facts(packet: &[u8]) -> Option<(SocketAddr, SocketAddr, SeqNumber, Flags)> {
    let nothing = Checksums { ip: false, transport: false };
    let Protocol::Tcp(segment) = parse_packet(packet, nothing).ok()?.protocol else {
        return None;
    };
    let (ip, header) = (segment.ip, segment.header);
    let source = SocketAddr::new(ip.source.into(), header.source_port);
    let destination = SocketAddr::new(ip.destination.into(), header.destination_port);
    Some((source, destination, header.seq, header.flags))
}

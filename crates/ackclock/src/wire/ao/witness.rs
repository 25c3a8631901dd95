//! Whoever sees the packets of a connection.

use super::{AoAlgorithm, AoSigner};
use crate::seq::SeqNumber;
use crate::wire::{AoContext, Checksums, Flags, Protocol, parse_packet};
use core::net::SocketAddr;

/// Whoever sees the packets of one connection from its SYNs on, and so knows the numbers that its keys are made of
/// (RFC 5925 section 5.2): a tool that plays one of its ends, or looks on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AoWitness {
    /// Ends and their initial numbers.
    isns: [Option<(SocketAddr, SeqNumber)>; 2],
}

impl AoWitness {
    /// A packet goes from one end to the other. A SYN tells its sender's initial number; one of other ends begins
    /// another connection, in place of the one before.
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

    /// What signs a packet of the connection by a master key. Of a number that no SYN has told 0 is taken, and the
    /// sequence number's extension is right for 2 GiB. `None`: it is no TCP segment.
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

/// Both ends of a TCP segment in an IP packet, its number and its flags.
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

//! A liar: what a host's segments are made into before they leave.

use crate::case::Lie;
use ackclock::seq::{SeqNumber, SeqRange};
use ackclock::wire::{
    Checksums, Flags, Header, MAX_HEADER, Protocol, SackBlocks, WriteChecksum, parse_packet,
    write_packet_header,
};
use std::collections::BTreeMap;

/// Bytes that SACK lies name beyond what is acknowledged.
const FAR: u32 = 3_000;

/// A host that lies to its peers.
#[derive(Debug)]
pub(crate) struct Liar {
    lie: Lie,
    /// By the ports of the two ends.
    connections: BTreeMap<[u16; 2], Told>,
}

/// What was told on a connection.
#[derive(Debug, Default)]
struct Told {
    segments: u32,
    last_ack: Option<SeqNumber>,
    first_time: Option<u32>,
}

impl Liar {
    pub(crate) fn new(lie: Lie) -> Self {
        Liar { lie, connections: BTreeMap::new() }
    }

    /// Gives `send` what becomes of a packet.
    pub(crate) fn tell(&mut self, packet: &[u8], send: &mut dyn FnMut(&[u8])) {
        let Ok(parsed) = parse_packet(packet, Checksums::default()) else { return send(packet) };
        let Protocol::Tcp(segment) = parsed.protocol else { return send(packet) };
        let mut header = segment.header;
        let ports = [header.source_port, header.destination_port];
        let told = self.connections.entry(ports).or_default();
        let is_open = header.flags.contains(Flags::ACK)
            && !header.flags.contains(Flags::SYN)
            && !header.flags.contains(Flags::RST);
        if !is_open {
            // The first SYN acknowledges nothing.
            told.last_ack = header.flags.contains(Flags::ACK).then_some(header.ack);
            return send(packet);
        }
        told.segments += 1;
        let before = told.last_ack.replace(header.ack).unwrap_or(header.ack);
        let mut write = |header: &Header| {
            let mut bytes = [0; MAX_HEADER];
            let complete = WriteChecksum::Complete;
            let length = write_packet_header(
                &mut bytes,
                &parsed.ip,
                header,
                [segment.payload, &[]],
                complete,
            );
            send(&[&bytes[..length], segment.payload].concat());
        };
        match self.lie {
            Lie::Split(pieces) => {
                let advance = header.ack.since(before).min(1 << 30);
                for piece in 1..pieces {
                    let part = (u64::from(advance) * u64::from(piece) / u64::from(pieces)) as u32;
                    if part > 0 {
                        write(&Header { ack: before + part, ..header });
                    }
                }
            }
            Lie::Repeat(times) => (0..times).for_each(|_| write(&header)),
            // A full segment has no room for more options.
            Lie::Sack | Lie::DSack if !segment.payload.is_empty() => {}
            lie => told.change(lie, &mut header),
        }
        write(&header);
    }
}

impl Told {
    /// Changes a header by the lie.
    fn change(&mut self, lie: Lie, header: &mut Header) {
        match lie {
            Lie::Optimistic(bytes) => header.ack += bytes,
            Lie::Sack => header.options.sack = block(header.ack + FAR),
            Lie::DSack => header.options.sack = block(header.ack - FAR),
            Lie::Shrink if self.segments.is_multiple_of(2) => header.window /= 2,
            Lie::Close if self.segments % 16 < 4 => header.window = 0,
            Lie::Echo => {
                if let Some(timestamps) = &mut header.options.timestamps {
                    timestamps.echo = timestamps.echo.wrapping_sub(self.segments % 1_000);
                }
            }
            Lie::Stale => {
                if let Some(timestamps) = &mut header.options.timestamps {
                    timestamps.value = *self.first_time.get_or_insert(timestamps.value);
                }
            }
            _ => {}
        }
    }
}

/// One SACK block.
fn block(start: SeqNumber) -> SackBlocks {
    let mut blocks = SackBlocks::EMPTY;
    blocks.push(SeqRange::from_len(start, FAR));
    blocks
}

//! The observer of a run: what the network did to each flow, and digests of all that happened.

use super::facts::{Facts, LossCount};
use crate::host::ledger::SharedLedger;
use crate::oracles::liveness::Liveness;
use ackclock::time::Instant;
use ackclock_emulator::{DropReason, Event, NodeId, Observer, PacketOnLink, Wants};

/// The port of the first flow's server; those of the others follow.
pub(crate) const FIRST_PORT: u16 = 7_000;

/// An odd number whose bits look random (2^64 divided by the golden ratio).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// What the network did.
pub(crate) struct Watch {
    /// Of everything that happened, bytes included.
    pub(crate) digest: Digest,
    /// Of what hosts sent and when, without sequence numbers, ports and timestamps.
    pub(crate) shape: Digest,
    pub(crate) facts: Facts,
    pub(crate) liveness: Liveness,
    ledger: SharedLedger,
    ports: Vec<u16>,
    wants_packets: bool,
}

/// A digest of numbers in their order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Digest(pub(crate) u64);

impl Digest {
    pub(crate) fn add(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(SPREAD).rotate_left(29);
    }
}

/// The fields of a TCP segment that matter here.
struct Fields {
    ports: [u16; 2],
    flags: u8,
    window: u16,
    payload: usize,
}

/// Reads what matters of a TCP segment; `None` for fragments and other protocols.
fn fields(packet: &[u8]) -> Option<Fields> {
    let tcp = match packet.first()? >> 4 {
        4 => {
            let header = usize::from(packet[0] & 0xf) * 4;
            let is_fragment = *packet.get(6)? & 0x3f != 0 || *packet.get(7)? != 0;
            if *packet.get(9)? != 6 || is_fragment {
                return None;
            }
            packet.get(header..)?
        }
        _ => {
            if *packet.get(6)? != 6 {
                return None;
            }
            packet.get(40..)?
        }
    };
    let fixed = tcp.first_chunk::<20>()?;
    let word = |at: usize| u16::from_be_bytes([fixed[at], fixed[at + 1]]);
    Some(Fields {
        ports: [word(0), word(2)],
        flags: fixed[13],
        window: word(14),
        payload: tcp.len().saturating_sub(usize::from(fixed[12] >> 4) * 4),
    })
}

impl Watch {
    pub(crate) fn new(
        facts: Facts,
        liveness: Liveness,
        ledger: SharedLedger,
        ports: Vec<u16>,
        wants_packets: bool,
    ) -> Self {
        Watch {
            digest: Digest::default(),
            shape: Digest::default(),
            facts,
            liveness,
            ledger,
            ports,
            wants_packets,
        }
    }

    /// The flow of a segment, and whether it comes from the client.
    fn flow(&self, fields: &Fields) -> Option<(usize, bool)> {
        let [from, to] = fields.ports;
        let find = |port: u16| {
            let guess = usize::from(port.wrapping_sub(FIRST_PORT));
            if self.ports.get(guess) == Some(&port) {
                return Some(guess);
            }
            self.ports.iter().position(|each| *each == port)
        };
        find(to).map(|flow| (flow, true)).or_else(|| find(from).map(|flow| (flow, false)))
    }

    fn digest(&mut self, now: Instant, kind: u64, packet: &PacketOnLink<'_>) {
        self.digest.add(now.as_nanos() ^ kind << 60);
        self.digest.add(packet.number << 16 ^ packet.bytes.len() as u64);
        let (words, _) = packet.bytes[..packet.bytes.len().min(80)].as_chunks::<8>();
        for word in words {
            self.digest.add(u64::from_le_bytes(*word));
        }
    }

    fn on_sent(&mut self, now: Instant, packet: &PacketOnLink<'_>) {
        self.digest(now, 1, packet);
        let NodeId::Host(_) = packet.from else { return };
        self.facts.segments += 1;
        self.shape.add(now.as_nanos());
        let Some(fields) = fields(packet.bytes) else {
            self.shape.add(packet.bytes.len() as u64);
            return;
        };
        self.shape.add(
            u64::from(fields.flags) << 48
                | u64::from(fields.window) << 32
                | packet.bytes.len() as u64,
        );
        if let Some((flow, by_client)) = self.flow(&fields) {
            let side = usize::from(!by_client);
            let sent = &mut self.facts.flows[flow].sent[side];
            sent.segments += 1;
            sent.payload += fields.payload as u64;
            sent.data_segments += u64::from(fields.payload > 0);
            self.look(now, flow);
        }
    }

    /// A packet will not arrive, or not as it was sent.
    fn on_lost(&mut self, now: Instant, packet: &PacketOnLink<'_>, count: LossCount) {
        let flow = fields(packet.bytes).and_then(|fields| self.flow(&fields));
        match flow {
            Some((flow, by_client)) => {
                self.facts.flows[flow].lose(count, usize::from(!by_client));
                match count {
                    LossCount::TooBig => self.liveness.on_too_long(now, flow),
                    _ => self.liveness.on_lost(now, flow),
                }
            }
            None => (0..self.facts.flows.len()).for_each(|flow| self.liveness.on_lost(now, flow)),
        }
    }

    /// Looks whether a flow has gone on.
    fn look(&mut self, now: Instant, flow: usize) {
        let ledger = self.ledger.borrow();
        let notes = &ledger.flows[flow];
        self.liveness.look(now, flow, notes);
    }
}

impl Observer for Watch {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        match event {
            Event::Sent(packet) => self.on_sent(now, packet),
            Event::Delivered(packet) => {
                self.digest(now, 2, packet);
                if let NodeId::Host(_) = packet.to
                    && let Some((flow, _)) =
                        fields(packet.bytes).and_then(|fields| self.flow(&fields))
                {
                    self.facts.flows[flow].delivered += 1;
                    self.look(now, flow);
                }
            }
            Event::Dropped(packet, reason) => {
                self.digest(now, 3, packet);
                let count = match reason {
                    DropReason::TooBig => LossCount::TooBig,
                    DropReason::Loss | DropReason::Outage => LossCount::Random,
                    _ => LossCount::Queue,
                };
                self.on_lost(now, packet, count);
            }
            Event::Corrupted(packet) => self.on_lost(now, packet, LossCount::Random),
            _ => {}
        }
    }

    fn wants(&self) -> Wants {
        Wants { packets: self.wants_packets, ..Wants::NOTHING }
    }
}

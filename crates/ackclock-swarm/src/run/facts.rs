//! Facts about a run that the network knows, whatever the stacks believe.

/// What the network carried and lost.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Of each flow.
    pub flows: Vec<FlowFacts>,
    /// Packets that hosts sent.
    pub segments: u64,
    /// Packets that were duplicated or held back.
    pub disturbed: u64,
}

/// What the network carried and lost of a flow; in arrays what the client sends comes first.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlowFacts {
    /// What each host sent.
    pub sent: [Sent; 2],
    /// Packets that reached the other host, duplicates included.
    pub delivered: u64,
    /// Packets lost by chance, by outages or by corruption.
    pub lost: [u64; 2],
    /// Packets dropped by queues.
    pub dropped: [u64; 2],
    /// Packets that were too long for a link.
    pub too_big: [u64; 2],
}

/// What a host sent of a flow.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sent {
    /// Packets.
    pub segments: u64,
    /// Packets with payload.
    pub data_segments: u64,
    /// Bytes of payload.
    pub payload: u64,
}

/// Why a packet did not arrive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LossCount {
    Random,
    Queue,
    TooBig,
}

impl FlowFacts {
    pub(crate) fn lose(&mut self, count: LossCount, side: usize) {
        match count {
            LossCount::Random => self.lost[side] += 1,
            LossCount::Queue => self.dropped[side] += 1,
            LossCount::TooBig => self.too_big[side] += 1,
        }
    }

    /// All packets that did not arrive.
    pub fn all_lost(&self) -> u64 {
        [self.lost, self.dropped, self.too_big].as_flattened().iter().sum()
    }
}

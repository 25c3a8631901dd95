//! The memory of one connection.

use ackclock::profile::Profile;
use ackclock::seq::{SeqNumber, SeqRange};
use ackclock::storage::Buffer;
use ackclock::tcp::{Buffers, FlightRecord};

/// What is lent to one connection with the profile `P`: `BYTES` for each queue, records of `FLIGHT`
/// transmissions and of `RANGES` ranges of data out of order.
#[derive(Debug)]
pub struct Queues<P: Profile, const BYTES: usize, const FLIGHT: usize, const RANGES: usize> {
    send: [u8; BYTES],
    receive: [u8; BYTES],
    flight: [FlightRecord<P>; FLIGHT],
    reassembly: [SeqRange; RANGES],
}

impl<P: Profile, const BYTES: usize, const FLIGHT: usize, const RANGES: usize>
    Queues<P, BYTES, FLIGHT, RANGES>
{
    /// With nothing in them.
    pub const EMPTY: Self = Queues {
        send: [0; BYTES],
        receive: [0; BYTES],
        flight: [FlightRecord::EMPTY; FLIGHT],
        reassembly: [SeqRange::new(SeqNumber(0), SeqNumber(0)); RANGES],
    };
}

/// Lends them.
impl<'a, P: Profile, const BYTES: usize, const FLIGHT: usize, const RANGES: usize>
    From<&'a mut Queues<P, BYTES, FLIGHT, RANGES>> for Buffers<'a, P>
{
    fn from(queues: &'a mut Queues<P, BYTES, FLIGHT, RANGES>) -> Self {
        let mut buffers = Buffers::default();
        buffers.send = Buffer::lent(&mut queues.send);
        buffers.receive = Buffer::lent(&mut queues.receive);
        buffers.flight = Buffer::lent(&mut queues.flight);
        buffers.reassembly = Buffer::lent(&mut queues.reassembly);
        buffers
    }
}

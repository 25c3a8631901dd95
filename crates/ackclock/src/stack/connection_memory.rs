//! The memory of one connection as one value.

use crate::profile::Profile;
use crate::seq::{SeqNumber, SeqRange};
use crate::storage::Buffer;
use crate::tcp::{Buffers, FlightRecord};

/// Memory for one connection that needs no heap: `BYTES` for what is to be sent and as many for what was
/// received, records of `FLIGHT` transmissions, and `RANGES` ranges of data out of order.
///
/// It is lent to a stack with the [`StackMemory`](super::StackMemory), where [`Buffers`] may stand that
/// were put together one by one. There is none for delivery rates ([`Buffers::delivery`]).
///
/// ```
/// use ackclock::congestion::Reno;
/// use ackclock::profile::Full;
/// use ackclock::stack::{Capabilities, ConnectionMemory, Stack, StackConfig, StackMemory};
///
/// let mut connections = [const { ConnectionMemory::<Full, 2048, 8, 4>::new() }; 2];
/// let mut memory = StackMemory::<Reno, Full, 2, 2, 2, 1>::new();
/// let storage = memory.storage(connections.each_mut());
/// let config = StackConfig::new(Capabilities::with_mtu(1500), [1, 2]);
/// let stack = Stack::new(config, Reno::default(), storage)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ConnectionMemory<
    P: Profile,
    const BYTES: usize,
    const FLIGHT: usize,
    const RANGES: usize,
> {
    send: [u8; BYTES],
    receive: [u8; BYTES],
    flight: [FlightRecord<P>; FLIGHT],
    reassembly: [SeqRange; RANGES],
}

impl<P: Profile, const BYTES: usize, const FLIGHT: usize, const RANGES: usize>
    ConnectionMemory<P, BYTES, FLIGHT, RANGES>
{
    /// Memory with nothing in it: all zeros, so that as a static it takes no place in an image.
    pub const fn new() -> Self {
        ConnectionMemory {
            send: [0; BYTES],
            receive: [0; BYTES],
            flight: [FlightRecord::EMPTY; FLIGHT],
            reassembly: [SeqRange::new(SeqNumber(0), SeqNumber(0)); RANGES],
        }
    }
}

impl<P: Profile, const BYTES: usize, const FLIGHT: usize, const RANGES: usize> Default
    for ConnectionMemory<P, BYTES, FLIGHT, RANGES>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<'a, P: Profile, const BYTES: usize, const FLIGHT: usize, const RANGES: usize>
    From<&'a mut ConnectionMemory<P, BYTES, FLIGHT, RANGES>> for Buffers<'a, P>
{
    fn from(memory: &'a mut ConnectionMemory<P, BYTES, FLIGHT, RANGES>) -> Self {
        Buffers {
            send: Buffer::lent(&mut memory.send),
            receive: Buffer::lent(&mut memory.receive),
            flight: Buffer::lent(&mut memory.flight),
            delivery: Buffer::default(),
            reassembly: Buffer::lent(&mut memory.reassembly),
        }
    }
}

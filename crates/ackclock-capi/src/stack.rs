//! A stack in lent memory.

use crate::memory::Arena;
use crate::{ACKCLOCK_CONNECTIONS, ACKCLOCK_HALF_OPEN, ACKCLOCK_LISTENERS, ACKCLOCK_TIME_WAIT};
use ackclock::congestion::Reno;
use ackclock::link::ethernet::Ethernet;
use ackclock::seq::{SeqNumber, SeqRange};
use ackclock::stack::{Capabilities, Cidr, Stack, StackConfig, StackMemory};
use ackclock::storage::Buffer;
use ackclock::tcp::{Buffers, FlightRecord};
use ackclock::wire::EthernetAddress;
use core::ffi::c_void;
use core::mem::{MaybeUninit, align_of, size_of};

/// Neighbours that are remembered.
const NEIGHBOURS: usize = 8;
/// Transmissions that may be in flight on a connection, and ranges of data out of order.
const FLIGHT: usize = 8;
const RANGES: usize = 4;
/// Least bytes of each of a connection's two queues.
const LEAST_QUEUE: usize = 512;

type Memory = StackMemory<
    'static,
    Reno,
    ACKCLOCK_CONNECTIONS,
    ACKCLOCK_HALF_OPEN,
    ACKCLOCK_TIME_WAIT,
    ACKCLOCK_LISTENERS,
>;
type Records = ([FlightRecord; FLIGHT], [SeqRange; RANGES]);

/// A stack. It lies in the memory that `ackclock_init` was given.
#[allow(non_camel_case_types)]
pub struct ackclock_stack {
    pub(crate) stack: Stack<'static, Reno>,
    pub(crate) ethernet: Ethernet<NEIGHBOURS, 1>,
}

/// Where the stack is in the network.
#[repr(C)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub struct ackclock_config {
    /// 128 random bits that nobody knows. Everything that must not be guessed follows from them.
    pub secret: [u64; 2],
    /// Hardware address of the interface.
    pub hardware_address: [u8; 6],
    /// IPv4 address.
    pub address: [u8; 4],
    /// Length of its network's prefix in bits, 0 to 32.
    pub prefix: u8,
    /// Router for all other networks; all zero: there is none.
    pub gateway: [u8; 4],
    /// Largest IP packet in bytes, 68 to 1500.
    pub mtu: u16,
}

/// Bytes of memory that `ackclock_init` needs at least. What it gets more becomes longer queues.
#[unsafe(no_mangle)]
pub extern "C" fn ackclock_memory_needed() -> usize {
    // Each piece may leave a gap before it.
    let piece = |size: usize, align: usize| size + align;
    piece(size_of::<ackclock_stack>(), align_of::<ackclock_stack>())
        + piece(size_of::<Memory>(), align_of::<Memory>())
        + ACKCLOCK_CONNECTIONS
            * (piece(size_of::<Records>(), align_of::<Records>()) + 2 * LEAST_QUEUE)
}

/// Makes a stack in `memory`, which is the stack's from now on. Returns NULL if the memory is too
/// short (`ackclock_memory_needed`) or a setting cannot be used.
///
/// # Safety
/// `memory` points to `size` bytes that nobody else uses any more, `config` to a configuration.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_init(
    memory: *mut c_void,
    size: usize,
    config: *const ackclock_config,
) -> *mut ackclock_stack {
    if memory.is_null() || size < ackclock_memory_needed() {
        return core::ptr::null_mut();
    }
    // SAFETY: so the caller promises.
    let lent = unsafe { core::slice::from_raw_parts_mut(memory.cast::<MaybeUninit<u8>>(), size) };
    // SAFETY: likewise; it may be NULL.
    let config = unsafe { config.as_ref() };
    let stack = config.and_then(|config| init(Arena::new(lent), config));
    stack.map_or(core::ptr::null_mut(), |stack| stack)
}

fn init(mut arena: Arena, config: &ackclock_config) -> Option<&'static mut ackclock_stack> {
    let memory = arena.place(Memory::new())?;
    let mut records = [const { None }; ACKCLOCK_CONNECTIONS];
    for place in &mut records {
        let empty = SeqRange::new(SeqNumber(0), SeqNumber(0));
        *place = arena.place::<Records>(([FlightRecord::EMPTY; FLIGHT], [empty; RANGES]));
    }
    let reserved = size_of::<ackclock_stack>() + align_of::<ackclock_stack>();
    let queue = arena.len().checked_sub(reserved)? / (2 * ACKCLOCK_CONNECTIONS);
    let buffers = records.map(|place| {
        let mut buffers = Buffers::default();
        if let (Some((flight, ranges)), Some(send), Some(receive)) =
            (place, arena.bytes(queue), arena.bytes(queue))
        {
            buffers.flight = Buffer::lent(flight);
            buffers.reassembly = Buffer::lent(ranges);
            buffers.send = Buffer::lent(send);
            buffers.receive = Buffer::lent(receive);
        }
        buffers
    });
    let link = Capabilities::with_mtu(config.mtu.min(1500).into());
    let settings = StackConfig::new(link, config.secret);
    let mut stack = Stack::new(settings, Reno::default(), memory.storage(buffers)).ok()?;
    let address = Cidr { address: config.address.into(), prefix: config.prefix };
    stack.add_address(address).ok()?;
    let mut ethernet = Ethernet::new(EthernetAddress(config.hardware_address));
    if config.gateway != [0; 4] {
        ethernet.set_gateway(config.gateway.into()).ok()?;
    }
    arena.place(ackclock_stack { stack, ethernet })
}

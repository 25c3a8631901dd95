//! A stack in lent memory.

use crate::memory::Arena;
use crate::{ACKCLOCK_CONNECTIONS, ACKCLOCK_HALF_OPEN, ACKCLOCK_LISTENERS, ACKCLOCK_TIME_WAIT};
use ackclock::congestion::{Growth, Reno};
use ackclock::link::ethernet::Ethernet;
use ackclock::profile::Internet;
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
    Internet,
    ACKCLOCK_CONNECTIONS,
    ACKCLOCK_HALF_OPEN,
    ACKCLOCK_TIME_WAIT,
    ACKCLOCK_LISTENERS,
>;

/// The congestion control algorithm of all connections.
const RENO: Reno = Reno::new(Growth::ByteCounting { limit: 2 });

/// A stack. It lies in the memory that `ackclock_init` was given.
#[allow(non_camel_case_types)]
pub struct ackclock_stack {
    pub(crate) stack: Stack<'static, Reno, Internet>,
    pub(crate) ethernet: Ethernet<NEIGHBOURS, 1>,
}

/// Where the stack is in the network.
#[repr(C)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub struct ackclock_config {
    /// 128 secret random bits. All values that must not be guessed are derived from them.
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

/// Minimum bytes of memory for `ackclock_init`. More memory makes longer queues.
#[unsafe(no_mangle)]
pub extern "C" fn ackclock_memory_needed() -> usize {
    // Each piece may leave a gap before it.
    let piece = |size: usize, align: usize| size + align;
    piece(size_of::<ackclock_stack>(), align_of::<ackclock_stack>())
        + piece(size_of::<Memory>(), align_of::<Memory>())
        + ACKCLOCK_CONNECTIONS
            * (piece(
                size_of::<[FlightRecord<Internet>; FLIGHT]>(),
                align_of::<FlightRecord<Internet>>(),
            ) + piece(size_of::<[SeqRange; RANGES]>(), align_of::<SeqRange>())
                + 2 * LEAST_QUEUE)
}

/// Makes a stack in `memory`, which is the stack's from now on. Returns NULL if the memory is too
/// short (`ackclock_memory_needed`) or a setting cannot be used.
///
/// # Safety
/// `memory` points to `size` bytes that are not used otherwise, `config` to a configuration.
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
    let link = Capabilities::with_mtu(config.mtu.min(1500).into());
    let settings = StackConfig::new(link, config.secret);
    let address = EthernetAddress(config.hardware_address);
    let it = arena.place(ackclock_stack {
        stack: Stack::empty(settings, RENO),
        ethernet: Ethernet::new(address),
    })?;
    let memory = arena.place(const { Memory::new() })?;
    let mut buffers = [const { None }; ACKCLOCK_CONNECTIONS];
    for place in &mut buffers {
        *place = Some(records(&mut arena)?);
    }
    let queue = arena.len() / (2 * ACKCLOCK_CONNECTIONS);
    let buffers = buffers.map(|place| {
        let mut buffers = place.unwrap_or_default();
        if let (Some(send), Some(receive)) = (arena.bytes(queue), arena.bytes(queue)) {
            buffers.send = Buffer::lent(send);
            buffers.receive = Buffer::lent(receive);
        }
        buffers
    });
    it.stack.lend(memory.storage(buffers)).ok()?;
    it.stack.add_address(Cidr { address: config.address.into(), prefix: config.prefix }).ok()?;
    if config.gateway != [0; 4] {
        it.ethernet.set_gateway(config.gateway.into()).ok()?;
    }
    Some(it)
}

/// The records of one connection.
fn records(arena: &mut Arena) -> Option<Buffers<'static, Internet>> {
    const NOTHING: SeqRange = SeqRange::new(SeqNumber(0), SeqNumber(0));
    Some(Buffers {
        flight: Buffer::lent(arena.place([FlightRecord::EMPTY; FLIGHT])?),
        reassembly: Buffer::lent(arena.place([NOTHING; RANGES])?),
        ..Buffers::default()
    })
}

//! Two ends and their applications in one thread and one memory: what is measured is what a stack
//! costs, without a kernel and without a device.

mod floor;
mod ours;
mod packets;
mod smoltcp_ends;

pub use floor::Floor;
pub use ours::{Ours, OursSetup};
pub use packets::Packets;
pub use smoltcp_ends::{Smoltcp, SmoltcpSetup};

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Largest packet in bytes.
pub const MTU: usize = 1500;

/// Bytes that an application writes or reads at once.
pub const CHUNK: usize = 64 * 1024;

/// How applications get at the data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// The stack copies from the application's memory and into it.
    Copy,
    /// The application writes and reads where the data lie; it touches each cache line, as whoever
    /// makes or uses data does.
    InPlace,
}

/// The version of IP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// IPv4.
    V4,
    /// IPv6.
    V6,
}

impl Family {
    /// An address in the network that both ends are in; `host` has 24 bits.
    fn address(self, host: u32) -> IpAddr {
        match self {
            Family::V4 => Ipv4Addr::from_bits(10 << 24 | host).into(),
            Family::V6 => Ipv6Addr::from_bits(0xfd << 120 | u128::from(host)).into(),
        }
    }

    /// The length of that network's prefix.
    fn prefix(self) -> u8 {
        match self {
            Family::V4 => 8,
            Family::V6 => 64,
        }
    }
}

/// Writes something to each cache line.
pub fn make(bytes: &mut [u8]) {
    bytes.iter_mut().step_by(64).for_each(|byte| *byte = byte.wrapping_add(1));
}

/// Reads each cache line.
fn use_up(bytes: &[u8]) {
    std::hint::black_box(bytes.iter().step_by(64).fold(0, |sum: u8, byte| sum.wrapping_add(*byte)));
}

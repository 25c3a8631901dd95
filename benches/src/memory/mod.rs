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

/// Writes something to each cache line.
pub fn make(bytes: &mut [u8]) {
    bytes.iter_mut().step_by(64).for_each(|byte| *byte = byte.wrapping_add(1));
}

/// Reads each cache line.
fn use_up(bytes: &[u8]) {
    std::hint::black_box(bytes.iter().step_by(64).fold(0, |sum: u8, byte| sum.wrapping_add(*byte)));
}

//! Hardware of the images: a clock, a console, an Ethernet device, and sleep.
//!
//! The machines are those of QEMU that have one: `mps2-an385`, `-an386` and (with the feature
//! `an500`) `-an500` with a LAN9118 controller, and riscv32's `virt` with a virtio one.
#![no_std]

pub mod console;
#[cfg(target_arch = "arm")]
mod lan9118;
#[cfg(target_arch = "arm")]
mod mps2;
mod once;
#[cfg(feature = "tasks")]
pub mod tasks;
#[cfg(target_arch = "riscv32")]
mod virt;
#[cfg(target_arch = "riscv32")]
mod virtio;

#[cfg(target_arch = "arm")]
pub use cortex_m_rt::entry;
#[cfg(target_arch = "arm")]
pub use lan9118::Lan9118 as Ethernet;
#[cfg(target_arch = "arm")]
pub use mps2::Board;
pub use once::Once;
#[cfg(target_arch = "riscv32")]
pub use riscv_rt::entry;
#[cfg(target_arch = "riscv32")]
pub use virt::Board;
#[cfg(target_arch = "riscv32")]
pub use virtio::Virtio as Ethernet;

/// Gives an image the symbol `connection_bytes`, whose value is the size of a type: it takes no memory,
/// and the harness reads it.
#[macro_export]
macro_rules! connection {
    ($type:ty) => {
        core::arch::global_asm!(
            ".global connection_bytes",
            ".set connection_bytes, {size}",
            size = const size_of::<$type>(),
        );
    };
}

/// The hardware address of every image.
pub const HARDWARE_ADDRESS: [u8; 6] = [2, 0, 0, 0, 0, 2];

/// The IPv4 address of every image, and the length of its network prefix.
pub const ADDRESS: [u8; 4] = [10, 7, 0, 2];
/// See [`ADDRESS`].
pub const PREFIX: u8 = 24;

/// In how many pieces a frame to send may lie: its headers, and twice payload.
pub const PIECES: usize = 3;

/// Longest frame without its check sequence, in bytes.
pub const LONGEST_FRAME: usize = 1514;

/// Words of a frame buffer.
const FRAME_WORDS: usize = 380;

/// Room for one received frame, in whole words: where they are aligned, copying and summing up what
/// they hold takes fewer steps.
#[derive(Debug)]
#[repr(align(4))]
pub struct FrameBuffer([[u8; 4]; FRAME_WORDS]);

/// A frame buffer with nothing in it.
pub const NO_FRAME: FrameBuffer = FrameBuffer([[0; 4]; FRAME_WORDS]);

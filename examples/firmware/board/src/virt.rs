//! QEMU's machine `virt` with one core: the clock of its core-local interruptor (CLINT), and
//! interrupts of its platform's controller (PLIC).

use crate::virtio::Virtio;
use riscv::register::mie;

/// Ticks of the machine's timer in a microsecond and in a millisecond: it runs at 10 MHz.
const TICKS_PER_MICROSECOND: u64 = 10;
const TICKS_PER_MILLISECOND: u64 = 10_000;
/// When the timer interrupts, and its time; two words each.
const MTIMECMP: usize = 0x0200_4000;
const MTIME: usize = 0x0200_bff8;
/// Priorities of the interrupts, a word each; bits that enable them; the one that is served.
const PLIC_PRIORITY: usize = 0x0c00_0000;
const PLIC_ENABLE: usize = 0x0c00_2000;
const PLIC_CLAIM: usize = 0x0c20_0004;

fn read(address: usize) -> u32 {
    // SAFETY: the machine has that register there, and reading it touches no memory.
    unsafe { core::ptr::read_volatile(address as *const u32) }
}

fn write(address: usize, value: u32) {
    // SAFETY: as for reading.
    unsafe { core::ptr::write_volatile(address as *mut u32, value) }
}

/// The machine.
pub struct Board {
    /// Its Ethernet device.
    pub ethernet: Virtio,
}

impl core::fmt::Debug for Board {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Board")
    }
}

impl Board {
    /// Starts the device. `None` if it was called before, or if there is none.
    pub fn take() -> Option<Self> {
        let (ethernet, interrupt) = Virtio::start()?;
        write(PLIC_PRIORITY + 4 * interrupt, 1);
        write(PLIC_ENABLE, 1 << interrupt);
        // SAFETY: they wake the core only: interrupts as such are off, and stay so.
        unsafe {
            mie::set_mext();
            mie::set_mtimer();
        }
        Some(Board { ethernet })
    }

    /// Microseconds since the start.
    pub fn now(&mut self) -> u64 {
        ticks() / TICKS_PER_MICROSECOND
    }

    /// Sleeps until a frame arrives, at most a millisecond.
    pub fn sleep(&mut self) {
        self.ethernet.clear_interrupts();
        let served = read(PLIC_CLAIM);
        write(PLIC_CLAIM, served);
        let end = ticks() + TICKS_PER_MILLISECOND;
        // In this order no half of it is ever in the past.
        write(MTIMECMP + 4, u32::MAX);
        write(MTIMECMP, end as u32);
        write(MTIMECMP + 4, (end >> 32) as u32);
        if !self.ethernet.has_frame() {
            riscv::asm::wfi();
        }
    }
}

fn ticks() -> u64 {
    loop {
        let (high, low) = (read(MTIME + 4), read(MTIME));
        if high == read(MTIME + 4) {
            return u64::from(high) << 32 | u64::from(low);
        }
    }
}

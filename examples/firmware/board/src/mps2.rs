//! The boards MPS2 with a Cortex-M: interrupts, and a clock.

use crate::console;
use crate::lan9118::Lan9118;
use crate::once::Once;
use cortex_m::peripheral::NVIC;
use cortex_m_rt::{ExceptionFrame, exception};

/// Core clock in Hz.
const CLOCK: u32 = 25_000_000;
/// The tick counts clocks of the core, and interrupts (ARMv7-M section B3.3.3).
const SYSTICK_ON: u32 = 0b111;
/// The counter of the board's FPGA, and the register that says of how many clocks it leaves out all
/// but one.
const COUNTER: *const u32 = 0x4002_8018 as *const u32;
const PRESCALE: *mut u32 = 0x4002_801c as *mut u32;

/// Each millisecond. It only wakes: an emulator that gets no processor for a while leaves some out,
/// so that they are no clock.
#[exception]
fn SysTick() {
    #[cfg(feature = "tasks")]
    crate::tasks::on_tick();
}

/// Such as when the stack is too small.
#[exception]
unsafe fn HardFault(_: &ExceptionFrame) -> ! {
    console::say(c"fault\n");
    console::exit(102)
}

unsafe extern "C" {
    fn DefaultHandler();
}

/// Handlers of the boards' interrupts. None is ever taken: the controller's, the only one that is enabled,
/// only wakes; the linker script requires one handler. Without a table of the board's own there
/// would be one of 240.
// SAFETY: it is the table that cortex-m-rt's feature `device` requires, at the place where it requires it.
#[unsafe(no_mangle)]
#[unsafe(link_section = ".vector_table.interrupts")]
static __INTERRUPTS: [unsafe extern "C" fn(); 1] = [DefaultHandler];

#[derive(Clone, Copy)]
struct EthernetInterrupt;

// SAFETY: the number is the controller's on all of these boards.
unsafe impl cortex_m::interrupt::InterruptNumber for EthernetInterrupt {
    fn number(self) -> u16 {
        13
    }
}

/// The machine.
#[derive(Debug)]
pub struct Board {
    /// Its Ethernet controller.
    pub ethernet: Lan9118,
    /// Microseconds at the last look at the clock, all of them and as the counter has them.
    microseconds: u64,
    counted: u32,
}

impl Board {
    /// Starts the clock and the controller. `None` if it was called before, or if there is no
    /// controller.
    pub fn take() -> Option<Self> {
        static TAKEN: Once<()> = Once::new(());
        TAKEN.take()?;
        // SAFETY: only the first caller gets here.
        let peripherals = unsafe { cortex_m::Peripherals::steal() };
        let mut systick = peripherals.SYST;
        systick.set_reload(CLOCK / 1_000 - 1);
        systick.clear_current();
        // SAFETY: its handler is there.
        unsafe { systick.csr.write(SYSTICK_ON) };
        // SAFETY: the boards have that register there.
        unsafe { PRESCALE.write_volatile(CLOCK / 1_000_000 - 1) };
        let ethernet = Lan9118::start()?;
        Some(Board { ethernet, microseconds: 0, counted: count() })
    }

    /// Microseconds since the start. To be asked at least once an hour.
    pub fn now(&mut self) -> u64 {
        let count = count();
        self.microseconds += u64::from(count.wrapping_sub(self.counted));
        self.counted = count;
        self.microseconds
    }

    /// Sleeps until a frame arrives, at most to the next tick of a millisecond.
    pub fn sleep(&mut self) {
        self.ethernet.clear_interrupts();
        // The core remembers also what the controller does not ask for any more: without this it would
        // never sleep again after the first frame.
        NVIC::unpend(EthernetInterrupt);
        // A pending interrupt wakes the core also while interrupts are off; so none is missed between
        // the look and the sleep, and the controller's needs no handler.
        cortex_m::interrupt::free(|_| {
            if !self.ethernet.has_frame() {
                // SAFETY: the interrupt is enabled with interrupts off, and disabled before they
                // are on again.
                unsafe { NVIC::unmask(EthernetInterrupt) };
                cortex_m::asm::wfi();
                NVIC::mask(EthernetInterrupt);
            }
        });
    }
}

pub(crate) fn count() -> u32 {
    // SAFETY: as for writing; reading changes nothing.
    unsafe { COUNTER.read_volatile() }
}

//! The panic handler that the compiler requires. It is never called, since no code can panic.

#[panic_handler]
fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

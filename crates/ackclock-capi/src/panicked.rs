//! What the compiler wants to be there. Nothing calls it as long as nothing can panic.

#[panic_handler]
fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

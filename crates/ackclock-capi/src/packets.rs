//! Frames in and out, and time.

use crate::ackclock_stack;
use ackclock::stack::Rejected;
use ackclock::time::Instant;

/// Hands over a frame that has arrived, without its check sequence. `now`: microseconds since any
/// fixed moment.
///
/// # Safety
/// `stack` is from `ackclock_init`, `frame` points to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_frame(
    stack: *mut ackclock_stack,
    now: u64,
    frame: *const u8,
    length: usize,
) {
    // SAFETY: so the caller promises.
    let Some(ackclock_stack { stack, ethernet }) = (unsafe { stack.as_mut() }) else { return };
    if frame.is_null() {
        return;
    }
    // SAFETY: likewise.
    let frame = unsafe { core::slice::from_raw_parts(frame, length) };
    ethernet.on_frame(Instant::from_micros(now), stack, frame);
}

/// Lets timers fire and writes the next frame to be sent into `frame`. Returns its length; 0 if there
/// is nothing to send, or if the frame does not fit. To be called, until it returns 0, after frames
/// have arrived, after calls of the application, and when the time of `ackclock_poll_at` has come.
///
/// # Safety
/// `stack` is from `ackclock_init`, `frame` points to `size` bytes that may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_transmit(
    stack: *mut ackclock_stack,
    now: u64,
    frame: *mut u8,
    size: usize,
) -> usize {
    // SAFETY: so the caller promises.
    let Some(ackclock_stack { stack, ethernet }) = (unsafe { stack.as_mut() }) else { return 0 };
    if frame.is_null() {
        return 0;
    }
    // SAFETY: likewise.
    let frame = unsafe { core::slice::from_raw_parts_mut(frame, size) };
    let now = Instant::from_micros(now);
    stack.on_timeout(now);
    let mut length = 0;
    ethernet.transmit(now, stack, &mut |transmit| {
        length = transmit.copy_to(frame).ok_or(Rejected)?;
        Ok(())
    });
    length
}

/// When `ackclock_transmit` is to be called although nothing has happened, in microseconds;
/// `UINT64_MAX`: never.
///
/// # Safety
/// `stack` is from `ackclock_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_poll_at(stack: *const ackclock_stack) -> u64 {
    // SAFETY: so the caller promises.
    let Some(ackclock_stack { stack, ethernet }) = (unsafe { stack.as_ref() }) else {
        return u64::MAX;
    };
    let at = stack.poll_at().min(ethernet.poll_at());
    if at.is_never() { u64::MAX } else { at.as_nanos().div_ceil(1_000) }
}

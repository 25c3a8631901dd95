//! Listeners and connections.

use crate::{
    ACKCLOCK_BAD_HANDLE, ACKCLOCK_CLOSED, ACKCLOCK_END, ACKCLOCK_ESTABLISHED, ACKCLOCK_FINISHED,
    ACKCLOCK_FLUSHED, ACKCLOCK_OVER, ACKCLOCK_READABLE, ACKCLOCK_WRITABLE, ackclock_stack,
};
use ackclock::congestion::Reno;
use ackclock::profile::Internet;
use ackclock::stack::{Handle, ListenConfig, Listener, Stack};
use ackclock::tcp::{Config, Nagle, ReceiveError, SendError};
use ackclock::time::Instant;
use core::net::{Ipv4Addr, SocketAddr};

/// Writes a number to the given place; returns whether there is one.
///
/// # Safety
/// `to` is NULL or may be written.
unsafe fn hand_over(number: Option<u64>, to: *mut u64) -> bool {
    // SAFETY: so the caller promises.
    match (number, unsafe { to.as_mut() }) {
        (Some(number), Some(to)) => {
            *to = number;
            true
        }
        _ => false,
    }
}

/// Does something with a stack.
///
/// # Safety
/// `stack` is NULL or from `ackclock_init`.
unsafe fn with<R>(
    stack: *mut ackclock_stack,
    call: impl FnOnce(&mut Stack<'static, Reno, Internet>) -> R,
) -> Option<R> {
    // SAFETY: so the caller promises.
    unsafe { stack.as_mut() }.map(|it| call(&mut it.stack))
}

/// Listens on a port of all addresses. Returns whether it does; then `*listener` names the listener.
///
/// # Safety
/// `stack` is from `ackclock_init`, `listener` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_listen(
    stack: *mut ackclock_stack,
    port: u16,
    listener: *mut u64,
) -> bool {
    let local = SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), port);
    let mut config = ListenConfig::new(local);
    config.connection = connection();
    // SAFETY: so the caller promises.
    unsafe {
        let made = with(stack, |stack| stack.listen(config).ok()).flatten();
        hand_over(made.map(Listener::to_bits), listener)
    }
}

/// The next connection that a listener has accepted. Returns whether there is one; then `*handle`
/// names it until it is closed.
///
/// # Safety
/// `stack` is from `ackclock_init`, `handle` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_accept(
    stack: *mut ackclock_stack,
    listener: u64,
    handle: *mut u64,
) -> bool {
    let listener = Listener::from_bits(listener);
    // SAFETY: so the caller promises.
    unsafe {
        let accepted = with(stack, |stack| stack.accept(listener)).flatten();
        hand_over(accepted.map(Handle::to_bits), handle)
    }
}

/// Opens a connection. Returns whether it does; then `*handle` names it until it is closed, and its
/// readiness shows when the handshake is finished.
///
/// # Safety
/// `stack` is from `ackclock_init`, `address` points to four bytes, `handle` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_connect(
    stack: *mut ackclock_stack,
    now: u64,
    address: *const u8,
    port: u16,
    handle: *mut u64,
) -> bool {
    // SAFETY: so the caller promises.
    unsafe {
        let Some(address) = address.cast::<[u8; 4]>().as_ref() else { return false };
        let remote = SocketAddr::new((*address).into(), port);
        let now = Instant::from_micros(now);
        let made = with(stack, |stack| stack.connect(now, remote, None, &connection()).ok());
        hand_over(made.flatten().map(Handle::to_bits), handle)
    }
}

/// Reads at most `size` bytes that have arrived. Returns how many were read, 0 if there are none yet,
/// `ACKCLOCK_END` at the end of the peer's data, `ACKCLOCK_OVER` if the connection has ended, or
/// `ACKCLOCK_BAD_HANDLE`.
///
/// # Safety
/// `stack` is from `ackclock_init`, `data` points to `size` bytes that may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_read(
    stack: *mut ackclock_stack,
    now: u64,
    handle: u64,
    data: *mut u8,
    size: usize,
) -> i32 {
    if data.is_null() {
        return 0;
    }
    let now = Instant::from_micros(now);
    // SAFETY: the caller guarantees it; the result can express the length.
    let read = unsafe {
        let to = core::slice::from_raw_parts_mut(data, size.min(i32::MAX as usize));
        with(stack, |stack| stack.receive(now, Handle::from_bits(handle), to))
    };
    match read {
        Some(Ok(count)) => count as i32,
        Some(Err(ReceiveError::WouldBlock)) => 0,
        Some(Err(ReceiveError::Finished)) => ACKCLOCK_END,
        Some(Err(ReceiveError::InvalidHandle)) | None => ACKCLOCK_BAD_HANDLE,
        Some(Err(_)) => ACKCLOCK_OVER,
    }
}

/// Queues what there is room for of `length` bytes. Returns how many, `ACKCLOCK_OVER` if the
/// connection has ended or was shut down, or `ACKCLOCK_BAD_HANDLE`.
///
/// # Safety
/// `stack` is from `ackclock_init`, `data` points to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_write(
    stack: *mut ackclock_stack,
    now: u64,
    handle: u64,
    data: *const u8,
    length: usize,
) -> i32 {
    if data.is_null() {
        return 0;
    }
    let now = Instant::from_micros(now);
    // SAFETY: the caller guarantees it; the result can express the length.
    let written = unsafe {
        let data = core::slice::from_raw_parts(data, length.min(i32::MAX as usize));
        with(stack, |stack| stack.send(now, Handle::from_bits(handle), data))
    };
    match written {
        Some(Ok(count)) => count as i32,
        Some(Err(SendError::InvalidHandle)) | None => ACKCLOCK_BAD_HANDLE,
        Some(Err(_)) => ACKCLOCK_OVER,
    }
}

/// How many bytes `ackclock_write` would take now.
///
/// # Safety
/// `stack` is from `ackclock_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_room(stack: *mut ackclock_stack, handle: u64) -> usize {
    // SAFETY: so the caller promises.
    unsafe { with(stack, |stack| stack.send_room(Handle::from_bits(handle))) }.unwrap_or_default()
}

/// Readiness of a connection: the sum of `ACKCLOCK_ESTABLISHED`, `ACKCLOCK_READABLE` and so on; 0
/// if the handle names none.
///
/// # Safety
/// `stack` is from `ackclock_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_readiness(stack: *mut ackclock_stack, handle: u64) -> u8 {
    // SAFETY: so the caller promises.
    let readiness = unsafe { with(stack, |stack| stack.readiness(Handle::from_bits(handle))) };
    let Some(readiness) = readiness.flatten() else { return 0 };
    [
        (readiness.established, ACKCLOCK_ESTABLISHED),
        (readiness.readable, ACKCLOCK_READABLE),
        (readiness.writable, ACKCLOCK_WRITABLE),
        (readiness.finished, ACKCLOCK_FINISHED),
        (readiness.flushed, ACKCLOCK_FLUSHED),
        (readiness.closed, ACKCLOCK_CLOSED),
    ]
    .iter()
    .fold(0, |sum, &(is_set, bit)| if is_set { sum | bit } else { sum })
}

/// Says that nothing more will be sent; the peer's data can still be read. Returns whether the handle
/// names a connection.
///
/// # Safety
/// `stack` is from `ackclock_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_shutdown(
    stack: *mut ackclock_stack,
    now: u64,
    handle: u64,
) -> bool {
    let now = Instant::from_micros(now);
    // SAFETY: so the caller promises.
    unsafe { with(stack, |stack| stack.shutdown(now, Handle::from_bits(handle)).is_ok()) }
        .unwrap_or_default()
}

/// Closes a connection: queued data are still delivered, and the handle becomes invalid. Returns whether it
/// named a connection.
///
/// # Safety
/// `stack` is from `ackclock_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_close(stack: *mut ackclock_stack, now: u64, handle: u64) -> bool {
    let now = Instant::from_micros(now);
    // SAFETY: so the caller promises.
    unsafe { with(stack, |stack| stack.close(now, Handle::from_bits(handle)).is_ok()) }
        .unwrap_or_default()
}

/// Breaks a connection off: the peer gets a reset, and the handle is void. Returns whether it named a
/// connection.
///
/// # Safety
/// `stack` is from `ackclock_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_abort(stack: *mut ackclock_stack, now: u64, handle: u64) -> bool {
    let now = Instant::from_micros(now);
    // SAFETY: so the caller promises.
    unsafe { with(stack, |stack| stack.abort(now, Handle::from_bits(handle)).is_ok()) }
        .unwrap_or_default()
}

/// Settings of every connection.
fn connection() -> Config {
    let mut config = Config::default();
    // Short queues would wait for acks, which wait for more.
    config.nagle = Nagle::Off;
    config
}

//! Pointers of the caller as slices, `errno`, and kernel descriptors.

use super::{AddressOut, Data, Length};
use crate::address;
use crate::machine::Machine;
use crate::sockets::{Control, Errno};
use libc::{c_int, c_void, cmsghdr, iovec, msghdr, socklen_t, ssize_t};
use std::fs::File;
use std::net::SocketAddr;
use std::os::fd::IntoRawFd;
use std::slice;

/// Most bytes of one call that reads or writes; more are left for the next, as POSIX allows.
const MOST_BYTES: usize = 1 << 24;
/// Most parts of a scattered read or write (IOV_MAX).
const MOST_PARTS: usize = 1_024;

/// # Safety
/// `data` is what `packetdrill_interface_init` gave and was not freed.
pub(super) unsafe fn machine<'m>(data: Data) -> &'m Machine {
    // SAFETY: as the caller says.
    unsafe { &*data.cast::<Machine>() }
}

/// # Safety
/// `from` is null or valid for reads of `len` bytes.
pub(super) unsafe fn bytes<'b>(from: *const c_void, len: usize) -> &'b [u8] {
    match from.is_null() {
        true => &[],
        // SAFETY: as the caller says.
        false => unsafe { slice::from_raw_parts(from.cast(), len.min(MOST_BYTES)) },
    }
}

/// # Safety
/// `to` is null or valid for writes of `len` bytes, which nobody else uses.
pub(super) unsafe fn bytes_mut<'b>(to: *mut c_void, len: usize) -> &'b mut [u8] {
    match to.is_null() {
        true => &mut [],
        // SAFETY: as the caller says.
        false => unsafe { slice::from_raw_parts_mut(to.cast(), len.min(MOST_BYTES)) },
    }
}

/// The parts of a scattered read or write, each of which must be somewhere.
///
/// # Safety
/// `parts` is null or points to `count` of them.
pub(super) unsafe fn parts<'b>(parts: *const iovec, count: usize) -> Result<&'b [iovec], Errno> {
    if count > MOST_PARTS {
        return Err(Errno(libc::EINVAL));
    }
    let parts = match parts.is_null() {
        true if count > 0 => return Err(Errno(libc::EFAULT)),
        true => &[],
        // SAFETY: as the caller says.
        false => unsafe { slice::from_raw_parts(parts, count) },
    };
    let is_nowhere = |part: &iovec| part.iov_base.is_null() && part.iov_len > 0;
    if parts.iter().any(is_nowhere) { Err(Errno(libc::EFAULT)) } else { Ok(parts) }
}

/// All parts as one.
///
/// # Safety
/// Each part is valid for reads of its length.
pub(super) unsafe fn gather(parts: &[iovec]) -> Vec<u8> {
    let mut all = Vec::new();
    for part in parts {
        // SAFETY: as the caller says.
        all.extend_from_slice(unsafe { bytes(part.iov_base, part.iov_len) });
    }
    all
}

/// How many bytes fit into the parts.
pub(super) fn room(parts: &[iovec]) -> usize {
    let sum = parts.iter().fold(0_usize, |sum, part| sum.saturating_add(part.iov_len));
    sum.min(MOST_BYTES)
}

/// Spreads `from` over the parts.
///
/// # Safety
/// Each part is valid for writes of its length.
pub(super) unsafe fn scatter(parts: &[iovec], mut from: &[u8]) {
    for part in parts {
        let (now, rest) = from.split_at(part.iov_len.min(from.len()));
        // SAFETY: as the caller says.
        unsafe { bytes_mut(part.iov_base, now.len()) }.copy_from_slice(now);
        from = rest;
    }
}

/// Writes an address as `accept` does: what fits, and its whole length.
///
/// # Safety
/// `to` and `len` are null or valid; `*len` bytes can be written to `to`.
pub(super) unsafe fn write_address(to: AddressOut, len: Length, address: SocketAddr) {
    if to.is_null() || len.is_null() {
        return;
    }
    let from = address::write(address);
    // SAFETY: as the caller says.
    unsafe {
        let room = (*len as usize).min(from.len());
        bytes_mut(to.cast(), room).copy_from_slice(&from[..room]);
        *len = from.len() as socklen_t;
    }
}

/// Writes control messages into the room that a message has for them, and sets how much was used; the flags that
/// say whether some did not fit.
///
/// # Safety
/// `msg_controllen` bytes can be written to `msg_control`, unless that is null.
pub(super) unsafe fn write_controls(message: &mut msghdr, controls: &[Control]) -> c_int {
    let room = if message.msg_control.is_null() { 0 } else { message.msg_controllen };
    let (mut used, mut flags) = (0, 0);
    for (level, kind, value) in controls {
        // SAFETY: only lengths are computed.
        let (len, space) = unsafe {
            (
                libc::CMSG_LEN(value.len() as u32) as usize,
                libc::CMSG_SPACE(value.len() as u32) as usize,
            )
        };
        if used + len > room {
            flags = libc::MSG_CTRUNC;
            break;
        }
        // SAFETY: there is room for it, as the caller says.
        unsafe {
            let header = message.msg_control.byte_add(used).cast::<cmsghdr>();
            (*header).cmsg_len = len;
            ((*header).cmsg_level, (*header).cmsg_type) = (*level, *kind);
            bytes_mut(libc::CMSG_DATA(header).cast(), value.len()).copy_from_slice(value);
        }
        used += space;
    }
    message.msg_controllen = used.min(room);
    flags
}

/// A number of the kernel's that nobody else has: the caller closes it with the C library.
pub(super) fn new_descriptor() -> Result<c_int, Errno> {
    let null = File::options().read(true).write(true).open("/dev/null");
    null.map(IntoRawFd::into_raw_fd)
        .map_err(|error| Errno(error.raw_os_error().unwrap_or(libc::EMFILE)))
}

/// Gives a number back.
pub(super) fn close_descriptor(descriptor: c_int) {
    // SAFETY: it is one of ours, which nothing else refers to; if it was closed already, this fails.
    unsafe { libc::close(descriptor) };
}

/// At most `n` bytes of a file of the kernel's, from the offset on or where it stands.
pub(super) fn read_file(file: c_int, offset: Option<i64>, n: usize) -> Result<Vec<u8>, Errno> {
    let mut bytes = vec![0; n.min(MOST_BYTES)];
    let to = bytes.as_mut_ptr().cast();
    // SAFETY: the buffer has that length; a number that is no file's is refused.
    let read = unsafe {
        match offset {
            Some(offset) => libc::pread(file, to, bytes.len(), offset),
            None => libc::read(file, to, bytes.len()),
        }
    };
    let error = || std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO);
    bytes.truncate(usize::try_from(read).map_err(|_| Errno(error()))?);
    Ok(bytes)
}

/// The answer as C wants it.
pub(super) fn answer<N>(result: Result<N, Errno>) -> N
where
    N: From<i8>,
{
    result.unwrap_or_else(|Errno(number)| {
        // SAFETY: the place of this thread's errno is always valid.
        unsafe { *libc::__errno_location() = number };
        N::from(-1)
    })
}

/// A count as C wants it.
pub(super) fn count(result: Result<usize, Errno>) -> ssize_t {
    answer(result.map(|n| n as ssize_t))
}

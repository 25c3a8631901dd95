//! Calls that never wait.

use super::memory::{answer, bytes, bytes_mut, close_descriptor, machine, new_descriptor};
use super::{Address, Data, Length};
use crate::address;
use crate::sockets::{Errno, SocketOption, Sockets};
use libc::{c_int, c_ulong, c_void, epoll_event, socklen_t};

/// `linux/sockios.h`: what is queued and not yet sent.
const SIOCOUTQNSD: c_ulong = 0x894B;
/// `asm-generic/sockios.h`: whether the urgent byte is next.
const SIOCATMARK: c_ulong = 0x8905;

/// # Safety
/// `data` is the caller's userdata.
unsafe fn call(data: Data, call: impl FnOnce(&mut Sockets) -> Result<(), Errno>) -> c_int {
    // SAFETY: as the caller says.
    answer(unsafe { machine(data) }.call(call).map(|()| 0))
}

/// A call that makes a descriptor.
///
/// # Safety
/// `data` is the caller's userdata.
unsafe fn open(data: Data, make: impl FnOnce(&mut Sockets, c_int) -> Result<(), Errno>) -> c_int {
    answer(new_descriptor().and_then(|descriptor| {
        // SAFETY: as the caller says.
        let made = unsafe { machine(data) }.call(|sockets| make(sockets, descriptor));
        made.map(|()| descriptor).inspect_err(|_| close_descriptor(descriptor))
    }))
}

pub(super) unsafe extern "C" fn socket(
    data: Data,
    domain: c_int,
    kind: c_int,
    protocol: c_int,
) -> c_int {
    // SAFETY: the caller passes its userdata.
    unsafe { open(data, |sockets, new| sockets.socket(new, domain, kind, protocol)) }
}

pub(super) unsafe extern "C" fn epoll_create(data: Data, size: c_int) -> c_int {
    let make = |sockets: &mut Sockets, new| {
        if size <= 0 {
            return Err(Errno(libc::EINVAL));
        }
        sockets.epoll_create(new);
        Ok(())
    };
    // SAFETY: the caller passes its userdata.
    unsafe { open(data, make) }
}

pub(super) unsafe extern "C" fn pipe(data: Data, ends: *mut c_int) -> c_int {
    if ends.is_null() {
        return answer(Err(Errno(libc::EFAULT)));
    }
    let made = new_descriptor().and_then(|reader| {
        let writer = new_descriptor().inspect_err(|_| close_descriptor(reader))?;
        Ok([reader, writer])
    });
    answer(made.map(|[reader, writer]| {
        // SAFETY: the caller passes its userdata, and room for two descriptors.
        unsafe {
            machine(data).call(|sockets| sockets.pipe(reader, writer));
            ends.cast::<[c_int; 2]>().write([reader, writer]);
        }
        0
    }))
}

pub(super) unsafe extern "C" fn bind(
    data: Data,
    fd: c_int,
    address: Address,
    len: socklen_t,
) -> c_int {
    // SAFETY: the caller passes its userdata, and an address of that length.
    unsafe {
        let address = address::parse(bytes(address.cast(), len as usize));
        call(data, |sockets| sockets.bind(fd, address?))
    }
}

pub(super) unsafe extern "C" fn listen(data: Data, fd: c_int, backlog: c_int) -> c_int {
    // SAFETY: the caller passes its userdata.
    unsafe { call(data, |sockets| sockets.listen(fd, backlog)) }
}

pub(super) unsafe extern "C" fn shutdown(data: Data, fd: c_int, how: c_int) -> c_int {
    // SAFETY: the caller passes its userdata.
    unsafe { call(data, |sockets| sockets.shutdown(fd, how)) }
}

/// The third argument is fixed: variadic ones are passed alike on x86-64.
pub(super) unsafe extern "C" fn fcntl(
    data: Data,
    fd: c_int,
    command: c_int,
    value: c_ulong,
) -> c_int {
    // SAFETY: the caller passes its userdata.
    let machine = unsafe { machine(data) };
    answer(machine.call(|sockets| match command {
        libc::F_GETFL => sockets.status_flags(fd),
        libc::F_SETFL => sockets.set_status_flags(fd, value as c_int).map(|()| 0),
        libc::F_GETFD | libc::F_SETFD => sockets.status_flags(fd).map(|_| 0),
        _ => Err(Errno(libc::EINVAL)),
    }))
}

/// As [`fcntl`], with a third argument that is fixed.
pub(super) unsafe extern "C" fn ioctl(
    data: Data,
    fd: c_int,
    request: c_ulong,
    value: *mut c_int,
) -> c_int {
    let ask = |sockets: &mut Sockets| {
        if value.is_null() {
            return Err(Errno(libc::EFAULT));
        }
        let bytes = match request {
            libc::FIONREAD => sockets.readable_bytes(fd)?,
            libc::TIOCOUTQ => sockets.unacknowledged_bytes(fd)?,
            SIOCOUTQNSD => sockets.unsent_bytes(fd)?,
            SIOCATMARK => sockets.is_at_mark(fd)?.into(),
            libc::FIONBIO => {
                // SAFETY: the caller passes a number with this request.
                let on = unsafe { *value } != 0;
                return sockets.set_status_flags(fd, if on { libc::O_NONBLOCK } else { 0 });
            }
            _ => return Err(Errno(libc::ENOTTY)),
        };
        // SAFETY: the caller passes a place for a number with these requests.
        unsafe { *value = bytes as c_int };
        Ok(())
    };
    // SAFETY: the caller passes its userdata.
    unsafe { call(data, ask) }
}

pub(super) unsafe extern "C" fn getsockopt(
    data: Data,
    fd: c_int,
    level: c_int,
    name: c_int,
    to: *mut c_void,
    len: Length,
) -> c_int {
    let ask = |sockets: &mut Sockets| {
        let value = sockets.option(fd, SocketOption { level, name })?;
        if len.is_null() || to.is_null() {
            return Err(Errno(libc::EFAULT));
        }
        // SAFETY: the caller passes a buffer with its length.
        unsafe {
            let asked = c_int::try_from(*len).map_err(|_| Errno(libc::EINVAL))?;
            let room = value.len().min(asked as usize);
            bytes_mut(to, room).copy_from_slice(&value[..room]);
            *len = room as socklen_t;
        }
        Ok(())
    };
    // SAFETY: the caller passes its userdata.
    unsafe { call(data, ask) }
}

pub(super) unsafe extern "C" fn setsockopt(
    data: Data,
    fd: c_int,
    level: c_int,
    name: c_int,
    value: *const c_void,
    len: socklen_t,
) -> c_int {
    // SAFETY: the caller passes its userdata, and a value of that length.
    unsafe {
        let value = bytes(value, len as usize);
        call(data, |sockets| sockets.set_option(fd, SocketOption { level, name }, value))
    }
}

pub(super) unsafe extern "C" fn epoll_ctl(
    data: Data,
    fd: c_int,
    operation: c_int,
    watched: c_int,
    event: *mut epoll_event,
) -> c_int {
    // SAFETY: the caller passes its userdata, and null or an event.
    unsafe {
        let event = (!event.is_null()).then(|| {
            let event = event.read_unaligned();
            (event.events, event.u64)
        });
        call(data, |sockets| sockets.epoll_control(fd, operation, watched, event))
    }
}

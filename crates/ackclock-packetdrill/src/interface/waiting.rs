//! Calls that may wait.

use super::memory::{
    answer, bytes, bytes_mut, close_descriptor, count, gather, machine, new_descriptor, parts,
    read_file, room, scatter, write_address, write_controls,
};
use super::{Address, AddressOut, Data, Length};
use crate::address;
use crate::machine::{Machine, Wait};
use crate::sockets::{Errno, Events, SPLICE_NONBLOCK, WOULD_BLOCK};
use ackclock::time::Duration;
use libc::{
    c_int, c_uint, c_void, epoll_event, iovec, msghdr, nfds_t, off_t, pollfd, size_t, socklen_t,
    ssize_t,
};
use std::net::SocketAddr;
use std::slice;

/// How long a call on a descriptor waits. `flags` are those of `recv` and `send`; `None`: it is
/// another call.
fn patience(machine: &Machine, fd: c_int, flags: Option<c_int>, writes: bool) -> Wait {
    let flags = flags.unwrap_or(0);
    if flags & libc::MSG_DONTWAIT != 0 || (flags & libc::MSG_OOB != 0 && !writes) {
        return Wait::No;
    }
    machine.call(|sockets| match sockets.is_blocking(fd) {
        true => sockets.timeout(fd, writes).map_or(Wait::Forever, Wait::For),
        false => Wait::No,
    })
}

/// The time-out of `poll`, in milliseconds; negative: none.
fn milliseconds(timeout: c_int) -> Wait {
    match u64::try_from(timeout) {
        Ok(0) => Wait::No,
        Ok(millis) => Wait::For(Duration::from_millis(millis)),
        Err(_) => Wait::Forever,
    }
}

pub(super) unsafe extern "C" fn accept(
    data: Data,
    fd: c_int,
    address: AddressOut,
    len: Length,
) -> c_int {
    // SAFETY: the caller passes its userdata.
    let machine = unsafe { machine(data) };
    answer(new_descriptor().and_then(|new| {
        let wait = patience(machine, fd, None, false);
        let accepted = machine.wait(wait, |sockets| sockets.accept(fd, new, 0));
        let peer = accepted.inspect_err(|_| close_descriptor(new))?;
        // SAFETY: the caller passes null, or a buffer with its length.
        unsafe { write_address(address, len, peer) };
        machine.answers_descriptor();
        Ok(new)
    }))
}

pub(super) unsafe extern "C" fn connect(
    data: Data,
    fd: c_int,
    remote: Address,
    len: socklen_t,
) -> c_int {
    // SAFETY: the caller passes its userdata, and an address of that length.
    let (machine, remote) = unsafe { (machine(data), bytes(remote.cast(), len as usize)) };
    let started = address::parse(remote)
        .and_then(|remote| machine.call(|sockets| sockets.connect(fd, remote)));
    let wait = patience(machine, fd, None, true);
    answer(
        match started {
            Err(Errno(libc::EINPROGRESS | libc::EALREADY)) if wait != Wait::No => {
                let connected = machine.wait(wait, |sockets| sockets.connected(fd));
                connected.map_err(|error| match error {
                    WOULD_BLOCK => Errno(libc::EINPROGRESS),
                    error => error,
                })
            }
            result => result,
        }
        .map(|()| 0),
    )
}

/// `read`, or with flags `recv`.
fn receive(
    machine: &Machine,
    fd: c_int,
    to: &mut [u8],
    flags: Option<c_int>,
) -> Result<usize, Errno> {
    let wait = patience(machine, fd, flags, false);
    let has = |flag: c_int| flags.unwrap_or(0) & flag != 0;
    let waits_for_all = has(libc::MSG_WAITALL) && !has(libc::MSG_PEEK) && wait != Wait::No;
    let mut done = 0;
    let result = machine.wait(wait, |sockets| {
        let n = match flags {
            Some(flags) => sockets.receive(fd, &mut to[done..], flags)?,
            None => sockets.read(fd, &mut to[done..])?,
        };
        done += n;
        let goes_on = waits_for_all && n > 0 && done < to.len();
        if goes_on { Err(WOULD_BLOCK) } else { Ok(()) }
    });
    if done > 0 { Ok(done) } else { result.map(|()| 0) }
}

/// `write`, or with flags `send`.
fn transmit(
    machine: &Machine,
    fd: c_int,
    data: &[u8],
    flags: Option<c_int>,
) -> Result<usize, Errno> {
    transmit_to(machine, fd, (None, data), flags)
}

/// As [`transmit`], where MSG_FASTOPEN opens a connection to an address.
fn transmit_to(
    machine: &Machine,
    fd: c_int,
    (remote, data): (Option<SocketAddr>, &[u8]),
    flags: Option<c_int>,
) -> Result<usize, Errno> {
    let wait = patience(machine, fd, flags, true);
    let mut done = 0;
    let opens = flags.unwrap_or(0) & libc::MSG_FASTOPEN != 0;
    if opens || machine.call(|sockets| sockets.is_deferred(fd)) {
        match machine.call(|sockets| sockets.open_with(fd, remote, data)) {
            None => {}
            Some(Ok(n)) => done = n,
            Some(Err(Errno(libc::EINPROGRESS))) if wait != Wait::No => {}
            Some(Err(error)) => return Err(error),
        }
        if wait != Wait::No {
            if done < data.len() {
                machine.call(|sockets| sockets.note_waiting(fd));
            }
            machine.wait(wait, |sockets| sockets.connected(fd)).map_err(|error| match error {
                WOULD_BLOCK => Errno(libc::EINPROGRESS),
                error => error,
            })?;
        }
        if done > 0 && (wait == Wait::No || done == data.len()) {
            return written(machine, (fd, done), flags);
        }
    }
    let result = machine.wait(wait, |sockets| {
        done += match flags {
            Some(flags) => sockets.send(fd, &data[done..], flags)?,
            None => sockets.write(fd, &data[done..])?,
        };
        if done < data.len() { Err(WOULD_BLOCK) } else { Ok(()) }
    });
    if done > 0 { written(machine, (fd, done), flags) } else { result.map(|()| 0) }
}

/// What a call answers that has written so many bytes.
fn written(
    machine: &Machine,
    (fd, done): (c_int, usize),
    flags: Option<c_int>,
) -> Result<usize, Errno> {
    machine.call(|sockets| sockets.note_written(fd, flags.unwrap_or(0)));
    Ok(done)
}

/// A buffer of some length must be somewhere.
fn present(buffer: *const c_void, len: size_t) -> Result<(), Errno> {
    if buffer.is_null() && len > 0 { Err(Errno(libc::EFAULT)) } else { Ok(()) }
}

pub(super) unsafe extern "C" fn read(data: Data, fd: c_int, to: *mut c_void, n: size_t) -> ssize_t {
    // SAFETY: the caller passes its userdata, and a buffer of that length.
    unsafe {
        count(present(to, n).and_then(|()| receive(machine(data), fd, bytes_mut(to, n), None)))
    }
}

pub(super) unsafe extern "C" fn recv(
    data: Data,
    fd: c_int,
    to: *mut c_void,
    n: size_t,
    flags: c_int,
) -> ssize_t {
    // SAFETY: the caller passes its userdata, and a buffer of that length.
    unsafe {
        let to_there = present(to, n);
        count(to_there.and_then(|()| receive(machine(data), fd, bytes_mut(to, n), Some(flags))))
    }
}

/// The address is left as it is, as Linux does with streams; its length becomes 0.
pub(super) unsafe extern "C" fn recvfrom(
    data: Data,
    fd: c_int,
    to: *mut c_void,
    n: size_t,
    flags: c_int,
    _: AddressOut,
    len: Length,
) -> ssize_t {
    // SAFETY: the caller passes its userdata, a buffer of that length, and null or a length.
    unsafe {
        if !len.is_null() {
            *len = 0;
        }
        recv(data, fd, to, n, flags)
    }
}

/// # Safety
/// As for `readv`.
unsafe fn receive_parts(
    data: Data,
    fd: c_int,
    to: Result<&[iovec], Errno>,
    flags: Option<c_int>,
) -> ssize_t {
    count(to.and_then(|to| {
        let mut all = vec![0; room(to)];
        // SAFETY: the caller passes its userdata, and parts that are as long as they say.
        unsafe {
            let n = receive(machine(data), fd, &mut all, flags)?;
            scatter(to, &all[..n]);
            Ok(n)
        }
    }))
}

/// A negative number of parts is as wrong as one that is too large.
fn count_of(parts: c_int) -> usize {
    usize::try_from(parts).unwrap_or(usize::MAX)
}

pub(super) unsafe extern "C" fn readv(
    data: Data,
    fd: c_int,
    to: *const iovec,
    n: c_int,
) -> ssize_t {
    // SAFETY: the caller passes its userdata, and so many parts.
    unsafe { receive_parts(data, fd, parts(to, count_of(n)), None) }
}

pub(super) unsafe extern "C" fn recvmsg(
    data: Data,
    fd: c_int,
    message: *mut msghdr,
    flags: c_int,
) -> ssize_t {
    // SAFETY: the caller passes its userdata, and a message.
    unsafe {
        let message = &mut *message;
        if flags & libc::MSG_ERRQUEUE != 0 {
            let notice = machine(data).call(|sockets| sockets.next_notice(fd));
            return count(notice.map(|(controls, told)| {
                message.msg_namelen = 0;
                message.msg_flags = libc::MSG_ERRQUEUE | told | write_controls(message, &controls);
                0
            }));
        }
        let to = parts(message.msg_iov, message.msg_iovlen);
        let n = receive_parts(data, fd, to, Some(flags));
        if n >= 0 {
            let controls = machine(data).call(|sockets| sockets.controls(fd));
            message.msg_namelen = 0;
            message.msg_flags = write_controls(message, &controls);
        }
        n
    }
}

pub(super) unsafe extern "C" fn write(
    data: Data,
    fd: c_int,
    from: *const c_void,
    n: size_t,
) -> ssize_t {
    // SAFETY: the caller passes its userdata, and so many bytes.
    unsafe {
        count(present(from, n).and_then(|()| transmit(machine(data), fd, bytes(from, n), None)))
    }
}

pub(super) unsafe extern "C" fn send(
    data: Data,
    fd: c_int,
    from: *const c_void,
    n: size_t,
    flags: c_int,
) -> ssize_t {
    // SAFETY: the caller passes its userdata, and so many bytes.
    unsafe {
        let from_there = present(from, n);
        count(from_there.and_then(|()| transmit(machine(data), fd, bytes(from, n), Some(flags))))
    }
}

/// Where data goes that opens a connection, by MSG_FASTOPEN. A stream has its destination: without the flag
/// another one is ignored.
///
/// # Safety
/// `remote` is null or an address of that length.
unsafe fn destination(
    remote: Address,
    len: socklen_t,
    flags: c_int,
) -> Result<Option<SocketAddr>, Errno> {
    if flags & libc::MSG_FASTOPEN == 0 || remote.is_null() {
        return Ok(None);
    }
    // SAFETY: as the caller says.
    let remote = unsafe { bytes(remote.cast(), len as usize) };
    address::parse(remote).map(Some).map_err(|error| match error {
        Errno(libc::EAFNOSUPPORT) => Errno(libc::EOPNOTSUPP),
        error => error,
    })
}

pub(super) unsafe extern "C" fn sendto(
    data: Data,
    fd: c_int,
    from: *const c_void,
    n: size_t,
    flags: c_int,
    remote: Address,
    len: socklen_t,
) -> ssize_t {
    // SAFETY: the caller passes its userdata, so many bytes, and null or an address of that length.
    unsafe {
        let remote = destination(remote, len, flags);
        count(present(from, n).and(remote).and_then(|remote| {
            transmit_to(machine(data), fd, (remote, bytes(from, n)), Some(flags))
        }))
    }
}

pub(super) unsafe extern "C" fn writev(
    data: Data,
    fd: c_int,
    from: *const iovec,
    n: c_int,
) -> ssize_t {
    // SAFETY: the caller passes its userdata, and so many parts.
    unsafe {
        let from = parts(from, count_of(n));
        count(from.and_then(|from| transmit(machine(data), fd, &gather(from), None)))
    }
}

pub(super) unsafe extern "C" fn sendmsg(
    data: Data,
    fd: c_int,
    message: *const msghdr,
    flags: c_int,
) -> ssize_t {
    // SAFETY: the caller passes its userdata, and a message.
    unsafe {
        let from = parts((*message).msg_iov, (*message).msg_iovlen);
        count(from.and_then(|from| {
            let remote = destination((*message).msg_name.cast(), (*message).msg_namelen, flags)?;
            transmit_to(machine(data), fd, (remote, &gather(from)), Some(flags))
        }))
    }
}

/// Sends what a file holds from an offset on, which becomes that of the first byte that was not sent.
pub(super) unsafe extern "C" fn sendfile(
    data: Data,
    to: c_int,
    from: c_int,
    offset: *mut off_t,
    n: size_t,
) -> ssize_t {
    // SAFETY: the caller passes its userdata, and null or an offset.
    unsafe {
        let machine = machine(data);
        let read = read_file(from, offset.as_ref().copied(), n);
        let sent = read.and_then(|bytes| transmit(machine, to, &bytes, None));
        if let (Ok(sent), Some(offset)) = (sent, offset.as_mut()) {
            *offset += sent as off_t;
        }
        count(sent)
    }
}

/// Waits unless the call says otherwise, or either descriptor.
pub(super) unsafe extern "C" fn splice(
    data: Data,
    from: c_int,
    from_offset: *mut off_t,
    to: c_int,
    to_offset: *mut off_t,
    len: size_t,
    flags: c_uint,
) -> ssize_t {
    // SAFETY: the caller passes its userdata.
    let machine = unsafe { machine(data) };
    let waits = match flags & SPLICE_NONBLOCK {
        0 => [(from, false), (to, true)].map(|(fd, writes)| patience(machine, fd, None, writes)),
        _ => [Wait::No; 2],
    };
    let wait = waits.into_iter().find(|wait| *wait != Wait::Forever).unwrap_or(Wait::Forever);
    // packetdrill gives the address of a zero where a script says NULL.
    // SAFETY: the caller passes null, or an offset.
    let is_given = |offset: *mut off_t| unsafe { offset.as_ref() }.is_some_and(|it| *it != 0);
    let offsets = [from_offset, to_offset].map(is_given);
    let moved = machine.wait(wait, |sockets| sockets.splice([from, to], offsets, len, flags));
    count(moved)
}

pub(super) unsafe extern "C" fn close(data: Data, fd: c_int) -> c_int {
    // SAFETY: the caller passes its userdata.
    let machine = unsafe { machine(data) };
    // A close that lingers waits for the peer also on a non-blocking descriptor.
    if let Some(time) = machine.call(|sockets| sockets.linger(fd)) {
        let _ = machine.wait(Wait::For(time), |sockets| sockets.lingered(fd));
    }
    let closed = machine.call(|sockets| sockets.close(fd));
    answer(closed.map(|()| {
        close_descriptor(fd);
        0
    }))
}

pub(super) unsafe extern "C" fn poll(
    data: Data,
    descriptors: *mut pollfd,
    n: nfds_t,
    timeout: c_int,
) -> c_int {
    // SAFETY: the caller passes its userdata, and so many descriptors.
    let (machine, descriptors) = unsafe {
        let descriptors: &mut [pollfd] = match descriptors.is_null() {
            true => &mut [],
            false => slice::from_raw_parts_mut(descriptors, n as usize),
        };
        (machine(data), descriptors)
    };
    let ready = machine.wait(milliseconds(timeout), |sockets| {
        let mut ready = 0;
        for descriptor in &mut *descriptors {
            let always = (libc::POLLERR | libc::POLLHUP | libc::POLLNVAL) as Events;
            let asked = descriptor.events as u16 as Events | always;
            let events = match descriptor.fd {
                ..0 => 0,
                fd => sockets.readiness(fd).unwrap_or(libc::POLLNVAL as Events),
            };
            descriptor.revents = (events & asked) as i16;
            ready += c_int::from(descriptor.revents != 0);
        }
        if ready == 0 { Err(WOULD_BLOCK) } else { Ok(ready) }
    });
    answer(none_in_time(ready))
}

pub(super) unsafe extern "C" fn epoll_wait(
    data: Data,
    fd: c_int,
    events: *mut epoll_event,
    max: c_int,
    timeout: c_int,
) -> c_int {
    if max <= 0 || events.is_null() {
        return answer(Err(Errno(libc::EINVAL)));
    }
    // SAFETY: the caller passes its userdata.
    let machine = unsafe { machine(data) };
    let told = machine.wait(milliseconds(timeout), |sockets| sockets.epoll_wait(fd, max as usize));
    answer(none_in_time(told.map(|told| {
        for (place, &(events_told, data)) in told.iter().enumerate() {
            let event = epoll_event { events: events_told, u64: data };
            // SAFETY: the caller passes room for `max` events, and there are no more.
            unsafe { events.add(place).write_unaligned(event) };
        }
        told.len() as c_int
    })))
}

/// Nothing became ready in time: that is no error.
fn none_in_time(ready: Result<c_int, Errno>) -> Result<c_int, Errno> {
    match ready {
        Err(WOULD_BLOCK) => Ok(0),
        ready => ready,
    }
}

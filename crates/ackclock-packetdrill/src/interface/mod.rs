//! The C side: the exported symbol, the table of functions, pointers and `errno`. All `unsafe` code
//! of the crate is here and in [`memory`].
//!
//! Every function trusts the caller as libc does: pointers are valid for the lengths beside them,
//! and `userdata` is what `packetdrill_interface_init` gave, not yet freed.
#![allow(unsafe_code)]

mod calls;
mod forwarding;
mod memory;
mod network;
mod waiting;

use crate::flags::Flags;
use crate::machine::Machine;
use libc::{
    c_char, c_int, c_longlong, c_ulong, c_void, epoll_event, iovec, msghdr, nfds_t, off_t, pollfd,
    size_t, sockaddr, socklen_t, ssize_t, timeval, useconds_t,
};
use std::ffi::CStr;

type Data = *mut c_void;
type Address = *const sockaddr;
type AddressOut = *mut sockaddr;
type Length = *mut socklen_t;

/// `struct packetdrill_interface`: 33 words. An absent function is null.
#[repr(C)]
pub(crate) struct Interface {
    userdata: Data,
    free: Option<unsafe extern "C" fn(Data)>,
    socket: Option<unsafe extern "C" fn(Data, c_int, c_int, c_int) -> c_int>,
    bind: Option<unsafe extern "C" fn(Data, c_int, Address, socklen_t) -> c_int>,
    listen: Option<unsafe extern "C" fn(Data, c_int, c_int) -> c_int>,
    accept: Option<unsafe extern "C" fn(Data, c_int, AddressOut, Length) -> c_int>,
    connect: Option<unsafe extern "C" fn(Data, c_int, Address, socklen_t) -> c_int>,
    read: Option<unsafe extern "C" fn(Data, c_int, *mut c_void, size_t) -> ssize_t>,
    readv: Option<unsafe extern "C" fn(Data, c_int, *const iovec, c_int) -> ssize_t>,
    recv: Option<unsafe extern "C" fn(Data, c_int, *mut c_void, size_t, c_int) -> ssize_t>,
    recvfrom: Option<
        unsafe extern "C" fn(
            Data,
            c_int,
            *mut c_void,
            size_t,
            c_int,
            AddressOut,
            Length,
        ) -> ssize_t,
    >,
    recvmsg: Option<unsafe extern "C" fn(Data, c_int, *mut msghdr, c_int) -> ssize_t>,
    write: Option<unsafe extern "C" fn(Data, c_int, *const c_void, size_t) -> ssize_t>,
    writev: Option<unsafe extern "C" fn(Data, c_int, *const iovec, c_int) -> ssize_t>,
    send: Option<unsafe extern "C" fn(Data, c_int, *const c_void, size_t, c_int) -> ssize_t>,
    sendto: Option<
        unsafe extern "C" fn(
            Data,
            c_int,
            *const c_void,
            size_t,
            c_int,
            Address,
            socklen_t,
        ) -> ssize_t,
    >,
    sendmsg: Option<unsafe extern "C" fn(Data, c_int, *const msghdr, c_int) -> ssize_t>,
    fcntl: Option<unsafe extern "C" fn(Data, c_int, c_int, c_ulong) -> c_int>,
    ioctl: Option<unsafe extern "C" fn(Data, c_int, c_ulong, *mut c_int) -> c_int>,
    close: Option<unsafe extern "C" fn(Data, c_int) -> c_int>,
    shutdown: Option<unsafe extern "C" fn(Data, c_int, c_int) -> c_int>,
    getsockopt:
        Option<unsafe extern "C" fn(Data, c_int, c_int, c_int, *mut c_void, Length) -> c_int>,
    setsockopt:
        Option<unsafe extern "C" fn(Data, c_int, c_int, c_int, *const c_void, socklen_t) -> c_int>,
    poll: Option<unsafe extern "C" fn(Data, *mut pollfd, nfds_t, c_int) -> c_int>,
    netdev_send: Option<unsafe extern "C" fn(Data, *const c_void, size_t) -> c_int>,
    netdev_receive:
        Option<unsafe extern "C" fn(Data, *mut c_void, *mut size_t, *mut c_longlong) -> c_int>,
    usleep: Option<unsafe extern "C" fn(Data, useconds_t) -> c_int>,
    gettimeofday: Option<unsafe extern "C" fn(Data, *mut timeval, *mut c_void) -> c_int>,
    epoll_create: Option<unsafe extern "C" fn(Data, c_int) -> c_int>,
    epoll_ctl: Option<unsafe extern "C" fn(Data, c_int, c_int, c_int, *mut epoll_event) -> c_int>,
    epoll_wait: Option<unsafe extern "C" fn(Data, c_int, *mut epoll_event, c_int, c_int) -> c_int>,
    pipe: Option<unsafe extern "C" fn(Data, *mut c_int) -> c_int>,
    splice: Option<
        unsafe extern "C" fn(Data, c_int, *mut off_t, c_int, *mut off_t, size_t, u32) -> ssize_t,
    >,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Interface>() == 33 * 8);

/// Fills `out` for a new machine that the calling thread drives. What `flags` may say is in
/// `docs/packetdrill.md`; if it cannot be used, a message says so on stderr and the process ends:
/// the interface has no way to refuse.
///
/// # Safety
/// `flags` is null or a string of C, `out` is valid for writes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn packetdrill_interface_init(
    flags: *const c_char,
    out: *mut Interface,
) {
    // SAFETY: the caller passes null or a string of C.
    let text = unsafe { (!flags.is_null()).then(|| CStr::from_ptr(flags)) };
    let text = text.map_or("".into(), CStr::to_string_lossy);
    let made = text
        .parse::<Flags>()
        .and_then(|flags| Machine::new(flags).map_err(|error| error.to_string()));
    let machine = match made {
        Ok(machine) => Box::into_raw(Box::new(machine)),
        Err(problem) => {
            eprintln!("ackclock: {problem}");
            std::process::exit(1);
        }
    };
    forwarding::start(machine);
    let interface = Interface {
        userdata: machine.cast(),
        free: Some(free),
        socket: Some(calls::socket),
        bind: Some(calls::bind),
        listen: Some(calls::listen),
        accept: Some(waiting::accept),
        connect: Some(waiting::connect),
        read: Some(waiting::read),
        readv: Some(waiting::readv),
        recv: Some(waiting::recv),
        recvfrom: Some(waiting::recvfrom),
        recvmsg: Some(waiting::recvmsg),
        write: Some(waiting::write),
        writev: Some(waiting::writev),
        send: Some(waiting::send),
        sendto: Some(waiting::sendto),
        sendmsg: Some(waiting::sendmsg),
        fcntl: Some(calls::fcntl),
        ioctl: Some(calls::ioctl),
        close: Some(waiting::close),
        shutdown: Some(calls::shutdown),
        getsockopt: Some(calls::getsockopt),
        setsockopt: Some(calls::setsockopt),
        poll: Some(waiting::poll),
        netdev_send: Some(network::netdev_send),
        netdev_receive: Some(network::netdev_receive),
        usleep: Some(network::usleep),
        gettimeofday: Some(network::gettimeofday),
        epoll_create: Some(calls::epoll_create),
        epoll_ctl: Some(calls::epoll_ctl),
        epoll_wait: Some(waiting::epoll_wait),
        pipe: Some(calls::pipe),
        splice: Some(waiting::splice),
    };
    // SAFETY: the caller passes a place for the table.
    unsafe { out.write(interface) };
}

unsafe extern "C" fn free(data: Data) {
    if !data.is_null() {
        forwarding::stop();
        // SAFETY: it is what `packetdrill_interface_init` made, and nobody uses it any more.
        drop(unsafe { Box::from_raw(data.cast::<Machine>()) });
    }
}

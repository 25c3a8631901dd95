//! What a forwarder that was preloaded into the caller hands to this stack: calls that packetdrill makes of
//! the C library instead of the table, and commands for the shell.

use super::calls::getsockopt;
use super::memory::machine;
use super::waiting::sendfile;
use super::{Data, Length};
use crate::commands::{self, Outcome};
use crate::machine::Machine;
use libc::{c_char, c_int, c_void, off_t, size_t, ssize_t};
use std::ffi::{CStr, CString};

/// The forwarder's functions for a stack, as `crates/ackclock-packetdrill-preload` has them too.
#[repr(C)]
pub(crate) struct Forwarding {
    userdata: Data,
    /// Whether a descriptor is one of the stack's.
    owns: unsafe extern "C" fn(Data, c_int) -> bool,
    getsockopt: unsafe extern "C" fn(Data, c_int, c_int, c_int, *mut c_void, Length) -> c_int,
    sendfile: unsafe extern "C" fn(Data, c_int, c_int, *mut off_t, size_t) -> ssize_t,
    /// Takes what sets the stack from a command for the shell, and gives back what is left for the shell: a
    /// string of C, to be freed.
    command: unsafe extern "C" fn(Data, *const c_char) -> *mut c_char,
}

type Register = unsafe extern "C" fn(*const Forwarding);

/// Tells a forwarder, if one was preloaded, where calls go from now on; null: nowhere.
fn register(forwarding: *const Forwarding) {
    // SAFETY: the name is a string of C; what has it is the forwarder's function of this type.
    unsafe {
        let symbol = libc::dlsym(libc::RTLD_DEFAULT, c"ackclock_packetdrill_forward_to".as_ptr());
        if !symbol.is_null() {
            std::mem::transmute::<*mut c_void, Register>(symbol)(forwarding);
        }
    }
}

/// Has a forwarder, if there is one, use this machine.
pub(super) fn start(machine: *mut Machine) {
    let userdata = machine.cast();
    register(&Forwarding { userdata, owns, getsockopt, sendfile, command });
}

/// Nothing is forwarded any more.
pub(super) fn stop() {
    register(std::ptr::null());
}

unsafe extern "C" fn owns(data: Data, fd: c_int) -> bool {
    // SAFETY: the forwarder passes the userdata it was given.
    unsafe { machine(data) }.call(|sockets| sockets.owns(fd))
}

unsafe extern "C" fn command(data: Data, line: *const c_char) -> *mut c_char {
    // SAFETY: the forwarder passes the userdata it was given, and a string of C.
    let (machine, line) = unsafe { (machine(data), CStr::from_ptr(line)) };
    let text = line.to_string_lossy();
    let rest = machine.call(|sockets| match commands::settings(&text, sockets.flags()) {
        Ok(Outcome { flags, rest }) => {
            sockets.set_flags(flags);
            rest
        }
        Err(problem) => {
            eprintln!("ackclock: `{text}`: {problem}");
            std::process::exit(1);
        }
    });
    let rest = CString::new(rest).unwrap_or_default();
    // SAFETY: it is a string of C.
    unsafe { libc::strdup(rest.as_ptr()) }
}

//! A library for `LD_PRELOAD` in front of packetdrill: calls that packetdrill makes of the C library although
//! it drives a stack in a shared library go to that stack. They are `getsockopt` (for code blocks in
//! scripts), `sendfile`, and `system`, for commands that set the kernel. What is not about the stack goes to
//! the C library as ever. `docs/packetdrill.md` tells how it is used.
#![cfg(target_os = "linux")]
#![allow(unsafe_code)]

use libc::{c_char, c_int, c_void, off_t, size_t, socklen_t, ssize_t};
use std::ffi::CStr;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A stack's functions, as `crates/ackclock-packetdrill` has them too.
#[repr(C)]
#[derive(Clone, Copy)]
struct Forwarding {
    userdata: *mut c_void,
    owns: unsafe extern "C" fn(*mut c_void, c_int) -> bool,
    getsockopt: unsafe extern "C" fn(
        *mut c_void,
        c_int,
        c_int,
        c_int,
        *mut c_void,
        *mut socklen_t,
    ) -> c_int,
    sendfile: unsafe extern "C" fn(*mut c_void, c_int, c_int, *mut off_t, size_t) -> ssize_t,
    command: unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_char,
}

// SAFETY: the stack behind it may be called from any thread.
unsafe impl Send for Forwarding {}

static FORWARDING: Mutex<Option<Forwarding>> = Mutex::new(None);

fn forwarding() -> MutexGuard<'static, Option<Forwarding>> {
    FORWARDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The stack, if the descriptor is one of its.
fn owner(fd: c_int) -> Option<Forwarding> {
    let forwarding = *forwarding();
    // SAFETY: the stack has registered its functions with its userdata.
    forwarding.filter(|stack| unsafe { (stack.owns)(stack.userdata, fd) })
}

/// The C library's function of a name.
fn original(name: &CStr) -> *mut c_void {
    // SAFETY: the name is a string of C.
    let symbol = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    assert!(!symbol.is_null(), "the C library has {name:?}");
    symbol
}

/// A stack tells its functions, or with null that it is gone.
///
/// # Safety
/// `to` is null or valid for reads, and its functions are callable until the next call of this one.
#[unsafe(no_mangle)]
unsafe extern "C" fn ackclock_packetdrill_forward_to(to: *const Forwarding) {
    // SAFETY: as the caller says.
    *forwarding() = unsafe { to.as_ref() }.copied();
}

/// # Safety
/// As for that of the C library.
#[unsafe(no_mangle)]
unsafe extern "C" fn getsockopt(
    fd: c_int,
    level: c_int,
    name: c_int,
    to: *mut c_void,
    len: *mut socklen_t,
) -> c_int {
    type Original = unsafe extern "C" fn(c_int, c_int, c_int, *mut c_void, *mut socklen_t) -> c_int;
    // SAFETY: as the caller says; the C library's function has this type.
    unsafe {
        match owner(fd) {
            Some(stack) => (stack.getsockopt)(stack.userdata, fd, level, name, to, len),
            None => {
                let original =
                    std::mem::transmute::<*mut c_void, Original>(original(c"getsockopt"));
                original(fd, level, name, to, len)
            }
        }
    }
}

/// # Safety
/// As for that of the C library.
#[unsafe(no_mangle)]
unsafe extern "C" fn sendfile(to: c_int, from: c_int, offset: *mut off_t, n: size_t) -> ssize_t {
    type Original = unsafe extern "C" fn(c_int, c_int, *mut off_t, size_t) -> ssize_t;
    // SAFETY: as the caller says; the C library's function has this type.
    unsafe {
        match owner(to) {
            Some(stack) => (stack.sendfile)(stack.userdata, to, from, offset, n),
            None => {
                let original = std::mem::transmute::<*mut c_void, Original>(original(c"sendfile"));
                original(to, from, offset, n)
            }
        }
    }
}

/// # Safety
/// As for that of the C library.
#[unsafe(no_mangle)]
unsafe extern "C" fn system(command: *const c_char) -> c_int {
    type Original = unsafe extern "C" fn(*const c_char) -> c_int;
    let stack = *forwarding();
    // SAFETY: as the caller says; the stack has registered its functions with its userdata, its answer is a string of C
    // to be freed, and the C library's function has this type.
    unsafe {
        let original = std::mem::transmute::<*mut c_void, Original>(original(c"system"));
        let Some(stack) = stack.filter(|_| !command.is_null()) else {
            return original(command);
        };
        let rest = (stack.command)(stack.userdata, command);
        let status = if rest.is_null() || *rest == 0 { 0 } else { original(rest) };
        libc::free(rest.cast());
        status
    }
}

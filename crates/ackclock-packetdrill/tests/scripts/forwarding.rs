//! Calls of the C library that a preloaded forwarder hands to the stack, as packetdrill makes them for code blocks,
//! `sendfile` and shell commands.

use crate::library::{Library, beside};
use std::ffi::CString;
use std::io::Write;
use std::process::Command;

/// Runs a test of this file in a process with the forwarder.
fn run_preloaded(test: &str) {
    let program = std::env::current_exe().expect("a test knows where it is");
    let output = Command::new(program)
        .args(["--exact", &format!("forwarding::{test}"), "--nocapture"])
        .env("LD_PRELOAD", beside("libackclock_packetdrill_preload.so"))
        .env("ACKCLOCK_TEST_PRELOADED", "on")
        .output()
        .expect("a process");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.contains("1 passed"), "{told}");
}

fn is_preloaded() -> bool {
    std::env::var_os("ACKCLOCK_TEST_PRELOADED").is_some()
}

/// The state that `getsockopt` of the C library tells.
fn state(fd: i32) -> Result<u8, i32> {
    let (mut info, mut len) = ([0_u8; 280], 280);
    // SAFETY: a buffer and its length.
    let answer = unsafe {
        libc::getsockopt(fd, libc::IPPROTO_TCP, libc::TCP_INFO, info.as_mut_ptr().cast(), &mut len)
    };
    let errno = || std::io::Error::last_os_error().raw_os_error().unwrap_or(0);
    if answer == 0 { Ok(info[0]) } else { Err(errno()) }
}

/// `system` of the C library.
fn shell(command: &str) -> i32 {
    let command = CString::new(command).expect("a command without a zero");
    // SAFETY: a string of C.
    unsafe { libc::system(command.as_ptr()) }
}

fn socket(library: &Library) -> i32 {
    let kind = libc::SOCK_STREAM | libc::SOCK_NONBLOCK;
    library.socket(libc::AF_INET, kind, 0).expect("a socket") as i32
}

/// The options of the SYN that a new connection sends.
fn syn_options(library: &Library) -> Vec<u8> {
    let remote = [2, 0, 31, 144, 192, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0];
    let socket = socket(library);
    assert_eq!(library.connect(socket, remote.as_ptr(), 16), Err(libc::EINPROGRESS));
    let (_, packet) = library.receive_packet().expect("a SYN");
    assert_eq!(library.close(socket), Ok(0));
    packet[40..].to_vec()
}

#[test]
fn getsockopt_reaches_the_stack() {
    if !is_preloaded() {
        return run_preloaded("getsockopt_reaches_the_stack");
    }
    let library = Library::new("");
    let listener = socket(&library);
    assert_eq!(library.listen(listener, 1), Ok(0));
    assert_eq!(state(listener), Ok(10), "TCP_LISTEN");
    // What is no descriptor of the stack is the kernel's.
    assert_eq!(state(0).err(), Some(libc::ENOTSOCK));
    library.free();
    assert_eq!(state(listener).err(), Some(libc::ENOTSOCK), "/dev/null");
}

#[test]
fn a_shell_command_sets_the_stack_and_not_the_kernel() {
    if !is_preloaded() {
        return run_preloaded("a_shell_command_sets_the_stack_and_not_the_kernel");
    }
    let library = Library::new("");
    let before = syn_options(&library);
    assert_eq!(before[4..8], [4, 2, 8, 10], "SACK and timestamps");
    // There is no such program; if it were run the status would say so.
    assert_eq!(shell("/nowhere/sysctl -q net.ipv4.tcp_sack=0 net.ipv4.tcp_timestamps=0"), 0);
    assert_eq!(syn_options(&library), [2, 4, 5, 180, 1, 3, 3, 7]);
    // Something else is run, and what sets the stack beside it still does.
    assert_eq!(shell("sysctl net.ipv4.tcp_window_scaling=0; exit 3") >> 8, 3);
    assert_eq!(syn_options(&library), [2, 4, 5, 180]);
    library.free();
}

#[test]
fn sendfile_sends_through_the_stack() {
    if !is_preloaded() {
        return run_preloaded("sendfile_sends_through_the_stack");
    }
    let library = Library::new("fastopen=5");
    let socket = socket(&library);
    let path = std::env::temp_dir().join(format!("ackclock-sendfile-{}", std::process::id()));
    let mut file = std::fs::File::create_new(&path).expect("a file");
    file.write_all(b"zero one two").expect("a file");
    let file = std::fs::File::open(&path).expect("the file");
    let _ = std::fs::remove_file(&path);
    let remote = [2, 0, 31, 144, 192, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0];
    let (level, name) = (libc::IPPROTO_TCP, 30);
    assert_eq!(library.setsockopt(socket, level, name, 1_i32.to_ne_bytes().as_ptr(), 4), Ok(0));
    assert_eq!(library.connect(socket, remote.as_ptr(), 16), Ok(0), "TCP_FASTOPEN_CONNECT");
    let mut offset = 5;
    // SAFETY: descriptors and a number.
    let sent =
        unsafe { libc::sendfile(socket, std::os::fd::AsRawFd::as_raw_fd(&file), &mut offset, 100) };
    assert_eq!((sent, offset), (7, 12));
    let (_, packet) = library.receive_packet().expect("a SYN with data");
    assert!(packet.ends_with(b"one two"));
    library.free();
}

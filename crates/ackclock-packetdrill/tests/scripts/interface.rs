//! What the caller sees of the library itself.

use crate::library::{Library, path};
use crate::other_calls::{halves, message};
use crate::player::{check, play};
use std::process::Command;
use std::ptr::null_mut;

#[test]
fn one_symbol_is_exported() {
    let nm = Command::new("nm").args(["-D", "--defined-only"]).arg(path()).output();
    let text = String::from_utf8(nm.expect("nm of the binutils").stdout).expect("text");
    let symbols: Vec<&str> = text.lines().filter_map(|line| line.split(' ').next_back()).collect();
    assert_eq!(symbols, ["packetdrill_interface_init"]);
}

/// The test below runs this one in a process of its own, because it ends it.
#[test]
fn flags_of_another_process() {
    if let Ok(flags) = std::env::var("ACKCLOCK_TEST_FLAGS") {
        Library::new(&flags);
    }
}

#[test]
fn unknown_flags_end_the_process_with_a_message() {
    let test = std::env::current_exe().expect("a test knows where it is");
    let output = Command::new(test)
        .args(["--exact", "interface::flags_of_another_process", "--nocapture"])
        .env("ACKCLOCK_TEST_FLAGS", "colour=blue")
        .output()
        .expect("a process");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(message.contains("ackclock: flag `colour=blue`: there is no `colour`"), "{message}");
}

/// RFC 8985 section 7, chosen by a flag.
#[test]
fn a_flag_chooses_the_recovery() {
    check(
        "
        flags recovery=rack
        established
        write c 2000
        > . 1:1001(1000) ack 1
        > P. 1001:2001(1000) ack 1
        +0.02 > P. 1001:2001(1000) ack 1
        +0.01 < . 1:1(0) ack 1 <sack 1001:2001>
        > . 1:1001(1000) ack 1
        info c ca_state = 3
        ",
    );
}

#[test]
fn flags_set_the_initial_window_and_the_least_timeout() {
    check(
        "
        flags iw=2,rto_min=500
        established
        write c 3000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        info c snd_cwnd = 2
        +0.51 > . 1:1001(1000) ack 1
        ",
    );
}

/// packetdrill reads the letters of the flags as a word, and `.` behind it only.
#[test]
fn a_trace_is_written_as_scripts_are() {
    let test = std::env::current_exe().expect("a test knows where it is");
    let output = Command::new(test)
        .args(["--exact", "interface::a_traced_connection", "--nocapture"])
        .env("ACKCLOCK_TEST_TRACE", "on")
        .output()
        .expect("a process");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(
        lines[..7],
        [
            "// 192.168.0.1:8080 192.0.2.1:6000",
            "0.000004 < S 0:0(0) win 60000 <mss 1000,nop,nop,sackOK>",
            "// 0.000004 CLOSED -> SYN-RECEIVED",
            "0.000004 > S. 0:0(0) ack 1 win 60000 <mss 1460,nop,nop,sackOK>",
            "0.010001 < . 1:1(0) ack 1 win 60000",
            "// 0.010001 SYN-RECEIVED -> ESTABLISHED",
            "0.010002 > PU. 1:101(100) ack 1 win 60000 urg 100",
        ]
    );
}

/// The test above runs this one in a process of its own, because it writes to stderr.
#[test]
fn a_traced_connection() {
    if std::env::var_os("ACKCLOCK_TEST_TRACE").is_some() {
        let script = "flags trace=on\n established\n write c 100 oob\n > PU. 1:101(100) ack 1";
        assert_eq!(play(script), Ok(()));
    }
}

/// RFC 5961 section 4: it is answered with a challenge ack, whose numbers are those from before.
#[test]
fn a_trace_survives_a_stray_syn() {
    let test = std::env::current_exe().expect("a test knows where it is");
    let output = Command::new(test)
        .args(["--exact", "interface::a_traced_stray_syn", "--nocapture"])
        .env("ACKCLOCK_TEST_TRACE", "on")
        .output()
        .expect("a process");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = told.lines().last().unwrap_or_default();
    assert_eq!(last, "0.010002 > . 1:1(0) ack 1 win 60000", "{told}");
}

/// The test above runs this one in a process of its own, because it writes to stderr.
#[test]
fn a_traced_stray_syn() {
    if std::env::var_os("ACKCLOCK_TEST_TRACE").is_some() {
        let script = "flags trace=on\n established\n < S 500:500(0)\n > . 1:1(0) ack 1";
        assert_eq!(play(script), Ok(()));
    }
}

/// `local=` is an address before anything is bound or connected: a SYN to it is refused (RFC 9293 section 3.10.7.1).
#[test]
fn the_local_address_is_there_from_the_start() {
    check(
        "
        < S 0:0(0)
        > R. 0:0(0) ack 1
        ",
    );
}

#[test]
fn the_clock_never_stands_still() {
    let library = Library::new("");
    let (first, second) = (library.clock(), library.clock());
    assert_eq!(second - first, 1);
    library.free();
}

#[test]
fn waiting_for_a_packet_ends() {
    let library = Library::new("");
    let begin = library.clock();
    assert_eq!(library.receive_packet(), None);
    assert_eq!(library.clock() - begin, 5_000_001);
    library.free();
}

#[test]
fn a_descriptor_closed_behind_our_back_can_be_used_again() {
    let library = Library::new("");
    let first = library.socket(libc::AF_INET, libc::SOCK_STREAM, 0).expect("a socket");
    // SAFETY: the library's descriptor is the kernel's; the caller may close it.
    assert_eq!(unsafe { libc::close(first as i32) }, 0);
    for _ in 0..3 {
        let again = library.socket(libc::AF_INET, libc::SOCK_STREAM, 0).expect("a socket");
        assert_eq!(library.listen(again as i32, 1), Ok(0));
        assert_eq!(library.close(again as i32), Ok(0));
    }
    library.free();
}

/// packetdrill compares options in order and padding; all but the timestamps' values.
#[test]
fn options_of_a_syn_stand_in_linuxs_order() {
    let library = Library::new("profile=linux");
    let kind = libc::SOCK_STREAM | libc::SOCK_NONBLOCK;
    let socket = library.socket(libc::AF_INET, kind, 0).expect("a socket") as i32;
    let remote = [2, 0, 31, 144, 192, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(library.connect(socket, remote.as_ptr(), 16), Err(libc::EINPROGRESS));
    let (_, packet) = library.receive_packet().expect("a SYN");
    let options = &packet[40..];
    assert_eq!(options[..8], [2, 4, 5, 180, 4, 2, 8, 10]);
    assert_eq!(options[16..], [1, 3, 3, 7]);
    library.free();
}

#[test]
fn a_script_that_does_not_hold_fails() {
    let too_late = play("established\n < P. 1:11(10) ack 1\n +0.05 > . 1:1(0) ack 11");
    assert!(too_late.is_err_and(|failure| failure.problem.contains("sent 0.05")));
    let unexpected = play("established\n < P. 1:11(10) ack 1\n +0.05 quiet");
    assert!(unexpected.is_err_and(|failure| failure.problem.contains("no line expects")));
    let wrong = play("established\n read c 10 dontwait");
    assert!(wrong.is_err_and(|failure| failure.problem == "it answered EAGAIN"));
    let nobody = play("established\n peer 5\n < S 0:0(0)");
    assert!(nobody.is_err_and(|failure| failure.problem.contains("no peer 5 yet")));
}

#[test]
fn wrong_calls_fail_as_in_a_kernel() {
    check(
        "
        socket = fd s
        socket raw = EPROTONOSUPPORT
        listen 99 1 = EBADF
        accept s = EINVAL
        read s 1 = ENOTCONN
        write s 1 = EPIPE
        shutdown s wr = ENOTCONN
        bind s
        bind s = EINVAL
        socket = fd t
        bind t = EADDRINUSE
        poll s in|out 0 = out|hup
        poll 99 in 0 = nval
        set s TCP_FASTOPEN -1 = EINVAL
        set s TCP_FASTOPEN_KEY 00 = EINVAL
        set s SO_TIMESTAMPING 128 = EINVAL
        set s SO_ZEROCOPY 2 = EINVAL
        set s TCP_INQ 2 = EINVAL
        set s TCP_FASTOPEN_CONNECT 2 = EINVAL
        get s TCP_ZEROCOPY_RECEIVE = ENOPROTOOPT
        set s TCP_ULP 0 = ENOENT
        set s TCP_MAXSEG 10 = EINVAL
        set s TCP_KEEPIDLE 0 = EINVAL
        set s IP_TTL 0 = EINVAL
        set s TCP_CONGESTION vegas3 = ENOENT
        ",
    );
}

/// Buffers and lists of parts that are nowhere, alone and beside others: as `man 2 read` and `man 2 readv` have it.
#[test]
fn null_buffers_are_refused() {
    let library = Library::new("profile=linux");
    let fd = library.socket(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_NONBLOCK, 0);
    let fd = fd.expect("a socket") as i32;
    let nowhere = Err(libc::EFAULT);
    assert_eq!(library.read(fd, null_mut(), 10), nowhere);
    assert_eq!(library.recv(fd, null_mut(), 10, 0), nowhere);
    assert_eq!(library.write(fd, null_mut(), 10), nowhere);
    assert_eq!(library.send(fd, null_mut(), 10, 0), nowhere);
    let mut bytes = [0; 9];
    let mut parts = halves(&mut bytes);
    parts[1].iov_base = null_mut();
    assert_eq!(library.readv(fd, parts.as_ptr(), 2), nowhere);
    assert_eq!(library.writev(fd, parts.as_ptr(), 2), nowhere);
    assert_eq!(library.recvmsg(fd, &mut message(&mut parts), 0), nowhere);
    assert_eq!(library.sendmsg(fd, &message(&mut parts), 0), nowhere);
    assert_eq!(library.readv(fd, null_mut(), 2), nowhere);
    assert_eq!(library.pipe(null_mut()), nowhere);
    // Nothing need be where nothing is.
    parts[1].iov_len = 0;
    assert_ne!(library.readv(fd, parts.as_ptr(), 2), nowhere);
    assert_ne!(library.write(fd, null_mut(), 0), nowhere);
    assert_eq!(library.close(fd), Ok(0));
    library.free();
}

//! Network namespaces for tests.

use ackclock_host::tun::Tun;
use ackclock_testkit::kernel_watch::KernelWatch;
use rustix::thread::{UnshareFlags, unshare_unsafe};
use std::io::Write;
use std::panic::resume_unwind;
use std::process::Command;
use std::thread;

/// Runs a test in a thread with a network namespace of its own, which is removed when the test and
/// the threads that it started are over.
pub(crate) fn in_namespace(test: impl FnOnce() + Send) {
    let test_thread = thread::current();
    let run = || match enter() {
        Ok(()) => {
            let _watch = KernelWatch::begin(test_thread.name().unwrap_or("a kernel test"));
            test();
        }
        Err(reason) => skip(test_thread.name().unwrap_or("a kernel test"), &reason),
    };
    let joined = thread::scope(|scope| scope.spawn(run).join());
    joined.unwrap_or_else(|panic| resume_unwind(panic));
}

/// Moves the calling thread into a new namespace; says what is missing if it cannot.
fn enter() -> Result<(), String> {
    // A program that a test starts holds its descriptors from fork to exec. With a table of its own
    // no test keeps another one's device or socket open in that moment.
    let own = UnshareFlags::NEWNET | UnshareFlags::FILES;
    // SAFETY: a test neither takes an open descriptor from other threads nor gives one to any but
    // those that it starts, which share its table.
    unsafe { unshare_unsafe(own) }
        .map_err(|error| format!("cannot make a network namespace ({error}): run it as root"))?;
    let mut loopback = Command::new("ip");
    match loopback.args(["link", "set", "dev", "lo", "up"]).status() {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(format!("'ip link set dev lo up' failed: {status}")),
        Err(error) => return Err(format!("cannot run ip ({error}): install iproute2")),
    }
    let probe = Tun::open(&"probe".parse().expect("a usable name"));
    probe.map(|_| ()).map_err(|error| error.to_string())
}

fn skip(test: &str, reason: &str) {
    let required = ["CI", "ACKCLOCK_REQUIRE_KERNEL_TESTS"];
    if let Some(variable) = required.into_iter().find(|name| std::env::var_os(name).is_some()) {
        panic!("{reason} ({variable} is set, so that kernel tests may not be skipped)");
    }
    // Written to stderr directly, since the test runner would hide a print.
    let _ = writeln!(std::io::stderr(), "skipped {test}: {reason}");
}

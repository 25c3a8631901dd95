//! Shell scripts in a network namespace of their own. They need root: without privilege the tests print that
//! they are skipped, or fail if `CI` or `ACKCLOCK_REQUIRE_KERNEL_TESTS` is set.

use ackclock_testkit::kernel_watch::KernelWatch;
use rustix::thread::{UnshareFlags, unshare_unsafe};
use serde_json::Value;
use std::io::Write;
use std::panic::resume_unwind;
use std::process::{Command, Output};
use std::thread;

/// Time limit of a script in seconds: far more than one needs, so that only a script that hangs is ended.
const PATIENCE: &str = "120";

/// Runs a shell script in a new network namespace (with folders for the names of others), with the
/// program as `$A` and `serve` to start a service in the background; `None` if there is no privilege
/// for that.
pub(crate) fn in_namespace(script: &str) -> Option<Output> {
    if let Err(reason) = probe() {
        let required = ["CI", "ACKCLOCK_REQUIRE_KERNEL_TESTS"];
        if let Some(variable) = required.into_iter().find(|name| std::env::var_os(name).is_some()) {
            panic!("{reason} ({variable} is set, so that kernel tests may not be skipped)");
        }
        // Written directly, since the test runner hides the output of `eprintln` in tests that pass.
        let _ = writeln!(std::io::stderr(), "skipped a TUN test: {reason}");
        return None;
    }
    let prelude = r#"
        set -e
        ip link set dev lo up
        mount -t tmpfs tmpfs /run
        work=$(mktemp -d)
        trap 'kill $(jobs -p) 2>/dev/null || true; rm -r "$work"' EXIT
        # begin NAME WORD COMMAND...: in the background, until it says the word on standard error;
        # its report will be in $work/NAME.
        begin() {
            name=$1
            word=$2
            shift 2
            # The background empties the file too, but later than it is looked into.
            : >"$work/$name.ready"
            "$@" >"$work/$name" 2>"$work/$name.ready" &
            until grep -q "$word" "$work/$name.ready"; do sleep 0.01; done
        }
        # A namespace "peer" with 10.1.0.2 at the other end of v0, which has 10.1.0.1.
        neighbour() {
            ip netns add peer
            ip link add v0 type veth peer name v1 netns peer
            ip address add 10.1.0.1/24 dev v0
            ip -n peer address add 10.1.0.2/24 dev v1
            ip link set v0 up
            ip -n peer link set v1 up
            ip -n peer link set lo up
        }
        at_peer() { ip netns exec peer "$@"; }
        # serve NAME ARGUMENT...
        serve() {
            name=$1
            shift
            begin "$name" serving "$A" serve "$@"
        }
    "#;
    let test = thread::current();
    let run = || {
        // SAFETY: the thread has no descriptors, and what it starts is in its network namespace as it is.
        unsafe { unshare_unsafe(UnshareFlags::NEWNET) }.expect("a network namespace");
        let _watch = KernelWatch::begin(test.name().unwrap_or("a script"));
        // Processes that the script leaves running end with its process namespace.
        Command::new("unshare")
            .args(["--mount", "--pid", "--fork", "timeout", PATIENCE, "bash", "-c"])
            .arg(format!("{prelude}\n{script}"))
            .env("A", env!("CARGO_BIN_EXE_ackclock"))
            .output()
    };
    let output = thread::scope(|scope| scope.spawn(run).join());
    Some(output.unwrap_or_else(|panic| resume_unwind(panic)).expect("unshare runs"))
}

/// Checks that everything the scripts need is there; the error names what is missing.
fn probe() -> Result<(), String> {
    let script = "for program in ping nft iptables ethtool curl git iperf3 python3; do
            command -v $program >/dev/null || { echo no $program >&2; exit 1; }
        done
        ip link set dev lo up && ip tuntap add dev probe mode tun";
    let output = Command::new("unshare").args(["--net", "sh", "-c", script]).output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!(
            "cannot make a namespace with a TUN interface and programs in it ({}): run it as root, \
             with iputils-ping, nftables, iptables, ethtool, curl, git, iperf3 and python3 installed",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
        Err(error) => Err(format!("cannot run unshare ({error}): install util-linux")),
    }
}

/// Reads the JSON objects that a script printed, one after another.
pub(crate) fn reports(output: &Output) -> Vec<Value> {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let objects = serde_json::Deserializer::from_slice(&output.stdout).into_iter();
    objects.map(|object| object.expect("a JSON object")).collect()
}

//! Common functions of the tests of programs over TUN. A program that a test starts runs in the test's network
//! namespace.
#![allow(dead_code, reason = "no test needs all of it")]

use ackclock_host::setup::TunSetup;
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longer than anything takes here, and short enough that a call that hangs fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Makes a TUN interface, up, whose other end has this address; it stays until the namespace goes.
pub(crate) fn interface(name: &str, address: &str) {
    let setup = TunSetup::new(name.parse().unwrap(), vec![address.parse().unwrap()]);
    setup.creation().run().unwrap();
    setup.apply().unwrap();
}

/// A program that is ended with this.
pub(crate) struct Ended(pub(crate) Child);

impl Ended {
    pub(crate) fn spawn(program: &str, arguments: &[&str]) -> Self {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null());
        let child = command.stderr(Stdio::null()).spawn();
        Ended(child.unwrap_or_else(|error| panic!("cannot run {program}: {error}")))
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        // One that has ended by itself cannot be killed.
        let _ = self.0.kill();
        self.0.wait().expect("it was started");
    }
}

/// The output of a program that succeeds.
pub(crate) fn output(program: &str, arguments: &[&str]) -> Vec<u8> {
    let done = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let done = done.unwrap_or_else(|error| panic!("cannot run {program}: {error}"));
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{program} {arguments:?}: {}: {said}", done.status);
    done.stdout
}

/// Waits until connections are accepted there.
pub(crate) fn wait_for(server: &str) {
    let (server, end) = (server.parse().unwrap(), Instant::now() + PATIENCE);
    while TcpStream::connect_timeout(&server, PATIENCE).is_err() {
        assert!(Instant::now() < end, "nobody listens at {server}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// An empty folder.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("ackclock-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

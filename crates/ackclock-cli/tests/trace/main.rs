//! `ackclock trace`: as its users see it, and compared with other programs that read captures.

#[cfg(target_os = "linux")]
mod agreement;
mod command;
mod judge;
#[cfg(target_os = "linux")]
#[expect(dead_code, reason = "no report of a service is looked at here")]
#[path = "../namespace/mod.rs"]
mod namespace;
#[cfg(target_os = "linux")]
mod others;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs the program.
fn ackclock(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_ackclock");
    Command::new(program).args(arguments).output().expect("the program starts")
}

/// Directory that is removed when the value is dropped.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ackclock-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("it can be made");
        Directory(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a path of text").to_owned()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // What a test fails about is kept.
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

/// Runs an emulated transfer and captures it.
#[track_caller]
fn capture(file: &str, arguments: &[&str]) {
    let output = ackclock(&[arguments, &["--pcap", file]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

/// Output of the program about a capture, as JSON.
#[track_caller]
fn json(file: &str) -> Value {
    let output = ackclock(&["trace", file, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Cuts a file short.
fn truncate(file: &str, bytes: u64) {
    let length = Path::new(file).metadata().expect("it is there").len();
    let file = std::fs::File::options().write(true).open(file).expect("it can be opened");
    file.set_len(length - bytes).expect("it can be cut");
}

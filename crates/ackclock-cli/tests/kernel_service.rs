//! `ackclock serve --via kernel`, which needs no privilege, and its clients on ordinary sockets.
#![cfg(unix)]

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

/// Time limit of a blocking call: far more than one needs, so that only a call that hangs fails.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running service.
struct Service {
    process: Child,
    /// Standard error, kept open so that the service can write to it.
    _stderr: BufReader<ChildStderr>,
    port: u16,
}

impl Service {
    fn start(arguments: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_ackclock"))
            .arg("serve")
            .args(arguments)
            .args(["--via", "kernel", "--port", "0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut stderr = BufReader::new(process.stderr.take().expect("a pipe"));
        let mut line = String::new();
        stderr.read_line(&mut line).expect("a line");
        let place = line.split([' ', ';']).nth(3).expect("where it listens");
        let port = place.rsplit(':').next().expect("a port").parse().expect("a number");
        Service { process, _stderr: stderr, port }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream.set_write_timeout(Some(PATIENCE)).expect("a timeout");
        stream
    }

    /// Waits for the end of the service; returns its exit status and output.
    fn end(mut self) -> (Option<i32>, Vec<u8>) {
        let mut printed = Vec::new();
        let mut stdout = self.process.stdout.take().expect("a pipe");
        stdout.read_to_end(&mut printed).expect("the end");
        (self.process.wait().expect("the end").code(), printed)
    }
}

impl Drop for Service {
    /// Ends the service, so that a failing test leaves none behind.
    fn drop(&mut self) {
        // Both calls have no effect on a process that has been waited for.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn echo_sends_everything_back_and_tells_so_in_json() {
    let service = Service::start(&["echo", "--once", "--json"]);
    let mut stream = service.connect();
    stream.write_all(b"all of this").expect("sent");
    stream.shutdown(Shutdown::Write).expect("half-closed");
    let mut back = Vec::new();
    stream.read_to_end(&mut back).expect("received");
    assert_eq!(back, b"all of this");

    let (status, printed) = service.end();
    assert_eq!(status, Some(0));
    let report: Value = serde_json::from_slice(&printed).expect("one JSON object");
    assert_eq!(report["schema"], 1);
    assert_eq!(report["service"], "echo");
    assert_eq!(report["via"], "kernel");
    assert_eq!(report["completed_connections"], 1);
    assert_eq!((&report["received_bytes"], &report["sent_bytes"]), (&11.into(), &11.into()));
}

#[test]
fn discard_says_nothing_back() {
    let service = Service::start(&["discard", "--once"]);
    let mut stream = service.connect();
    stream.write_all(&[7; 100_000]).expect("sent");
    stream.shutdown(Shutdown::Write).expect("half-closed");
    let mut back = Vec::new();
    stream.read_to_end(&mut back).expect("the end");
    assert!(back.is_empty());

    let (status, printed) = service.end();
    assert_eq!(status, Some(0));
    let text = String::from_utf8(printed).expect("text");
    assert!(
        text.contains("1 connections (1 completed, 0 failed), 100000 bytes received"),
        "{text}"
    );
}

#[test]
fn a_port_in_use_is_the_environments_fault_and_the_command_to_look_is_named() {
    let taken = TcpListener::bind(("::", 0)).or_else(|_| TcpListener::bind(("0.0.0.0", 0)));
    let port = taken.as_ref().expect("a port").local_addr().expect("its number").port();
    let output = Command::new(env!("CARGO_BIN_EXE_ackclock"))
        .args(["serve", "echo", "--via", "kernel", "--port", &port.to_string()])
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8(output.stderr).expect("text");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains(&format!("ss -ltnp sport = :{port}")), "{text}");
}

#[test]
fn an_interrupt_ends_the_service_with_its_summary() {
    let service = Service::start(&["chargen"]);
    let mut stream = service.connect();
    let mut start = [0; 74];
    stream.read_exact(&mut start).expect("a line of characters");
    assert_eq!(start[72..], *b"\r\n");
    drop(stream);
    let pid = service.process.id().to_string();
    let killed = Command::new("kill").args(["-INT", &pid]).status().expect("kill runs");
    assert!(killed.success());
    let (status, printed) = service.end();
    assert_eq!(status, Some(0));
    let text = String::from_utf8(printed).expect("text");
    assert!(text.starts_with("chargen on "), "{text}");
}

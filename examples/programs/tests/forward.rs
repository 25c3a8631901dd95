//! The port forwarder and the tun2socks, with the kernel's sockets at both ends.
#![cfg(target_os = "linux")]

#[path = "../../../crates/ackclock-host/tests/kernel/namespace.rs"]
mod namespace;
mod support;

use ackclock_programs::http::pattern;
use namespace::in_namespace;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::thread;
use support::{Ended, PATIENCE, interface, output, wait_for};

const FORWARD: &str = env!("CARGO_BIN_EXE_forward");
const TUN2SOCKS: &str = env!("CARGO_BIN_EXE_tun2socks");

/// A server at this address that echoes all received data after the end of the client's.
fn server(at: &str) {
    let listener = TcpListener::bind(at).unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let mut heard = Vec::new();
                stream.read_to_end(&mut heard).unwrap();
                stream.write_all(&heard).unwrap();
            });
        }
    });
}

/// The answer after the end of the sent data.
fn ask(server: &str, question: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect_timeout(&server.parse().unwrap(), PATIENCE).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(question).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    answer
}

#[test]
fn ports_are_forwarded_in_and_out_with_their_ends() {
    in_namespace(|| {
        interface("tun0", "10.7.0.2/24");
        server("127.0.0.1:8000");
        server("10.7.0.1:8001");
        let arguments = [
            "--tun",
            "tun0",
            "--in",
            "10.7.0.2:80=127.0.0.1:8000",
            "--in",
            "10.7.0.2:81=127.0.0.1:9",
            "--out",
            "127.0.0.1:8080=10.7.0.1:8001",
        ];
        let _forward = Ended::spawn(FORWARD, &arguments);
        for at in ["10.7.0.2:80", "127.0.0.1:8080"] {
            wait_for(at);
            let question = pattern(9, 3_000_000);
            assert!(ask(at, &question) == question, "{at}");
        }
        // No server listens there: the connection is reset, perhaps before the kernel has reported it.
        let heard = TcpStream::connect("10.7.0.2:81").and_then(|mut stream| {
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.read(&mut [0])
        });
        assert_eq!(heard.unwrap_err().kind(), std::io::ErrorKind::ConnectionReset);
    });
}

/// A SOCKS5 server (RFC 1928) for which every address is 127.0.0.1.
fn socks5(at: &str) {
    let listener = TcpListener::bind(at).unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut near = stream.unwrap();
            thread::spawn(move || {
                let mut greeting = [0; 2];
                near.read_exact(&mut greeting).unwrap();
                near.read_exact(&mut vec![0; greeting[1].into()]).unwrap();
                near.write_all(&[5, 0]).unwrap();
                let mut request = [0; 10];
                near.read_exact(&mut request).unwrap();
                assert_eq!(request[..8], [5, 1, 0, 1, 203, 0, 113, 1]);
                let port = u16::from_be_bytes([request[8], request[9]]);
                let far = TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], port)));
                let code = if far.is_ok() { 0 } else { 5 };
                near.write_all(&[5, code, 0, 1, 0, 0, 0, 0, 0, 0]).unwrap();
                let Ok(mut far) = far else {
                    return;
                };
                let (mut back_from, mut back_to) =
                    (far.try_clone().unwrap(), near.try_clone().unwrap());
                let back = thread::spawn(move || {
                    std::io::copy(&mut back_from, &mut back_to).unwrap();
                    back_to.shutdown(Shutdown::Write).unwrap();
                });
                std::io::copy(&mut near, &mut far).unwrap();
                far.shutdown(Shutdown::Write).unwrap();
                back.join().unwrap();
            });
        }
    });
}

#[test]
fn what_is_routed_into_the_interface_goes_to_the_proxy() {
    in_namespace(|| {
        interface("tun0", "10.7.0.2/24");
        output("ip", &["route", "add", "203.0.113.0/24", "dev", "tun0"]);
        socks5("127.0.0.1:1080");
        server("127.0.0.1:8000");
        let _tun2socks = Ended::spawn(TUN2SOCKS, &["tun0", "127.0.0.1:1080"]);
        wait_for("203.0.113.1:8000");
        let question = pattern(11, 3_000_000);
        assert!(ask("203.0.113.1:8000", &question) == question);
        // curl distinguishes a refusal from other errors.
        let refused = Command::new("curl").args(["--silent", "http://203.0.113.1:9"]).status();
        assert_eq!(refused.unwrap().code(), Some(7));
    });
}

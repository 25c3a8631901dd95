//! The WireGuard client, whose peer is another process with the kernel's TCP behind a TUN device.
#![cfg(target_os = "linux")]

#[path = "../../../crates/ackclock-host/tests/kernel/namespace.rs"]
mod namespace;
mod support;

use ackclock_programs::http::pattern;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use boringtun::x25519::{PublicKey, StaticSecret};
use namespace::in_namespace;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::thread;
use support::{Ended, PATIENCE, output};

/// A private key and its public one, in base64.
fn keys(seed: u8) -> [String; 2] {
    let secret = StaticSecret::from([seed; 32]);
    let public = PublicKey::from(&secret);
    [secret.to_bytes(), public.to_bytes()].map(|key| BASE64_STANDARD.encode(key))
}

#[test]
fn bytes_go_both_ways_through_the_tunnel() {
    in_namespace(|| {
        output("ip", &["tuntap", "add", "dev", "wg0", "mode", "tun"]);
        output("ip", &["address", "add", "10.9.0.1/24", "dev", "wg0"]);
        output("ip", &["link", "set", "dev", "wg0", "up", "mtu", "1420"]);
        let ([our_key, our_public], [their_key, their_public]) = (keys(1), keys(2));
        let endpoint = "127.0.0.1:51820";
        let _peer = Ended::spawn(
            env!("CARGO_BIN_EXE_wireguard_peer"),
            &["--key", &their_key, "--peer", &our_public, "--listen", endpoint, "--tun", "wg0"],
        );
        let listener = TcpListener::bind("10.9.0.1:7").unwrap();
        // Sends other data than it receives, so that the two cannot be confused.
        let server = thread::spawn(move || {
            let (mut stream, from) = listener.accept().unwrap();
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            let mut says = stream.try_clone().unwrap();
            let saying = thread::spawn(move || says.write_all(&pattern(100, 5_000_000)).unwrap());
            let mut heard = Vec::new();
            stream.read_to_end(&mut heard).unwrap();
            saying.join().unwrap();
            (heard, from.ip().to_string())
        });
        let mut client = Command::new(env!("CARGO_BIN_EXE_wireguard"));
        client.args(["--key", &our_key, "--peer", &their_public, "--endpoint", endpoint]);
        client.args(["--address", "10.9.0.2/32", "10.9.0.1:7"]);
        let client = client.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut client = client.unwrap();
        let mut stdin = client.stdin.take().unwrap();
        let saying = thread::spawn(move || stdin.write_all(&pattern(50, 5_000_000)).unwrap());
        let answer = client.wait_with_output().unwrap();
        saying.join().unwrap();
        assert!(answer.status.success(), "{}", answer.status);
        assert!(answer.stdout == pattern(100, 5_000_000), "{} bytes", answer.stdout.len());
        let (heard, from) = server.join().unwrap();
        assert!(heard == pattern(50, 5_000_000), "{} bytes", heard.len());
        assert_eq!(from, "10.9.0.2");
    });
}

//! A network over several queues of a TUN device, with the kernel at the other end.
#![cfg(target_os = "linux")]

#[path = "../../ackclock-host/tests/kernel/namespace.rs"]
mod namespace;

use ackclock_host::setup::TunSetup;
use ackclock_host::tun::{Offload, Tun};
use ackclock_net::{AnyListener, Ended, Net, NetConfig, SocketError, TcpListener, TcpStream};
use namespace::in_namespace;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::process::Command;
use std::thread;
use std::time::Duration;

const QUEUES: usize = 3;
const CONNECTIONS: usize = 24;
const LENGTH: usize = 100_000;
/// Longer than anything takes here, and short enough that a call that hangs fails.
const PATIENCE: Duration = Duration::from_secs(60);

fn network() -> Net {
    let setup = TunSetup::new("tun0".parse().unwrap(), vec!["10.7.0.2/24".parse().unwrap()]);
    let queues = Tun::open_queues(&"tun0".parse().unwrap(), Offload::Auto, QUEUES).unwrap();
    setup.apply().unwrap();
    Net::over_queues(queues, &NetConfig::new(["10.7.0.2/24".parse().unwrap()])).unwrap()
}

/// How many connections each queue's stack has.
fn connections(net: &Net) -> Vec<usize> {
    let mut all = Vec::new();
    net.each_stack(|_, stack| all.push(stack.states().count())).unwrap();
    all
}

fn bytes(which: usize) -> Vec<u8> {
    (which..).map(|at| (at % 251) as u8).take(LENGTH).collect()
}

/// Says something, ends, and hears the same.
fn ask(mut stream: impl Read + Write, end: impl FnOnce(), which: usize) {
    stream.write_all(&bytes(which)).unwrap();
    end();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    assert!(answer == bytes(which), "{} bytes", answer.len());
}

/// Says back what it has heard to the end.
fn answer(mut stream: impl Read + Write) {
    let mut heard = Vec::new();
    stream.read_to_end(&mut heard).unwrap();
    stream.write_all(&heard).unwrap();
}

#[test]
fn connections_from_the_kernel_are_accepted_on_whichever_queue_they_come() {
    in_namespace(|| {
        let net = network();
        let listener = TcpListener::bind(&net, "10.7.0.2:0").unwrap();
        let (at, any) = (listener.local_addr().unwrap(), AnyListener::bind(&net, 100).unwrap());
        // Some come to the listener, and some to an address that is nobody's.
        let status =
            Command::new("ip").args(["route", "add", "203.0.113.0/24", "dev", "tun0"]).status();
        assert!(status.unwrap().success());
        let clients: Vec<_> = (0..CONNECTIONS)
            .map(|which| {
                let to = if which % 2 == 0 { at } else { "203.0.113.5:80".parse().unwrap() };
                thread::spawn(move || {
                    let stream = std::net::TcpStream::connect_timeout(&to, PATIENCE).unwrap();
                    stream.set_read_timeout(Some(PATIENCE)).unwrap();
                    ask(&stream, || stream.shutdown(Shutdown::Write).unwrap(), which);
                })
            })
            .collect();
        let serves = thread::spawn(move || {
            let accepted = (0..CONNECTIONS / 2).map(|_| listener.accept().unwrap().0);
            accepted.map(|stream| thread::spawn(move || answer(stream))).collect::<Vec<_>>()
        });
        let requested: Vec<_> = (0..CONNECTIONS / 2)
            .map(|_| {
                let stream = any.request().unwrap().accept().unwrap();
                assert_eq!(stream.local_addr().unwrap().to_string(), "203.0.113.5:80");
                thread::spawn(move || answer(stream))
            })
            .collect();
        let all = serves.join().unwrap().into_iter().chain(requested).chain(clients);
        all.for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn connections_are_opened_on_the_queues_in_turn() {
    in_namespace(|| {
        let net = network();
        let listener = std::net::TcpListener::bind("10.7.0.1:7").unwrap();
        let serves = thread::spawn(move || {
            let accepted = listener.incoming().take(CONNECTIONS);
            let serve = |stream: std::io::Result<std::net::TcpStream>| {
                let stream = stream.unwrap();
                thread::spawn(move || answer(stream))
            };
            accepted.map(serve).collect::<Vec<_>>()
        });
        let streams: Vec<_> =
            (0..CONNECTIONS).map(|_| TcpStream::connect(&net, "10.7.0.1:7").unwrap()).collect();
        assert_eq!(connections(&net), [CONNECTIONS / QUEUES; QUEUES]);
        for (which, stream) in streams.iter().enumerate() {
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            ask(stream, || stream.shutdown(Shutdown::Write).unwrap(), which);
        }
        serves.join().unwrap().into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn a_device_that_is_deleted_ends_what_is_on_every_queue() {
    in_namespace(|| {
        let net = network();
        let listener = std::net::TcpListener::bind("10.7.0.1:7").unwrap();
        let streams: Vec<_> = (0..QUEUES)
            .map(|_| (TcpStream::connect(&net, "10.7.0.1:7").unwrap(), listener.accept().unwrap()))
            .collect();
        let waits = streams.iter().map(|(stream, _)| {
            let mut stream = stream.try_clone().unwrap();
            thread::spawn(move || stream.read(&mut [0]).unwrap_err())
        });
        let waits: Vec<_> = waits.collect();
        let status = Command::new("ip").args(["link", "delete", "dev", "tun0"]).status();
        assert!(status.unwrap().success());
        for wait in waits {
            let error = wait.join().unwrap();
            let source = error.get_ref().and_then(|source| source.downcast_ref());
            assert!(matches!(source, Some(SocketError::Network(Ended::Device(_)))), "{error:?}");
        }
    });
}

//! A stack without a heap, as firmware has it: every byte that it will ever use is lent once. Another of
//! its kind, at the other end of an Ethernet cable, talks to its echo service.

use ackclock::congestion::Reno;
use ackclock::link::ethernet::Ethernet;
use ackclock::profile::Internet;
use ackclock::stack::{Capabilities, Cidr, Stack, StackConfig, StackMemory};
use ackclock::storage::Buffer;
use ackclock::tcp::{Buffers, FlightRecord};
use ackclock::wire::EthernetAddress;

use ackclock::apps::{Application, Server, Service};
use ackclock::stack::{ListenConfig, Rejected, Transmit};
use ackclock::tcp::{Config, ReceiveError};
use ackclock::time::{Duration, Instant};
use std::error::Error;
use std::net::SocketAddr;

fn main() -> Result<(), Box<dyn Error>> {
    // One connection, one half-open, one in TIME-WAIT, one listener; 2 KiB each way.
    let (mut send, mut receive) = ([0; 2048], [0; 2048]);
    let (mut flight, mut reassembly) = ([FlightRecord::default(); 8], [Default::default(); 4]);
    let buffers = Buffers {
        send: Buffer::lent(&mut send),
        receive: Buffer::lent(&mut receive),
        flight: Buffer::lent(&mut flight),
        reassembly: Buffer::lent(&mut reassembly),
        ..Buffers::default()
    };
    let mut memory: StackMemory<'_, Reno, Internet, 1, 1, 1, 1> = StackMemory::new();
    println!("the stack itself takes {} bytes", size_of_val(&memory));
    let secret = [0x5eed, 0x5eed]; // 128 bits from your hardware's random numbers
    let config = StackConfig::new(Capabilities::with_mtu(1500), secret);
    let mut stack = Stack::new(config, Reno::default(), memory.storage([buffers]))?;
    stack.add_address(Cidr { address: [192, 0, 2, 1].into(), prefix: 24 })?;
    let mut ethernet: Ethernet = Ethernet::new(EthernetAddress([2, 0, 0, 0, 0, 1]));
    ethernet.set_gateway([192, 0, 2, 254].into())?;

    let mut now = Instant::ZERO;
    let address: SocketAddr = "192.0.2.1:7".parse()?;
    let mut places = [Default::default(); 1];
    let listen = ListenConfig::new(address);
    let mut echo = Server::new(Service::Echo, listen, Buffer::lent(&mut places));
    echo.start(now, &mut stack)?;

    // The other end. It listens to nobody, and nobody connects to it.
    let (mut send, mut receive) = ([0; 2048], [0; 2048]);
    let mut flight = [FlightRecord::default(); 8];
    let buffers = Buffers {
        send: Buffer::lent(&mut send),
        receive: Buffer::lent(&mut receive),
        flight: Buffer::lent(&mut flight),
        ..Buffers::default()
    };
    let mut memory: StackMemory<'_, Reno, Internet, 1, 0, 1, 0> = StackMemory::new();
    let config = StackConfig::new(Capabilities::with_mtu(1500), [1, 2]);
    let mut peer = Stack::new(config, Reno::default(), memory.storage([buffers]))?;
    peer.add_address(Cidr { address: [192, 0, 2, 2].into(), prefix: 24 })?;
    let mut cable: Ethernet = Ethernet::new(EthernetAddress([2, 0, 0, 0, 0, 2]));
    let client = peer.connect(now, address, None, &Config::default())?;
    peer.send(now, client, b"Is anybody there?")?;
    peer.shutdown(now, client)?;

    let (mut received, mut sent) = (Vec::<Vec<u8>>::new(), Vec::new());
    let (mut answer, mut bytes) = (Vec::new(), [0; 100]);
    loop {
        // The firmware's main loop: frames in, timers, events, frames out, until the next deadline.
        for frame in &received {
            ethernet.on_frame(now, &mut stack, frame);
        }
        stack.on_timeout(now);
        while let Some(event) = stack.poll_event() {
            echo.on_event(now, &mut stack, &event);
        }
        let mut send = |frame: &Transmit<'_>| keep(frame, &mut sent);
        while ethernet.transmit(now, &mut stack, &mut send).is_taken() {}
        let wake_at = stack.poll_at().min(ethernet.poll_at());

        // The same at the other end.
        for frame in sent.drain(..) {
            cable.on_frame(now, &mut peer, &frame);
        }
        peer.on_timeout(now);
        match peer.receive(now, client, &mut bytes) {
            Ok(n) => answer.extend_from_slice(&bytes[..n]),
            Err(ReceiveError::WouldBlock) => {}
            Err(ReceiveError::Finished) => break,
            Err(error) => return Err(error.into()),
        }
        received.clear();
        let mut send = |frame: &Transmit<'_>| keep(frame, &mut received);
        while cable.transmit(now, &mut peer, &mut send).is_taken() {}
        // A frame takes a millisecond; without one everybody sleeps.
        let quiet_until = wake_at.min(peer.poll_at()).min(cable.poll_at());
        now += Duration::from_millis(1);
        if received.is_empty() {
            now = now.max(quiet_until);
        }
    }
    println!("the echo service answers: {}", String::from_utf8_lossy(&answer));
    Ok(())
}

/// What a driver does with a frame to send; here it is kept for the other end.
fn keep(frame: &Transmit<'_>, frames: &mut Vec<Vec<u8>>) -> Result<(), Rejected> {
    let mut bytes = vec![0; frame.len()];
    if frame.copy_to(&mut bytes).is_some() {
        frames.push(bytes);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    /// The lines of a program without their indentation.
    fn lines(text: &str) -> String {
        text.lines().map(|line| line.trim().to_owned() + "\n").collect()
    }

    #[test]
    fn every_statement_that_the_readme_shows_is_in_this_example() {
        let example = lines(include_str!("lent_memory.rs").split("#[cfg(test)]").next().unwrap());
        let blocks = include_str!("../../../README.md").split("```rust\n").skip(1);
        let shown = blocks.map(|block| lines(block.split_once("```").unwrap().0));
        let statements: Vec<_> = shown.flat_map(|block| statements(&block)).collect();
        assert!(statements.len() > 15, "{statements:?}");
        for statement in statements {
            assert!(example.contains(&statement), "{statement}");
        }
    }

    fn statements(block: &str) -> Vec<String> {
        let pieces = block.split_inclusive(";\n").map(|piece| piece.trim_start().to_owned());
        pieces.filter(|piece| !piece.is_empty()).collect()
    }

    #[test]
    fn it_runs() {
        super::main().unwrap();
    }
}

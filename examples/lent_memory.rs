//! A stack without a heap, as firmware has it: every byte that it will ever use is lent once. A
//! second stack, which allocates, stands for the rest of the world and talks to its echo service.

use ackclock::apps::{Application, Server, Service};
use ackclock::congestion::{BuiltIn, Reno};
use ackclock::stack::{
    Capabilities, Cidr, ListenConfig, Stack, StackConfig, StackMemory, Storage, Transmit,
};
use ackclock::storage::Buffer;
use ackclock::tcp::{Buffers, Config, FlightRecord, ReceiveError};
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
    let mut memory: StackMemory<'_, Reno, 1, 1, 1, 1> = StackMemory::new();
    println!("the stack itself takes {} bytes", size_of_val(&memory));
    let secret = [0x5eed, 0x5eed]; // 128 bits from your hardware's random numbers
    let config = StackConfig::new(Capabilities::with_mtu(1500), secret);
    let mut stack = Stack::new(config, Reno::default(), memory.storage([buffers]))?;
    stack.add_address(Cidr { address: [192, 0, 2, 1].into(), prefix: 24 })?;

    let address: SocketAddr = "192.0.2.1:7".parse()?;
    let mut places = [Default::default(); 1];
    let listen = ListenConfig::new(address);
    let mut echo = Server::new(Service::Echo, listen, Buffer::lent(&mut places));
    let mut now = Instant::ZERO;
    echo.start(now, &mut stack)?;

    let world = StackConfig::new(Capabilities::with_mtu(1500), [1, 2]);
    let mut world = Stack::new(world, BuiltIn::default(), Storage::growing())?;
    world.add_address(Cidr { address: [192, 0, 2, 2].into(), prefix: 24 })?;
    let client = world.connect(now, address, None, &Config::default())?;
    let question = b"Is anybody there?";
    world.send(now, client, question)?;
    world.shutdown(now, client)?;

    let mut answer = Vec::new();
    let mut bytes = [0; 100];
    loop {
        // The firmware's main loop: packets in, timers, events, packets out.
        let mut packets = Vec::new();
        while world.transmit(now, &mut |packet| keep(packet, &mut packets)).is_some() {}
        for packet in packets.drain(..) {
            stack.on_packet(now, &packet);
        }
        stack.on_timeout(now);
        while let Some(event) = stack.poll_event() {
            echo.on_event(now, &mut stack, &event);
        }
        while stack.transmit(now, &mut |packet| keep(packet, &mut packets)).is_some() {}
        for packet in packets {
            world.on_packet(now, &packet);
        }
        world.on_timeout(now);
        match world.receive(now, client, &mut bytes) {
            Ok(n) => answer.extend_from_slice(&bytes[..n]),
            Err(ReceiveError::Finished) => break,
            Err(error) => return Err(error.into()),
        }
        now += Duration::from_millis(1);
    }
    println!("the echo service answers: {}", String::from_utf8_lossy(&answer));
    Ok(())
}

/// What a driver does with a packet to send; here it is kept for the other side.
fn keep(
    packet: &Transmit<'_>,
    packets: &mut Vec<Vec<u8>>,
) -> Result<(), ackclock::stack::Rejected> {
    let mut bytes = vec![0; packet.len()];
    if packet.copy_to(&mut bytes).is_some() {
        packets.push(bytes);
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
    fn the_readme_shows_how_this_example_begins() {
        let readme = include_str!("../README.md");
        let (_, from_code) = readme.split_once("```rust\n").unwrap();
        let (code, _) = from_code.split_once("```").unwrap();
        // What is imported is more here.
        let (_, statements) = code.split_once("\n\n").unwrap();
        let example = lines(include_str!("lent_memory.rs").split("#[cfg(test)]").next().unwrap());
        for part in lines(statements).split_inclusive(";\n") {
            assert!(example.contains(part), "{part}");
        }
    }
}

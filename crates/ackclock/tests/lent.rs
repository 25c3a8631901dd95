//! A stack whose memory is all lent, as firmware builds it: it works the same with and without the
//! `alloc` feature, and with every profile.

use ackclock::apps::{Application, Server, Service};
use ackclock::congestion::Reno;
use ackclock::profile::{Full, Internet, Present, Profile};
use ackclock::seq::SeqRange;
use ackclock::stack::{
    Capabilities, Cidr, ConnectError, Event, ListenConfig, Stack, StackConfig, StackMemory,
};
use ackclock::storage::Buffer;
use ackclock::tcp::{Buffers, Config, FlightRecord, ReceiveError};
use ackclock::time::{Duration, Instant};
use std::net::SocketAddr;

ackclock::profile! {
    /// The least that opens connections.
    struct Opening: least { ActiveOpen = Present }
}

const CONNECTIONS: usize = 2;
type Memory<'a, P> = StackMemory<'a, Reno, P, CONNECTIONS, 2, 2, 1>;

/// The memory of one connection: 2 KiB each way.
struct Lent<P: Profile> {
    send: [u8; 2048],
    receive: [u8; 2048],
    flight: [FlightRecord<P>; 8],
    reassembly: [SeqRange; 4],
}

impl<P: Profile> Lent<P> {
    fn new() -> Self {
        Lent {
            send: [0; 2048],
            receive: [0; 2048],
            flight: [FlightRecord::default(); 8],
            reassembly: [SeqRange::default(); 4],
        }
    }

    fn buffers(&mut self) -> Buffers<'_, P> {
        Buffers {
            send: Buffer::lent(&mut self.send),
            receive: Buffer::lent(&mut self.receive),
            flight: Buffer::lent(&mut self.flight),
            reassembly: Buffer::lent(&mut self.reassembly),
            ..Buffers::default()
        }
    }
}

fn stack<'a, P: Profile>(
    memory: &'a mut Memory<'a, P>,
    buffers: [Buffers<'a, P>; CONNECTIONS],
    last: u8,
) -> Stack<'a, Reno, P> {
    let config = StackConfig::new(Capabilities::with_mtu(576), [u64::from(last), 2]);
    let mut stack = Stack::new(config, Reno::default(), memory.storage(buffers)).unwrap();
    stack.add_address(Cidr { address: [10, 0, 0, last].into(), prefix: 24 }).unwrap();
    stack
}

/// Moves packets between both until neither has one, losing each `lose`-th; then lets a millisecond
/// pass.
fn exchange<P: Profile>(
    now: Instant,
    ends: &mut [&mut Stack<'_, Reno, P>; 2],
    moved: &mut u32,
    lose: u32,
) -> Instant {
    let mut packet = [0; 576];
    loop {
        let mut idle = true;
        for from in 0..2 {
            let mut len = None;
            ends[from].transmit(now, &mut |transmit| {
                len = transmit.copy_to(&mut packet);
                Ok(())
            });
            let Some(len) = len else { continue };
            idle = false;
            *moved += 1;
            if !moved.is_multiple_of(lose) {
                ends[1 - from].on_packet(now, &packet[..len]);
            }
        }
        if idle {
            break;
        }
    }
    // The applications do a little each millisecond.
    let next = now + Duration::from_millis(1);
    for end in ends.iter_mut() {
        end.on_timeout(next);
    }
    next
}

#[test]
fn fifty_echo_connections_one_after_another_on_two_slots() {
    fifty_echo_connections::<Full>();
    fifty_echo_connections::<Internet>();
    fifty_echo_connections::<Opening>();
}

fn fifty_echo_connections<P: Profile>() {
    // Of a profile that is not named here it is unknown that nothing happens when its memory is dropped.
    let [client_memory, server_memory] = [(); 2].map(|()| Box::leak(Box::new(Memory::new())));
    let lent = Box::leak(Box::new([(); 4].map(|()| Lent::<P>::new())));
    let [a, b, c, d] = lent.each_mut().map(Lent::buffers);
    let mut client = stack(client_memory, [a, b], 1);
    let mut server = stack(server_memory, [c, d], 2);
    let address: SocketAddr = "10.0.0.2:7".parse().unwrap();
    let mut places = [(); 2].map(|()| Default::default());
    let mut echo =
        Server::new(Service::Echo, ListenConfig::new(address), Buffer::lent(&mut places));
    let mut now = Instant::from_secs(1);
    echo.start(now, &mut server).unwrap();

    let message: Vec<u8> = (0..5_000u32).map(|n| (n % 251) as u8).collect();
    let mut moved = 0;
    for round in 0..50 {
        let handle = client.connect(now, address, None, &Config::default()).unwrap();
        let (mut sent, mut received, mut finished) = (0, Vec::new(), false);
        while !finished {
            assert!(now < Instant::from_secs(10_000), "round {round}: it goes on");
            sent += client.send(now, handle, &message[sent..]).unwrap_or(0);
            if sent == message.len() {
                client.shutdown(now, handle).unwrap();
            }
            let mut bytes = [0; 700];
            match client.receive(now, handle, &mut bytes) {
                Ok(n) => received.extend_from_slice(&bytes[..n]),
                Err(ReceiveError::WouldBlock) => {}
                Err(ReceiveError::Finished) => finished = true,
                Err(error) => panic!("round {round}: {error}"),
            }
            while let Some(event) = server.poll_event() {
                echo.on_event(now, &mut server, &event);
            }
            while let Some(Event::Connection { .. }) = client.poll_event() {}
            now = exchange(now, &mut [&mut client, &mut server], &mut moved, 20);
        }
        assert!(received == message, "round {round}");
        client.close(now, handle).unwrap();
    }
    let counted = if P::COUNTERS { 50 } else { 0 };
    assert_eq!(client.statistics().active_opens, counted);
    assert_eq!(server.statistics().passive_opens, counted);
}

#[test]
fn a_connection_does_not_start_from_an_address_of_another_family() {
    let mut lent = [(); CONNECTIONS].map(|()| Lent::<Full>::new());
    let mut memory = Memory::new();
    let mut stack = stack(&mut memory, lent.each_mut().map(Lent::buffers), 1);
    let remote = "10.0.0.2:7".parse().unwrap();
    for local in ["[fd00::1]:5000", "10.0.0.9:5000"] {
        let opened =
            stack.connect(Instant::ZERO, remote, Some(local.parse().unwrap()), &Config::default());
        assert_eq!(opened, Err(ConnectError::NoSourceAddress), "{local}");
    }
}

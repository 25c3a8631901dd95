//! An echo server (RFC 862) with two connections of 2 × 2 KiB.
#![no_std]
#![no_main]
#![forbid(unsafe_code)]

#[cfg(feature = "least")]
use ackclock::congestion::Fixed as Law;
#[cfg(not(feature = "least"))]
use ackclock::congestion::{Growth, Reno as Law};
#[cfg(feature = "least")]
use ackclock::profile::OneRange;
#[cfg(not(feature = "least"))]
use ackclock::profile::{FewRanges, Present};
use ackclock::stack::{ConnectionMemory, Event, Handle, Stack, StackMemory};
use ackclock::tcp::Connection;
#[cfg(not(feature = "least"))]
use ackclock::tcp::{flight, recovery};
use ackclock::time::Instant;
use board::{Board, FrameBuffer, Once};
use core::net::{Ipv4Addr, SocketAddr};
use firmware::Node;

const CONNECTIONS: usize = 2;
/// Handshakes that are not finished, and connections in TIME-WAIT, have records of their own.
const HALF_OPEN: usize = 2;
const TIME_WAIT: usize = 2;
/// Addresses, and answers without a connection that may wait for the controller: resets and acks of
/// the records above, and data of echo replies, as much as every host must be able to receive (RFC 1122
/// section 3.3.2: datagrams of 576 bytes).
const ADDRESSES: usize = 1;
const REPLIES: usize = 4;
const ECHO_BYTES: usize = 548;
/// Bytes that are moved from one queue to the other at a time.
const CHUNK: usize = 128;

#[cfg(feature = "least")]
/// As much as the peer and the queues have room for.
const LAW: Law = Law::segments(64);
#[cfg(not(feature = "least"))]
const LAW: Law = Law::new(Growth::ByteCounting { limit: 2 });

#[cfg(feature = "least")]
ackclock::profile! {
    /// Parts of the image: a place for one out-of-order range of data.
    struct Parts: least { Ranges = OneRange }
}
#[cfg(not(feature = "least"))]
ackclock::profile! {
    /// Parts of the image: SACK both ways with RFC 6675, timestamps and window scaling.
    struct Parts: least {
        Flight = flight::Records,
        Ranges = FewRanges,
        Recovery = recovery::Rfc6675,
        Sack = Present,
        Timestamps = Present,
        WindowScaling = Present,
    }
}

type Memory = StackMemory<
    'static,
    Law,
    Parts,
    CONNECTIONS,
    HALF_OPEN,
    TIME_WAIT,
    1,
    0,
    ADDRESSES,
    REPLIES,
    ECHO_BYTES,
>;

/// The lent memory: all zeros, so that the image contains no initial value for it.
struct Room {
    memory: Memory,
    connections: [ConnectionMemory<Parts, 2048, 4, 3>; CONNECTIONS],
    frame: FrameBuffer,
}

static ROOM: Once<Room> = Once::new(Room {
    memory: Memory::new(),
    connections: [const { ConnectionMemory::new() }; CONNECTIONS],
    frame: board::NO_FRAME,
});
static STACK: Once<Stack<'static, Law, Parts>> = Once::new(Stack::empty(Node::STACK, LAW));

board::connection!(Connection<'static, Law, Parts>);

#[board::entry]
fn main() -> ! {
    let (Some((stack, frame)), Some(board)) = (start(), Board::take()) else {
        board::console::exit(1)
    };
    board::console::say(c"ready\n");
    serve(stack, &mut Node::new(board, frame))
}

/// Starts the stack. The call stack that this needs is free again afterwards.
#[inline(never)]
fn start() -> Option<(&'static mut Stack<'static, Law, Parts>, &'static mut FrameBuffer)> {
    let stack = STACK.take()?;
    let Room { memory, connections, frame } = ROOM.take()?;
    stack.lend(memory.storage(connections.each_mut())).ok()?;
    stack.add_address(Node::address()).ok()?;
    stack.listen(Node::listen(SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), 7))).ok()?;
    Some((stack, frame))
}

#[inline(never)]
fn serve(stack: &mut Stack<'static, Law, Parts>, node: &mut Node<'_>) -> ! {
    loop {
        let now = node.receive(stack);
        while let Some(event) = stack.poll_event() {
            match event {
                Event::Acceptable(listener) => {
                    while let Some(handle) = stack.accept(listener) {
                        echo(now, stack, handle);
                    }
                }
                Event::Connection { handle, .. } => echo(now, stack, handle),
                _ => {}
            }
        }
        node.transmit(now, stack);
    }
}

/// Sends back received data, as far as there is room. The rest stays in the receive queue: the
/// window holds the peer back.
fn echo(now: Instant, stack: &mut Stack<'_, Law, Parts>, handle: Handle) {
    let mut chunk = [0; CHUNK];
    loop {
        let room = stack.send_room(handle).min(CHUNK);
        let place = chunk.get_mut(..room).unwrap_or_default();
        let received = stack.receive(now, handle, place).unwrap_or_default();
        if received == 0 {
            break;
        }
        let _ = stack.send(now, handle, place.get(..received).unwrap_or_default());
    }
    let Some(readiness) = stack.readiness(handle) else { return };
    if readiness.closed {
        let _ = stack.close(now, handle);
    } else if readiness.finished {
        let _ = stack.shutdown(now, handle);
    }
}

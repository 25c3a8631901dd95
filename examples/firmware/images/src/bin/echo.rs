//! An echo server (RFC 862) with two connections of 2 × 2 KiB in less than 16 KiB of RAM.
#![no_std]
#![no_main]
#![forbid(unsafe_code)]

use ackclock::congestion::Reno;
use ackclock::stack::{Event, Handle, Stack, StackMemory};
use ackclock::time::Instant;
use board::{Board, FrameBuffer, Once};
use core::net::{Ipv4Addr, SocketAddr};
use firmware::{Node, Queues};

const CONNECTIONS: usize = 2;
/// Handshakes that are not finished, and connections in TIME-WAIT, have records of their own.
const HALF_OPEN: usize = 2;
const TIME_WAIT: usize = 2;
/// Bytes that are moved from one queue to the other at a time.
const CHUNK: usize = 128;

static MEMORY: Once<StackMemory<'static, Reno, CONNECTIONS, HALF_OPEN, TIME_WAIT, 1>> =
    Once::new(StackMemory::new());
static QUEUES: Once<[Queues<2048, 4, 3>; CONNECTIONS]> = Once::new([Queues::EMPTY; CONNECTIONS]);
static FRAME: Once<FrameBuffer> = Once::new(board::NO_FRAME);

#[board::entry]
fn main() -> ! {
    let lent = (Board::take(), MEMORY.take(), QUEUES.take(), FRAME.take());
    let (Some(board), Some(memory), Some(queues), Some(frame)) = lent else {
        board::console::exit(1)
    };
    let storage = memory.storage(queues.each_mut().map(Queues::lend));
    let Ok(mut stack) = Stack::new(Node::stack_config(), Reno::default(), storage) else {
        board::console::exit(2)
    };
    let listen = Node::listen(SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), 7));
    let (Ok(()), Ok(_)) = (stack.add_address(Node::address()), stack.listen(listen)) else {
        board::console::exit(3)
    };
    let mut node = Node::new(board, frame);
    board::console::say(c"ready\n");
    loop {
        let now = node.receive(&mut stack);
        while let Some(event) = stack.poll_event() {
            match event {
                Event::Acceptable(listener) => {
                    while let Some(handle) = stack.accept(listener) {
                        echo(now, &mut stack, handle);
                    }
                }
                Event::Connection { handle, .. } => echo(now, &mut stack, handle),
                _ => {}
            }
        }
        node.transmit(now, &mut stack);
    }
}

/// Sends back what has been received, as far as there is room. The rest stays where it is: the
/// window holds the peer back.
fn echo(now: Instant, stack: &mut Stack<'_, Reno>, handle: Handle) {
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

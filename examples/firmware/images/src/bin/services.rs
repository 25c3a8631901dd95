//! Echo, discard and chargen (RFC 862, 863, 864) on four connections of 2 × 8 KiB.
#![no_std]
#![no_main]
#![forbid(unsafe_code)]

use ackclock::apps::{Application, Served, Server, Service};
use ackclock::congestion::Reno;
use ackclock::stack::{Stack, StackMemory};
use ackclock::storage::Buffer;
use board::console::Console;
use board::{Board, FrameBuffer, Once};
use core::fmt::Write;
use core::net::{Ipv4Addr, SocketAddr};
use firmware::{Node, Queues};

const CONNECTIONS: usize = 4;

static MEMORY: Once<StackMemory<'static, Reno, CONNECTIONS, 4, 4, 3>> =
    Once::new(StackMemory::new());
static QUEUES: Once<[Queues<8192, 12, 8>; CONNECTIONS]> = Once::new([Queues::EMPTY; CONNECTIONS]);
static FRAME: Once<FrameBuffer> = Once::new(board::NO_FRAME);

#[board::entry]
fn main() -> ! {
    let lent = (Board::take(), MEMORY.take(), QUEUES.take(), FRAME.take());
    let (Some(board), Some(memory), Some(queues), Some(frame)) = lent else {
        board::console::exit(1)
    };
    let storage = memory.storage(queues.each_mut().map(Queues::lend));
    let Ok(mut stack) = Stack::new(Node::STACK, Reno::default(), storage) else {
        board::console::exit(2)
    };
    if stack.add_address(Node::address()).is_err() {
        board::console::exit(3);
    }
    let mut node = Node::new(board, frame);
    let mut served = [[Served::default(); CONNECTIONS]; 3];
    let mut services = [Service::Echo, Service::Discard, Service::Chargen].into_iter();
    let mut servers = served.each_mut().map(|served| {
        let service = services.next().unwrap_or(Service::Echo);
        let address = SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), service.port());
        Server::new(service, Node::listen(address), Buffer::lent(served))
    });
    for server in &mut servers {
        if let Err(error) = server.start(node.now(), &mut stack) {
            let _ = writeln!(Console, "{error}");
            board::console::exit(4);
        }
    }
    board::console::say(c"ready\n");
    loop {
        let now = node.receive(&mut stack);
        while let Some(event) = stack.poll_event() {
            servers.iter_mut().for_each(|server| server.on_event(now, &mut stack, &event));
        }
        node.transmit(now, &mut stack);
    }
}

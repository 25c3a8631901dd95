//! Echo, discard and chargen (RFC 862, 863, 864) on four connections of 2 × 8 KiB.
#![no_std]
#![no_main]
#![forbid(unsafe_code)]

use ackclock::apps::{Application, Served, Server, Service};
use ackclock::congestion::{Growth, Reno};
use ackclock::profile::{FewRanges, Present};
use ackclock::stack::{ConnectionMemory, Stack, StackMemory};
use ackclock::storage::Buffer;
use ackclock::tcp::{Connection, flight, recovery};
use board::console::Console;
use board::{Board, FrameBuffer, Once};
use core::fmt::Write;
use core::mem::MaybeUninit;
use core::net::{Ipv4Addr, SocketAddr};
use firmware::Node;

ackclock::profile! {
    /// Parts of the image: speed, SACK both ways with RFC 6675, timestamps and window scaling.
    struct Parts: least {
        Flight = flight::Records,
        Prediction = Present,
        Ranges = FewRanges,
        Recovery = recovery::Rfc6675,
        Sack = Present,
        Timestamps = Present,
        WindowScaling = Present,
    }
}

const CONNECTIONS: usize = 4;
const SERVICES: [Service; 3] = [Service::Echo, Service::Discard, Service::Chargen];

type Servers = [Option<Server<'static>>; SERVICES.len()];

static MEMORY: Once<StackMemory<'static, Reno, Parts, CONNECTIONS, 4, 4, 3>> =
    Once::new(StackMemory::new());
static CONNECTION_MEMORY: Once<[ConnectionMemory<Parts, 8192, 12, 8>; CONNECTIONS]> =
    Once::new([const { ConnectionMemory::new() }; CONNECTIONS]);
static FRAME: Once<FrameBuffer> = Once::new(board::NO_FRAME);
static STACK: Once<Stack<'static, Reno, Parts>> =
    Once::new(Stack::empty(Node::STACK, Reno::new(Growth::ByteCounting { limit: 2 })));
static NODE: Once<MaybeUninit<Node<'static>>> = Once::new(MaybeUninit::uninit());
static SERVED: Once<MaybeUninit<[[Served; CONNECTIONS]; SERVICES.len()]>> =
    Once::new(MaybeUninit::uninit());
static SERVERS: Once<Servers> = Once::new([const { None }; SERVICES.len()]);

board::connection!(Connection<'static, Reno, Parts>);

#[board::entry]
fn main() -> ! {
    let (Some(stack), Some(node)) = (start(), Board::take().and_then(connect)) else {
        board::console::exit(1)
    };
    let Some(servers) = listen(node, stack) else { board::console::exit(2) };
    board::console::say(c"ready\n");
    serve(stack, node, servers)
}

/// Starts the stack. The call stack that this needs is free again afterwards.
#[inline(never)]
fn start() -> Option<&'static mut Stack<'static, Reno, Parts>> {
    let stack = STACK.take()?;
    stack.lend(MEMORY.take()?.storage(CONNECTION_MEMORY.take()?.each_mut())).ok()?;
    stack.add_address(Node::address()).ok()?;
    Some(stack)
}

/// Connects the board to the network.
#[inline(never)]
fn connect(board: Board) -> Option<&'static mut Node<'static>> {
    Some(NODE.take()?.write(Node::new(board, FRAME.take()?)))
}

/// Starts the services.
#[inline(never)]
fn listen(
    node: &mut Node<'_>,
    stack: &mut Stack<'static, Reno, Parts>,
) -> Option<&'static mut Servers> {
    let servers = SERVERS.take()?;
    let served = SERVED.take()?.write(Default::default());
    for ((place, served), service) in servers.iter_mut().zip(served).zip(SERVICES) {
        let address = SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), service.port());
        let server = Server::new(service, Node::listen(address), Buffer::lent(served));
        if let Err(error) = place.insert(server).start(node.now(), stack) {
            let _ = writeln!(Console, "{error}");
            return None;
        }
    }
    Some(servers)
}

#[inline(never)]
fn serve(
    stack: &mut Stack<'static, Reno, Parts>,
    node: &mut Node<'static>,
    servers: &mut Servers,
) -> ! {
    loop {
        let now = node.receive(stack);
        while let Some(event) = stack.poll_event() {
            for server in servers.iter_mut().flatten() {
                server.on_event(now, stack, &event);
            }
        }
        node.transmit(now, stack);
    }
}

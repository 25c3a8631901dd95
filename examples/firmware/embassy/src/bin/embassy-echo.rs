//! An echo server (RFC 862) whose connections are tasks of embassy's executor: they read and write with
//! the traits of embedded-io-async, without a heap.
#![no_std]
#![no_main]
#![deny(unsafe_code)]

use ackclock::congestion::{Growth, Reno};
use ackclock::io::SharedStack;
use ackclock::link::ethernet::Ethernet;
use ackclock::link::{Link, TransmitError};
use ackclock::profile::{FewRanges, Present};
use ackclock::stack::{
    Capabilities, ConnectionMemory, Listener, Received, Stack, StackMemory, Transmit,
};
use ackclock::tcp::{Config, flight, recovery};
use ackclock::time::Instant;
use ackclock::wire::EthernetAddress;
use board::{Board, FrameBuffer, HARDWARE_ADDRESS, Once};
use core::convert::Infallible;
use core::future::poll_fn;
use core::mem::MaybeUninit;
use core::net::{Ipv4Addr, SocketAddr};
use embassy_executor::Spawner;
use embedded_io_async::{Read, Write};
use firmware::Node;

ackclock::profile! {
    /// Parts of the image: SACK both ways with RFC 6675, and timestamps.
    struct Parts: least {
        Flight = flight::Records,
        Ranges = FewRanges,
        Recovery = recovery::Rfc6675,
        Sack = Present,
        Timestamps = Present,
    }
}

const CONNECTIONS: usize = 2;
/// Bytes that are moved from one queue to the other at a time.
const CHUNK: usize = 128;

/// Wakers: one for each connection, and one for the tasks that wait for a connection.
type Shared = SharedStack<'static, Reno, { CONNECTIONS + 1 }, Parts>;

static MEMORY: Once<StackMemory<'static, Reno, Parts, CONNECTIONS, 2, 2, 1>> =
    Once::new(StackMemory::new());
static CONNECTION_MEMORY: Once<[ConnectionMemory<Parts, 2048, 4, 3>; CONNECTIONS]> =
    Once::new([const { ConnectionMemory::new() }; CONNECTIONS]);
static FRAME: Once<FrameBuffer> = Once::new(board::NO_FRAME);
static SHARED: Once<MaybeUninit<Shared>> = Once::new(MaybeUninit::uninit());

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    if start(&spawner).is_none() {
        board::console::exit(1);
    }
    board::console::say(c"ready\n");
}

fn start(spawner: &Spawner) -> Option<()> {
    let law = Reno::new(Growth::ByteCounting { limit: 2 });
    let mut stack = Stack::empty(Node::STACK, law);
    stack.lend(MEMORY.take()?.storage(CONNECTION_MEMORY.take()?.each_mut())).ok()?;
    stack.add_address(Node::address()).ok()?;
    let address = SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), 7);
    let listener = stack.listen(Node::listen(address)).ok()?;
    let shared = SHARED.take()?.write(SharedStack::new(stack, clock, Config::default()));
    let wire = Wire { device: Board::take()?.ethernet, frame: FRAME.take()? };
    spawner.spawn(run(shared, wire).ok()?);
    for _ in 0..CONNECTIONS {
        spawner.spawn(echo(shared, listener).ok()?);
    }
    Some(())
}

fn clock() -> Instant {
    Instant::from_micros(board::tasks::microseconds())
}

/// Carries frames between the controller and the stack, at least each millisecond.
#[embassy_executor::task]
async fn run(shared: &'static Shared, mut wire: Wire) {
    let mut ethernet: Ethernet = Ethernet::new(EthernetAddress(HARDWARE_ADDRESS));
    shared.run(&mut wire, &mut ethernet, |_| poll_fn(board::tasks::poll_tick)).await;
}

/// Sends received data back, on one connection after another.
#[embassy_executor::task(pool_size = CONNECTIONS)]
async fn echo(shared: &'static Shared, listener: Listener) {
    let mut bytes = [0; CHUNK];
    loop {
        let mut stream = shared.accept(listener).await;
        while let Ok(count @ 1..) = stream.read(&mut bytes).await {
            if stream.write_all(bytes.get(..count).unwrap_or_default()).await.is_err() {
                break;
            }
        }
        stream.shutdown();
        let _ = stream.flush().await;
    }
}

/// The controller, and room for a frame that it has received.
struct Wire {
    device: board::Ethernet,
    frame: &'static mut FrameBuffer,
}

impl Link for Wire {
    type Error = Infallible;

    fn capabilities(&self) -> Capabilities {
        Capabilities::with_mtu(1500)
    }

    fn transmit(
        &mut self,
        _: Instant,
        frame: &Transmit<'_>,
    ) -> Result<(), TransmitError<Infallible>> {
        if !self.device.has_room() {
            return Err(TransmitError::Full);
        }
        let [first, second] = frame.payload;
        self.device.transmit([frame.header, first, second]);
        Ok(())
    }

    fn receive(
        &mut self,
        _: Instant,
        budget: usize,
        deliver: &mut dyn FnMut(Received<'_>),
    ) -> Result<usize, Infallible> {
        for received in 0..budget {
            let Some(frame) = self.device.receive(self.frame) else { return Ok(received) };
            deliver(Received::unverified(frame));
        }
        Ok(budget)
    }
}

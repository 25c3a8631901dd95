//! The stack under embassy's executor, without a heap of its own: one task runs it, others connect,
//! read and write with the traits of embedded-io-async and embedded-nal-async. The driver is one of
//! embassy-net's. `Box::leak` stands for the `StaticCell` of a board, and a second stack in the same
//! executor for the rest of the world.

use ackclock::congestion::Reno;
use ackclock::io::SharedStack;
use ackclock::link::embassy::EmbassyLink;
use ackclock::link::ethernet::Ethernet;
use ackclock::profile::Full;
use ackclock::stack::{
    Capabilities, Cidr, ListenConfig, Listener, Stack, StackConfig, StackMemory,
};
use ackclock::storage::Buffer;
use ackclock::tcp::{Buffers, Config, FlightRecord};
use ackclock::time::Instant;
use embassy_executor::Executor;
use embassy_net_driver::{Driver, HardwareAddress, LinkState, RxToken, TxToken};
use embassy_time::Timer;
use embedded_io_async::{Read, Write};
use embedded_nal_async::TcpConnect;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::error::Error;
use std::rc::Rc;
use std::task::{Context, Waker};

/// A stack of two connections, and wakers for two.
type Shared = SharedStack<'static, Reno, 2>;

fn clock() -> Instant {
    Instant::from_micros(embassy_time::Instant::now().as_micros())
}

async fn sleep_until(at: Instant) {
    Timer::at(embassy_time::Instant::from_micros(at.as_nanos().div_ceil(1000))).await;
}

#[embassy_executor::task(pool_size = 2)]
async fn run(shared: &'static Shared, driver: Wire) {
    let mut link = EmbassyLink::new(driver);
    let mut ethernet: Ethernet = Ethernet::new(link.ethernet_address().unwrap_or_default());
    shared.run(&mut link, &mut ethernet, sleep_until).await;
}

#[embassy_executor::task]
async fn echo(shared: &'static Shared, listener: Listener) {
    loop {
        let mut stream = shared.accept(listener).await;
        let mut bytes = [0; 64];
        while let Ok(n @ 1..) = stream.read(&mut bytes).await {
            if stream.write_all(&bytes[..n]).await.is_err() {
                break;
            }
        }
    }
}

#[embassy_executor::task]
async fn ask(shared: &'static Shared, answer: Rc<RefCell<Vec<u8>>>, done: Rc<Cell<bool>>) {
    let talk = async {
        let mut stream = shared.connect(([192, 0, 2, 2], 7).into()).await.ok()?;
        stream.write_all(b"Is anybody there?").await.ok()?;
        stream.shutdown();
        let mut bytes = [0; 64];
        while let Ok(n @ 1..) = stream.read(&mut bytes).await {
            answer.borrow_mut().extend_from_slice(&bytes[..n]);
        }
        Some(())
    };
    talk.await;
    done.set(true);
}

/// A stack of lent memory at 192.0.2.`last`.
fn shared(last: u8) -> Result<&'static Shared, Box<dyn Error>> {
    let memory: &mut StackMemory<'_, Reno, Full, 2, 1, 1, 1> = Box::leak(Box::default());
    let buffers = [(); 2].map(|()| Buffers {
        send: Buffer::lent(Box::leak(Box::new([0; 1024]))),
        receive: Buffer::lent(Box::leak(Box::new([0; 1024]))),
        flight: Buffer::lent(Box::leak(Box::new([FlightRecord::default(); 8]))),
        reassembly: Buffer::lent(Box::leak(Box::new([Default::default(); 4]))),
        ..Buffers::default()
    });
    let config = StackConfig::new(Capabilities::with_mtu(1500), [last.into(), 0x5eed]);
    let mut stack = Stack::new(config, Reno::default(), memory.storage(buffers))?;
    stack.add_address(Cidr { address: [192, 0, 2, last].into(), prefix: 24 })?;
    Ok(Box::leak(Box::new(SharedStack::new(stack, clock, Config::default()))))
}

/// Runs both stacks until the answer is there.
fn talk() -> Result<Vec<u8>, Box<dyn Error>> {
    let (board, world) = (shared(1)?, shared(2)?);
    let listen = ListenConfig::new(([192, 0, 2, 2], 7).into());
    let listener = world.with(|_, stack| stack.listen(listen)).ok_or("busy")??;
    let [near, far] = Wire::pair();
    let (answer, done) = (Rc::new(RefCell::new(Vec::new())), Rc::new(Cell::new(false)));
    let tasks = [run(board, near)?, run(world, far)?];
    let (echo, ask) = (echo(world, listener)?, ask(board, answer.clone(), done.clone())?);
    Box::leak(Box::new(Executor::new())).run_until(
        |spawner| {
            tasks.into_iter().for_each(|task| spawner.spawn(task));
            spawner.spawn(echo);
            spawner.spawn(ask);
        },
        || done.get(),
    );
    Ok(answer.take())
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("the echo service answers: {}", String::from_utf8_lossy(&talk()?));
    Ok(())
}

// ---- What stands for the driver ----

type Queue = Rc<RefCell<(VecDeque<Vec<u8>>, Option<Waker>)>>;

/// One end of a wire.
struct Wire {
    received: Queue,
    sent: Queue,
    address: [u8; 6],
}

impl Wire {
    fn pair() -> [Wire; 2] {
        let (a, b) = (Queue::default(), Queue::default());
        [
            Wire { received: a.clone(), sent: b.clone(), address: [2, 0, 0, 0, 0, 1] },
            Wire { received: b, sent: a, address: [2, 0, 0, 0, 0, 2] },
        ]
    }
}

struct Received(Vec<u8>);
struct Sent<'a>(&'a Queue);

impl RxToken for Received {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(mut self, f: F) -> R {
        f(&mut self.0)
    }
}

impl TxToken for Sent<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, len: usize, f: F) -> R {
        let mut bytes = vec![0; len];
        let answer = f(&mut bytes);
        let (queue, waker) = &mut *self.0.borrow_mut();
        queue.push_back(bytes);
        waker.iter().for_each(Waker::wake_by_ref);
        answer
    }
}

impl Driver for Wire {
    type RxToken<'a> = Received;
    type TxToken<'a> = Sent<'a>;

    fn receive(&mut self, cx: &mut Context<'_>) -> Option<(Received, Sent<'_>)> {
        let (queue, waker) = &mut *self.received.borrow_mut();
        *waker = Some(cx.waker().clone());
        Some((Received(queue.pop_front()?), Sent(&self.sent)))
    }

    fn transmit(&mut self, _: &mut Context<'_>) -> Option<Sent<'_>> {
        Some(Sent(&self.sent))
    }

    fn link_state(&mut self, _: &mut Context<'_>) -> LinkState {
        LinkState::Up
    }

    fn capabilities(&self) -> embassy_net_driver::Capabilities {
        let mut capabilities = embassy_net_driver::Capabilities::default();
        capabilities.max_transmission_unit = 1514;
        capabilities
    }

    fn hardware_address(&self) -> HardwareAddress {
        HardwareAddress::Ethernet(self.address)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_answer_comes_under_embassys_executor() {
        assert_eq!(super::talk().unwrap(), b"Is anybody there?");
    }
}

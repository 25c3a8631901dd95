//! Tasks of one executor, which polls only those that were woken, in virtual time.

use super::*;
use crate::congestion::Reno;
use crate::link::ethernet::Ethernet;
use crate::link::{Direct, Link, TransmitError};
use crate::stack::{
    Capabilities, Cidr, ListenConfig, Listener, Received, Stack, StackConfig, Storage, Transmit,
};
use crate::tcp::Config;
use crate::time::{Duration, Instant};
use crate::wire::EthernetAddress;
use core::cell::{Cell, RefCell};
use core::convert::Infallible;
use core::future::{Future, poll_fn};
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use embedded_io::{Error as _, ErrorKind, Read as _, ReadReady, Write as _, WriteReady};
use embedded_io_async::{Read, Write};
use embedded_nal_async::TcpConnect;
use std::boxed::Box;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Wake;
use std::vec::Vec;

std::thread_local! {
    static NOW: Cell<Instant> = const { Cell::new(Instant::ZERO) };
    static SLEEPERS: RefCell<Vec<(Instant, Waker)>> = const { RefCell::new(Vec::new()) };
}

fn clock() -> Instant {
    NOW.get()
}

async fn sleep_until(at: Instant) {
    poll_fn(|cx| {
        if clock() >= at {
            return Poll::Ready(());
        }
        SLEEPERS.with_borrow_mut(|sleepers| sleepers.push((at, cx.waker().clone())));
        Poll::Pending
    })
    .await;
}

struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

type Task<'t> = Pin<Box<dyn Future<Output = ()> + 't>>;

/// Runs `tasks` until those are done that are not `forever`.
fn execute<'t>(mut forever: Vec<Task<'t>>, tasks: Vec<Task<'t>>) {
    let mut left = tasks.len();
    forever.extend(tasks);
    let mut all: Vec<_> = forever
        .into_iter()
        .map(|task| (Some(task), Arc::new(Flag(AtomicBool::new(true)))))
        .collect();
    while left > 0 {
        let mut polled = false;
        for (place, flag) in &mut all {
            if flag.0.swap(false, Ordering::Relaxed)
                && let Some(task) = place
            {
                polled = true;
                let waker = Waker::from(flag.clone());
                if task.as_mut().poll(&mut Context::from_waker(&waker)).is_ready() {
                    *place = None;
                    left -= 1;
                }
            }
        }
        if !polled {
            let sleepers = SLEEPERS.with_borrow_mut(core::mem::take);
            let next = sleepers.iter().map(|(at, _)| *at).min().unwrap_or(Instant::FAR_FUTURE);
            assert!(!next.is_never(), "everybody sleeps for ever");
            NOW.set(next.max(clock()));
            sleepers.into_iter().for_each(|(_, waker)| waker.wake());
        }
    }
}

type Queue = Rc<RefCell<(VecDeque<Vec<u8>>, Option<Waker>)>>;

/// One end of a wire.
struct Wire {
    received: Queue,
    sent: Queue,
}

impl Wire {
    fn pair() -> [Wire; 2] {
        let (a, b) = (Queue::default(), Queue::default());
        [Wire { received: a.clone(), sent: b.clone() }, Wire { received: b, sent: a }]
    }
}

impl Link for Wire {
    type Error = Infallible;

    fn capabilities(&self) -> Capabilities {
        Capabilities::with_mtu(1500)
    }

    fn transmit(
        &mut self,
        _: Instant,
        packet: &Transmit<'_>,
    ) -> Result<(), TransmitError<Infallible>> {
        let mut bytes = std::vec![0; packet.len()];
        packet.copy_to(&mut bytes).unwrap();
        let (queue, waker) = &mut *self.sent.borrow_mut();
        queue.push_back(bytes);
        waker.iter().for_each(Waker::wake_by_ref);
        Ok(())
    }

    fn receive(
        &mut self,
        _: Instant,
        budget: usize,
        deliver: &mut dyn FnMut(Received<'_>),
    ) -> Result<usize, Infallible> {
        let mut received = 0;
        while received < budget
            && let Some(packet) = { self.received.borrow_mut().0.pop_front() }
        {
            received += 1;
            deliver(Received::unverified(&packet));
        }
        Ok(received)
    }

    fn set_waker(&mut self, waker: &Waker) {
        self.received.borrow_mut().1 = Some(waker.clone());
    }
}

fn stack(last: u8) -> Stack<'static, Reno> {
    let config = StackConfig::new(Capabilities::with_mtu(1500), [last.into(), 2]);
    let mut stack = Stack::new(config, Reno::default(), Storage::growing()).unwrap();
    stack.add_address(Cidr { address: [10, 0, 0, last].into(), prefix: 24 }).unwrap();
    stack
}

fn shared<const WAKERS: usize>(last: u8) -> SharedStack<'static, Reno, WAKERS> {
    SharedStack::new(stack(last), clock, Config::default())
}

fn listen<const WAKERS: usize>(server: &SharedStack<'static, Reno, WAKERS>) -> Listener {
    let config = ListenConfig::new("10.0.0.2:7".parse().unwrap());
    server.with(|_, stack| stack.listen(config)).unwrap().unwrap()
}

/// The tasks that run both stacks over Ethernet.
fn runners<'t, const A: usize, const B: usize>(
    client: &'t SharedStack<'static, Reno, A>,
    server: &'t SharedStack<'static, Reno, B>,
) -> Vec<Task<'t>> {
    let [mut left, mut right] = Wire::pair();
    std::vec![
        Box::pin(async move {
            let mut ethernet: Ethernet = Ethernet::new(EthernetAddress([2, 0, 0, 0, 0, 1]));
            client.run(&mut left, &mut ethernet, sleep_until).await;
        }),
        Box::pin(async move {
            let mut ethernet: Ethernet = Ethernet::new(EthernetAddress([2, 0, 0, 0, 0, 2]));
            server.run(&mut right, &mut ethernet, sleep_until).await;
        }),
    ]
}

fn bytes(seed: u8) -> Vec<u8> {
    (0..100_000u32).map(|i| (i % 251) as u8 ^ seed).collect()
}

/// Echoes until the peer ends.
async fn echo<const W: usize>(mut stream: Stream<'_, 'static, Reno, W>) {
    let mut piece = [0; 700];
    loop {
        match stream.read(&mut piece).await.unwrap() {
            0 => break,
            n => stream.write_all(&piece[..n]).await.unwrap(),
        }
    }
    stream.shutdown();
    stream.flush().await.unwrap();
}

#[test]
fn both_halves_are_used_at_once() {
    let (client, server) = (shared::<2>(1), shared::<2>(2));
    let listener = listen(&server);
    let echo_task = async { echo(server.accept(listener).await).await };
    let talk = async {
        let mut stream = client.connect("10.0.0.2:7".parse().unwrap()).await.unwrap();
        assert!(stream.write_ready().unwrap() && !stream.read_ready().unwrap());
        let (mut read, mut write) = stream.split();
        let mut answer = Vec::new();
        let sent = bytes(3);
        let mut writing = Box::pin(async {
            write.write_all(&sent).await.unwrap();
            write.flush().await.unwrap();
        });
        let mut reading = Box::pin(async {
            let mut piece = [0; 1000];
            while answer.len() < 100_000 {
                let n = read.read(&mut piece).await.unwrap();
                assert!(n > 0);
                answer.extend_from_slice(&piece[..n]);
            }
        });
        let mut done = [false; 2];
        poll_fn(|cx| {
            done[0] = done[0] || writing.as_mut().poll(cx).is_ready();
            done[1] = done[1] || reading.as_mut().poll(cx).is_ready();
            if done == [true; 2] { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        drop((reading, writing));
        assert!(answer == sent);
        stream.shutdown();
        assert_eq!(stream.read(&mut [0; 10]).await, Ok(0));
        assert_eq!(stream.write(b"more").await, Err(IoError::Finished));
    };
    execute(runners(&client, &server), std::vec![Box::pin(echo_task), Box::pin(talk)]);
}

#[test]
fn a_half_ends_its_direction_while_the_other_goes_on() {
    let (client, server) = (shared::<2>(1), shared::<2>(2));
    let listener = listen(&server);
    let echo_task = async { echo(server.accept(listener).await).await };
    let talk = async {
        let mut stream = client.connect("10.0.0.2:7".parse().unwrap()).await.unwrap();
        let (mut read, mut write) = stream.split();
        write.write_all(b"Is anybody there?").await.unwrap();
        write.shutdown();
        assert_eq!(write.write(b"more").await, Err(IoError::Finished));
        let mut answer = [0; 17];
        read.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"Is anybody there?");
        assert_eq!(read.read(&mut answer).await, Ok(0));
    };
    execute(runners(&client, &server), std::vec![Box::pin(echo_task), Box::pin(talk)]);
}

/// Whether a cable is plugged in, and whom a change wakes.
type Plug = Rc<RefCell<(bool, Option<Waker>)>>;

/// A wire whose carrier comes and goes.
struct Plugged(Wire, Plug);

impl Link for Plugged {
    type Error = Infallible;

    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }

    fn transmit(
        &mut self,
        now: Instant,
        packet: &Transmit<'_>,
    ) -> Result<(), TransmitError<Infallible>> {
        self.0.transmit(now, packet)
    }

    fn receive(
        &mut self,
        now: Instant,
        budget: usize,
        deliver: &mut dyn FnMut(Received<'_>),
    ) -> Result<usize, Infallible> {
        self.0.receive(now, budget, deliver)
    }

    fn is_up(&mut self) -> bool {
        self.1.borrow().0
    }

    fn set_waker(&mut self, waker: &Waker) {
        self.0.set_waker(waker);
        self.1.borrow_mut().1 = Some(waker.clone());
    }
}

#[test]
fn neighbours_are_told_who_we_are_when_the_device_has_a_carrier_again() {
    let shared = shared::<1>(1);
    let [near, far] = Wire::pair();
    let plug = Plug::new(RefCell::new((true, None)));
    let mut link = Plugged(near, plug.clone());
    let run = async {
        let mut ethernet: Ethernet = Ethernet::new(EthernetAddress([2, 0, 0, 0, 0, 1]));
        shared.run(&mut link, &mut ethernet, sleep_until).await;
    };
    let look = async {
        let mut announced = Vec::new();
        for is_up in [true, false, true, true] {
            plug.borrow_mut().0 = is_up;
            let waker = plug.borrow_mut().1.take();
            waker.iter().for_each(Waker::wake_by_ref);
            sleep_until(clock() + Duration::from_millis(1)).await;
            announced.push(far.received.borrow_mut().0.drain(..).count());
        }
        assert_eq!(announced, [1, 0, 1, 0]);
    };
    execute(std::vec![Box::pin(run)], std::vec![Box::pin(look)]);
}

#[test]
fn more_may_wait_than_there_are_wakers() {
    let (client, server) = (shared::<1>(1), shared::<1>(2));
    let listener = listen(&server);
    let mut tasks: Vec<Task<'_>> = Vec::new();
    for seed in 0..3 {
        tasks.push(Box::pin(async { echo(server.accept(listener).await).await }));
        let client = &client;
        tasks.push(Box::pin(async move {
            let mut stream = client.open("10.0.0.2:7".parse().unwrap()).await.unwrap();
            let (mut answer, mut piece) = (Vec::new(), [0; 1000]);
            for part in bytes(seed).chunks(1000) {
                stream.write_all(part).await.unwrap();
                while answer.len() < part.len() {
                    let n = stream.read(&mut piece).await.unwrap();
                    answer.extend_from_slice(&piece[..n]);
                }
                assert_eq!(answer, part);
                answer.clear();
            }
            stream.shutdown();
            assert_eq!(stream.read(&mut piece).await, Ok(0));
        }));
    }
    execute(runners(&client, &server), tasks);
    assert!(client.displaced_wakers().unwrap() > 0);
}

#[test]
fn failures_have_the_kinds_of_embedded_io() {
    let (client, server) = (shared::<2>(1), shared::<2>(2));
    let listener = listen(&server);
    let talk = async {
        let refused = client.connect("10.0.0.2:9".parse().unwrap()).await.map(|_| ());
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::ConnectionRefused);
        let no_family = client.connect("[fd00::2]:7".parse().unwrap()).await.map(|_| ());
        assert_eq!(no_family.unwrap_err().kind(), ErrorKind::AddrNotAvailable);
        let nobody = client.connect("10.0.0.3:7".parse().unwrap()).await.map(|_| ());
        assert_eq!(nobody.unwrap_err().kind(), ErrorKind::TimedOut);
        let mut stream = client.connect("10.0.0.2:7".parse().unwrap()).await.unwrap();
        assert_eq!(stream.read(&mut []).await, Ok(0));
        assert_eq!(stream.write(&[]).await, Ok(0));
        let reset = stream.read(&mut [0; 10]).await;
        assert_eq!(reset.unwrap_err().kind(), ErrorKind::ConnectionReset);
    };
    let abort = async { server.accept(listener).await.abort() };
    execute(runners(&client, &server), std::vec![Box::pin(talk), Box::pin(abort)]);
}

#[test]
fn a_stream_that_is_dropped_is_closed_and_a_connect_that_is_given_up_is_forgotten() {
    let (client, server) = (shared::<2>(1), shared::<2>(2));
    let listener = listen(&server);
    let talk = async {
        drop(client.open("10.0.0.2:7".parse().unwrap()).await.unwrap());
        let mut opening = Box::pin(client.open("10.0.0.3:7".parse().unwrap()));
        poll_fn(|cx| {
            assert!(opening.as_mut().poll(cx).is_pending());
            Poll::Ready(())
        })
        .await;
    };
    let hear = async {
        let mut stream = server.accept(listener).await;
        assert_eq!(stream.read(&mut [0; 10]).await, Ok(0));
    };
    execute(runners(&client, &server), std::vec![Box::pin(talk), Box::pin(hear)]);
    let peers =
        client.with(|_, stack| stack.states().map(|([_, peer], _)| peer).collect::<Vec<_>>());
    assert_eq!(peers.unwrap(), ["10.0.0.2:7".parse().unwrap()], "the other one is gone");
}

#[test]
fn a_blocking_stream_drives_the_stack_while_it_waits() {
    let server = shared::<2>(2);
    let listener = listen(&server);
    let [mut wire, mut far] = Wire::pair();
    let mut direct = Direct;
    let mut runner = Box::pin(server.run(&mut far, &mut direct, sleep_until));
    let mut service = Box::pin(async { echo(server.accept(listener).await).await });
    let mut client = stack(1);
    let config = Config::default();
    let handle = client.connect(clock(), "10.0.0.2:7".parse().unwrap(), None, &config).unwrap();
    let mut stream = Blocking::new(&mut client, handle, |stack: &mut Stack<'static, Reno>| {
        let mut cx = Context::from_waker(Waker::noop());
        let _ = (runner.as_mut().poll(&mut cx), service.as_mut().poll(&mut cx));
        wire.receive(clock(), 8, &mut |received| {
            stack.on_received(clock(), &received);
        })
        .unwrap();
        stack.on_timeout(clock());
        let mut sink = |packet: &Transmit<'_>| {
            wire.transmit(clock(), packet).map_err(|_| crate::stack::Rejected)
        };
        while stack.transmit(clock(), &mut sink).is_taken() {}
        NOW.set(clock() + Duration::from_millis(1));
        clock()
    });
    stream.write_all(b"Is anybody there?").unwrap();
    stream.flush().unwrap();
    let mut answer = [0; 17];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"Is anybody there?");
    assert!(stream.write_ready().unwrap() && !stream.read_ready().unwrap());
    stream.shutdown().unwrap();
    assert_eq!(stream.read(&mut answer), Ok(0));
    assert_eq!(stream.write(b"more"), Err(IoError::Finished));
}

//! Tests of a device of several queues, each with a stack and a thread of its own.

use crate::applications::{Client, Script, Turn};
use crate::kernel_side;
use crate::namespace::in_namespace;
use crate::pattern::Content;
use crate::world::{App, Family, setup};
use ackclock::apps::{Server, ServerStatistics, Service};
use ackclock::congestion::BuiltIn;
use ackclock::link::Link;
use ackclock::stack::{ListenConfig, Stack, StackConfig, Storage};
use ackclock::storage::Buffer;
use ackclock_host::run_loop::{RunLoop, Waker};
use ackclock_host::tun::{Offload, Tun, TunError};
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::Duration;

const CONTENT: Content = Content::new(1, 256 << 10);
const PORT: u16 = 7007;

/// The time after which the kernel's flow table has forgotten a connection: entries expire after 3
/// s without packets, which is checked every 3 s (`TUN_FLOW_EXPIRE`).
const UNTIL_FORGOTTEN: Duration = Duration::from_secs(7);

/// A queue and its stack.
pub(crate) struct Queue {
    run_loop: RunLoop<Tun>,
    stack: Stack<'static, BuiltIn>,
}

impl Queue {
    fn waker(&self) -> Waker {
        self.run_loop.waker()
    }

    /// Runs the application that `make` returns in a thread until it is done or told to stop, and
    /// gives it back.
    fn spawn<A>(mut self, make: impl FnOnce() -> A + Send + 'static) -> JoinHandle<A>
    where
        A: ackclock::apps::Application<'static, BuiltIn> + Send + 'static,
    {
        thread::spawn(move || {
            let mut application = make();
            let app: &mut App<'_> = &mut application;
            self.run_loop.run(&mut self.stack, &mut [app]).expect("a working device");
            application
        })
    }
}

/// The queues of an interface, with stacks that have the same addresses.
pub(crate) fn queues(number: u16, offload: Offload) -> Vec<Queue> {
    let setup = setup("tun0");
    let queues = Tun::open_queues(&setup.name, offload, number.into()).expect("a TUN device");
    setup.apply().expect("a configured interface");
    let whole = StackConfig::new(queues[0].capabilities(), [1, 2]);
    let loops = RunLoop::of_queues(queues).expect("loops");
    let with_stack = |(index, run_loop)| {
        let config = whole.share(index, number);
        let mut stack = Stack::new(config, BuiltIn::default(), Storage::growing()).expect("stack");
        for family in Family::BOTH {
            stack.add_address(family.ours()).expect("a usable address");
        }
        Queue { run_loop, stack }
    };
    (0..).zip(loops).map(with_stack).collect()
}

/// Echo servers on all queues, and the wakers that stop them.
pub(crate) fn echo_servers(
    queues: Vec<Queue>,
    local: SocketAddr,
) -> (Vec<JoinHandle<Echo>>, Vec<Waker>) {
    let wakers = queues.iter().map(Queue::waker).collect();
    let echo = move || {
        let mut listen = ListenConfig::new(local);
        // All clients may come to one queue.
        listen.backlog = 512;
        listen.half_open = 512;
        Server::new(Service::Echo, listen, Buffer::growing())
    };
    (queues.into_iter().map(|queue| queue.spawn(echo)).collect(), wakers)
}

pub(crate) type Echo = Server<'static>;

pub(crate) fn stop(servers: Vec<JoinHandle<Echo>>, wakers: &[Waker]) -> Vec<ServerStatistics> {
    wakers.iter().for_each(Waker::stop);
    servers.into_iter().map(|server| *server.join().expect("a server").statistics()).collect()
}

#[test]
fn connections_are_spread_over_the_queues_and_lose_nothing() {
    const CLIENTS: usize = 64;
    for offload in [Offload::On, Offload::Off] {
        in_namespace(move || {
            let local = Family::V4.our_port(PORT);
            let (servers, wakers) = echo_servers(queues(4, offload), local);
            thread::scope(|scope| {
                for _ in 0..CLIENTS {
                    scope.spawn(|| {
                        let stream = kernel_side::connect_to(local);
                        kernel_side::exchange(&stream, CONTENT, CONTENT);
                    });
                }
            });
            let statistics = stop(servers, &wakers);
            let accepted: Vec<u64> = statistics.iter().map(|each| each.accepted).collect();
            assert_eq!(accepted.iter().sum::<u64>(), CLIENTS as u64);
            // All hash to one queue by chance once in 4^63 times.
            assert!(accepted.iter().filter(|accepted| **accepted > 0).count() > 1, "{accepted:?}");
            assert!(statistics.iter().all(|each| each.failed == 0), "{statistics:?}");
        });
    }
}

/// The kernel forgets which queue a connection is on; half of what it then sends comes by another.
#[test]
fn what_comes_by_another_queue_reaches_its_connection() {
    const EACH: usize = 16;
    in_namespace(|| {
        let queues = queues(2, Offload::Off);
        let (listener, address) = kernel_side::listen(Family::V4);
        let script =
            Script { sends: Content::NOTHING, receives: CONTENT, turn: Turn::AfterPeersEnd };
        let clients: Vec<_> = queues
            .into_iter()
            .map(|queue| queue.spawn(move || Client::many(address, script, EACH, EACH)))
            .collect();
        let streams: Vec<_> = (0..2 * EACH).map(|_| kernel_side::accept(&listener)).collect();
        thread::sleep(UNTIL_FORGOTTEN);
        for stream in &streams {
            kernel_side::exchange(stream, CONTENT, Content::NOTHING);
        }
        for client in clients {
            let client = client.join().expect("a client");
            assert_eq!(client.outcomes().len(), EACH);
            assert!(client.outcomes().iter().all(|each| each.error.is_none()));
        }
    });
}

#[test]
fn what_no_queue_knows_is_refused() {
    in_namespace(|| {
        let (servers, wakers) = echo_servers(queues(3, Offload::Off), Family::V6.our_port(PORT));
        for port in PORT + 1..PORT + 9 {
            let refused =
                TcpStream::connect(Family::V6.our_port(port)).expect_err("nobody listens");
            assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
        }
        stop(servers, &wakers);
    });
}

#[test]
fn an_interface_with_one_queue_is_told_from_one_with_several() {
    in_namespace(|| {
        let setup = setup("tun0");
        let _single = Tun::open(&setup.name).expect("a TUN device");
        let several = Tun::open_queues(&setup.name, Offload::Auto, 2);
        assert!(matches!(several, Err(TunError::OneQueue(_))), "{several:?}");
    });
}

//! Tests with Ethernet frames, over a TAP device: the kernel and our stack have a hardware address
//! each.

use crate::applications::{Client, Script, Server, Turn};
use crate::kernel_side;
use crate::namespace::in_namespace;
use crate::pattern::Content;
use crate::world::{Family, World, stack};
use ackclock::congestion::BuiltIn;
use ackclock::link::Link;
use ackclock::link::ethernet::Ethernet;
use ackclock::stack::{Handle, Rejected, Stack, Transmit};
use ackclock::tcp::Config;
use ackclock::time::{Duration, Instant};
use ackclock::wire::EthernetAddress;
use ackclock_host::impaired::{Impaired, Impairment};
use ackclock_host::run_loop::{HostEthernet, RunLoop};
use ackclock_host::setup::KernelEnd;
use ackclock_host::tap::Tap;
use std::io::Read;
use std::net::TcpStream;
use std::process::Command;
use std::time;

const US: EthernetAddress = EthernetAddress([2, 0, 0, 0, 7, 2]);
const CONTENT: Content = Content::new(1, 4 << 20);
const PORT: u16 = 7007;

/// The time after which a test counts as hanging and fails.
const PATIENCE: time::Duration = time::Duration::from_secs(120);

/// An interface whose kernel end has both families' addresses.
fn tap() -> Tap {
    let name = "tap0".parse().expect("a usable name");
    let tap = Tap::open(&name).expect("a TAP device");
    let addresses = Family::BOTH.map(|family| {
        let ours = family.ours();
        ackclock_host::setup::kernel_end(ours).expect("room for two addresses")
    });
    let kernel = KernelEnd { name, mtu: None, transmit_queue: None, addresses: addresses.to_vec() };
    kernel.configuration().run().expect("a configured interface");
    tap
}

fn world() -> World<Tap> {
    let link = Impaired::new(tap(), Impairment::default(), Impairment::default(), 1);
    let stack = stack(&link);
    let run_loop = RunLoop::with_ethernet(link, HostEthernet::new(US)).expect("a run loop");
    World { run_loop, stack }
}

fn ip(arguments: &str) {
    let status = Command::new("ip").args(arguments.split(' ')).status();
    assert!(status.expect("iproute2").success(), "ip {arguments}");
}

#[test]
fn the_kernel_finds_us_and_sends_4_mib_back_and_forth() {
    for family in Family::BOTH {
        in_namespace(|| {
            let mut world = world();
            let script = Script { sends: CONTENT, receives: CONTENT, turn: Turn::AsReceived };
            let mut server = Server::new(family.our_port(PORT), script, 1);
            world.run_against(&mut server, move || {
                let stream = kernel_side::connect_to(family.our_port(PORT));
                kernel_side::exchange(&stream, CONTENT, CONTENT);
            });
            assert_eq!(server.outcomes()[0].error, None);
            assert_eq!(server.outcomes()[0].info.bytes_acked, CONTENT.length);
        });
    }
}

#[test]
fn we_find_the_kernel_and_send_4_mib_back_and_forth() {
    for family in Family::BOTH {
        in_namespace(|| {
            let mut world = world();
            let (listener, address) = kernel_side::listen(family);
            let script = Script { sends: CONTENT, receives: CONTENT, turn: Turn::AtOnce };
            let mut client = Client::new(address, script);
            world.run_against(&mut client, move || {
                kernel_side::echo(&kernel_side::accept(&listener), CONTENT)
            });
            assert_eq!(client.outcomes()[0].error, None);
            assert_eq!(client.outcomes()[0].info.bytes_received, CONTENT.length);
        });
    }
}

#[test]
fn a_syn_waits_for_the_kernels_answer_to_who_has_this_address() {
    for family in Family::BOTH {
        in_namespace(|| {
            let mut world = world();
            let (listener, address) = kernel_side::listen(family);
            // Without data only the kernel itself answers, no program that a busy machine lets wait.
            let nothing = Content { length: 0, ..CONTENT };
            let script = Script { sends: nothing, receives: nothing, turn: Turn::AtOnce };
            let mut client = Client::new(address, script);
            world.run_against(&mut client, move || {
                kernel_side::echo(&kernel_side::accept(&listener), nothing)
            });
            assert_eq!(client.outcomes()[0].error, None);
            // Had the SYN been dropped, it would have been sent again after a timeout.
            assert_eq!(client.outcomes()[0].info.retransmitted, 0);
        });
    }
}

#[test]
fn the_kernel_is_our_gateway_to_other_networks() {
    // Without duplicate address detection the address can be bound at once.
    let addresses = [("192.0.2.1/32", "", Family::V4), ("2001:db8::1/128", " nodad", Family::V6)];
    for (address, detection, family) in addresses {
        in_namespace(|| {
            let mut world = world();
            ip(&format!("address add {address} dev lo{detection}"));
            let host = address.split('/').next().expect("an address");
            let remote = (host.parse::<std::net::IpAddr>().expect("an address"), PORT).into();
            let listener = std::net::TcpListener::bind(remote).expect("a listener");
            let ethernet = world.run_loop.ethernet_mut().expect("an Ethernet layer");
            ethernet.set_gateway(family.kernel()).expect("a usable gateway");
            let script = Script { sends: CONTENT, receives: CONTENT, turn: Turn::AtOnce };
            let mut client = Client::new(remote, script);
            world.run_against(&mut client, move || {
                kernel_side::echo(&kernel_side::accept(&listener), CONTENT)
            });
            assert_eq!(client.outcomes()[0].error, None);
            assert_eq!(client.outcomes()[0].info.bytes_received, CONTENT.length);
        });
    }
}

#[test]
fn the_kernel_pings_us_over_both_families() {
    in_namespace(|| {
        let mut world = world();
        let script = Script { sends: CONTENT, receives: CONTENT, turn: Turn::AsReceived };
        let mut server = Server::new(Family::V4.our_port(PORT), script, 1);
        world.run_against(&mut server, || {
            for family in Family::BOTH {
                let ours = family.ours().address.to_string();
                let ping = Command::new("ping").args(["-c", "1", "-W", "60", &ours]).output();
                assert!(ping.expect("iputils-ping").status.success(), "ping {ours}");
            }
            let stream = kernel_side::connect_to(Family::V4.our_port(PORT));
            kernel_side::exchange(&stream, CONTENT, CONTENT);
        });
        assert_eq!(world.stack.statistics().echo_replies, 2);
    });
}

/// A stack, its device and a clock that the test moves.
struct ByHand {
    tap: Tap,
    ethernet: Ethernet,
    stack: Stack<'static, BuiltIn>,
    now: Instant,
}

impl ByHand {
    /// Carries frames both ways until `done`. The clock moves by `step` in each millisecond.
    fn drive(
        &mut self,
        step: Duration,
        done: impl Fn(Instant, &Ethernet, &Stack<'static, BuiltIn>) -> bool,
    ) {
        let began = time::Instant::now();
        let ByHand { tap, ethernet, stack, now } = self;
        while !done(*now, ethernet, stack) {
            assert!(began.elapsed() < PATIENCE, "{:?}", ethernet.statistics());
            let deliver = &mut |received: ackclock::stack::Received<'_>| {
                ethernet.on_received(*now, stack, &received);
            };
            if tap.receive(*now, 64, deliver).expect("a working device") == 0 {
                std::thread::sleep(time::Duration::from_millis(1));
                *now += step;
            }
            stack.on_timeout(*now);
            let mut sink = |frame: &Transmit<'_>| tap.transmit(*now, frame).map_err(|_| Rejected);
            while ethernet.transmit(*now, stack, &mut sink).is_taken() {}
        }
    }

    /// Sends a byte, which the kernel reads.
    fn send(&mut self, step: Duration, handle: Handle, stream: &mut TcpStream, byte: u8) {
        assert_eq!(self.stack.send(self.now, handle, &[byte]), Ok(1));
        self.drive(step, |now, _, stack| {
            stack.info(now, handle).expect("a connection").bytes_acked == u64::from(byte)
        });
        let mut bytes = [0];
        stream.read_exact(&mut bytes).expect("a byte");
        assert_eq!(bytes, [byte]);
    }
}

#[test]
fn the_kernel_confirms_what_has_expired_and_is_found_again_under_another_address() {
    for family in Family::BOTH {
        in_namespace(|| {
            let tap = tap();
            let stack = stack(&tap);
            let now = Instant::from_secs(1);
            let mut host = ByHand { tap, ethernet: Ethernet::new(US), stack, now };
            let (listener, address) = kernel_side::listen(family);
            let handle = host.stack.connect(now, address, None, &Config::default());
            let handle = handle.expect("a connection");
            // A kernel that is not ready to answer yet is asked again, and later given up and asked anew.
            host.drive(Duration::from_millis(1), |_, _, stack| {
                stack.readiness(handle).expect("a connection").established
            });
            let gave_up = host.ethernet.statistics().gave_up;
            let still = Duration::ZERO;
            let mut stream = kernel_side::accept(&listener);
            host.send(still, handle, &mut stream, 1);

            // After half a minute the entry is still used, and the neighbour is asked five seconds
            // later.
            host.now += Duration::from_secs(31);
            host.send(still, handle, &mut stream, 2);
            let asked = host.ethernet.statistics().requests_sent;
            host.now += Duration::from_secs(6);
            host.drive(still, |_, ethernet, _| {
                ethernet.statistics().requests_sent > asked && ethernet.poll_at().is_never()
            });
            assert_eq!(host.ethernet.statistics().gave_up, gave_up);

            // Under another hardware address the kernel does not hear us until we look for it.
            ip("link set dev tap0 address 02:00:00:00:07:99");
            host.now += Duration::from_secs(31);
            host.send(Duration::from_millis(5), handle, &mut stream, 3);
        });
    }
}

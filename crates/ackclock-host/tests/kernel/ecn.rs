//! Explicit congestion notification with the kernel (RFC 3168), in either role.

use crate::applications::{Client, Script, Server, Turn};
use crate::kernel_side;
use crate::namespace::in_namespace;
use crate::pattern::Content;
use crate::world::{Family, World};
use ackclock::tcp::{EcnMode, Info};
use ackclock_host::impaired::Impairment;

const CONTENT: Content = Content::new(1, 8 << 20);

const PORT: u16 = 7007;

/// One packet in a hundred meets congestion.
const MARKS: Impairment =
    Impairment { drop: 0, duplicate: 0, reorder: 0, corrupt: 0, mark: 10_000 };

/// What this namespace's kernel does: 0 is off, 1 asks and accepts, 2 accepts.
fn set_kernel(tcp_ecn: u8) {
    let path = "/proc/sys/net/ipv4/tcp_ecn";
    std::fs::write(path, tcp_ecn.to_string()).expect("a setting of this namespace's kernel");
}

/// What came of a transfer: the state of our connection in the end, and how many packets were
/// marked on their way to the kernel and back.
type Check = fn(Info, [u64; 2]);

/// Our client has its bytes echoed by the kernel, while packets of both directions are marked.
fn our_client(family: Family, ecn: EcnMode, tcp_ecn: u8, check: Check) {
    in_namespace(|| {
        set_kernel(tcp_ecn);
        let mut world = World::impaired(MARKS, MARKS);
        let (listener, address) = kernel_side::listen(family);
        let script = Script { sends: CONTENT, receives: CONTENT, turn: Turn::AtOnce };
        let mut client = Client::new(address, script);
        client.config.ecn = ecn;
        world.run_against(&mut client, move || {
            kernel_side::echo(&kernel_side::accept(&listener), CONTENT);
        });
        let outcome = &client.outcomes()[0];
        assert_eq!(outcome.error, None);
        let link = world.run_loop.link();
        check(outcome.info, [link.transmitted().marked, link.received().marked]);
    });
}

/// Our server echoes the bytes of a kernel's client likewise.
fn our_server(family: Family, tcp_ecn: u8, check: Check) {
    in_namespace(|| {
        set_kernel(tcp_ecn);
        let mut world = World::impaired(MARKS, MARKS);
        let script = Script { sends: CONTENT, receives: CONTENT, turn: Turn::AsReceived };
        let mut server = Server::new(family.our_port(PORT), script, 1);
        world.run_against(&mut server, move || {
            let stream = kernel_side::connect_to(family.our_port(PORT));
            kernel_side::exchange(&stream, CONTENT, CONTENT);
        });
        let outcome = &server.outcomes()[0];
        assert_eq!(outcome.error, None);
        let link = world.run_loop.link();
        check(outcome.info, [link.transmitted().marked, link.received().marked]);
    });
}

/// Both sides heard of the marks on what the other one sent.
fn in_use(info: Info, [there, back]: [u64; 2]) {
    assert!(info.ecn && there > 0 && back > 0);
    assert!(info.ece_received > 0 && info.ssthresh != u32::MAX);
    assert_eq!(info.ce_received, back);
}

fn not_in_use(info: Info, marked: [u64; 2]) {
    assert!(!info.ecn);
    assert_eq!((marked, info.ce_received, info.ece_received), ([0, 0], 0, 0));
}

#[test]
fn a_kernel_that_accepts_ecn_agrees_to_it_with_our_client() {
    for family in Family::BOTH {
        our_client(family, EcnMode::Request, 2, in_use);
    }
}

#[test]
fn a_kernel_without_ecn_does_not_agree_to_it() {
    our_client(Family::V4, EcnMode::Request, 0, not_in_use);
}

#[test]
fn a_kernel_that_is_not_asked_does_without() {
    our_client(Family::V4, EcnMode::Accept, 1, not_in_use);
}

#[test]
fn a_kernel_that_asks_for_ecn_gets_it_from_our_server() {
    for family in Family::BOTH {
        our_server(family, 1, in_use);
    }
}

#[test]
fn a_kernel_that_does_not_ask_gets_none_from_our_server() {
    our_server(Family::V4, 2, not_in_use);
}

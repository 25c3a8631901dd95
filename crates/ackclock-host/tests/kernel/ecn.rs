//! Explicit congestion notification with the kernel (RFC 3168), in either role.

use crate::applications::{Client, Outcome, Script, Server, Turn};
use crate::kernel_side;
use crate::namespace::in_namespace;
use crate::pattern::Content;
use crate::world::{Family, World};
use ackclock::tcp::{EcnMode, Info};
use ackclock_host::impaired::Impairment;

const CONTENT: Content = Content::new(1, 4 << 20);

const PORT: u16 = 7007;

/// One packet in a hundred is marked.
const MARKS: Impairment =
    Impairment { drop: 0, duplicate: 0, reorder: 0, corrupt: 0, mark: 10_000 };

/// Sets ECN of this namespace's kernel: 0 is off, 1 asks and accepts, 2 accepts.
fn set_kernel(tcp_ecn: u8) {
    let path = "/proc/sys/net/ipv4/tcp_ecn";
    std::fs::write(path, tcp_ecn.to_string()).expect("a setting of this namespace's kernel");
}

/// Two transfers, one after the other: an interface that has just come up may lose the first SYN,
/// and a retransmitted SYN no longer asks for ECN.
const TRANSFERS: usize = 2;

/// A check of the transfers by the final state of our connections, and the numbers of packets that
/// were marked on their way to the kernel and back.
type Check = fn([Info; TRANSFERS], [u64; 2]);

fn check_outcomes(world: &World, outcomes: &[Outcome], check: Check) {
    let infos = [0, 1].map(|index| {
        let Outcome { error, info } = outcomes[index];
        assert_eq!(error, None);
        info
    });
    let link = world.run_loop.link();
    check(infos, [link.transmitted().marked, link.received().marked]);
}

/// Our client has its bytes echoed by the kernel, while packets of both directions are marked.
fn our_client(family: Family, ecn: EcnMode, tcp_ecn: u8, check: Check) {
    in_namespace(|| {
        set_kernel(tcp_ecn);
        let mut world = World::impaired(MARKS, MARKS);
        let (listener, address) = kernel_side::listen(family);
        let script = Script { sends: CONTENT, receives: CONTENT, turn: Turn::AtOnce };
        let mut client = Client::many(address, script, TRANSFERS, 1);
        client.config.ecn = ecn;
        world.run_against(&mut client, move || {
            for _ in 0..TRANSFERS {
                kernel_side::echo(&kernel_side::accept(&listener), CONTENT);
            }
        });
        check_outcomes(&world, client.outcomes(), check);
    });
}

/// Our server echoes the bytes of a client of the kernel, while packets of both directions are
/// marked.
fn our_server(family: Family, tcp_ecn: u8, check: Check) {
    in_namespace(|| {
        set_kernel(tcp_ecn);
        let mut world = World::impaired(MARKS, MARKS);
        let script = Script { sends: CONTENT, receives: CONTENT, turn: Turn::AsReceived };
        let mut server = Server::new(family.our_port(PORT), script, TRANSFERS);
        world.run_against(&mut server, move || {
            for _ in 0..TRANSFERS {
                let stream = kernel_side::connect_to(family.our_port(PORT));
                kernel_side::exchange(&stream, CONTENT, CONTENT);
            }
        });
        check_outcomes(&world, server.outcomes(), check);
    });
}

/// Both sides heard of the marks on what the other one sent.
fn in_use(infos: [Info; TRANSFERS], [there, back]: [u64; 2]) {
    let [_, info] = infos;
    assert!(info.ecn && there > 0 && back > 0, "{infos:?}");
    assert!(info.ece_received > 0 && info.ssthresh != u32::MAX, "{info:?}");
    assert_eq!(infos.map(|info| info.ce_received).iter().sum::<u64>(), back);
}

fn not_in_use(infos: [Info; TRANSFERS], marked: [u64; 2]) {
    assert_eq!(marked, [0, 0]);
    for info in infos {
        assert_eq!((info.ecn, info.ce_received, info.ece_received), (false, 0, 0));
    }
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

/// RFC 9768 section 3.1.2: a kernel without AccECN takes such a SYN for a classic one.
#[test]
fn a_kernel_with_classic_ecn_agrees_to_that_with_our_client_that_asks_for_accecn() {
    for family in Family::BOTH {
        our_client(family, EcnMode::RequestAccurate, 1, |infos, marked| {
            assert!(infos.iter().all(|info| info.accurate_ecn.is_none()));
            in_use(infos, marked);
        });
    }
}

#[test]
fn a_kernel_without_ecn_does_not_agree_to_accecn_either() {
    our_client(Family::V4, EcnMode::RequestAccurate, 0, not_in_use);
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

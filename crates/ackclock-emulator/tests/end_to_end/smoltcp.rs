//! Transfers with another implementation: smoltcp as client and as server, over clean and over bad
//! paths, in both directions at once; every byte is verified.
//!
//! smoltcp 0.14 drops acknowledgements and with them data that lie beyond what it remembers to have
//! sent, reports one SACK block, and gives timestamps up for good when a segment lacks them. Our
//! side must finish nevertheless.

use crate::common::talker::{Content, Talker};
use ackclock::congestion::BuiltIn;
use ackclock::tcp::Config;
use ackclock::time::Instant;
use ackclock_emulator::{Emulator, Ended, LEFT, PairConfig, RIGHT};
use ackclock_smoltcp_peer::{CongestionControl, Job, Smoltcp};
use std::net::SocketAddr;

/// The time after which a transfer counts as hanging, far more than any takes.
const LIMIT: Instant = Instant::from_secs(20_000);

fn addresses(v6: bool) -> [SocketAddr; 2] {
    let texts =
        if v6 { ["[fd00::1]:2000", "[fd00::2]:7"] } else { ["10.0.0.1:2000", "10.0.0.2:7"] };
    texts.map(|text| text.parse().unwrap())
}

/// Sends `ours` bytes from our side to smoltcp's and `theirs` the other way, and asserts that all
/// arrive.
fn exchange(path: &str, seed: u64, v6: bool, we_connect: bool, [ours, theirs]: [u64; 2]) {
    let [left, right] = addresses(v6);
    let mut pair = PairConfig::new(path.parse().unwrap());
    pair.seed = seed;
    let mut emulator = Emulator::pair(&pair, [BuiltIn::default(); 2], ()).unwrap();
    let (our_host, their_host) = if we_connect { (LEFT, RIGHT) } else { (RIGHT, LEFT) };
    let job = Job {
        local: if we_connect { right } else { left },
        remote: (!we_connect).then_some(right),
        start: Instant::ZERO,
        send: theirs,
        send_seed: 2,
        receive_seed: 1,
        buffer: 32 * 1024,
        congestion: CongestionControl::Reno,
    };
    let contents = [Content { seed: 1, length: ours }, Content { seed: 2, length: theirs }];
    let talker = match we_connect {
        true => Talker::connecting(right, Config::default(), contents),
        false => Talker::listening(right, Config::default(), contents),
    };
    let theirs_first = |emulator: &mut Emulator| {
        emulator.occupy(their_host, Smoltcp::new(job, 1500, seed));
    };
    // The listening side is added first.
    if we_connect {
        theirs_first(&mut emulator);
    }
    let talker = emulator.add_application(our_host, talker).unwrap();
    if !we_connect {
        theirs_first(&mut emulator);
    }

    let ended = emulator.run_until_done(LIMIT);
    let peer = emulator.endpoint::<Smoltcp>(their_host).unwrap();
    let talker = emulator.application(talker).unwrap();
    let what = format!("{path}, seed {seed}, {:?}", talker.info);
    assert_eq!(ended, Ended::Done, "{what}, smoltcp {:?}", peer.state());
    assert_eq!((talker.wrong, talker.received), (None, theirs), "{what}");
    assert_eq!(talker.info.unwrap().error, None, "{what}");
    assert_eq!((peer.wrong(), peer.received(), peer.sent()), (None, ours, theirs), "{what}");
}

const MEGABYTE: u64 = 1 << 20;

#[test]
fn a_clean_path_in_every_role_family_and_direction() {
    for v6 in [false, true] {
        for we_connect in [true, false] {
            for bytes in [[MEGABYTE, 0], [0, MEGABYTE], [MEGABYTE, MEGABYTE]] {
                exchange("rate=100mbit,delay=5ms,loss=0", 1, v6, we_connect, bytes);
            }
        }
    }
}

#[test]
fn losses_in_every_role_and_direction() {
    for seed in 0..8 {
        for we_connect in [true, false] {
            for path in ["rate=10mbit,delay=10ms,loss=1%", "rate=10mbit,delay=10ms,loss=5%"] {
                exchange(path, seed, false, we_connect, [MEGABYTE / 4, MEGABYTE / 4]);
            }
        }
    }
}

#[test]
fn reordering_duplication_and_corruption_in_every_role_and_direction() {
    for seed in 0..8 {
        for we_connect in [true, false] {
            for path in [
                "rate=10mbit,delay=10ms,loss=0,reorder=5%:4",
                "rate=10mbit,delay=10ms,loss=0,duplicate=10%",
                "rate=10mbit,delay=10ms,loss=1%,reorder=2%:8ms,duplicate=2%,corrupt=1%",
                "rate=1mbit,delay=50ms,loss=0,queue=5",
            ] {
                exchange(path, seed, false, we_connect, [MEGABYTE / 8, MEGABYTE / 8]);
            }
        }
    }
}

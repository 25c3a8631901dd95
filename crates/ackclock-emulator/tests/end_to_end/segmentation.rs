//! Hosts whose devices segment: the stack decides on up to 64 KiB at once, and the network carries,
//! loses and delays single segments.

use crate::common::far_end;
use crate::common::talker::{Content, Talker};
use ackclock::congestion::BuiltIn;
use ackclock::tcp::{Config, Info};
use ackclock::time::Instant;
use ackclock_emulator::{Emulator, Ended, LEFT, LinkStatistics, RIGHT, Topology};

const LENGTH: u64 = 4 << 20;
/// Payload bytes of a full segment: the MTU less the headers of IPv4 and TCP and the timestamps.
const SEGMENT: u64 = 1_448;

/// Both hosts send this many bytes and verify what they get, which must be right. Returns the
/// connections, the counters of the links and the numbers of packets that the stacks sent, left
/// first.
fn exchange(
    paths: [&str; 2],
    lengths: [u64; 2],
    v6: bool,
    seed: u64,
) -> ([Info; 2], [LinkStatistics; 2], [u64; 2]) {
    let mut topology = Topology::pair(paths.map(|path| path.parse().unwrap()));
    for host in [LEFT, RIGHT] {
        topology.set_segmentation(host, true);
    }
    let law = BuiltIn::default();
    let mut emulator = Emulator::new(&topology, seed, |_| law, ()).unwrap();
    let content = |seed| Content { seed, length: lengths[seed as usize] };
    let (left, right) = (content(0), content(1));
    let address = far_end(v6, 1);
    let listening = Talker::listening(address, Config::default(), [right, left]);
    let connecting = Talker::connecting(address, Config::default(), [left, right]);
    let listening = emulator.add_application(RIGHT, listening).unwrap();
    let connecting = emulator.add_application(LEFT, connecting).unwrap();
    assert_eq!(emulator.run_until_done(Instant::from_secs(10_000)), Ended::Done);
    let ids = [(connecting, right.length), (listening, left.length)];
    let infos = ids.map(|(id, length)| {
        let talker = emulator.application(id).unwrap();
        let info = talker.info.unwrap();
        assert_eq!((talker.received, talker.wrong, info.error), (length, None, None));
        info
    });
    let links = [LEFT, RIGHT].map(|host| *emulator.link_statistics(host));
    let sent = [LEFT, RIGHT].map(|host| emulator.stack(host).statistics().packets_sent);
    (infos, links, sent)
}

#[test]
fn every_byte_arrives_whatever_happens_to_single_segments() {
    let path = "rate=100mbit,delay=5ms,loss=1%,queue=100,reorder=1%:3,duplicate=1%,corrupt=0.5%";
    for v6 in [false, true] {
        for seed in 0..3 {
            let (infos, links, sent) = exchange([path; 2], [LENGTH; 2], v6, seed);
            for (info, (link, sent)) in infos.iter().zip(links.iter().zip(sent)) {
                assert!(info.retransmitted > 0);
                assert!(link.packets_offered > sent, "some transmissions were cut");
            }
        }
    }
}

#[test]
fn of_a_large_transmission_exactly_what_was_lost_is_sent_again() {
    let there = "rate=1gbit,delay=5ms,queue=infinite,loss=packets:100:101:130:400:1000:1001:1002";
    let back = "rate=1gbit,delay=5ms,queue=infinite,loss=0";
    let ([info, _], [link, _], [sent, _]) = exchange([there, back], [LENGTH, 0], false, 1);
    assert_eq!(link.packets_lost, 7);
    assert_eq!((info.retransmitted, info.bytes_retransmitted), (7, 7 * SEGMENT));
    assert_eq!((info.timeouts, info.tail_probes), (0, 0));
    let segments = LENGTH.div_ceil(SEGMENT);
    // The SYN counts too, and the FIN, which waits for no data and comes after them.
    assert_eq!(info.data_segments_sent, 1 + segments + 7 + 1);
    // Each ack lets two or more segments go, which are one transmission.
    assert!(sent < segments * 2 / 3, "{sent} transmissions of {segments} segments");
}

#[test]
fn no_transmission_exceeds_what_congestion_control_allows() {
    let path = "rate=1gbit,delay=5ms,queue=infinite,loss=0";
    let ([info, _], [link, _], _) = exchange([path; 2], [LENGTH, 0], false, 1);
    // Ten segments of the initial window go at once (RFC 6928), and so does each window after it;
    // the queue is at most the largest window.
    assert!(link.longest_queue * SEGMENT <= u64::from(info.cwnd), "{}", link.longest_queue);
    assert_eq!((info.retransmitted, link.packets_dropped), (0, 0));
}

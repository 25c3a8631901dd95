//! What a stack costs in memory, ours and smoltcp's: bulk transfers by size of the buffers, messages
//! to and fro, opening and closing, and one busy connection among idle ones; and what of it costs over
//! IPv6. All features are on at ours: SACK, timestamps, RACK-TLP and CUBIC. See `docs/performance.md`.

use ackclock_benches::contest::{Contest, Maker, Work};
use ackclock_benches::memory::{Access, Family, Floor, Ours, OursSetup, Smoltcp, SmoltcpSetup};
use criterion::{Criterion, criterion_group, criterion_main};
use smoltcp::socket::tcp::CongestionControl;

/// Payload of a full segment with timestamps at MTU 1500.
const SEGMENT: usize = 1448;

/// The same over IPv6.
const SEGMENT_V6: usize = 1428;

/// Segments that are carried at a time.
const SEGMENTS: usize = 181;

fn ours(setup: OursSetup) -> Work {
    ours_by(SEGMENT, setup)
}

fn smoltcp(setup: SmoltcpSetup) -> Work {
    smoltcp_by(SEGMENT, setup)
}

/// Carries segments of so many bytes.
fn ours_by(segment: usize, setup: OursSetup) -> Work {
    let mut ends = Ours::new(&setup);
    Box::new(move |times| {
        ends.transfer(SEGMENTS * segment * times as usize);
    })
}

fn smoltcp_by(segment: usize, setup: SmoltcpSetup) -> Work {
    let mut ends = Smoltcp::new(&setup);
    Box::new(move |times| {
        ends.transfer(SEGMENTS * segment * times as usize);
    })
}

fn bulk(criterion: &mut Criterion) {
    for kib in [64, 256, 1024] {
        let buffer = kib * 1024;
        let our = OursSetup { buffer, ..OursSetup::default() };
        let their = SmoltcpSetup { buffer, ..SmoltcpSetup::default() };
        let in_place = Access::InPlace;
        let cubic = CongestionControl::Cubic;
        let mut contest = Contest {
            bench: "bulk",
            case: format!("buffers of {kib} KiB"),
            unit: "segment",
            units: SEGMENTS as f64,
            bytes: (SEGMENTS * SEGMENT) as f64,
            reference: ("smoltcp without congestion control", smoltcp(their)),
            contenders: vec![
                ("ackclock", Box::new(move || ours(our))),
                (
                    "copies and checksums alone",
                    Box::new(move || {
                        let mut floor = Floor::new(buffer);
                        Box::new(move |times| {
                            floor.transfer(SEGMENTS * SEGMENT * times as usize);
                        })
                    }),
                ),
            ],
        };
        let more: [(_, Maker); 9] = [
            (
                "ackclock, acking every second segment",
                Box::new(move || ours(OursSetup { batch: 1, ..our })),
            ),
            ("ackclock, in place", Box::new(move || ours(OursSetup { access: in_place, ..our }))),
            (
                "ackclock, checksum offload",
                Box::new(move || ours(OursSetup { checksum_offload: true, ..our })),
            ),
            (
                "ackclock, in place, checksum offload",
                Box::new(move || {
                    ours(OursSetup { access: in_place, checksum_offload: true, ..our })
                }),
            ),
            (
                "smoltcp with CUBIC",
                Box::new(move || smoltcp(SmoltcpSetup { congestion: cubic, ..their })),
            ),
            (
                "smoltcp, acking every second segment",
                Box::new(move || smoltcp(SmoltcpSetup { batch: 2, ..their })),
            ),
            (
                "smoltcp, in place",
                Box::new(move || smoltcp(SmoltcpSetup { access: in_place, ..their })),
            ),
            (
                "smoltcp, checksum offload",
                Box::new(move || smoltcp(SmoltcpSetup { checksum_offload: true, ..their })),
            ),
            (
                "smoltcp, in place, checksum offload",
                Box::new(move || {
                    smoltcp(SmoltcpSetup { access: in_place, checksum_offload: true, ..their })
                }),
            ),
        ];
        if kib == 256 {
            contest.contenders.extend(more);
        }
        contest.run(criterion);
    }
}

/// Over IPv6, where less of our path is short; the same bytes go over IPv4 beside it.
fn bulk_over_ipv6(criterion: &mut Criterion) {
    let family = Family::V6;
    Contest {
        bench: "bulk",
        case: "buffers of 256 KiB, IPv6".to_string(),
        unit: "1,428 bytes",
        units: SEGMENTS as f64,
        bytes: (SEGMENTS * SEGMENT_V6) as f64,
        reference: (
            "smoltcp without congestion control",
            smoltcp_by(SEGMENT_V6, SmoltcpSetup { family, ..SmoltcpSetup::default() }),
        ),
        contenders: vec![
            (
                "ackclock",
                Box::new(move || ours_by(SEGMENT_V6, OursSetup { family, ..OursSetup::default() })),
            ),
            ("ackclock, IPv4", Box::new(|| ours_by(SEGMENT_V6, OursSetup::default()))),
            (
                "smoltcp without congestion control, IPv4",
                Box::new(|| smoltcp_by(SEGMENT_V6, SmoltcpSetup::default())),
            ),
        ],
    }
    .run(criterion);
}

fn ping_pong(criterion: &mut Criterion) {
    let ours = |family| -> Work {
        let mut ends = Ours::new(&OursSetup { family, ..OursSetup::default() });
        Box::new(move |times| ends.ping_pong(64, times as usize))
    };
    let smoltcp = |family| -> Work {
        let mut ends = Smoltcp::new(&SmoltcpSetup { family, ..SmoltcpSetup::default() });
        Box::new(move |times| ends.ping_pong(64, times as usize))
    };
    let contest = |case: &str, family, contenders| Contest {
        bench: "ping-pong",
        case: case.to_string(),
        unit: "round trip",
        units: 1.0,
        bytes: 0.0,
        reference: ("smoltcp", smoltcp(family)),
        contenders,
    };
    let plain: Vec<(_, Maker)> = vec![("ackclock", Box::new(move || ours(Family::V4)))];
    contest("64 bytes", Family::V4, plain).run(criterion);
    let over_ipv6: Vec<(_, Maker)> = vec![
        ("ackclock", Box::new(move || ours(Family::V6))),
        ("ackclock, IPv4", Box::new(move || ours(Family::V4))),
        ("smoltcp, IPv4", Box::new(move || smoltcp(Family::V4))),
    ];
    contest("64 bytes, IPv6", Family::V6, over_ipv6).run(criterion);
}

fn open_and_close(criterion: &mut Criterion) {
    let mut theirs = Smoltcp::new(&SmoltcpSetup::default());
    Contest {
        bench: "open and close",
        case: "one after another".to_string(),
        unit: "connection",
        units: 1.0,
        bytes: 0.0,
        reference: ("smoltcp", Box::new(move |times| theirs.open_and_close(times as usize))),
        contenders: vec![(
            "ackclock",
            Box::new(|| {
                let mut ours = Ours::new(&OursSetup::default());
                Box::new(move |times| ours.open_and_close(times as usize))
            }),
        )],
    }
    .run(criterion);
}

/// One connection carries data while others are idle; the reference has no others.
fn idle(criterion: &mut Criterion) {
    let our_contenders = [10, 100, 1_000, 10_000, 100_000].map(|count| -> (_, Maker) {
        let name = match count {
            10 => "ackclock, 10 idle",
            100 => "ackclock, 100 idle",
            1_000 => "ackclock, 1,000 idle",
            10_000 => "ackclock, 10,000 idle",
            _ => "ackclock, 100,000 idle",
        };
        let make = move || -> Work {
            let mut ends = Ours::new(&OursSetup::default());
            ends.add_idle(count);
            Box::new(move |times| {
                ends.transfer(SEGMENTS * SEGMENT * times as usize);
            })
        };
        (name, Box::new(make))
    });
    let their_contenders = [10, 100, 1_000].map(|count| -> (_, Maker) {
        let name = match count {
            10 => "smoltcp, 10 idle",
            100 => "smoltcp, 100 idle",
            _ => "smoltcp, 1,000 idle",
        };
        let make = move || -> Work {
            let mut ends = Smoltcp::new(&SmoltcpSetup::default());
            ends.add_idle(count);
            Box::new(move |times| {
                ends.transfer(SEGMENTS * SEGMENT * times as usize);
            })
        };
        (name, Box::new(make))
    });
    let contest = |reference, contenders: Vec<_>| Contest {
        bench: "idle connections",
        case: format!("beside {}", if contenders.len() > 3 { "ours" } else { "smoltcp's" }),
        unit: "segment",
        units: SEGMENTS as f64,
        bytes: (SEGMENTS * SEGMENT) as f64,
        reference,
        contenders,
    };
    contest(("ackclock, none idle", ours(OursSetup::default())), our_contenders.into())
        .run(criterion);
    contest(("smoltcp, none idle", smoltcp(SmoltcpSetup::default())), their_contenders.into())
        .run(criterion);
}

criterion_group!(benches, bulk, bulk_over_ipv6, ping_pong, open_and_close, idle);
criterion_main!(benches);

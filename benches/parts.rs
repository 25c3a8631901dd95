//! Parts of the stack by themselves: codec and checksum beside smoltcp's, a copy that sums, what an ack
//! costs with holes in the flight and with large flights, and what timers cost among many.

use ackclock::wire::Checksum;
use ackclock_benches::contest::{Contest, Maker, Work};
use ackclock_benches::copy_and_sum::{CopyAndSum, by_blocks, by_words, one_after_the_other};
use ackclock_benches::lossy_flight::LossyFlight;
use ackclock_benches::memory::{Ours, OursSetup};
use ackclock_benches::packets::{PAYLOAD, read, read_smoltcp, write, write_smoltcp};
use ackclock_benches::scoreboard::{ACKS, Scoreboard};
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;

fn contest(
    bench: &'static str,
    case: String,
    unit: &'static str,
    reference: (&'static str, Work),
    contenders: Vec<(&'static str, Maker)>,
) -> Contest {
    Contest { bench, case, unit, units: 1.0, bytes: 0.0, reference, contenders }
}

fn codec(criterion: &mut Criterion) {
    type Write = fn(&mut [u8], &[u8]) -> usize;
    type Read = fn(&[u8]) -> usize;
    let writing = |with: Write, len: usize| -> Work {
        let (payload, mut to) = (vec![7; len], vec![0; 1_500]);
        Box::new(move |times| {
            for _ in 0..times {
                with(black_box(&mut to), black_box(&payload));
            }
        })
    };
    let reading = |with: Read, len: usize| -> Work {
        let mut packet = vec![0; 1_500];
        let len = write(&mut packet, &vec![7; len]);
        Box::new(move |times| {
            for _ in 0..times {
                with(&packet[..len]);
            }
        })
    };
    for len in [0, PAYLOAD] {
        let case = |what: &str| format!("{what}, {len} bytes of payload");
        let ours: Maker = Box::new(move || writing(write, len));
        let theirs = ("smoltcp", writing(write_smoltcp, len));
        contest("codec", case("writing"), "packet", theirs, vec![("ackclock", ours)])
            .run(criterion);
        let ours: Maker = Box::new(move || reading(read, len));
        let theirs = ("smoltcp", reading(read_smoltcp, len));
        contest("codec", case("reading"), "packet", theirs, vec![("ackclock", ours)])
            .run(criterion);
    }
}

/// RFC 1071 section 4.1: one 16-bit word after another.
fn word_by_word(bytes: &[u8]) -> u16 {
    let (words, _) = bytes.as_chunks::<2>();
    let mut sum: u32 = words.iter().map(|word| u32::from(u16::from_be_bytes(*word))).sum();
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    sum as u16
}

fn summing(with: fn(&[u8]) -> u16, len: usize) -> Work {
    let bytes: Vec<u8> = (0..len).map(|n| n as u8).collect();
    Box::new(move |times| {
        for _ in 0..times {
            black_box(with(black_box(&bytes)));
        }
    })
}

fn checksum(criterion: &mut Criterion) {
    for len in [20, 64, PAYLOAD, 65_000] {
        let reference = ("smoltcp", summing(smoltcp::wire::checksum::data, len));
        let contenders: Vec<(_, Maker)> = vec![
            (
                "ackclock",
                Box::new(move || summing(|bytes| Checksum::default().over(bytes).sum(), len)),
            ),
            ("word by word", Box::new(move || summing(word_by_word, len))),
        ];
        contest("checksum", format!("{len} bytes"), "sum", reference, contenders).run(criterion);
    }
}

fn copy_and_checksum(criterion: &mut Criterion) {
    let copying = |with: CopyAndSum, len: usize| -> Work {
        let (from, mut to) = (vec![7; len], vec![0; len]);
        Box::new(move |times| {
            for _ in 0..times {
                black_box(with(black_box(&from), black_box(&mut to)));
            }
        })
    };
    for len in [64, PAYLOAD, 65_000] {
        let reference = ("a copy and then a sum", copying(one_after_the_other, len));
        let contenders: Vec<(_, Maker)> = vec![
            ("both in one pass, by words of 64 bits", Box::new(move || copying(by_words, len))),
            ("both in one pass, by blocks of 2 KiB", Box::new(move || copying(by_blocks, len))),
        ];
        contest("copy and checksum", format!("{len} bytes"), "copy", reference, contenders)
            .run(criterion);
    }
}

/// Acks, a new scoreboard whenever its flight is used up.
fn acks(holes: u32) -> Work {
    let mut board = Scoreboard::new(holes);
    let mut given = 0;
    Box::new(move |times| {
        for _ in 0..times {
            if given == ACKS {
                (board, given) = (Scoreboard::new(holes), 0);
            }
            board.ack();
            given += 1;
        }
    })
}

fn holes(criterion: &mut Criterion) {
    for holes in [10, 1_000] {
        let contender: (_, Maker) = ("ackclock", Box::new(move || acks(holes)));
        let reference = ("ackclock without holes", acks(0));
        contest("ack processing", format!("{holes} holes"), "ack", reference, vec![contender])
            .run(criterion);
    }
}

fn large_flights(criterion: &mut Criterion) {
    let acks = |window| -> Work {
        let mut flight = LossyFlight::new(window);
        Box::new(move |times| (0..times).for_each(|_| flight.ack()))
    };
    let contenders: Vec<(_, Maker)> = vec![
        ("8,600 segments in flight", Box::new(move || acks(8_600))),
        ("86,000 segments in flight", Box::new(move || acks(86_000))),
    ];
    let reference = ("860 segments in flight", acks(860));
    let case = "one of 1,000 lost".to_string();
    contest("large flights", case, "ack", reference, contenders).run(criterion);
}

/// Two connections whose messages arm and stop timers, among others with a timer each that never fires.
/// There must be two: the deadline of the connection that was heard last is not in the queue.
fn timers(criterion: &mut Criterion) {
    let busy = |others| -> Work {
        let mut ends = Ours::new(&OursSetup::with_timers());
        ends.add_busy();
        ends.add_idle(others);
        Box::new(move |times| ends.ping_pong(64, times as usize))
    };
    let contenders: Vec<(_, Maker)> = vec![
        ("10 others", Box::new(move || busy(10))),
        ("1,000 others", Box::new(move || busy(1_000))),
        ("100,000 others", Box::new(move || busy(100_000))),
    ];
    let case = "messages and answers".to_string();
    let reference = ("no others", busy(0));
    let contest = contest("timers", case, "round trip", reference, contenders);
    Contest { units: 2.0, ..contest }.run(criterion);
}

criterion_group!(benches, codec, checksum, copy_and_checksum, holes, large_flights, timers);
criterion_main!(benches);

//! Streams over arbitrary paths between ends with arbitrary settings arrive as they were sent.
//! `PROPTEST_CASES` sets how many cases are tried; 256 by default.

use crate::common::far_end;
use crate::common::talker::{Content, Manner, Talker};
use ackclock::congestion::{BuiltIn, InitialWindow};
use ackclock::tcp::{AckPolicy, Config, EcnMode, Nagle};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{
    Discipline, Emulator, Ended, LEFT, Loss, PairConfig, Path, Probability, QueueLimit, RIGHT, Rate,
};
use proptest::prelude::*;

/// A give-up time so long that no connection of these tests reaches it: a fifth of all packets may
/// be lost, and sooner or later many in a row are.
const NEVER: Duration = Duration::from_secs(1_000_000_000);

/// The time after which a run counts as hanging, far more than any needs (timeouts are at most 120
/// s).
const LIMIT: Instant = Instant::from_secs(1_000_000);

fn path() -> impl Strategy<Value = Path> {
    let rate = prop_oneof![10_000..10_000_000u64, 10_000_000..1_000_000_000u64];
    let delay = prop_oneof![Just(0u64), 0..1_000_000u64, 0..500_000_000u64];
    (rate, delay, 0..=200_000_000u32, 0..100usize).prop_map(|(rate, delay, loss, queue)| {
        let mut path = Path::default();
        path.rate = Rate::from_bits_per_second(rate).unwrap();
        path.delay = Duration::from_nanos(delay);
        path.loss = Loss::Bernoulli(Probability::from_parts_per_billion(loss).unwrap());
        path.queue = Discipline::DropTail(QueueLimit::Packets(queue));
        path
    })
}

fn ack_policy() -> impl Strategy<Value = AckPolicy> {
    prop_oneof![
        Just(AckPolicy::EverySegment),
        Just(AckPolicy::Bsd43),
        (0..=500u64, 0..20u16).prop_map(|(millis, quick_acks)| {
            AckPolicy::Delayed { timeout: Duration::from_millis(millis), quick_acks }
        }),
    ]
}

fn config() -> impl Strategy<Value = Config> {
    let size = || prop_oneof![1..100u32, 100..100_000u32];
    let sizes = (prop_oneof![1..50u16, 50..2000u16], size(), size(), 1..200u32, 0..64u32);
    let options = (any::<[bool; 3]>(), any::<bool>(), 0..3usize);
    (sizes, options, ack_policy(), 1..20u16).prop_map(|(sizes, options, ack_policy, segments)| {
        let mut config = Config::default();
        let (mss, send_buffer, receive_buffer, flight_records, reassembly_ranges) = sizes;
        config.mss = Some(mss);
        config.send_buffer = send_buffer;
        config.receive_buffer = receive_buffer;
        config.flight_records = flight_records;
        config.reassembly_ranges = reassembly_ranges;
        let (options, asks_for_ecn, nagle) = options;
        [config.window_scaling, config.timestamps, config.sack] = options;
        config.nagle = Nagle::ALL[nagle];
        config.ecn = if asks_for_ecn { EcnMode::Request } else { EcnMode::Accept };
        config.ack_policy = ack_policy;
        config.initial_window = InitialWindow::segments(segments);
        (config.give_up, config.syn_give_up) = (NEVER, NEVER);
        config
    })
}

/// An end: its settings, the seed of its stream, how many units it sends (of the smallest size that
/// goes at a time), and its manners.
fn end() -> impl Strategy<Value = (Config, u64, u64, Manner)> {
    let manner = (1..5000usize, 1..100usize, prop_oneof![Just(0u64), 0..100_000_000u64]);
    let manner = manner.prop_map(|(write, read, pause)| Manner {
        write,
        read,
        pause: Duration::from_nanos(pause),
    });
    (config(), any::<u64>(), 0..400u64, manner)
}

proptest! {
    #[test]
    fn two_stacks_deliver_arbitrary_streams_intact(
        paths in [path(), path()],
        ends in [end(), end()],
        seed: u64,
        v6: bool,
    ) {
        let mut pair = PairConfig::new(Path::default());
        (pair.paths, pair.seed) = (paths, seed);
        let mut emulator = Emulator::pair(&pair, [BuiltIn::default(); 2], ()).unwrap();

        // The smallest number of bytes that go at a time, on which the length of a run depends.
        let smallest = |(config, ..): &(Config, u64, u64, Manner)| {
            let mss = u32::from(config.mss.unwrap()).saturating_sub(12).max(1);
            u64::from(mss.min(config.send_buffer).min(config.receive_buffer))
        };
        let unit = ends.iter().map(smallest).min().unwrap();
        let contents =
            ends.map(|(_, seed, units, _)| Content { seed, length: units * unit + seed % unit });
        let talkers = [(LEFT, 0, 1), (RIGHT, 1, 0)].map(|(host, own, other)| {
            let (config, _, _, mut manner) = ends[own];
            manner.read *= unit as usize;
            let contents = [contents[own], contents[other]];
            let address = far_end(v6, 1);
            let talker = match host {
                LEFT => Talker::connecting(address, config, contents),
                _ => Talker::listening(address, config, contents),
            };
            (host, talker.with_manner(manner))
        });
        // The listener is added first.
        let ids = talkers.into_iter().rev().map(|(host, talker)| {
            emulator.add_application(host, talker).unwrap()
        });
        let ids: Vec<_> = ids.collect();

                prop_assert_eq!(emulator.run_until_done(LIMIT), Ended::Done);
        for (id, other) in ids.into_iter().zip([0, 1]) {
            let talker = emulator.application(id).unwrap();
            prop_assert_eq!(talker.wrong, None);
            prop_assert_eq!(talker.info.unwrap().error, None);
            prop_assert_eq!(talker.received, contents[other].length);
        }
    }
}

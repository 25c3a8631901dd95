//! The cost of loss recovery over emulated paths; medians over seeds where chance plays a part.

use crate::common::{add_transfer, far_end};
use ackclock::apps::{Amount, Service, SourceConfig};
use ackclock::congestion::BuiltIn;
use ackclock::tcp::{Info, RecoveryAlgorithm};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Emulator, Ended, PairConfig};

const CLEAN: &str = "rate=10mbit,delay=20ms,loss=0,queue=infinite";

/// A transfer with these path parameters on the way there, and a clean way back.
struct Transfer {
    took: Duration,
    info: Info,
}

impl Transfer {
    fn by(recovery: &str, words: &str, seed: u64, change: impl FnOnce(&mut SourceConfig)) -> Self {
        let recovery: RecoveryAlgorithm = recovery.parse().unwrap();
        let mut config = PairConfig::new(CLEAN.parse().unwrap());
        config.paths[0] = words.parse().unwrap();
        config.seed = seed;
        let mut emulator = Emulator::pair(&config, [BuiltIn::default(); 2], ()).unwrap();
        let mut source = SourceConfig::new(far_end(false, Service::Discard.port()));
        source.connection.recovery = recovery;
        change(&mut source);
        let (source, _) = add_transfer(&mut emulator, Service::Discard, source);
        assert_eq!(emulator.run_until_done(Instant::from_secs(10_000)), Ended::Done);
        let source = emulator.application(source).unwrap();
        assert_eq!(source.error(), None);
        Transfer {
            took: source.ended().unwrap().saturating_since(source.started().unwrap()),
            info: *source.last_info().unwrap(),
        }
    }
}

/// The medians over five seeds of the milliseconds and of the recoveries of a transfer of two
/// megabytes.
fn medians(recovery: &str, words: &str, timestamps: bool) -> (u64, u64) {
    let runs: Vec<Transfer> = (1..=5)
        .map(|seed| {
            Transfer::by(recovery, words, seed, |source| {
                source.connection.timestamps = timestamps;
                source.amount = Amount::Bytes(2 << 20);
            })
        })
        .collect();
    let median = |of: fn(&Transfer) -> u64| {
        let mut all: Vec<u64> = runs.iter().map(of).collect();
        all.sort_unstable();
        all[2]
    };
    (median(|run| run.took.as_nanos() / 1_000_000), median(|run| run.info.fast_recoveries))
}

#[test]
fn reordering_costs_rack_little_and_recoveries_by_duplicate_acks_much() {
    let reordering = format!("{CLEAN},reorder=5%:10ms");
    let (undisturbed, _) = medians("rack", CLEAN, true);
    println!("{undisturbed} ms without reordering");
    let (mut longest, mut most) = (0, 0);
    for timestamps in [true, false] {
        let (took, recoveries) = medians("rack", &reordering, timestamps);
        println!("rack: {took} ms, {recoveries} recoveries; timestamps: {timestamps}");
        assert!(took * 100 < undisturbed * 105, "less than 5 %");
        (longest, most) = (longest.max(took), most.max(recoveries));
    }
    // Reno and sack-pipe never find out that a recovery was a false alarm. NewReno and RFC 6675 do,
    // by timestamps and D-SACK, but again and again.
    for (name, finds_out) in
        [("reno", false), ("sack-pipe", false), ("newreno", true), ("rfc6675", true)]
    {
        for timestamps in [true, false] {
            let (took, recoveries) = medians(name, &reordering, timestamps);
            println!("{name}: {took} ms, {recoveries} recoveries; timestamps: {timestamps}");
            assert!(recoveries >= 4 * most, "{name}");
            assert!(finds_out || took > 3 * longest, "{name}");
        }
    }
}

#[test]
fn a_lost_tail_is_repaired_by_a_probe_and_not_by_a_timeout() {
    // Packet 1 is the SYN, and ten segments follow, the last one with the FIN.
    for lost in ["11", "10:11", "6:7:8:9:10:11"] {
        let path = format!("rate=10mbit,delay=20ms,queue=infinite,loss=packets:{lost}");
        let [rack, other] = ["rack", "rfc6675"].map(|name| {
            Transfer::by(name, &path, 1, |source| source.amount = Amount::Bytes(10 * 1_448))
        });
        assert_eq!((rack.info.timeouts, rack.info.tail_probes), (0, 1), "packets {lost}");
        assert_eq!(other.info.timeouts, 1, "packets {lost}: what the probe spares");
        assert!(rack.took <= other.took, "packets {lost}");
    }
}

#[test]
fn half_a_window_lost_at_once_is_repaired_without_a_timeout() {
    // The window is the send buffer of 64 KiB, 45 segments.
    for first in [100, 111, 122, 133, 144_u32] {
        let lost: Vec<String> = (first..first + 22).map(|packet| packet.to_string()).collect();
        let lost = lost.join(":");
        let path = format!("rate=10mbit,delay=50ms,queue=infinite,loss=packets:{lost}");
        let info =
            Transfer::by("rack", &path, 1, |source| source.connection.send_buffer = 1 << 16).info;
        let repaired = (info.retransmitted, info.timeouts, info.fast_recoveries);
        assert_eq!(repaired, (22, 0, 1), "from packet {first} on");
    }
}

#[test]
fn a_delay_spike_of_a_second_is_undone() {
    // The line stands still and loses nothing.
    let spike = format!("{CLEAN},outage=2s..3s");
    for name in ["rack", "rfc6675", "newreno"] {
        let run = |words: &str| {
            Transfer::by(name, words, 1, |source| source.amount = Amount::Bytes(4 << 20))
        };
        let (before, after) = (run(CLEAN), run(&spike));
        assert!(after.info.timeouts > 0, "{name}");
        let timers = after.info.timeouts + after.info.tail_probes;
        assert!(after.info.retransmitted <= timers, "{name}: {:?}", after.info);
        assert_eq!((after.info.undos, after.info.ssthresh), (1, before.info.ssthresh), "{name}");
        let cost = after.took.saturating_sub(before.took);
        assert!(cost <= Duration::from_millis(1_050), "{name}: {cost:?}");
    }
}

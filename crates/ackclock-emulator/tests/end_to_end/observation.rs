//! What observers are told agrees with what happened.

use crate::common::{add_transfer, far_end, pair_observed};
use ackclock::apps::{Service, SourceConfig};
use ackclock::tcp::State;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Ended, LEFT, RIGHT, Recorder};

const PATH: &str = "rate=1.5mbit,delay=30ms,loss=1%,queue=20";

#[test]
fn records_of_queues_agree_with_the_statistics_of_the_links() {
    let mut emulator = pair_observed(PATH, 1, Recorder::default());
    add_transfer(&mut emulator, Service::Discard, SourceConfig::new(far_end(false, 9)));
    assert_eq!(emulator.run_until_done(Instant::from_secs(60)), Ended::Done);
    let end = Instant::from_secs(60);
    emulator.run_until(end);
    let statistics = [LEFT, RIGHT].map(|host| *emulator.link_statistics(host));
    let recorder = emulator.into_observer();
    assert_eq!(recorder.links().count(), 2);
    for (statistics, (_, record)) in statistics.iter().zip(recorder.links()) {
        let drops = record.drops.len() as u64;
        assert_eq!(drops, statistics.packets_dropped + statistics.packets_lost);
        let packets = record.packets.over(Instant::ZERO, end).unwrap();
        assert_eq!(packets.most, statistics.longest_queue);
        let waiting = record.waiting_packets.over(Instant::ZERO, end).unwrap();
        assert_eq!(waiting.most, packets.most.saturating_sub(1).max(waiting.least));
        // Busy shares are exact: whole nanoseconds over a minute.
        let busy = record.busy.over(Instant::ZERO, end).unwrap().mean;
        assert_eq!(busy, statistics.busy.as_nanos() as f64 / 60e9);
        let bytes = record.waiting_bytes.steps().last().unwrap();
        assert_eq!(bytes.1, 0);
    }
    assert_eq!(statistics[0].longest_queue, 21);
}

#[test]
fn records_of_connections_show_their_whole_life() {
    let mut emulator = pair_observed(PATH, 1, Recorder::default());
    let (source, _) =
        add_transfer(&mut emulator, Service::Discard, SourceConfig::new(far_end(false, 9)));
    assert_eq!(emulator.run_until_done(Instant::from_secs(60)), Ended::Done);
    let source = emulator.application(source).unwrap();
    let (info, ended) = (*source.last_info().unwrap(), source.ended());
    let recorder = emulator.into_observer();
    let [client, server]: [_; 2] = recorder.connections().collect::<Vec<_>>().try_into().unwrap();
    assert_eq!((client.host, server.host), (LEFT, RIGHT));
    assert_eq!((client.local, client.remote), (server.remote, server.local));
    let states = client.states.iter().map(|(_, state)| *state).collect::<Vec<_>>();
    use State::{Established, FinWait1, SynSent};
    assert_eq!(states[..3], [SynSent, Established, FinWait1]);
    // It was established a round trip after its SYN: 2 * 30 ms, and 60 + 60 bytes at 1.5 Mbit/s.
    let established = Instant::ZERO + Duration::from_micros(60_640);
    assert_eq!(client.states[1], (established, Established));
    assert_eq!(client.rtt.at(established), Some(60_640_000));
    assert_eq!(client.ssthresh.at(established), None);
    // Whatever was lost has halved the window.
    let least = client.ssthresh.steps().iter().map(|(_, value)| *value).min().unwrap();
    assert_eq!(client.ssthresh.steps().last().unwrap().1, u64::from(info.ssthresh));
    assert!(least < client.cwnd.over(Instant::ZERO, Instant::from_secs(60)).unwrap().most / 2);
    // Ten segments of 1448 bytes at once (RFC 6928).
    assert_eq!(client.in_flight.at(established), Some(14_480));
    let end = client.gone.unwrap();
    assert_eq!(client.in_flight.steps().last(), Some(&(end, 0)));
    assert_eq!(ended, Some(end));
}

#[test]
fn watching_changes_nothing() {
    let run = |watched: Option<Recorder>| {
        let mut emulator = pair_observed(PATH, 5, watched);
        add_transfer(&mut emulator, Service::Discard, SourceConfig::new(far_end(true, 9)));
        assert_eq!(emulator.run_until_done(Instant::from_secs(60)), Ended::Done);
        (emulator.now(), [LEFT, RIGHT].map(|host| *emulator.link_statistics(host)))
    };
    assert_eq!(run(None), run(Some(Recorder::default())));
}

//! Observers are told what really happened.

use crate::common::{add_transfer, far_end, pair_observed};
use ackclock::apps::{Service, SourceConfig};
use ackclock::tcp::State;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{
    Ended, LEFT, LinkStatistics, Observer, PcapNgCapture, RIGHT, Recorder, Topology, Trace,
    TraceFormat,
};
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketOption;
use pcap_file::pcapng::{Block, PcapNgReader};
use serde_json::Value;

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
        // The busy share is exact: whole nanoseconds over a minute.
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
    // The connection was established a round trip after its SYN: 2 * 30 ms, and 60 + 60 bytes at
    // 1.5 Mbit/s.
    let established = Instant::ZERO + Duration::from_micros(60_640);
    assert_eq!(client.states[1], (established, Established));
    assert_eq!(client.rtt.at(established), Some(60_640_000));
    assert_eq!(client.ssthresh.at(established), None);
    // Losses have halved the window.
    let least = client.ssthresh.steps().iter().map(|(_, value)| *value).min().unwrap();
    assert_eq!(client.ssthresh.steps().last().unwrap().1, u64::from(info.ssthresh));
    assert!(least < client.cwnd.over(Instant::ZERO, Instant::from_secs(60)).unwrap().most / 2);
    // The initial window of ten segments of 1448 bytes is sent at once (RFC 6928).
    assert_eq!(client.in_flight.at(established), Some(14_480));
    let end = client.gone.unwrap();
    assert_eq!(client.in_flight.steps().last(), Some(&(end, 0)));
    assert_eq!(ended, Some(end));
}

/// A transfer to its end over a path with all impairments. Returns the observer and the counters of
/// the links.
fn transfer<O: Observer>(observer: O) -> (O, [LinkStatistics; 2]) {
    let path = "rate=1.5mbit,delay=30ms,loss=1%,queue=20,duplicate=1%,corrupt=1%";
    let mut emulator = pair_observed(path, 1, observer);
    add_transfer(&mut emulator, Service::Discard, SourceConfig::new(far_end(false, 9)));
    assert_eq!(emulator.run_until_done(Instant::from_secs(60)), Ended::Done);
    emulator.run_until(Instant::from_secs(60));
    let statistics = [LEFT, RIGHT].map(|host| *emulator.link_statistics(host));
    (emulator.into_observer(), statistics)
}

/// A topology with the names of `transfer`.
fn topology() -> Topology {
    Topology::pair(["loss=0", "loss=0"].map(|path| path.parse().unwrap()))
}

#[test]
fn a_trace_tells_all_that_the_statistics_count_in_either_format() {
    let trace = |format| Trace::new(&topology(), format, Vec::new()).unwrap();
    let traces = (trace(TraceFormat::JsonLines), trace(TraceFormat::Csv));
    let ((json, csv), statistics) = transfer(traces);
    let json = String::from_utf8(json.finish().unwrap()).unwrap();
    let lines: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.is_sorted_by_key(|line| line["time_ns"].as_u64().unwrap()));
    for (link, statistics) in (0..).zip(statistics) {
        let count = |event| {
            let of_it = |line: &&Value| line["event"] == event && line["link"] == link;
            lines.iter().filter(of_it).count() as u64
        };
        assert_eq!(count("sent"), statistics.packets_offered);
        assert_eq!(count("dropped"), statistics.packets_dropped + statistics.packets_lost);
        assert_eq!(count("duplicated"), statistics.packets_duplicated);
        assert_eq!(count("corrupted"), statistics.packets_corrupted);
        assert_eq!(count("delivered"), statistics.packets_carried);
        assert_eq!(count("queued"), statistics.packets_offered - statistics.packets_dropped);
        assert_eq!(count("transmission_began"), count("queued"));
        assert_eq!(count("transmission_ended"), count("queued"));
        assert!(statistics.packets_duplicated > 0 && statistics.packets_corrupted > 0);
    }
    let csv = csv.finish().unwrap();
    let mut reader = csv::Reader::from_reader(&csv[..]);
    let names = reader.headers().unwrap().clone();
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), lines.len());
    for (row, line) in rows.iter().zip(&lines) {
        for (name, field) in names.iter().zip(row) {
            let same = match &line[name] {
                Value::Null => field.is_empty(),
                Value::String(text) => field == text,
                number => *field == *number.to_string(),
            };
            assert!(same, "{name}: {field} in {line}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_files() {
    let files = || {
        let trace = Trace::new(&topology(), TraceFormat::Csv, Vec::new()).unwrap();
        let capture = PcapNgCapture::new(&topology(), Vec::new()).unwrap();
        let ((trace, capture), _) = transfer((trace, capture));
        (trace.finish().unwrap(), capture.finish().unwrap())
    };
    assert!(files() == files());
}

#[test]
fn a_capture_in_pcapng_has_every_packet_at_both_ends_and_says_which_are_dropped() {
    let (capture, statistics) = transfer(PcapNgCapture::new(&topology(), Vec::new()).unwrap());
    let file = capture.finish().unwrap();
    let mut reader = PcapNgReader::new(&file[..]).unwrap();
    let mut latest = std::time::Duration::ZERO;
    // For each interface the packets that went out, came in, and were dropped.
    let mut counts = [[0; 3]; 2];
    while let Some(block) = reader.next_block() {
        let Block::EnhancedPacket(packet) = block.unwrap() else { continue };
        assert!(packet.timestamp >= latest);
        latest = packet.timestamp;
        let counts = &mut counts[packet.interface_id as usize];
        for option in packet.options {
            match option {
                EnhancedPacketOption::Flags(1) => counts[1] += 1,
                EnhancedPacketOption::Flags(2) => counts[0] += 1,
                EnhancedPacketOption::Comment(_) => counts[2] += 1,
                other => panic!("{other:?}"),
            }
        }
    }
    let [there, back] = statistics;
    for ([out, came, dropped], [ours, theirs]) in
        counts.into_iter().zip([[there, back], [back, there]])
    {
        assert_eq!(out, ours.packets_offered);
        assert_eq!(came, theirs.packets_carried);
        assert_eq!(dropped, ours.packets_dropped + ours.packets_lost);
    }
}

#[test]
fn watching_changes_nothing() {
    let run = |watched: Option<Trace<Vec<u8>>>| {
        let mut emulator = pair_observed(PATH, 5, watched);
        add_transfer(&mut emulator, Service::Discard, SourceConfig::new(far_end(true, 9)));
        assert_eq!(emulator.run_until_done(Instant::from_secs(60)), Ended::Done);
        (emulator.now(), [LEFT, RIGHT].map(|host| *emulator.link_statistics(host)))
    };
    let trace = Trace::new(&topology(), TraceFormat::Csv, Vec::new()).unwrap();
    assert_eq!(run(None), run(Some(trace)));
}

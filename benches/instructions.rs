//! What things cost in instructions, which no other work on the machine changes.
//!
//! The program runs itself under valgrind's callgrind twice, once with more repetitions than the other
//! time: the difference of the counts divided by that of the repetitions is what one costs.
//!
//! ```sh
//! cargo bench -p ackclock-benches --bench instructions            # tell
//! cargo bench -p ackclock-benches --bench instructions -- --check # fail if more than 3 % above benches/instructions.txt, or not in it
//! cargo bench -p ackclock-benches --bench instructions -- --write # make that file anew
//! ```

use ackclock_benches::callgrind;
use ackclock_benches::lossy_flight::LossyFlight;
use ackclock_benches::memory::{Access, Family, Floor, Ours, OursSetup, Smoltcp, SmoltcpSetup};
use ackclock_benches::packets::{PAYLOAD, Timers, read, read_smoltcp, write, write_smoltcp};
use ackclock_benches::report::{self, Row};
use ackclock_benches::scoreboard::{Holes, Scoreboard};
use smoltcp::socket::tcp::CongestionControl;
use std::error::Error;
use std::process::ExitCode;

/// Whether it was built incrementally, where the compiler inlines less: the counts are others.
const INCREMENTAL: Option<&str> = option_env!("CARGO_INCREMENTAL");

const BASELINES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/instructions.txt");

/// How far a count may be above its baseline.
const TOLERANCE: f64 = 0.03;

/// Payload bytes of 256 KiB in whole segments.
const BULK: usize = 181 * PAYLOAD;

/// The same over IPv6.
const BULK_V6: usize = 181 * (PAYLOAD - 20);

/// What is counted: name, unit, repetitions of both runs, units in a repetition.
const TASKS: [(&str, &str, [u64; 2], f64); 32] = [
    ("bulk", "segment", [20, 60], 181.0),
    ("bulk, acking every second segment", "segment", [20, 60], 181.0),
    ("bulk, in place", "segment", [20, 60], 181.0),
    ("bulk, one of several queues", "segment", [20, 60], 181.0),
    ("bulk, 10,000 idle connections", "segment", [20, 60], 181.0),
    ("bulk, IPv6", "segment", [20, 60], 181.0),
    ("bulk, smoltcp without congestion control", "segment", [20, 60], 181.0),
    ("bulk, smoltcp with CUBIC", "segment", [20, 60], 181.0),
    ("bulk, IPv6, smoltcp without congestion control", "segment", [20, 60], 181.0),
    ("copies and checksums alone", "segment", [20, 60], 181.0),
    ("ping-pong of 64 bytes", "round trip", [500, 1_500], 1.0),
    ("ping-pong of 64 bytes, IPv6", "round trip", [500, 1_500], 1.0),
    ("ping-pong of 64 bytes, smoltcp", "round trip", [500, 1_500], 1.0),
    ("ping-pong of 64 bytes, IPv6, smoltcp", "round trip", [500, 1_500], 1.0),
    ("open and close", "connection", [2_000, 3_000], 1.0),
    ("open and close, smoltcp", "connection", [500, 1_500], 1.0),
    ("writing a packet", "packet", [100, 1_100], 1.0),
    ("writing a packet, smoltcp", "packet", [100, 1_100], 1.0),
    ("reading a packet", "packet", [100, 1_100], 1.0),
    ("reading a packet, smoltcp", "packet", [100, 1_100], 1.0),
    ("ack", "ack", [500, 2_500], 1.0),
    ("ack, 10 holes", "ack", [500, 2_500], 1.0),
    ("ack, 1,000 holes", "ack", [500, 2_500], 1.0),
    ("ack, 860 segments in flight, one of 1,000 lost", "ack", [1_000, 41_000], 1.0),
    ("ack, 8,600 segments in flight, one of 1,000 lost", "ack", [1_000, 41_000], 1.0),
    ("ack, 86,000 segments in flight, one of 1,000 lost", "ack", [1_000, 41_000], 1.0),
    ("segment received, no holes", "segment", [500, 2_500], 1.0),
    ("segment received, 10 holes", "segment", [500, 2_500], 1.0),
    ("segment received, 1,000 holes", "segment", [500, 2_500], 1.0),
    ("ping-pong of 64 bytes, two timers", "round trip", [500, 1_500], 2.0),
    ("ping-pong of 64 bytes, 10,002 timers", "round trip", [500, 1_500], 2.0),
    ("timer among 10,000", "timer fired", [1_000, 3_000], 1.0),
];

/// Does what is counted.
fn perform(task: &str, times: u64) -> Option<()> {
    let (our, their) = (OursSetup::default(), SmoltcpSetup::default());
    let our_v6 = OursSetup { family: Family::V6, ..our };
    let their_v6 = SmoltcpSetup { family: Family::V6, ..their };
    let n = times as usize;
    let bulk = |setup: OursSetup| repeat(1, || Ours::new(&setup).transfer(n * BULK));
    let payload = [7; PAYLOAD];
    let mut packet = [0; 1_500];
    match task {
        "bulk" => bulk(our),
        "bulk, acking every second segment" => bulk(OursSetup { batch: 1, ..our }),
        "bulk, one of several queues" => bulk(OursSetup { claim: true, ..our }),
        "bulk, in place" => bulk(OursSetup { access: Access::InPlace, ..our }),
        "bulk, IPv6" => repeat(1, || Ours::new(&our_v6).transfer(n * BULK_V6)),
        "bulk, IPv6, smoltcp without congestion control" => {
            Smoltcp::new(&their_v6).transfer(n * BULK_V6);
        }
        "bulk, 10,000 idle connections" => {
            let mut ends = Ours::new(&our);
            ends.add_idle(10_000);
            ends.transfer(n * BULK);
        }
        "bulk, smoltcp without congestion control" => {
            Smoltcp::new(&their).transfer(n * BULK);
        }
        "bulk, smoltcp with CUBIC" => {
            let setup = SmoltcpSetup { congestion: CongestionControl::Cubic, ..their };
            Smoltcp::new(&setup).transfer(n * BULK);
        }
        "copies and checksums alone" => {
            Floor::new(our.buffer).transfer(n * BULK);
        }
        "ping-pong of 64 bytes" => Ours::new(&our).ping_pong(64, n),
        "ping-pong of 64 bytes, IPv6" => Ours::new(&our_v6).ping_pong(64, n),
        "ping-pong of 64 bytes, IPv6, smoltcp" => Smoltcp::new(&their_v6).ping_pong(64, n),
        "ping-pong of 64 bytes, smoltcp" => Smoltcp::new(&their).ping_pong(64, n),
        "open and close" => Ours::new(&our).open_and_close(n),
        "open and close, smoltcp" => Smoltcp::new(&their).open_and_close(n),
        "writing a packet" => repeat(n, || write(&mut packet, &payload)),
        "writing a packet, smoltcp" => repeat(n, || write_smoltcp(&mut packet, &payload)),
        "reading a packet" => {
            let len = write(&mut packet, &payload);
            repeat(n, || read(&packet[..len]));
        }
        "reading a packet, smoltcp" => {
            let len = write(&mut packet, &payload);
            repeat(n, || read_smoltcp(&packet[..len]));
        }
        "ack" => acks(0, n),
        "ack, 10 holes" => acks(10, n),
        "ack, 1,000 holes" => acks(1_000, n),
        "ack, 860 segments in flight, one of 1,000 lost" => lossy_acks(860, n),
        "ack, 8,600 segments in flight, one of 1,000 lost" => lossy_acks(8_600, n),
        "ack, 86,000 segments in flight, one of 1,000 lost" => lossy_acks(86_000, n),
        "segment received, no holes" => segments(0, n),
        "segment received, 10 holes" => segments(10, n),
        "segment received, 1,000 holes" => segments(1_000, n),
        "ping-pong of 64 bytes, two timers" => messages_among_timers(0, n),
        "ping-pong of 64 bytes, 10,002 timers" => messages_among_timers(10_000, n),
        "timer among 10,000" => Timers::new(10_000).fire(times),
        _ => return None,
    }
    Some(())
}

fn repeat(times: usize, mut work: impl FnMut() -> usize) {
    for _ in 0..times {
        std::hint::black_box(work());
    }
}

fn acks(holes: u32, count: usize) {
    let mut board = Scoreboard::new(holes);
    (0..count).for_each(|_| board.ack());
}

fn lossy_acks(window: u32, count: usize) {
    let mut flight = LossyFlight::new(window);
    (0..count).for_each(|_| flight.ack());
}

fn messages_among_timers(others: usize, count: usize) {
    let mut ends = Ours::new(&OursSetup::with_timers());
    ends.add_busy();
    ends.add_idle(others);
    ends.ping_pong(64, count);
}

fn segments(holes: u32, count: usize) {
    let mut receiver = Holes::new(holes);
    (0..count).for_each(|_| receiver.receive());
}

/// Instructions that so many repetitions take, with all that goes before.
fn instructions(task: &str, times: u64) -> Result<f64, Box<dyn Error>> {
    callgrind::count(&[], &["perform", task, &times.to_string()])
}

fn measure() -> Result<Vec<Row>, Box<dyn Error>> {
    let row = |(task, unit, [few, many], units): (_, _, [u64; 2], f64)| {
        let difference = instructions(task, many)? - instructions(task, few)?;
        let mut row = Row::new("instructions", "one of each", task, unit);
        row.instructions = Some((difference / (many - few) as f64 / units).round());
        Ok(row)
    };
    TASKS.into_iter().map(row).collect()
}

/// Whether a task is ours and so has a baseline: smoltcp's costs are not ours to keep.
fn is_ours(task: &str) -> bool {
    !task.contains("smoltcp")
}

/// What the file says of each task.
fn baselines() -> Result<Vec<(String, f64)>, Box<dyn Error>> {
    let text = std::fs::read_to_string(BASELINES)?;
    let lines = text.lines().filter_map(|line| line.rsplit_once(": "));
    lines.map(|(task, count)| Ok((task.to_string(), count.parse()?))).collect()
}

/// Whether nothing of ours costs more than it did, within the tolerance, and all of it has a baseline.
fn holds(rows: &[Row]) -> Result<bool, Box<dyn Error>> {
    let mut holds = true;
    let baselines = baselines()?;
    for Row { contender: task, .. } in rows.iter().filter(|row| is_ours(&row.contender)) {
        if baselines.iter().all(|(known, _)| known != task) {
            println!("{task}: no baseline; `-- --write` writes those of all tasks");
            holds = false;
        }
    }
    for (task, baseline) in baselines {
        let count = rows.iter().find(|row| row.contender == task);
        let count = count.and_then(|row| row.instructions);
        let count = count.ok_or_else(|| format!("{task} is not counted: make the file anew"))?;
        let change = 100.0 * (count / baseline - 1.0);
        if count > baseline * (1.0 + TOLERANCE) {
            println!("{task}: {count} instructions, {change:.1} % above {baseline}");
            holds = false;
        } else if count < baseline * (1.0 - TOLERANCE) {
            println!("{task}: {count} instructions, {change:.1} %: make the file anew");
        }
    }
    Ok(holds)
}

fn run(arguments: &[&str]) -> Result<ExitCode, Box<dyn Error>> {
    if let ["perform", task, times] = arguments {
        perform(task, times.parse()?).ok_or("nothing that is counted")?;
        return Ok(ExitCode::SUCCESS);
    }
    let compares = arguments.iter().any(|argument| ["--check", "--write"].contains(argument));
    if compares && INCREMENTAL == Some("1") {
        return Err(
            "counts of an incremental build are others: build with CARGO_INCREMENTAL=0".into()
        );
    }
    let rows = measure()?;
    report::print(&rows);
    if arguments.contains(&"--write") {
        let ours = rows.iter().filter(|row| is_ours(&row.contender));
        let line = |row: &Row| format!("{}: {}\n", row.contender, row.instructions.unwrap_or(0.0));
        std::fs::write(BASELINES, ours.map(line).collect::<String>())?;
    }
    let holds = !arguments.contains(&"--check") || holds(&rows)?;
    Ok(if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    run(&arguments).unwrap_or_else(|error| {
        eprintln!("instructions: {error}");
        ExitCode::FAILURE
    })
}

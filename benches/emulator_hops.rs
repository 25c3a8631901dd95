//! What the emulator does in a second: how many packets cross a link, with everything that the hosts'
//! stacks, the queues and the routers do about them. The project asks for a million and more on one
//! core, and for 500 flows over 100 virtual seconds at 1.5 Mbit/s in less than a second.

use ackclock::time::Instant;
use ackclock_benches::clock::processor_time;
use ackclock_benches::report::{self, Ratio, Row, median};
use ackclock_emulator::scenario::Scenario;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::time::Duration;

/// One transfer between two hosts, one hop: nearly all that is done is done by the stacks.
const PAIR: &str = r#"
duration = "20s"
[pair]
path = "rate=100mbit,delay=10ms,loss=0,queue=200"
[[flows]]
from = "left"
to = "right"
"#;

/// Twenty transfers over three hops.
const DUMBBELL: &str = r#"
duration = "20s"
[dumbbell]
bottleneck = "rate=100mbit,delay=10ms,loss=0,queue=200"
access = ["rate=1gbit,delay=1ms,loss=0,queue=1000", "rate=1gbit,delay=2ms,loss=0,queue=1000"]
pairs = 2
[[flows]]
from = "sender1"
to = "receiver1"
count = 10
[[flows]]
from = "sender2"
to = "receiver2"
count = 10
"#;

/// Flows of all sizes between the same two hosts, all of which stay open until they are done.
const MANY_FLOWS: &str = r#"
duration = "100s"
[connection]
mss = 1000
[dumbbell]
bottleneck = "rate=1.5mbit,delay=40ms,loss=0,queue=40"
access = ["rate=10mbit,delay=1ms,loss=0"]
[[flows]]
from = "sender1"
to = "receiver1"
count = 500
start = "0s..100s"
bytes = "1kB..100kB"
"#;

/// Packets that cross a link in a run, and the virtual time that it takes.
fn hops(scenario: &Scenario) -> (u64, Instant) {
    let results = scenario.run().expect("a scenario that runs");
    let packets = results.links.iter().map(|link| link.statistics.packets_carried).sum();
    (packets, results.until)
}

fn emulator_hops(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("emulator_hops");
    group.sample_size(10);
    group.warm_up_time(Duration::from_millis(200));
    group.measurement_time(Duration::from_secs(2));
    let mut rows = Vec::new();
    for (name, text) in [
        ("one flow over one hop for 20 s", PAIR),
        ("20 flows over three hops for 20 s", DUMBBELL),
        ("500 flows at 1.5 Mbit/s for 100 s", MANY_FLOWS),
    ] {
        let scenario = Scenario::parse(text, name).expect("a scenario");
        let expected @ (packets, end) = hops(&scenario);
        let mut seconds = Vec::new();
        group.throughput(Throughput::Elements(packets));
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|times| {
                let begin = processor_time();
                (0..times).for_each(|_| assert_eq!(hops(&scenario), expected));
                let took = processor_time().saturating_sub(begin);
                seconds.push(took.as_secs_f64() / times as f64);
                took
            });
        });
        if !seconds.is_empty() {
            let seconds = median(seconds);
            let mut row = Row::new("emulator hops", "packets over links", name, "packet");
            row.ns = Some(seconds * 1e9 / packets as f64);
            let times = end.as_millis() as f64 / 1e3 / seconds;
            row.ratios.push(Ratio { reference: "real time".into(), times });
            rows.push(row);
        }
    }
    group.finish();
    report::print(&rows);
}

criterion_group!(benches, emulator_hops);
criterion_main!(benches);

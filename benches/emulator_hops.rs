//! What the emulator does in a second: how many packets cross a link, with everything that the hosts'
//! stacks, the queues and the routers do about them. The project asks for a million and more on one
//! core, and for 500 flows over 100 virtual seconds at 1.5 Mbit/s in less than a second.

use ackclock_emulator::scenario::Scenario;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

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

/// Packets that cross a link in a run.
fn hops(scenario: &Scenario) -> u64 {
    let results = scenario.run().expect("a scenario that runs");
    results.links.iter().map(|link| link.statistics.packets_carried).sum()
}

fn emulator_hops(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("emulator_hops");
    group.sample_size(10);
    for (name, text) in [
        ("one flow over one hop for 20 s", PAIR),
        ("20 flows over three hops for 20 s", DUMBBELL),
        ("500 flows at 1.5 Mbit/s for 100 s", MANY_FLOWS),
    ] {
        let scenario = Scenario::parse(text, name).expect("a scenario");
        group.throughput(Throughput::Elements(hops(&scenario)));
        group.bench_function(name, |bencher| bencher.iter(|| hops(&scenario)));
    }
    group.finish();
}

criterion_group!(benches, emulator_hops);
criterion_main!(benches);

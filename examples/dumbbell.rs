//! Ten flows over one bottleneck, each from a sender at another distance and a second after the one
//! before. The bottleneck's queue and the senders' windows go to standard output as CSV, which any
//! plotting program reads; a summary goes to standard error.
//!
//! ```console
//! $ cargo run --release --example dumbbell > dumbbell.csv
//! ```
//!
//! With the name of a congestion control algorithm (`cubic`) all senders use it instead of Reno.

use ackclock::apps::{Amount, Later, Server, Service, Source, SourceConfig};
use ackclock::congestion::BuiltIn;
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Dumbbell, Emulator, Path, Recorder, Series, Topology};
use std::error::Error;
use std::io::{self, BufWriter, Write};
use std::net::SocketAddr;

const FLOWS: u64 = 10;
const END: Instant = Instant::from_secs(60);

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1);
    let law = match &name {
        None => BuiltIn::default(),
        Some(name) => BuiltIn::by_name(name).ok_or("there is no such law")?,
    };
    let network = network()?;
    let recorder = run(&network, law)?;
    write(&network, &recorder, &mut BufWriter::new(io::stdout().lock()))?;
    // Since all flows are there.
    let queue = recorder.link(network.bottleneck[0]).ok_or("nothing was sent")?;
    let from = Instant::from_secs(FLOWS);
    let [packets, busy] = [&queue.packets, &queue.busy].map(|series| series.over(from, END));
    let (packets, busy) = (packets.ok_or("no time passed")?, busy.ok_or("no time passed")?);
    eprintln!(
        "queue {:.1} packets on average, {} at most; {:.1} % of the time in use; {} drops",
        packets.mean,
        packets.most,
        100.0 * busy.mean,
        queue.drops.len()
    );
    Ok(())
}

/// A path loses 1 % of its packets unless something else is said, so it is said here.
fn network() -> Result<Dumbbell, Box<dyn Error>> {
    let bottleneck: Path = "rate=10mbit,delay=10ms,loss=0,queue=100".parse()?;
    let near: Path = "rate=100mbit,delay=1ms,loss=0,queue=1000".parse()?;
    let access = |number| Ok([near.with(&format!("delay={number}ms"))?, near.clone()]);
    let access = (1..=FLOWS).map(access).collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    Ok(Topology::dumbbell([bottleneck.clone(), bottleneck], &access))
}

/// Lets each sender send to the receiver opposite until the end.
fn run(network: &Dumbbell, law: BuiltIn) -> Result<Recorder, Box<dyn Error>> {
    let mut emulator = Emulator::new(&network.topology, 1, |_host| law, Recorder::default())?;
    for (second, (&sender, &receiver)) in (0..).zip(network.senders.iter().zip(&network.receivers))
    {
        let [ipv4, _ipv6] = network.topology.addresses(receiver);
        let remote = SocketAddr::new(ipv4, Service::Discard.port());
        let server = Server::new(Service::Discard, ListenConfig::new(remote), Buffer::growing());
        emulator.add_application(receiver, server)?;
        let mut config = SourceConfig::new(remote);
        config.amount = Amount::Time(Duration::MAX);
        let start = Instant::from_secs(second);
        emulator.add_application(sender, Later::new(start, Source::new(config)))?;
    }
    emulator.run_until(END);
    Ok(emulator.into_observer())
}

/// A line for each step: a quantity keeps its value until its next line.
fn write(network: &Dumbbell, recorder: &Recorder, to: &mut impl Write) -> io::Result<()> {
    writeln!(to, "seconds,quantity,value")?;
    let mut steps = |name: &str, series: &Series| {
        series.steps().iter().try_for_each(|(at, value)| {
            writeln!(to, "{},{name},{value}", at.as_nanos() as f64 / 1e9)
        })
    };
    if let Some(link) = recorder.link(network.bottleneck[0]) {
        steps("queue_packets", &link.packets)?;
    }
    // Each connection has two ends; the receivers' windows stay as they are.
    let senders = recorder.connections().filter(|end| network.senders.contains(&end.host));
    for end in senders {
        let name = network.topology.name(end.host);
        steps(&format!("{name}_cwnd_bytes"), &end.cwnd)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queue_and_windows_of_all_flows_are_written() {
        let network = network().unwrap();
        let recorder = run(&network, BuiltIn::default()).unwrap();
        let mut csv = Vec::new();
        write(&network, &recorder, &mut csv).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        let mut names: Vec<_> =
            csv.lines().skip(1).filter_map(|line| line.split(',').nth(1)).collect();
        names.dedup();
        let senders = (1..=FLOWS).map(|number| format!("sender{number}_cwnd_bytes"));
        let expected: Vec<_> = ["queue_packets".to_owned()].into_iter().chain(senders).collect();
        assert_eq!(names, expected);
        // A queue of 100 packets and the one in service, which Reno fills.
        let queue = recorder.link(network.bottleneck[0]).unwrap();
        assert_eq!(queue.packets.over(Instant::ZERO, END).unwrap().most, 101);
    }
}

//! The same transfers by this stack and by smoltcp, over the same emulated networks.

use crate::starts::starts;
use ackclock::apps::{Amount, Server, Service, Source, SourceConfig};
use ackclock::congestion::BuiltIn;
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::tcp::Config;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Emulator, HostId, Topology};
use ackclock_smoltcp_peer::{CongestionControl, Job, Smoltcp};
use std::net::SocketAddr;

/// Who sends and receives.
#[derive(Clone, Copy, Debug)]
pub enum Tcp {
    /// This stack with a window law.
    Ours(BuiltIn),
    /// smoltcp with a window law.
    Smoltcp(CongestionControl),
}

/// What a flow sends: as much as it can in the time, through buffers of `buffer` bytes.
#[derive(Clone, Copy, Debug)]
struct Flow {
    from: HostId,
    to: HostId,
    local: SocketAddr,
    remote: SocketAddr,
    start: Instant,
    buffer: u32,
}

/// What a single flow meets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Setting {
    /// Acks are lost as well as data. Hosts look at what has come each millisecond, and then send: a
    /// burst that arrives within one has one ack. In this setting smoltcp was measured before.
    Polled,
    /// Only data is lost, over a line of 100 Mbit/s, and hosts take each packet when it arrives.
    AtOnce,
}

/// Bytes per second that arrive in a transfer of a minute, over a round-trip time of 100 ms with
/// buffers of 32 KiB, where the path loses packets with the probability `loss`.
pub fn single_flow(tcp: Tcp, setting: Setting, loss: &str, seed: u64) -> f64 {
    const TIME: Duration = Duration::from_secs(60);
    const POLL_INTERVAL: Duration = Duration::from_millis(1);
    // Half a millisecond before the host looks.
    let (line, back) = match setting {
        Setting::Polled => ("rate=100gbit,delay=49.5ms,queue=infinite", loss),
        Setting::AtOnce => ("rate=100mbit,delay=50ms,queue=infinite", "0"),
    };
    let paths = [loss, back].map(|loss| format!("{line},loss={loss}").parse().expect("a path"));
    let mut topology = Topology::pair(paths);
    let [from, to] = [0, 1].map(|index| topology.hosts().nth(index).expect("a host"));
    if setting == Setting::Polled {
        for host in [from, to] {
            topology.set_poll_interval(host, POLL_INTERVAL);
        }
    }
    let flow = flow(&topology, from, to, Instant::ZERO, 32 * 1024);
    throughput(&topology, tcp, &[flow], TIME, seed)[0]
}

/// Bytes per second of each of `flows` flows that share 200 Mbit/s with a queue of 64 KiB, at a
/// round-trip time of 100 ms with buffers of 256 KiB, over a minute. They start at random within
/// the first second.
pub fn dumbbell(tcp: Tcp, flows: usize, seed: u64) -> Vec<f64> {
    const TIME: Duration = Duration::from_secs(60);
    let bottleneck = "rate=200mbit,delay=50ms,loss=0,queue=65536B";
    let access = "rate=10gbit,delay=0s,loss=0,queue=infinite";
    let path = |text: &str| text.parse().expect("a path");
    let dumbbell = Topology::dumbbell(
        [path(bottleneck), path(bottleneck)],
        &vec![[path(access), path(access)]; flows],
    );
    let ends = dumbbell.senders.iter().zip(&dumbbell.receivers);
    let flows: Vec<Flow> = ends
        .zip(starts(seed))
        .map(|((&from, &to), start)| flow(&dumbbell.topology, from, to, start, 256 * 1024))
        .collect();
    throughput(&dumbbell.topology, tcp, &flows, TIME, seed)
}

/// Jain's fairness index: 1 if all are equal, 1/n if one has everything.
pub fn fairness(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    sum * sum / (shares.len() as f64 * squares)
}

fn flow(topology: &Topology, from: HostId, to: HostId, start: Instant, buffer: u32) -> Flow {
    let address = |host, port| SocketAddr::new(topology.addresses(host)[0], port);
    Flow { from, to, local: address(from, 2000), remote: address(to, 9), start, buffer }
}

/// Bytes per second that arrive in each flow until `time` is over.
fn throughput(
    topology: &Topology,
    tcp: Tcp,
    flows: &[Flow],
    time: Duration,
    seed: u64,
) -> Vec<f64> {
    match tcp {
        Tcp::Ours(law) => ours(topology, law, flows, time, seed),
        Tcp::Smoltcp(law) => smoltcp(topology, law, flows, time, seed),
    }
}

fn ours(topology: &Topology, law: BuiltIn, flows: &[Flow], time: Duration, seed: u64) -> Vec<f64> {
    let mut emulator = Emulator::new(topology, seed, |_| law, ()).expect("a network");
    let servers: Vec<_> = flows
        .iter()
        .map(|flow| {
            let mut listen = ListenConfig::new(flow.remote);
            listen.connection = config(flow);
            let server = Server::new(Service::Discard, listen, Buffer::growing());
            emulator.add_application(flow.to, server).expect("it listens")
        })
        .collect();
    let mut order: Vec<&Flow> = flows.iter().collect();
    order.sort_by_key(|flow| flow.start);
    for flow in order {
        emulator.run_until(flow.start);
        let mut source = SourceConfig::new(flow.remote);
        source.connection = config(flow);
        source.amount = Amount::Time(time);
        emulator.add_application(flow.from, Source::new(source)).expect("it connects");
    }
    emulator.run_until(Instant::ZERO + time);
    let received = servers
        .into_iter()
        .map(|id| emulator.application(id).expect("it was added").statistics().bytes_received);
    received.zip(flows).map(|(bytes, flow)| rate(bytes, flow, time)).collect()
}

fn config(flow: &Flow) -> Config {
    let mut config = Config::default();
    (config.send_buffer, config.receive_buffer) = (flow.buffer, flow.buffer);
    config
}

fn smoltcp(
    topology: &Topology,
    law: CongestionControl,
    flows: &[Flow],
    time: Duration,
    seed: u64,
) -> Vec<f64> {
    let mut emulator =
        Emulator::new(topology, seed, |_| BuiltIn::default(), ()).expect("a network");
    for (index, flow) in flows.iter().enumerate() {
        let sender = Job {
            local: flow.local,
            remote: Some(flow.remote),
            start: flow.start,
            send: u64::MAX,
            send_seed: 1,
            receive_seed: 2,
            buffer: flow.buffer as usize,
            congestion: law,
        };
        let receiver = Job { local: flow.remote, remote: None, send: 0, receive_seed: 1, ..sender };
        let seed = seed.wrapping_mul(1000) + 2 * index as u64;
        emulator.occupy(flow.to, Smoltcp::new(receiver, 1500, seed));
        emulator.occupy(flow.from, Smoltcp::new(sender, 1500, seed + 1));
    }
    emulator.run_until(Instant::ZERO + time);
    let received = flows
        .iter()
        .map(|flow| emulator.endpoint::<Smoltcp>(flow.to).expect("it lives there").received());
    received.zip(flows).map(|(bytes, flow)| rate(bytes, flow, time)).collect()
}

fn rate(bytes: u64, flow: &Flow, time: Duration) -> f64 {
    let span = time.as_nanos() - flow.start.as_nanos();
    bytes as f64 / (span as f64 / 1e9)
}

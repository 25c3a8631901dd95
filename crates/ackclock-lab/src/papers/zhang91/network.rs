//! The network of figure 1 and the senders of section 2, which all experiments of the paper share.

use super::analysis::{Epoch, epochs};
use super::watch::{Drop, Watch};
use crate::drawing::DrawSeries;
use crate::experiment::{Choice, Job, Stop, Variant};
use crate::mutants::law::Law;
use crate::papers::flows::{second, starts};
use crate::published;
use ackclock::apps::{Amount, Later, Server, Service, Source, SourceConfig};
use ackclock::congestion::{BuiltIn, InitialWindow};
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::tcp::{AckPolicy, Config, Nagle, RestartAfterIdle};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{
    Chain, Emulator, HostId, LinkId, LinkRecord, Observer, Path, Recorder, Series, Topology,
};
use ackclock_report::{Axis, Plot, Style};
use std::net::SocketAddr;

/// Payload of a data packet: 500 bytes without 40 of headers and the 10 that make acks 50 bytes long.
pub(super) const PAYLOAD: u16 = 450;
/// Time in which the bottleneck sends a data packet: 500 bytes at 50 kbit/s.
pub(super) const TRANSMISSION: Duration = Duration::from_millis(80);
/// Largest window in packets (section 2.2).
pub(super) fn maxwnd() -> u32 {
    published::whole("zhang91.network.maxwnd_packets")
}

/// What section 2 leaves open.
pub(super) const CHOICES: &[Choice] = &[RECOVERY, TIMER, IN_SERVICE, START, LENGTH];

const RECOVERY: Choice = Choice {
    parameter: "recovery",
    value: "tahoe",
    reason: "as 4.3BSD-Tahoe did: after the third duplicate ack one segment is sent again, then \
             sending goes on from the old snd_nxt; the paper says that its code is BSD's",
};

const TIMER: Choice = Choice {
    parameter: "timer",
    value: "jacobson88-k2:ticks:one",
    reason: "4.3BSD-Tahoe's as it was released: ticks of 500 ms, at least two, one segment timed per \
             window, the mean and two deviations. The four deviations of jacobson88's revised text came \
             later: a row",
};

pub(super) const IN_SERVICE: Choice = Choice {
    parameter: "in_service",
    value: "counted",
    reason: "with one-way traffic floor(B + 2P) packets fit without a drop (section 3.1): that is \
             so if the packet in service is one of the B of the buffer",
};

pub(super) const START: Choice = Choice {
    parameter: "start",
    value: "5s",
    reason: "connections start at random times within this; the paper only says that they do",
};

pub(super) const LENGTH: Choice = Choice {
    parameter: "length",
    value: "1000",
    reason: "seconds after a warm-up of 200; the figures show a few hundred",
};

/// A variant, and one for another value of each choice.
pub(super) fn with_sensitivity(base: &Variant, quick: bool) -> Vec<Variant> {
    let others = [
        ("recovery", "tahoe-go-back-n"),
        ("timer", "jacobson88:ticks:one"),
        ("timer", "jacobson88:ticks=10ms/2:one"),
        ("in_service", "uncounted"),
        ("start", "60s"),
        ("length", "4000"),
    ];
    let seeds = if quick { 1 } else { 5 };
    let quick_enough = |(parameter, _): &&(&str, &str)| !quick || *parameter != "length";
    let others = others.iter().filter(quick_enough);
    let others = others.map(|(parameter, value)| base.but(parameter, value, seeds));
    [base.clone()].into_iter().chain(others).collect()
}

/// A scenario of the paper.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scenario<'a> {
    /// Connections from host 1 to host 2, and back.
    pub(super) connections: [u16; 2],
    /// Propagation delay of the bottleneck.
    pub(super) tau: &'a str,
    /// Buffer of each outgoing link of a switch, in packets or `infinite`.
    pub(super) buffer: &'a str,
    /// Law of the senders on host 1, and on host 2.
    pub(super) laws: [BuiltIn; 2],
}

/// What happened.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) recorder: Recorder,
    pub(super) watch: Watch,
    /// From switch 1 to switch 2, and back.
    pub(super) bottleneck: [LinkId; 2],
    /// The time after the warm-up.
    pub(super) span: [Instant; 2],
    /// Retransmissions in the whole run for each packet of data that was dropped.
    pub(super) retransmissions_per_drop: f64,
}

/// Warm-up, after which a run is measured.
pub(super) const WARM_UP: Instant = Instant::from_secs(200);

/// Tahoe that grows by 1/floor(cwnd) (section 2.1).
pub(super) fn tahoe() -> Result<BuiltIn, Stop> {
    Ok("tahoe:growth=floor".parse()?)
}

/// The hosts' lines, whose headers are those of packets of 500 and 50 bytes.
pub(super) fn access() -> Result<Path, Stop> {
    let [rate, delay] =
        ["bps", "delay_s"].map(|key| published::number(&format!("zhang91.network.access_{key}")));
    let line = format!("rate={rate}bit,delay={delay}s,loss=0,queue=infinite,overhead=+10");
    Ok(line.parse()?)
}

/// Figure 1: host 1, switch 1, switch 2, host 2.
fn topology(scenario: &Scenario<'_>, in_service: &str) -> Result<Chain, Stop> {
    topology_with(scenario, in_service, "loss=0")
}

/// The same with something else about all links.
pub(super) fn topology_with(
    scenario: &Scenario<'_>,
    in_service: &str,
    all: &str,
) -> Result<Chain, Stop> {
    let Scenario { tau, buffer, .. } = scenario;
    let access = access()?.with(all)?;
    let rate = published::number("zhang91.network.bottleneck_bps");
    let bottleneck = access
        .with(&format!("rate={rate}bit,delay={tau},queue={buffer},in_service={in_service}"))?;
    let both = |path: &Path| [path.clone(), path.clone()];
    let mut chain = Topology::chain(&[both(&access), both(&bottleneck), both(&access)]);
    for host in chain.ends {
        let processing = published::seconds("zhang91.network.host_processing_s");
        chain.topology.set_processing(host, processing);
    }
    Ok(chain)
}

/// The settings of a connection (section 2.1).
pub(super) fn connection(job: &Job<'_>) -> Result<Config, Stop> {
    let mut config = without_losses();
    config.recovery = job.get("recovery")?;
    config.rto = job.get("timer")?;
    // 4.3BSD's before the first measurement. The paper's connections are there already; ours have
    // to find each other over a delay that may be longer than today's first timeout.
    config.rto.initial = Duration::from_secs(6);
    Ok(job.settings(config))
}

/// The settings of a connection that loses nothing, so that nothing may time out.
pub(super) fn without_losses() -> Config {
    let mut config = Config::default();
    config.mss = Some(PAYLOAD);
    config.send_buffer = maxwnd() * u32::from(PAYLOAD);
    config.receive_buffer = maxwnd() * u32::from(PAYLOAD);
    (config.timestamps, config.sack, config.nagle) = (false, false, Nagle::Off);
    config.ack_policy = AckPolicy::EverySegment;
    let never = Duration::from_secs(100);
    (config.rto.initial, config.rto.min) = (never, never);
    config.initial_window = InitialWindow::segments(1);
    config.restart_after_idle = RestartAfterIdle::Never;
    config
}

/// The connection of this index from host 1 (0) or host 2 (1) has this port, so that its packets can
/// be told from others.
pub(super) const fn port(side: u16, index: u16) -> u16 {
    40_000 + 1000 * side + index
}

/// Runs a scenario with the job's seed; `settings` are those of all connections.
pub(super) fn run(job: &Job<'_>, scenario: &Scenario<'_>, settings: Config) -> Result<Run, Stop> {
    let chain = topology(scenario, job.word("in_service")?)?;
    run_over(job, scenario, settings, chain)
}

/// The same over a network that is a little different.
pub(super) fn run_over(
    job: &Job<'_>,
    scenario: &Scenario<'_>,
    settings: Config,
    chain: Chain,
) -> Result<Run, Stop> {
    let Chain { topology, ends, hops, .. } = chain;
    let settings = job.settings(settings);
    let bottleneck = hops[1];
    let law = |host: HostId| scenario.laws[usize::from(host != ends[0])];
    let watch = Watch::new(bottleneck.to_vec(), vec![hops[0][1], hops[2][0]]);
    let mut emulator = job.emulator(&topology, job.seed, law, (Recorder::default(), watch))?;
    let mut starts = starts(job, job.get("start")?);
    for (side, (from, to)) in (0..).zip([(ends[0], ends[1]), (ends[1], ends[0])]) {
        discard(&mut emulator, &topology, to, settings)?;
        for index in 0..scenario.connections[usize::from(side)] {
            let start = starts.next().unwrap_or_default();
            send(&mut emulator, &topology, [from, to], port(side, index), settings, start)?;
        }
    }
    let until = WARM_UP + Duration::from_secs(job.get("length")?);
    job.run_until(&mut emulator, until)?;
    let connections = ends.map(|host| emulator.stack(host).connections(until));
    let retransmitted: u64 =
        connections.into_iter().flatten().map(|(_, info)| info.retransmitted).sum();
    let (recorder, watch) = emulator.into_observer().0;
    let drops = watch.drops.iter().filter(|drop| drop.is_data).count();
    let retransmissions_per_drop = retransmitted as f64 / drops as f64;
    Ok(Run { recorder, watch, bottleneck, span: [WARM_UP, until], retransmissions_per_drop })
}

/// A host that receives.
pub(super) fn discard<O: Observer>(
    emulator: &mut Emulator<Law, O>,
    topology: &Topology,
    host: HostId,
    settings: Config,
) -> Result<(), Stop> {
    let local = SocketAddr::new(topology.addresses(host)[0], Service::Discard.port());
    let mut listen = ListenConfig::new(local);
    listen.connection = settings;
    emulator.add_application(host, Server::new(Service::Discard, listen, Buffer::growing()))?;
    Ok(())
}

/// A connection without end.
pub(super) fn send<O: Observer>(
    emulator: &mut Emulator<Law, O>,
    topology: &Topology,
    [from, to]: [HostId; 2],
    port: u16,
    settings: Config,
    start: Instant,
) -> Result<(), Stop> {
    let address = |host: HostId, port| SocketAddr::new(topology.addresses(host)[0], port);
    let mut source = SourceConfig::new(address(to, Service::Discard.port()));
    source.connection = settings;
    source.local = Some(address(from, port));
    source.amount = Amount::Time(Duration::MAX);
    emulator.add_application(from, Later::new(start, Source::new(source)))?;
    Ok(())
}

/// What is recorded of a link.
pub(super) fn line(recorder: &Recorder, link: LinkId) -> Result<&LinkRecord, Stop> {
    recorder.link(link).ok_or_else(|| Stop::Failed("nothing was sent".into()))
}

impl Run {
    /// The bottleneck, from host 1 to host 2 or back.
    pub(super) fn line(&self, side: usize) -> Result<&LinkRecord, Stop> {
        line(&self.recorder, self.bottleneck[side])
    }

    /// Share of the time in which the bottleneck is busy, from host 1 to host 2, or back.
    pub(super) fn utilisation(&self, side: usize) -> Result<f64, Stop> {
        let [from, until] = self.span;
        Ok(self.line(side)?.busy.over(from, until).map_or(0.0, |busy| busy.mean))
    }

    /// Most packets at the bottleneck, the one in service included.
    pub(super) fn longest_queue(&self, side: usize) -> Result<f64, Stop> {
        let [from, until] = self.span;
        Ok(self.line(side)?.packets.over(from, until).map_or(0.0, |queue| queue.most as f64))
    }

    /// The congestion window of the connection with that port, in bytes.
    pub(super) fn cwnd(&self, port: u16) -> Result<&Series, Stop> {
        let found = self.recorder.connections().find(|each| each.local.port() == port);
        found.map(|each| &each.cwnd).ok_or_else(|| Stop::Failed(format!("no connection {port}")))
    }

    /// Largest window of a connection, in whole packets.
    pub(super) fn largest_window(&self, port: u16) -> Result<f64, Stop> {
        let [from, until] = self.span;
        let most = self.cwnd(port)?.over(from, until).map_or(0, |cwnd| cwnd.most);
        Ok((most / u64::from(PAYLOAD)) as f64)
    }

    /// Drops after the warm-up.
    pub(super) fn drops(&self) -> &[Drop] {
        let drops = &self.watch.drops;
        &drops[drops.partition_point(|drop| drop.at < self.span[0])..]
    }

    /// Congestion epochs after the warm-up. With a full buffer a window takes twice tau and the
    /// time of what the buffer holds.
    pub(super) fn epochs(&self, tau: &str, buffer: u64) -> Result<Vec<Epoch>, Stop> {
        let tau: Duration = tau.parse().map_err(|_| Stop::Failed(format!("'{tau}' is no time")))?;
        Ok(epochs(self.drops(), tau.saturating_mul(2) + TRANSMISSION.saturating_mul(buffer)))
    }

    /// The first seconds after the warm-up, of which pictures are.
    fn seen(&self, length: Duration) -> [Instant; 2] {
        [self.span[0], self.span[1].min(self.span[0] + length)]
    }

    /// Queues with the drops of data above, as in figures 2 to 4, 6, 8 and 9.
    pub(super) fn queue_plot(
        &self,
        title: &str,
        sides: &[usize],
        length: Duration,
    ) -> Result<Plot, Stop> {
        let seen = self.seen(length);
        let [x, y] = ["time in s", "packets at the switch"].map(Axis::linear);
        let mut plot = Plot::new("queue", title, x, y);
        for &side in sides {
            let record = self.line(side)?;
            plot = plot.series(format!("queue of switch {}", side + 1), &record.packets, seen, 1.0);
            let most = record.packets.over(seen[0], seen[1]).map_or(0, |packets| packets.most);
            let within = |drop: &&Drop| drop.is_data && (seen[0]..seen[1]).contains(&drop.at);
            let of_side = |drop: &&Drop| usize::from(drop.port >= port(1, 0)) == side;
            let drops = self.watch.drops.iter().filter(within).filter(of_side);
            let height = most as f64 + 1.5 + side as f64;
            let points: Vec<_> = drops.map(|drop| (second(drop.at), height)).collect();
            if !points.is_empty() {
                plot = plot.line(format!("drops at switch {}", side + 1), Style::Crosses, points);
            }
        }
        Ok(plot)
    }

    /// Congestion windows, as in figures 2, 5 and 7.
    pub(super) fn window_plot(
        &self,
        title: &str,
        ports: &[u16],
        length: Duration,
    ) -> Result<Plot, Stop> {
        let [x, y] = ["time in s", "congestion window in packets"].map(Axis::linear);
        let mut plot = Plot::new("cwnd", title, x, y);
        for (number, &port) in (1..).zip(ports) {
            let name = format!("connection {number}");
            plot = plot.series(name, self.cwnd(port)?, self.seen(length), f64::from(PAYLOAD));
        }
        Ok(plot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_times_are_those_of_the_packets_that_the_paper_has() {
        let printed = |key: &str| published::number(&format!("zhang91.network.{key}"));
        let [data, ack] = ["data", "ack"].map(|kind| printed(&format!("{kind}_packet_bytes")));
        assert_eq!(f64::from(PAYLOAD), data - ack);
        assert_eq!(TRANSMISSION.as_nanos() as f64, data * 8.0 / printed("bottleneck_bps") * 1e9);
    }
}

//! Service on this program's stack, by a way out of this machine.

use super::idle::Idle;
use super::learned::LearnedHost;
use super::meter::{Counts, HEADER, Meter};
use super::refused::Refused;
use super::settings::ServeSettings;
use super::summary::Summary;
use crate::driver::{Driver, Limits};
use crate::failure::Failure;
use crate::interrupt;
use crate::report::{InfoReport, ProcessorReport, print, processor_time, seconds};
use crate::values::SignatureKey;
use crate::way::{self, Purpose, WaySettings};
use ackclock::apps::{Application, Server, ServerStatistics, StartError};
use ackclock::congestion::{BuiltIn, CongestionController};
use ackclock::stack::{Event, ListenConfig, Stack};
use ackclock::storage::Buffer;
use ackclock::tcp::Config;
use ackclock::time::{Duration, Instant};
use std::net::SocketAddr;
use std::ops::Add;
use std::path::PathBuf;

/// Settings of the stacks that serve.
#[derive(Clone, Debug)]
pub(crate) struct StackSettings {
    pub(crate) way: WaySettings,
    /// Configuration of each connection.
    pub(crate) config: Config,
    /// Keys that sign segments.
    pub(crate) keys: Vec<SignatureKey>,
    /// Congestion controller that each connection gets a clone of.
    pub(crate) controller: BuiltIn,
    pub(crate) limits: Limits,
    /// Connections that have transferred no data for this time are ended; `None`: none are.
    pub(crate) idle_time: Option<Duration>,
    /// Seed of everything random; `None`: a random seed.
    pub(crate) seed: Option<u64>,
    /// Length of the intervals that are reported; `None`: none are.
    pub(crate) interval: Option<Duration>,
    /// File in which packets are captured.
    pub(crate) pcap: Option<PathBuf>,
}

/// Serves until the only connection of `--once` has ended or the user ends the service.
pub(crate) fn over_own_stack(
    settings: &ServeSettings,
    stack_settings: &StackSettings,
) -> Result<(), Failure> {
    let &StackSettings { config, controller, limits, seed, .. } = stack_settings;
    let pcap = stack_settings.pcap.as_deref();
    let way = way::plan(&stack_settings.way, Purpose::Serve(settings.port))?;
    let mut driver = Driver::open(&*way, controller, limits, seed, pcap)?;
    driver.set_keys(&stack_settings.keys)?;
    interrupt::on_request(driver.stopper())?;
    let addresses = way.addresses().iter();
    let places: Vec<_> =
        addresses.map(|cidr| SocketAddr::new(cidr.address, settings.port)).collect();
    let server = |&local| {
        let mut listen = ListenConfig::new(local);
        listen.connection = config;
        listen.set_fast_open(config.fast_open);
        listen.half_open = limits.half_open.unwrap_or(listen.half_open);
        // As many as Linux's `somaxconn` allows: those that one round of the loop brings all have room.
        listen.backlog = 4_096;
        let server = Server::new(settings.service, listen, Buffer::growing());
        if settings.once { server.once() } else { server }
    };
    let servers = |index| Servers {
        each: places.iter().map(server).collect(),
        meter: Meter::new(index + 1, stack_settings.interval, !settings.json),
        idle: Idle::new(stack_settings.idle_time),
    };
    let mut all: Vec<_> = (0..driver.queues()).map(servers).collect();
    let place = places.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ");
    settings.announce(&place);
    if stack_settings.interval.is_some() && !settings.json {
        print(&format!("{HEADER}\n"))?;
    }
    driver.run(&mut all)?;
    let now = driver.now();
    for (servers, stack) in all.iter_mut().zip(driver.stacks()) {
        let counts = servers.counts(stack);
        servers.meter.conclude(now, counts);
    }
    let duration = now.saturating_since(Instant::ZERO);
    let offloading = Some(driver.is_offloading());
    let refused = driver
        .stacks()
        .map(|stack| Refused::from(stack.statistics()))
        .fold(Refused::default(), Refused::add);
    let servers = all.iter().flat_map(|servers| &servers.each);
    let mut summary =
        summary(servers, place, stack_settings.way.via.word(), seconds(duration), offloading);
    summary.refused = Some(refused);
    summary.hosts = config.reuse_metrics.then(|| {
        driver.stacks().flat_map(|stack| stack.host_metrics(now)).map(LearnedHost::from).collect()
    });
    driver.leave(&mut all, |servers, now, stack| {
        servers.each.iter_mut().for_each(|server| server.abort(now, stack));
    });
    driver.finish()?;
    summary.intervals = stack_settings
        .interval
        .filter(|_| settings.json)
        .map(|_| all.into_iter().flat_map(|servers| servers.meter.kept()).collect());
    summary.report(settings)
}

/// Servers of one queue: one for each of the stack's addresses. All are done as soon as one is.
struct Servers {
    each: Vec<Server<'static>>,
    meter: Meter,
    idle: Idle,
}

impl Servers {
    /// Counts of what the queue has served and refused so far.
    fn counts<C: CongestionController + Clone>(&self, stack: &Stack<'_, C>) -> Counts {
        let refused = Refused::from(stack.statistics());
        self.each.iter().map(Server::statistics).fold(
            Counts { refused, ..Counts::default() },
            |counts, statistics| Counts {
                accepted: counts.accepted + statistics.accepted,
                received_bytes: counts.received_bytes + statistics.bytes_received,
                sent_bytes: counts.sent_bytes + statistics.bytes_sent,
                ..counts
            },
        )
    }
}

/// Summary of what all servers did.
fn summary<'s>(
    servers: impl Iterator<Item = &'s Server<'static>> + Clone,
    listened_on: String,
    via: &'static str,
    duration_seconds: f64,
    offloading: Option<bool>,
) -> Summary {
    let sum = |count: fn(&ServerStatistics) -> u64| {
        servers.clone().map(|server| count(server.statistics())).sum()
    };
    let last = servers.clone().find_map(Server::last_info);
    let received_bytes = sum(|statistics| statistics.bytes_received);
    let sent_bytes = sum(|statistics| statistics.bytes_sent);
    // The process has done nothing else, so all of its time counts.
    let spent = processor_time();
    Summary {
        listened_on,
        via,
        accepted_connections: sum(|statistics| statistics.accepted),
        completed_connections: sum(|statistics| statistics.completed),
        failed_connections: sum(|statistics| statistics.failed),
        received_bytes,
        sent_bytes,
        duration_seconds,
        processor: spent.map(|spent| ProcessorReport::new(spent, received_bytes + sent_bytes)),
        offloading,
        refused: None,
        intervals: None,
        hosts: None,
        last: last.map(InfoReport::from),
        error: last.and_then(|info| info.error).map(|error| error.to_string()),
    }
}

impl<'a, C: CongestionController + Clone> Application<'a, C> for Servers {
    fn start(&mut self, now: Instant, stack: &mut Stack<'a, C>) -> Result<(), StartError> {
        self.each.iter_mut().try_for_each(|server| server.start(now, stack))
    }

    fn on_event(&mut self, now: Instant, stack: &mut Stack<'a, C>, event: &Event) {
        for server in &mut self.each {
            server.on_event(now, stack, event);
        }
    }

    fn wake_at(&self) -> Instant {
        self.meter.next_at().min(self.idle.look_at())
    }

    fn on_wake(&mut self, now: Instant, stack: &mut Stack<'a, C>) {
        if now >= self.idle.look_at() {
            self.idle.look(now, stack);
        }
        if now >= self.meter.next_at() {
            let counts = self.counts(stack);
            self.meter.sample(now, counts);
        }
    }

    fn is_done(&self) -> bool {
        self.meter.output_failed() || self.each.iter().any(Application::<C>::is_done)
    }
}

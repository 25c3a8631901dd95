//! A service on a stack of our own, by a way out of this machine.

use super::summary::Summary;
use super::{Order, announce};
use crate::driver::{Driver, Limits};
use crate::failure::Failure;
use crate::interrupt;
use crate::options::{ConnectionOptions, LimitOptions, Via, WayOptions};
use crate::report::{InfoReport, ProcessorReport, processor_time, seconds};
use crate::way::{self, Purpose};
use ackclock::apps::{Application, Server, ServerStatistics, StartError};
use ackclock::congestion::CongestionController;
use ackclock::stack::{Event, ListenConfig, Stack};
use ackclock::storage::Buffer;
use ackclock::time::Instant;
use std::net::SocketAddr;
use std::path::Path;

/// The stacks that serve, and their way out.
pub(crate) struct Serving<'o> {
    pub(crate) via: Via,
    pub(crate) way: &'o WayOptions,
    pub(crate) queues: u16,
    pub(crate) connection: &'o ConnectionOptions,
    pub(crate) limits: &'o LimitOptions,
    pub(crate) seed: Option<u64>,
    pub(crate) pcap: Option<&'o Path>,
}

/// Serves until the order is done or the user ends it.
pub(crate) fn over_a_stack(order: &Order, serving: &Serving<'_>) -> Result<(), Failure> {
    let &Serving { via, way, queues, connection, limits, seed, pcap } = serving;
    let config = connection.config()?;
    let way = way::plan(via, way, queues, Purpose::Serve(order.port))?;
    let limits = Limits {
        memory: limits.memory,
        max_connections: limits.max_connections,
        ..Limits::of_a_connection(&config)
    };
    let mut driver = Driver::open(&*way, connection.controller()?, limits, seed, pcap)?;
    interrupt::on_request(driver.stopper())?;
    let addresses = way.addresses().iter();
    let places: Vec<_> = addresses.map(|cidr| SocketAddr::new(cidr.address, order.port)).collect();
    let server = |&local| {
        let mut listen = ListenConfig::new(local);
        listen.connection = config;
        let server = Server::new(order.service, listen, Buffer::growing());
        if order.once { server.once() } else { server }
    };
    let servers = |_| Servers(places.iter().map(server).collect());
    let mut all: Vec<_> = (0..driver.queues()).map(servers).collect();
    let place = places.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ");
    announce(order, &place);
    driver.run(&mut all)?;
    let duration = driver.now().saturating_since(Instant::ZERO);
    let offloading = Some(driver.is_offloading());
    let servers = all.iter().flat_map(|servers| &servers.0);
    let summary = summary(servers, place, via.word(), seconds(duration), offloading);
    driver.leave(&mut all, |servers, now, stack| {
        servers.0.iter_mut().for_each(|server| server.abort(now, stack));
    });
    driver.finish()?;
    summary.report(order)
}

/// A server for each of our addresses. They are done as soon as one is.
struct Servers(Vec<Server<'static>>);

/// What all servers did.
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
    // It is the whole process that served.
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
        last: last.map(InfoReport::from),
        error: last.and_then(|info| info.error).map(|error| error.to_string()),
    }
}

impl<'a, C: CongestionController + Clone> Application<'a, C> for Servers {
    fn start(&mut self, now: Instant, stack: &mut Stack<'a, C>) -> Result<(), StartError> {
        self.0.iter_mut().try_for_each(|server| server.start(now, stack))
    }

    fn on_event(&mut self, now: Instant, stack: &mut Stack<'a, C>, event: &Event) {
        for server in &mut self.0 {
            server.on_event(now, stack, event);
        }
    }

    fn is_done(&self) -> bool {
        self.0.iter().any(|server| Application::<C>::is_done(server))
    }
}

//! Campaigns, by a way out of this machine.

use super::{resolve, unless_fatal};
use crate::commands::campaign::Run;
use crate::driver::{Driver, Limits};
use crate::failure::Failure;
use crate::interrupt;
use crate::options::{Offload, Via, WayOptions};
use crate::report::{InfoReport, bytes};
use crate::way::{self, Purpose};
use ackclock::apps::{Amount, Service, SourceConfig};
use ackclock::time::Instant;
use ackclock_host::clock::Clock;
use ackclock_measure::burst::{BurstPlan, Bursts, Measured};
use ackclock_measure::campaign::{
    CampaignError, Ended, Estimate, Instruments, Journal, Plan, Progress, Step, Stop,
    TransferOrder, Transferred, run as run_campaign, steps,
};
use ackclock_measure::probe::{Method, ProbeError, RawProber};
use ackclock_measure::route::{Route, find_route};
use ackclock_measure::transfer::TimedTransfer;
use indicatif::{ProgressBar, ProgressStyle};
use std::fmt::Write as _;
use std::io::Write as _;
use std::net::{IpAddr, SocketAddr};
use std::slice::from_mut;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Runs a campaign, or says what it would send.
pub(crate) fn run(options: &Run) -> Result<(), Failure> {
    let plan = Plan::read(&options.plan).map_err(|error| Failure::Usage(error.to_string()))?;
    let excesses = plan.excesses();
    if options.dry_run {
        let mut text = description(&plan);
        for excess in &excesses {
            let _ = writeln!(text, "needs --exceed-caps: {excess}");
        }
        return print(&text);
    }
    if !options.exceed_caps && !excesses.is_empty() {
        let excesses: Vec<_> = excesses.iter().map(ToString::to_string).collect();
        return Err(Failure::Usage(format!(
            "{}; change the plan, or give --exceed-caps if all hosts agree",
            excesses.join("; ")
        )));
    }
    if options.via == Via::Tun && options.way.tun.is_none() {
        return Err(Failure::Usage(
            "give --tun NAME and --address CIDR, a way out for the transfers ('ackclock setup tun \
             --help' tells how to make one), or --via raw"
                .into(),
        ));
    }
    check_way(&plan, options)?;
    let directory = options.out.clone().unwrap_or_else(|| options.plan.with_extension(""));
    let mut journal = Journal::open(&directory, &plan)
        .map_err(|error| Failure::Environment(error.to_string()))?;
    let mut instruments = Real::new(&plan, options)?;
    let bar = ProgressBar::new(0);
    if let Ok(style) =
        ProgressStyle::with_template("{wide_bar} {pos}/{len}  {msg}  {eta_precise} left")
    {
        bar.set_style(style);
    }
    let mut earlier = None;
    let mut show = |progress: Progress| {
        // What earlier runs did says nothing about the time that is left.
        let earlier = *earlier.get_or_insert(progress.done);
        bar.set_length((progress.all - earlier) as u64);
        bar.set_position((progress.done - earlier) as u64);
        bar.set_message(progress.step.map_or_else(String::new, |step| name(&plan, step)));
    };
    let ended = run_campaign(&plan, &mut journal, &mut instruments, options.exceed_caps, &mut show);
    bar.finish_and_clear();
    let (done, all) = (journal.records().len(), steps(&plan).len());
    let place = directory.display();
    match ended {
        Ok(Ended::Done) => print(&format!(
            "{done} of {all} steps are done; 'ackclock campaign report {place}' shows what came of \
             it\n"
        )),
        Ok(Ended::Interrupted) => Err(Failure::Transfer(format!(
            "interrupted after {done} of {all} steps: the same command goes on from there"
        ))),
        Err(error @ (CampaignError::Spent(..) | CampaignError::StopFile(..))) => {
            Err(Failure::Usage(error.to_string()))
        }
        Err(error) => Err(Failure::Environment(error.to_string())),
    }
}

/// Sees that some host can be reached by the way out, before each is found to be out of reach.
fn check_way(plan: &Plan, options: &Run) -> Result<(), Failure> {
    let mut refusal = None;
    for (name, port) in (0..plan.hosts.len()).filter_map(|host| plan.peer(host)) {
        // Who is to be left alone is not even looked up.
        if plan.limits.stop.has_name(name) {
            continue;
        }
        let Ok(address) = resolve(name, options.prefers_ipv6()) else {
            continue;
        };
        let remote = SocketAddr::new(address, port);
        match way::plan(options.via, &options.way, 1, Purpose::Reach(&[remote])) {
            Ok(_) => return Ok(()),
            Err(failure) => refusal = refusal.or(Some(failure)),
        }
    }
    refusal.map_or(Ok(()), Err)
}

impl Run {
    /// Whether the transfers come from IPv6 addresses only.
    fn prefers_ipv6(&self) -> bool {
        let addresses = &self.way.address;
        !addresses.is_empty() && addresses.iter().all(|it| it.address.is_ipv6())
    }
}

fn print(text: &str) -> Result<(), Failure> {
    std::io::stdout().write_all(text.as_bytes()).map_err(|error| Failure::output(&error))
}

/// A step as people read it.
fn name(plan: &Plan, step: Step) -> String {
    let host = |host: usize| plan.hosts.get(host).map_or("", String::as_str);
    match step {
        Step::Route { round: 0, host: it } => format!("route to {} before round 1", host(it)),
        Step::Route { round, host: it } => format!("round {round}: route to {}", host(it)),
        Step::Burst { round, groups } => {
            format!("round {round}: burst after {groups} of {} hosts", plan.hosts.len())
        }
        Step::Transfer { round, host: it, variant } => {
            let variant =
                plan.variants().get(variant).map_or_else(String::new, ToString::to_string);
            format!("round {round}: {} with {variant}", host(it))
        }
    }
}

/// What a campaign would send.
fn description(plan: &Plan) -> String {
    let estimate = Estimate::of(plan);
    let Plan { transfer, limits, bursts, routes, .. } = plan;
    let size = |count: u64| bytes(count).trim_start().to_owned();
    let mut text = String::new();
    let mut line = |text_of: String| {
        text += &text_of;
        text.push('\n');
    };
    line(format!("campaign '{}': nothing is sent, this is what would be", plan.name));
    line(format!(
        "{} transfers of {} to {} hosts (TCP port {}, {}), one at a time, those to a host {} apart",
        estimate.transfers,
        size(transfer.bytes),
        estimate.hosts,
        plan.port(),
        transfer.service.name(),
        limits.pause
    ));
    line(format!(
        "{} times a burst of {} ICMP echo requests of {} bytes through each router that shares the \
         common path",
        estimate.bursts, bursts.count, bursts.bytes
    ));
    line(format!(
        "{} routes, {} {} probes for each hop",
        estimate.routes, routes.queries, routes.probe
    ));
    line(format!(
        "{} in all and {} to each host besides bursts, at {} bit/s at most; {} at least",
        size(estimate.total_bytes),
        size(estimate.host_bytes),
        limits.bits_per_second,
        estimate.least_time
    ));
    line("each round, for each of these hosts:".into());
    plan.hosts.iter().for_each(|host| line(format!("  {host}")));
    line("one transfer with each of:".into());
    plan.variants().iter().for_each(|variant| line(format!("  {variant}")));
    line("the first steps:".into());
    for step in steps(plan).into_iter().take(plan.hosts.len() + plan.variants().len() + 2) {
        line(format!("  {}", name(plan, step)));
    }
    text
}

/// What ends the transfer under way.
type Stopper = Arc<Mutex<Option<Box<dyn Fn() + Send>>>>;

/// Measures for real.
struct Real<'r> {
    plan: &'r Plan,
    options: &'r Run,
    way: WayOptions,
    clock: Clock,
    interrupts: Receiver<()>,
    stopper: Stopper,
}

impl<'r> Real<'r> {
    fn new(plan: &'r Plan, options: &'r Run) -> Result<Self, Failure> {
        let (interrupted, interrupts) = mpsc::channel();
        let stopper = Stopper::default();
        let current = Arc::clone(&stopper);
        interrupt::on_request(move || {
            // Nobody waits any more if it is not taken.
            let _ = interrupted.send(());
            if let Some(stop) = &*current.lock().unwrap_or_else(PoisonError::into_inner) {
                stop();
            }
        })?;
        let mut way = options.way.clone();
        // Little is sent, and captures are to show segments as they leave.
        if way.offload == Offload::Auto {
            way.offload = Offload::Off;
        }
        Ok(Real { plan, options, way, clock: Clock::start(), interrupts, stopper })
    }

    fn stop_with(&self, stop: Option<Box<dyn Fn() + Send>>) {
        *self.stopper.lock().unwrap_or_else(PoisonError::into_inner) = stop;
    }

    fn prober(&self, target: IpAddr, method: Method) -> Result<RawProber, ProbeError> {
        RawProber::open(target, method, self.plan.port())
    }
}

/// A machine that cannot probe ends a campaign.
fn fatal(error: ProbeError) -> Stop {
    Stop::Failed(error.to_string())
}

fn not_interrupted() -> Result<(), Stop> {
    if interrupt::requested() { Err(Stop::Interrupted) } else { Ok(()) }
}

impl Instruments for Real<'_> {
    fn now(&self) -> Instant {
        self.clock.now()
    }

    fn unix_seconds(&self) -> f64 {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
    }

    fn sleep_until(&mut self, at: Instant) -> Result<(), Stop> {
        let left = Duration::from(at.saturating_since(self.clock.now()));
        if !left.is_zero() && self.interrupts.recv_timeout(left).is_ok() {
            return Err(Stop::Interrupted);
        }
        not_interrupted()
    }

    fn resolve(&mut self, host: &str) -> Result<IpAddr, String> {
        resolve(host, self.options.prefers_ipv6()).map_err(|failure| failure.to_string())
    }

    fn transfer(&mut self, order: &TransferOrder) -> Result<Transferred, Stop> {
        let failed = |failure: Failure| Stop::Failed(failure.to_string());
        let remote = order.remote;
        let way = match way::plan(self.options.via, &self.way, 1, Purpose::Reach(&[remote])) {
            Ok(way) => way,
            // It is this host that cannot be reached so.
            Err(Failure::Usage(error)) => {
                return Ok(Transferred { error: Some(error), ..Transferred::default() });
            }
            Err(failure) => return Err(failed(failure)),
        };
        if !way.addresses().iter().any(|cidr| cidr.address.is_ipv4() == remote.is_ipv4()) {
            let error = way.of_the_other_family(remote.is_ipv6());
            return Ok(Transferred { error: Some(error), ..Transferred::default() });
        }
        let law = order.variant.law.law;
        let mut config = SourceConfig::new(remote);
        config.connection = self.plan.connection(&order.variant);
        let limits = Limits::of_a_connection(&config.connection);
        let pcap = order.pcap.as_deref();
        let mut driver = Driver::open(&*way, law, limits, None, pcap).map_err(failed)?;
        config.amount = Amount::Bytes(self.plan.transfer.bytes);
        config.echo = self.plan.transfer.service == Service::Echo;
        let mut transfer = TimedTransfer::new(config, self.plan.transfer.timeout);
        self.stop_with(Some(Box::new(driver.stopper())));
        let ran =
            not_interrupted().and_then(|()| driver.run(from_mut(&mut transfer)).map_err(failed));
        self.stop_with(None);
        let mut outcome = transfer.outcome(driver.now(), driver.stack());
        if let Some(info) = transfer.info(driver.now(), driver.stack()) {
            outcome.info = serde_json::to_value(InfoReport::from(&info)).unwrap_or_default();
        }
        driver.leave(from_mut(&mut transfer), TimedTransfer::abort);
        driver.finish().map_err(failed)?;
        ran?;
        // What was cut off says nothing.
        not_interrupted()?;
        Ok(outcome)
    }

    fn route(&mut self, target: IpAddr) -> Result<Result<Route, String>, Stop> {
        not_interrupted()?;
        let plan = self.plan.routes.plan();
        let route =
            self.prober(target, plan.method).and_then(|mut prober| find_route(&mut prober, &plan));
        unless_fatal(route).map_err(fatal)
    }

    fn burst(&mut self, target: IpAddr, plan: BurstPlan) -> Result<Result<Measured, String>, Stop> {
        not_interrupted()?;
        let measured = self
            .prober(target, Method::Icmp)
            .and_then(|mut prober| Bursts::new(&mut prober).measure(plan));
        unless_fatal(measured).map_err(fatal)
    }
}

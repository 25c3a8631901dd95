//! Instruments of a campaign: transfers, routes and bursts on the real network.

use crate::driver::{Driver, Limits};
use crate::failure::Failure;
use crate::interrupt;
use crate::measure::probing::{resolve, unless_fatal};
use crate::report::InfoReport;
use crate::way::{self, Offload, Purpose, WaySettings};
use ackclock::apps::{Amount, Service, SourceConfig};
use ackclock::time::Instant;
use ackclock_host::clock::Clock;
use ackclock_measure::burst::{BurstPlan, Bursts, Measured};
use ackclock_measure::campaign::{Instruments, Plan, Stop, TransferOrder, Transferred};
use ackclock_measure::probe::{Method, ProbeError, RawProber};
use ackclock_measure::route::{Route, find_route};
use ackclock_measure::transfer::TimedTransfer;
use std::net::IpAddr;
use std::slice::from_mut;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Whether transfers that leave by this way come from IPv6 addresses only.
pub(super) fn prefers_ipv6(way: &WaySettings) -> bool {
    let addresses = &way.addresses;
    !addresses.is_empty() && addresses.iter().all(|it| it.address.is_ipv6())
}

/// Function that ends the current transfer; `None` between transfers.
type Stopper = Arc<Mutex<Option<Box<dyn Fn() + Send>>>>;

/// Instruments that measure the real network.
pub(super) struct Real<'r> {
    plan: &'r Plan,
    way: WaySettings,
    clock: Clock,
    interrupts: Receiver<()>,
    stopper: Stopper,
}

impl<'r> Real<'r> {
    pub(super) fn new(plan: &'r Plan, mut way: WaySettings) -> Result<Self, Failure> {
        let (interrupted, interrupts) = mpsc::channel();
        let stopper = Stopper::default();
        let current = Arc::clone(&stopper);
        interrupt::on_request(move || {
            // If the campaign has ended already, there is no receiver and sending fails.
            let _ = interrupted.send(());
            if let Some(stop) = &*current.lock().unwrap_or_else(PoisonError::into_inner) {
                stop();
            }
        })?;
        // Offload would gain little, and captures are to show segments as they leave.
        if way.offload == Offload::Auto {
            way.offload = Offload::Off;
        }
        Ok(Real { plan, way, clock: Clock::start(), interrupts, stopper })
    }

    fn stop_with(&self, stop: Option<Box<dyn Fn() + Send>>) {
        *self.stopper.lock().unwrap_or_else(PoisonError::into_inner) = stop;
    }

    fn prober(&self, target: IpAddr, method: Method) -> Result<RawProber, ProbeError> {
        RawProber::open(target, method, self.plan.port())
    }
}

/// Turns an error by which this machine cannot probe into the end of the campaign.
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
        resolve(host, prefers_ipv6(&self.way)).map_err(|failure| failure.to_string())
    }

    fn transfer(&mut self, order: &TransferOrder) -> Result<Transferred, Stop> {
        let failed = |failure: Failure| Stop::Failed(failure.to_string());
        let remote = order.remote;
        let way = match way::plan(&self.way, Purpose::Reach(&[remote])) {
            Ok(way) => way,
            // Only this host cannot be reached by this way; others may.
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
        // A transfer that was cut off says nothing about the path.
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

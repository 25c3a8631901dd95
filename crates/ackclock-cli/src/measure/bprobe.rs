//! Burst probe: bursts towards one host, repeated with `--repeat`.

use super::probing::{probe_failure, resolve};
use crate::failure::Failure;
use crate::interrupt;
use crate::report::{SCHEMA, seconds, stdout, write_object};
use ackclock::time::Duration;
use ackclock_measure::burst::{BurstPlan, Bursts, Measured};
use ackclock_measure::probe::{Method, RawProber};
use ackclock_measure::statistics::Distribution;
use serde::Serialize;
use std::io::{self, Write};
use std::net::IpAddr;
use std::sync::mpsc::{self, Receiver};
use std::time::Instant;

/// Settings of a burst probe.
#[derive(Clone, Debug)]
pub(crate) struct BprobeSettings {
    /// Name or address of a host behind the routers in question.
    pub(crate) host: String,
    pub(crate) plan: BurstPlan,
    /// Number of measurements; 0: until the user ends the run.
    pub(crate) repeat: u32,
    /// Time between the beginnings of two measurements.
    pub(crate) interval: Duration,
    /// Whether the report is a JSON object.
    pub(crate) json: bool,
}

/// The report as JSON.
#[derive(Serialize)]
struct Report {
    schema: u32,
    version: &'static str,
    command: &'static str,
    host: String,
    address: IpAddr,
    hop_limit: u8,
    count_packets: u16,
    packet_bytes: u16,
    interval_seconds: f64,
    measurements: Vec<Measurement>,
    /// Cumulative distribution of the measured capacities: packets, and the share of measurements with at
    /// most so many. Measurements that tell no capacity are left out.
    capacity_distribution: Vec<(f64, f64)>,
    interrupted: bool,
}

#[derive(Serialize)]
struct Measurement {
    at_seconds: f64,
    #[serde(flatten)]
    measured: Measured,
}

/// Measures and reports.
pub(crate) fn run(settings: &BprobeSettings) -> Result<(), Failure> {
    let address = resolve(&settings.host, false)?;
    let mut prober =
        RawProber::open(address, Method::Icmp, 0).map_err(|error| probe_failure(&error))?;
    let (interrupted, interrupts) = mpsc::channel();
    interrupt::on_request(move || {
        // If the measurements have ended already, there is no receiver and sending fails.
        let _ = interrupted.send(());
    })?;
    let plan = settings.plan;
    let mut report = Report {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        command: "bprobe",
        host: settings.host.clone(),
        address,
        hop_limit: plan.hop_limit,
        count_packets: plan.count,
        packet_bytes: plan.bytes,
        interval_seconds: seconds(settings.interval),
        measurements: Vec::new(),
        capacity_distribution: Vec::new(),
        interrupted: false,
    };
    let started = Instant::now();
    let mut bursts = Bursts::new(&mut prober);
    loop {
        let begun = Instant::now();
        let measured = bursts.measure(plan).map_err(|error| probe_failure(&error))?;
        let at_seconds = begun.duration_since(started).as_secs_f64();
        if !settings.json {
            print_line(at_seconds, &measured).map_err(|error| Failure::output(&error))?;
        }
        report.measurements.push(Measurement { at_seconds, measured });
        let is_done =
            settings.repeat > 0 && report.measurements.len() as u64 >= settings.repeat.into();
        if is_done || !pause(&interrupts, settings.interval, begun) {
            break;
        }
    }
    report.interrupted = interrupt::requested();
    let verdicts = report.measurements.iter().map(|it| it.measured.verdict);
    let capacities: Distribution =
        verdicts.filter_map(|verdict| verdict.capacity().map(f64::from)).collect();
    report.capacity_distribution = capacities.cumulative();
    if settings.json {
        return write_object(&report, &mut stdout());
    }
    if report.measurements.len() > 1 {
        print_distribution(&capacities).map_err(|error| Failure::output(&error))?;
    }
    Ok(())
}

/// Waits until an interval after `begun`; returns whether to go on.
fn pause(interrupts: &Receiver<()>, interval: Duration, begun: Instant) -> bool {
    let left = std::time::Duration::from(interval).saturating_sub(begun.elapsed());
    interrupts.recv_timeout(left).is_err() && !interrupt::requested()
}

fn print_line(at_seconds: f64, measured: &Measured) -> io::Result<()> {
    let Measured { burst, verdict, .. } = measured;
    let mut stdout = stdout();
    write!(stdout, "{at_seconds:8.1} s  {}/{} answered", burst.answered, burst.sent)?;
    for (router, answers) in &burst.answers_from {
        write!(stdout, "  {router}: {answers}")?;
    }
    writeln!(stdout, "\n            burst capacity: {verdict}")?;
    stdout.flush()
}

fn print_distribution(capacities: &Distribution) -> io::Result<()> {
    let mut stdout = stdout();
    writeln!(stdout, "\npackets  share of measurements with at most as many")?;
    for (packets, share) in capacities.cumulative() {
        writeln!(stdout, "{packets:7}  {:5.1} %", share * 100.0)?;
    }
    stdout.flush()
}

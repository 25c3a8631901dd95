//! Routes to hosts, and the path that they have in common.

use super::probing::{probe_failure, resolve, unless_fatal};
use crate::failure::Failure;
use crate::interrupt;
use crate::report::{SCHEMA, stdout, write_object};
use ackclock_measure::common_path::CommonPath;
use ackclock_measure::probe::RawProber;
use ackclock_measure::route::{Hop, Route, RoutePlan, find_route};
use serde::Serialize;
use std::io::{self, Write};

/// Settings of the search for routes.
#[derive(Clone, Debug)]
pub(crate) struct PathSettings {
    /// Names or addresses of the hosts.
    pub(crate) hosts: Vec<String>,
    pub(crate) plan: RoutePlan,
    /// Port that TCP probes go to.
    pub(crate) port: u16,
    /// Whether IPv6 addresses are preferred.
    pub(crate) ipv6: bool,
    /// Whether the report is a JSON object.
    pub(crate) json: bool,
}

/// The report as JSON.
#[derive(Serialize)]
struct Report {
    schema: u32,
    version: &'static str,
    command: &'static str,
    probe: String,
    routes: Vec<ToHost>,
    /// Path that the routes have in common; null for fewer than two routes.
    common_path: Option<CommonPath>,
    interrupted: bool,
}

#[derive(Serialize)]
struct ToHost {
    host: String,
    #[serde(flatten)]
    route: Option<Route>,
    /// Reason why there is no route.
    error: Option<String>,
}

/// Finds the routes and reports them.
pub(crate) fn run(settings: &PathSettings) -> Result<(), Failure> {
    interrupt::on_request(|| {})?;
    let plan = &settings.plan;
    let mut routes = Vec::new();
    for host in &settings.hosts {
        if interrupt::requested() {
            break;
        }
        let route = match resolve(host, settings.ipv6) {
            Ok(address) => unless_fatal(
                RawProber::open(address, plan.method, settings.port)
                    .and_then(|mut prober| find_route(&mut prober, plan)),
            )
            .map_err(|error| probe_failure(&error))?,
            Err(failure) => Err(failure.to_string()),
        };
        let (route, error) = match route {
            Ok(route) => (Some(route), None),
            Err(error) => (None, Some(error)),
        };
        let to_host = ToHost { host: host.clone(), route, error };
        if !settings.json {
            print(&to_host).map_err(|error| Failure::output(&error))?;
        }
        routes.push(to_host);
    }
    let found: Vec<Route> = routes.iter().filter_map(|each| each.route.clone()).collect();
    let missing = routes.len() - found.len();
    let common_path = (found.len() > 1).then(|| CommonPath::of(&found));
    let report = Report {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        command: "path",
        probe: plan.method.to_string(),
        routes,
        common_path,
        interrupted: interrupt::requested(),
    };
    if settings.json {
        write_object(&report, &mut stdout())?;
    } else if let Some(common) = &report.common_path {
        print_common(common).map_err(|error| Failure::output(&error))?;
    }
    match missing {
        0 => Ok(()),
        _ => Err(Failure::Transfer(format!(
            "{missing} of {} routes could not be looked for, as is said above",
            settings.hosts.len()
        ))),
    }
}

fn print(ToHost { host, route, error }: &ToHost) -> io::Result<()> {
    let mut stdout = stdout();
    let Some(route) = route else {
        writeln!(stdout, "{host}: {}", error.as_deref().unwrap_or("no route"))?;
        return stdout.flush();
    };
    match route.length() {
        Some(hops) => writeln!(stdout, "{host} ({}): {hops} hops", route.target)?,
        None => writeln!(stdout, "{host} ({}): not reached", route.target)?,
    }
    for (number, hop) in route.hops.iter().enumerate() {
        writeln!(stdout, "{:3}  {}", number + 1, hop_text(hop))?;
    }
    stdout.flush()
}

/// Routers that answered at a hop, with the round-trip times.
fn hop_text(hop: &Hop) -> String {
    if hop.answers.is_empty() {
        return "no answer".into();
    }
    let of = |address| {
        let mut text = format!("{address}");
        for answer in hop.answers.iter().filter(|answer| answer.from == address) {
            text += &format!("  {:.2} ms", answer.rtt_seconds * 1e3);
            if let Some(code) = answer.unreachable {
                text += &format!(" (unreachable, code {code})");
            }
        }
        text
    };
    hop.addresses().into_iter().map(of).collect::<Vec<_>>().join("  ")
}

fn print_common(common: &CommonPath) -> io::Result<()> {
    let mut stdout = stdout();
    writeln!(stdout, "common path of {} routes: {} hops", common.routes, common.length())?;
    for hop in &common.hops {
        let gateway = |gateway: &ackclock_measure::common_path::Gateway| {
            let note = if gateway.shares_load { ", shares the load" } else { "" };
            format!("{} ({:.0} %{note})", gateway.address, gateway.share * 100.0)
        };
        let gateways: Vec<_> = hop.gateways.iter().map(gateway).collect();
        writeln!(stdout, "{:3}  {}", hop.number, gateways.join("  "))?;
    }
    if let Some(beyond) = &common.beyond {
        let percent = beyond.share * 100.0;
        writeln!(
            stdout,
            "beyond it no router is on more than {percent:.0} % ({})",
            beyond.address
        )?;
    }
    stdout.flush()
}

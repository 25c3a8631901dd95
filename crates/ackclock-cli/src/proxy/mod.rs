//! A proxy for every TCP connection that the kernel routes into a TUN interface.

mod connecting;
mod counts;
mod descriptors;
mod flows;
mod outside;
mod report;
mod settings;
mod way;

pub(crate) use settings::ProxySettings;
pub(crate) use way::{Socks5, Way};

use crate::failure::Failure;
use crate::interrupt;
use crate::report::print;
use crate::way::open_or_make;
use ackclock::time::Duration;
use ackclock_host::interface::InterfaceName;
use ackclock_host::setup::TunSetup;
use ackclock_host::tun::{Offload, Tun};
use ackclock_net::aio::AnyListener;
use ackclock_net::{Net, NetConfig, TokioLink, TokioTimer};
use counts::Counts;
use flows::Flows;
use outside::Outside;
use report::{HEADER, Interval, Summary};
use std::io::{self, Write};
use std::sync::Arc;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{Instant, interval, timeout};

/// How long to wait until the resets of ended connections are sent.
const FAREWELL: std::time::Duration = std::time::Duration::from_secs(1);

/// Carries connections until the user ends it, or the interface is gone.
pub(crate) fn run(settings: &ProxySettings) -> Result<(), Failure> {
    let name = settings.tun.parse::<InterfaceName>();
    let name = name.map_err(|error| Failure::Usage(format!("--tun: {error}")))?;
    let configuration = || {
        let setup = TunSetup::new(name.clone(), settings.addresses.clone());
        setup.configuration().map_err(|error| Failure::Usage(error.to_string()))
    };
    let open = || Tun::open_with(&name, Offload::Auto);
    let tun = open_or_make(&name, open, configuration)?;
    let outside = Outside::new(settings)?;
    note_few_descriptors(settings)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(environment)?.block_on(proxy(settings, tun, outside))
}

async fn proxy(settings: &ProxySettings, tun: Tun, outside: Outside) -> Result<(), Failure> {
    let mut config = NetConfig::new(settings.addresses.iter().copied());
    config.max_connections = settings.max_connections;
    config.memory = settings.memory;
    let link = TokioLink::new(tun).map_err(environment)?;
    let (net, driver) =
        Net::with_driver(link, TokioTimer::start(), &config).map_err(environment)?;
    let driver = tokio::spawn(driver);
    // Those that give way have their places until they are told.
    let places = settings.requests.saturating_mul(2);
    let listener = AnyListener::bind(&net, places).map_err(environment)?;
    let idle_time = settings.idle_time.map(Into::into);
    let flows = Arc::new(Flows::new(outside, settings.requests, idle_time));
    let stop = Arc::new(Notify::new());
    let on_request = Arc::clone(&stop);
    interrupt::on_request(move || on_request.notify_one())?;
    let begin = Instant::now();
    let last = (Duration::ZERO, Counts::default());
    let mut reporter =
        Reporter { settings, flows: &flows, net: &net, begin, last, kept: Vec::new() };
    reporter.announce()?;
    let ended = tokio::select! {
        biased;
        () = stop.notified() => Ok(()),
        error = flows.answer_all(&listener) => Err(environment(error)),
        failed = reporter.report_intervals() => failed,
    };
    let done = reporter.done();
    let told = reporter.tell_rest(done);
    let kept = reporter.kept;
    net.shut_down();
    farewell(driver).await;
    conclude(settings, done, kept)?;
    ended.and(told)
}

/// Says so if there may be fewer descriptors than connections.
fn note_few_descriptors(settings: &ProxySettings) -> Result<(), Failure> {
    let most = descriptors::raise_limit().map_err(environment)?;
    if let Some(most) = most.filter(|most| *most < settings.max_connections as u64) {
        // The proxy works even if the line cannot be written.
        let _ = writeln!(
            io::stderr(),
            "note: this process may have {most} descriptors, fewer than --max-connections: raise them with \
             'ulimit -Hn'"
        );
    }
    Ok(())
}

/// Waits until the network has sent its last packets.
async fn farewell(driver: JoinHandle<io::Result<()>>) {
    // A device that takes nothing any more is not waited for.
    let _ = timeout(FAREWELL, driver).await;
}

/// The reporter of a proxy.
struct Reporter<'p> {
    settings: &'p ProxySettings,
    flows: &'p Flows,
    net: &'p Net,
    begin: Instant,
    /// When the last interval ended, and the counts at that time.
    last: (Duration, Counts),
    /// Intervals for the report at the end.
    kept: Vec<Interval>,
}

impl Reporter<'_> {
    /// Says that connections are carried from now on.
    fn announce(&self) -> Result<(), Failure> {
        let ProxySettings { tun, way, interval, json, .. } = self.settings;
        // The proxy works even if the line cannot be written.
        let _ = writeln!(io::stderr(), "carrying connections from {tun} to {way}; Ctrl-C ends");
        if interval.is_some() && !json { print(&format!("{HEADER}\n")) } else { Ok(()) }
    }

    /// Tells of each interval; for ever if there are none.
    async fn report_intervals(&mut self) -> Result<(), Failure> {
        let Some(length) = self.settings.interval else {
            return std::future::pending().await;
        };
        let mut ticks = interval(length.into());
        ticks.tick().await;
        loop {
            ticks.tick().await;
            self.tell_interval(self.done())?;
        }
    }

    /// Tells of the time since the last interval, if there are any: all of them together are the whole.
    fn tell_rest(&mut self, done: (Duration, Counts)) -> Result<(), Failure> {
        let is_more = self.settings.interval.is_some() && done.0 > self.last.0;
        if is_more { self.tell_interval(done) } else { Ok(()) }
    }

    fn tell_interval(&mut self, now: (Duration, Counts)) -> Result<(), Failure> {
        let interval = Interval::new(self.last, now);
        self.last = now;
        if self.settings.json {
            self.kept.push(interval);
            return Ok(());
        }
        print(&format!("{interval}\n"))
    }

    /// Its duration, and the counts.
    fn done(&self) -> (Duration, Counts) {
        (self.begin.elapsed().into(), self.flows.counts(self.net))
    }
}

/// Reports the counts of a span of time.
fn conclude(
    settings: &ProxySettings,
    (elapsed, counts): (Duration, Counts),
    kept: Vec<Interval>,
) -> Result<(), Failure> {
    let ProxySettings { tun, way, interval, json, .. } = settings;
    let intervals = interval.filter(|_| *json).map(|_| kept);
    Summary::new((tun, way.to_string()), elapsed, counts, intervals).report(*json)
}

fn environment(error: impl ToString) -> Failure {
    Failure::Environment(error.to_string())
}

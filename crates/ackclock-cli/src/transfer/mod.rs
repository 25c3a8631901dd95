//! A transfer to a discard or echo service: over whichever driver, it is watched and reported the
//! same way.

mod emulated;
mod json;
#[cfg(target_os = "linux")]
mod live;
mod outcome;
mod progress;
mod watch;

use crate::failure::Failure;
use crate::options::TransferOptions;
use crate::report::processor_time;
use ackclock::apps::{Service, Source, SourceConfig};
use ackclock::tcp::Info;
use outcome::Outcome;
use watch::{Watch, Watched};

/// What a driver brings back.
struct Driven {
    /// Each connection, at least one.
    watched: Vec<Watched>,
    /// The far end's connection, where it is ours and over.
    far_info: Option<Info>,
    /// What ended the run before its time, other than the user and the peer.
    broken: Option<Failure>,
    /// Whether the kernel segmented in our place; none where it could not have.
    offloading: Option<bool>,
}

/// Does the transfer and reports it.
///
/// # Errors
/// Why it failed, after the report has been written.
pub(crate) fn run(service: Service, options: &TransferOptions) -> Result<(), Failure> {
    let connection = options.connection.config()?;
    let controller = options.connection.controller()?;
    let paths = options.paths()?;
    let source = |remote, (index, count)| {
        let mut config = SourceConfig::new(remote);
        config.connection = connection;
        config.amount = options.amount.share(index, count);
        config.echo = service == Service::Echo;
        config.seed = options.seed().unwrap_or_default();
        Watch::new(Source::new(config), options, (index, count))
    };
    let started = std::time::Instant::now();
    let spent_before = processor_time();
    let driven = match &options.peer {
        None => emulated::drive(service, options, &paths, connection, controller, source)?,
        #[cfg(target_os = "linux")]
        Some(peer) => live::drive(peer, options, connection, controller, source)?,
        #[cfg(not(target_os = "linux"))]
        Some(peer) => return Err(Failure::elsewhere(&format!("a transfer to {peer}"))),
    };
    let Driven { watched, far_info, broken, offloading } = driven;
    let wall = started.elapsed();
    let spent = processor_time().zip(spent_before).map(|(now, before)| now.saturating_sub(before));
    Outcome { service, options, paths, watched, far_info, broken, offloading, wall, spent }.report()
}

//! A transfer to a discard or echo service: watched and reported in the same way, whether the path is
//! emulated or real.

mod emulated;
mod json;
#[cfg(target_os = "linux")]
mod live;
mod outcome;
mod progress;
mod settings;
mod text;
mod watch;

#[cfg(test)]
pub(crate) use json::Parameters;
pub(crate) use settings::{ConnectionSettings, FarEnd, TransferSettings};

use crate::failure::Failure;
use crate::report::processor_time;
use ackclock::apps::{Amount, Service, Source, SourceConfig};
use ackclock_emulator::{Observer, Topology};
use outcome::Outcome;
use std::net::SocketAddr;
use watch::Watch;

/// The source of the connection with this index among this number.
fn source(settings: &TransferSettings, remote: SocketAddr, which: (usize, usize)) -> Watch {
    let mut config = SourceConfig::new(remote);
    config.connection = settings.connection.config;
    config.amount = settings.share(which.0, which.1);
    config.echo = settings.service == Service::Echo;
    config.seed = settings.seed.unwrap_or_default();
    let mut asking = config;
    asking.amount = Amount::Bytes(0);
    let asks = settings.connections_of_each() > 1;
    Watch::new(Source::new(config), asks.then(|| Source::new(asking)), settings, which)
}

/// Does the transfer over an emulated path for an observer, and reports nothing.
///
/// # Errors
/// Why it could not begin, or failed.
pub(crate) fn observe<O: Observer>(settings: &TransferSettings, observer: O) -> Result<O, Failure> {
    let Some(paths) = settings.paths() else {
        return Err(Failure::Usage("only runs on an emulated path can be compared".into()));
    };
    let source = |remote, which| source(settings, remote, which);
    let (driven, observer) = emulated::drive(settings, paths, observer, source)?;
    match driven.watched.iter().find_map(|watched| watched.error.as_ref()) {
        Some(error) => Err(Failure::Transfer(error.to_string())),
        None => Ok(observer),
    }
}

/// Does the transfer and reports it.
///
/// # Errors
/// Why it failed, after the report has been written.
pub(crate) fn run(settings: &TransferSettings) -> Result<(), Failure> {
    let source = |remote, which| source(settings, remote, which);
    let started = std::time::Instant::now();
    let spent_before = processor_time();
    let driven = match &settings.far_end {
        FarEnd::Emulated(paths) => {
            let recording = settings.recording.start(&Topology::pair(paths.as_ref().clone()))?;
            let (driven, recording) = emulated::drive(settings, paths, recording, source)?;
            settings.recording.finish(recording)?;
            driven
        }
        #[cfg(target_os = "linux")]
        FarEnd::Host { peer, way } => live::drive(settings, peer, way, source)?,
        #[cfg(not(target_os = "linux"))]
        FarEnd::Host { peer, .. } => {
            return Err(Failure::elsewhere(&format!("a transfer to {peer}")));
        }
    };
    let wall = started.elapsed();
    let spent = processor_time().zip(spent_before).map(|(now, before)| now.saturating_sub(before));
    let outcome = Outcome { settings, driven, wall, spent };
    if settings.json {
        json::write(&outcome)?;
    } else {
        text::write(&outcome)?;
    }
    outcome.failure().map_or(Ok(()), Err)
}

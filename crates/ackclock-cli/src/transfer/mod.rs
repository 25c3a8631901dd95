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
use ackclock::apps::{Service, Source, SourceConfig};
use outcome::Outcome;
use watch::Watch;

/// Does the transfer and reports it.
///
/// # Errors
/// Why it failed, after the report has been written.
pub(crate) fn run(settings: &TransferSettings) -> Result<(), Failure> {
    let source = |remote, (index, count)| {
        let mut config = SourceConfig::new(remote);
        config.connection = settings.connection.config;
        config.amount = settings.share(index, count);
        config.echo = settings.service == Service::Echo;
        config.seed = settings.seed.unwrap_or_default();
        Watch::new(Source::new(config), settings, (index, count))
    };
    let started = std::time::Instant::now();
    let spent_before = processor_time();
    let driven = match &settings.far_end {
        FarEnd::Emulated(paths) => emulated::drive(settings, paths, source)?,
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

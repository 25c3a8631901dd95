//! Outcome of a transfer.

use super::settings::TransferSettings;
use super::watch::Watched;
use crate::failure::Failure;
use crate::report::ProcessorReport;
use ackclock::tcp::Info;
use std::time::Duration;

/// Observations during the run of a transfer, over an emulated or a real path.
pub(super) struct Driven {
    /// Observations of each connection; at least one.
    pub(super) watched: Vec<Watched>,
    /// State of the connection at the far end, if this program had that end and its connection has ended.
    pub(super) far_info: Option<Info>,
    /// Error that ended the run early, if it came from neither the user nor the peer.
    pub(super) broken: Option<Failure>,
    /// Whether the kernel segmented in the stack's place; `None` on an emulated path.
    pub(super) offloading: Option<bool>,
}

/// Outcome of a transfer.
pub(super) struct Outcome<'s> {
    pub(super) settings: &'s TransferSettings,
    pub(super) driven: Driven,
    /// Real time that the run took.
    pub(super) wall: Duration,
    /// Processor time that the run took, where the system reports it.
    pub(super) spent: Option<ackclock::time::Duration>,
}

impl Outcome<'_> {
    /// Reason why the transfer is not complete, if it is not.
    pub(super) fn failure(&self) -> Option<Failure> {
        if let Some(broken) = &self.driven.broken {
            return Some(broken.clone());
        }
        match self.driven.watched.iter().find_map(|watched| watched.error.as_ref()) {
            Some(error) => Some(Failure::Transfer(format!("{}: {error}", self.far_end()))),
            None if self.is_interrupted() => {
                Some(Failure::Transfer("interrupted before the transfer was complete".into()))
            }
            None => None,
        }
    }

    /// Whether the user ended the transfer.
    pub(super) fn is_interrupted(&self) -> bool {
        let Driven { watched, broken, .. } = &self.driven;
        watched.iter().any(|watched| watched.unfinished) && broken.is_none()
    }

    /// Processor time that the transfer took, where the system reports it.
    pub(super) fn processor(&self) -> Option<ProcessorReport> {
        let watched = self.driven.watched.iter();
        let bytes = watched.map(|watched| watched.acked() + watched.received).sum();
        self.spent.map(|spent| ProcessorReport::new(spent, bytes))
    }

    fn far_end(&self) -> String {
        match self.settings.host() {
            Some((peer, _)) => peer.to_string(),
            None => format!("emulated {} service", self.settings.service.name()),
        }
    }
}

//! What became of a transfer, and how it is reported to people.

use super::json::TransferReport;
use super::watch::Watched;
use crate::failure::Failure;
use crate::options::TransferOptions;
use crate::report::{
    ALL, ProcessorReport, TOTALS_HEADER, milliseconds, receiver_line, seconds, sender_line,
    write_object,
};
use crate::values::path_text;
use ackclock::apps::Service;
use ackclock::tcp::Info;
use ackclock_emulator::Path;
use std::io::{self, Write};
use std::time::Duration;

/// What became of a transfer.
pub(super) struct Outcome<'o> {
    pub(super) service: Service,
    pub(super) options: &'o TransferOptions,
    /// The emulated path there and back, of no use if there is a peer.
    pub(super) paths: [Path; 2],
    /// Each connection, at least one.
    pub(super) watched: Vec<Watched>,
    /// The far end's connection, where it is ours and over.
    pub(super) far_info: Option<Info>,
    /// What ended the run before its time, other than the user and the peer.
    pub(super) broken: Option<Failure>,
    /// Whether the kernel segmented in our place; none where it could not have.
    pub(super) offloading: Option<bool>,
    /// How long the run took on the clock on the wall.
    pub(super) wall: Duration,
    /// The processor time that it took, where the system tells.
    pub(super) spent: Option<ackclock::time::Duration>,
}

impl Outcome<'_> {
    /// Writes the report to standard output.
    ///
    /// # Errors
    /// Why the transfer failed, or that the report could not be written.
    pub(super) fn report(&self) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        if self.options.report.json {
            write_object(&TransferReport::new(self), &mut stdout)?;
        } else {
            let lines = self.lines().into_iter().map(|line| line + "\n");
            stdout
                .write_all(lines.collect::<String>().as_bytes())
                .map_err(|error| Failure::output(&error))?;
        }
        self.failure().map_or(Ok(()), Err)
    }

    /// Why the transfer is not complete.
    pub(super) fn failure(&self) -> Option<Failure> {
        if let Some(broken) = &self.broken {
            return Some(broken.clone());
        }
        match self.watched.iter().find_map(|watched| watched.error.as_ref()) {
            Some(error) => Some(Failure::Transfer(format!("{}: {error}", self.far_end()))),
            None if self.is_interrupted() => {
                Some(Failure::Transfer("interrupted before the transfer was complete".into()))
            }
            None => None,
        }
    }

    /// Whether it was the user who ended the transfer.
    pub(super) fn is_interrupted(&self) -> bool {
        self.watched.iter().any(|watched| watched.unfinished) && self.broken.is_none()
    }

    /// What it cost.
    pub(super) fn processor(&self) -> Option<ProcessorReport> {
        let bytes = self.watched.iter().map(|watched| watched.acked() + watched.received).sum();
        self.spent.map(|spent| ProcessorReport::new(spent, bytes))
    }

    fn far_end(&self) -> String {
        match &self.options.peer {
            Some(peer) => peer.to_string(),
            None => format!("emulated {} service", self.service.name()),
        }
    }

    /// The summary; nothing of a connection that was never established.
    fn lines(&self) -> Vec<String> {
        let established: Vec<_> =
            (1..).zip(&self.watched).filter(|(_, watched)| watched.connect.is_some()).collect();
        let Some(span) = established.iter().map(|(_, watched)| watched.duration).max() else {
            return Vec::new();
        };
        let mut lines = vec![TOTALS_HEADER.to_owned()];
        for (id, watched) in &established {
            lines.push(sender_line(id, watched.duration, watched.acked(), watched.retransmitted()));
            if let Some(received) = self.received(watched) {
                lines.push(receiver_line(id, watched.duration, received));
            }
        }
        if established.len() > 1 {
            let sum = |count: &dyn Fn(&Watched) -> u64| {
                established.iter().map(|(_, watched)| count(watched)).sum()
            };
            let (acked, retransmitted) = (sum(&Watched::acked), sum(&Watched::retransmitted));
            lines.push(sender_line(ALL, span, acked, retransmitted));
            if self.service == Service::Echo {
                lines.push(receiver_line(ALL, span, sum(&|watched| watched.received)));
            }
        }
        for (id, watched) in &established {
            let id = if established.len() > 1 { format!("[{id:>3}] ") } else { String::new() };
            lines.extend(watched.info.map(|info| {
                format!(
                    "{id}{}, {}: rtt {}, min {}, rto {}, {} timeouts, {} fast recoveries",
                    self.path(),
                    info.congestion,
                    milliseconds(info.rtt),
                    milliseconds(info.min_rtt),
                    milliseconds(info.rto),
                    info.timeouts,
                    info.fast_recoveries,
                )
            }));
        }
        if let (Some(offloading), Some(processor)) = (self.offloading, self.processor()) {
            let offload = if offloading { "with" } else { "without" };
            lines.push(format!("{processor}, {offload} offload"));
        }
        if self.options.peer.is_none() {
            let wall = milliseconds(self.wall.into());
            lines.push(format!("{:.2} s of virtual time took {wall}", seconds(span)));
        }
        lines
    }

    /// Bytes that the end which receives got, as far as that is known.
    fn received(&self, watched: &Watched) -> Option<u64> {
        match self.service {
            Service::Echo => Some(watched.received),
            _ => self.far_info.map(|far| far.bytes_received),
        }
    }

    fn path(&self) -> String {
        match (&self.options.peer, &self.options.way.tun) {
            (Some(peer), Some(tun)) => format!("{peer} over {tun}"),
            (Some(peer), None) => format!("{peer} over {}", self.options.via.word()),
            (None, _) => format!("emulated path {}", path_text(&self.paths)),
        }
    }
}

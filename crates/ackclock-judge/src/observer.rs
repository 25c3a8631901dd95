//! Judges of an emulated network's hosts.

use crate::judge::Judge;
use crate::settings::Settings;
use crate::verdict::Findings;
use ackclock::time::Instant;
use ackclock_emulator::{Event, HostId, NodeId, Observer};
use std::collections::BTreeMap;

/// A judge at each judged host of an emulated network.
#[derive(Debug, Default)]
pub struct Judges {
    judges: BTreeMap<HostId, Judge>,
    last: Instant,
}

impl Judges {
    /// Nobody is judged yet.
    pub fn new() -> Judges {
        Judges::default()
    }

    /// Has a host judged from now on.
    #[must_use]
    pub fn with(mut self, host: HostId, settings: Settings) -> Judges {
        self.judges.insert(host, Judge::new(settings));
        self
    }

    /// The judge of a host.
    pub fn judge(&mut self, host: HostId) -> Option<&mut Judge> {
        self.judges.get_mut(&host)
    }

    /// Ends the watch at the time of the last event; the findings by host.
    pub fn finish(self) -> BTreeMap<HostId, Findings> {
        let last = self.last;
        self.judges.into_iter().map(|(host, judge)| (host, judge.finish(last))).collect()
    }
}

impl Observer for Judges {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        self.last = now;
        match event {
            Event::Sent(packet) => {
                if let NodeId::Host(host) = packet.from
                    && let Some(judge) = self.judges.get_mut(&host)
                {
                    judge.on_sent(now, packet.bytes);
                }
            }
            Event::Delivered(packet) => {
                if let NodeId::Host(host) = packet.to
                    && let Some(judge) = self.judges.get_mut(&host)
                {
                    judge.on_received(now, packet.bytes);
                }
            }
            _ => {}
        }
    }
}

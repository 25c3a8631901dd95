//! Judges of an emulated network's hosts.

use crate::judge::Judge;
use crate::settings::Settings;
use crate::verdict::Findings;
use ackclock::time::Instant;
use ackclock_emulator::{Event, HostId, NodeId, Observer};
use std::collections::BTreeMap;
use std::{env, mem, thread};

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

/// Judges beside a run that is made for another purpose, where hosts may be of any age: they fail it, by a panic when
/// they are dropped, if a segment holds what none may hold.
#[derive(Debug)]
pub struct FormJudges(Judges);

impl FormJudges {
    /// The variable of the environment that asks for them.
    pub const ASKED_BY: &str = "ACKCLOCK_JUDGE";

    /// A judge at each of these hosts, if somebody asks for them.
    pub fn if_asked(hosts: impl IntoIterator<Item = HostId>) -> Option<FormJudges> {
        env::var_os(FormJudges::ASKED_BY)?;
        Some(FormJudges::of(hosts))
    }

    /// A judge at each of these hosts.
    pub fn of(hosts: impl IntoIterator<Item = HostId>) -> FormJudges {
        let told = Settings { sees_all: true, ..Settings::default() };
        FormJudges(
            hosts.into_iter().fold(Judges::new(), |judges, host| judges.with(host, told.clone())),
        )
    }
}

impl Observer for FormJudges {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        self.0.on_event(now, event);
    }
}

impl Drop for FormJudges {
    fn drop(&mut self) {
        let findings = mem::take(&mut self.0).finish();
        let breach = findings.values().find_map(Findings::of_form);
        if let Some(verdict) = breach.filter(|_| !thread::panicking()) {
            panic!("{verdict}");
        }
    }
}

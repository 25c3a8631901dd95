//! The judge: what a host sends, and when, is allowed by the RFCs.
//!
//! A [judge](ackclock_judge) sits at the interface of each host that runs this stack by today's RFCs, with what the case has set
//! there. Its sentences are the bounds. Hosts are left out that are made to break them: recoveries, laws, timers and acks of old
//! papers, clocks that jump, memory that is short, and liars. So are networks that change bits, since nobody can
//! tell from outside what a host has read.

use super::Finding;
use crate::case::{Case, Flow, HostSettings};
use crate::host::ledger::{CallNote, SharedLedger};
use ackclock::tcp::{
    AckPolicy, AckTimer, MtuProbing, Nagle, Pacing, RtoBackoff, RtoEstimator, RttSampling,
};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Event, HostId, Observer, Topology};
use ackclock_judge::{Judges, Law, Settings};

/// Recoveries and laws that today's RFCs describe.
const RECOVERIES: [&str; 3] = ["newreno", "rfc6675", "rack"];
const LAWS: [&str; 6] = ["reno", "cubic", "veno", "vegas", "bbr", "prague"];
/// Sentences from which the stack departs on purpose: TS.Recent follows segments that come again, so that a peer whose
/// acks were lost is not told an old time (`tcp/timestamps.rs` of the core).
const DEPARTURES: [&str; 1] = ["timestamp-echo"];
/// What a host's clock and its way to the interface may add.
const REACTION: Duration = Duration::from_millis(1);

/// The judges of a run, who hear of the applications' calls too.
pub(crate) struct Court {
    judges: Judges,
    ledger: SharedLedger,
    /// The hosts of each flow.
    flows: Vec<[HostId; 2]>,
}

impl Court {
    /// Judges for the hosts of a case.
    pub(crate) fn new(case: &Case, topology: &Topology, ledger: &SharedLedger) -> Court {
        let hosts: Vec<HostId> = topology.hosts().collect();
        let flow = |line| Flow::read(line).ok().map(|flow| flow.hosts.map(|host| hosts[host]));
        ledger.borrow_mut().calls = Some(Vec::new());
        let flows = case.flows.iter().filter_map(flow).collect();
        Court { judges: judges(case, topology), ledger: ledger.clone(), flows }
    }

    /// Tells of the calls since the last packet.
    fn tell(&mut self) {
        let calls = self.ledger.borrow_mut().calls.as_mut().map(std::mem::take);
        for CallNote { flow, side, at, ends: [local, remote], call } in calls.unwrap_or_default() {
            let host = self.flows.get(flow).map(|hosts| hosts[side]);
            if let Some(judge) = host.and_then(|host| self.judges.judge(host)) {
                judge.on_call(at, local, remote, call);
            }
        }
    }

    /// The first verdict of all hosts' judges.
    pub(crate) fn verdict(mut self) -> Option<Finding> {
        self.tell();
        verdict(self.judges)
    }
}

impl Observer for Court {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        self.tell();
        self.judges.on_event(now, event);
    }
}

/// Judges for the hosts of a case.
fn judges(case: &Case, topology: &Topology) -> Judges {
    // A host that is told to take less than its peer offers sends smaller segments as full ones, and one that offers
    // less than is believed gets more; neither can be seen.
    let paths = case.hops.as_flattened().iter().chain(&case.changes);
    let has = |key: &str| paths.clone().any(|path| path.get(key).is_some());
    let has_sizes = has("mtu") || case.hosts.iter().any(|host| host.get("mss").is_some());
    let changes_bits = has("corrupt");
    let mut judges = Judges::new();
    for (number, id) in topology.hosts().enumerate() {
        let settings = HostSettings::read(&case.host(number)).ok().and_then(|host| settings(&host));
        if let Some(settings) = settings.filter(|_| !changes_bits && !has_sizes) {
            judges = judges.with(id, settings);
        }
    }
    judges
}

/// What the judge of a host is told; `None` if it is not to be judged.
fn settings(host: &HostSettings) -> Option<Settings> {
    let config = &host.config;
    let law = host.law.law.to_string();
    let is_ordinary = host.smoltcp.is_none()
        && host.lie.is_none()
        && host.faults.is_empty()
        && host.memory == u64::MAX
        && RECOVERIES.contains(&config.recovery.name())
        && LAWS.contains(&law.as_str());
    let rto = &config.rto;
    let is_timed = rto.estimator == RtoEstimator::Rfc6298
        && rto.backoff == RtoBackoff::Exponential
        && rto.sampling == RttSampling::EachAck
        && rto.ticks.is_none();
    let delay = match config.ack_policy {
        AckPolicy::Delayed { timeout, .. } if config.ack_timer == AckTimer::PerSegment => timeout,
        AckPolicy::EverySegment => Duration::ZERO,
        _ => return None,
    };
    if !is_ordinary || !is_timed {
        return None;
    }
    let mut settings = Settings::default();
    settings.law = match law.as_str() {
        "reno" => Law::Reno,
        "cubic" => Law::Cubic,
        "veno" => Law::Veno,
        "bbr" => Law::Bbr,
        "prague" => Law::Prague,
        _ => Law::Unknown,
    };
    // A window of more than RFC 6928's is what the case asks for.
    settings.initial_window = settings.initial_window.max(100);
    (settings.least_rto, settings.initial_rto, settings.largest_rto) =
        (rto.min, rto.initial, rto.max);
    settings.ack_delay = delay;
    settings.reaction = REACTION + host.poll.saturating_mul(2);
    settings.nagle = match config.nagle {
        Nagle::Off => Some(ackclock_judge::Nagle::Off),
        Nagle::Rfc896 => Some(ackclock_judge::Nagle::Rfc896),
        Nagle::Minshall => Some(ackclock_judge::Nagle::Minshall),
        _ => None,
    };
    settings.probes_path = config.mtu_probing != MtuProbing::Off;
    settings.keeps_half_open = true;
    settings.sees_all = true;
    // A host that paces all may hold data back for as long as its first measurements say.
    settings.calls_are_told = config.pacing != Pacing::Always;
    if let Some(keepalive) = config.keepalive {
        settings.keepalive = keepalive.idle;
    }
    settings.give_up = config.shortest_wait();
    settings.longest_wait = Some(config.longest_wait());
    settings.syn_give_up = config.syn_give_up.min(settings.give_up);
    settings.reassembly_ranges = config.reassembly_ranges as usize;
    settings.heeds_sack = config.sack && config.recovery.needs_sack();
    Some(settings)
}

/// The first verdict of all hosts' judges.
fn verdict(judges: Judges) -> Option<Finding> {
    let verdicts = judges.finish().into_values().flat_map(|findings| findings.verdicts);
    let verdicts = verdicts.filter(|verdict| !DEPARTURES.contains(&verdict.sentence.name));
    let first = verdicts.min_by_key(|verdict| verdict.time)?;
    Some(Finding::new(&format!("judge:{}", first.sentence.name), &first.to_string()))
}

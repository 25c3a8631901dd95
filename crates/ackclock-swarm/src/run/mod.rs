//! A run of a case: the network, the hosts, and what the oracles of one run say of it.

pub(crate) mod facts;
mod network;
pub(crate) mod watch;

use crate::case::{Case, CaseError, Fault, Flow};
use crate::host::ledger::{FlowNotes, HostNotes, Ledger, SharedLedger};
use crate::oracles::liveness::{Bounds, Liveness};
use crate::oracles::{self, Finding};
use ackclock::congestion::{BuiltIn, CongestionController};
use ackclock::tcp::{AckPolicy, RttSampling};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Emulator, Ended, LinkId, Observer, Path, Topology};
use facts::Facts;
use network::Plan;
use std::cell::RefCell;
use std::rc::Rc;
use watch::Watch;

/// How often the run is looked at.
const TICK: Duration = Duration::from_secs(1);
/// A run is cut short after so many packets of hosts, unless the caller sets another budget.
pub const MOST_SEGMENTS: u64 = 200_000;
/// A run is cut short after so much virtual time.
const MOST_TIME: Duration = Duration::from_secs(24 * 3600);

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What the oracles of one run found.
    pub findings: Vec<Finding>,
    /// A digest of every packet at every link and of its time.
    pub digest: u64,
    /// A digest of what hosts sent and when, without sequence numbers, ports and timestamps.
    pub shape: u64,
    /// What the network did.
    pub facts: Facts,
    /// When each flow was over, counted from its beginning; `None` if it was not.
    pub took: Vec<Option<Duration>>,
    /// What the applications saw of each flow.
    pub(crate) flows: Vec<FlowNotes>,
    /// What the hosts noted.
    pub(crate) hosts: Vec<HostNotes>,
    /// The longest round trip that the path can have made.
    pub(crate) longest_round_trip: Duration,
    /// Virtual time of the run.
    pub time: Duration,
    /// Whether it was cut short: too many packets, or too long.
    pub cut_short: bool,
}

/// Runs a case with no more than so many packets of hosts, and judges it by the oracles of one run.
///
/// # Errors
/// Names the setting that cannot be used.
pub fn run(case: &Case, most_segments: u64) -> Result<Outcome, CaseError> {
    run_watched(case, most_segments, |_| ()).map(|(outcome, ())| outcome)
}

/// Runs a case with a further observer, made for its topology.
///
/// # Errors
/// As [`run`].
pub fn run_watched<O: Observer>(
    case: &Case,
    most_segments: u64,
    observer: impl FnOnce(&Topology) -> O,
) -> Result<(Outcome, O), CaseError> {
    run_told(case, most_segments, |topology, _| observer(topology))
}

/// The same with an observer that may ask to hear of calls, by the ledger, and of the hosts of each flow.
pub(crate) fn run_told<O: Observer>(
    case: &Case,
    most_segments: u64,
    observer: impl FnOnce(&Topology, &SharedLedger) -> O,
) -> Result<(Outcome, O), CaseError> {
    let plan = Plan::read(case)?;
    let ledger: SharedLedger = Rc::new(RefCell::new(Ledger {
        flows: vec![FlowNotes::default(); plan.flows.len()],
        hosts: vec![HostNotes::default(); plan.hosts.len()],
        calls: None,
    }));
    let watch = plan.watch(&ledger);
    let observer = (watch, observer(&plan.topology, &ledger));
    let law = |_| BuiltIn::default();
    let emulator = Emulator::new(&plan.topology, case.seed, law, observer);
    let mut emulator = emulator.map_err(|error| CaseError(error.to_string()))?;
    plan.occupy(&mut emulator, &ledger);
    let changes = plan.changes.clone();
    let mut run = Run { plan, ledger, emulator, changes, heard: Vec::new() };
    let (mut findings, cut_short) = run.go(most_segments);
    let time = run.emulator.now().saturating_since(Instant::ZERO);
    let disturbed = run.disturbed();
    let Run { plan, ledger, emulator, .. } = run;
    let (watch, observer) = emulator.into_observer();
    let (flows, hosts) = {
        let ledger = ledger.borrow();
        (ledger.flows.clone(), ledger.hosts.clone())
    };
    let took = flows.iter().map(took).collect();
    let mut facts = watch.facts;
    facts.disturbed = disturbed;
    let mut outcome = Outcome {
        findings: Vec::new(),
        digest: watch.digest.0,
        shape: watch.shape.0,
        facts,
        took,
        flows,
        hosts,
        longest_round_trip: watch.liveness.longest_rtt,
        time,
        cut_short,
    };
    findings.extend(oracles::judge_one(&plan.flows, &plan.hosts, &outcome));
    outcome.findings = findings;
    Ok((outcome, observer))
}

/// From the beginning of a flow to its end.
fn took(flow: &FlowNotes) -> Option<Duration> {
    let [one, other] = flow.ended;
    let ended = one?.max(other?);
    Some(ended.saturating_since(flow.started?))
}

/// A run on its way.
struct Run<O: Observer> {
    plan: Plan,
    ledger: SharedLedger,
    emulator: Emulator<BuiltIn, (Watch, O)>,
    /// Changes of links still to come, the next one last.
    changes: Vec<(Instant, LinkId, Path)>,
    /// What smoltcp had received when it was last asked.
    heard: Vec<u64>,
}

impl<O: Observer> Run<O> {
    /// Goes on until all is over; returns what was found on the way, and whether it was cut short.
    fn go(&mut self, most_segments: u64) -> (Vec<Finding>, bool) {
        loop {
            let now = self.emulator.now();
            let change = self.changes.last().map(|(at, ..)| *at).filter(|at| *at <= now + TICK);
            let ended = self.emulator.run_until_done(change.unwrap_or(now + TICK));
            if change.is_some_and(|at| at <= self.emulator.now())
                && let Some((_, link, path)) = self.changes.pop()
            {
                self.emulator.change_path(link, &path);
            }
            self.listen_to_smoltcp();
            if let Some(finding) = self.tick() {
                return (vec![finding], false);
            }
            if self.is_given_up() {
                return (Vec::new(), false);
            }
            match ended {
                Ended::Done => break,
                Ended::Stuck if self.is_pointless() => return (Vec::new(), false),
                Ended::Stuck => {
                    let text = "nothing is going to happen, and an application still waits";
                    return (vec![Finding::new("liveness", text)], false);
                }
                Ended::OutOfTime => {}
            }
            let segments = self.emulator.observer().0.facts.segments;
            if segments > most_segments || now.saturating_since(Instant::ZERO) > MOST_TIME {
                return (Vec::new(), true);
            }
        }
        (self.drain().into_iter().collect(), false)
    }

    /// Whether all that goes on are flows of liars, of which nothing is expected any more.
    fn is_given_up(&self) -> bool {
        let liveness = &self.emulator.observer().0.liveness;
        let ledger = self.ledger.borrow();
        let mut going =
            ledger.flows.iter().enumerate().filter(|(_, notes)| !notes.is_over()).peekable();
        going.peek().is_some() && going.all(|(flow, _)| liveness.has_given_up(flow))
    }

    /// Whether all that is left are sides that somebody has left, and flows of which nothing is promised.
    fn is_pointless(&self) -> bool {
        let liveness = &self.emulator.observer().0.liveness;
        let ledger = self.ledger.borrow();
        let mut flows = ledger.flows.iter().zip(&self.plan.flows).enumerate();
        flows.all(|(number, (notes, flow))| {
            let hosts = flow.hosts.map(|host| &self.plan.hosts[host]);
            // Who has no place refuses a connection by silence: its client may hear nothing, and has nothing to say.
            let is_refused = hosts[1].memory < u64::MAX && !notes.accepted;
            let is_exempt = liveness.promises_nothing(number) || is_refused;
            if notes.is_over() || notes.has_failed() || is_exempt {
                return true;
            }
            let sides = notes.ended.iter().zip(flow.hosts);
            let ours = sides.filter(|(_, host)| self.plan.hosts[*host].smoltcp.is_none());
            ours.clone().count() < 2 && ours.clone().all(|(ended, _)| ended.is_some())
        })
    }

    /// Takes note of what smoltcp's applications have received.
    fn listen_to_smoltcp(&mut self) {
        let now = self.emulator.now();
        let heard = self.plan.heard_by_smoltcp(&self.emulator);
        self.heard.resize(heard.len(), 0);
        for ((flow, side, received, wrong, is_done), before) in
            heard.into_iter().zip(&mut self.heard)
        {
            let mut ledger = self.ledger.borrow_mut();
            let notes = &mut ledger.flows[flow];
            if side == 0 {
                notes.started.get_or_insert(Instant::ZERO + self.plan.flows[flow].start);
            }
            if received != *before {
                *before = received;
                notes.read[side] = received;
                notes.accepted = true;
                notes.progress_at = now;
                notes.steps += 1;
            }
            if let Some(at) = wrong {
                notes.wrong.get_or_insert(format!(
                    "byte {at} that smoltcp read is not the one that was written"
                ));
            }
            if is_done && notes.ended[side].is_none() {
                notes.ended[side] = Some(now);
                notes.finished[side] = true;
            }
        }
    }

    /// Looks at all flows; returns what is wrong.
    fn tick(&mut self) -> Option<Finding> {
        let now = self.emulator.now();
        let (rtt, has_held_back) = (self.longest_round_trip(), self.has_held_back());
        let ledger = self.ledger.clone();
        let ledger = ledger.borrow();
        if let Some((at, what)) = ledger.hosts.iter().find_map(|host| host.broken.as_ref()) {
            let text = format!("at {:.6} s: {what}", at.as_micros() as f64 / 1e6);
            return Some(Finding::new("invariants", &text));
        }
        let liveness = &mut self.emulator.observer_mut().0.liveness;
        liveness.longest_rtt = liveness.longest_rtt.max(rtt);
        liveness.has_held_back |= has_held_back;
        for (flow, notes) in ledger.flows.iter().enumerate() {
            liveness.tick(now, flow, notes);
        }
        liveness.verdict().map(|text| Finding::new("liveness", &text))
    }

    /// The longest round trip that the path can have made so far.
    fn longest_round_trip(&self) -> Duration {
        let topology = &self.plan.topology;
        let delay = |link: LinkId| {
            let changed = self.plan.changes.iter().filter(|(_, other, _)| *other == link);
            let paths = changed.map(|(.., path)| path).chain([topology.path(link)]);
            paths.map(|path| self.longest_delay(link, path)).max().unwrap_or_default()
        };
        topology.links().map(delay).fold(Duration::ZERO, |sum, each| sum + each)
    }

    /// The longest time that a packet can take over a link with this path, as far as its queue has been.
    fn longest_delay(&self, link: LinkId, path: &Path) -> Duration {
        let slowest = path.rate_changes.iter().map(|change| change.rate).min();
        let slowest = slowest.map_or(path.rate, |rate| rate.min(path.rate));
        let longest = self.emulator.statistics(link).longest_queue;
        let bytes =
            (longest as usize + 1) * (path.mtu as usize + path.size.overhead.max(0) as usize);
        let held = path.reorder.map_or(Duration::ZERO, |reorder| match reorder.hold {
            ackclock_emulator::Hold::Time(time) => time,
            ackclock_emulator::Hold::Packets(_) => Duration::ZERO,
        });
        path.delay + path.jitter.most + held + slowest.transmission_time(bytes)
    }

    /// How many packets were duplicated or held back.
    fn disturbed(&self) -> u64 {
        let statistics = self.plan.topology.links().map(|link| self.emulator.statistics(link));
        statistics.map(|link| link.packets_duplicated + link.packets_reordered).sum()
    }

    /// Whether a link has held back a packet until others pass.
    fn has_held_back(&self) -> bool {
        let topology = &self.plan.topology;
        topology.links().any(|link| {
            let hold = topology.path(link).reorder.map(|reorder| reorder.hold);
            let by_others = matches!(hold, Some(ackclock_emulator::Hold::Packets(_)));
            by_others && self.emulator.statistics(link).packets_reordered > 0
        })
    }

    /// Lets what is left of connections end, and looks whether it does.
    fn drain(&mut self) -> Option<Finding> {
        let longest = self.plan.hosts.iter().map(|host| {
            let config = &host.config;
            let times = [
                config.give_up,
                config.syn_give_up,
                config.fin_wait_2_timeout,
                config.rto.max,
                config.msl.saturating_mul(2),
            ];
            let linger = config.linger.unwrap_or(Duration::from_secs(100));
            let faults = host.faults.iter().map(|fault| fault.ends());
            times.into_iter().chain(faults).fold(linger, |sum, each| sum + each)
        });
        let longest = longest.fold(Duration::ZERO, |one, other| one.max(other));
        let end = self.emulator.now() + longest.saturating_mul(2);
        self.emulator.run_until(end);
        if let Some(finding) = self.tick() {
            return Some(finding);
        }
        let ledger = self.ledger.borrow();
        let left = ledger.hosts.iter().enumerate().find(|(_, host)| host.left > 0);
        left.map(|(number, host)| {
            let text = format!(
                "host {number} still knows {} connections {:.0} s after its applications were done; its settings allow half of that",
                host.left,
                longest.as_micros() as f64 / 5e5
            );
            Finding::new("liveness", &text)
        })
    }
}

impl Plan {
    /// The observer of a run.
    fn watch(&self, ledger: &SharedLedger) -> Watch {
        let ports = (0..self.flows.len()).map(|flow| self.port(flow)).collect();
        let facts = Facts { flows: vec![Default::default(); self.flows.len()], ..Facts::default() };
        let paths: Vec<_> = self.topology.links().map(|link| self.topology.path(link)).collect();
        let wants_packets = paths.iter().any(|path| path.corrupt.parts_per_billion() > 0);
        let outages = paths.iter().flat_map(|path| &path.outages.spans).copied();
        let faults = self.hosts.iter().flat_map(|host| &host.faults);
        let faults = faults.map(|fault| match *fault {
            Fault::Jump(at, by) => [at, at + by],
            other => [other.begins(), other.ends()],
        });
        let spans = outages.chain(faults).map(|span| span.map(|at| Instant::ZERO + at)).collect();
        // What is held back until others have passed waits, when nothing else goes on, for as many timeouts; so does its
        // answer.
        let held = paths.iter().filter_map(|path| match path.reorder?.hold {
            ackclock_emulator::Hold::Packets(packets) => Some(packets),
            ackclock_emulator::Hold::Time(_) => None,
        });
        let unseen = held.max().map_or(0, |packets| u32::from(packets).saturating_mul(2).max(4));
        let bounds = self.flows.iter().map(|flow| self.bounds(flow, unseen));
        let liveness = Liveness::new(bounds.collect(), spans);
        Watch::new(facts, liveness, ledger.clone(), ports, wants_packets)
    }

    /// What the silences of a flow are judged by.
    fn bounds(&self, flow: &Flow, unseen: u32) -> Bounds {
        let ends = flow.hosts.map(|host| &self.hosts[host]);
        // smoltcp (0.14) forgets what was lost before a window closed, and probes behind it for ever.
        let is_stuck = |side: usize| {
            let is_closed = flow.reads[1 - side].is_some();
            ends[side].smoltcp.is_some() && flow.bytes[side] > 0 && is_closed
        };
        // A window that is never reduced fills a short queue again and again.
        let has_no_law = ends.iter().any(|host| host.law.law.name() == "fixed");
        let holds_back = unseen > 0;
        let unseen = if has_no_law { unseen + 6 } else { unseen };
        let longest =
            |of: &dyn Fn(&crate::case::HostSettings) -> Duration| of(ends[0]).max(of(ends[1]));
        let ack = longest(&|host| match host.config.ack_policy {
            AckPolicy::Delayed { timeout, .. } => timeout,
            _ => Duration::from_millis(200),
        });
        let ticks = if ends.iter().any(|host| host.config.rto.ticks.is_some()) { 2_000 } else { 0 };
        let heartbeat = Duration::from_millis(500);
        let poll = longest(&|host| host.poll);
        let rto_min = longest(&|host| host.config.rto.min);
        let shortest = ends[0].config.rto.min.min(ends[1].config.rto.min);
        let timestamps = ends.iter().all(|host| {
            let samples_all = host.config.rto.sampling == RttSampling::EachAck;
            host.config.timestamps && samples_all && host.smoltcp.is_none()
        });
        let least = rto_min.max(longest(&|host| host.config.rto.initial));
        let most = longest(&|host| host.config.rto.max);
        Bounds {
            host_delay: (ack + heartbeat + poll.saturating_mul(6)) + Duration::from_millis(ticks),
            // What is held back is repaired in each flight; without timestamps nothing is measured then, so that each such
            // timeout doubles the next, whatever went on in between (RFC 6298 rule 5.5 and section 3).
            least: if holds_back && !timestamps { most.max(least) } else { least },
            most,
            apart: shortest / 2,
            // What is read slowly goes on from the buffer, though nothing is measured.
            progress_measures: timestamps && flow.reads.iter().all(Option::is_none),
            keepalive: ends
                .iter()
                .filter_map(|host| host.config.keepalive)
                .map(|each| each.idle)
                .min(),
            may_refuse: ends.iter().any(|host| host.memory < u64::MAX),
            exempt: ends.iter().any(|host| host.lie.is_some()),
            stuck_after_loss: is_stuck(0) || is_stuck(1),
            unseen: if ends.iter().any(|host| host.smoltcp.is_some()) {
                unseen + 3
            } else {
                unseen
            },
        }
    }
}

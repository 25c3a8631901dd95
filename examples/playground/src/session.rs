//! A scenario while it runs, in slices, and what it has left behind so far.

use crate::columns::Tables;
use crate::describe;
use crate::ends::Ends;
use crate::sha256::Sha256;
use crate::watch::{Watch, Watcher, seconds};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::scenario::{Scenario, ScenarioRun};
use ackclock_emulator::{LEFT, LinkId, NodeId, PcapCapture, Topology};
use serde_json::{Value, json};
use std::cell::{Ref, RefCell};
use std::rc::Rc;

/// Most packets of a run, so that its tables fit into a browser's memory.
const MOST_PACKETS: usize = 250_000;

type Capture = PcapCapture<Sha256>;

/// How far a run has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Advanced {
    /// There is more to come.
    Running,
    /// The scenario is over.
    Over,
    /// There were more packets than can be kept.
    Cut,
}

/// A scenario while it runs.
#[derive(Debug)]
pub struct Session {
    /// `None` once it is over.
    run: Option<ScenarioRun<(Capture, Watcher)>>,
    watch: Rc<RefCell<Watch>>,
    ends: Ends,
    now: Instant,
    end: Instant,
    state: Advanced,
    digest: String,
    results: Value,
}

impl Session {
    /// Reads a scenario file and builds its network.
    ///
    /// # Errors
    /// Says what is wrong with the file, or that its network is not a dumbbell.
    pub fn start(text: &str) -> Result<Session, String> {
        let scenario = Scenario::parse(text, "scenario").map_err(|error| error.to_string())?;
        let bottleneck = bottleneck(scenario.topology())
            .ok_or("the playground draws dumbbells: give a table [dumbbell]")?;
        let flows = scenario.start(()).map_err(|error| error.to_string())?.results().flows.len();
        let flows = u8::try_from(flows).map_err(|_| "more flows than can be drawn")?;
        let watch = Rc::new(RefCell::new(Watch::new(bottleneck, flows.into())));
        let capture =
            PcapCapture::new(LEFT, Sha256::default()).map_err(|error| error.to_string())?;
        let run = scenario.start((capture, Watcher(watch.clone())));
        let run = run.map_err(|error| error.to_string())?;
        Ok(Session {
            run: Some(run),
            watch,
            ends: Ends::new(flows.into()),
            now: Instant::ZERO,
            end: scenario.end(),
            state: Advanced::Running,
            digest: String::new(),
            results: Value::Null,
        })
    }

    /// Runs for at most so many instants in which something happens.
    ///
    /// # Errors
    /// Says which flow cannot start.
    pub fn advance(&mut self, instants: u32) -> Result<Advanced, String> {
        for _ in 0..instants {
            let Some(run) = &mut self.run else {
                break;
            };
            let next = run.emulator().next_event_at();
            // Without an event there may be a flow that starts later.
            let until = next.unwrap_or(self.now + Duration::from_millis(10)).min(self.end);
            let over = run.run_until(until).map_err(|error| error.to_string())?;
            self.now = run.emulator().now();
            let mut watch = self.watch.borrow_mut();
            self.ends.settle(self.now, run.emulator(), &mut watch);
            let cut = watch.tables.packets.sent.len() >= MOST_PACKETS;
            drop(watch);
            if over || cut {
                self.state = if over { Advanced::Over } else { Advanced::Cut };
                self.finish();
            }
        }
        Ok(self.state)
    }

    fn finish(&mut self) {
        let Some(run) = self.run.take() else {
            return;
        };
        self.results = results(&run);
        let (capture, _) = run.into_observer();
        if self.state == Advanced::Over {
            // The writer cannot fail.
            self.digest = capture.finish().map(Sha256::finish).unwrap_or_default();
        }
    }

    /// Seconds of virtual time that are over.
    pub fn now(&self) -> f64 {
        seconds(self.now)
    }

    /// What came of the whole, as JSON: the digest of the capture (SHA-256, of what `--pcap` writes) and
    /// the results of flows and of the bottleneck. Empty as long as the run goes on.
    pub fn summary(&self) -> String {
        json!({ "digest": self.digest, "results": self.results }).to_string()
    }

    /// A packet in words, as JSON; `None` if there is none of that number.
    pub fn describe(&self, packet: usize) -> Option<String> {
        Some(describe::packet(&self.watch.borrow(), packet)?.to_string())
    }

    pub(crate) fn tables(&self) -> Ref<'_, Tables> {
        Ref::map(self.watch.borrow(), |watch| &watch.tables)
    }
}

/// The links between the only two routers of a network: from the first to the second, and back.
fn bottleneck(topology: &Topology) -> Option<[LinkId; 2]> {
    let between_routers =
        |link: &LinkId| topology.ends(*link).iter().all(|node| matches!(node, NodeId::Router(_)));
    let links: Vec<_> = topology.links().filter(between_routers).collect();
    links.try_into().ok()
}

fn results(run: &ScenarioRun<(Capture, Watcher)>) -> Value {
    let results = run.results();
    let flows = results.flows.iter().map(|flow| {
        let info = flow.info.as_ref();
        json!({
            "name": flow.name,
            "throughput": flow.throughput,
            "retransmitted": info.map(|info| info.retransmitted),
            "timeouts": info.map(|info| info.timeouts),
            "segments": info.map(|info| info.data_segments_sent),
            "error": flow.error.map(|error| error.to_string()),
        })
    });
    let routers = |link: &&ackclock_emulator::scenario::LinkResult| {
        ["left", "right"].iter().all(|name| link.ends.iter().any(|end| end == name))
    };
    let links = results.links.iter().filter(routers).map(|link| {
        json!({ "utilisation": link.utilisation, "longestQueue": link.statistics.longest_queue })
    });
    json!({ "flows": flows.collect::<Vec<_>>(), "bottleneck": links.collect::<Vec<_>>() })
}

//! Scenarios: a network, its flows and its duration, in a TOML file.
//!
//! Paths, congestion control algorithms (`law`) and times are written as on the command line.
//! `cargo run --release --example two_way -- FILE` runs a file and prints the results; a program
//! uses [`Scenario::load`] and [`Scenario::run`], or with [`Scenario::start`] and an [`Observer`]
//! to see more.
//!
//! ```toml
//! seed = 1
//! duration = "60s"            # of virtual time; the run ends earlier if all flows are done
//! warm_up = "10s"             # results count from here on
//! ip = 4                      # or 6
//! law = "reno"                # of all hosts without one of their own, as `growth` is
//! ao_keys = ["1=secret"]      # or md5_key = "secret": all segments are signed
//!
//! [connection]                # settings of all connections, see below
//! ack_policy = "every"
//!
//! [dumbbell]                  # or [pair], [chain], [parking_lot], or routers and links
//! bottleneck = "rate=1.5mbit,delay=20ms,loss=0,queue=40"
//! access = ["rate=100mbit,delay=1ms,loss=0", "rate=100mbit,delay=5ms,loss=0"]
//!
//! [[hosts]]
//! name = "sender2"
//! law = "cubic"
//! processing = "0.1ms"
//!
//! [[flows]]
//! from = "sender1"
//! to = "receiver1"
//!
//! [[flows]]
//! from = "sender2"
//! to = "receiver2"
//! count = 10                  # number of flows like this
//! start = "0s..5s"            # at random times in this span; "5s": at this time
//! bytes = "10kB..1MB"         # random sizes; without `bytes` or `time` it sends until the end
//! connection = { mss = 500 }
//! ```
//!
//! # The network
//! | table | keys |
//! | --- | --- |
//! | `[pair]` | `path`, `back`: hosts `left` and `right` |
//! | `[dumbbell]` | `bottleneck`, `back`, `access` (of senders, and of receivers unless `receivers` says otherwise), `receivers`, `pairs` (their number; the lists are used cyclically): hosts `sender1`, `receiver1` and so on, routers `left`, `right` |
//! | `[chain]` | `hops`, `back`: hosts `left` and `right`, routers `router1` and so on |
//! | `[parking_lot]` | `hops`, `back`, `access`: hosts `host1`, `peer1` and routers `router1` and so on |
//! | `[[hosts]]` | `name`, `law`, `processing`: settings of a host of one of those, or, without them, the hosts of the network |
//! | `[[routers]]` | `name` |
//! | `[[links]]` | `between` (two names), `path`, `back` |
//!
//! Each path is the text of a [`Path`](crate::Path). Parameters that it does not give have their
//! defaults, including 1 % loss. `back` is the return path; without it both directions are alike. `hops`
//! are lists of paths. A law is a [`CongestionControl`]: `cubic`, `newreno`, or `fixed:30`, a
//! window of 30 segments; if it brings a loss recovery, that is the one of its host's connections unless
//! `recovery` says otherwise. `growth` ([`Growth`](ackclock::congestion::Growth)) is that of the
//! law of all hosts. With `md5_key` (RFC 2385) or `ao_keys` (RFC 5925: of each key
//! [`AoKey::read`](ackclock::wire::ao::AoKey::read)) all segments are signed; of several keys the
//! first is used. Of two hosts the one that is listed first has a key's IDs as they are written, the other one the other
//! way round. `[[ao_rollover]]` with `at` and `key`, the first ID of a key: from that time on both ends of
//! all connections ask for that key. Times are text such as `20ms` or `1.5min` ([`Duration`]).
//!
//! # Connections
//! `[connection]`, and `connection` of a flow, which wins where both set the same: `mss`,
//! `send_buffer`, `receive_buffer` (bytes), `buffer_tuning` ("fixed" or "auto"; or `buffers`), `window_scaling`, `timestamps`, `sack` (true or false), `nagle` ("off", "rfc896" or "minshall"),
//! `ack_policy` ([`AckPolicy`](ackclock::tcp::AckPolicy)), `ack_timer`
//! ([`AckTimer`](ackclock::tcp::AckTimer)), `ecn` ([`EcnMode`](ackclock::tcp::EcnMode)),
//! `mtu_probing` ([`MtuProbing`](ackclock::tcp::MtuProbing)), `base_mss` (bytes),
//! `fast_open` ([`FastOpenMode`](ackclock::tcp::FastOpenMode)), `reuse_metrics`, `recovery`
//! ([`RecoveryAlgorithm`](ackclock::tcp::RecoveryAlgorithm)), `initial_window` (segments, or text:
//! [`InitialWindow`](ackclock::congestion::InitialWindow); or `iw`), `restart_after_idle`
//! ([`RestartAfterIdle`](ackclock::tcp::RestartAfterIdle); or `restart`), `pacing`
//! ([`Pacing`](ackclock::tcp::Pacing)), `burst_limit` (segments), `rto`
//! ([`RtoConfig`](ackclock::tcp::RtoConfig)), its `backoff`
//! ([`RtoBackoff`](ackclock::tcp::RtoBackoff)) and bounds `rto_initial`, `rto_min`, `rto_max`;
//! `give_up`, `user_timeout`, `advertised_user_timeout`, `hop_limit`.
//!
//! # Flows
//! `from` and `to` (hosts), `service` ("discard" or "echo"), `start`, `bytes` (a number, or text
//! such as `64kB`: B, kB or MB, in steps of 1000) or `time`, `count`, `connection`. With `pause` a
//! flow sends such an amount again and again (an on-off source), `bursts` times or until the end;
//! each pause begins when everything before was acknowledged.
//!
//! `start`, `bytes` and `pause` can be random: `"0s..5s"` is uniform over that span,
//! `"exponential:5s"` exponential with that mean. The values differ for each flow and burst and
//! follow from the seed.

mod connection;
mod error;
mod file;
mod flows;
mod keys;
mod network;
mod results;
mod run;
#[cfg(test)]
mod tests;
mod words;

pub use error::ScenarioError;
pub use results::{FlowResult, LinkResult, ScenarioResults};
pub use run::ScenarioRun;

use crate::ids::HostId;
use crate::observer::Observer;
use crate::text_file::read_text;
use crate::topology::Topology;
use ackclock::apps::Service;
use ackclock::congestion::BuiltIn;
use ackclock::tcp::CongestionControl;
use ackclock::time::{Duration, Instant};
use flows::Flow;
use std::path::Path;

/// Most bytes of a scenario's file.
const MOST: u64 = 1 << 20;

/// A scenario: a network, the flows through it, and their time.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The name of the scenario in errors.
    name: String,
    seed: u64,
    duration: Duration,
    warm_up: Duration,
    topology: Topology,
    /// The congestion control algorithm of each host.
    laws: Vec<CongestionControl>,
    keys: keys::Keys,
    flows: Vec<Flow>,
    /// The service of flows for which the file names none.
    service: Service,
}

impl Scenario {
    /// Reads a scenario from a file.
    ///
    /// # Errors
    /// Describes the error in the file, its place, and the allowed values.
    pub fn load(file: impl AsRef<Path>) -> Result<Self, ScenarioError> {
        Scenario::load_as(file.as_ref(), None)
    }

    /// The same with this congestion control algorithm for all hosts, instead of those of the file.
    ///
    /// # Errors
    /// As [`Scenario::load`].
    pub fn load_with_law(
        file: impl AsRef<Path>,
        law: CongestionControl,
    ) -> Result<Self, ScenarioError> {
        Scenario::load_as(file.as_ref(), Some(law))
    }

    fn load_as(file: &Path, law: Option<CongestionControl>) -> Result<Self, ScenarioError> {
        let name = file.display().to_string();
        match read_text(file, MOST) {
            Ok(text) => Scenario::read(&text, &name, law),
            Err(error) => Err(ScenarioError::Read { file: name, error: error.to_string() }),
        }
    }

    /// Reads a scenario from text; `name` is its name in errors.
    ///
    /// # Errors
    /// As [`Scenario::load`].
    pub fn parse(text: &str, name: &str) -> Result<Self, ScenarioError> {
        Scenario::read(text, name, None)
    }

    fn read(text: &str, name: &str, law: Option<CongestionControl>) -> Result<Self, ScenarioError> {
        let source = error::Source { text, name };
        let mut file: file::File = toml::from_str(text).map_err(|error| source.toml(&error))?;
        if let Some(law) = law {
            file.law = words::Text(law);
            file.hosts.iter_mut().for_each(|host| host.law = None);
        }
        let topology = network::topology(&file, &source)?;
        let laws = network::laws(&file, &topology, &source)?;
        let flows = flows::flows(&file, &topology, &laws, &source)?;
        let keys = keys::Keys::of(&file, &topology, &source)?;
        let [duration, warm_up] = [file.duration.get_ref().0, file.warm_up.0];
        if warm_up >= duration {
            let problem = "the duration must be longer than the warm_up";
            return Err(source.problem(&file.duration, "duration", problem));
        }
        Ok(Scenario {
            name: name.to_owned(),
            seed: file.seed,
            duration,
            warm_up,
            topology,
            laws,
            keys,
            flows,
            service: Service::Discard,
        })
    }

    /// The network.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// When the run ends at the latest.
    pub fn end(&self) -> Instant {
        Instant::ZERO + self.duration
    }

    /// The seed that everything random follows from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// How many flows there are; they are numbered from 1.
    pub fn flows(&self) -> usize {
        self.flows.len()
    }

    /// Whether the scenario has no flows.
    pub fn is_idle(&self) -> bool {
        self.flows.is_empty()
    }

    /// The congestion control algorithm of a host's connections.
    pub fn law(&self, host: HostId) -> BuiltIn {
        self.laws[host.0].law
    }

    /// Sets the service of the flows for which the file names none; it is discard otherwise.
    pub fn set_service(&mut self, service: Service) {
        self.service = service;
    }

    /// Replaces the seed of the file.
    pub fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    /// Builds the network, whose events go to `observer`.
    ///
    /// # Errors
    /// Says what of the network cannot be built.
    pub fn start<O: Observer>(&self, observer: O) -> Result<ScenarioRun<O>, ScenarioError> {
        ScenarioRun::new(self, observer)
    }

    /// Runs from the beginning to the end.
    ///
    /// # Errors
    /// As [`Scenario::start`]; further, says which flow cannot start.
    pub fn run(&self) -> Result<ScenarioResults, ScenarioError> {
        let mut run = self.start(())?;
        run.run_until(self.end())?;
        Ok(run.results())
    }
}

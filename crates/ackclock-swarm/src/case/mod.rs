//! A case: one network with its hosts and flows, as text that a person can read and change.

mod change;
mod file;
mod flow;
mod line;
mod settings;
mod shape;

pub(crate) use change::Change;
pub use file::CaseError;
pub use flow::Flow;
pub use line::Line;
pub(crate) use settings::{Fault, HostSettings, Lie, path};
pub use shape::Shape;

/// One network with its hosts and flows. The same case gives the same packets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The seed of everything random in the network and in the stacks.
    pub seed: u64,
    /// 4 or 6.
    pub ip: u8,
    /// How hosts and routers are joined.
    pub shape: Shape,
    /// The path of each hop from left to right: there, and back.
    pub hops: Vec<[Line; 2]>,
    /// What becomes of hops in mid-run: `at=5s,hop=0` and parameters of its paths in both directions.
    pub changes: Vec<Line>,
    /// Settings of the hosts, in the order of the topology; those of hosts without are the defaults.
    pub hosts: Vec<Line>,
    /// What the hosts say to each other.
    pub flows: Vec<Line>,
    /// The oracle that judges, with its change if it compares two runs; `None`: all that judge one run.
    pub oracle: Option<String>,
}

impl Case {
    /// The settings of a host.
    pub fn host(&self, index: usize) -> Line {
        self.hosts.get(index).cloned().unwrap_or_default()
    }

    /// The settings of a host, to change them.
    pub fn host_mut(&mut self, index: usize) -> &mut Line {
        if self.hosts.len() <= index {
            self.hosts.resize(index + 1, Line::default());
        }
        &mut self.hosts[index]
    }

    /// How many hosts there are.
    pub fn host_count(&self) -> usize {
        self.shape.hosts(self.hops.len())
    }
}

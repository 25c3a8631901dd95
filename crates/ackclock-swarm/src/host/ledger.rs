//! The ledger of a run: what hosts note of their flows and of themselves, for oracles to read.

use ackclock::tcp::{Error, Info};
use ackclock::time::Instant;
use ackclock_judge::Call;
use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;

/// A ledger that hosts write and the run reads.
pub(crate) type SharedLedger = Rc<RefCell<Ledger>>;

/// What hosts note. Times are those of the network, not of the hosts' clocks.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) flows: Vec<FlowNotes>,
    pub(crate) hosts: Vec<HostNotes>,
    /// What applications have called since a judge heard of it last; `None` if nobody wants to.
    pub(crate) calls: Option<Vec<CallNote>>,
}

/// A call of an application.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallNote {
    /// The host's flow, and its side of it.
    pub(crate) flow: usize,
    pub(crate) side: usize,
    pub(crate) at: Instant,
    /// The host's end of the connection, and the other.
    pub(crate) ends: [SocketAddr; 2],
    pub(crate) call: Call,
}

/// What the two applications of a flow have seen; in arrays the client comes first.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlowNotes {
    /// Whether the server has got the connection.
    pub(crate) accepted: bool,
    /// Bytes that the stack has taken from each application.
    pub(crate) written: [u64; 2],
    /// Bytes that each application has read.
    pub(crate) read: [u64; 2],
    /// The first thing that was wrong with what was read.
    pub(crate) wrong: Option<String>,
    /// Whether each side has seen the end of the other's data.
    pub(crate) finished: [bool; 2],
    /// How each connection failed.
    pub(crate) errors: [Option<Error>; 2],
    /// When each application was done.
    pub(crate) ended: [Option<Instant>; 2],
    /// Whether each side aborted.
    pub(crate) aborted: [bool; 2],
    /// The last sight of each connection.
    pub(crate) infos: [Option<Info>; 2],
    /// When something last went on that an application could see.
    pub(crate) progress_at: Instant,
    /// How often that was.
    pub(crate) steps: u64,
    /// Until when an application waits of its own will.
    pub(crate) rests_until: Instant,
    /// When the client began.
    pub(crate) started: Option<Instant>,
}

/// What a host notes of itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct HostNotes {
    /// How often a timer of the stack was served.
    pub(crate) timers: u64,
    /// Transmissions that the device took, after cutting.
    pub(crate) sent: u64,
    /// Packets given to the stack.
    pub(crate) received: u64,
    /// What did not hold, and when.
    pub(crate) broken: Option<(Instant, String)>,
    /// Four-tuples that the stack still knows, when all its applications are done.
    pub(crate) left: usize,
    /// Most bytes that the queues held.
    pub(crate) memory: u64,
    /// Segments without a connection that were not answered, since too many were.
    pub(crate) resets_suppressed: u64,
}

impl FlowNotes {
    /// Whether neither side waits any more. A server does not whose client has given up before it came.
    pub(crate) fn is_over(&self) -> bool {
        let [client, server] = self.ended.map(|ended| ended.is_some());
        client && (server || !self.accepted)
    }

    /// Whether a side has aborted or failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.aborted.contains(&true) || self.errors.iter().any(Option::is_some)
    }
}

//! A flow: one connection and what its two applications do.

use super::{CaseError, Line};
use ackclock::time::Duration;

/// One connection and what its two applications do. In arrays the client comes first.
///
/// As a line: `from=0,to=1` are the numbers of its hosts; `start=1s` when the client connects;
/// `rounds=3,ours=1000,theirs=10000` so many times the client writes so many bytes and the server
/// answers with so many, one round after another, with `pause=1s` between them; with `wait=no` nobody waits for
/// the other; `end=half` closes the client's direction as soon as it has written all, otherwise it waits
/// for what it expects first; `read=100:10ms` lets the server read so many bytes at a time with pauses,
/// `sip=100:10ms` the client; `abort=500` lets the client abort after writing so many bytes, `reject=500`
/// the server after reading so many; `port=7000` is the server's port, `local=50000` the client's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flow {
    /// The hosts, by their numbers.
    pub hosts: [usize; 2],
    /// When the client connects.
    pub start: Duration,
    /// How many rounds there are.
    pub rounds: u64,
    /// Bytes that each side writes in a round.
    pub bytes: [u64; 2],
    /// How long the client waits between rounds.
    pub pause: Duration,
    /// Whether each side waits for the other in each round.
    pub waits: bool,
    /// Whether the client closes its direction as soon as it has written all.
    pub half_close: bool,
    /// Most bytes of one read and the pause after it, on each side.
    pub reads: [Option<(usize, Duration)>; 2],
    /// After how many bytes written the client aborts, and after how many read the server.
    pub aborts: [Option<u64>; 2],
    /// The server's port, unless it is the usual one of the flow.
    pub port: Option<u16>,
    /// The client's port, unless the stack chooses.
    pub local: Option<u16>,
}

const KEYS: [&str; 15] = [
    "from", "to", "start", "rounds", "ours", "theirs", "pause", "wait", "end", "read", "sip",
    "abort", "reject", "port", "local",
];

impl Flow {
    /// Reads a line.
    ///
    /// # Errors
    /// Names the item that cannot be used.
    pub fn read(line: &Line) -> Result<Flow, CaseError> {
        if let Some((key, _)) = line.items().find(|(key, _)| !KEYS.contains(key)) {
            return Err(CaseError(format!("flow: '{key}' is not one of {}", KEYS.join(", "))));
        }
        let bad = |key: &str| CaseError(format!("flow: '{key}' cannot be read"));
        let number = |key: &str, default: u64| match line.get(key) {
            None => Ok(default),
            Some(text) => text.parse().map_err(|_| bad(key)),
        };
        let time = |key: &str| match line.get(key) {
            None => Ok(Duration::ZERO),
            Some(text) => text.parse().map_err(|_| bad(key)),
        };
        let reads = |key: &str| match line.get(key) {
            None => Ok(None),
            Some(text) => {
                let read = text.split_once(':').and_then(|(bytes, pause)| {
                    Some((bytes.parse().ok().filter(|bytes| *bytes > 0)?, pause.parse().ok()?))
                });
                read.map(Some).ok_or_else(|| bad(key))
            }
        };
        let some = |key: &str| match line.get(key) {
            None => Ok(None),
            Some(text) => text.parse().map(Some).map_err(|_| bad(key)),
        };
        let port = |key: &str| match line.get(key) {
            None => Ok(None),
            Some(text) => text.parse().map(Some).map_err(|_| bad(key)),
        };
        Ok(Flow {
            hosts: [number("from", 0)? as usize, number("to", 1)? as usize],
            start: time("start")?,
            rounds: number("rounds", 1)?,
            bytes: [number("ours", 0)?, number("theirs", 0)?],
            pause: time("pause")?,
            waits: line.get("wait") != Some("no"),
            half_close: line.get("end") == Some("half"),
            reads: [reads("sip")?, reads("read")?],
            aborts: [some("abort")?, some("reject")?],
            port: port("port")?,
            local: port("local")?,
        })
    }

    /// All bytes that each side writes.
    pub fn totals(&self) -> [u64; 2] {
        self.bytes.map(|bytes| bytes.saturating_mul(self.rounds))
    }

    /// Whether one of the sides aborts.
    pub fn is_aborted(&self) -> bool {
        self.aborts.iter().any(Option::is_some)
    }
}

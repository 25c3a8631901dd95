//! Settings of a proxy.

use super::way::Way;
use ackclock::stack::Cidr;
use ackclock::time::Duration;

/// Settings of a proxy.
#[derive(Clone, Debug)]
pub(crate) struct ProxySettings {
    /// Name of the TUN interface.
    pub(crate) tun: String,
    /// Addresses of the stack.
    pub(crate) addresses: Vec<Cidr>,
    pub(crate) way: Way,
    /// Interface by which connections leave this host; `None`: its routes say.
    pub(crate) interface: Option<String>,
    /// How long to wait for a connection.
    pub(crate) connect_time: Duration,
    /// Most requests of each family that wait.
    pub(crate) requests: usize,
    /// Most connections at a time.
    pub(crate) max_connections: usize,
    /// Most bytes in all queues.
    pub(crate) memory: u64,
    /// Connections that have transferred no data for this time are ended; `None`: none are.
    pub(crate) idle_time: Option<Duration>,
    /// Length of the intervals that are reported; `None`: none are.
    pub(crate) interval: Option<Duration>,
    /// Whether the summary is a JSON object.
    pub(crate) json: bool,
}

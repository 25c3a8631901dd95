//! The handle of a network, and its settings.

use crate::ended::Ended;
use crate::error::SocketError;
use crate::network::{Clock, Shared};
use ackclock::congestion::BuiltIn;
use ackclock::stack::{AddressError, Capabilities, Cidr, Stack, StackConfig, Storage};
use ackclock::tcp::{BufferTuning, Config, ConfigError};
use ackclock::time::Instant;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Default maximum number of bytes in a queue of a connection.
const LARGEST_QUEUE: u32 = 4 << 20;

/// Settings of a network.
///
/// ```
/// use ackclock_net::NetConfig;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut config = NetConfig::new(["10.7.0.2/24".parse()?, "fd07::2/64".parse()?]);
/// config.connection.nagle = ackclock::tcp::Nagle::Off;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NetConfig {
    /// The addresses of the network, with their prefixes.
    pub addresses: Vec<Cidr>,
    /// Settings of connections, those that are accepted included: the core's, except that queues follow
    /// the need, up to 4 MiB each. Listeners take data with SYNs (RFC 7413) if
    /// [`fast_open`](Config::fast_open) is on; their programs must bear that such data come twice.
    /// Connections send such data where they are [opened with data](crate::TcpStream::connect_with_data).
    pub connection: Config,
    /// The congestion control of connections.
    pub law: BuiltIn,
    /// Most bytes in the queues of all connections together; 1 GiB by default.
    pub memory: u64,
    /// Most connections at a time, on each queue; 65,536 by default.
    pub max_connections: usize,
    /// 128 secret random bits, from which sequence numbers and ports are derived
    /// ([`StackConfig::secret`]); `None`: from the operating system.
    pub secret: Option<[u64; 2]>,
}

impl NetConfig {
    /// A network that has these addresses, with default settings.
    pub fn new(addresses: impl IntoIterator<Item = Cidr>) -> Self {
        let defaults = StackConfig::new(Capabilities::with_mtu(1500), [0; 2]);
        let mut connection = Config::default();
        connection.buffer_tuning = BufferTuning::Automatic;
        connection.send_buffer = LARGEST_QUEUE;
        connection.receive_buffer = LARGEST_QUEUE;
        NetConfig {
            addresses: addresses.into_iter().collect(),
            connection,
            law: BuiltIn::default(),
            memory: defaults.memory,
            max_connections: defaults.max_connections,
            secret: None,
        }
    }

    /// A stack for a link that can do this.
    pub(crate) fn stack(&self, link: Capabilities) -> Result<Stack<'static>, NetError> {
        self.stack_of(self.stack_config(link))
    }

    /// The settings of a stack for such a link.
    pub(crate) fn stack_config(&self, link: Capabilities) -> StackConfig {
        let mut config = StackConfig::new(link, self.secret.unwrap_or_else(secret));
        config.memory = self.memory;
        config.max_connections = self.max_connections;
        config
    }

    /// A stack with these settings, and our addresses.
    pub(crate) fn stack_of(&self, config: StackConfig) -> Result<Stack<'static>, NetError> {
        self.connection.validate()?;
        let mut stack = Stack::new(config, self.law, Storage::growing())?;
        for &address in &self.addresses {
            stack.add_address(address).map_err(|error| NetError::Address(address, error))?;
        }
        Ok(stack)
    }
}

/// 128 random bits: the keyed hash of empty input. The standard library gets its keys from the operating
/// system.
fn secret() -> [u64; 2] {
    [(); 2].map(|()| RandomState::new().hash_one(()))
}

/// Why a network cannot be made.
#[derive(Debug)]
#[non_exhaustive]
pub enum NetError {
    /// A setting cannot be used.
    Config(ConfigError),
    /// This address cannot be used.
    Address(Cidr, AddressError),
    /// The operating system refuses a thread or a descriptor.
    System(io::Error),
    /// A network over no queue.
    NoQueue,
}

impl From<ConfigError> for NetError {
    fn from(error: ConfigError) -> Self {
        NetError::Config(error)
    }
}

impl From<io::Error> for NetError {
    fn from(error: io::Error) -> Self {
        NetError::System(error)
    }
}

impl fmt::Display for NetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetError::Config(error) => error.fmt(f),
            NetError::Address(address, error) => write!(f, "{address}: {error}"),
            NetError::NoQueue => f.write_str("a network needs one queue of its device at least"),
            NetError::System(error) => write!(f, "no thread or descriptor for a network: {error}"),
        }
    }
}

impl std::error::Error for NetError {}

/// A network: its addresses, and the driver that carries their packets. Clones are handles to the same network.
///
/// When the last clone is dropped the network ends, as with [`shut_down`](Self::shut_down). Sockets do not
/// keep the network alive: after it has ended, all their calls fail.
#[derive(Clone)]
pub struct Net(Arc<Kept>);

/// Ends the network when it is dropped.
struct Kept {
    /// State that sockets and driver share, one for each queue of the device; there is at least one.
    queues: Vec<Arc<Shared>>,
    /// Counter of connections, which are opened on the queues in turn.
    next: AtomicUsize,
}

impl Kept {
    fn end(&self) {
        self.queues.iter().for_each(|queue| queue.end(Ended::ShutDown));
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.end();
    }
}

impl Net {
    /// A network of this stack, whose driver has yet to be made.
    pub(crate) fn new(stack: Stack<'static>, clock: Clock, config: &NetConfig) -> Self {
        Net::of(Shared::new(stack, clock, config.connection, false))
    }

    pub(crate) fn of(shared: Shared) -> Self {
        Net::of_queues(vec![shared])
    }

    /// A network over the queues of a device, at least one.
    pub(crate) fn of_queues(queues: Vec<Shared>) -> Self {
        let queues = queues.into_iter().map(Arc::new).collect();
        Net(Arc::new(Kept { queues, next: AtomicUsize::new(0) }))
    }

    /// The shared state of the first queue, the only one unless the device has several.
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.0.queues[0]
    }

    /// The shared state of each queue.
    pub(crate) fn queues(&self) -> &[Arc<Shared>] {
        &self.0.queues
    }

    /// The queue whose turn it is.
    pub(crate) fn next_queue(&self) -> &Arc<Shared> {
        let turn = self.0.next.fetch_add(1, Ordering::Relaxed);
        &self.0.queues[turn % self.0.queues.len()]
    }

    /// Ends the network: its connections are reset, and every call on its sockets fails from now on with
    /// [`SocketError::Network`]. The driver sends the resets and ends.
    pub fn shut_down(&self) {
        self.0.end();
    }

    /// Why the network has ended; `None` while it is not.
    pub fn ended(&self) -> Option<Ended> {
        self.shared().lock().ended.clone()
    }

    /// The time on the network's clock.
    pub fn now(&self) -> Instant {
        self.shared().now()
    }

    /// Calls the closure with the stack, for example to add an address or to read counters. Segments that
    /// the stack has to send as a result are sent. Handles and listeners that the closure creates belong to the
    /// caller; the network's sockets do not use them. With several queues it is the stack of the first one; see
    /// [`each_stack`](Self::each_stack).
    ///
    /// # Errors
    /// The network has ended.
    pub fn with_stack<R>(
        &self,
        call: impl FnOnce(Instant, &mut Stack<'static>) -> R,
    ) -> io::Result<R> {
        self.shared().call(|now, state| match &state.ended {
            Some(ended) => Err(SocketError::Network(ended.clone()).into()),
            None => Ok(call(now, &mut state.stack)),
        })
    }

    /// Calls the closure with the stack of each queue, as [`with_stack`](Self::with_stack).
    ///
    /// # Errors
    /// The network has ended.
    pub fn each_stack(&self, mut call: impl FnMut(Instant, &mut Stack<'static>)) -> io::Result<()> {
        self.queues().iter().try_for_each(|queue| {
            queue.call(|now, state| match &state.ended {
                Some(ended) => Err(SocketError::Network(ended.clone()).into()),
                None => {
                    call(now, &mut state.stack);
                    Ok(())
                }
            })
        })
    }
}

impl fmt::Debug for Net {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Net").finish_non_exhaustive()
    }
}

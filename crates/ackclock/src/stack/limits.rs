//! Every limit of a stack: where it is set, and what happens when it is reached.
//!
//! Nothing grows without a limit and none makes anything panic: who asks is refused with an error that
//! says so, what arrives is dropped, and a counter tells (with the feature `counters`; with `log` or
//! `defmt` a line does too).
//!
//! # Where all memory is lent
//! The limits are lengths: of what [`StackMemory`](super::StackMemory) is told when a program is compiled,
//! and of the [`Buffers`](crate::tcp::Buffers) of each connection.
//!
//! | at most so many | parameter or buffer | beyond it |
//! | --- | --- | --- |
//! | connections | `CONNECTIONS` | [`ConnectError::NoResources`], or the peer's ack waits: `accept_overflow` |
//! | handshakes under way | `HALF_OPEN` | a [SYN cookie](crate::profile::Profile::SynCookies) is sent, or without that part the oldest gives way if it is older than 100 ms, and else the SYN is dropped: `half_open_overflow` |
//! | connections in TIME-WAIT | `TIME_WAIT` | the oldest gives way: `time_wait_recycled` |
//! | listeners | `LISTENERS` | [`ListenError::NoResources`] |
//! | addresses | `ADDRESSES` | [`AddressError::NoResources`] |
//! | resets and acks of records that wait for the link, and echo replies | `REPLIES` each | dropped: `replies_dropped` |
//! | bytes of echo data | `ECHO_BYTES` | dropped: `replies_dropped` |
//! | bytes to send | [`send`](crate::tcp::Buffers::send) | `Stack::send` takes what fits |
//! | bytes received and not read, holes included | [`receive`](crate::tcp::Buffers::receive) | the window is closed |
//! | transmissions in flight | [`flight`](crate::tcp::Buffers::flight) | sending waits for acks |
//! | ranges of data out of order | [`reassembly`](crate::tcp::Buffers::reassembly) | dropped, to be sent again: `Info::reassembly_dropped` |
//!
//! # Where storage grows
//! The limits are settings of the [`StackConfig`] (`max_connections`, `max_half_open`, `max_time_wait`,
//! and `memory` for the bytes of all queues together: `memory_refused`) and of each connection's
//! [`Config`](crate::tcp::Config) (`send_buffer`, `receive_buffer`, `flight_records`,
//! `reassembly_ranges`), and the constants of this module. What happens beyond them is the same, but it is
//! delayed: a sixteenth of `memory`, and of `max_connections` (256 at most), is for newcomers, and while they
//! live on that, one or two connections give way to each, of which the applications have taken or queued, and
//! the peers acknowledged, no data for longest: [`Error::Idle`](crate::tcp::Error::Idle), `gave_way`. One
//! place in four may have a connection that was closed and is not over yet; beyond that the one that was
//! closed first is reset likewise, or the first one that is idle.
//!
//! # In either case
//! - A [`ListenConfig`](super::ListenConfig) limits a listener's handshakes under way (`half_open`) and the
//!   connections that wait to be accepted (`backlog`): `half_open_overflow`, `accept_overflow`. Where the application
//!   answers [requests](super::Stack::next_request), `half_open` of them wait; the oldest gives way if it is
//!   older than 100 ms.
//! - [`ListenConfig::fast_open`](super::ListenConfig::fast_open) limits the connections that were opened fast and whose
//!   handshakes are not finished; others go the ordinary way: `fast_open_overflow`. Of 32 peers their Fast Open
//!   cookies and losses are remembered; the one that was used least recently gives way.
//! - [`KEYS`] keys sign segments (RFC 2385, RFC 5925), each for a whole prefix of peers or for one:
//!   [`KeyError::NoResources`](super::KeyError::NoResources). Without a heap [`AO_SESSIONS_WITHOUT_HEAP`] connections
//!   are signed by TCP-AO at a time; one more is not opened: `memory_refused`.
//! - [`StackConfig::resets_per_second`] limits resets to each stranger: `resets_suppressed`. Acks that
//!   challenge the sender of a doubtful segment are limited as RFC 5961 section 7 says, for each
//!   connection.
//! - Connections to one destination are limited by the ephemeral ports
//!   ([`StackConfig::first_ephemeral_port`] to `last_ephemeral_port`): [`ConnectError::NoPort`].
//! - Of 8 destinations it is known that the path is narrower than the link; the one that is to be tried
//!   again first gives way to a new one, and is found out anew.
//! - Calls that a limit refused are counted together as `calls_refused`.
//!
//! # Beside the stack
//! `Ethernet` has the first two as parameters, `SharedStack` has `WAKERS` as one. The counters of the
//! former are those of `EthernetStatistics`.
//!
//! | at most so many | parameter | beyond it |
//! | --- | --- | --- |
//! | neighbours | `NEIGHBOURS` | the one that was needed least recently is forgotten: `replaced`; not within a second of being asked for: then the packet is dropped, `no_place` |
//! | neighbours that are being asked for, or have not answered | half of `NEIGHBOURS`, but at least one | packet dropped: `no_place` |
//! | routes | `ROUTES` | `RouteError::NoResources`: `routes_refused` |
//! | answers to ARP requests and neighbour solicitations that wait for the device | 2 | dropped, to be asked for again: `answers_dropped` |
//! | connections and listeners that tasks wait for | `WAKERS` | another task is woken, finds nothing and waits again: `SharedStack::displaced_wakers` |
//!
//! [`ConnectError::NoResources`]: super::ConnectError::NoResources
//! [`ListenError::NoResources`]: super::ListenError::NoResources
//! [`AddressError::NoResources`]: super::AddressError::NoResources
//! [`StackConfig`]: super::StackConfig
//! [`StackConfig::resets_per_second`]: super::StackConfig::resets_per_second
//! [`StackConfig::first_ephemeral_port`]: super::StackConfig::first_ephemeral_port
//! [`ConnectError::NoPort`]: super::ConnectError::NoPort

use crate::storage::CAN_GROW;

/// Most local addresses where storage grows; they are looked through one after another.
pub const ADDRESSES: usize = 256;
/// Most listeners where storage grows. A SYN looks through them one after another.
pub const LISTENERS: usize = 4_096;
/// Most resets and acks of records that wait for the link where storage grows.
pub const REPLIES: usize = 256;
/// Most echo replies that wait for the link where storage grows.
pub const ECHOES: usize = 64;
/// Most bytes of echo data that wait for the link where storage grows.
pub const ECHO_BYTES: usize = 64 * 1024;
/// What a queue of either direction is always granted out of [`StackConfig::memory`], in bytes, unless
/// it is configured smaller: enough for a few segments of an Ethernet.
///
/// [`StackConfig::memory`]: super::StackConfig::memory
pub const LEAST_QUEUE: u32 = 4_096;
/// Most keys that sign segments ([`Signatures`](crate::profile::Profile::Signatures)): 256 on a heap, where
/// they take memory once there is one, else 8, which lie in the stack.
pub const KEYS: usize = if CAN_GROW { 256 } else { 8 };
/// Most connections that TCP-AO signs (RFC 5925), half-open ones and those in TIME-WAIT included, where there is no
/// heap; on one as many as there is memory for.
pub const AO_SESSIONS_WITHOUT_HEAP: usize = if CAN_GROW { 0 } else { 8 };

//! Every limit of a stack: where it is set, and what happens when it is reached.
//!
//! Nothing grows without a limit, and no limit causes a panic: calls beyond it fail with an error that says
//! so, packets are dropped, and a counter shows it (in profiles with the part `Counters`; with the feature `log`
//! or `defmt`, a log line does too).
//!
//! # Where all memory is lent
//! The limits are lengths: the parameters of [`StackMemory`](super::StackMemory) at compile time, and the
//! [`Buffers`](crate::tcp::Buffers) of each connection.
//!
//! | limit on | parameter or buffer | beyond it |
//! | --- | --- | --- |
//! | connections | `CONNECTIONS` | [`ConnectError::NoResources`], or the last ack of the handshake is ignored for now: `accept_overflow` |
//! | half-open connections | `HALF_OPEN` | a [SYN cookie](crate::profile::Profile::SynCookies) is sent; in a profile without cookies the oldest is dropped if it is older than 100 ms, and else the SYN is: `half_open_overflow` |
//! | connections in TIME-WAIT | `TIME_WAIT` | the oldest is dropped: `time_wait_recycled` |
//! | listeners | `LISTENERS` | [`ListenError::NoResources`] |
//! | addresses | `ADDRESSES` | [`AddressError::NoResources`] |
//! | replies that wait for the link: resets and acks of half-open and TIME-WAIT records; and echo replies | `REPLIES` each | dropped: `replies_dropped` |
//! | bytes of echo data | `ECHO_BYTES` | dropped: `replies_dropped` |
//! | bytes to send | [`send`](crate::tcp::Buffers::send) | `Stack::send` takes as many as fit |
//! | bytes received and not read, holes included | [`receive`](crate::tcp::Buffers::receive) | the window is closed |
//! | transmissions in flight | [`flight`](crate::tcp::Buffers::flight) | sending waits for acks |
//! | ranges of out-of-order data | [`reassembly`](crate::tcp::Buffers::reassembly) | dropped, and retransmitted by the peer: `Info::reassembly_dropped` |
//!
//! # Where storage grows
//! The limits are settings of the [`StackConfig`] (`max_connections`, `max_half_open`, `max_time_wait`, and
//! `memory` for the bytes of all queues together: `memory_refused`) and of each connection's
//! [`Config`](crate::tcp::Config) (`send_buffer`, `receive_buffer`, `flight_records`, `reassembly_ranges`),
//! and the constants of this module. The same happens beyond them, but later: a sixteenth of `memory`, and of
//! `max_connections` (256 at most), is reserved for new connections. While it is in use, each new connection
//! ends one or two others: those for which it is longest ago that the application took or queued data, or
//! that the peer acknowledged any ([`Error::Idle`](crate::tcp::Error::Idle), `gave_way`). Connections that
//! were closed but are not over may occupy a quarter of the places; beyond that the one closed first, or an
//! idle one, is reset in the same way.
//!
//! # In either case
//! - A [`ListenConfig`](super::ListenConfig) limits a listener's half-open connections (`half_open`) and its
//!   accept queue (`backlog`): `half_open_overflow`, `accept_overflow`. If the application answers
//!   [requests](super::Stack::next_request), `half_open` of them wait; the oldest is dropped for a new one if
//!   it is older than 100 ms.
//! - [`ListenConfig::fast_open`](super::ListenConfig::fast_open) limits the connections accepted by Fast Open
//!   whose handshakes are not finished; beyond it handshakes are ordinary ones: `fast_open_overflow`. Fast
//!   Open cookies and losses of 32 peers are remembered; a new peer replaces the least recently used one.
//! - [`KEYS`] keys sign segments (RFC 2385, RFC 5925), each for one peer or for a prefix:
//!   [`KeyError::NoResources`](super::KeyError::NoResources). Without a heap [`AO_SESSIONS_WITHOUT_HEAP`]
//!   connections are signed by TCP-AO at a time; another one is refused: `memory_refused`.
//! - [`StackConfig::resets_per_second`] limits the resets sent to each address: `resets_suppressed`.
//!   Challenge ACKs are limited for each connection, as in RFC 5961 section 7.
//! - Connections to one destination are limited by the ephemeral ports
//!   ([`StackConfig::first_ephemeral_port`] to `last_ephemeral_port`): [`ConnectError::NoPort`].
//! - The path MTU to 8 destinations is remembered if it is less than the link's; a new one replaces the one
//!   that expires first, which has to be discovered again.
//! - Calls refused because of a limit are all counted in `calls_refused`.
//!
//! # Beside the stack
//! `Ethernet` has the parameters `NEIGHBOURS` and `ROUTES`, `SharedStack` has `WAKERS`. The counters of
//! `Ethernet` are in `EthernetStatistics`.
//!
//! | limit on | parameter | beyond it |
//! | --- | --- | --- |
//! | neighbours | `NEIGHBOURS` | the least recently used one is replaced: `replaced`; one being resolved is kept for a second: then the packet is dropped, `no_place` |
//! | neighbours being resolved, or that did not answer | half of `NEIGHBOURS`, but at least one | packet dropped: `no_place` |
//! | routes | `ROUTES` | `RouteError::NoResources`: `routes_refused` |
//! | answers to ARP requests and neighbour solicitations that wait for the device | 2 | dropped, as the neighbour asks again: `answers_dropped` |
//! | connections and listeners that tasks wait for | `WAKERS` | another task is woken in vain and waits again: `SharedStack::displaced_wakers` |
//!
//! [`ConnectError::NoResources`]: super::ConnectError::NoResources
//! [`ListenError::NoResources`]: super::ListenError::NoResources
//! [`AddressError::NoResources`]: super::AddressError::NoResources
//! [`StackConfig`]: super::StackConfig
//! [`StackConfig::resets_per_second`]: super::StackConfig::resets_per_second
//! [`StackConfig::first_ephemeral_port`]: super::StackConfig::first_ephemeral_port
//! [`ConnectError::NoPort`]: super::ConnectError::NoPort

use crate::storage::CAN_GROW;

/// Most local addresses where storage grows; they are searched linearly.
pub const ADDRESSES: usize = 256;
/// Most listeners where storage grows. Each SYN searches them linearly.
pub const LISTENERS: usize = 4_096;
/// Most resets, and acks of half-open and TIME-WAIT records, that wait for the link where storage grows.
pub const REPLIES: usize = 256;
/// Most echo replies that wait for the link where storage grows.
pub const ECHOES: usize = 64;
/// Most bytes of echo data that wait for the link where storage grows.
pub const ECHO_BYTES: usize = 64 * 1024;
/// Bytes of [`StackConfig::memory`] that each send or receive queue is always granted, unless it is
/// configured to be smaller: enough for a few Ethernet-sized segments.
///
/// [`StackConfig::memory`]: super::StackConfig::memory
pub const LEAST_QUEUE: u32 = 4_096;
/// Most keys that sign segments ([`Signatures`](crate::profile::Profile::Signatures)): 256 with a heap, which
/// take memory from the first key on, or 8 without one, which are part of the stack.
pub const KEYS: usize = if CAN_GROW { 256 } else { 8 };
/// Most connections signed by TCP-AO (RFC 5925) without a heap, including half-open ones and those in
/// TIME-WAIT; with a heap only memory limits them.
pub const AO_SESSIONS_WITHOUT_HEAP: usize = if CAN_GROW { 0 } else { 8 };

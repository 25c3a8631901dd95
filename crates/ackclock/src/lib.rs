//! A TCP stack as a pure state machine: segments, time and the application's calls go in; segments,
//! data and the next deadline come out.
//!
//! It does no I/O, reads no clock, needs no heap and holds no global state. The same code runs over
//! a TUN device (crate `ackclock-host`), in virtual time inside a network emulator (crate
//! `ackclock-emulator`), and on a microcontroller with memory that the firmware lends it.
//!
//! # The map
//! | module | holds |
//! | --- | --- |
//! | [`stack`] | [`Stack`](stack::Stack): many connections over one link. Start here. |
//! | [`tcp`] | one connection: its [`Config`](tcp::Config), its [`Info`](tcp::Info), RFC 9293 event by event |
//! | [`congestion`] | how much may be in flight: the trait [`CongestionController`](congestion::CongestionController) and the built-in laws |
//! | [`link`] | [`Link`](link::Link): what a driver implements |
//! | [`apps`] | discard, echo, chargen and the clients that talk to them |
//! | [`wire`] | bytes to segments and back |
//! | [`storage`] | memory that is lent or grows |
//! | [`seq`], [`time`] | sequence numbers; instants and durations in nanoseconds |
//!
//! Dependencies point one way: `wire` and `congestion` know nobody; `tcp` knows those two; `stack`
//! knows `tcp`; `link` and `apps` know `stack`.
//!
//! # Two minutes
//! Two stacks that hand each other their packets:
//!
// The example grows its storage, so it is one only with `alloc`.
#![cfg_attr(feature = "alloc", doc = "```")]
#![cfg_attr(not(feature = "alloc"), doc = "```text")]
//! use ackclock::congestion::BuiltIn;
//! use ackclock::stack::{Capabilities, Cidr, ListenConfig, Stack, StackConfig, Storage};
//! use ackclock::tcp::Config;
//! use ackclock::time::Instant;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let stack = |last, secret| {
//!     let config = StackConfig::new(Capabilities::with_mtu(1500), secret);
//!     let mut stack = Stack::new(config, BuiltIn::default(), Storage::growing())?;
//!     stack.add_address(Cidr { address: [10, 0, 0, last].into(), prefix: 24 })?;
//!     Ok::<_, Box<dyn std::error::Error>>(stack)
//! };
//! let (mut client, mut server) = (stack(1, [1, 2])?, stack(2, [3, 4])?);
//! let now = Instant::ZERO;
//! let address = "10.0.0.2:7".parse()?;
//! let listener = server.listen(ListenConfig::new(address))?;
//! let handle = client.connect(now, address, None, &Config::default())?;
//! client.send(now, handle, b"hello")?;
//!
//! // Whatever one stack wants to send, the other one gets.
//! let mut packet = [0; 1500];
//! loop {
//!     let mut moved = false;
//!     for turn in 0..2 {
//!         let (from, to) =
//!             if turn == 0 { (&mut client, &mut server) } else { (&mut server, &mut client) };
//!         let mut len = None;
//!         from.transmit(now, &mut |transmit| {
//!             len = transmit.copy_to(&mut packet);
//!             Ok(())
//!         });
//!         if let Some(len) = len {
//!             to.on_packet(now, &packet[..len]);
//!             moved = true;
//!         }
//!     }
//!     if !moved {
//!         break;
//!     }
//! }
//! let accepted = server.accept(listener).ok_or("nobody came")?;
//! let mut bytes = [0; 16];
//! let n = server.receive(now, accepted, &mut bytes)?;
//! assert_eq!(&bytes[..n], b"hello");
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//! `std` (default) implies `alloc`. With `alloc` storage can grow
//! ([`Storage::growing`](stack::Storage::growing)); without it everything is lent
//! ([`StackMemory`](stack::StackMemory)).
//!
//! `full` (default) is everything else. Firmware leaves `default` out and names what it needs, and pays
//! for nothing else; what is set for a part that is not there has no effect.
//!
//! | feature | what it adds |
//! | --- | --- |
//! | `recovery-…` | a [`RecoveryAlgorithm`](tcp::RecoveryAlgorithm) beside NewReno: `go-back-n`, `rack`, `reno`, `rfc6675`, `sack-pipe`, `tahoe` |
//! | `ethernet` | `link::ethernet`: frames, ARP, neighbour discovery and routes between a stack and an Ethernet device |
//! | `active-open` | opening connections; without it others open them ([`Stack::connect`](stack::Stack::connect) fails) |
//! | `fast-path` | ways of their own for what nearly all packets are |
//! | `ipv4`, `ipv6` | packets of that family; those of the other are dropped |
//! | `counters` | the counters of [`Info`](tcp::Info), of [`Statistics`](stack::Statistics) and of Ethernet; else they stay at zero |
//! | `delivery-rate` | delivery rate samples, per transmission and per round trip; BBR needs them |
//! | `ecn` | explicit congestion notification (RFC 3168) |
//! | `historic` | retransmission timers from before RFC 6298 and clocks that tick |
//! | `icmp-errors` | ICMP errors: path MTU discovery (RFC 1191, RFC 8201), unreachable destinations; else they are counted and ignored |
//! | `many-connections` | a hash table of connections, a heap of deadlines, ranges out of order in a list that is searched by halves; else all are looked through |
//! | `pacing` | pacing and the burst limit; BBR needs pacing |
//! | `reassembly` | data that come out of order wait for what is missing before them; else they are dropped, and the peer sends them again (part of `sack`; without `sack` and `many-connections` one range waits) |
//! | `sack` | selective acknowledgments, ours and the peer's (RFC 2018, RFC 2883; part of the recoveries that go by them) |
//! | `segmentation` | up to 64 segments in one transmission, for links that segment, and counted one by one what a link has put together |
//! | `timestamps` | the timestamps option: round trips measured by it, PAWS (RFC 7323) |
//! | `tuning` | settings that most connections leave as they are: ack policy, bounds of the retransmission timer, codepoints and hop limits of packets, cork, deferred accepts, FIN-WAIT-2 timeout, initial window, linger, MSL, MSS, restart after idle, time to give up a SYN, user timeout, window clamp, lent receive buffers used in part, listening for any destination |
//! | `undo` | reductions for false alarms are taken back (RFC 3522, RFC 3708, RFC 4015, RFC 5682) |
//! | `urgent` | urgent pointers (RFC 9293 section 3.8.5) |
//! | `window-scaling` | the window scale option: windows of more than 64 KiB (RFC 7323 section 2) |
//! | `window-validation` | RFC 7661 |
//! | `smoltcp-phy`, `embassy-net-driver` | links over drivers made for smoltcp 0.14 and for embassy-net (`link::phy`, `link::embassy`); not in `full` |
//! | `embedded-io`, `embedded-io-async`, `embedded-nal-async` | connections as streams with these traits (module `io`); not in `full` |
//! | `log`, `defmt` | connections that open and end, packets that are dropped and limits that are hit are told through these crates; not in `full` |
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

#[macro_use]
pub mod profile;
#[macro_use]
mod tell;

pub mod apps;
pub mod congestion;
#[cfg(feature = "embedded-io")]
pub mod io;
pub mod link;
pub mod seq;
pub mod stack;
pub mod storage;
pub mod tcp;
#[cfg(all(test, feature = "alloc"))]
mod test_random;
pub mod time;
pub mod wire;

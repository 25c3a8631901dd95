//! A TCP stack as a pure state machine: segments, time and the application's calls go in; segments,
//! data and the next deadline come out.
//!
//! It does no I/O, reads no clock, needs no heap and holds no global state. The same code runs over
//! a TUN device (crate `ackclock-host`), in virtual time inside a network emulator (crate
//! `ackclock-emulator`), and on a microcontroller with memory that the firmware lends it.
//!
//! # Modules
//! | module | holds |
//! | --- | --- |
//! | [`stack`] | [`Stack`](stack::Stack): many connections over one link. Start here. |
//! | [`tcp`] | one connection: its [`Config`](tcp::Config), its [`Info`](tcp::Info), RFC 9293 event by event |
//! | [`congestion`] | congestion control: the trait [`CongestionController`](congestion::CongestionController) and the built-in algorithms |
//! | [`link`] | [`Link`](link::Link): the trait that a driver implements |
//! | [`apps`] | discard, echo, chargen and the clients that talk to them |
//! | [`wire`] | packet formats: bytes to segments and back |
//! | [`mod@profile`] | profiles: which optional parts a program image has |
//! | [`storage`] | memory that is lent or grows |
//! | [`seq`], [`time`] | sequence numbers; instants and durations in nanoseconds |
//!
//! Dependencies point one way: `wire` and `congestion` depend on none of the others; `tcp` uses these two;
//! `stack` uses `tcp`; `link` and `apps` use `stack`.
//!
//! # A first example
//! Two stacks that exchange packets with each other:
//!
// The example needs storage that grows, so it is compiled only with `alloc`.
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
//! // Each packet that one stack sends is passed to the other one.
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
//! | feature | what it adds |
//! | --- | --- |
//! | `std` (default) | implies `alloc` |
//! | `alloc` | storage that grows ([`Storage::growing`](stack::Storage::growing)) and boxed congestion control; without it all memory is lent ([`StackMemory`](stack::StackMemory)) |
//! | `full` (default) | `ipv4` and `ipv6` |
//! | `ipv4`, `ipv6` | packets of that family; packets of a family that is not enabled are dropped |
//! | `smoltcp-phy`, `embassy-net-driver` | links over drivers made for smoltcp 0.14 and for embassy-net (`link::phy`, `link::embassy`) |
//! | `embedded-io`, `embedded-io-async`, `embedded-nal-async` | connections as streams with these traits (module `io`) |
//! | `tcp-md5` | connections whose segments have MD5 signatures, as those of BGP (RFC 2385): `Stack::set_md5_key`, `wire::md5` |
//! | `tcp-ao` | connections whose segments are signed with the TCP Authentication Option (RFC 5925): `Stack::add_ao_key`, `wire::ao` |
//! | `log`, `defmt` | log messages through these crates: connections that open and end, packets that are dropped, limits that are reached |
//!
//! # Profiles
//! Which other parts an image has is chosen by a type, the [`Profile`](profile::Profile) of its stack, which
//! names each optional part. Settings for a part that is absent have no effect, and the part takes neither
//! code nor memory. One image can have stacks with different profiles.
//!
//! | profile | intended for |
//! | --- | --- |
//! | [`Full`](profile::Full) | hosts: it has every part, and is the default |
//! | [`Internet`](profile::Internet) | firmware that is a client or server on the Internet |
//! | [`Least`](profile::Least) | the smallest image, and a base to which [`profile!`] adds parts |
//! | one made with [`profile!`] | firmware that counts bytes |
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
mod words;

pub use words::UnknownWord;

/// Whether shortcuts to the same result are worth their code size: they are where there is a heap. Firmware
/// without one counts bytes.
pub(crate) const FOR_SPEED: bool = storage::CAN_GROW;

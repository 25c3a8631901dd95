//! A deterministic network in virtual time: hosts with real [`Stack`]s exchange real packets.
//!
//! The first version joins two hosts by one link in each direction. A link has a rate, a
//! propagation delay, a drop-tail queue and random loss:
//!
//! ```text
//!  stack --> queue --> line (rate) --> loss --> propagation (delay) --> stack
//! ```
//!
//! - Time is virtual, in whole nanoseconds. What happens at one instant happens in the order in
//!   which it was scheduled.
//! - Everything random follows from one seed through a portable generator; decisions are made by
//!   integers. The same seed and the same applications give the same packets at the same times,
//!   on every platform.
//! - Queues count waiting packets; the packet in service does not count. Loss strikes after a
//!   packet has had its time of the line.
//!
//! # Example
//! A link's parameters are written in one line. A capture is one of the observers that can
//! watch a run.
//!
//! ```no_run
//! use ackclock::congestion::BuiltIn;
//! use ackclock::time::Instant;
//! use ackclock_emulator::{Emulator, LEFT, PairConfig, PcapCapture, RIGHT};
//! use std::fs::File;
//! use std::io::BufWriter;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut config = PairConfig::new("rate=1.5mbit,delay=30ms,loss=0.1%,queue=20".parse()?);
//! config.seed = 7;
//! let capture = PcapCapture::new(LEFT, BufWriter::new(File::create("left.pcap")?))?;
//! let mut emulator = Emulator::pair(&config, [BuiltIn::default(), BuiltIn::default()], capture)?;
//!
//! // Applications of `ackclock::apps` are added with `add_application`; this one is done by hand.
//! let remote = "10.0.0.2:9".parse()?;
//! let handle = emulator.with_stack(LEFT, |now, stack| {
//!     stack.connect(now, remote, None, &Default::default())
//! })?;
//! emulator.run_until(Instant::from_secs(1));
//! println!("{:?}", emulator.stack(LEFT).info(emulator.now(), handle));
//! println!("{:?}", emulator.link_statistics(RIGHT));
//! emulator.into_observer().finish()?;
//! # Ok(())
//! # }
//! ```
//!
//! [`Stack`]: ackclock::stack::Stack
#![forbid(unsafe_code)]

mod emulator;
mod engine;
mod host;
mod link;
mod loss;
mod network;
mod observer;
mod packet;
mod pair;
mod path;
mod pcap;
mod queue;
mod random;
mod units;

pub use emulator::{ApplicationId, Emulator, Ended};
pub use link::LinkStatistics;
pub use observer::{DropReason, Event, HostId, LinkId, Observer, PacketOnLink};
pub use pair::{BuildError, LEFT, PairConfig, RIGHT};
pub use path::{Path, PathError};
pub use pcap::PcapCapture;
pub use units::{Probability, Rate, UnitError};

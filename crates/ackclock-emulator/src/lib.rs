//! A deterministic network in virtual time: hosts with real [`Stack`]s exchange real packets.
//!
//! [`Topology`] describes hosts, routers and links, or gives a ready-made network of them: a pair of
//! hosts, a dumbbell, a chain, a parking lot. [`Emulator`] runs it. A link has a rate, a propagation
//! delay, a queue, and impairments, which are all set by one line of text ([`Path`]):
//!
//! ```text
//!  node --> queue --> line (rate) --> impairments --> propagation (delay) --> node
//! ```
//!
//! - Time is virtual, in whole nanoseconds. Events at the same instant happen in the order in
//!   which it was scheduled.
//! - Everything random follows from one seed through a portable generator; decisions are made by
//!   integers, or by floating point with + - * / and square roots, which are exact everywhere.
//!   The same seed and the same applications give the same packets at the same times, on every
//!   platform.
//! - Queues are drop-tail, RED, CoDel, FQ-CoDel or DualPI2. They count waiting packets; the packet in
//!   service counts if the path says so.
//! - Impairments are loss, corruption, duplication and reordering. They act after a packet has
//!   had its time of the line, or before the queue.
//!
//! A [`LiveLink`] is one link by itself, for a driver that has a clock of its own.
//!
//! | to | use |
//! | --- | --- |
//! | connect two hosts | [`Emulator::pair`], as below |
//! | build a larger network | [`Topology::dumbbell`], [`Topology::chain`], [`Topology::parking_lot`], or [`Topology::host`], [`Topology::router`] and [`Topology::link`], then [`Emulator::new`] |
//! | run an application on a host |  [`ackclock::apps`], with [`Draws`] for random times and sizes, and [`Emulator::add_application`] |
//! | plot queues, windows and round-trip times | [`Recorder`] |
//! | record events | [`Trace`] (CSV, JSON lines), [`PcapNgCapture`], [`PcapCapture`] |
//! | observe anything else | an [`Observer`] of your own |
//! | write a network and its flows as a file | [`scenario`] |
//!
//! `examples/dumbbell.rs` of the repository is a whole experiment: ten flows over one bottleneck, and
//! its queue and their windows as CSV.
//!
//! # Example
//! A megabyte to a discard service. A path's parameters are written in one line; a capture is one
//! of the observers that can watch a run.
//!
//! ```
//! use ackclock::apps::{Server, Service, Source, SourceConfig};
//! use ackclock::congestion::BuiltIn;
//! use ackclock::stack::ListenConfig;
//! use ackclock::storage::Buffer;
//! use ackclock::time::Instant;
//! use ackclock_emulator::{Emulator, Ended, LEFT, PairConfig, PcapCapture, RIGHT};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut config = PairConfig::new("rate=1.5mbit,delay=30ms,loss=0.1%,queue=20".parse()?);
//! config.seed = 7;
//! // In memory here; usually to a `BufWriter` of a file.
//! let capture = PcapCapture::new(LEFT, Vec::new())?;
//! let mut emulator = Emulator::pair(&config, [BuiltIn::default(), BuiltIn::default()], capture)?;
//!
//! let remote = "10.0.0.2:9".parse()?;
//! let server = Server::new(Service::Discard, ListenConfig::new(remote), Buffer::growing());
//! emulator.add_application(RIGHT, server.once())?;
//! let source = emulator.add_application(LEFT, Source::new(SourceConfig::new(remote)))?;
//!
//! assert_eq!(emulator.run_until_done(Instant::from_secs(60)), Ended::Done);
//! let source = emulator.application(source).ok_or("it was added")?;
//! assert_eq!((source.sent(), source.error()), (1 << 20, None));
//! println!("{:?}: {:?}", source.ended(), source.last_info());
//! println!("{:?}", emulator.link_statistics(LEFT));
//! assert!(emulator.into_observer().finish()?.len() > 1 << 20);
//! # Ok(())
//! # }
//! ```
//!
//! [`Stack`]: ackclock::stack::Stack
#![forbid(unsafe_code)]

mod emulator;
mod event_queue;
mod host;
mod ids;
mod link;
mod live_link;
mod network;
mod observer;
mod packet;
mod random;
mod recording;
pub mod scenario;
mod text_file;
mod topology;
mod units;

pub use emulator::build::BuildError;
pub use emulator::pair::{LEFT, PairConfig, RIGHT};
pub use emulator::{ApplicationId, Emulator, Ended};
pub use host::endpoint::Endpoint;
pub use ids::{HostId, LinkId, NodeId, RouterId};
pub use link::impairments::loss::{GilbertElliott, Loss};
pub use link::impairments::reordering::{Hold, Reorder};
pub use link::path::{Path, PathError, Place};
pub use link::propagation::Jitter;
pub use link::queue::{
    CoDelConfig, Discipline, DualPi2Config, DualQueueScheduler, FqCoDelConfig, QueueLimit,
    RedConfig,
};
pub use link::rate_and_outages::{Outages, RateChange};
pub use link::statistics::{LinkStatistics, Waits};
pub use link::wire_size::WireSize;
pub use live_link::LiveLink;
pub use network::RouterStatistics;
pub use observer::{
    ConnectionOnHost, DropReason, Event, Observer, PacketOnLink, QueueLength, QueueOnLink, Wants,
};
pub use random::draws::{Distribution, Draws};
pub use recording::event_trace::{Trace, TraceFormat};
pub use recording::pcap::PcapCapture;
pub use recording::pcapng::{Direction, PassedPacket, PcapNgCapture, PcapNgFile};
pub use recording::recorder::{ConnectionRecord, LinkRecord, Recorder};
pub use recording::series::{Series, Summary};
pub use text_file::read_text;
pub use topology::Topology;
pub use topology::shapes::{Chain, Dumbbell, ParkingLot};
pub use units::{Probability, Rate, UnitError};

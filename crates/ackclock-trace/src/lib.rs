//! Analysis of the TCP connections in a capture.
//!
//! [`analyse`] reads a capture in pcap or pcapng format packet by packet and reports each connection
//! to an [`Observer`] when it has closed: the data sent, the retransmissions and their causes, round-trip
//! times, windows, how it ended. In between it reports [`Event`]s, for graphs. Memory does not grow with
//! the capture: [`Settings`] limits it, and connections that had to be dropped early are counted.
//!
//! ```
//! use ackclock_trace::{Connection, Observer, Settings, analyse};
//!
//! struct Print;
//!
//! impl Observer for Print {
//!     fn on_connection(&mut self, connection: &Connection) {
//!         let sent = &connection.a_to_b;
//!         println!("{} sent {} bytes", connection.a, sent.unique_bytes);
//!     }
//! }
//!
//! let file = &b"\xd4\xc3\xb2\xa1"[..]; // Would be a file's bytes.
//! let (summary, result) = analyse(file, Settings::default(), Print);
//! assert_eq!(summary.packets, 0);
//! assert!(result.unwrap_err().to_string().starts_with("not a capture"));
//! ```
//!
//! | module | what |
//! | --- | --- |
//! | `capture` | files to packets |
//! | `packet` | packets to TCP headers, through link-layer and IP headers |
//! | `analyser` | which packet is of which connection; bounds |
//! | `connection`, `half` | a connection, and one direction of it |
//! | `segments`, `flight` | the class of a segment: new, retransmitted, reordered, copied |
//! | `acks` | the information in acks: round-trip times, duplicates, needless retransmissions |
//! | `explain` | the causes of retransmissions |
#![forbid(unsafe_code)]

mod acks;
mod analyser;
mod capture;
mod connection;
mod error;
mod explain;
mod flight;
mod graphs;
mod half;
mod listing;
mod observer;
mod packet;
mod report;
mod samples;
mod segments;
mod selection;
mod series;
mod text;
mod time;
mod xplot;

pub use analyser::{Settings, Summary, analyse};
pub use capture::{Capture, Interface, Record};
pub use error::CaptureError;
pub use explain::{Cause, Retransmission};
pub use graphs::GraphPage;
pub use listing::{Brief, Explanations, Long};
pub use observer::{Event, EventKind, Observer, Place, Sort};
pub use packet::ip_packet;
pub use report::{Causes, Connection, Direction, Ending, InitialWindow, SynOptions, Windows};
pub use samples::RttStatistics;
pub use selection::Selection;
pub use xplot::XplotFiles;

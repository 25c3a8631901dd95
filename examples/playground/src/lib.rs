//! The playground: scenarios of the emulator, told to a page packet by packet.
//!
//! The page writes a scenario file, the same that `ackclock discard --scenario FILE` runs, and hands
//! over its text. The network must be a dumbbell: what the page draws is its bottleneck. The run
//! goes on in slices as long as the page has time for; what happened is in columns of numbers, one
//! value per packet, per packet on the bottleneck, or per change, which the page reads where they are.
//!
//! | module | what |
//! | --- | --- |
//! | `boundary` | what the page can call |
//! | `session` | a scenario while it runs |
//! | `watch` | what the events of the network leave behind |
//! | `columns` | the tables of numbers |
//! | `ends` | both ends of each flow, and what an instant changed there |
//! | `reason` | why a segment was sent |
//! | `describe` | one packet, in words |
//! | `sha256` | the digest of the capture |
//!
//! The capture is the one that `--pcap` writes, and its digest that of `sha256sum`.
#![deny(unsafe_code)]

mod boundary;
mod columns;
mod describe;
mod ends;
mod reason;
mod session;
mod sha256;
mod watch;

pub use session::{Advanced, Session};

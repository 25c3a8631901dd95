//! A judge for TCP: says of every segment and every silence of a host whether the RFCs allow it, and which
//! sentence forbids it.
//!
//! The judge sits at a host's interface ([`Judge`]) and sees what the host sends and what reaches it, with
//! times. It knows nothing of the host's insides. Its rules are written from the texts of the RFCs and share
//! no code with the stack but the reading of headers. Where an RFC leaves a choice, all that it allows is
//! allowed; where packets are missing in what the judge sees, it says that it cannot tell ([`Unknown`]).

mod accurate_ecn;
mod call;
mod connection;
mod ecn;
mod facts;
mod format;
mod handshake;
mod isn;
mod judge;
#[cfg(feature = "emulator")]
mod observer;
mod ranges;
mod receiver;
mod reset;
mod segment;
mod sender;
mod sentence;
mod settings;
mod strangers;
mod urgent;
mod verdict;

pub use call::Call;
pub use judge::Judge;
#[cfg(feature = "emulator")]
pub use observer::{FormJudges, Judges};
pub use sentence::{Level, Sentence};
pub use settings::{Law, Nagle, Settings};
pub use verdict::{Findings, Unknown, Verdict};

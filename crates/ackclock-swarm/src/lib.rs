//! Whole networks of stacks, drawn by lot, run in virtual time and judged by oracles.
//!
//! A [`Case`] is a network with its hosts and flows as text. [`case_of`] draws the one of a seed,
//! [`judge`] says what its oracles find, [`shrink`] makes it smaller as long as they do, and [`Swarm`]
//! does all of that for many seeds at a time.
#![forbid(unsafe_code)]

mod case;
mod draw;
mod host;
mod oracles;
mod run;
mod shrink;
mod swarm;
mod verdict;

pub use case::{Case, CaseError, Flow, Line, Shape};
pub use oracles::Finding;
pub use run::facts::{Facts, FlowFacts, Sent};
pub use run::{MOST_SEGMENTS, Outcome, run, run_watched};
pub use shrink::shrink;
pub use swarm::{Found, Progress, SeedsDone, Swarm, Total};
pub use verdict::{Verdict, case_of, judge, variants};

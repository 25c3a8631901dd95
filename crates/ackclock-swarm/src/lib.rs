//! Whole networks of stacks, drawn by lot, run in virtual time and judged by oracles.
#![forbid(unsafe_code)]

mod case;
mod draw;
mod host;
mod oracles;
mod run;

pub use case::{Case, CaseError, Flow, Line, Shape};
pub use draw::draw;
pub use oracles::Finding;
pub use run::facts::{Facts, FlowFacts, Sent};
pub use run::{MOST_SEGMENTS, Outcome, run, run_watched};

//! The oracles: each says, in a file of its own, what must hold of every run or of two runs that
//! differ in one thing.

pub(crate) mod bytes;
pub(crate) mod economy;
pub(crate) mod indifference;
pub(crate) mod invariants;
pub(crate) mod judge;
pub(crate) mod liveness;
pub(crate) mod monotony;
pub(crate) mod sharing;

use crate::case::{Flow, HostSettings};
use crate::run::Outcome;

/// What an oracle found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The oracle, with the change if it compares two runs.
    pub oracle: String,
    /// What is wrong, in words.
    pub text: String,
}

impl Finding {
    pub(crate) fn new(oracle: &str, text: &str) -> Self {
        Finding { oracle: oracle.to_owned(), text: text.to_owned() }
    }
}

/// What the oracles of one run say when it is over.
pub(crate) fn judge_one(flows: &[Flow], hosts: &[HostSettings], outcome: &Outcome) -> Vec<Finding> {
    bytes::judge(flows, hosts, outcome)
        .into_iter()
        .chain(economy::judge(flows, hosts, outcome))
        .collect()
}

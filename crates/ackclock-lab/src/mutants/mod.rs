//! Wrong stacks and wrong networks, by which the verdicts are tried: one that no mutant turns red
//! says nothing, and is reported only.
//!
//! A mutant is a setting, a law or a path that differs from the paper's. Each names the experiments
//! that must turn red with it by what they claim, whatever came out; those of them that are known not
//! to are named as well. Which verdicts each mutant turned is kept in `turned.json`, which `check`
//! writes.

pub(crate) mod check;
pub(crate) mod law;
mod list;
pub(crate) mod turned;

use ackclock::congestion::BuiltIn;
use ackclock::tcp::Config;
use ackclock_emulator::{Path, Topology};
use law::{Law, LawFault};

pub use list::ALL;
use list::NOT_TRIED;

/// A stack or a network with something wrong.
#[derive(Clone, Copy, Debug)]
pub struct Mutant {
    /// Its name, of lower-case letters, digits and `-`.
    pub name: &'static str,
    /// What is wrong, in one line.
    pub what: &'static str,
    /// The experiments that must turn red: what they claim cannot be so with it.
    pub turns: &'static [&'static str],
    /// Those of them that do not, a shortfall of theirs.
    pub spares: &'static [&'static str],
    /// Other experiments that it may turn red, by their ids or their papers' names.
    pub may_turn: &'static [&'static str],
    change: Change,
}

/// What a mutant changes.
#[derive(Clone, Copy, Debug)]
enum Change {
    Nothing,
    /// Settings of both ends of all connections. Twice is as once.
    Settings(fn(&mut Config)),
    /// What the laws are told, or what becomes of it.
    Law(LawFault),
    /// Which laws there are.
    Laws(fn(BuiltIn) -> BuiltIn),
    /// The parameters of all links.
    Network(fn(&mut Path)),
}

impl Mutant {
    /// Nothing is wrong: only what is judged is run, without rows of sensitivity.
    pub const NONE: Mutant = Mutant {
        name: "none",
        what: "nothing is wrong",
        turns: &[],
        spares: &[],
        may_turn: &[],
        change: Change::Nothing,
    };

    pub(crate) fn settings(&self, mut settings: Config) -> Config {
        if let Change::Settings(change) = self.change {
            change(&mut settings);
        }
        settings
    }

    pub(crate) fn law(&self, law: BuiltIn) -> Law {
        match self.change {
            Change::Law(fault) => Law::new(law, Some(fault)),
            Change::Laws(change) => Law::new(change(law), None),
            _ => Law::new(law, None),
        }
    }

    pub(crate) fn network(&self, topology: &Topology) -> Topology {
        let mut topology = topology.clone();
        if let Change::Network(change) = self.change {
            for link in topology.links() {
                let mut path = topology.path(link).clone();
                change(&mut path);
                topology.set_path(link, path);
            }
        }
        topology
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{papers, select};
    use std::collections::BTreeSet;

    #[test]
    fn each_mutant_has_a_name_of_its_own_and_turns_experiments_that_exist() {
        let names: BTreeSet<&str> = ALL.iter().map(|mutant| mutant.name).collect();
        assert_eq!(names.len(), ALL.len());
        for mutant in ALL {
            assert!(mutant.turns.len() > mutant.spares.len(), "{}", mutant.name);
            assert!(mutant.spares.iter().all(|id| mutant.turns.contains(id)), "{}", mutant.name);
            assert!(select(mutant.turns).is_ok() && select(mutant.may_turn).is_ok());
        }
    }

    #[test]
    fn what_turned_names_mutants_and_experiments_that_exist() {
        let names: BTreeSet<&str> = ALL.iter().map(|mutant| mutant.name).collect();
        let ids: BTreeSet<String> = papers::all().map(|each| each.id()).collect();
        for (id, quantities) in turned::table() {
            assert!(ids.contains(id), "{id}");
            for (quantity, mutants) in quantities {
                assert!(!mutants.is_empty(), "{id}: {quantity}");
                assert!(mutants.iter().all(|each| names.contains(each.as_str())), "{quantity}");
            }
        }
    }

    #[test]
    fn a_longer_queue_is_longer_by_one() {
        let mutant = ALL.iter().find(|mutant| mutant.name == "queue-one-longer").unwrap();
        let path: Path = "rate=1mbit,queue=20".parse().unwrap();
        let red: Path = "rate=1mbit,queue=infinite".parse().unwrap();
        let topology = mutant.network(&Topology::pair([path, red]));
        let queues = topology.links().map(|link| topology.path(link).to_string());
        let queues: Vec<String> = queues.collect();
        assert!(queues[0].ends_with("queue=21") && queues[1].ends_with("queue=infinite"));
    }
}

//! The lot: what a seed makes of topology, paths, hosts, faults, peers and applications.

pub(crate) mod dice;
mod flows;
mod hosts;
mod paths;
pub(crate) mod plain;

use crate::case::{Case, Line, Shape};
use dice::{Dice, Weights};

/// What is decided while a case is drawn.
struct Lot {
    dice: Dice,
    weights: Weights,
}

impl Lot {
    /// Whether a feature is there, once more where it could be.
    fn has(&mut self, feature: &str) -> bool {
        let weight = self.weights.of(feature);
        self.dice.happens(weight)
    }
}

/// One of so many cases is longer than all sequence numbers.
const ENDLESS: u64 = 1_000;

/// The case of a seed.
pub(crate) fn draw(seed: u64) -> Case {
    let mut lot = Lot { dice: Dice::new(seed ^ 0xace_c10c), weights: Weights::new(seed) };
    let shape = match lot.dice.below(10) {
        0..=5 => Shape::Pair,
        6..=7 => Shape::Chain,
        8 => Shape::Dumbbell(lot.dice.between(1, 4) as usize),
        _ => Shape::ParkingLot,
    };
    let hops = match shape {
        Shape::Pair | Shape::Dumbbell(_) => 1,
        Shape::Chain => lot.dice.between(2, 4),
        Shape::ParkingLot => lot.dice.between(2, 3),
    };
    let ip = if lot.dice.happens(0.35) { 6 } else { 4 };
    let mut case = Case {
        seed: lot.dice.below(1 << 32),
        ip,
        shape,
        hops: lot.hops(shape, hops, ip),
        changes: Vec::new(),
        hosts: Vec::new(),
        flows: Vec::new(),
        oracle: None,
    };
    let settings: Vec<Line> = (0..case.host_count()).map(|_| lot.host()).collect();
    case.hosts = settings;
    lot.flows(&mut case);
    lot.changes(&mut case);
    lot.peers(&mut case);
    lot.faults(&mut case);
    paths::spare_checksums(&mut case);
    if lot.dice.below(ENDLESS) == 0 {
        lot.endless(&mut case);
    }
    while case.hosts.last().is_some_and(Line::is_empty) {
        case.hosts.pop();
    }
    case
}

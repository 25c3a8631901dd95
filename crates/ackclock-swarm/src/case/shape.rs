//! The shape of a network: how hosts and routers are joined.

use std::fmt;
use std::str::FromStr;

/// The shape of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Shape {
    /// Two hosts and one hop.
    #[default]
    Pair,
    /// Two hosts with routers between them.
    Chain,
    /// So many senders and as many receivers around one hop.
    Dumbbell(usize),
    /// A line of routers, each with two hosts.
    ParkingLot,
}

impl Shape {
    /// How many hosts there are with so many hops.
    pub fn hosts(self, hops: usize) -> usize {
        match self {
            Shape::Pair | Shape::Chain => 2,
            Shape::Dumbbell(pairs) => 2 * pairs,
            Shape::ParkingLot => 2 * (hops + 1),
        }
    }
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "pair" => Ok(Shape::Pair),
            None if text == "chain" => Ok(Shape::Chain),
            None if text == "parking-lot" => Ok(Shape::ParkingLot),
            Some(("dumbbell", pairs)) => match pairs.parse() {
                Ok(pairs @ 1..=64) => Ok(Shape::Dumbbell(pairs)),
                _ => Err("a dumbbell has 1 to 64 pairs, as in dumbbell:2".into()),
            },
            _ => Err(format!("'{text}' is not one of pair, chain, dumbbell:2, parking-lot")),
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Pair => f.write_str("pair"),
            Shape::Chain => f.write_str("chain"),
            Shape::Dumbbell(pairs) => write!(f, "dumbbell:{pairs}"),
            Shape::ParkingLot => f.write_str("parking-lot"),
        }
    }
}

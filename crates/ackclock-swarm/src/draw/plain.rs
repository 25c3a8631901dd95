//! Plain cases, in which two runs can be compared: one flow of bulk data over one or two hops, without
//! faults, peers that lie or applications that wait.

use super::Lot;
use super::dice::{Dice, Weights};
use crate::case::{Case, Line, Shape};
use ackclock::tcp::RecoveryAlgorithm;

/// Laws that share the Internet today; those of old papers are compared by the lab.
const LAWS: [&str; 5] = ["cubic", "reno", "veno", "vegas", "bbr"];

/// About how long two flows share a bottleneck.
const SHARED_SECONDS: u64 = 40;

/// A plain case of a seed.
pub(crate) fn draw_plain(seed: u64) -> Case {
    let mut lot = Lot { dice: Dice::new(seed ^ 0x91a1), weights: Weights::new(seed) };
    let ip = if lot.dice.happens(0.3) { 6 } else { 4 };
    let line = lot.plain_path();
    let host = lot.plain_host();
    let bytes = lot.dice.magnitude(50_000, 2_000_000);
    let flow = Line::default().with("ours", bytes).with("end", "half");
    Case {
        seed: lot.dice.below(1 << 32),
        ip,
        shape: Shape::Pair,
        hops: vec![[line.clone(), line]],
        changes: Vec::new(),
        hosts: vec![host.clone(), host],
        flows: vec![flow],
        oracle: None,
    }
}

/// Two flows around one bottleneck that loses nothing but by its queue; with `same` both have the same law, otherwise
/// the first has Reno.
pub(crate) fn draw_shared(seed: u64, same: bool) -> Case {
    let mut lot = Lot { dice: Dice::new(seed ^ 0x5a4e), weights: Weights::new(seed) };
    let rate = lot.dice.magnitude(2_000_000, 10_000_000);
    let delay = lot.dice.magnitude(5_000, 15_000);
    // What fills the path for a round trip, in packets of 1500 bytes.
    let product = (rate * 2 * delay / 1_000_000 / 8 / 1_500).max(16);
    let queue = lot.dice.magnitude(product / 2, product * 2).max(16);
    let path = Line::default()
        .with("rate", format!("{rate}bit"))
        .with("delay", format!("{delay}us"))
        .with("queue", queue);
    let law = *lot.dice.choose(&LAWS);
    let host = |law: &str| {
        Line::default().with("law", law).with("send", 2_000_000).with("receive", 2_000_000)
    };
    let first = if same { law } else { "reno" };
    let bytes = rate / 8 * SHARED_SECONDS / 2;
    let flow = |from: u64| {
        Line::default()
            .with("from", from)
            .with("to", from + 2)
            .with("ours", bytes)
            .with("end", "half")
    };
    Case {
        seed: lot.dice.below(1 << 32),
        ip: 4,
        shape: Shape::Dumbbell(2),
        hops: vec![[path.clone(), path]],
        changes: Vec::new(),
        hosts: vec![host(first), host(law), host(first), host(law)],
        flows: vec![flow(0), flow(1)],
        oracle: None,
    }
}

impl Lot {
    fn plain_path(&mut self) -> Line {
        let rate = self.dice.magnitude(1_000_000, 100_000_000);
        let delay = self.dice.magnitude(1_000, 100_000);
        let mut line = Line::default();
        line.set("rate", format!("{rate}bit"));
        line.set("delay", format!("{delay}us"));
        let tenths = |tenths: u64| format!("{}.{}%", tenths / 10, tenths % 10);
        if self.dice.happens(0.75) {
            let few = self.dice.happens(0.6);
            let loss = if few { self.dice.magnitude(1, 100) } else { self.dice.between(50, 250) };
            line.set("loss", tenths(loss));
        }
        if self.dice.happens(0.4) {
            line.set("duplicate", tenths(self.dice.magnitude(1, 200)));
        }
        if self.dice.happens(0.25) {
            let hold = self.dice.magnitude(100, 2 * delay);
            line.set("reorder", format!("{}:{hold}us", tenths(self.dice.magnitude(1, 200))));
        }
        if self.dice.happens(0.2) {
            line.set("jitter", format!("{}us", self.dice.magnitude(10, delay)));
        }
        let product = (rate * delay / 1_000_000 / 4_000).clamp(8, 20_000);
        let limit = self.dice.magnitude((product / 2).max(8), product * 4);
        match self.dice.below(6) {
            0..=2 => line.set("queue", "infinite"),
            3..=4 => line.set("queue", limit),
            _ => line.set("queue", "fq_codel"),
        }
        line
    }

    fn plain_host(&mut self) -> Line {
        let mut line = Line::default();
        line.set("law", *self.dice.choose(&LAWS));
        if self.dice.happens(0.2) {
            let modern = RecoveryAlgorithm::NAMES
                .iter()
                .filter(|name| matches!(**name, "newreno" | "rfc6675" | "rack"));
            let modern: Vec<_> = modern.collect();
            line.set("recovery", self.dice.choose(&modern));
        }
        if self.dice.happens(0.3) {
            line.set("timestamps", "off");
        }
        if self.dice.happens(0.2) {
            line.set("sack", "off");
        }
        // A window that is no bound on these paths.
        line.set("send", 4_000_000);
        line.set("receive", 4_000_000);
        line
    }
}

//! Flows: how many, between whom, and what their applications do.

use super::Lot;
use crate::case::{Case, Line, Shape};

/// Bytes that a path carries in so many seconds bound the size of a flow, so that runs end.
const SECONDS: u64 = 60;
/// Packets of all flows, about.
const PACKETS: u64 = 3_000;

impl Lot {
    /// Adds the flows of a case.
    pub(super) fn flows(&mut self, case: &mut Case) {
        let count = match case.shape {
            Shape::Pair | Shape::Chain if self.has("several flows") => self.dice.between(2, 5),
            Shape::Pair | Shape::Chain => 1,
            Shape::Dumbbell(pairs) => pairs as u64,
            Shape::ParkingLot => self.dice.between(2, 4),
        };
        for number in 0..count {
            let hosts = self.ends(case, number);
            let flow = self.flow(case, hosts, count);
            case.flows.push(flow);
        }
    }

    fn ends(&mut self, case: &Case, number: u64) -> [u64; 2] {
        let hosts = case.host_count() as u64;
        let ends = match case.shape {
            Shape::Pair | Shape::Chain => [0, 1],
            Shape::Dumbbell(pairs) => [number, number + pairs as u64],
            Shape::ParkingLot => {
                let from = self.dice.below(hosts);
                [from, (from + self.dice.between(1, hosts - 1)) % hosts]
            }
        };
        if self.has("backwards") { [ends[1], ends[0]] } else { ends }
    }

    /// Makes a case of one flow that is longer than all sequence numbers, in packets as long as there are.
    pub(super) fn endless(&mut self, case: &mut Case) {
        case.shape = Shape::Pair;
        let rate = self.dice.between(1, 20);
        let path = Line::default()
            .with("rate", format!("{rate}gbit"))
            .with("delay", format!("{}us", self.dice.magnitude(10, 1_000)))
            .with("loss", *self.dice.choose(&["0%", "0%", "0.01%"]))
            .with("queue", 256)
            .with("mtu", 65_535);
        case.hops = vec![[path.clone(), path]];
        case.changes.clear();
        let host = Line::default().with("send", 16 << 20).with("receive", 16 << 20);
        case.hosts = vec![host.clone(), host];
        case.flows = vec![
            Line::default()
                .with("ours", self.dice.between(1 << 32, (1 << 32) + (1 << 28)))
                .with("end", "half"),
        ];
    }

    fn flow(&mut self, case: &Case, [from, to]: [u64; 2], count: u64) -> Line {
        let mut line = Line::default();
        line.set("from", from);
        line.set("to", to);
        if self.has("late") {
            line.set("start", format!("{}ms", self.dice.magnitude(1, 5_000)));
        }
        let most = self.most_bytes(case) / count;
        let bytes = if self.has("small") {
            self.dice.magnitude(1, 3_000)
        } else {
            self.dice.magnitude(1_000, most.max(1_001))
        };
        match self.dice.below(10) {
            0..=4 => line.set("ours", bytes),
            5 => line.set("theirs", bytes),
            6 => {
                line.set("ours", bytes);
                line.set("theirs", self.dice.magnitude(1, most.max(2)));
                line.set("wait", "no");
            }
            7 | 8 => {
                let rounds = self.dice.magnitude(1, 50);
                line.set("rounds", rounds);
                line.set("ours", self.dice.magnitude(1, 1_000));
                line.set("theirs", (bytes / rounds).max(1));
            }
            _ => {
                let rounds = self.dice.magnitude(1, 200);
                line.set("rounds", rounds);
                line.set("ours", (bytes / rounds).clamp(1, 5_000));
                line.set("theirs", (bytes / rounds).clamp(1, 5_000));
            }
        }
        if self.has("pause") && line.get("rounds").is_some() {
            line.set("rounds", self.dice.between(2, 8));
            line.set("pause", format!("{}ms", self.dice.magnitude(1, 30_000)));
        }
        if self.dice.happens(0.5) {
            line.set("end", "half");
        }
        for key in ["read", "sip"] {
            if self.has(key) {
                let size = self.dice.magnitude((most / 200).max(1), most.max(2));
                line.set(key, format!("{size}:{}ms", self.dice.magnitude(1, 2_000)));
            }
        }
        for key in ["abort", "reject"] {
            if self.has(key) {
                line.set(key, self.dice.magnitude(1, bytes.max(2)));
            }
        }
        line
    }

    /// What a flow may send so that the run ends before long.
    fn most_bytes(&mut self, case: &Case) -> u64 {
        let slowest = case.hops.as_flattened().iter().map(|path| {
            let rates = path.get("rate").unwrap_or("10000000bit").split('/');
            let rate = rates.filter_map(|rate| {
                rate.split('@').next()?.strip_suffix("bit")?.parse::<u64>().ok()
            });
            rate.min().unwrap_or(10_000_000)
        });
        let slowest = slowest.min().unwrap_or(10_000_000);
        let mss =
            case.hosts.iter().filter_map(|host| host.read::<u64>("mss")).min().unwrap_or(1_460);
        let mtu = case
            .hops
            .as_flattened()
            .iter()
            .filter_map(|path| path.read::<u64>("mtu"))
            .min()
            .unwrap_or(1_500);
        (slowest / 8 * SECONDS).min(PACKETS * mss.min(mtu.saturating_sub(40)).max(1))
    }
}

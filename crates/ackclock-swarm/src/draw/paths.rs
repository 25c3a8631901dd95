//! Paths: rates, delays, impairments, queues and outages of each hop.

use super::Lot;
use crate::case::{Case, Line, Shape};

/// How long a run may be disturbed, in milliseconds.
const DISTURBED: u64 = 20_000;

impl Lot {
    /// The paths of so many hops.
    pub(super) fn hops(&mut self, shape: Shape, count: u64, ip: u8) -> Vec<[Line; 2]> {
        let rate = self.dice.magnitude(50_000, 1_000_000_000);
        let delay = self.dice.magnitude(100, 300_000) / count;
        let corrupted = self.dice.below(count);
        let impaired = self.dice.below(count);
        (0..count)
            .map(|hop| {
                let there = self.path(rate, delay, ip, shape, [hop == corrupted, hop == impaired]);
                let back = if self.has("asymmetric") {
                    let rate = rate / self.dice.magnitude(1, 50);
                    self.path(
                        rate.max(20_000),
                        delay,
                        ip,
                        shape,
                        [hop == corrupted, hop == impaired],
                    )
                } else {
                    there.clone()
                };
                [there, back]
            })
            .collect()
    }

    fn path(
        &mut self,
        rate: u64,
        delay: u64,
        ip: u8,
        shape: Shape,
        [corrupted, impaired]: [bool; 2],
    ) -> Line {
        let mut line = Line::default();
        line.set("rate", self.rates(rate));
        line.set("delay", format!("{delay}us"));
        if impaired || self.has("impaired everywhere") {
            if self.has("loss") || self.has("more loss") {
                line.set("loss", self.loss());
            }
            if self.has("duplicate") {
                line.set("duplicate", percent(self.dice.magnitude(1, 3_000)));
            }
            if self.has("reorder") {
                let hold = if self.dice.happens(0.5) {
                    format!("{}us", self.dice.magnitude(100, 200_000))
                } else {
                    self.dice.magnitude(1, 20).to_string()
                };
                line.set("reorder", format!("{}:{hold}", percent(self.dice.magnitude(1, 3_000))));
            }
        }
        line.set("queue", self.queue(rate, delay));
        // Of two changed bits of one packet the checksum may know nothing: one hop changes any.
        if corrupted && self.has("corrupt") {
            line.set("corrupt", percent(self.dice.magnitude(1, 500)));
        }
        // IPv6 fits into no less than 1280 bytes (RFC 8200 section 5).
        if self.has("mtu") {
            let least = if ip == 6 { 1_280 } else { 256 };
            line.set(
                "mtu",
                *self.dice.choose(&[
                    least,
                    296.max(least),
                    552.max(least),
                    576.max(least),
                    1_280,
                    1_400,
                    1_492,
                    4_352,
                    9_000,
                    65_535,
                ]),
            );
        }
        if self.has("jitter") {
            let reorders = if self.dice.happens(0.3) { ":reorder" } else { "" };
            line.set(
                "jitter",
                format!("{}us{reorders}", self.dice.magnitude(10, 2 * delay + 1_000)),
            );
        }
        if self.has("outage") {
            line.set("outage", self.outages());
        }
        if self.has("ingress") && shape == Shape::Pair {
            line.set("impair", "ingress");
        }
        if self.has("overhead") {
            line.set("overhead", format!("+{}", self.dice.between(1, 60)));
        }
        line
    }

    /// Changes some hops in mid-run.
    pub(super) fn changes(&mut self, case: &mut Case) {
        for hop in 0..case.hops.len() {
            if !self.has("changes") {
                continue;
            }
            let mut line =
                Line::default().with("at", format!("{}ms", self.dice.magnitude(10, DISTURBED)));
            line.set("hop", hop);
            match self.dice.below(4) {
                0 => line.set("loss", self.loss()),
                1 => line.set("delay", format!("{}us", self.dice.magnitude(100, 300_000))),
                2 => line.set("duplicate", percent(self.dice.magnitude(1, 3_000))),
                // A host is not told that its own link takes less.
                _ if case.shape == Shape::Chain && hop > 0 && hop + 1 < case.hops.len() => {
                    let least = if case.ip == 6 { 1_280 } else { 256 };
                    line.set("mtu", self.dice.between(least, 1_500));
                }
                _ => line.set("loss", "0%"),
            }
            case.changes.push(line);
        }
    }

    fn rates(&mut self, first: u64) -> String {
        let mut text = format!("{first}bit");
        if self.has("rate changes") {
            let mut at = 0;
            for _ in 0..self.dice.between(1, 3) {
                at += self.dice.magnitude(10, DISTURBED);
                let rate =
                    (first / self.dice.magnitude(1, 30)).max(20_000) * self.dice.magnitude(1, 10);
                text += &format!("/{rate}bit@{at}ms");
            }
        }
        text
    }

    fn loss(&mut self) -> String {
        match self.dice.below(10) {
            0..=5 => percent(self.dice.magnitude(1, 2_000)),
            6..=7 => {
                let into = percent(self.dice.magnitude(1, 500));
                format!("gilbert:{into}:{}", percent(self.dice.magnitude(1_000, 9_000)))
            }
            8 => format!("every:{}", self.dice.magnitude(5, 1_000)),
            _ => {
                let mut at = 0;
                let mut text = "packets".to_owned();
                for _ in 0..self.dice.between(1, 6) {
                    at += self.dice.magnitude(1, 40);
                    text += &format!(":{at}");
                }
                text
            }
        }
    }

    fn queue(&mut self, rate: u64, delay: u64) -> String {
        // What fills the path for a round trip, in packets.
        let product = (rate * delay / 1_000_000 / 4_000).clamp(4, 20_000);
        let limit = self.dice.magnitude((product / 4).max(2), product * 8);
        if !self.has("queue discipline") {
            return match self.dice.below(4) {
                0 => "infinite".into(),
                1 => format!("{}B", limit * 1_500),
                _ => limit.to_string(),
            };
        }
        let ecn = if self.dice.happens(0.5) { ":ecn" } else { "" };
        let limit = limit.max(20);
        match self.dice.below(4) {
            0 => format!("red:{}:{}:0.2%:10%:{limit}{ecn}", limit / 5, limit / 2 + 1),
            1 => format!("codel{ecn}"),
            2 => "dualpi2".into(),
            _ => format!("fq_codel{ecn}"),
        }
    }

    fn outages(&mut self) -> String {
        let mut at = 0;
        let mut spans = Vec::new();
        for _ in 0..self.dice.between(1, 2) {
            let from = at + self.dice.magnitude(10, DISTURBED);
            at = from + self.dice.magnitude(10, DISTURBED);
            spans.push(format!("{from}ms..{at}ms"));
        }
        let lose = if self.dice.happens(0.5) { ":lose" } else { "" };
        spans.join("/") + lose
    }
}

/// The least MTU in which hosts do not let routers cut IPv4 packets (RFC 1191 section 3).
const UNCUT: u64 = 552;

/// Of two changed bits of one segment the checksum may know nothing: where packets are changed none is cut into
/// fragments, each of which could be changed.
pub(super) fn spare_checksums(case: &mut Case) {
    if !case.hops.as_flattened().iter().any(|path| path.get("corrupt").is_some()) {
        return;
    }
    for line in case.hops.as_flattened_mut().iter_mut().chain(&mut case.changes) {
        if line.read::<u64>("mtu").is_some_and(|mtu| mtu < UNCUT) {
            line.set("mtu", UNCUT);
        }
    }
}

/// A share that is given in hundredths of a per cent.
fn percent(hundredths: u64) -> String {
    format!("{}.{:02}%", hundredths / 100, hundredths % 100)
}

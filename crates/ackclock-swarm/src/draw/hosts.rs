//! Hosts: settings of stacks, laws and recoveries, peers that are others or lie, and faults.

use super::Lot;
use crate::case::{Case, Flow, Line};
use ackclock::congestion::BuiltIn;
use ackclock::tcp::RecoveryAlgorithm;

/// When faults begin, and how long they last, in milliseconds.
const FAULTY: u64 = 10_000;

impl Lot {
    /// The settings of a host.
    pub(super) fn host(&mut self) -> Line {
        let mut line = Line::default();
        if self.has("law") || self.dice.happens(0.5) {
            let laws: Vec<_> = BuiltIn::NAMES.iter().filter(|law| **law != "none").collect();
            line.set("law", self.dice.choose(&laws));
        }
        if self.has("recovery") {
            line.set("recovery", self.dice.choose(RecoveryAlgorithm::NAMES));
        }
        for key in ["timestamps", "sack", "scaling", "prediction"] {
            if self.has(key) {
                line.set(key, "off");
            }
        }
        if self.has("segmentation") {
            line.set("segmentation", "on");
        }
        if self.has("send") {
            line.set("send", self.dice.magnitude(1, 4_000_000));
        }
        if self.has("receive") {
            line.set("receive", self.dice.magnitude(300, 4_000_000));
        }
        self.words(&mut line);
        self.times(&mut line);
        line
    }

    /// Settings that are one of some words or numbers.
    fn words(&mut self, line: &mut Line) {
        let words: [(&str, &[&str]); 11] = [
            ("ecn", &["request", "off", "request-accurate"]),
            ("acks", &["every", "delayed=200ms/0", "delayed=499ms/0", "bsd43", "delayed=10ms/2"]),
            ("ack_timer", &["heartbeat=200ms", "heartbeat=250ms"]),
            ("iw", &["1", "2", "rfc3390", "32", "100"]),
            ("restart", &["never", "jacobson88:rto", "jacobson88:rtt", "rfc7661"]),
            ("pacing", &["always", "off"]),
            ("burst", &["1", "2", "8"]),
            ("nagle", &["off", "rfc896"]),
            ("buffers", &["auto"]),
            ("fast_open", &["without-cookie", "on"]),
            ("ranges", &["1", "2", "8"]),
        ];
        for (key, words) in words {
            if self.has(key) {
                line.set(key, self.dice.choose(words));
            }
        }
        if self.has("mss") {
            line.set("mss", self.dice.magnitude(1, 9_000));
        }
        if self.has("clamp") {
            line.set("clamp", self.dice.magnitude(300, 200_000));
        }
        if self.has("records") {
            line.set("records", self.dice.magnitude(1, 4_096));
        }
    }

    fn times(&mut self, line: &mut Line) {
        if self.has("rto") {
            let estimators =
                ["jacobson88", "rfc793", "jacobson88:ticks:one", "rfc6298:one", "jacobson88-k2"];
            line.set("rto", self.dice.choose(&estimators));
        }
        if self.has("rto_min") {
            line.set("rto_min", format!("{}ms", self.dice.magnitude(10, 1_000)));
        }
        if self.has("rto_max") {
            line.set("rto_max", format!("{}s", self.dice.between(60, 240)));
        }
        if self.has("keepalive") {
            line.set("keepalive", format!("{}s", self.dice.between(10, 100)));
        }
        if self.has("user_timeout") {
            line.set("user_timeout", format!("{}s", self.dice.between(100, 1_000)));
        }
        if self.has("advertised_user_timeout") {
            let timeout = self.dice.magnitude(1, 100_000);
            line.set("advertised_user_timeout", format!("{timeout}s"));
        }
        if self.has("poll") {
            line.set("poll", format!("{}us", self.dice.magnitude(100, 20_000)));
        }
        if self.has("isn") {
            line.set("isn", "wrap");
        }
    }

    /// Lets some hosts be others than ours, or lie.
    pub(super) fn peers(&mut self, case: &mut Case) {
        for host in 0..case.host_count() {
            let flows: Vec<Flow> =
                case.flows.iter().filter_map(|flow| Flow::read(flow).ok()).collect();
            let own: Vec<&Flow> = flows.iter().filter(|flow| flow.hosts.contains(&host)).collect();
            // smoltcp does not hear routers that tell an MTU.
            let is_narrow = case
                .hops
                .as_flattened()
                .iter()
                .chain(&case.changes)
                .any(|path| path.get("mtu").is_some());
            if self.has("smoltcp")
                && !is_narrow
                && own.len() == 1
                && own[0].rounds == 1
                && !own[0].is_aborted()
                && !has_smoltcp(case, own[0])
            {
                let law = *self.dice.choose(&["none", "reno", "cubic"]);
                *case.host_mut(host) = Line::default().with("smoltcp", law);
            } else if self.has("liar") && self.dice.happens(0.5) {
                let number = self.dice.magnitude(2, 5_000);
                let lies = [
                    format!("optimistic:{number}"),
                    format!("split:{}", number % 16 + 2),
                    format!("repeat:{}", number % 4 + 1),
                ];
                let plain = ["sack", "dsack", "shrink", "close", "echo", "stale"].map(String::from);
                let lies: Vec<String> = lies.into_iter().chain(plain).collect();
                let lie = self.dice.choose(&lies).clone();
                case.host_mut(host).set("lie", lie);
            }
        }
    }

    /// Lets something go wrong with hosts.
    pub(super) fn faults(&mut self, case: &mut Case) {
        for host in 0..case.host_count() {
            if case.host(host).get("smoltcp").is_some() {
                continue;
            }
            for key in ["stop", "device"] {
                if self.has(key) {
                    let from = self.dice.magnitude(1, FAULTY);
                    let to = from + self.dice.magnitude(1, FAULTY);
                    case.host_mut(host).set(key, format!("{from}ms..{to}ms"));
                }
            }
            if self.has("jump") {
                let (at, by) =
                    (self.dice.magnitude(1, FAULTY), self.dice.magnitude(1, 20 * FAULTY));
                case.host_mut(host).set("jump", format!("{at}ms+{by}ms"));
            }
            if self.has("memory") {
                case.host_mut(host).set("memory", self.dice.magnitude(20_000, 1_000_000));
            }
            if self.has("clock") {
                case.host_mut(host).set("clock", format!("{}ms", self.dice.magnitude(1, 1 << 33)));
            }
        }
    }
}

/// Whether an end of a flow is smoltcp already.
fn has_smoltcp(case: &Case, flow: &Flow) -> bool {
    flow.hosts.iter().any(|host| case.host(*host).get("smoltcp").is_some())
}

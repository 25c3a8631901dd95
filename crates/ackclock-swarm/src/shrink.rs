//! Shrinking: the least case that the same oracle still finds.

use crate::case::{Case, Line, Shape};
use crate::verdict::judge;
use std::time::{Duration, Instant};

/// The least case for which `oracle` finds something, as far as it is found in the time given: features are
/// dropped one at a time, sizes halved, flows and hops taken away.
pub fn shrink(case: &Case, oracle: &str, time: Duration) -> Case {
    let begun = Instant::now();
    let mut least = case.clone();
    loop {
        let smaller = candidates(&least).into_iter().find(|candidate| {
            begun.elapsed() < time && candidate.check().is_ok() && finds(candidate, oracle)
        });
        match smaller {
            Some(smaller) => least = smaller,
            None => return least,
        }
    }
}

fn finds(case: &Case, oracle: &str) -> bool {
    judge(case).finding.is_some_and(|finding| finding.oracle == oracle)
}

/// Cases that are a little less than this one, the boldest first.
fn candidates(case: &Case) -> Vec<Case> {
    let mut all = Vec::new();
    let mut add = |change: &dyn Fn(&mut Case)| {
        let mut smaller = case.clone();
        change(&mut smaller);
        if smaller != *case {
            all.push(smaller);
        }
    };
    for flow in 0..case.flows.len() {
        if case.flows.len() > 1 {
            add(&|case| {
                case.flows.remove(flow);
            });
        }
    }
    add(&|case| case.hosts.clear());
    for hop in 0..case.hops.len() {
        add(&|case| to_pair(case, hop));
    }
    for change in 0..case.changes.len() {
        add(&|case| {
            case.changes.remove(change);
        });
    }
    add(&|case| case.ip = 4);
    for host in 0..case.hosts.len() {
        add(&|case| case.hosts[host] = Line::default());
        for (key, _) in case.hosts[host].items() {
            add(&|case| case.hosts[host] = case.hosts[host].without(key));
        }
    }
    for hop in 0..case.hops.len() {
        add(&|case| case.hops[hop][1] = case.hops[hop][0].clone());
        for side in [0, 1] {
            for (key, value) in case.hops[hop][side].items() {
                add(&|case| case.hops[hop][side] = case.hops[hop][side].without(key));
                if let Some((first, _)) = value.split_once('/') {
                    add(&|case| case.hops[hop][side].set(key, first));
                }
            }
        }
        // What is alike in both directions goes in both.
        for (key, _) in case.hops[hop][0].items() {
            add(&|case| {
                case.hops[hop] = [0, 1].map(|side: usize| case.hops[hop][side].without(key))
            });
        }
    }
    for flow in 0..case.flows.len() {
        for (key, value) in case.flows[flow].items() {
            if !matches!(key, "from" | "to") {
                add(&|case| case.flows[flow] = case.flows[flow].without(key));
            }
            if let (Ok(number @ 2..), "ours" | "theirs" | "rounds" | "abort" | "reject") =
                (value.parse::<u64>(), key)
            {
                add(&|case| case.flows[flow].set(key, number / 2));
            }
        }
    }
    all
}

/// Two hosts and this hop, with the flows between the two hosts that the first flow joins.
fn to_pair(case: &mut Case, hop: usize) {
    if case.shape == Shape::Pair {
        return;
    }
    let ends = case
        .flows
        .first()
        .map(|flow| [flow.read("from").unwrap_or(0), flow.read("to").unwrap_or(1)]);
    let [from, to]: [usize; 2] = ends.unwrap_or([0, 1]);
    let hosts = [case.host(from), case.host(to)];
    case.changes.retain(|change| change.read("hop") == Some(hop));
    for change in &mut case.changes {
        change.set("hop", 0);
    }
    case.hops = vec![case.hops[hop].clone()];
    case.shape = Shape::Pair;
    case.hosts = hosts.to_vec();
    for flow in &mut case.flows {
        flow.set("from", 0);
        flow.set("to", 1);
    }
}

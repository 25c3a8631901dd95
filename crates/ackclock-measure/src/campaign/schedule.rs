//! The order of a campaign's steps.

use super::plan::Plan;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::fmt;

/// One step of a campaign. Hosts and variants are counted from 0 as the plan has them, rounds from
/// 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Step {
    /// Find the route to a host, after this round; after round 0: before the first one.
    Route {
        /// The round.
        round: u32,
        /// The host.
        host: usize,
    },
    /// One transfer of a test group.
    Transfer {
        /// The round.
        round: u32,
        /// The host.
        host: usize,
        /// The variant of the group.
        variant: usize,
    },
    /// Send bursts across the common path.
    Burst {
        /// The round.
        round: u32,
        /// The number of test groups before it.
        groups: usize,
    },
}

/// The step's name in the journal.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Route { round, host } => write!(f, "route/{round}/{host}"),
            Step::Transfer { round, host, variant } => {
                write!(f, "transfer/{round}/{host}/{variant}")
            }
            Step::Burst { round, groups } => write!(f, "burst/{round}/{groups}"),
        }
    }
}

/// All steps in their order: the same for the same plan.
///
/// First come the routes, for the sake of the common path. In each round each host has its test
/// group, with its transfers in random order. Bursts are sent after a third, two thirds and all but
/// the last of the groups (of fewer than four hosts some of these are the same), and the round ends
/// with the route to each host.
pub fn steps(plan: &Plan) -> Vec<Step> {
    let (hosts, variants) = (plan.hosts.len(), plan.variants().len());
    let mut random = Xoshiro256PlusPlus::seed_from_u64(plan.seed);
    let routes = |round| (0..hosts).map(move |host| Step::Route { round, host });
    let mut steps: Vec<Step> = routes(0).collect();
    for round in 1..=plan.rounds {
        for host in 0..hosts {
            let group = (0..variants).map(|variant| Step::Transfer { round, host, variant });
            let mut group: Vec<_> = group.collect();
            shuffle(&mut group, &mut random);
            steps.extend(group);
            let groups = host + 1;
            let is_time = [hosts / 3, hosts * 2 / 3, hosts - 1].contains(&groups);
            if plan.bursts.count > 0 && is_time {
                steps.push(Step::Burst { round, groups });
            }
        }
        steps.extend(routes(round));
    }
    steps
}

/// Fisher and Yates's shuffle.
fn shuffle<T>(them: &mut [T], random: &mut impl Rng) {
    for last in (1..them.len()).rev() {
        // Of fewer than 2^32 places each is as likely as any other, to within 2^-32.
        let place = (u128::from(random.next_u64()) * (last as u128 + 1)) >> 64;
        them.swap(last, place as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::tests::small;
    use super::*;
    use std::collections::BTreeSet;

    /// A letter for each step.
    fn letters(steps: &[Step]) -> String {
        let letter = |step: &Step| match step {
            Step::Route { .. } => 'r',
            Step::Transfer { .. } => 't',
            Step::Burst { .. } => 'b',
        };
        steps.iter().map(letter).collect()
    }

    #[test]
    fn bursts_come_after_a_third_two_thirds_and_all_but_the_last_group() {
        let round = "tttbtttttTbtttbtttrrrrr".replace("tttttTb", "tttttt b").replace(' ', "");
        assert_eq!(letters(&steps(&small())), format!("rrrrr{round}{round}"));
        let mut paper = small();
        paper.hosts = (0..100).map(|host| format!("h{host}")).collect();
        let all = steps(&paper);
        let of_first = all.iter().filter_map(|step| match step {
            Step::Burst { round: 1, groups } => Some(*groups),
            _ => None,
        });
        assert_eq!(of_first.collect::<Vec<_>>(), [33, 66, 99]);
    }

    #[test]
    fn each_group_has_each_variant_once_in_an_order_of_its_own() {
        let mut plan = small();
        plan.rounds = 20;
        let all = steps(&plan);
        let mut orders = BTreeSet::new();
        for round in 1..=20 {
            for host in 0..5 {
                let order: Vec<_> = all
                    .iter()
                    .filter_map(|step| match *step {
                        Step::Transfer { round: r, host: h, variant } => {
                            (r == round && h == host).then_some(variant)
                        }
                        _ => None,
                    })
                    .collect();
                assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), 3);
                orders.insert(order);
            }
        }
        // All six orders of three occur in a hundred groups.
        assert_eq!(orders.len(), 6);
    }

    #[test]
    fn the_seed_decides_the_order_and_names_are_unique() {
        let plan = small();
        assert_eq!(steps(&plan), steps(&plan));
        let mut other = small();
        other.seed += 1;
        assert_ne!(steps(&plan), steps(&other));
        let names: BTreeSet<_> = steps(&plan).iter().map(Step::to_string).collect();
        assert_eq!(names.len(), steps(&plan).len());
    }
}

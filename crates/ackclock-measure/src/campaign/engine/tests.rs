//! Campaigns in a world without a network, whose clock only waiting moves.

use super::super::plan::tests::{SMALL, small};
use super::*;
use crate::burst::{Burst, Verdict};
use crate::route::{Hop, HopAnswer};
use std::net::Ipv4Addr;
use std::path::Path;

/// A directory that goes with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let name = format!("ackclock-engine-{name}-{}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&directory);
        Scratch(directory)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What was asked for and when, in milliseconds.
#[derive(Clone, PartialEq, Debug)]
enum Asked {
    Transfer(u64, IpAddr, String),
    Route(IpAddr),
    Burst(u64, IpAddr, u8),
}

/// Each transfer takes 100 ms and 20,000 bytes.
struct World {
    now: Instant,
    asked: Vec<Asked>,
    /// The user ends it after so many steps.
    patience: usize,
}

impl World {
    fn new(patience: usize) -> Self {
        World { now: Instant::from_secs(1), asked: Vec::new(), patience }
    }

    fn ask(&mut self, asked: Asked) -> Result<(), Stop> {
        if self.asked.len() == self.patience {
            return Err(Stop::Interrupted);
        }
        self.asked.push(asked);
        Ok(())
    }
}

fn address(last: u8) -> IpAddr {
    Ipv4Addr::new(192, 0, 2, last).into()
}

fn last_byte(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(address) => address.octets()[3],
        IpAddr::V6(_) => 0,
    }
}

impl Instruments for World {
    fn now(&self) -> Instant {
        self.now
    }

    fn unix_seconds(&self) -> f64 {
        self.now.as_millis() as f64 / 1e3
    }

    fn sleep_until(&mut self, at: Instant) -> Result<(), Stop> {
        self.now = self.now.max(at);
        Ok(())
    }

    fn resolve(&mut self, host: &str) -> Result<IpAddr, String> {
        match host.as_bytes()[0] {
            b'x' => Err("no such host".into()),
            first @ b'a'..=b'z' => Ok(address(first - b'a' + 1)),
            _ => host.parse().map_err(|_| "no address".into()),
        }
    }

    fn transfer(&mut self, order: &TransferOrder) -> Result<Transferred, Stop> {
        let at = self.now.as_millis();
        self.ask(Asked::Transfer(at, order.remote.ip(), order.variant.window.to_string()))?;
        self.now += Duration::from_millis(100);
        let whole = Some(Duration::from_millis(100));
        Ok(Transferred { whole, wire_bytes: 20_000, ..Transferred::default() })
    }

    /// Two routers; the second shares its load.
    fn route(&mut self, target: IpAddr) -> Result<Result<Route, String>, Stop> {
        self.ask(Asked::Route(target))?;
        let hop = |last| {
            let answer = HopAnswer { from: address(last), rtt_seconds: 0.01, unreachable: None };
            Hop { sent: 1, answers: vec![answer] }
        };
        let hops = [100, 101 + last_byte(target) % 2, 103, last_byte(target)].map(hop).to_vec();
        Ok(Ok(Route { target, hops, reached: true, probes: 4 }))
    }

    fn burst(&mut self, target: IpAddr, plan: BurstPlan) -> Result<Result<Measured, String>, Stop> {
        self.ask(Asked::Burst(self.now.as_millis(), target, plan.hop_limit))?;
        let burst = Burst { sent: plan.count, bytes: plan.bytes, ..Burst::default() };
        let verdict = Verdict::AtLeast(plan.count);
        Ok(Ok(Measured { burst, smallest: None, spaced: None, verdict }))
    }
}

fn go(
    directory: &Path,
    plan: &Plan,
    world: &mut World,
) -> Result<(Ended, Vec<String>), CampaignError> {
    let mut journal = Journal::open(directory, plan)?;
    let ended = run(plan, &mut journal, world, false, &mut |_| {})?;
    Ok((ended, journal.records().iter().map(|record| record.step().to_owned()).collect()))
}

fn step_names(plan: &Plan) -> Vec<String> {
    steps(plan).iter().map(Step::to_string).collect()
}

#[test]
fn a_journal_in_memory_has_the_same_steps_and_no_directory() {
    let plan = small();
    let mut journal = Journal::in_memory();
    let mut world = World::new(usize::MAX);
    run(&plan, &mut journal, &mut world, false, &mut |_| {}).unwrap();
    let steps: Vec<_> = journal.records().iter().map(|it| it.step().to_owned()).collect();
    assert_eq!(steps, step_names(&plan));
    assert_eq!(journal.directory(), Path::new(""));
}

#[test]
fn a_campaign_interrupted_after_any_step_goes_on_with_the_next() {
    let plan = small();
    let whole = Scratch::new("whole");
    let mut world = World::new(usize::MAX);
    let (ended, steps) = go(&whole.0, &plan, &mut world).unwrap();
    assert_eq!((ended, &steps), (Ended::Done, &step_names(&plan)));
    let all = world.asked.len();
    for patience in [0, 1, 7, 9, 20, all - 1] {
        let scratch = Scratch::new(&format!("interrupted-{patience}"));
        let mut first = World::new(patience);
        let (ended, before) = go(&scratch.0, &plan, &mut first).unwrap();
        assert_eq!(ended, Ended::Interrupted);
        assert_eq!(before, step_names(&plan)[..before.len()]);
        let mut second = World::new(usize::MAX);
        let (ended, after) = go(&scratch.0, &plan, &mut second).unwrap();
        assert_eq!((ended, &after), (Ended::Done, &step_names(&plan)));
        let transfers = |world: &World| {
            world.asked.iter().filter(|it| matches!(it, Asked::Transfer(..))).count()
        };
        // None is done twice.
        assert_eq!(transfers(&first) + transfers(&second), 30, "{patience}");
    }
}

#[test]
fn transfers_to_a_host_have_pauses_between_them() {
    let scratch = Scratch::new("pause");
    let mut world = World::new(usize::MAX);
    go(&scratch.0, &small(), &mut world).unwrap();
    let times = begun(&world);
    assert_eq!(times.len(), 6);
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= 1_100), "{times:?}");
}

/// When transfers to the fourth host began, in milliseconds.
fn begun(world: &World) -> Vec<u64> {
    let of_host = world.asked.iter().filter_map(|asked| match asked {
        Asked::Transfer(at, host, _) if *host == address(4) => Some(*at),
        _ => None,
    });
    of_host.collect()
}

#[test]
fn who_resumes_a_campaign_at_once_waits_for_the_pause() {
    let plan = small();
    let mut whole = World::new(usize::MAX);
    go(&Scratch::new("whole-pause").0, &plan, &mut whole).unwrap();
    let of_fourth =
        |asked: &Asked| matches!(asked, Asked::Transfer(_, host, _) if *host == address(4));
    let second = whole.asked.iter().position(of_fourth).unwrap() + 1;
    let scratch = Scratch::new("pause-resumed");
    let mut killed = World::new(second);
    go(&scratch.0, &plan, &mut killed).unwrap();
    let mut resumed = World::new(usize::MAX);
    resumed.now = killed.now;
    go(&scratch.0, &plan, &mut resumed).unwrap();
    let times = [begun(&killed), begun(&resumed)].concat();
    assert_eq!(times.len(), 6);
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= 1_100), "{times:?}");
}

#[test]
fn bursts_of_one_step_keep_to_the_rate() {
    let scratch = Scratch::new("burst-rate");
    let mut plan = small();
    plan.limits.bits_per_second = 51_200;
    let mut world = World::new(usize::MAX);
    go(&scratch.0, &plan, &mut world).unwrap();
    let bursts: Vec<_> = world
        .asked
        .iter()
        .filter_map(|asked| match asked {
            Asked::Burst(at, ..) => Some(*at),
            _ => None,
        })
        .collect();
    // 100 packets of 512 bytes take 8 s at that rate.
    assert!(bursts.windows(2).all(|pair| pair[1] - pair[0] >= 8_000), "{bursts:?}");
}

#[test]
fn the_mean_rate_stays_below_its_limit() {
    let scratch = Scratch::new("rate");
    let mut plan = small();
    plan.limits.bits_per_second = 10_000;
    let mut world = World::new(usize::MAX);
    go(&scratch.0, &plan, &mut world).unwrap();
    let times: Vec<_> = world
        .asked
        .iter()
        .filter_map(|asked| match asked {
            Asked::Transfer(at, ..) => Some(*at),
            _ => None,
        })
        .collect();
    // 20,000 bytes take 16 s at that rate.
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= 16_000), "{times:?}");
}

#[test]
fn bursts_cross_both_routers_that_share_a_hop() {
    let scratch = Scratch::new("bursts");
    let mut world = World::new(usize::MAX);
    go(&scratch.0, &small(), &mut world).unwrap();
    let bursts: Vec<_> = world.asked.iter().filter(|it| matches!(it, Asked::Burst(..))).collect();
    // Three times in each of two rounds; hosts 1, 3, 5 are behind one router, 2 and 4 behind the
    // other, both behind three hops.
    assert_eq!(bursts.len(), 12);
    let routers: BTreeSet<u8> = bursts
        .iter()
        .filter_map(|asked| match asked {
            Asked::Burst(_, target, 4) => Some(last_byte(*target) % 2),
            _ => None,
        })
        .collect();
    assert_eq!(routers.len(), 2);
}

#[test]
fn who_is_on_a_stop_list_gets_nothing() {
    let scratch = Scratch::new("stop");
    std::fs::create_dir_all(&scratch.0).unwrap();
    let list = scratch.0.join("stop.txt");
    std::fs::write(&list, "# complained\nb.example\n192.0.2.4\n").unwrap();
    let mut plan = small();
    plan.limits.stop.add("192.0.2.5/32").unwrap();
    plan.limits.stop_file = Some(list.clone());
    let mut world = World::new(usize::MAX);
    go(&scratch.0, &plan, &mut world).unwrap();
    let reached: BTreeSet<u8> = world
        .asked
        .iter()
        .map(|asked| match asked {
            Asked::Transfer(_, host, _) | Asked::Route(host) | Asked::Burst(_, host, _) => {
                last_byte(*host)
            }
        })
        .collect();
    assert_eq!(reached, BTreeSet::from([1, 3]));
    std::fs::remove_file(list).unwrap();
    let scratch = Scratch::new("stop-missing");
    let error = go(&scratch.0, &plan, &mut World::new(usize::MAX)).unwrap_err();
    assert!(error.to_string().contains("nothing is sent without it"), "{error}");
}

#[test]
fn it_ends_where_the_bytes_are_spent_and_hosts_without_address_are_errors() {
    let scratch = Scratch::new("spent");
    let mut plan: Plan = SMALL.replace("a.example", "x.example").parse().unwrap();
    plan.limits.total_bytes = 50_000;
    plan.bursts.count = 1;
    let error = go(&scratch.0, &plan, &mut World::new(usize::MAX)).unwrap_err();
    // Four routes of four probes, a packet through each of two routers, and two transfers.
    let (limit, left, bytes) = (50_000, 50_000 - 1_024 - 1_024 - 40_000, 16_384 + 37 * 52);
    let spent = Spent { name: "total_bytes", limit, left, bytes };
    assert!(matches!(&error, CampaignError::Spent(it) if *it == spent), "{error}");
    let journal = Journal::open(&scratch.0, &plan).unwrap();
    let transfers: Vec<_> = journal
        .records()
        .iter()
        .filter_map(|record| match record {
            Record::Transfer(record) => Some((&record.host[..], record.error.as_deref())),
            _ => None,
        })
        .collect();
    let failed = ("x.example", Some("no such host"));
    assert_eq!(transfers[..3], [failed; 3]);
    assert!(transfers[3..].iter().all(|(_, error)| error.is_none()));
}

//! Figures 1 to 3, 6 and 7 and table 1: a campaign by the tools for real networks, in a synthetic one.

mod figures;
mod prober;
mod world;

use super::internet::{BUFFER, LOSS, RATE, RTT, SMALL};
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::published;
use crate::sample::{Sample, Samples, Spread};
use ackclock_measure::campaign::{Journal, Plan, run as run_campaign};
use ackclock_measure::report;
use world::{DOMAINS, Remote, World, remotes};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "campaign",
    paper: Paper::Allman98,
    shows: "figures 1 to 3, 6 and 7, table 1",
    title: "the paper's campaign: burst capacities, common path, hop counts, round trips and domains",
    scenario: "What `ackclock campaign` does to a real network, done to an emulated one: before the tests \
               a burst through the common path every two minutes for a day, routes to 100 hosts, a test \
               group of transfers to each, bursts after groups 33, 66 and 99, and routes again. The \
               hosts of 1997 are gone: the paths are those of allman98.internet, with the domains of \
               table 1.",
    choices: &[
        RTT,
        RATE,
        BUFFER,
        SMALL,
        LOSS,
        Choice {
            parameter: "hops",
            value: "10..22",
            reason: "gateways on the way to a host, and the host, all equally likely: the picture of \
                     figure 6 is missing. One host has 30, as printed",
        },
        Choice {
            parameter: "room",
            value: "20..99",
            reason: "packets for which others leave room in the queue of the common path's slowest line, \
                     all equally likely: such that the burst capacity is below 32 for 15 % of the bursts, \
                     as printed",
        },
        Choice {
            parameter: "line",
            value: "64kbit",
            reason: "what others leave of that line while a burst comes: so little that nothing leaves it",
        },
    ],
    parameters: &[],
    sends: true,
    headline: &["burst_capacity_over_room", "saved_by_4"],
    seconds: Seconds { full: 60.0, quick: 5.0 },
    work: Work::Rust { variants, run, judge },
};

fn variants(quick: bool) -> Vec<Variant> {
    let base = Variant::new(&[], 1);
    let mut variants = vec![base.clone()];
    if !quick {
        for (parameter, value) in [
            ("rtt", "40..200"),
            ("rate", "128..2000"),
            ("buffer", "8..100"),
            ("small", "0"),
            ("loss", "0.3"),
            ("hops", "12..28"),
            ("room", "0..200"),
            ("line", "1.5mbit"),
        ] {
            variants.push(base.but(parameter, value, 1));
        }
    }
    variants
}

/// As the file of a campaign has it.
fn plan(job: &Job<'_>, remotes: &[Remote]) -> Result<Plan, Stop> {
    let hosts: Vec<String> = remotes.iter().map(|remote| format!("{:?}", remote.name)).collect();
    let windows: Vec<String> = (0..7)
        .map(|index| {
            published::whole::<u16>(&format!("allman98.initial_window.tested_segments.{index}"))
        })
        .map(|window| format!("\"{window}\""))
        .collect();
    let rounds: u32 = published::whole("allman98.transfers.rounds");
    let text = format!(
        "name = \"initial windows\"\nseed = {}\nrounds = {}\nhosts = [{}]\n[transfer]\nbytes = {}\nmss = {}\n\
         initial_windows = [{}]\nlaws = [\"reno\"]\n",
        job.seed,
        if job.quick { 1 } else { rounds },
        hosts.join(", "),
        published::whole::<u64>("allman98.transfers.bytes"),
        published::whole::<u16>("allman98.transfers.mss"),
        windows.join(", "),
    );
    text.parse().map_err(|error| Stop::Failed(format!("the campaign's plan: {error}")))
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let remotes = remotes(job)?;
    let plan = plan(job, &remotes)?;
    let mut world = World::new(job, &plan, &remotes)?;
    let mut sample = Sample::new();
    let day = day_before(job, &mut world, &plan)?;
    let drawn = world.drawn.len();
    let mut journal = Journal::in_memory();
    // The limits are for what belongs to others.
    run_campaign(&plan, &mut journal, &mut world, true, &mut |_| {})
        .map_err(|error| Stop::Failed(error.to_string()))?;
    let found = report::Findings::of(&plan, journal.records());
    let during: Vec<f64> =
        found.bursts.iter().filter_map(|it| it.verdict.capacity().map(f64::from)).collect();
    let rooms: Vec<f64> = world.drawn.iter().map(|room| *room as f64).collect();
    measure_bursts(&mut sample, [&day, &during], [&rooms[..drawn], &rooms[drawn..]]);
    measure_network(&mut sample, &found, &remotes);
    measure_transfers(&mut sample, &found);
    if job.draws() {
        figures::draw(&mut sample, &found, [&day, &during]);
    }
    Ok(sample)
}

/// The burst capacity every two minutes of the day before the tests; with `--quick` of each twentieth
/// time.
fn day_before(job: &Job<'_>, world: &mut World<'_>, plan: &Plan) -> Result<Vec<f64>, Stop> {
    let printed = |key: &str| published::whole::<u64>(&format!("allman98.burst_probe.{key}"));
    let bursts = printed("probes_before_the_tests") / if job.quick { 10 } else { 1 };
    let gateways = printed("common_path_gateways") as u8;
    let mut capacities = Vec::new();
    for burst in 0..bursts {
        job.go_on()?;
        world.rest(published::seconds("allman98.burst_probe.seconds_between_probes"));
        let measured = world.burst_through(burst as usize, plan.bursts.plan(gateways + 1))?;
        capacities.extend(measured.verdict.capacity().map(f64::from));
    }
    Ok(capacities)
}

fn largest_window() -> f64 {
    published::number("allman98.initial_window.tested_segments.6")
}

/// Before the tests and during them: capacities, and the rooms that there were.
fn measure_bursts(sample: &mut Sample, capacities: [&[f64]; 2], rooms: [&[f64]; 2]) {
    let [day, during] = capacities;
    sample.set("bursts", day.len() as f64);
    let below = day.iter().filter(|capacity| **capacity < largest_window()).count();
    sample.set("below_largest_window", below as f64 / day.len() as f64);
    sample.set("least_during_tests", during.iter().copied().fold(f64::INFINITY, f64::min));
    // What the queue has room for and the packet on the line, of the burst's hundred.
    let both = day.iter().chain(during).zip(rooms.iter().copied().flatten());
    let off = both.map(|(capacity, room)| (capacity - (room + 1.0).min(100.0)).abs());
    sample.set("burst_capacity_off", off.fold(0.0, f64::max));
    let sum = |of: &[&[f64]]| of.iter().copied().flatten().sum::<f64>();
    sample.set("burst_capacity_over_room", sum(&capacities) / sum(&rooms));
}

fn measure_network(sample: &mut Sample, found: &report::Findings, remotes: &[Remote]) {
    let common = &found.common_path;
    sample.set("common_hops", common.hops.len() as f64);
    let sharing = common.hops.iter().filter(|hop| hop.gateways.len() > 1);
    sample.set("shared_hop", sharing.clone().map(|hop| hop.number as f64).sum());
    sample.set("sharing", sharing.map(|hop| hop.gateways.len() as f64).sum());
    let hops: Vec<f64> = found.hosts.iter().filter_map(|host| host.hops).collect();
    sample.set("mean_hops", hops.iter().sum::<f64>() / hops.len() as f64);
    let most: f64 = published::number("allman98.remote_hosts.most_hops");
    sample.set("hosts_of_most_hops", hops.iter().filter(|hops| **hops >= most).count() as f64);
    let wrong = found
        .hosts
        .iter()
        .zip(remotes)
        .filter(|(host, remote)| host.hops.is_some_and(|hops| hops != remote.hops as f64));
    sample.set("hosts_with_other_hops", wrong.count() as f64);
    let rtts: Vec<f64> = found.hosts.iter().filter_map(|host| host.rtt_seconds).collect();
    sample.set("rtt_s", Spread::of(rtts).map_or(f64::NAN, |spread| spread.median));
    let domains = published::names(DOMAINS);
    let is_printed = |domain: &&str| {
        let printed = published::whole::<usize>(&format!("{DOMAINS}.{domain}"));
        found.domains.get(*domain) == Some(&printed)
    };
    sample.set("domains_as_printed", domains.filter(is_printed).count() as f64);
    sample.set("domains", found.domains.len() as f64);
}

fn measure_transfers(sample: &mut Sample, found: &report::Findings) {
    sample.set("failed", found.failures.values().sum::<usize>() as f64);
    for variant in &found.variants {
        let window = variant.initial_window_segments;
        if let Some(mean) = variant.time_saved_percent {
            sample.set(format!("saved_by_{window}"), mean.mean / 100.0);
        }
        if let Some(mean) = variant.extra_retransmissions {
            sample.set(format!("extra_of_{window}"), mean.mean);
        }
    }
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let name = Variant::new(&[], 1).name();
    let of = |quantity: &str| samples.spread(&name, quantity);
    let mut findings = Findings::new();
    let printed = |key: &str| published::number(&format!("allman98.{key}"));
    findings.push(
        Finding::new(
            "share of bursts before the tests below 32 segments",
            of("below_largest_window")?,
        )
        .paper(published::text("allman98.burst_probe.below_32_segments"))
        .note("the room in the queue is chosen so"),
    );
    findings.push(
        Finding::new("least burst capacity during the tests, segments", of("least_during_tests")?)
            .paper(published::text("allman98.burst_probe.smallest_during_tests_segments"))
            .note("the room in the queue is drawn, not the paper's"),
    );
    findings.push(
        Finding::new(
            "packets by which a burst capacity is not the room in the queue and the packet on the line",
            of("burst_capacity_off")?,
        )
        .paper(published::text("allman98.burst_probe.probe"))
        .tolerance(Tolerance::Exactly(0.0)),
    );
    for (quantity, what, key) in [
        ("common_hops", "hops of the common path", "burst_probe.common_path_gateways"),
        ("shared_hop", "the hop whose load gateways share", "burst_probe.shared_hop"),
        ("sharing", "gateways that share it", "burst_probe.gateways_of_the_shared_hop"),
        ("hosts_of_most_hops", "hosts that are 30 hops away", "remote_hosts.hosts_of_most_hops"),
    ] {
        findings.push(
            Finding::new(what, of(quantity)?)
                .paper(published::text(&format!("allman98.{key}")))
                .tolerance(Tolerance::Exactly(printed(key))),
        );
    }
    findings.push(Finding::new(
        "hosts whose hop count is not the network's",
        of("hosts_with_other_hops")?,
    ));
    findings.push(Finding::new("mean hop count (figure 6)", of("mean_hops")?));
    findings
        .push(Finding::new("median of the hosts' round-trip times in s (figure 7)", of("rtt_s")?));
    let domains = published::names(DOMAINS).count() as f64;
    findings.push(
        Finding::new("domains with as many hosts as in table 1", of("domains_as_printed")?)
            .paper(format!("{domains}: {}", published::text(DOMAINS)))
            .tolerance(Tolerance::Exactly(domains)),
    );
    findings.push(Finding::new("transfers that failed", of("failed")?));
    findings.push(
        Finding::new(
            "time saved by 4 segments, as the campaign's report has it",
            of("saved_by_4")?,
        )
        .paper(published::text("allman98.internet.saved_iw_4"))
        .tolerance(Tolerance::around(printed("internet.saved_iw_4"), 0.05)),
    );
    findings.push(
        Finding::new(
            "additional retransmissions of 32 segments, as the campaign's report has it",
            of("extra_of_32")?,
        )
        .paper(published::text("allman98.internet.extra_retransmits_iw_32"))
        .note("the sender is today's, not NetBSD's, which allman98.internet has"),
    );
    findings.note(
        "Domains, hop counts and the room in the queue go into the network as the paper prints them, or as \
         they were chosen: that the tools find them again is what is seen here, not what the Internet was.",
    );
    Ok(findings)
}

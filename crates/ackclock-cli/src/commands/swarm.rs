//! `ackclock swarm`

use crate::failure::Failure;
use crate::swarm::{self, PlaySettings, SwarmSettings};
use clap::Args;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

/// Draw networks of stacks by lot, run them in the emulator, and judge each by oracles
///
/// Each seed is a network with its paths, hosts, faults and flows; the same seed gets the same verdict,
/// whatever --jobs is. What is found is made as small as possible and written as a case that --play
/// plays again, with a capture beside it. docs/swarm.md says what the oracles demand. Exit status 1:
/// something was found.
#[derive(Args, Debug)]
pub(crate) struct Swarm {
    /// The seeds, without the last
    #[arg(long, value_name = "A..B", default_value = "0..1000", value_parser = parse_seeds)]
    seeds: Range<u64>,
    /// Go on from the first of the seeds for so many hours instead, 0.5 for half of one
    #[arg(long, value_name = "HOURS", value_parser = parse_hours)]
    hours: Option<Duration>,
    /// How many seeds at a time [default: one per core]
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<NonZeroUsize>,
    /// Keep in this file which seeds are done, and leave out those that it names
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Where findings go
    #[arg(long, value_name = "DIR", default_value = "swarm-findings")]
    out: PathBuf,
    /// Play one case instead, and judge it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seeds", "hours", "jobs", "state"])]
    play: Option<PathBuf>,
}

impl Swarm {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match &self.play {
            Some(case) => swarm::play(&PlaySettings { case: case.clone() }),
            None => swarm::run(&self.settings()),
        }
    }

    fn settings(&self) -> SwarmSettings {
        let seeds = match self.hours {
            Some(_) => self.seeds.start..u64::MAX,
            None => self.seeds.clone(),
        };
        SwarmSettings {
            seeds,
            time: self.hours,
            jobs: self.jobs,
            state: self.state.clone(),
            out: self.out.clone(),
        }
    }
}

fn parse_seeds(text: &str) -> Result<Range<u64>, String> {
    let ends = text
        .split_once("..")
        .and_then(|(first, end)| Some((first.parse().ok()?, end.parse().ok()?)));
    match ends {
        Some((first, end)) if first < end => Ok(first..end),
        _ => Err("write the first seed and the one after the last, as in 0..1000".into()),
    }
}

fn parse_hours(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(hours) if hours > 0.0 && hours < 1e6 => Ok(Duration::from_secs_f64(hours * 3_600.0)),
        _ => Err("write hours, as in 8 or 0.5".into()),
    }
}

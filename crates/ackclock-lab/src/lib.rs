//! The papers' laboratory: each table and figure of the five papers that this project follows, run
//! in the emulator with the real stack, beside the number that the paper prints.
//!
//! An [`Experiment`] is a file under `papers/`: its scenario, the values it chooses for what the
//! paper leaves unstated, its [`Variant`]s, how one of them runs with one seed ([`Job`]), and what
//! follows from all of them ([`Findings`]). Everything else is done here: [`select`] finds
//! experiments by name, [`run`] runs the jobs on several cores, in parts if need be, and
//! [`Results`] are what comes out, the same bytes whatever the number of cores or parts.
//!
//! | to | take |
//! | --- | --- |
//! | write an experiment | [`Experiment`], and `papers/zhang91/one_way_3.rs` as a pattern |
//! | quote a paper | [`published`] |
//! | know what there is | [`papers::all`] |
//! | run with other values than the papers' | [`Settings`] |
//! | run | [`Plan`], [`run`] |
//! | try the verdicts by wrong stacks | [`try_mutants`] |
//! | write and read results | [`Output`], [`Results::merge_directories`] |
#![forbid(unsafe_code)]

mod captures;
mod drawing;
mod experiment;
mod file;
mod finding;
mod json;
pub mod mutants;
mod names;
mod output;
mod packets;
pub mod papers;
mod parameters;
mod plan;
pub mod published;
mod report;
mod results;
mod run;
mod sample;
mod sweep;
mod table;

pub use captures::Captures;
pub use experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
pub use file::{FileError, Recipe, load};
pub use finding::{Finding, Findings, Tolerance, Verdict};
pub use json::ResultsError;
pub use mutants::check::{Extent, Trial, try_mutants};
pub use names::{UnknownName, select};
pub use output::Output;
pub use parameters::{Kind, Offer, Parameter, SettingError, Settings, Source};
pub use plan::{Plan, Shard};
pub use results::{Outcome, Results, Sensitivity};
pub use run::{Progress, run};
pub use sample::{Sample, Samples, Spread};

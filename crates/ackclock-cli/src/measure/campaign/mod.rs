//! Campaigns: many transfers to many hosts, and their report.

#[cfg(target_os = "linux")]
mod description;
#[cfg(target_os = "linux")]
mod instruments;
mod report;
#[cfg(target_os = "linux")]
mod run;

pub(crate) use report::{ReportSettings, report};
#[cfg(target_os = "linux")]
pub(crate) use run::{RunSettings, run};

//! Measuring real networks as allman98 did: the routes to many hosts, the path that most of them
//! share, how large a burst it takes, and campaigns of transfers with their report.
//!
//! | module | holds |
//! | --- | --- |
//! | [`probe`] | packets that ask the routers of a path for answers, and the raw sockets for them |
//! | [`route`] | the routers on the way to a host |
//! | [`common_path`] | the part of many routes that most of them share (allman98 section 4.2) |
//! | [`burst`] | how many packets back to back a path takes (allman98 section 4.2, `bprobe`) |
//! | [`lists`] | hosts to measure, and hosts to leave alone |
//! | [`campaign`] | plans of transfers to many hosts, and their running |
//! | [`report`] | the paper's figures and tables of what a campaign measured |
//! | [`transfer`] | one transfer, which ends in time |
//! | [`statistics`] | distributions, means and their confidence |
//!
//! Everything but the sockets compiles everywhere and decides nothing by a clock of its own.
#![forbid(unsafe_code)]

pub mod burst;
pub mod campaign;
pub mod common_path;
pub mod lists;
pub mod probe;
pub mod report;
pub mod route;
pub mod statistics;
pub mod text_file;
pub mod transfer;

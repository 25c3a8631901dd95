//! The record of a finished step: one line of JSON.

use super::budget::Charge;
use crate::burst::Measured;
use crate::route::Route;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// A finished step.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Record {
    /// A transfer, done or failed.
    Transfer(Box<TransferRecord>),
    /// A route.
    Route(RouteRecord),
    /// Bursts across the common path.
    Burst(BurstRecord),
}

impl Record {
    /// The name of its step.
    pub fn step(&self) -> &str {
        match self {
            Record::Transfer(record) => &record.step,
            Record::Route(record) => &record.step,
            Record::Burst(record) => &record.step,
        }
    }

    /// When it was finished, in seconds since 1970.
    pub fn ended_unix_seconds(&self) -> f64 {
        match self {
            Record::Transfer(record) => record.ended_unix_seconds,
            Record::Route(record) => record.ended_unix_seconds,
            Record::Burst(record) => record.ended_unix_seconds,
        }
    }

    /// Bytes sent for it.
    pub fn charges(&self) -> Vec<Charge<'_>> {
        let to = |host, bytes| vec![Charge { host: Some(host), bytes }];
        match self {
            Record::Transfer(record) => to(&record.host, record.wire_bytes),
            Record::Route(record) => to(&record.host, record.wire_bytes),
            Record::Burst(record) => record.crossings.iter().map(CrossingRecord::charge).collect(),
        }
    }
}

/// One transfer.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TransferRecord {
    /// The step's name.
    pub step: String,
    /// The round, from 1.
    pub round: u32,
    /// The host as the plan has it.
    pub host: String,
    /// Its address, if it has one.
    pub address: Option<IpAddr>,
    /// The congestion control algorithm.
    pub law: String,
    /// The initial window.
    pub initial_window: String,
    /// When it began, in seconds since 1970.
    pub began_unix_seconds: f64,
    /// When it was finished.
    #[serde(default)]
    pub ended_unix_seconds: f64,
    /// Time from the first SYN to the established connection.
    pub connect_seconds: Option<f64>,
    /// Time from the first SYN until everything was acknowledged and both sides had closed; none if
    /// the transfer failed.
    pub seconds: Option<f64>,
    /// Bytes of data that were acknowledged.
    pub acked_bytes: u64,
    /// Retransmitted segments.
    pub retransmitted_segments: u64,
    /// Bytes that were sent, headers included.
    pub wire_bytes: u64,
    /// Round-trip times, if there were any.
    pub rtt: Option<Rtt>,
    /// The file of the capture, beside the journal.
    pub pcap: Option<String>,
    /// Why it failed, if it did.
    pub error: Option<String>,
    /// The connection at the end.
    pub info: serde_json::Value,
}

/// Round-trip times of a transfer.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Rtt {
    /// How many were measured.
    pub samples: u64,
    /// The least.
    pub min_seconds: f64,
    /// The smoothed one at the end (RFC 6298).
    pub smoothed_seconds: f64,
    /// Its mean deviation.
    pub deviation_seconds: f64,
}

/// One route.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RouteRecord {
    /// The step's name.
    pub step: String,
    /// After this round; 0: before the first one.
    pub round: u32,
    /// The host as the plan has it.
    pub host: String,
    /// When it was looked for, in seconds since 1970.
    pub began_unix_seconds: f64,
    /// When it was finished.
    #[serde(default)]
    pub ended_unix_seconds: f64,
    /// Bytes of its probes.
    pub wire_bytes: u64,
    /// The result.
    pub route: Option<Route>,
    /// Why it was not, otherwise.
    pub error: Option<String>,
}

/// Bursts across the common path.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct BurstRecord {
    /// The step's name.
    pub step: String,
    /// The round, from 1.
    pub round: u32,
    /// When it began, in seconds since 1970.
    pub began_unix_seconds: f64,
    /// When it was finished.
    #[serde(default)]
    pub ended_unix_seconds: f64,
    /// One burst, or several so that each router was crossed that shares the load of its hop.
    pub crossings: Vec<CrossingRecord>,
}

/// A burst on its way.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CrossingRecord {
    /// The host to which it was sent, as the plan has it.
    pub host: String,
    /// The routers of the common path on the way.
    pub through: Vec<IpAddr>,
    /// The hop at which it ended.
    pub hop_limit: u8,
    /// The outcome.
    pub measured: Option<Measured>,
    /// Why it was not measured, otherwise.
    pub error: Option<String>,
}

impl CrossingRecord {
    /// Bytes sent for it.
    pub fn charge(&self) -> Charge<'_> {
        let bursts = self.measured.iter().flat_map(|it| {
            [Some(&it.burst), it.smallest.as_ref(), it.spaced.as_ref()].into_iter().flatten()
        });
        let bytes = bursts.map(|burst| u64::from(burst.sent) * u64::from(burst.bytes)).sum();
        Charge { host: None, bytes }
    }
}

//! The tables and keys of a scenario file.

use super::connection::ConnectionTable;
use super::words::{Bytes, Drawn, Text};
use crate::link::path::Path;
use ackclock::congestion::Growth;
use ackclock::tcp::CongestionControl;
use ackclock::time::Duration;
use serde::Deserialize;
use toml::Spanned;

/// The port of the first flow's service; each further flow has the next one.
pub(super) const FIRST_PORT: u16 = 1024;
/// The most flows of a scenario, so that each has a port below the dynamic ones (RFC 6335 section
/// 6).
pub(super) const MAX_FLOWS: usize = (49_152 - FIRST_PORT) as usize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    #[serde(default)]
    pub(super) seed: u64,
    pub(super) duration: Spanned<Text<Duration>>,
    #[serde(default)]
    pub(super) warm_up: Text<Duration>,
    pub(super) ip: Option<Spanned<u8>>,
    #[serde(default)]
    #[serde(alias = "cc")]
    pub(super) law: Text<CongestionControl>,
    pub(super) growth: Option<Spanned<Text<Growth>>>,
    pub(super) md5_key: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) ao_keys: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) ao_rollover: Vec<RolloverTable>,
    pub(super) connection: Option<Spanned<ConnectionTable>>,
    pub(super) pair: Option<Spanned<PairTable>>,
    pub(super) dumbbell: Option<Spanned<DumbbellTable>>,
    pub(super) chain: Option<Spanned<ChainTable>>,
    pub(super) parking_lot: Option<Spanned<ParkingLotTable>>,
    #[serde(default)]
    pub(super) hosts: Vec<HostTable>,
    #[serde(default)]
    pub(super) routers: Vec<RouterTable>,
    #[serde(default)]
    pub(super) links: Vec<LinkTable>,
    #[serde(default)]
    pub(super) flows: Vec<FlowTable>,
}

/// Another key from that time on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RolloverTable {
    pub(super) at: Text<Duration>,
    /// The first of its IDs, as it is written.
    pub(super) key: Spanned<u8>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PairTable {
    pub(super) path: Text<Path>,
    pub(super) back: Option<Text<Path>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DumbbellTable {
    pub(super) bottleneck: Text<Path>,
    pub(super) back: Option<Text<Path>>,
    pub(super) access: Vec<Text<Path>>,
    pub(super) receivers: Option<Vec<Text<Path>>>,
    pub(super) pairs: Option<Spanned<usize>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChainTable {
    pub(super) hops: Vec<Text<Path>>,
    pub(super) back: Option<Vec<Text<Path>>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParkingLotTable {
    pub(super) hops: Vec<Text<Path>>,
    pub(super) back: Option<Vec<Text<Path>>>,
    pub(super) access: Text<Path>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HostTable {
    pub(super) name: Spanned<String>,
    #[serde(alias = "cc")]
    pub(super) law: Option<Text<CongestionControl>>,
    #[serde(default)]
    pub(super) processing: Text<Duration>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RouterTable {
    pub(super) name: Spanned<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkTable {
    pub(super) between: [Spanned<String>; 2],
    pub(super) path: Text<Path>,
    pub(super) back: Option<Text<Path>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FlowTable {
    pub(super) from: Spanned<String>,
    pub(super) to: Spanned<String>,
    pub(super) service: Option<ServiceWord>,
    pub(super) start: Option<Text<Drawn<Duration>>>,
    pub(super) bytes: Option<Text<Drawn<Bytes>>>,
    pub(super) time: Option<Spanned<Text<Duration>>>,
    pub(super) pause: Option<Text<Drawn<Duration>>>,
    pub(super) bursts: Option<Spanned<u32>>,
    pub(super) count: Option<u32>,
    pub(super) connection: Option<Spanned<ConnectionTable>>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ServiceWord {
    Discard,
    Echo,
}

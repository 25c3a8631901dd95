//! The tables and keys of an experiment's file.

use crate::finding::Tolerance;
use crate::parameters::Kind;
use ackclock::time::Duration;
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use std::collections::BTreeMap;
use std::num::NonZeroU64;
use toml::Spanned;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) paper: PaperTable,
    pub(super) name: String,
    pub(super) shows: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) seeds: NonZeroU64,
    pub(super) quick_seeds: Option<NonZeroU64>,
    #[serde(default)]
    pub(super) headline: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) parameters: Vec<ParameterTable>,
    #[serde(default)]
    pub(super) variants: Vec<Spanned<Values>>,
    pub(super) scenario: Spanned<String>,
    pub(super) measures: Vec<Measure>,
    #[serde(default)]
    pub(super) findings: Vec<FindingTable>,
    #[serde(default)]
    pub(super) plots: Vec<PlotTable>,
}

/// Values of parameters.
pub(super) type Values = BTreeMap<String, String>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PaperTable {
    pub(super) name: String,
    pub(super) title: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParameterTable {
    pub(super) name: String,
    pub(super) kind: Kind,
    #[serde(default)]
    pub(super) value: String,
    pub(super) says: String,
    /// Other values of what the paper does not state: each is a row of sensitivity.
    pub(super) others: Option<Vec<String>>,
}

/// Something to measure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Measure {
    pub(super) name: String,
    pub(super) what: Spanned<What>,
    pub(super) link: Option<String>,
    /// Counted from 1, as the scenario has them; all if none is named.
    #[serde(default)]
    pub(super) flows: Vec<usize>,
    /// Which value of something that varies.
    #[serde(default)]
    pub(super) take: Take,
    pub(super) from: Option<Time>,
    pub(super) until: Option<Time>,
}

/// What is measured, or drawn over time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum What {
    /// Share of the time in which a link is busy.
    Utilisation,
    /// Packets at a link, the one in service included.
    Queue,
    /// Packets that a link's queue dropped.
    Drops,
    /// Milliseconds that the flows' packets waited for a link's line.
    Delay,
    /// Bits per second that the flows' receivers got.
    Rate,
    /// Jain's index of the flows' rates.
    Fairness,
    /// The first flow's rate as a multiple of the second's.
    Ratio,
    /// Congestion window of a flow, in bytes.
    Window,
    /// Segments that the flows sent again in the whole run.
    Retransmissions,
}

impl What {
    /// Whether it happens at a link.
    pub(super) fn is_of_link(self) -> bool {
        matches!(self, What::Utilisation | What::Queue | What::Drops | What::Delay)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Take {
    #[default]
    Mean,
    Least,
    Median,
    /// The 99th percentile, of delays only.
    P99,
    Most,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FindingTable {
    pub(super) quantity: String,
    pub(super) of: Spanned<String>,
    /// Which variant; without it each of them.
    pub(super) variant: Option<Spanned<Values>>,
    pub(super) paper: Option<String>,
    pub(super) ask: Option<Ask>,
    pub(super) missed: Option<String>,
    pub(super) note: Option<String>,
}

/// What is asked of a median.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ask {
    /// What the paper prints, give or take a twentieth.
    Around(f64),
    Between([f64; 2]),
    AtLeast(f64),
    AtMost(f64),
    Above(f64),
    Below(f64),
    Exactly(f64),
}

/// Share of what is printed that a measured value may be off.
const GIVE: f64 = 0.05;

impl From<Ask> for Tolerance {
    fn from(ask: Ask) -> Self {
        match ask {
            Ask::Around(printed) => Tolerance::around(printed, GIVE),
            Ask::Between([first, last]) => Tolerance::Between(first, last),
            Ask::AtLeast(bound) => Tolerance::AtLeast(bound),
            Ask::AtMost(bound) => Tolerance::AtMost(bound),
            Ask::Above(bound) => Tolerance::Above(bound),
            Ask::Below(bound) => Tolerance::Below(bound),
            Ask::Exactly(wanted) => Tolerance::Exactly(wanted),
        }
    }
}

/// A picture over time, of the first seed of each variant.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlotTable {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) what: Spanned<What>,
    #[serde(default)]
    pub(super) links: Vec<String>,
    #[serde(default)]
    pub(super) flows: Vec<usize>,
    pub(super) from: Option<Time>,
    pub(super) until: Option<Time>,
    /// Spans over which rates are taken.
    pub(super) every: Option<Time>,
}

/// A time such as `20s`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Time(pub(super) Duration);

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Time).map_err(|error| D::Error::custom(format!("'{text}': {error}")))
    }
}

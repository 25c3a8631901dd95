//! What the paper states of its scenarios, for users who want it otherwise.

use crate::parameters::{Kind, Parameter};

const fn listed(name: &'static str, says: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Listed, value: "", says }
}

/// The queue.
pub(super) const QUEUE: Parameter = listed(
    "queue",
    "40 segments at the bottleneck, drop-tail or RED with thresholds of 7 and 21 (section 2)",
);

/// How losses are repaired.
pub(super) const SENDER: Parameter = listed(
    "sender",
    "Reno or SACK senders (section 2); SACK-1997 sends all again after a timeout, SACKed or not, as ns did",
);

/// How acks are counted.
pub(super) const ALGORITHM: Parameter = listed(
    "algorithm",
    "AE, DA, ABC or LBC: acks of each segment or delayed, bytes counted or not",
);

/// Number of flows.
pub(super) const FLOWS: Parameter = Parameter {
    name: "flows",
    kind: Kind::Count,
    value: "",
    says: "50 to 500 flows start within 100 s (section 3)",
};

/// Which kinds share the path.
pub(super) const MIX: Parameter = listed(
    "mix",
    "how many flows of which kind (table 4), or half ABC and half DA (figures 8 and 9)",
);

/// Scale of the byte counting.
pub(super) const SCALE: Parameter =
    listed("scale", "S of cwnd += 1 + (N - 1) S: 0.5 is an example, 1 the most (section 4)");

/// Advertised window.
pub(super) const WINDOW: Parameter = listed(
    "window",
    "20 segments are advertised in all simulations (section 2); uncapped is a reading",
);

/// Algorithm of the long transfer.
pub(super) const LONG: Parameter = listed("long", "the transfer of 20,000,000 bytes: DA or ABC");

/// Algorithm of the short transfer.
pub(super) const SHORT: Parameter = listed("short", "the transfer of 5,000,000 bytes: DA or ABC");

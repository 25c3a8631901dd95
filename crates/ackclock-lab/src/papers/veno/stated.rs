//! What the paper states of its scenarios, for users who want it otherwise.

use crate::parameters::{Kind, Parameter};

const fn parameter(name: &'static str, kind: Kind, says: &'static str) -> Parameter {
    Parameter { name, kind, value: "", says }
}

/// Who sends.
pub(super) const LAW: Parameter =
    parameter("law", Kind::Listed, "SACK as it is, or with Veno's law; --set cc=LAW has others");

/// Random loss.
pub(super) const LOSS: Parameter =
    parameter("loss", Kind::Loss, "random loss on the forward link: 0.01 % to 10 % (figure 5)");

/// Buffer of the bottleneck.
pub(super) const BUFFER: Parameter = Parameter {
    name: "buffer",
    kind: Kind::Packets,
    value: "12",
    says: "packets at the bottleneck: 12 (figure 2(b))",
};

/// Number of connections.
pub(super) const CONNECTIONS: Parameter =
    parameter("connections", Kind::Count, "1 to 32 connections of one kind (figure 5)");

/// Rate of the bottleneck.
pub(super) const RATE: Parameter = parameter(
    "rate",
    Kind::Listed,
    "1.6 Mbit/s with 15 packets of buffer (figure 6), 16 Mbit/s with 150 (figure 7)",
);

/// Number of connections of each kind.
pub(super) const PAIRS: Parameter = parameter(
    "n",
    Kind::Count,
    "so many connections of Veno and as many of SACK (figures 6 and 7)",
);

/// Whether both kinds share the path.
pub(super) const MIX: Parameter =
    parameter("mix", Kind::Listed, "Veno beside SACK, or SACK among itself (figures 6 and 7)");

/// How the ipfw rules are read.
pub(super) const PIPES: Parameter = parameter(
    "pipes",
    Kind::Listed,
    "800 kbit/s, 50 ms, 8 packets and 1 % of loss each way, applied once, or twice as the printed \
     rules act (figure 3)",
);

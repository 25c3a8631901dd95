//! What the paper states of its scenarios, for users who want it otherwise.

use crate::parameters::{Kind, Parameter};

/// Buffer that the burst meets.
pub(super) const BUFFER: Parameter = Parameter {
    name: "buffer",
    kind: Kind::Packets,
    value: "",
    says: "packets at the slow line; the burst of 100 cannot tell more (section 4.2)",
};

/// Where the slow line is.
pub(super) const GATEWAY: Parameter = Parameter {
    name: "gateway",
    kind: Kind::Listed,
    value: "",
    says: "seven gateways are on the path",
};

/// Whether receivers delay acks.
pub(super) const ACKS: Parameter = Parameter {
    name: "acks",
    kind: Kind::Listed,
    value: "",
    says: "each segment is acknowledged (equations 1 and 5), or acks are delayed (2 and 6)",
};

/// Initial window.
pub(super) const WINDOW: Parameter = Parameter {
    name: "window",
    kind: Kind::Count,
    value: "",
    says: "segments of the initial window, W_I",
};

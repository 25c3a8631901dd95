//! What the paper states of its scenarios, for users who want it otherwise.

use crate::parameters::{Kind, Parameter};

/// Propagation delay of the lines between switches.
pub(super) const fn tau(value: &'static str) -> Parameter {
    let says = "propagation delay of the line between switches, one way: 0.01 s, an eighth of a packet's \
                time, and 1 s, 12.5 packets (section 2.2)";
    Parameter { name: "tau", kind: Kind::Time, value, says }
}

/// The same where other pipes than those of the grid cannot be judged.
pub(super) const PIPES: Parameter = Parameter { kind: Kind::Listed, ..tau("") };

/// Buffer of each of a switch's lines.
pub(super) const fn buffer(value: &'static str) -> Parameter {
    let says = "drop-tail buffer of each outgoing line of a switch: 20 packets unless a figure has \
                another (section 2.2)";
    Parameter { name: "buffer", kind: Kind::Packets, value, says }
}

/// Windows of section 3.1.
pub(super) const WINDOWS: Parameter = Parameter {
    name: "windows",
    kind: Kind::Count,
    value: "",
    says: "packets of the three fixed windows together, or tahoe for windows that grow (section 3.1)",
};

/// Fixed window of a connection of figures 8 and 9.
pub(super) const fn window(name: &'static str, value: &'static str) -> Parameter {
    let says =
        "packets of the fixed windows: 30 from host 1 (w1), 25 from host 2 (w2) (section 4.2)";
    Parameter { name, kind: Kind::Count, value, says }
}

/// Which connections there are.
pub(super) const TRAFFIC: Parameter = Parameter {
    name: "traffic",
    kind: Kind::Listed,
    value: "",
    says: "a connection each way, or three one way beside it (section 4.2)",
};

/// Whether receivers delay acks.
pub(super) const ACKS: Parameter = Parameter {
    name: "acks",
    kind: Kind::Listed,
    value: "",
    says: "receivers acknowledge every packet, or every second one or by a timer (section 5)",
};

/// Largest window.
pub(super) const MAXWND: Parameter = Parameter {
    name: "maxwnd",
    kind: Kind::Count,
    value: "",
    says: "largest window in packets: 1000, which is never reached, and 8 with delayed acks (section 5)",
};

/// Unequal round trips.
pub(super) const FARTHER: Parameter = Parameter {
    name: "farther",
    kind: Kind::Time,
    value: "",
    says: "by how much the second host is farther away each way, the third twice as much: round trips \
           that differ by more than a packet's time break clusters up (section 5)",
};

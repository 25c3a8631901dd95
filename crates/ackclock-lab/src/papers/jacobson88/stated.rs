//! What the paper states of its scenarios, for users who want it otherwise.

use crate::parameters::{Kind, Parameter};

const fn parameter(name: &'static str, kind: Kind, says: &'static str) -> Parameter {
    Parameter { name, kind, value: "", says }
}

/// Which sender.
pub(super) const SENDER: Parameter = parameter(
    "sender",
    Kind::Listed,
    "4.3BSD before the seven algorithms, or with them; --set tcp=today has neither",
);

/// Delay where it is swept.
pub(super) const DELAY: Parameter =
    parameter("delay", Kind::Time, "of the path, one way: the paper says nothing of it");

/// Window of a sender.
pub(super) const WINDOW: Parameter = parameter(
    "window",
    Kind::Count,
    "packets: 22 over a path of 16 (footnote 10), or what slow start opens (figure 2)",
);

/// Buffer of the gateway before the line.
pub(super) const fn queue(value: &'static str) -> Parameter {
    let says = "packets that the gateway holds for the line: 50 for four conversations (figure 7), 30 for \
                one, so that path and buffer hold a window and the buffer alone does not (figure 3)";
    Parameter { name: "queue", kind: Kind::Packets, value, says }
}

/// When the gateway drops packets.
pub(super) const DROPS: Parameter = Parameter {
    name: "drops",
    kind: Kind::Listed,
    value: "full",
    says: "where the gateway's buffer is full, or early, by an algorithm that was still to come (figure 12): \
           RED, with the values of its paper of 1993",
};

/// Damage loss.
pub(super) const LOSS: Parameter = parameter(
    "loss",
    Kind::Loss,
    "share of packets that are damaged, p of 1/(1 + 2pw): far below 1 % (footnote 6)",
);

/// Rule for idle conversations.
pub(super) const RESTART: Parameter = parameter(
    "restart",
    Kind::Listed,
    "slow start after an idle time of so long, or never (appendix C)",
);

/// Rate of a slow line.
pub(super) const LINE: Parameter = parameter(
    "line",
    Kind::Rate,
    "a SLIP or packet radio line, of 2400 bit/s for example (appendix C)",
);

/// How many deviations the timer waits.
pub(super) const ESTIMATOR: Parameter = parameter(
    "estimator",
    Kind::Listed,
    "the mean and four deviations, or two as in 1988 (footnote 21)",
);

/// The timers that are compared.
pub(super) const TIMER: Parameter = parameter(
    "timer",
    Kind::Listed,
    "twice the mean, or the mean and deviations (figures 5 and 6)",
);

/// Load of the line.
pub(super) const LOAD: Parameter = parameter(
    "load",
    Kind::Number,
    "share of the line that others use: RFC 793's timer adapts to at most 30 % (section 2)",
);

/// The clock by which the timer measures and fires.
pub(super) const CLOCK: Parameter = Parameter {
    name: "clock",
    kind: Kind::Listed,
    value: "ticks",
    says: "4.3BSD's, of 500 ms, on whose rounding appendix A counts, or an exact one",
};

/// How often receivers acknowledge, where the window depends on it.
pub(super) const ACKS: Parameter = Parameter {
    name: "acks",
    kind: Kind::Acks,
    value: "every",
    says: "each packet, by which the window grows by one in each round trip (appendix D), or as 4.3+BSD \
           for two, by which it grows by a half",
};

/// Conversations that share a line.
pub(super) const CONVERSATIONS: Parameter = parameter(
    "conversations",
    Kind::Count,
    "that share the line: the paper does not say how many there were in October 1986",
);

//! What an idle time makes of the congestion window.

use crate::words::words;

/// What happens to the congestion window when a connection was idle, or sent less than the window
/// allowed, before it sends again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum RestartAfterIdle {
    /// `never`: nothing; the old window may be sent in one burst.
    Never,
    /// `jacobson88:rto`: one segment after an idle time of one RTO (jacobson88 appendix C).
    OneSegmentAfterRto,
    /// `jacobson88:rtt`: one segment after an idle time of one round trip (jacobson88 appendix C).
    OneSegmentAfterRtt,
    /// `rfc5681`: the restart window min(IW, cwnd) after an idle time of one RTO (RFC 5681 section
    /// 4.1).
    #[default]
    RestartWindow,
    /// `rfc7661`: the window stays, but neither grows nor lasts. For each five minutes in which no
    /// flight has reached half of it, half of it is given up, down to the initial window, and three
    /// quarters are kept as threshold (RFC 7661 sections 4.3 and 4.4.3). What the RFC calls pipeACK
    /// is the flight out of which acks come; a loss reduces the window from FlightSize, and when it
    /// is repaired, by what had to be sent again for it (section 4.4.1).
    Validation,
}

words! {
    RestartAfterIdle: "never, jacobson88:rto, jacobson88:rtt, rfc5681 or rfc7661",
    "never" = Never,
    "jacobson88:rto" = OneSegmentAfterRto,
    "jacobson88:rtt" = OneSegmentAfterRtt,
    "rfc5681" = RestartWindow,
    "rfc7661" = Validation,
}

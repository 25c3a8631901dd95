//! Settings with a few alternatives: ECN, Fast Open, pacing, path MTU probes, lost retransmissions, Nagle's
//! algorithm, restart after idle time, buffers.

use crate::words::words;

/// Use of explicit congestion notification: classic ECN, which echoes marks (RFC 3168), or AccECN, which counts
/// them (RFC 9768). With the settings for AccECN, a connection uses classic ECN or none if the peer supports no
/// more.
///
/// Textual form: `off`, `accept`, `request`, `accept-accurate` or `request-accurate`; the values of Linux's
/// `tcp_ecn` for these are 0, 2, 1, 5 and 3.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum EcnMode {
    /// No ECN.
    Off,
    /// Classic ECN if the peer requests it.
    #[default]
    Accept,
    /// Classic ECN, requested by our SYN too. Once that SYN was not answered in time, the next ones do not
    /// request it, as some middleboxes drop such SYNs (RFC 3168 section 6.1.1.1).
    Request,
    /// AccECN or classic ECN, whichever the peer requests. A SYN answered by a SYN cookie gets classic ECN or
    /// none. Without the part [`AccurateEcn`](crate::profile::Profile::AccurateEcn) the same as
    /// [`Accept`](Self::Accept).
    AcceptAccurate,
    /// AccECN, requested by our SYN too. If that SYN is not answered in time, the next one requests it as well,
    /// but no later one (RFC 9768 section 3.1.4.1). Without that part the same as [`Request`](Self::Request).
    RequestAccurate,
}

impl EcnMode {
    /// Whether our SYN requests ECN.
    pub(crate) fn asks(self) -> bool {
        matches!(self, EcnMode::Request | EcnMode::RequestAccurate)
    }

    /// Whether the connection may use AccECN.
    pub(crate) fn is_accurate(self) -> bool {
        matches!(self, EcnMode::AcceptAccurate | EcnMode::RequestAccurate)
    }
}

words! {
    EcnMode: "off, accept, request, accept-accurate or request-accurate",
    "off" = Off,
    "accept" = Accept,
    "request" = Request,
    "accept-accurate" = AcceptAccurate,
    "request-accurate" = RequestAccurate,
}

/// Use of TCP Fast Open by a client (RFC 7413): data queued before the SYN is sent with it. A server may
/// deliver this data to its application twice (section 6.1), so use it only where this does no harm.
///
/// Textual form: `off`, `on` or `without-cookie`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum FastOpenMode {
    /// No data with SYNs.
    #[default]
    Off,
    /// Data with a SYN if there is a cookie of the server; otherwise the SYN requests one. To hosts at which
    /// such SYNs get lost, none are sent for a while (section 4.1.3.1).
    On,
    /// Data with a SYN even if there is no cookie (section 7.3), for servers that need none.
    WithoutCookie,
}

words! {
    FastOpenMode: "off, on or without-cookie",
    "off" = Off,
    "on" = On,
    "without-cookie" = WithoutCookie,
}

/// Pacing: spreading transmissions over the round trip instead of sending bursts.
///
/// The rate is that of congestion control if it has one. Otherwise it is two windows per smoothed round-trip
/// time in slow start, where the window doubles in that time, and 1.2 windows later: somewhat more than the
/// window allows, so that pacing does not slow the connection down. Paced data is sent in quanta: as much as the
/// rate sends in a millisecond, but at least two segments and at most 64 KiB, unless congestion control sets
/// another quantum.
///
/// Textual form: `law`, `always` or `off`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Pacing {
    /// Pacing with algorithms that have a rate and do not work without it, such as BBR. With others, acks clock
    /// transmissions.
    #[default]
    Law,
    /// Pacing with every algorithm, once a round trip was measured.
    Always,
    /// No pacing, even with algorithms that have a rate.
    Off,
}

words! {
    Pacing: "law, always or off",
    "law" = Law,
    "always" = Always,
    "off" = Off,
}

/// Path MTU discovery by probes, which are data segments larger than any that the path is known to carry (RFC
/// 4821). It needs no ICMP errors, which get lost on many paths.
///
/// Textual form: `off`, `black-hole` or `always`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum MtuProbing {
    /// No probes: segments are as large as the link and the peer allow, until a router reports a smaller MTU
    /// (Linux's `tcp_mtu_probing` 0).
    #[default]
    Off,
    /// Probes after two retransmission timeouts in a row: segments shrink to
    /// [`base_mss`](super::Config::base_mss), and probes find out how large they may be (section 7.7; Linux's 1).
    AfterBlackHole,
    /// Probes from the start: segments begin with [`base_mss`](super::Config::base_mss), or with the size that
    /// an earlier connection to the same host has found, and probes find out how large they may be (section
    /// 7.2; Linux's 2).
    Always,
}

words! {
    MtuProbing: "off, black-hole or always",
    "off" = Off,
    "black-hole" = AfterBlackHole,
    "always" = Always,
}

/// Response of the congestion window to the loss of a retransmission during fast recovery.
///
/// Textual form: `reduce` or `repair`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum LostRetransmission {
    /// A second reduction, at most one per round trip (RFC 5681 section 4.3, RFC 8985 section 9.3).
    #[default]
    Reduce,
    /// No further reduction, only another retransmission, as in Linux. Without the part
    /// [`Historic`](crate::profile::Profile::Historic) the same as [`Reduce`](Self::Reduce).
    Repair,
}

words! {
    LostRetransmission: "reduce or repair",
    "reduce" = Reduce,
    "repair" = Repair,
}

/// Nagle's algorithm (RFC 9293 section 3.7.4): whether a segment that is not full waits for an ack of earlier
/// data. One with a FIN never waits.
///
/// Textual form: `off`, `rfc896` or `minshall`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Nagle {
    /// Small segments never wait.
    Off,
    /// Small segments wait while any data is in flight (RFC 896). So the end of a write that fills several
    /// segments waits a round trip.
    Rfc896,
    /// Small segments wait while another small segment is in flight (Minshall, Saito, Mogul and Verghese 1999),
    /// as in Linux. So the end of a write is sent at once, and small writes are still combined. Without the
    /// part [`RareSettings`](crate::profile::Profile::RareSettings) the same as [`Rfc896`](Self::Rfc896).
    #[default]
    Minshall,
}

impl Nagle {
    /// All alternatives.
    pub const ALL: [Nagle; 3] = [Nagle::Off, Nagle::Rfc896, Nagle::Minshall];
}

words! {
    Nagle: "off, rfc896 or minshall",
    "off" = Off,
    "rfc896" = Rfc896,
    "minshall" = Minshall,
}

/// Change of the congestion window before a connection sends again after it was idle or did not use the whole
/// window.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum RestartAfterIdle {
    /// `never`: no change, so that the whole window may be sent in one burst.
    Never,
    /// `jacobson88:rto`: one segment after an idle time of one RTO (jacobson88 appendix C).
    OneSegmentAfterRto,
    /// `jacobson88:rtt`: one segment after an idle time of one round trip (jacobson88 appendix C). Without the
    /// part [`Historic`](crate::profile::Profile::Historic) the same as
    /// [`OneSegmentAfterRto`](Self::OneSegmentAfterRto).
    OneSegmentAfterRtt,
    /// `rfc5681`: the restart window min(IW, cwnd) after an idle time of one RTO (RFC 5681 section
    /// 4.1).
    #[default]
    RestartWindow,
    /// `rfc7661`: the window stays at first, but does not grow. After each five minutes in which the flight has
    /// not reached half of the window, the window is halved, down to the initial window, and three quarters of
    /// it become the threshold (RFC 7661 sections 4.3 and 4.4.3). The flight at the arrival of acks serves as
    /// pipeACK. A loss reduces the window from FlightSize, and the end of its repair by the bytes retransmitted
    /// (section 4.4.1).
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

/// Sizes of the queues of a connection: the configured sizes from the start, or smaller ones that grow with the
/// need of the connection, up to those sizes.
///
/// This has no effect on lent storage. With either setting a queue allocates memory only as it fills, and may be
/// limited further while the stack's memory is short (`StackConfig::memory`).
///
/// Textual form: `fixed`, `auto` or `freebsd`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum BufferTuning {
    /// The configured sizes from the start.
    #[default]
    Fixed,
    /// 16 KiB at first, a little more than the initial window of RFC 6928. The receive queue grows to twice the
    /// data that the application reads in a round trip (Fisk and Feng 2000), the send queue to two congestion
    /// windows.
    Automatic,
    /// The receive queue as FreeBSD's: 64 KiB at first (`tcp.recvspace`), and half as much again when more than 3/8
    /// of it arrive within half a round trip (`tcp_autorcvbuf`), from the application's next call on. The send queue
    /// has the configured size.
    FreeBsd,
}

/// Initial size of an automatic queue, in bytes, and of one that is as FreeBSD's.
const FIRST: u32 = 16 * 1024;
const FIRST_OF_FREEBSD: u32 = 64 * 1024;

impl BufferTuning {
    /// Initial size of a queue of at most `most` bytes, in bytes.
    #[allow(dead_code, reason = "used for growing queues, of which there are none without a heap")]
    pub(crate) fn first(self, most: u32) -> u32 {
        match self {
            BufferTuning::Fixed => most,
            BufferTuning::Automatic => most.min(FIRST),
            BufferTuning::FreeBsd => most.min(FIRST_OF_FREEBSD),
        }
    }
}

words! {
    BufferTuning: "fixed, auto or freebsd",
    "fixed" = Fixed,
    "auto" = Automatic,
    "freebsd" = FreeBsd,
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::fmt::Display;
    use core::str::FromStr;
    use std::string::ToString;

    /// Checks that each of the words is read back, and that another one gives the error message `answer`.
    fn check<T: Display + FromStr<Err: Display>>(words: &[&str], answer: &str) {
        for word in words {
            let read = word.parse::<T>().map(|setting| setting.to_string());
            assert_eq!(read.map_err(|error| error.to_string()).as_deref(), Ok(*word));
        }
        let error = "perhaps".parse::<T>().err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some(answer));
    }

    #[test]
    fn each_word_is_read_back_and_others_are_refused() {
        check::<EcnMode>(
            &["off", "accept", "request", "accept-accurate", "request-accurate"],
            "use off, accept, request, accept-accurate or request-accurate",
        );
        check::<MtuProbing>(&["off", "black-hole", "always"], "use off, black-hole or always");
        check::<LostRetransmission>(&["reduce", "repair"], "use reduce or repair");
        check::<Nagle>(&["off", "rfc896", "minshall"], "use off, rfc896 or minshall");
        check::<FastOpenMode>(&["off", "on", "without-cookie"], "use off, on or without-cookie");
        check::<Pacing>(&["law", "always", "off"], "use law, always or off");
        check::<BufferTuning>(&["fixed", "auto", "freebsd"], "use fixed, auto or freebsd");
        check::<RestartAfterIdle>(
            &["never", "jacobson88:rto", "jacobson88:rtt", "rfc5681", "rfc7661"],
            "use never, jacobson88:rto, jacobson88:rtt, rfc5681 or rfc7661",
        );
    }
}

//! Settings that are a choice between a few words: ECN, pacing, probes of the path, restart after idle time,
//! buffers.

use crate::words::words;

/// Whether a connection uses explicit congestion notification: classic, which echoes marks (RFC 3168), or
/// accurate (AccECN), which counts them (RFC 9768). Whoever is ready for the second one does with the first, or
/// with none, where the peer has no more.
///
/// As a word: `off`, `accept`, `request`, `accept-accurate` or `request-accurate`; Linux's `tcp_ecn` has for
/// them 0, 2, 1, 5 and 3.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum EcnMode {
    /// Never.
    Off,
    /// If the peer asks for it.
    #[default]
    Accept,
    /// Our SYN asks for it too. If it is not answered in time the next one does not: there are
    /// boxes that drop such SYNs (section 6.1.1.1).
    Request,
    /// If the peer asks for it, the accurate kind too. Without the part
    /// [`AccurateEcn`](crate::profile::Profile::AccurateEcn) as [`Accept`](Self::Accept). A SYN that is answered
    /// by a SYN cookie gets the classic kind, or none.
    AcceptAccurate,
    /// Our SYN asks for the accurate kind, and if it is not answered in time so does the next one, but no
    /// later one (RFC 9768 section 3.1.4.1). Without that part as [`Request`](Self::Request).
    RequestAccurate,
}

impl EcnMode {
    /// Whether our SYN asks for it.
    pub(crate) fn asks(self) -> bool {
        matches!(self, EcnMode::Request | EcnMode::RequestAccurate)
    }

    /// Whether the accurate kind is among what we take.
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

/// Whether data that are queued before the SYN goes out go with it (TCP Fast Open, RFC 7413). A server
/// may hand them to its application twice (section 6.1): it is for those to whom that does no harm.
///
/// As a word: `off`, `on` or `without-cookie`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum FastOpenMode {
    /// Never.
    #[default]
    Off,
    /// With a cookie that the server has given; the SYN asks for one if there is none. Where such SYNs
    /// get lost no more of them are sent for a while (section 4.1.3.1).
    On,
    /// With a cookie if there is one, and also without (section 7.3): for servers that need none.
    WithoutCookie,
}

words! {
    FastOpenMode: "off, on or without-cookie",
    "off" = Off,
    "on" = On,
    "without-cookie" = WithoutCookie,
}

/// Whether transmissions are spread over the round trip instead of going out in bursts.
///
/// The rate is the window law's if it has one. For another law it is two windows in a smoothed
/// round-trip time in slow start, where the window doubles meanwhile, and 1.2 windows from then on:
/// somewhat more than the window fills, so that pacing never holds it back. Paced data goes in
/// quanta, of what the rate sends in a millisecond, but at least two segments and at most 64 KiB,
/// unless the law says otherwise.
///
/// As a word: `law`, `always` or `off`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Pacing {
    /// If the law has a rate, as BBR has: without its rate such a law does not work. Other laws are
    /// clocked by acks.
    #[default]
    Law,
    /// Under every law, once there is a round-trip time.
    Always,
    /// Never, whatever the law wants.
    Off,
}

words! {
    Pacing: "law, always or off",
    "law" = Law,
    "always" = Always,
    "off" = Off,
}

/// Whether the MTU of the path is found out by probes, data in segments of which it is not known that the
/// path carries them (RFC 4821): that needs no ICMP errors, which many paths lose.
///
/// As a word: `off`, `black-hole` or `always`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum MtuProbing {
    /// Never: segments are as large as the link and the peer allow, until a router tells of a narrower
    /// path (Linux's `tcp_mtu_probing` 0).
    #[default]
    Off,
    /// Once the retransmission timer has fired twice in a row: then segments shrink to
    /// [`base_mss`](super::Config::base_mss), and probes find out how large they may be (section 7.7; Linux's 1).
    AfterBlackHole,
    /// From the start: segments begin with [`base_mss`](super::Config::base_mss), or as large as an earlier
    /// connection to the same host has found them to pass, and probes find out how large they may be
    /// (section 7.2; Linux's 2).
    Always,
}

words! {
    MtuProbing: "off, black-hole or always",
    "off" = Off,
    "black-hole" = AfterBlackHole,
    "always" = Always,
}

/// What the loss of something that was sent again means for the window, while a fast recovery goes on.
///
/// As a word: `reduce` or `repair`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum LostRetransmission {
    /// A second sign of congestion, once in a round trip (RFC 5681 section 4.3, RFC 8985 section 9.3).
    #[default]
    Reduce,
    /// It is sent again, and the window stays: as Linux has it. Without the part
    /// [`Historic`](crate::profile::Profile::Historic) it is as [`Reduce`](Self::Reduce).
    Repair,
}

words! {
    LostRetransmission: "reduce or repair",
    "reduce" = Reduce,
    "repair" = Repair,
}

/// When less than a full segment waits for an ack of what was sent before (Nagle's algorithm, RFC 9293
/// section 3.7.4). A FIN waits for nothing.
///
/// As a word: `off`, `rfc896` or `minshall`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Nagle {
    /// Never.
    Off,
    /// While anything is in flight (RFC 896): the end of a write that fills several segments waits a round
    /// trip too.
    Rfc896,
    /// While another small segment is in flight (Minshall, Saito, Mogul and Verghese 1999), as on Linux: the end
    /// of a write goes at once, and little writes are still put together. Without the part
    /// [`RareSettings`](crate::profile::Profile::RareSettings) it is as [`Rfc896`](Self::Rfc896).
    #[default]
    Minshall,
}

impl Nagle {
    /// All of them.
    pub const ALL: [Nagle; 3] = [Nagle::Off, Nagle::Rfc896, Nagle::Minshall];
}

words! {
    Nagle: "off, rfc896 or minshall",
    "off" = Off,
    "rfc896" = Rfc896,
    "minshall" = Minshall,
}

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

/// Whether the queues of a connection have their configured sizes from the start, or begin small and
/// follow what the connection needs, up to those sizes.
///
/// It is of no effect where storage is lent. Under either setting a queue takes memory of the
/// allocator only as it fills, and may be held smaller while the stack's memory is short
/// (`StackConfig::memory`).
///
/// As a word: `fixed` or `auto`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum BufferTuning {
    /// The configured sizes.
    #[default]
    Fixed,
    /// Room for 16 KiB at first, a little more than the initial window of RFC 6928. The receive queue
    /// grows to twice what the application reads in a round trip (Fisk and Feng 2000), the send queue
    /// to two congestion windows.
    Automatic,
}

/// What a queue that follows the need begins with, in bytes.
const FIRST: u32 = 16 * 1024;

impl BufferTuning {
    /// What a queue of at most `most` bytes begins with, in bytes.
    #[allow(dead_code, reason = "only queues that grow ask, and without a heap none does")]
    pub(crate) fn first(self, most: u32) -> u32 {
        match self {
            BufferTuning::Fixed => most,
            BufferTuning::Automatic => most.min(FIRST),
        }
    }
}

words! {
    BufferTuning: "fixed or auto",
    "fixed" = Fixed,
    "auto" = Automatic,
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::fmt::Display;
    use core::str::FromStr;
    use std::string::ToString;

    /// Checks that each of the words is read back, and what the answer to another one is.
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
        check::<BufferTuning>(&["fixed", "auto"], "use fixed or auto");
        check::<RestartAfterIdle>(
            &["never", "jacobson88:rto", "jacobson88:rtt", "rfc5681", "rfc7661"],
            "use never, jacobson88:rto, jacobson88:rtt, rfc5681 or rfc7661",
        );
    }
}

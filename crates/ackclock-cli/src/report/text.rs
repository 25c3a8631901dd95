//! Lines of reports, in the form of those of `iperf3`.

use super::Interval;
use super::units::{bits_per_second, bytes, milliseconds, rate, seconds};
use ackclock::tcp::LimitTimes;
use ackclock::time::Duration;
use std::fmt::Display;

/// Header that names the columns of [`interval_line`].
pub(crate) const INTERVAL_HEADER: &str =
    "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd         RTT       Limit";

/// Header that names the columns of [`sender_line`] and [`receiver_line`].
pub(crate) const TOTALS_HEADER: &str = "\
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr";

/// Word in place of a connection's number in lines about all connections together.
pub(crate) const ALL: &str = "SUM";

fn transfer(id: impl Display, start: Duration, end: Duration, amount: u64) -> String {
    format!(
        "[{id:>3}] {:6.2}-{:<6.2} sec  {:11}  {:14}",
        seconds(start),
        seconds(end),
        bytes(amount),
        rate(bits_per_second(amount, end.saturating_sub(start))),
    )
}

/// Line about an interval of a connection.
pub(crate) fn interval_line(id: impl Display, interval: &Interval) -> String {
    format!(
        "{} {:5}  {:11}  {:8}  {}",
        transfer(id, interval.start, interval.end, interval.bytes),
        interval.retransmitted,
        bytes(interval.cwnd.into()),
        milliseconds(interval.rtt),
        most_limiting(&interval.limits).map_or_else(
            || "-".into(),
            |(limit, percent)| format!("{} {percent} %", limit.column())
        ),
    )
}

/// What limits a sender, in words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Limit {
    Congestion,
    Receiver,
    Buffer,
    Application,
}

impl Limit {
    /// In a column.
    fn column(self) -> &'static str {
        match self {
            Limit::Congestion => "cwnd",
            Limit::Receiver => "rwnd",
            Limit::Buffer => "sndbuf",
            Limit::Application => "app",
        }
    }
}

/// The limit that held a sender most, and in how many per cent of the time in which it was busy; `None` if it never
/// was.
fn most_limiting(times: &LimitTimes) -> Option<(Limit, u32)> {
    if times.busy.is_zero() {
        return None;
    }
    let parts = [
        (Limit::Application, times.application()),
        (Limit::Buffer, times.buffer),
        (Limit::Receiver, times.receiver),
        (Limit::Congestion, times.congestion),
    ];
    let (limit, time) = parts.into_iter().max_by_key(|(_, time)| *time)?;
    Some((limit, times.percent(time)))
}

/// End of a sentence with the limit that held a sender most; `None` if it was never busy.
pub(crate) fn limit_words(times: &LimitTimes) -> Option<String> {
    let (limit, percent) = most_limiting(times)?;
    let what = match limit {
        Limit::Congestion => "the congestion window",
        Limit::Receiver => "the receiver's window",
        Limit::Buffer => "the send buffer",
        Limit::Application => "the application",
    };
    Some(format!("limited by {what} {percent} % of the time"))
}

/// Line about the bytes of a sender that were acknowledged in all.
pub(crate) fn sender_line(
    id: impl Display,
    span: Duration,
    amount: u64,
    retransmitted: u64,
) -> String {
    let transfer = transfer(id, Duration::ZERO, span, amount);
    format!("{transfer} {retransmitted:5}             sender")
}

/// Line about the bytes that a receiver got in all.
pub(crate) fn receiver_line(id: impl Display, span: Duration, amount: u64) -> String {
    let transfer = transfer(id, Duration::ZERO, span, amount);
    format!("{transfer}                   receiver")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two thirds of 3 s are the receiver's.
    fn limits() -> LimitTimes {
        let mut limits = LimitTimes::default();
        limits.busy = Duration::from_secs(3);
        limits.receiver = Duration::from_secs(2);
        limits
    }

    #[test]
    fn a_sentence_says_what_limited_most() {
        let words = limit_words(&limits());
        assert_eq!(words.as_deref(), Some("limited by the receiver's window 67 % of the time"));
        let mut limits = LimitTimes::default();
        assert_eq!(limit_words(&limits), None, "never busy");
        limits.busy = Duration::from_secs(1);
        let words = limit_words(&limits);
        assert_eq!(words.as_deref(), Some("limited by the application 100 % of the time"));
    }

    #[test]
    fn columns_stand_under_their_names() {
        let interval = Interval {
            start: Duration::from_secs(1),
            end: Duration::from_secs(2),
            bytes: 1_177_000,
            retransmitted: 3,
            cwnd: 94_720,
            rtt: Duration::from_micros(40_123),
            limits: limits(),
        };
        let lines = [INTERVAL_HEADER, &interval_line(1, &interval)];
        let expected = [
            "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd         RTT       Limit",
            "[  1]   1.00-2.00   sec  1.12 MBytes  9.42 Mbits/sec     3  92.5 KBytes  40.1 ms   rwnd 67 %",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn totals_say_who_counted() {
        let span = Duration::from_millis(14_310);
        let expected = [
            "[  1]   0.00-14.31  sec  16.0 MBytes  9.38 Mbits/sec   141             sender",
            "[SUM]   0.00-14.31  sec  16.0 MBytes  9.38 Mbits/sec                   receiver",
        ];
        assert_eq!(
            [sender_line(1, span, 16 << 20, 141), receiver_line(ALL, span, 16 << 20)],
            expected
        );
    }
}

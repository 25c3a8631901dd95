//! Observer of senders: their acknowledged data over time, and their limits.

use ackclock::tcp::{Info, State};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{ConnectionOnHost, Event, Observer, Wants};
use std::collections::BTreeMap;

/// What keeps a sender that has data from sending more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Limit {
    /// The congestion window is full.
    Law,
    /// The receiver's window or the send buffer is full.
    Buffer,
    /// Something else: pacing, recovery, or there are no data.
    Other,
}

/// Times that a sender was limited by something, while data were under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Limits {
    law: Duration,
    buffer: Duration,
    other: Duration,
}

impl Limits {
    /// Shares of the time in which congestion control, and in which the buffers, are the limit.
    pub(super) fn shares(&self) -> [f64; 2] {
        let all = (self.law + self.buffer + self.other).as_nanos().max(1) as f64;
        [self.law, self.buffer].map(|time| time.as_nanos() as f64 / all)
    }

    fn add(&mut self, limit: Limit, time: Duration) {
        match limit {
            Limit::Law => self.law += time,
            Limit::Buffer => self.buffer += time,
            Limit::Other => self.other += time,
        }
    }
}

/// Observations of a sender.
#[derive(Clone, Debug)]
pub(super) struct Sender {
    /// Bytes acknowledged, from each of these times on.
    pub(super) acked: Vec<(Instant, u64)>,
    /// Retransmitted segments.
    pub(super) retransmitted: u64,
    pub(super) limits: Limits,
    /// What limits it since the last event; `None` if no data are under way.
    now: Option<Limit>,
    last: Instant,
}

/// Watches all connections that are opened actively.
#[derive(Clone, Debug, Default)]
pub(super) struct Watcher {
    /// By number.
    senders: BTreeMap<u64, Sender>,
}

impl Watcher {
    /// The senders, in the order in which they came to be.
    pub(super) fn senders(&self) -> impl Iterator<Item = &Sender> {
        self.senders.values()
    }

    fn on_connection(&mut self, now: Instant, connection: &ConnectionOnHost<'_>) {
        let info = connection.info;
        let is_new = !self.senders.contains_key(&connection.number);
        if is_new && info.state != State::SynSent {
            return;
        }
        let sender = self.senders.entry(connection.number).or_insert_with(|| Sender {
            acked: Vec::new(),
            retransmitted: 0,
            limits: Limits::default(),
            now: None,
            last: now,
        });
        sender.pass(now);
        sender.now = limit(info.into()).filter(|_| info.state != State::SynSent);
        sender.retransmitted = info.retransmitted;
        if sender.acked.last().is_none_or(|(_, acked)| *acked != info.bytes_acked) {
            sender.acked.push((now, info.bytes_acked));
        }
    }
}

impl Sender {
    fn pass(&mut self, now: Instant) {
        if let Some(limit) = self.now {
            self.limits.add(limit, now.saturating_since(self.last));
        }
        self.last = now;
    }

    /// Bytes acknowledged by then.
    pub(super) fn acked_by(&self, time: Instant) -> u64 {
        let behind = self.acked.partition_point(|(at, _)| *at <= time);
        let last = behind.checked_sub(1).and_then(|last| self.acked.get(last));
        last.map_or(0, |(_, acked)| *acked)
    }
}

/// Bytes that decide what a sender may send.
#[derive(Clone, Copy, Debug)]
struct Flight {
    segment: u32,
    in_flight: u32,
    unacked: u32,
    cwnd: u32,
    /// The receiver's window.
    window: u32,
    /// Bytes in the send buffer, sent or not.
    queued: u32,
}

impl From<&Info> for Flight {
    fn from(info: &Info) -> Self {
        let &Info { mss: segment, in_flight, unacked, cwnd, .. } = info;
        let (window, queued) = (info.send_window, info.send_queue);
        Flight { segment, in_flight, unacked, cwnd, window, queued }
    }
}

/// What limits a sender.
fn limit(flight: Flight) -> Option<Limit> {
    let Flight { segment, in_flight, unacked, cwnd, window, queued } = flight;
    if queued == 0 {
        return None;
    }
    Some(if in_flight + segment > cwnd {
        Limit::Law
    } else if unacked + segment > window.min(queued) {
        Limit::Buffer
    } else {
        Limit::Other
    })
}

impl Observer for Watcher {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        match event {
            Event::Connection(connection) => self.on_connection(now, connection),
            Event::ConnectionGone(connection) => {
                if let Some(sender) = self.senders.get_mut(&connection.number) {
                    sender.pass(now);
                    sender.now = None;
                }
            }
            _ => {}
        }
    }

    fn wants(&self) -> Wants {
        Wants { connections: true, ..Wants::NOTHING }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_full_first_limits() {
        let of = |cwnd, window, queued| {
            let (segment, in_flight, unacked) = (1_000, 9_500, 9_500);
            limit(Flight { segment, in_flight, unacked, cwnd, window, queued })
        };
        assert_eq!(of(10_000, 50_000, 50_000), Some(Limit::Law));
        assert_eq!(of(20_000, 10_000, 50_000), Some(Limit::Buffer));
        assert_eq!(of(20_000, 50_000, 10_000), Some(Limit::Buffer));
        assert_eq!(of(20_000, 50_000, 50_000), Some(Limit::Other));
        assert_eq!(of(20_000, 50_000, 0), None);
    }

    #[test]
    fn shares_are_those_of_the_time_with_data() {
        let mut limits = Limits::default();
        assert_eq!(limits.shares(), [0.0, 0.0]);
        for (limit, seconds) in [(Limit::Law, 1), (Limit::Buffer, 2), (Limit::Other, 1)] {
            limits.add(limit, Duration::from_secs(seconds));
        }
        assert_eq!(limits.shares(), [0.25, 0.5]);
    }
}

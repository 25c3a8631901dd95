//! One transfer, which ends in time.

use crate::campaign::{Rtt, Transferred, header_bytes};
use ackclock::apps::{Application, Source, SourceConfig, StartError};
use ackclock::congestion::CongestionController;
use ackclock::stack::{Event, Stack};
use ackclock::tcp::Info;
use ackclock::time::{Duration, Instant};

/// A [`Source`] that is given up after a while.
#[derive(Debug)]
pub struct TimedTransfer {
    source: Source,
    /// Headers of a segment, in bytes.
    headers: u64,
    timeout: Duration,
    deadline: Instant,
    out_of_time: bool,
}

impl TimedTransfer {
    /// A transfer that has not begun.
    pub fn new(config: SourceConfig, timeout: Duration) -> Self {
        TimedTransfer {
            headers: header_bytes(config.remote.is_ipv6()),
            source: Source::new(config),
            timeout,
            deadline: Instant::FAR_FUTURE,
            out_of_time: false,
        }
    }

    /// The state of the connection, or the last one.
    pub fn info<C: CongestionController + Clone>(
        &self,
        now: Instant,
        stack: &Stack<'_, C>,
    ) -> Option<Info> {
        self.source.info(now, stack)
    }

    /// Aborts the transfer if it goes on.
    pub fn abort<C: CongestionController + Clone>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C>,
    ) {
        self.source.abort(now, stack);
    }

    /// What became of it, without what the connection's state says in full.
    pub fn outcome<C: CongestionController + Clone>(
        &self,
        now: Instant,
        stack: &Stack<'_, C>,
    ) -> Transferred {
        let started = self.source.started();
        let since_start =
            |at: Option<Instant>| at.zip(started).map(|(at, start)| at.saturating_since(start));
        let error = match self.source.error() {
            Some(error) => Some(error.to_string()),
            None if self.out_of_time => Some(format!("not done within {}", self.timeout)),
            None if self.source.ended().is_none() => Some("not done".into()),
            None => None,
        };
        let mut outcome = Transferred {
            connect: since_start(self.source.established()),
            whole: since_start(self.source.ended()).filter(|_| error.is_none()),
            error,
            ..Transferred::default()
        };
        if let Some(info) = self.source.info(now, stack) {
            let seconds = |span: Duration| span.as_nanos() as f64 / 1e9;
            outcome.acked_bytes = info.bytes_acked;
            outcome.retransmitted_segments = info.retransmitted;
            outcome.wire_bytes = info.bytes_sent + info.segments_sent * self.headers;
            outcome.rtt = (info.rtt_samples > 0).then(|| Rtt {
                samples: info.rtt_samples,
                min_seconds: seconds(info.min_rtt),
                smoothed_seconds: seconds(info.rtt),
                deviation_seconds: seconds(info.rttvar),
            });
        }
        outcome
    }
}

impl<'a, C: CongestionController + Clone> Application<'a, C> for TimedTransfer {
    fn start(&mut self, now: Instant, stack: &mut Stack<'a, C>) -> Result<(), StartError> {
        self.deadline = now + self.timeout;
        self.source.start(now, stack)
    }

    fn on_event(&mut self, now: Instant, stack: &mut Stack<'a, C>, event: &Event) {
        self.source.on_event(now, stack, event);
    }

    fn concerns(&self, event: &Event) -> bool {
        Application::<C>::concerns(&self.source, event)
    }

    fn wake_at(&self) -> Instant {
        let is_over = self.out_of_time || self.source.ended().is_some();
        let deadline = if is_over { Instant::FAR_FUTURE } else { self.deadline };
        Application::<C>::wake_at(&self.source).min(deadline)
    }

    fn on_wake(&mut self, now: Instant, stack: &mut Stack<'a, C>) {
        if now >= self.deadline && self.source.ended().is_none() {
            self.out_of_time = true;
            self.source.abort(now, stack);
        } else if Application::<C>::wake_at(&self.source) <= now {
            self.source.on_wake(now, stack);
        }
    }

    fn is_done(&self) -> bool {
        self.out_of_time || Application::<C>::is_done(&self.source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::apps::{Amount, Server, Service, SourceConfig};
    use ackclock::congestion::BuiltIn;
    use ackclock::stack::ListenConfig;
    use ackclock::storage::Buffer;
    use ackclock_emulator::{Emulator, LEFT, PairConfig, RIGHT};
    use std::net::SocketAddr;

    /// What becomes of 16 KiB over this path, with so much time.
    fn transferred(path: &str, port: u16, timeout: Duration) -> Transferred {
        let config = PairConfig::new(path.parse().unwrap());
        let mut emulator = Emulator::pair(&config, [BuiltIn::default(); 2], ()).unwrap();
        let far_end = SocketAddr::new(config.addresses[1][0].address, 9);
        let server =
            Server::new(Service::Discard, ListenConfig::new(far_end), Buffer::growing()).once();
        emulator.add_application(RIGHT, server).unwrap();
        let mut source = SourceConfig::new(SocketAddr::new(far_end.ip(), port));
        source.amount = Amount::Bytes(16_384);
        let transfer = TimedTransfer::new(source, timeout);
        let transfer = emulator.add_application(LEFT, transfer).unwrap();
        emulator.run_until_done(Instant::from_secs(60));
        let now = emulator.now();
        emulator.application(transfer).unwrap().outcome(now, emulator.stack(LEFT))
    }

    const PATH: &str = "rate=10mbit,delay=20ms,loss=0";

    #[test]
    fn a_transfer_that_is_done_tells_its_times() {
        let outcome = transferred(PATH, 9, Duration::from_secs(10));
        assert_eq!((outcome.error, outcome.acked_bytes), (None, 16_384));
        let [connect, whole] = [outcome.connect, outcome.whole].map(|it| it.unwrap().as_millis());
        // A round trip of 40 ms, two more for 12 segments, another one for the end.
        assert_eq!(connect, 40);
        assert!((120..200).contains(&whole), "{whole}");
        assert!(outcome.wire_bytes > 16_384 + 12 * 52);
        let rtt = outcome.rtt.unwrap();
        assert!(rtt.samples > 0 && rtt.min_seconds >= 0.04, "{rtt:?}");
    }

    #[test]
    fn a_transfer_that_takes_too_long_is_given_up() {
        let outcome = transferred(PATH, 9, Duration::from_millis(50));
        assert_eq!(outcome.error.as_deref(), Some("not done within 50ms"));
        assert_eq!(outcome.whole, None);
        assert!(outcome.connect.is_some());
    }

    #[test]
    fn a_closed_port_is_told_as_such() {
        let outcome = transferred(PATH, 10, Duration::from_secs(10));
        assert!(outcome.error.is_some_and(|error| error.contains("refused")));
        assert_eq!((outcome.connect, outcome.whole, outcome.rtt), (None, None, None));
    }
}

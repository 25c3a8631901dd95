//! Receive buffer autotuning: dynamic right-sizing (Fisk and Feng, "Dynamic adjustment of TCP window sizes",
//! 2000).

use crate::profile::Profile;
use crate::seq::SeqNumber;
use crate::tcp::{BufferTuning, Initial};
use crate::time::{Duration, Instant};

/// Extra room in bytes for what arrives while the peer's window doubles and the application reads late:
/// sixteen Ethernet-sized segments.
const SLACK: u32 = 16 * 1460;

/// Measures how many bytes the application reads in a round trip, and asks for a buffer of twice that, or
/// more if the amount grows each time; or how many arrive in half of one, as FreeBSD does it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReceiveAutotuning {
    /// When the round trip being measured began; `None` before the first.
    since: Option<Instant>,
    /// The first byte that had not been read then.
    mark: SeqNumber,
    /// The most bytes read in one round trip.
    read: u32,
    /// The wanted size of the receive queue, in bytes.
    wanted: u32,
    /// The least round-trip time by echoed timestamps in this round trip, in microseconds; [`u32::MAX`] if
    /// there was none.
    echoed: u32,
    /// Whether FreeBSD's rule applies; then `read` counts what has arrived since `since`.
    counts_arrivals: bool,
}

impl ReceiveAutotuning {
    /// The initial state of a connection with this configuration; `None` if its queue has a fixed size.
    #[allow(dead_code, reason = "only queues that grow ask, and without a heap none does")]
    pub(super) fn for_policy<P: Profile>(initial: &Initial<P>) -> Option<Self> {
        (initial.buffer_tuning != BufferTuning::Fixed).then(|| ReceiveAutotuning {
            since: None,
            mark: SeqNumber(0),
            read: 0,
            wanted: initial.buffer_tuning.first(initial.receive_buffer),
            echoed: u32::MAX,
            counts_arrivals: initial.buffer_tuning == BufferTuning::FreeBsd,
        })
    }

    /// Whether FreeBSD's rule applies, which counts what arrives and leaves the send queue as it is.
    pub(super) const fn counts_arrivals(&self) -> bool {
        self.counts_arrivals
    }

    /// Notes that a segment with `bytes` has arrived, where FreeBSD's rule applies (`tcp_autorcvbuf`): the buffer
    /// grows by half when more than 3/8 of it have arrived in more than half a round trip.
    pub(super) fn on_arrival(&mut self, now: Instant, bytes: usize, rtt: Duration) {
        let half = micros(rtt) / 2;
        let is_over = |since: Instant| half > 0 && micros(now.saturating_since(since)) > half;
        if self.since.is_some_and(|since| !is_over(since)) {
            self.read = self.read.saturating_add(u32::try_from(bytes).unwrap_or(u32::MAX));
            return;
        }
        if self.read > self.wanted / 8 * 3 {
            self.wanted = self.wanted.saturating_add(self.wanted / 2);
        }
        (self.since, self.read) = (Some(now), 0);
    }

    /// The wanted size of the receive queue, in bytes; it only grows.
    #[allow(dead_code, reason = "only queues that grow ask, and without a heap none does")]
    pub(super) const fn wanted(&self) -> u32 {
        self.wanted
    }

    /// Notes a data segment that echoes a timestamp of ours from `rtt` ago.
    pub(super) fn on_echo(&mut self, rtt: Duration) {
        self.echoed = self.echoed.min(micros(rtt));
    }

    /// Notes that the application has read everything before `unread`. `rtt` is the round-trip time measured
    /// by the sending half, for peers without timestamps; zero if unknown.
    pub(super) fn on_read(&mut self, now: Instant, unread: SeqNumber, rtt: Duration) {
        if self.counts_arrivals {
            return;
        }
        let Some(since) = self.since else {
            (self.since, self.mark) = (Some(now), unread);
            return;
        };
        let rtt = if self.echoed == u32::MAX { micros(rtt) } else { self.echoed };
        if rtt == 0 || micros(now.saturating_since(since)) < rtt {
            return;
        }
        let read = unread.since(self.mark);
        if read > self.read {
            self.wanted = self.wanted.max(room_for(read, self.read));
            self.read = read;
        }
        (self.since, self.mark, self.echoed) = (Some(now), unread, u32::MAX);
    }
}

/// Buffer size in bytes for `read` bytes per round trip: twice that, and more for a peer that speeds up, as
/// in slow start, since it is two round trips ahead when a measurement ends. `before` bytes were read in an
/// earlier round trip.
fn room_for(read: u32, before: u32) -> u32 {
    let room = u64::from(read) * 2 + u64::from(SLACK);
    let faster = room.saturating_mul(u64::from(read.saturating_sub(before)));
    let growth = faster.checked_div(u64::from(before)).unwrap_or(0).saturating_mul(2);
    u32::try_from(room.saturating_add(growth)).unwrap_or(u32::MAX)
}

fn micros(duration: Duration) -> u32 {
    u32::try_from(duration.as_micros()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Full;
    use crate::tcp::Config;

    fn tuning() -> ReceiveAutotuning {
        tuning_of(BufferTuning::Automatic)
    }

    fn tuning_of(buffer_tuning: BufferTuning) -> ReceiveAutotuning {
        let config = Config { buffer_tuning, ..Config::default() };
        ReceiveAutotuning::for_policy(&Initial::<Full>::new(&config, 0)).unwrap()
    }

    #[test]
    fn as_freebsd_has_it_the_buffer_grows_by_half_for_three_eighths_in_half_a_round_trip() {
        let mut tuning = tuning_of(BufferTuning::FreeBsd);
        let rtt = Duration::from_millis(100);
        let at = Instant::from_millis;
        assert_eq!(tuning.wanted(), 65_536);
        tuning.on_arrival(at(0), 1_000, rtt);
        tuning.on_arrival(at(50), 24_576, rtt);
        tuning.on_arrival(at(51), 1_000, rtt);
        assert_eq!(tuning.wanted(), 65_536, "3/8 and no more");
        tuning.on_arrival(at(60), 24_577, rtt);
        tuning.on_arrival(at(102), 1_000, rtt);
        assert_eq!(tuning.wanted(), 98_304);
        tuning.on_arrival(at(110), 30_000, rtt);
        tuning.on_arrival(at(160), 1_000, rtt);
        assert_eq!(tuning.wanted(), 98_304, "3/8 of what it is now");
    }

    #[test]
    fn room_for_twice_what_is_read_in_a_round_trip() {
        let mut tuning = tuning();
        let rtt = Duration::from_millis(100);
        let at = Instant::from_millis;
        assert_eq!(tuning.wanted(), 16_384);
        tuning.on_read(at(0), SeqNumber(0), rtt);
        tuning.on_read(at(99), SeqNumber(60_000), rtt);
        assert_eq!(tuning.wanted(), 16_384, "the round trip is not over");
        tuning.on_read(at(100), SeqNumber(65_000), rtt);
        assert_eq!(tuning.wanted(), 130_000 + SLACK);
        tuning.on_read(at(200), SeqNumber(130_000), rtt);
        assert_eq!(tuning.wanted(), 130_000 + SLACK, "no more than before");
        tuning.on_read(at(300), SeqNumber(330_000), rtt);
        // 135,000 more than 65,000: that much again, twice.
        assert_eq!(tuning.wanted(), 423_360 + 2 * 879_286);
    }

    #[test]
    fn echoed_timestamps_tell_the_round_trip_of_one_who_only_receives() {
        let mut tuning = tuning();
        let at = Instant::from_millis;
        tuning.on_read(at(0), SeqNumber(0), Duration::ZERO);
        tuning.on_read(at(100), SeqNumber(65_000), Duration::ZERO);
        assert_eq!(tuning.wanted(), 16_384, "nothing is known of the path");
        tuning.on_echo(Duration::from_millis(90));
        tuning.on_echo(Duration::from_millis(80));
        tuning.on_read(at(101), SeqNumber(65_000), Duration::from_millis(500));
        assert_eq!(tuning.wanted(), 130_000 + SLACK);
    }
}

//! Delivery rate samples: how fast the path delivers data (draft-ietf-ccwg-bbr-06 section 4.1).
//!
//! Each transmission records how much had been delivered when it was sent; the ack for it tells how much was
//! delivered since, and in what time. Counts and times are kept modulo 2^32, times in microseconds, as only
//! differences matter.

use super::Sender;
use super::flight::{Flight, Losses};
use crate::congestion::{CongestionController, DeliveryRate, Loss};
use crate::profile::{Kept, Part, Profile};
use crate::storage::{Buffer, Column, Deque};
use crate::time::{Duration, Instant};

/// The state of delivery at the moment when one segment was sent (P of section 4.1.2.1.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryRecord {
    /// P.delivered, P.lost: bytes delivered and lost until then.
    delivered: u32,
    lost: u32,
    /// P.tx_in_flight, in bytes; 0 marks an empty record.
    in_flight: u32,
    /// P.delivered_time, P.first_send_time, P.send_time.
    delivered_at: u32,
    first_sent_at: u32,
    sent_at: u32,
    /// P.is_app_limited.
    app_limited: bool,
    /// Whether it was a retransmission: then it is unknown which copy an ack is for.
    resent: bool,
}

impl DeliveryRecord {
    /// The record, with the bytes in flight after the transmission.
    pub(super) fn with_flight(self, in_flight: u32) -> Self {
        DeliveryRecord { in_flight, ..self }
    }

    /// Whether the record is not empty.
    pub(super) fn is_known(&self) -> bool {
        self.in_flight > 0
    }
}

/// The connection's delivery state, in an image that samples delivery rates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delivery<P: Profile>(<P::DeliveryRate as Part>::Keeps<Counts>);

/// C of section 4.1.2.1.1.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    /// C.delivered, C.lost.
    delivered: u32,
    lost: u32,
    /// C.delivered_time, C.first_send_time.
    delivered_at: u32,
    first_sent_at: u32,
    /// C.app_limited: until this much is delivered, samples are from a time in which the application had
    /// nothing to send.
    app_limited_until: u32,
    app_limited: bool,
}

/// Microseconds modulo 2^32.
pub(super) fn micros(at: Instant) -> u32 {
    (at.as_nanos() / 1_000) as u32
}

fn span(from: u32, to: u32) -> Duration {
    Duration::from_micros(u64::from(to.wrapping_sub(from)))
}

/// The delivery records of the transmissions in flight, kept beside the records of the flight. Empty in an
/// image that samples no delivery rates, or if there is no memory for it.
#[derive(Debug)]
pub(super) struct DeliveryColumn<'a, P: Profile>(
    <P::DeliveryRate as Part>::Owns<Column<'a, DeliveryRecord>>,
);

impl<'a, P: Profile> DeliveryColumn<'a, P> {
    /// A column in `buffer`, beside `deque`.
    pub(super) fn new<T: Copy + Default>(
        buffer: Buffer<'a, DeliveryRecord>,
        deque: &Deque<'_, T>,
    ) -> Self {
        DeliveryColumn(Kept::new(Column::new(buffer, deque)))
    }

    /// Gives back the memory, for use by another connection.
    pub(super) fn into_buffer(mut self) -> Buffer<'a, DeliveryRecord> {
        self.0.get_mut().map(core::mem::take).unwrap_or_default().into_buffer()
    }

    /// Whether delivery records are kept.
    #[inline(always)]
    pub(super) fn is_usable(&self) -> bool {
        self.0.get().is_some_and(Column::is_usable)
    }

    /// Makes room for one more element in `deque` and in the column; returns whether there is room.
    pub(super) fn reserve<T: Copy + Default>(&mut self, deque: &mut Deque<'_, T>) -> bool {
        match self.0.get_mut() {
            Some(column) => column.reserve(deque),
            None => deque.reserve(),
        }
    }

    /// The delivery record beside the element at `position` of `deque`.
    #[inline(always)]
    pub(super) fn get<T: Copy + Default>(
        &self,
        deque: &Deque<'_, T>,
        position: usize,
    ) -> Option<DeliveryRecord> {
        self.0.get()?.get(deque, position)
    }

    /// Stores `sent` beside the element at `position` of `deque`.
    #[inline(always)]
    pub(super) fn set<T: Copy + Default>(
        &mut self,
        deque: &Deque<'_, T>,
        position: usize,
        sent: DeliveryRecord,
    ) {
        if let Some(column) = self.0.get_mut() {
            column.set(deque, position, sent);
        }
    }

    /// Frees owned memory, as the deque was cleared.
    pub(super) fn clear(&mut self) {
        if let Some(column) = self.0.get_mut() {
            column.clear();
        }
    }
}

/// Delivery rate of the current round trip and of the last one; absent in an image that samples no delivery
/// rates.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundRate<P: Profile>(<P::DeliveryRate as Part>::Keeps<RoundCounts>);

/// Counts of the current round trip and the last one. Times are in microseconds modulo 2^32.
#[derive(Clone, Copy, Debug)]
struct RoundCounts {
    began_at: u32,
    /// Bytes delivered on the connection when the round began, modulo 2^32.
    prior_delivered: u32,
    /// Bytes delivered in the last round, and its length in microseconds.
    last_delivered: u32,
    last_length: u32,
    app_limited: bool,
    last_app_limited: bool,
}

impl<P: Profile> RoundRate<P> {
    pub(super) fn new(now: Instant) -> Self {
        RoundRate(Kept::new(RoundCounts {
            began_at: micros(now),
            prior_delivered: 0,
            last_delivered: 0,
            last_length: 0,
            app_limited: false,
            last_app_limited: false,
        }))
    }

    /// Whether the last round was limited by the application.
    pub(super) fn is_app_limited(&self) -> bool {
        self.0.get().is_some_and(|last| last.last_app_limited)
    }

    /// Delivery rate of the last round in bytes per second; 0 before the first.
    pub(super) fn rate(&self) -> u64 {
        self.0.get().map_or(0, |last| {
            u64::from(last.last_delivered) * 1_000_000 / u64::from(last.last_length.max(1))
        })
    }

    #[inline(always)]
    pub(super) fn on_sent(&mut self, app_limited: bool) {
        if let Some(round) = self.0.get_mut() {
            round.app_limited |= app_limited;
        }
    }

    /// Ends the round, with `delivered` bytes delivered on the connection and at most `peak` bytes in flight
    /// during the round. Returns a rate sample over the round, which is all there is if no delivery records
    /// are kept.
    pub(super) fn end(&mut self, now: Instant, delivered: u32, peak: u32) -> DeliveryRate {
        let Some(round) = self.0.get_mut() else {
            return DeliveryRate::default();
        };
        let now = micros(now);
        let sample = DeliveryRate {
            delivered: delivered.wrapping_sub(round.prior_delivered),
            interval: span(round.began_at, now),
            app_limited: round.app_limited,
            prior_delivered: round.prior_delivered,
            total_delivered: delivered,
            flight_when_sent: peak,
            ..DeliveryRate::default()
        };
        *round = RoundCounts {
            began_at: now,
            prior_delivered: delivered,
            last_delivered: sample.delivered,
            last_length: now.wrapping_sub(round.began_at),
            app_limited: false,
            last_app_limited: round.app_limited,
        };
        sample
    }
}

impl<P: Profile> Default for Delivery<P> {
    fn default() -> Self {
        Delivery(Kept::new(Counts::default()))
    }
}

impl<P: Profile> Delivery<P> {
    /// C.delivered.
    pub(super) fn total(&self) -> u32 {
        self.0.get().map_or(0, |counts| counts.delivered)
    }

    /// Notes that a segment is sent, and returns its record (section 4.1.2.2). `idle`: nothing was in flight
    /// before.
    #[inline]
    pub(super) fn on_sent(&mut self, now: Instant, idle: bool, resent: bool) -> DeliveryRecord {
        let Some(counts) = self.0.get_mut() else {
            return DeliveryRecord::default();
        };
        let now = micros(now);
        if idle {
            (counts.first_sent_at, counts.delivered_at) = (now, now);
        }
        DeliveryRecord {
            delivered: counts.delivered,
            lost: counts.lost,
            in_flight: 0,
            delivered_at: counts.delivered_at,
            first_sent_at: counts.first_sent_at,
            sent_at: now,
            app_limited: counts.app_limited,
            resent,
        }
    }

    /// Notes that an ack delivered `bytes` bytes (section 4.1.2.3).
    #[inline]
    pub(super) fn on_delivered(&mut self, now: Instant, bytes: u32) {
        let Some(counts) = self.0.get_mut().filter(|_| bytes > 0) else {
            return;
        };
        counts.delivered = counts.delivered.wrapping_add(bytes);
        counts.delivered_at = micros(now);
        let beyond = counts.delivered.wrapping_sub(counts.app_limited_until) as i32;
        counts.app_limited &= beyond <= 0;
    }

    /// Notes that `bytes` bytes were found lost.
    pub(super) fn on_lost(&mut self, bytes: u32) {
        if let Some(counts) = self.0.get_mut() {
            counts.lost = counts.lost.wrapping_add(bytes);
        }
    }

    /// MarkConnectionAppLimited (section 4.1.2.4), with `in_flight` bytes in the network.
    pub(super) fn mark_app_limited(&mut self, in_flight: u32) {
        if let Some(counts) = self.0.get_mut() {
            counts.app_limited = true;
            counts.app_limited_until = counts.delivered.wrapping_add(in_flight);
        }
    }

    pub(super) fn is_app_limited(&self) -> bool {
        self.0.get().is_some_and(|counts| counts.app_limited)
    }

    /// Bytes found lost since the segment of record `sent` was sent.
    pub(super) fn lost_since(&self, sent: &DeliveryRecord) -> u32 {
        self.0.get().map_or(0, |counts| counts.lost.wrapping_sub(sent.lost))
    }

    /// GenerateRateSample (section 4.1.2.3): the sample of the ack just processed, whose most recently sent
    /// segment has record `sent`. An interval shorter than `min_rtt` means that the ack is for another copy
    /// of that segment.
    pub(super) fn sample(&mut self, sent: &DeliveryRecord, min_rtt: Duration) -> DeliveryRate {
        let lost = self.lost_since(sent);
        let Some(counts) = self.0.get_mut() else {
            return DeliveryRate::default();
        };
        counts.first_sent_at = sent.sent_at;
        let send_elapsed = span(sent.first_sent_at, sent.sent_at);
        let ack_elapsed = span(sent.delivered_at, counts.delivered_at);
        let interval = send_elapsed.max(ack_elapsed);
        let rtt = span(sent.sent_at, counts.delivered_at);
        DeliveryRate {
            delivered: counts.delivered.wrapping_sub(sent.delivered),
            interval: if interval < min_rtt { Duration::ZERO } else { interval },
            app_limited: sent.app_limited,
            prior_delivered: sent.delivered,
            total_delivered: counts.delivered,
            flight_when_sent: sent.in_flight,
            lost,
            rtt: (!sent.resent).then_some(rtt),
        }
    }
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// CheckIfApplicationLimited (section 4.1.2.4); called before data of the application, an ack or a timer
    /// is handled. Less than a segment of unsent data does not count, as it may be held back for more.
    pub(super) fn note_app_limited(&mut self) {
        if P::DELIVERY_RATE {
            self.note_app_limited_at(self.pipe());
        }
    }

    /// As [`note_app_limited`](Self::note_app_limited), with `pipe` bytes in the network.
    #[inline(always)]
    pub(super) fn note_app_limited_at(&mut self, pipe: u32) {
        if !P::DELIVERY_RATE {
            return;
        }
        let limited = self.unsent() < self.mss()
            && pipe < self.controller.window()
            && self.flight.unrepaired() == 0;
        if limited || self.controller.limits_itself() {
            self.delivery.mark_app_limited(pipe);
        }
    }

    /// Reports losses just found to congestion control.
    pub(super) fn tell_losses(&mut self, now: Instant, losses: &Losses) {
        if losses.bytes == 0 {
            return;
        }
        self.delivery.on_lost(losses.bytes);
        self.recovery.count_lost(losses.bytes.div_ceil(self.mss().max(1)));
        if self.hears_nothing() {
            return;
        }
        let sent = self.flight.last_lost(losses);
        let loss = Loss {
            now,
            bytes: losses.bytes,
            ranges: losses.ranges.max(1),
            flight_when_sent: sent.map_or(losses.in_flight_when_sent, |sent| sent.in_flight),
            lost_since_sent: sent.map_or(losses.bytes, |sent| self.delivery.lost_since(&sent)),
            app_limited: sent.map_or(self.delivery.is_app_limited(), |sent| sent.app_limited),
            total_delivered: self.delivery.total(),
            random: self.next_random(),
        };
        self.controller.on_loss(&loss);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Full, Least};

    fn at(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    fn interval(sample: &DeliveryRate) -> (u32, u64) {
        (sample.delivered, sample.interval.as_millis())
    }

    #[test]
    fn a_sample_begins_with_the_ack_before_the_transmission() {
        let mut delivery = Delivery::<Full>::default();
        let first = delivery.on_sent(at(0), true, false);
        delivery.on_delivered(at(40), 1_000);
        assert_eq!(interval(&delivery.sample(&first, Duration::ZERO)), (1_000, 40));
        // Sent 5 ms after that ack; the path has delivered since the ack.
        let second = delivery.on_sent(at(45), false, false);
        delivery.on_delivered(at(60), 3_000);
        delivery.on_delivered(at(90), 1_000);
        let sample = delivery.sample(&second, Duration::ZERO);
        assert_eq!(interval(&sample), (4_000, 50));
        assert_eq!((sample.prior_delivered, sample.total_delivered), (1_000, 5_000));
        assert_eq!(sample.rtt, Some(Duration::from_millis(45)));
        assert_eq!(sample.bytes_per_second(), Some(80_000));
    }

    #[test]
    fn nothing_is_delivered_faster_than_it_was_sent() {
        let mut delivery = Delivery::<Full>::default();
        let sent = [0, 10, 20, 30].map(|millis| delivery.on_sent(at(millis), millis == 0, false));
        // The acks of the last three come at once.
        delivery.on_delivered(at(40), 1_000);
        delivery.sample(&sent[0], Duration::ZERO);
        let late = delivery.on_sent(at(70), false, false);
        delivery.on_delivered(at(75), 3_000);
        delivery.sample(&sent[3], Duration::ZERO);
        delivery.on_delivered(at(75), 1_000);
        let sample = delivery.sample(&late, Duration::ZERO);
        assert_eq!(interval(&sample), (4_000, 70), "sent in 70 ms, acknowledged in 35");
    }

    #[test]
    fn an_interval_below_the_least_round_trip_time_gives_no_rate() {
        let mut delivery = Delivery::<Full>::default();
        let resent = delivery.on_sent(at(0), true, true);
        delivery.on_delivered(at(10), 1_000);
        let sample = delivery.sample(&resent, Duration::from_millis(11));
        assert_eq!((sample.delivered, sample.bytes_per_second(), sample.rtt), (1_000, None, None));
    }

    #[test]
    fn samples_are_limited_by_the_application_until_the_bubble_has_left_the_path() {
        let mut delivery = Delivery::<Full>::default();
        let before = delivery.on_sent(at(0), true, false);
        delivery.mark_app_limited(1_000);
        let after = delivery.on_sent(at(5), false, false);
        delivery.on_delivered(at(10), 1_000);
        assert!(!delivery.sample(&before, Duration::ZERO).app_limited);
        let third = delivery.on_sent(at(10), false, false);
        delivery.on_delivered(at(15), 1_000);
        assert!(delivery.sample(&after, Duration::ZERO).app_limited);
        assert!(!delivery.is_app_limited());
        delivery.on_delivered(at(20), 1_000);
        assert!(delivery.sample(&third, Duration::ZERO).app_limited, "sent in the bubble's round");
    }

    #[test]
    fn counts_and_clocks_may_wrap() {
        let counts = Counts { delivered: u32::MAX, lost: u32::MAX, ..Counts::default() };
        let mut delivery = Delivery::<Full>(Kept::new(counts));
        let wrap = Instant::from_micros(1 << 32);
        let sent = delivery.on_sent(wrap - Duration::from_millis(5), true, false);
        delivery.on_lost(500);
        delivery.on_delivered(wrap + Duration::from_millis(5), 1_000);
        let sample = delivery.sample(&sent, Duration::ZERO);
        assert_eq!((interval(&sample), sample.lost), ((1_000, 10), 500));
        assert_eq!((sample.prior_delivered, sample.total_delivered), (u32::MAX, 999));
    }

    #[test]
    fn an_image_without_samples_counts_nothing_and_keeps_nothing() {
        let (mut delivery, mut round) =
            (Delivery::<Least>::default(), RoundRate::<Least>::new(at(0)));
        let sent = delivery.on_sent(at(0), true, false);
        delivery.mark_app_limited(1_000);
        delivery.on_delivered(at(40), 1_000);
        assert!(!sent.is_known() && !delivery.is_app_limited());
        assert_eq!((delivery.total(), delivery.lost_since(&sent)), (0, 0));
        assert_eq!(delivery.sample(&sent, Duration::ZERO), DeliveryRate::default());
        assert_eq!((round.end(at(40), 1_000, 1_000), round.rate()), (DeliveryRate::default(), 0));
        assert_eq!(size_of_val(&delivery) + size_of_val(&round), 0);
    }
}

//! The timestamps option of one connection: our clock, TS.Recent and PAWS (RFC 7323).

use crate::seq::SeqNumber;
use crate::time::{Duration, Instant};
use crate::wire::{Flags, Header, Timestamps};

/// TS.Recent is no longer trusted after so long without an update (RFC 7323 section 5.5).
/// In seconds.
const RECENT_LIFETIME: u32 = 24 * 24 * 60 * 60;

/// What a segment's timestamp says of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TimestampCheck {
    /// Nothing against it.
    Passed,
    /// The segment was sent before others that have arrived: it is acknowledged and dropped.
    Old,
    /// It has none although each segment must have one: it is dropped silently (section 3.2).
    Missing,
}

/// State of the timestamps option. Our clock ticks in milliseconds (RFC 7323 section 5.4 allows 1 ms
/// to 1 s).
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimestampState {
    /// Both sides sent the option in their SYN.
    enabled: bool,
    /// Added to our clock, so that it tells nothing of our uptime.
    offset: u32,
    recent: u32,
    /// When TS.Recent was updated, in whole seconds.
    recent_at: u32,
    /// Last.ACK.sent.
    last_ack_sent: SeqNumber,
}

impl TimestampState {
    pub(crate) fn new(offset: u32) -> Self {
        TimestampState {
            enabled: false,
            offset,
            recent: 0,
            recent_at: 0,
            last_ack_sent: SeqNumber(0),
        }
    }

    /// The peer's SYN carried `value`, and we offer or offered the option: it is in use.
    pub(crate) fn enable(&mut self, now: Instant, value: u32, rcv_nxt: SeqNumber) {
        self.enabled = true;
        self.recent = value;
        self.recent_at = seconds(now);
        self.last_ack_sent = rcv_nxt;
    }

    /// TS.Recent, if the option is in use.
    pub(crate) fn recent_in_use(&self) -> Option<u32> {
        self.enabled.then_some(self.recent)
    }

    fn clock(&self, now: Instant) -> u32 {
        (now.as_millis() as u32).wrapping_add(self.offset)
    }

    /// The option for our SYN, before it is known whether the peer takes part.
    pub(crate) fn offer(&self, now: Instant) -> Timestamps {
        Timestamps { value: self.clock(now), echo: 0 }
    }

    /// The option for a segment, if it is in use.
    pub(crate) fn option(&self, now: Instant) -> Option<Timestamps> {
        self.enabled.then(|| Timestamps { value: self.clock(now), echo: self.recent })
    }

    /// TS.Recent.
    pub(crate) fn recent(&self) -> u32 {
        self.recent
    }

    /// PAWS (section 5.3, R1): whether a segment other than RST may be an old duplicate.
    pub(crate) fn check(&self, now: Instant, header: &Header) -> TimestampCheck {
        if !self.enabled || header.flags.contains(Flags::RST) {
            return TimestampCheck::Passed;
        }
        let Some(option) = header.options.timestamps else {
            // The SYN of a peer that has restarted need not have the option; the answer to it ends
            // what the peer has forgotten (RFC 5961 section 4).
            let syn = header.flags.contains(Flags::SYN);
            return if syn { TimestampCheck::Passed } else { TimestampCheck::Missing };
        };
        let before = (option.value.wrapping_sub(self.recent) as i32) < 0;
        let trusted = seconds(now).saturating_sub(self.recent_at) <= RECENT_LIFETIME;
        if before && trusted { TimestampCheck::Old } else { TimestampCheck::Passed }
    }

    /// Whether PAWS has nothing against a segment because it was not sent before those that have
    /// arrived.
    pub(crate) fn advances(&self, option: Option<Timestamps>) -> bool {
        let newer = |option: Timestamps| option.value.wrapping_sub(self.recent) as i32 >= 0;
        !self.enabled || option.is_some_and(newer)
    }

    /// Section 4.3, rule 2: a segment that begins at or before the last ack sent updates TS.Recent.
    pub(crate) fn update(&mut self, now: Instant, seq: SeqNumber, option: Option<Timestamps>) {
        if let Some(option) = option
            && self.enabled
            && seq.at_or_before(self.last_ack_sent)
        {
            self.recent = option.value;
            self.recent_at = seconds(now);
        }
    }

    /// An ack for everything before `ack` was sent.
    pub(crate) fn on_ack_sent(&mut self, ack: SeqNumber) {
        self.last_ack_sent = ack;
    }

    /// Our clock without its offset, in milliseconds, when the segment was sent whose timestamp the
    /// option echoes.
    pub(crate) fn echoed_ms(&self, option: Option<Timestamps>) -> Option<u32> {
        let echo = option.filter(|option| self.enabled && option.echo != 0)?.echo;
        Some(echo.wrapping_sub(self.offset))
    }

    /// The round-trip time that an echoed timestamp tells, to the millisecond; `None` if the echo
    /// is not of our clock's recent past.
    pub(crate) fn rtt(&self, now: Instant, option: Option<Timestamps>) -> Option<Duration> {
        rtt_since(now, self.echoed_ms(option)?)
    }
}

/// The round-trip time of a segment that was sent when our clock showed `echoed_ms`.
pub(crate) fn rtt_since(now: Instant, echoed_ms: u32) -> Option<Duration> {
    let millis = (now.as_millis() as u32).wrapping_sub(echoed_ms);
    (millis < i32::MAX as u32).then(|| Duration::from_millis(u64::from(millis.max(1))))
}

/// Whole seconds since the origin.
fn seconds(at: Instant) -> u32 {
    u32::try_from(at.as_secs()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Options;

    fn option(value: u32, echo: u32) -> Option<Timestamps> {
        Some(Timestamps { value, echo })
    }

    #[test]
    fn old_timestamps_are_told_also_across_the_wrap() {
        use TimestampCheck::{Missing, Old, Passed};
        let mut state = TimestampState::new(0);
        let now = Instant::from_secs(1);
        let check = |state: &TimestampState, now, flags, timestamps| {
            let options = Options { timestamps, ..Options::default() };
            state.check(now, &Header { flags, options, ..Header::default() })
        };
        let (ack, syn, rst) = (Flags::ACK, Flags::SYN, Flags::RST);
        assert_eq!(check(&state, now, ack, None), Passed, "nothing before it is in use");
        state.enable(now, u32::MAX - 1, SeqNumber(100));
        assert_eq!(check(&state, now, ack, option(u32::MAX - 2, 0)), Old);
        assert_eq!(check(&state, now, syn, option(u32::MAX - 2, 0)), Old);
        assert_eq!(check(&state, now, rst, option(u32::MAX - 2, 0)), Passed);
        assert_eq!(check(&state, now, ack, option(u32::MAX - 1, 0)), Passed);
        assert_eq!(check(&state, now, ack, option(3, 0)), Passed);
        assert_eq!(check(&state, now, ack, None), Missing);
        assert_eq!(check(&state, now, syn, None), Passed);
        assert_eq!(check(&state, now, rst, None), Passed);
        let later = now + Duration::from_secs(u64::from(RECENT_LIFETIME) + 1);
        assert_eq!(check(&state, later, ack, option(5, 0)), Passed, "TS.Recent is too old");
    }

    #[test]
    fn only_segments_up_to_the_last_ack_update_ts_recent() {
        let mut state = TimestampState::new(0);
        let now = Instant::from_secs(1);
        state.enable(now, 10, SeqNumber(100));
        state.update(now, SeqNumber(101), option(20, 0));
        assert_eq!(state.recent(), 10);
        state.update(now, SeqNumber(100), option(30, 0));
        assert_eq!(state.recent(), 30);
    }

    #[test]
    fn an_echo_tells_the_round_trip_time() {
        let mut state = TimestampState::new(7);
        state.enable(Instant::ZERO, 1, SeqNumber(0));
        let echo = state.offer(Instant::from_millis(1_000)).value;
        let now = Instant::from_millis(1_042);
        assert_eq!(state.rtt(now, option(2, echo)), Some(Duration::from_millis(42)));
        assert_eq!(state.rtt(now, option(2, echo.wrapping_add(100))), None, "from the future");
        assert_eq!(state.rtt(now, option(2, 0)), None, "no echo yet");
    }
}

//! The timestamps option of one connection: our clock, TS.Recent and PAWS (RFC 7323).

use crate::profile::{Kept, Part, Profile};
use crate::seq::SeqNumber;
use crate::time::{Duration, Instant};
use crate::wire::{Flags, Header, Timestamps};

/// Age at which TS.Recent is no longer trusted: 24 days without an update (RFC 7323 section 5.5).
const RECENT_LIFETIME: Duration = Duration::from_secs(24 * 24 * 60 * 60);

/// Result of checking a segment's timestamp (PAWS).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TimestampCheck {
    /// The segment passes.
    Passed,
    /// The segment is older than others that have arrived: it is acknowledged and dropped.
    Old,
    /// The segment lacks the option, which every segment must have: it is dropped silently (section 3.2).
    Missing,
}

/// State of the timestamps option; empty, and never in use, if the profile has no timestamps. Our clock ticks
/// in milliseconds (RFC 7323 section 5.4 allows 1 ms to 1 s).
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimestampState<P: Profile>(<P::Timestamps as Part>::Keeps<Clocks>);

/// Our timestamp clock, and what is known of the peer's.
#[derive(Clone, Copy, Debug)]
struct Clocks {
    /// Whether both SYNs carried the option.
    enabled: bool,
    /// Offset added to our clock, so that it does not reveal our uptime.
    offset: u32,
    /// TS.Recent.
    recent: u32,
    /// When TS.Recent was updated, in [`coarse`] units.
    recent_at: u32,
    /// Last.ACK.sent.
    last_ack_sent: SeqNumber,
}

impl<P: Profile> TimestampState<P> {
    /// The initial state: not in use; `offset` is added to our clock.
    pub(crate) fn new(offset: u32) -> Self {
        TimestampState(Kept::new(Clocks {
            enabled: false,
            offset,
            recent: 0,
            recent_at: 0,
            last_ack_sent: SeqNumber(0),
        }))
    }

    /// Puts the option into use: the peer's SYN carried timestamp `value`, and ours has or will have the
    /// option.
    pub(crate) fn enable(&mut self, now: Instant, value: u32, rcv_nxt: SeqNumber) {
        if let Some(clocks) = self.0.get_mut() {
            clocks.enabled = true;
            clocks.recent = value;
            clocks.recent_at = coarse(now.as_nanos());
            clocks.last_ack_sent = rcv_nxt;
        }
    }

    /// The state, if the option is in use.
    #[inline(always)]
    fn in_use(&self) -> Option<&Clocks> {
        self.0.get().filter(|clocks| clocks.enabled)
    }

    /// TS.Recent, if the option is in use.
    pub(crate) fn recent_in_use(&self) -> Option<u32> {
        self.in_use().map(|clocks| clocks.recent)
    }

    /// The option for our SYN, before it is known whether the peer supports it.
    pub(crate) fn offer(&self, now: Instant) -> Timestamps {
        let value = self.0.get().map_or(0, |clocks| clocks.now(now));
        Timestamps { value, echo: 0 }
    }

    /// The option for a segment, if it is in use.
    pub(crate) fn option(&self, now: Instant) -> Option<Timestamps> {
        self.in_use().map(|clocks| Timestamps { value: clocks.now(now), echo: clocks.recent })
    }

    /// TS.Recent, or 0 before the peer has sent a timestamp.
    pub(crate) fn recent(&self) -> u32 {
        self.0.get().map_or(0, |clocks| clocks.recent)
    }

    /// PAWS (section 5.3, R1): checks whether a segment other than RST may be an old duplicate.
    pub(crate) fn check(&self, now: Instant, header: &Header) -> TimestampCheck {
        match self.in_use() {
            Some(clocks) if !header.flags.contains(Flags::RST) => clocks.check(now, header),
            _ => TimestampCheck::Passed,
        }
    }

    /// Whether a segment passes PAWS by its timestamp alone: it is no older than TS.Recent.
    pub(crate) fn advances(&self, option: Option<Timestamps>) -> bool {
        self.in_use().is_none_or(|clocks| {
            option.is_some_and(|option| option.value.wrapping_sub(clocks.recent) as i32 >= 0)
        })
    }

    /// Updates TS.Recent by a segment that begins at or before the last ack sent (section 4.3, rule 2).
    pub(crate) fn update(&mut self, now: Instant, seq: SeqNumber, option: Option<Timestamps>) {
        if let (Some(option), Some(clocks)) = (option, self.0.get_mut())
            && clocks.enabled
            && seq.at_or_before(clocks.last_ack_sent)
        {
            clocks.recent = option.value;
            clocks.recent_at = coarse(now.as_nanos());
        }
    }

    /// Updates TS.Recent by a duplicate segment of `len` sequence numbers that is not acceptable, if it ends
    /// at what was last acknowledged. By RFC 7323 section 5.3 it would be dropped before, and then its
    /// sender, whose acks were lost, would only get echoes of an old timestamp. Linux and BSD do as here.
    pub(crate) fn update_by_repetition(
        &mut self,
        now: Instant,
        (seq, len): (SeqNumber, u32),
        option: Option<Timestamps>,
    ) {
        if self.in_use().is_some_and(|clocks| clocks.last_ack_sent.at_or_before(seq + len)) {
            self.update(now, seq, option);
        }
    }

    /// Notes that an ack of everything before `ack` was sent (Last.ACK.sent).
    pub(crate) fn on_ack_sent(&mut self, ack: SeqNumber) {
        if let Some(clocks) = self.0.get_mut() {
            clocks.last_ack_sent = ack;
        }
    }

    /// When the segment was sent whose timestamp `option` echoes, by our clock without its offset, in
    /// milliseconds.
    pub(crate) fn echoed_ms(&self, option: Option<Timestamps>) -> Option<u32> {
        let clocks = self.in_use()?;
        let echo = option.filter(|option| option.echo != 0)?.echo;
        Some(echo.wrapping_sub(clocks.offset))
    }

    /// The round-trip time by an echoed timestamp, with a resolution of one millisecond; `None` if the echo
    /// does not lie in our clock's recent past.
    pub(crate) fn rtt(&self, now: Instant, option: Option<Timestamps>) -> Option<Duration> {
        rtt_since(now, self.echoed_ms(option)?)
    }
}

impl Clocks {
    /// The value of our clock, in milliseconds, offset included.
    fn now(&self, now: Instant) -> u32 {
        (now.as_millis() as u32).wrapping_add(self.offset)
    }

    /// PAWS for a segment other than RST.
    fn check(&self, now: Instant, header: &Header) -> TimestampCheck {
        let Some(option) = header.options.timestamps else {
            // The SYN of a restarted peer need not have the option; our answer ends the connection that the
            // peer has forgotten (RFC 5961 section 4).
            let syn = header.flags.contains(Flags::SYN);
            return if syn { TimestampCheck::Passed } else { TimestampCheck::Missing };
        };
        let before = (option.value.wrapping_sub(self.recent) as i32) < 0;
        let age = coarse(now.as_nanos()).saturating_sub(self.recent_at);
        let trusted = age <= const { coarse(RECENT_LIFETIME.as_nanos()) };
        if before && trusted { TimestampCheck::Old } else { TimestampCheck::Passed }
    }
}

/// The round-trip time of a segment sent when our clock without its offset was at `echoed_ms`.
pub(crate) fn rtt_since(now: Instant, echoed_ms: u32) -> Option<Duration> {
    let millis = (now.as_millis() as u32).wrapping_sub(echoed_ms);
    (millis < i32::MAX as u32).then(|| Duration::from_millis(u64::from(millis.max(1))))
}

/// A time in units of 2^32 ns (4.3 s): fits in 32 bits, and needs no division.
const fn coarse(nanos: u64) -> u32 {
    (nanos >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Full, Least};
    use crate::wire::Options;

    fn option(value: u32, echo: u32) -> Option<Timestamps> {
        Some(Timestamps { value, echo })
    }

    #[test]
    fn old_timestamps_are_told_also_across_the_wrap() {
        use TimestampCheck::{Missing, Old, Passed};
        let mut state = TimestampState::<Full>::new(0);
        let now = Instant::from_secs(1);
        let check = |state: &TimestampState<Full>, now, flags, timestamps| {
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
        let almost = now + RECENT_LIFETIME;
        assert_eq!(check(&state, almost, ack, option(u32::MAX - 2, 0)), Old, "24 days");
        // Times count in units of 4.3 s.
        let later = almost + Duration::from_secs(5);
        assert_eq!(check(&state, later, ack, option(u32::MAX - 2, 0)), Passed, "more than that");
    }

    #[test]
    fn only_segments_up_to_the_last_ack_update_ts_recent() {
        let mut state = TimestampState::<Full>::new(0);
        let now = Instant::from_secs(1);
        state.enable(now, 10, SeqNumber(100));
        state.update(now, SeqNumber(101), option(20, 0));
        assert_eq!(state.recent(), 10);
        state.update(now, SeqNumber(100), option(30, 0));
        assert_eq!(state.recent(), 30);
    }

    #[test]
    fn an_echo_tells_the_round_trip_time() {
        let mut state = TimestampState::<Full>::new(7);
        state.enable(Instant::ZERO, 1, SeqNumber(0));
        let echo = state.offer(Instant::from_millis(1_000)).value;
        let now = Instant::from_millis(1_042);
        assert_eq!(state.rtt(now, option(2, echo)), Some(Duration::from_millis(42)));
        assert_eq!(state.rtt(now, option(2, echo.wrapping_add(100))), None, "from the future");
        assert_eq!(state.rtt(now, option(2, 0)), None, "no echo yet");
    }

    #[test]
    fn where_they_were_left_out_no_segment_has_them_and_nothing_is_said_against_one() {
        let mut state = TimestampState::<Least>::new(7);
        let now = Instant::from_secs(1);
        state.enable(now, 10, SeqNumber(100));
        state.update(now, SeqNumber(100), option(30, 0));
        assert_eq!((state.recent(), state.recent_in_use()), (0, None));
        assert_eq!((state.option(now), state.echoed_ms(option(1, 2))), (None, None));
        assert!(state.advances(None));
        let header = Header { flags: Flags::ACK, ..Header::default() };
        assert_eq!(state.check(now, &header), TimestampCheck::Passed);
        assert_eq!(size_of_val(&state), 0);
    }
}

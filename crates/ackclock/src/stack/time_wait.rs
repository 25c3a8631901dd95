//! Connections in TIME-WAIT as small records (RFC 9293 section 3.10.7.4, RFC 6191, RFC 1337).

use super::marking::Marking;
use super::pool::{Place, Pool};
use super::replies::Reply;
use super::timer_queue::{TimerCell, TimerQueue};
use super::tuple::FourTuple;
use crate::seq::SeqNumber;
use crate::storage::Buffer;
use crate::tcp::TimeWait;
use crate::tcp::challenge::ChallengeLimit;
use crate::tcp::timestamps::{TimestampCheck, TimestampState};
use crate::time::Instant;
use crate::wire::{Flags, Segment};

/// Room between the sequence numbers of a connection and those of the one that takes its place:
/// more than the largest unscaled window, so that old segments are not acceptable to the new one.
const REUSE_GAP: u32 = 1 << 16;

/// One connection in TIME-WAIT.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeWaitRecord {
    /// Its ends.
    pub(super) tuple: FourTuple,
    state: TimeWait,
    timestamps: TimestampState,
    marking: Marking,
    challenge: ChallengeLimit,
}

/// What a segment means to a connection in TIME-WAIT.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// Nothing.
    Drop,
    /// Acknowledge what was received.
    Acknowledge,
    /// The peer's FIN again: acknowledge it and wait for 2 MSL once more.
    Restart,
    /// A SYN that may open a new connection in place of this one (RFC 6191).
    Reopen,
}

impl TimeWaitRecord {
    /// A record of a connection that came to TIME-WAIT.
    pub(super) fn new(now: Instant, tuple: FourTuple, state: TimeWait, marking: Marking) -> Self {
        let mut timestamps = TimestampState::new(state.timestamp_offset);
        if let Some(recent) = state.ts_recent {
            timestamps.enable(now, recent, state.rcv_nxt);
        }
        let challenge = ChallengeLimit::default();
        TimeWaitRecord { tuple, state, timestamps, marking, challenge }
    }

    /// The tests of section 3.10.7.4 for TIME-WAIT. A RST does not end it: RFC 1337 section 3,
    /// fix (F1).
    pub(super) fn on_segment(&mut self, now: Instant, segment: &Segment<'_>) -> Answer {
        let header = &segment.header;
        if header.flags.contains(Flags::RST) {
            return Answer::Drop;
        }
        if header.flags.contains(Flags::SYN) {
            let reopens = !header.flags.contains(Flags::ACK) && self.is_later(segment);
            return if reopens { Answer::Reopen } else { self.acknowledge(now) };
        }
        match self.timestamps.check(now, header) {
            TimestampCheck::Passed => {}
            TimestampCheck::Old => return self.acknowledge(now),
            TimestampCheck::Missing => return Answer::Drop,
        }
        if !header.flags.contains(Flags::ACK) {
            return Answer::Drop;
        }
        let end = header.seq + segment.len();
        if header.flags.contains(Flags::FIN) && end == self.state.rcv_nxt {
            return Answer::Restart;
        }
        // The peer has nothing more to send: whatever is not empty and next in line is old.
        let acceptable = segment.is_empty() && header.seq == self.state.rcv_nxt;
        if acceptable { Answer::Drop } else { self.acknowledge(now) }
    }

    /// `<SEQ=SND.NXT><ACK=RCV.NXT><CTL=ACK>`
    pub(super) fn ack(&self, now: Instant) -> Reply {
        let TimeWait { snd_nxt, rcv_nxt, window, .. } = self.state;
        Reply {
            tuple: self.tuple,
            seq: snd_nxt,
            ack: rcv_nxt,
            flags: Flags::ACK,
            window,
            timestamps: self.timestamps.option(now),
            marking: self.marking,
        }
    }

    /// The initial sequence number of a connection in place of this one: `isn` if it is above all
    /// that this one used (RFC 9293 MAY-2), otherwise the first one that is.
    pub(super) fn next_isn(&self, isn: SeqNumber) -> SeqNumber {
        isn.max(self.state.snd_nxt + REUSE_GAP)
    }

    /// When 2 MSL are over if they begin now.
    pub(super) fn expires(&self, now: Instant) -> Instant {
        now + self.state.duration
    }

    /// Whether a SYN is later than everything of this connection (RFC 6191 section 2).
    fn is_later(&self, syn: &Segment<'_>) -> bool {
        let by_sequence = syn.header.seq.after(self.state.rcv_nxt);
        match (self.timestamps.recent_in_use(), syn.header.options.timestamps) {
            (Some(recent), Some(new)) => match new.value.wrapping_sub(recent) as i32 {
                0 => by_sequence,
                later => later > 0,
            },
            (None, Some(_)) => true,
            (_, None) => by_sequence,
        }
    }

    fn acknowledge(&mut self, now: Instant) -> Answer {
        if self.challenge.allow(now) { Answer::Acknowledge } else { Answer::Drop }
    }
}

/// All connections in TIME-WAIT, in order of their expiry.
#[derive(Debug)]
pub(super) struct TimeWaits<'a> {
    /// The records.
    pub(super) records: Pool<'a, TimeWaitRecord>,
    timers: TimerQueue<'a>,
}

impl<'a> TimeWaits<'a> {
    /// No record yet; at most `limit` where storage grows.
    pub(super) const fn new(
        records: Buffer<'a, Place<TimeWaitRecord>>,
        timers: Buffer<'a, TimerCell>,
        limit: usize,
    ) -> Self {
        TimeWaits { records: Pool::new(records, limit), timers: TimerQueue::new(timers) }
    }

    /// Adds a record, made where it stays; `None` if there is no memory for it.
    pub(super) fn insert_with(
        &mut self,
        now: Instant,
        make: impl FnOnce() -> TimeWaitRecord,
    ) -> Option<u32> {
        let id = self.records.vacancy()?;
        if !self.timers.reserve(id as usize + 1) {
            return None;
        }
        let id = self.records.fill(id, make)?;
        self.restart(now, id);
        Some(id)
    }

    /// Takes a record out.
    pub(super) fn remove(&mut self, id: u32) {
        self.timers.disarm(id);
        self.records.discard(id);
    }

    /// Lets 2 MSL begin anew.
    pub(super) fn restart(&mut self, now: Instant, id: u32) {
        if let Some(record) = self.records.get(id) {
            self.timers.arm(id, record.expires(now));
        }
    }

    /// The record that expires first, if no further one fits.
    pub(super) fn to_recycle(&self) -> Option<u32> {
        self.timers.first().filter(|_| self.records.is_full())
    }

    /// When the next record expires.
    pub(super) fn next_expiry(&self) -> Instant {
        self.timers.next()
    }

    /// A record whose time is over.
    pub(super) fn expired(&mut self, now: Instant) -> Option<u32> {
        self.timers.pop_due(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Duration;
    use crate::wire::{Ecn, Header, IpInfo, Options, Timestamps};

    const SND_NXT: SeqNumber = SeqNumber(900);
    const RCV_NXT: SeqNumber = SeqNumber(u32::MAX);

    fn record(ts_recent: Option<u32>) -> TimeWaitRecord {
        let tuple = FourTuple::of(&segment(Flags::NONE, RCV_NXT, None, b""));
        let state = TimeWait {
            snd_nxt: SND_NXT,
            rcv_nxt: RCV_NXT,
            window: 321,
            ts_recent,
            timestamp_offset: 5,
            duration: Duration::from_secs(60),
        };
        TimeWaitRecord::new(Instant::ZERO, tuple, state, Marking::STANDARD)
    }

    fn segment(
        flags: Flags,
        seq: SeqNumber,
        timestamp: Option<u32>,
        payload: &'static [u8],
    ) -> Segment<'static> {
        let ip = IpInfo {
            source: [10, 0, 0, 2].into(),
            destination: [10, 0, 0, 1].into(),
            hop_limit: 64,
            dscp: 0,
            ecn: Ecn::NotEct,
        };
        let timestamps = timestamp.map(|value| Timestamps { value, echo: 0 });
        let options = Options { timestamps, ..Options::default() };
        let header = Header { seq, flags, options, ..Header::default() };
        Segment { header, ip, payload }
    }

    #[test]
    fn each_segment_gets_its_answer() {
        let (ack, fin) = (Flags::ACK, Flags::ACK | Flags::FIN);
        let cases = [
            (None, segment(fin, RCV_NXT - 1, None, b""), Answer::Restart),
            (None, segment(fin, RCV_NXT - 4, None, b"abc"), Answer::Restart),
            (None, segment(fin, RCV_NXT, None, b""), Answer::Acknowledge),
            (None, segment(ack, RCV_NXT, None, b""), Answer::Drop),
            (None, segment(ack, RCV_NXT - 3, None, b"abc"), Answer::Acknowledge),
            (None, segment(ack, RCV_NXT - 3, None, b""), Answer::Acknowledge),
            (None, segment(Flags::NONE, RCV_NXT - 3, None, b"abc"), Answer::Drop),
            (None, segment(Flags::RST, RCV_NXT, None, b""), Answer::Drop),
            (None, segment(Flags::SYN, RCV_NXT + 1, None, b""), Answer::Reopen),
            (None, segment(Flags::SYN, RCV_NXT, None, b""), Answer::Acknowledge),
            (None, segment(Flags::SYN, RCV_NXT - 9, Some(1), b""), Answer::Reopen),
            (None, segment(Flags::SYN | ack, RCV_NXT + 1, None, b""), Answer::Acknowledge),
            (Some(7), segment(Flags::SYN, RCV_NXT - 9, Some(8), b""), Answer::Reopen),
            (Some(7), segment(Flags::SYN, RCV_NXT + 9, Some(7), b""), Answer::Reopen),
            (Some(7), segment(Flags::SYN, RCV_NXT - 9, Some(7), b""), Answer::Acknowledge),
            (Some(7), segment(Flags::SYN, RCV_NXT + 9, Some(6), b""), Answer::Acknowledge),
            (Some(7), segment(Flags::SYN, RCV_NXT + 9, None, b""), Answer::Reopen),
            (Some(7), segment(fin, RCV_NXT - 1, Some(6), b""), Answer::Acknowledge),
            (Some(7), segment(fin, RCV_NXT - 1, Some(7), b""), Answer::Restart),
        ];
        for (recent, segment, expected) in cases {
            let answer = record(recent).on_segment(Instant::ZERO, &segment);
            assert_eq!(answer, expected, "{recent:?} {segment:?}");
        }
    }

    #[test]
    fn the_ack_says_where_both_sides_ended() {
        let reply = record(Some(7)).ack(Instant::from_millis(10));
        assert_eq!((reply.seq, reply.ack), (SND_NXT, RCV_NXT));
        assert_eq!((reply.flags, reply.window), (Flags::ACK, 321));
        assert_eq!(reply.timestamps, Some(Timestamps { value: 15, echo: 7 }));
    }

    #[test]
    fn a_new_connection_starts_above_the_old_one() {
        let above = SND_NXT + 65_536;
        assert_eq!(record(None).next_isn(SND_NXT), above);
        assert_eq!(record(None).next_isn(SND_NXT - 1_000_000), above);
        assert_eq!(record(None).next_isn(SND_NXT + 1_000_000), SND_NXT + 1_000_000);
    }

    #[test]
    fn the_oldest_gives_way_at_the_limit() {
        let (mut places, mut cells) = ([const { Place::EMPTY }; 2], [TimerCell::EMPTY; 2]);
        let mut waits = TimeWaits::new(Buffer::lent(&mut places), Buffer::lent(&mut cells), 9);
        let at = Instant::from_secs;
        let make = || record(None);
        assert_eq!(waits.insert_with(at(0), make), Some(0));
        assert_eq!((waits.to_recycle(), waits.next_expiry()), (None, at(60)));
        assert_eq!(waits.insert_with(at(1), make), Some(1));
        assert_eq!(waits.insert_with(at(1), make), None);
        assert_eq!(waits.to_recycle(), Some(0));
        waits.restart(at(5), 0);
        assert_eq!((waits.to_recycle(), waits.next_expiry()), (Some(1), at(61)));
        assert_eq!(waits.expired(at(60)), None);
        assert_eq!(waits.expired(at(61)), Some(1));
        waits.remove(1);
        assert_eq!((waits.to_recycle(), waits.next_expiry()), (None, at(65)));
    }
}

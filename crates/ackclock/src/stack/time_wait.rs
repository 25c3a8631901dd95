//! Connections in TIME-WAIT as small records (RFC 9293 section 3.10.7.4, RFC 6191, RFC 1337).

use super::Stack;
use super::demux::Entity;
use super::ip_fields::IpFields;
use super::pool::{NO_ID, Place, Pool};
use super::replies::Reply;
use super::tuple::FourTuple;
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::seq::SeqNumber;
use crate::storage::Buffer;
use crate::tcp::challenge::AnswerLimit;
use crate::tcp::timestamps::TimestampCheck;
use crate::tcp::{LastFeedback, TimeWait};
use crate::time::Instant;
use crate::wire::{Flags, Segment, SignatureKind};

/// Distance between the sequence numbers of a connection and those of the one that replaces it: more than the
/// largest unscaled window, so that old segments are not acceptable to the new connection.
const REUSE_GAP: u32 = 1 << 16;

/// One connection in TIME-WAIT.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeWaitRecord<P: Profile> {
    /// Addresses and ports of both ends.
    pub(super) tuple: FourTuple,
    state: TimeWait<P>,
    ip_fields: IpFields,
    challenge: AnswerLimit,
    /// When its 2 MSL are over.
    expires: Instant,
    /// The neighbours in the order in which records entered TIME-WAIT, or restarted their 2 MSL.
    older: u32,
    newer: u32,
}

/// What to do with a segment for a connection in TIME-WAIT.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// Drop it.
    Drop,
    /// Answer it with an ack.
    Acknowledge,
    /// Acknowledge it, and restart 2 MSL: it is a retransmission of the peer's FIN.
    Restart,
    /// Open a new connection in place of this one: it is an acceptable SYN (RFC 6191).
    Reopen,
}

impl<P: Profile> TimeWaitRecord<P> {
    /// The record of a connection that has entered TIME-WAIT.
    pub(super) fn new(
        now: Instant,
        tuple: FourTuple,
        state: TimeWait<P>,
        ip_fields: IpFields,
    ) -> Self {
        let challenge = AnswerLimit::default();
        let expires = now + state.duration;
        let (older, newer) = (NO_ID, NO_ID);
        TimeWaitRecord { tuple, state, ip_fields, challenge, expires, older, newer }
    }

    /// How its segments are signed, if they are.
    pub(super) fn signature(&self) -> Option<SignatureKind> {
        self.state.signature
    }

    /// The checks of section 3.10.7.4 for TIME-WAIT. A RST does not end it: RFC 1337 section 3, fix (F1).
    pub(super) fn on_segment(&mut self, now: Instant, segment: &Segment<'_>) -> Answer {
        let header = &segment.header;
        if header.flags.contains(Flags::RST) {
            return Answer::Drop;
        }
        if header.flags.contains(Flags::SYN) {
            let reopens =
                !header.flags.intersects(Flags::ACK | Flags::FIN) && self.is_later(segment);
            return if reopens { Answer::Reopen } else { self.acknowledge(now) };
        }
        match self.state.timestamps.check(now, header) {
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
        // The peer has sent its FIN: only an empty segment at RCV.NXT is acceptable, anything else is old.
        let acceptable = segment.is_empty() && header.seq == self.state.rcv_nxt;
        if !acceptable {
            return self.acknowledge(now);
        }
        if let Some(feedback) = self.state.ecn.get_mut() {
            feedback.count(segment.ip.ecn);
        }
        Answer::Drop
    }

    /// `<SEQ=SND.NXT><ACK=RCV.NXT><CTL=ACK>`, with the connection's last ECN feedback.
    pub(super) fn ack(&self, now: Instant) -> Reply {
        let TimeWait { snd_nxt, rcv_nxt, window, ref timestamps, ref ecn, .. } = self.state;
        let feedback = ecn.get().copied().unwrap_or(LastFeedback::Silent);
        Reply {
            tuple: self.tuple,
            seq: snd_nxt,
            ack: rcv_nxt,
            flags: Flags::ACK | feedback.flags(),
            window,
            timestamps: timestamps.option(now),
            ip_fields: self.ip_fields,
        }
    }

    /// The initial sequence number for a connection that replaces this one: `isn` if it is above all that
    /// this one used (RFC 9293 MAY-2), otherwise the first one that is.
    pub(super) fn next_isn(&self, isn: SeqNumber) -> SeqNumber {
        isn.max(self.state.snd_nxt + REUSE_GAP)
    }

    /// Whether a SYN is later than all segments of this connection (RFC 6191 section 2). If this connection
    /// had no timestamps, those of the SYN prove nothing, as in Linux, although the RFC accepts them.
    fn is_later(&self, syn: &Segment<'_>) -> bool {
        let by_sequence = syn.header.seq.after(self.state.rcv_nxt);
        match (self.state.timestamps.recent_in_use(), syn.header.options.timestamps) {
            (Some(recent), Some(new)) => match new.value.wrapping_sub(recent) as i32 {
                0 => by_sequence,
                later => later > 0,
            },
            _ => by_sequence,
        }
    }

    fn acknowledge(&mut self, now: Instant) -> Answer {
        if self.challenge.allow_challenge(now) { Answer::Acknowledge } else { Answer::Drop }
    }
}

/// All connections in TIME-WAIT, in the order in which their 2 MSL began; if all have the same MSL this is
/// the order of their expiry. With different MSLs one may wait longer than its own 2 MSL, for older ones with
/// longer ones; none waits less (RFC 9293 MUST-13).
#[derive(Debug)]
pub(super) struct TimeWaits<'a, P: Profile> {
    /// The records.
    pub(super) records: Pool<'a, TimeWaitRecord<P>>,
    oldest: u32,
    newest: u32,
}

impl<'a, P: Profile> TimeWaits<'a, P> {
    /// No records; at most `limit` where storage grows.
    pub(super) const fn new(records: Buffer<'a, Place<TimeWaitRecord<P>>>, limit: usize) -> Self {
        TimeWaits { records: Pool::new(records, limit), oldest: NO_ID, newest: NO_ID }
    }

    /// Adds a record, built in place by `make`; `None` if there is no memory for it.
    pub(super) fn insert_with(&mut self, make: impl FnOnce() -> TimeWaitRecord<P>) -> Option<u32> {
        let id = self.records.vacancy()?;
        let id = self.records.fill(id, make)?;
        self.append(id);
        Some(id)
    }

    /// Removes a record.
    pub(super) fn remove(&mut self, id: u32) {
        self.unlink(id);
        self.records.discard(id);
    }

    /// Restarts the 2 MSL of a record.
    pub(super) fn restart(&mut self, now: Instant, id: u32) {
        self.unlink(id);
        if let Some(record) = self.records.get_mut(id) {
            record.expires = now + record.state.duration;
        }
        self.append(id);
    }

    /// The oldest record, if there is no room for another.
    pub(super) fn to_recycle(&self) -> Option<u32> {
        (self.records.is_full() && self.oldest != NO_ID).then_some(self.oldest)
    }

    /// When the next record expires.
    pub(super) fn next_expiry(&self) -> Instant {
        self.records.get(self.oldest).map_or(Instant::FAR_FUTURE, |oldest| oldest.expires)
    }

    /// A record whose 2 MSL are over, if any.
    pub(super) fn expired(&self, now: Instant) -> Option<u32> {
        let oldest = self.records.get(self.oldest)?;
        (oldest.expires <= now).then_some(self.oldest)
    }

    /// Appends a record to the order.
    fn append(&mut self, id: u32) {
        let before = core::mem::replace(&mut self.newest, id);
        match self.records.get_mut(before) {
            Some(before) => before.newer = id,
            None => self.oldest = id,
        }
        if let Some(record) = self.records.get_mut(id) {
            (record.older, record.newer) = (before, NO_ID);
        }
    }

    /// Removes a record from the order.
    fn unlink(&mut self, id: u32) {
        let Some(&TimeWaitRecord { older, newer, .. }) = self.records.get(id) else {
            return;
        };
        match self.records.get_mut(older) {
            Some(older) => older.newer = newer,
            None => self.oldest = newer,
        }
        match self.records.get_mut(newer) {
            Some(newer) => newer.older = older,
            None => self.newest = older,
        }
    }
}

impl<'a, C: CongestionController + Clone, P: Profile> Stack<'a, C, P> {
    /// Replaces the connection by a TIME-WAIT record for 2 MSL. At the limit the oldest record is dropped.
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    pub(super) fn enter_time_wait(&mut self, now: Instant, id: u32) {
        if let Some(oldest) = self.time_waits.to_recycle() {
            tell!(warn, "TIME-WAIT of a connection ends early: there are too many");
            self.statistics.count(|all| &mut all.time_wait_recycled);
            self.forget_time_wait(oldest);
        }
        let Some(slot) = self.connections.get_mut(id) else {
            return;
        };
        let Some(state) = slot.connection.time_wait() else {
            return;
        };
        tell!(debug, "connection {}: closed", slot.tuple);
        slot.connection.leave_time_wait();
        slot.detached = true;
        self.deadlines.timers.disarm(id);
        let make = || TimeWaitRecord::new(now, slot.tuple, state, slot.ip_fields);
        match self.time_waits.insert_with(make) {
            Some(record) => {
                self.demux.replace(&slot.tuple, Entity::Connection(id), Entity::TimeWait(record));
            }
            None => self.demux.remove(&slot.tuple, Entity::Connection(id)),
        }
    }

    /// Processes a segment of a connection in TIME-WAIT.
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    pub(super) fn on_time_wait_segment(&mut self, now: Instant, id: u32, segment: &Segment<'_>) {
        let Some(record) = self.time_waits.records.get_mut(id) else {
            return;
        };
        let answer = record.on_segment(now, segment);
        let (tuple, ack) = (record.tuple, record.ack(now));
        match answer {
            Answer::Drop => return,
            Answer::Acknowledge => {}
            Answer::Restart => self.time_waits.restart(now, id),
            // Without a listener the SYN opens nothing, and the record stays.
            Answer::Reopen => {
                if let Some(listener) = self.listener_for(&tuple) {
                    return self.open_passively(now, listener, segment, &tuple, Some(id));
                }
            }
        }
        self.reply(ack);
    }

    /// Removes a connection in TIME-WAIT, which is then closed.
    #[inline(never)]
    pub(super) fn forget_time_wait(&mut self, id: u32) {
        if let Some(record) = self.time_waits.records.get(id) {
            let (tuple, is_signed) = (record.tuple, P::SIGNATURES && record.signature().is_some());
            self.demux.remove(&tuple, Entity::TimeWait(id));
            self.time_waits.remove(id);
            if is_signed {
                self.end_signed(&tuple);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Full;
    use crate::tcp::timestamps::TimestampState;
    use crate::time::Duration;
    use crate::wire::{Ecn, Header, IpInfo, Options, Timestamps};

    const SND_NXT: SeqNumber = SeqNumber(900);
    const RCV_NXT: SeqNumber = SeqNumber(u32::MAX);

    fn record(ts_recent: Option<u32>) -> TimeWaitRecord<Full> {
        let tuple = FourTuple::of(&segment(Flags::NONE, RCV_NXT, None, b""));
        let mut timestamps = TimestampState::new(5);
        if let Some(recent) = ts_recent {
            timestamps.enable(Instant::ZERO, recent, RCV_NXT);
        }
        let state = TimeWait {
            snd_nxt: SND_NXT,
            rcv_nxt: RCV_NXT,
            window: 321,
            timestamps,
            ecn: Kept::new(LastFeedback::Silent),
            signature: None,
            duration: Duration::from_secs(60),
        };
        TimeWaitRecord::new(Instant::ZERO, tuple, state, IpFields::STANDARD)
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
            (None, segment(Flags::SYN, RCV_NXT + 1, Some(1), b""), Answer::Reopen),
            (None, segment(Flags::SYN, RCV_NXT - 9, Some(1), b""), Answer::Acknowledge),
            (None, segment(Flags::SYN | ack, RCV_NXT + 1, None, b""), Answer::Acknowledge),
            (None, segment(Flags::SYN | Flags::FIN, RCV_NXT + 1, None, b""), Answer::Acknowledge),
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

    fn lasting(now: Instant, duration: Duration) -> TimeWaitRecord<Full> {
        let TimeWaitRecord { tuple, state, ip_fields, .. } = record(None);
        TimeWaitRecord::new(now, tuple, TimeWait { duration, ..state }, ip_fields)
    }

    #[test]
    fn the_oldest_gives_way_at_the_limit() {
        let mut places = [const { Place::EMPTY }; 2];
        let mut waits = TimeWaits::new(Buffer::lent(&mut places), 9);
        let at = Instant::from_secs;
        let make = |secs| move || lasting(at(secs), Duration::from_secs(60));
        assert_eq!((waits.to_recycle(), waits.next_expiry()), (None, Instant::FAR_FUTURE));
        assert_eq!(waits.insert_with(make(0)), Some(0));
        assert_eq!((waits.to_recycle(), waits.next_expiry()), (None, at(60)));
        assert_eq!(waits.insert_with(make(1)), Some(1));
        assert_eq!(waits.insert_with(make(1)), None);
        assert_eq!(waits.to_recycle(), Some(0));
        waits.restart(at(5), 0);
        assert_eq!((waits.to_recycle(), waits.next_expiry()), (Some(1), at(61)));
        assert_eq!(waits.expired(at(60)), None);
        assert_eq!(waits.expired(at(61)), Some(1));
        waits.remove(1);
        assert_eq!((waits.to_recycle(), waits.next_expiry()), (None, at(65)));
        waits.remove(0);
        assert_eq!((waits.to_recycle(), waits.next_expiry()), (None, Instant::FAR_FUTURE));
        let mut none = TimeWaits::new(Buffer::lent(&mut []), 9);
        assert_eq!((none.to_recycle(), none.insert_with(make(0))), (None, None));
    }

    #[test]
    fn whoever_leaves_the_others_keep_their_order() {
        let at = Instant::from_secs;
        for gone in 0..4 {
            let mut places = [const { Place::EMPTY }; 4];
            let mut waits = TimeWaits::new(Buffer::lent(&mut places), 9);
            for secs in 0..4 {
                waits.insert_with(|| lasting(at(secs), Duration::from_secs(60)));
            }
            waits.remove(gone);
            let left = core::iter::from_fn(|| {
                let id = waits.expired(at(100))?;
                waits.remove(id);
                Some(id)
            });
            assert!(left.eq((0..4).filter(|id| *id != gone)), "without {gone}");
        }
    }

    #[test]
    fn one_with_a_shorter_msl_waits_for_older_ones() {
        let mut places = [const { Place::EMPTY }; 2];
        let mut waits = TimeWaits::new(Buffer::lent(&mut places), 9);
        let at = Instant::from_secs;
        waits.insert_with(|| lasting(at(0), Duration::from_secs(60)));
        waits.insert_with(|| lasting(at(1), Duration::from_secs(2)));
        assert_eq!((waits.next_expiry(), waits.expired(at(59))), (at(60), None));
        assert_eq!(waits.expired(at(60)), Some(0));
        waits.remove(0);
        assert_eq!((waits.next_expiry(), waits.expired(at(60))), (at(3), Some(1)));
    }
}

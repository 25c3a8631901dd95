//! Half-open records: passive opens in SYN-RECEIVED, as small records (RFC 9293 section 3.10.7.4). A
//! connection gets its buffers only when it is established.

use super::Cell;
use super::id_queue::{IdQueue, Link};
use super::ip_fields::IpFields;
use super::pool::{Place, Pool};
use super::replies::Reply;
use super::secret::FirstNumbers;
use super::timers::TimerQueue;
use super::tuple::FourTuple;
use crate::profile::{Kept, Part, Profile};
use crate::seq::{SeqNumber, SeqRange};
use crate::storage::{Buffer, CAN_GROW};
use crate::tcp::challenge::AnswerLimit;
use crate::tcp::timestamps::{TimestampCheck, TimestampState};
use crate::tcp::{Accepted, Again, Agreement, Initial, RtoConfig, SynOptions};
use crate::time::{Duration, Instant};
use crate::wire::{Flags, Header, Segment, SignatureKind};

/// Least time between two answers to retransmissions of the same SYN (as in Linux), so that someone who
/// repeats it with a spoofed source address causes few packets to that address.
const SYN_ACK_INTERVAL: Duration = Duration::from_millis(500);

/// Time for which a record keeps its place after its SYN-ACK was sent, as most acks arrive within it: of many
/// SYNs at once the first are served, and the others are retransmitted. It is short because during a SYN
/// flood new peers get in only as places become free.
pub(super) const PLACE_KEPT: Duration = Duration::from_millis(100);

/// Value of `sent` for a SYN-ACK that was a SYN cookie: it is unknown when it was sent, so no ack gives a
/// round-trip time.
const UNKNOWN: u32 = u32::MAX;

/// Most SYN-ACKs that wait for the hardware address of their next hop, since whenever a neighbour answers, or
/// a place is reused, all of them are offered again. With lent memory there are hardly more places.
const MOST_POSTPONED: u32 = 64;

/// What a new half-open record needs besides the SYN.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passive {
    /// The listener that the SYN arrived at.
    pub(super) listener: u32,
    /// Our initial sequence number, and the offset of our timestamp clock.
    pub(super) first: FirstNumbers,
    /// MTU of the link, in bytes.
    pub(super) mtu: u32,
    /// Receive memory of the future connection, in bytes: least and most.
    pub(super) receive_memory: (usize, usize),
    /// How often the timer must expire before an ack without data counts.
    pub(super) defer_accept: u8,
    /// Whether the application is asked before the SYN is answered.
    pub(super) is_request: bool,
    /// Whether a peer that requests a Fast Open cookie gets one.
    pub(super) opens_fast: bool,
    /// How segments are signed, if they are.
    pub(super) signature: Option<SignatureKind>,
}

/// Whether the application has to answer the SYN (see
/// [`ListenConfig::requests`](super::ListenConfig::requests)).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asks {
    /// No, or it has already accepted.
    Nobody,
    /// Yes, and it was not told of the request yet.
    Unheard,
    /// Yes, and it was told of the request.
    Heard,
}

/// A half-open record.
#[derive(Clone, Copy, Debug)]
pub(super) struct HalfOpen<P: Profile> {
    /// Addresses and ports of both ends.
    pub(super) tuple: FourTuple,
    /// The listener that it belongs to.
    pub(super) listener: u32,
    /// Our initial sequence number.
    pub(super) iss: SeqNumber,
    irs: SeqNumber,
    /// What both SYNs agree on.
    agreement: Agreement<P>,
    timestamps: TimestampState<P>,
    window: u16,
    /// Hop limit and DSCP of its packets.
    pub(super) ip_fields: IpFields,
    rto: <P::RareSettings as Part>::Keeps<RtoConfig>,
    give_up_at: Instant,
    /// How often the SYN-ACK was sent, or [`UNKNOWN`], and when it was last sent.
    sent: u32,
    sent_at: Instant,
    timeouts: u32,
    defer_accept: u8,
    /// Whether the handshake is finished, except that the listener waits for data, or there is no room yet.
    acked: bool,
    deadline: Instant,
    asks: Asks,
    asks_for_cookie: <P::FastOpen as Part>::Keeps<bool>,
    challenge: AnswerLimit,
}

/// What to do after a segment for a half-open record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// Nothing.
    Drop,
    /// Retransmit the SYN-ACK.
    SynAck,
    /// Send an ack: the segment is not acceptable, or a challenge ACK is due.
    Acknowledge,
    /// Answer with a RST, as if the segment belonged to no connection.
    Reset,
    /// Return to LISTEN: remove the record.
    Forget,
    /// Return to LISTEN, and send a RST to the peer.
    Refuse,
    /// Establish the connection: the handshake is finished.
    Establish,
}

/// What to do when the timer of a half-open record has expired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Timeout {
    /// Retransmit the SYN-ACK.
    SynAck,
    /// Nothing: the peer has acknowledged the SYN-ACK, but its data has not arrived yet.
    Wait,
    /// Remove the record.
    GiveUp,
}

impl<P: Profile> HalfOpen<P> {
    /// The record for a SYN (section 3.10.7.2, third check), with the options that both sides support.
    // Built in place.
    #[inline(always)]
    pub(super) fn new(
        now: Instant,
        initial: &Initial<P>,
        syn: &Segment<'_>,
        passive: &Passive,
    ) -> Self {
        let tuple = FourTuple::of(syn);
        let (least_memory, most_memory) = passive.receive_memory;
        let ip_header = tuple.ip_header();
        let mut agreement = Agreement::offer(&initial.offer, passive.mtu, ip_header, most_memory);
        agreement.agree(&SynOptions::of(&syn.header), ip_header);
        if let Some(kind) = passive.signature {
            agreement.sign(kind);
        }
        agreement.agree_on_ecn(syn);
        let give_up_at = now + initial.syn_give_up();
        let mut timestamps = TimestampState::new(passive.first.timestamp_offset);
        if let (Some(first), true) = (syn.header.options.timestamps, agreement.timestamps) {
            timestamps.enable(now, first.value, syn.header.seq + 1);
        }
        HalfOpen {
            tuple,
            listener: passive.listener,
            iss: passive.first.isn,
            irs: syn.header.seq,
            agreement,
            timestamps,
            window: u16::try_from(least_memory).unwrap_or(u16::MAX),
            ip_fields: IpFields::of(initial),
            rto: initial.syn_rto,
            give_up_at,
            sent: 0,
            sent_at: now,
            timeouts: 0,
            defer_accept: passive.defer_accept,
            acked: false,
            deadline: give_up_at,
            asks: if P::RARE_SETTINGS && passive.is_request { Asks::Unheard } else { Asks::Nobody },
            asks_for_cookie: Kept::new(
                passive.opens_fast && syn.header.options.fast_open().is_some(),
            ),
            challenge: AnswerLimit::default(),
        }
    }

    /// Whether the SYN-ACK to be sent now gives a Fast Open cookie: only the first one does (RFC 7413 section
    /// 4.2.2).
    pub(super) fn gives_fast_open_cookie(&self) -> bool {
        self.sent == 0 && self.asks_for_cookie.get().is_some_and(|asks| *asks)
    }

    /// How segments are signed, if they are.
    pub(super) fn signature(&self) -> Option<SignatureKind> {
        self.agreement.signature()
    }

    /// The window that the SYN-ACK advertises, in bytes.
    pub(super) fn window(&self) -> u32 {
        self.window.into()
    }

    /// The checks of section 3.10.7.4 for SYN-RECEIVED, with those of RFC 5961 and RFC 7323.
    pub(super) fn on_segment(&mut self, now: Instant, segment: &Segment<'_>) -> Answer {
        let header = &segment.header;
        let reset = header.flags.contains(Flags::RST);
        if header.flags.contains(Flags::SYN)
            && !header.flags.intersects(Flags::ACK | Flags::RST)
            && header.seq == self.irs
        {
            if self.agreement.take_syn_again(segment) == Again::Clashes {
                return Answer::Refuse;
            }
            if self.timestamps.advances(header.options.timestamps) {
                self.timestamps.update(now, header.seq, header.options.timestamps);
            }
            let is_new = self.sent > 0 && now.saturating_since(self.sent_at) < SYN_ACK_INTERVAL;
            return if is_new || self.is_request() { Answer::Drop } else { Answer::SynAck };
        }
        if self.is_request() {
            // No SYN-ACK was sent yet that the segment could answer.
            let is_reset = reset && header.seq == self.rcv_nxt();
            return if is_reset { Answer::Forget } else { Answer::Drop };
        }
        match self.timestamps.check(now, header) {
            TimestampCheck::Passed => {}
            TimestampCheck::Old => return self.acknowledge(now),
            TimestampCheck::Missing => return Answer::Drop,
        }
        // First check: the sequence number.
        let window = SeqRange::from_len(self.rcv_nxt(), self.window.into());
        if !window.accepts(header.seq, segment.len()) {
            return if reset { Answer::Drop } else { self.acknowledge(now) };
        }
        // Second check: the RST bit (RFC 5961 section 3.2).
        if reset {
            let exact = header.seq == self.rcv_nxt();
            return if exact { Answer::Forget } else { self.acknowledge(now) };
        }
        // Fourth check: the SYN bit (RFC 5961 section 4.2). The ack makes a restarted peer send the RST that
        // removes the record.
        if header.flags.contains(Flags::SYN) {
            return self.acknowledge(now);
        }
        // Fifth check: the ACK field. SND.UNA is ISS, SND.NXT is ISS + 1.
        if !header.flags.contains(Flags::ACK) {
            return Answer::Drop;
        }
        if header.ack != self.iss + 1 {
            return Answer::Reset;
        }
        if segment.is_empty() && self.is_deferred() {
            self.acked = true;
            return Answer::Drop;
        }
        self.note_echo(now, header);
        Answer::Establish
    }

    /// Counts the SYN-ACK as sent once, if the peer's ack echoes the first of two: that one was not lost, and
    /// the path is just slow (RFC 4015). With more than two, the echoed one may have followed lost ones.
    fn note_echo(&mut self, now: Instant, ack: &Header) {
        if !P::TIMESTAMPS {
            return;
        }
        let round_trip = self.timestamps.rtt(now, ack.options.timestamps).unwrap_or_default();
        let last = now.saturating_since(self.sent_at);
        if self.sent == 2 && round_trip.as_millis() > last.as_millis() + 1 {
            (self.sent, self.sent_at) = (1, now - round_trip);
        }
    }

    /// Whether the record may be dropped for a newer one. A peer that has finished the handshake keeps its
    /// place.
    pub(super) fn may_give_way(&self, now: Instant) -> bool {
        !self.acked && now >= self.sent_at + PLACE_KEPT
    }

    /// Whether the application has to answer the SYN before anything is sent.
    pub(super) const fn is_request(&self) -> bool {
        P::RARE_SETTINGS && !matches!(self.asks, Asks::Nobody)
    }

    /// Notes that the application accepts the request: the SYN-ACK is due, and the time to give up counts
    /// from now.
    fn accept_request(&mut self, now: Instant) {
        self.asks = Asks::Nobody;
        self.give_up_at += now.saturating_since(self.sent_at);
        self.sent_at = now;
        self.deadline = self.give_up_at;
    }

    /// `<SEQ=0><ACK=SEG.SEQ+1><CTL=RST,ACK>`: the RST that refuses the SYN.
    pub(super) fn refusal(&self) -> Reply {
        Reply {
            tuple: self.tuple,
            ack: self.rcv_nxt(),
            flags: Flags::RST | Flags::ACK,
            ip_fields: IpFields::STANDARD,
            ..Reply::EMPTY
        }
    }

    /// Notes that the handshake is finished, but there is no room for the connection yet.
    pub(super) fn wait_for_room(&mut self) {
        self.acked = true;
    }

    /// Whether an ack without data does not count yet (`defer_accept`).
    fn is_deferred(&self) -> bool {
        P::RARE_SETTINGS && self.timeouts < self.defer_accept.into()
    }

    /// The SYN-ACK: `<SEQ=ISS><ACK=RCV.NXT><CTL=SYN,ACK>`.
    pub(super) fn syn_ack(&self, now: Instant) -> Header {
        let timestamps = self.timestamps.option(now).unwrap_or_default();
        let offer = self.agreement.syn_options();
        let mut header = Header {
            seq: self.iss,
            ack: self.rcv_nxt(),
            flags: self.agreement.syn_ack_flags(&offer, self.timeouts),
            window: self.window,
            options: offer.options(timestamps),
            ..Header::default()
        };
        if P::ACCURATE_ECN && self.agreement.accurate.is_agreed() {
            header.options.set_accurate_ecn(self.agreement.accurate.syn_ack_option());
        }
        header
    }

    /// An ack: `<SEQ=SND.NXT><ACK=RCV.NXT><CTL=ACK>`.
    pub(super) fn ack(&self, now: Instant) -> Reply {
        Reply {
            tuple: self.tuple,
            seq: self.iss + 1,
            ack: self.rcv_nxt(),
            flags: self.agreement.ack_flags(),
            window: self.agreement.window_field(self.window),
            timestamps: self.timestamps.option(now),
            ip_fields: self.ip_fields,
        }
    }

    /// Whether no SYN-ACK was sent yet.
    pub(super) fn is_first(&self) -> bool {
        self.sent == 0
    }

    /// Whether the SYN-ACK is to be sent when its turn in the queue comes.
    pub(super) fn is_due(&self) -> bool {
        // For a SYN cookie the first retransmission is due when the timer has set the deadline to the give-up
        // time.
        let is_due = !P::SYN_COOKIES || self.sent < UNKNOWN || self.deadline == self.give_up_at;
        is_due && !self.is_request()
    }

    fn syn_timeout(&self) -> Duration {
        let rto = self.rto.get().unwrap_or(&RtoConfig::STANDARD);
        rto.syn_timeout(self.timeouts)
    }

    /// Notes that the link has taken a SYN-ACK.
    pub(super) fn on_syn_ack_sent(&mut self, now: Instant) {
        self.sent = self.sent.saturating_add(1);
        if P::ACCURATE_ECN {
            self.agreement.accurate.on_syn_ack_sent(self.timeouts);
        }
        self.sent_at = now;
        self.deadline = (now + self.syn_timeout()).min(self.give_up_at);
    }

    /// Handles the timer, which has expired.
    pub(super) fn on_timeout(&mut self, now: Instant) -> Timeout {
        self.timeouts = self.timeouts.saturating_add(1);
        if self.acked && self.is_deferred() {
            self.deadline = now + self.syn_timeout();
            return Timeout::Wait;
        }
        if P::RARE_SETTINGS && core::mem::take(&mut self.acked) {
            // The peer's ack was ignored: give it as much time to repeat it as for the first one.
            self.give_up_at = self.give_up_at.max(now + self.syn_timeout());
        }
        self.deadline = self.give_up_at;
        if now < self.give_up_at { Timeout::SynAck } else { Timeout::GiveUp }
    }

    /// When the timer expires.
    pub(super) const fn deadline(&self) -> Instant {
        self.deadline
    }

    /// What was agreed on, for the connection that the record becomes.
    pub(super) fn accepted(&self) -> Accepted<'_, P> {
        Accepted {
            irs: self.irs,
            agreement: &self.agreement,
            timestamps: self.timestamps,
            advertised_window: self.window,
            // After an ignored ack, the next one measures the application's delay, not the path's.
            syn_sent_at: (self.sent == 1 && !(P::RARE_SETTINGS && self.acked))
                .then_some(self.sent_at),
            syn_retransmits: self.timeouts,
            syn_lost: self.timeouts > 0 && self.sent > 1,
        }
    }

    fn rcv_nxt(&self) -> SeqNumber {
        self.irs + 1
    }

    fn acknowledge(&mut self, now: Instant) -> Answer {
        if self.challenge.allow_challenge(now) { Answer::Acknowledge } else { Answer::Drop }
    }
}

/// All half-open connections.
#[derive(Debug)]
pub(super) struct HalfOpens<'a, P: Profile> {
    /// The half-open records.
    pub(super) records: Pool<'a, HalfOpen<P>>,
    /// Their timers.
    pub(super) timers: TimerQueue<'a, Cell<P>>,
    /// Records whose SYN-ACK is to be sent.
    pub(super) output: IdQueue<'a>,
    /// Where the search for a record to drop continues.
    next_victim: u32,
    /// Number of requests that the application was not told of yet, and where the search for them continues.
    unheard: u32,
    next_unheard: u32,
    /// Number of SYN-ACKs that wait for the hardware address of their next hop.
    postponed: u32,
}

impl<'a, P: Profile> HalfOpens<'a, P> {
    /// No records; at most `limit` where storage grows.
    pub(super) const fn new(
        records: Buffer<'a, Place<HalfOpen<P>>>,
        timers: Buffer<'a, Cell<P>>,
        links: Buffer<'a, Link>,
        limit: usize,
    ) -> Self {
        HalfOpens {
            records: Pool::new(records, limit),
            timers: TimerQueue::new(timers),
            output: IdQueue::new(links),
            next_victim: 0,
            unheard: 0,
            next_unheard: 0,
            postponed: 0,
        }
    }

    /// Adds a record, built in place by `make`, whose SYN-ACK is to be sent; `None` if there is no memory for
    /// it.
    pub(super) fn insert_with(&mut self, make: impl FnOnce() -> HalfOpen<P>) -> Option<u32> {
        let id = self.records.vacancy()?;
        let count = id as usize + 1;
        // An id that was used before has room everywhere.
        let has_places =
            id < self.records.end() || (self.timers.reserve(count) && self.output.reserve(count));
        if !has_places {
            return None;
        }
        let id = self.records.fill(id, make)?;
        let record = self.records.get(id)?;
        self.timers.arm(id, record.deadline());
        if record.is_request() {
            if self.unheard == 0 {
                self.next_unheard = id;
            }
            self.unheard += 1;
            return Some(id);
        }
        // The record that had this id before may still be postponed; that must not delay this one.
        if !self.output.push(id) {
            self.resume();
        }
        Some(id)
    }

    /// The record to drop for a new one, among those that `may_go`. If each is dropped in turn and replaced,
    /// it is the oldest.
    pub(super) fn victim(&mut self, may_go: impl Fn(&HalfOpen<P>) -> bool) -> Option<u32> {
        for _ in 0..self.records.end() {
            let id = self.next_victim;
            self.next_victim = if id + 1 < self.records.end() { id + 1 } else { 0 };
            if self.records.get(id).is_some_and(&may_go) {
                return Some(id);
            }
        }
        None
    }

    /// The next request of this listener that the application was not told of; it now counts as told.
    pub(super) fn next_request(&mut self, listener: u32) -> Option<u32> {
        if self.unheard == 0 {
            return None;
        }
        for _ in 0..self.records.end() {
            let id = self.next_unheard;
            self.next_unheard = if id + 1 < self.records.end() { id + 1 } else { 0 };
            if let Some(record) = self.records.get_mut(id)
                && record.listener == listener
                && record.asks == Asks::Unheard
            {
                record.asks = Asks::Heard;
                self.unheard -= 1;
                return Some(id);
            }
        }
        None
    }

    /// Notes that the application accepts a request: its SYN-ACK is to be sent.
    pub(super) fn accept_request(&mut self, now: Instant, id: u32) {
        if let Some(record) = self.records.get_mut(id) {
            record.accept_request(now);
            self.timers.arm(id, record.deadline());
            if !self.output.push(id) {
                self.resume();
            }
        }
    }

    /// Removes a record.
    pub(super) fn remove(&mut self, id: u32) {
        if self.records.get(id).is_some_and(|record| record.asks == Asks::Unheard) {
            self.unheard = self.unheard.saturating_sub(1);
        }
        self.timers.disarm(id);
        self.records.discard(id);
    }

    /// Notes that the first SYN-ACK in the queue was sent; its timer will have it retransmitted.
    pub(super) fn on_syn_ack_sent(&mut self, now: Instant) {
        if let Some(id) = self.output.pop()
            && let Some(record) = self.records.get_mut(id)
        {
            record.on_syn_ack_sent(now);
            self.timers.arm(id, record.deadline);
        }
    }

    /// Notes that a new record's SYN-ACK was a SYN cookie: it is not sent before the timer expires.
    pub(super) fn on_cookie(&mut self, now: Instant, id: u32) {
        if let Some(record) = self.records.get_mut(id) {
            record.sent = UNKNOWN;
            record.on_syn_ack_sent(now);
            self.timers.arm(id, record.deadline);
        }
    }

    /// Puts the first SYN-ACK in the queue aside until its next hop is resolved; if too many wait, it counts
    /// as sent and lost. Returns whether there was one.
    pub(super) fn postpone(&mut self, now: Instant) -> bool {
        if CAN_GROW && self.postponed >= MOST_POSTPONED && self.output.front().is_some() {
            self.on_syn_ack_sent(now);
            return true;
        }
        let is_there = self.output.put_aside().is_some();
        if CAN_GROW && is_there {
            self.postponed += 1;
        }
        is_there
    }

    /// Takes back all SYN-ACKs that were put aside.
    pub(super) fn resume(&mut self) {
        self.output.take_back();
        if CAN_GROW {
            self.postponed = 0;
        }
    }
}

#[cfg(test)]
mod tests;

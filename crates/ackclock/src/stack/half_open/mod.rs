//! A passive open before its handshake is finished: SYN-RECEIVED in a small record (RFC 9293
//! section 3.10.7.4). Buffers bind when the connection is established.

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

/// A SYN that comes again is answered at most so often (as Linux does): whoever repeats it in another's
/// name gets few packets sent to that one.
const SYN_ACK_INTERVAL: Duration = Duration::from_millis(500);

/// A record keeps its place for so long after its SYN-ACK, since most acks come within this time: of many SYNs
/// at once, the first ones are served and the others repeated. It is short, for during a flood newcomers
/// get in only as places become free.
pub(super) const PLACE_KEPT: Duration = Duration::from_millis(100);

/// How often a SYN-ACK was sent that was a cookie first: when that went is not known, and no ack measures
/// anything.
const UNKNOWN: u32 = u32::MAX;

/// So many SYN-ACKs wait for their next hops: each answer of a neighbour, and each reuse of a place, has
/// all of them offered again. Where memory is lent there are hardly more places.
const MOST_POSTPONED: u32 = 64;

/// What a new record needs to know beyond the SYN.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passive {
    /// Listener that the SYN came to.
    pub(super) listener: u32,
    /// Our initial sequence number, and what is added to our timestamp clock.
    pub(super) first: FirstNumbers,
    /// Largest IP packet of the link, in bytes.
    pub(super) mtu: u32,
    /// Receive memory of the connection to come, in bytes: least and most.
    pub(super) receive_memory: (usize, usize),
    /// How often the timer fires before an ack without data counts.
    pub(super) defer_accept: u8,
    /// The application is asked before the SYN is answered.
    pub(super) is_request: bool,
    /// Whoever asks for a Fast Open cookie gets one.
    pub(super) opens_fast: bool,
    /// How its segments are signed, if they are.
    pub(super) signature: Option<SignatureKind>,
}

/// Whether the application has to answer the SYN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asks {
    /// No, or it has accepted.
    Nobody,
    /// It has yet to be told.
    Unheard,
    /// It was told.
    Heard,
}

/// A half-open connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct HalfOpen<P: Profile> {
    /// Its ends.
    pub(super) tuple: FourTuple,
    /// Listener that it belongs to.
    pub(super) listener: u32,
    /// Our initial sequence number.
    pub(super) iss: SeqNumber,
    irs: SeqNumber,
    /// What both SYNs offer.
    agreement: Agreement<P>,
    timestamps: TimestampState<P>,
    window: u16,
    /// Hop limit and codepoint of its packets.
    pub(super) ip_fields: IpFields,
    rto: <P::RareSettings as Part>::Keeps<RtoConfig>,
    give_up_at: Instant,
    /// How often the SYN-ACK was sent, or [`UNKNOWN`], and when last.
    sent: u32,
    sent_at: Instant,
    timeouts: u32,
    defer_accept: u8,
    /// The handshake is finished but for the data that the listener waits for, or for room.
    acked: bool,
    deadline: Instant,
    asks: Asks,
    asks_for_cookie: <P::FastOpen as Part>::Keeps<bool>,
    challenge: AnswerLimit,
}

/// What a segment means to a half-open connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// Nothing.
    Drop,
    /// Send the SYN-ACK again.
    SynAck,
    /// Acknowledge what was received: the segment is not acceptable or a challenge is due.
    Acknowledge,
    /// Answer with a reset as if it belonged to nobody.
    Reset,
    /// Return to LISTEN.
    Forget,
    /// Return to LISTEN, and reset the peer.
    Refuse,
    /// The handshake is finished.
    Establish,
}

/// What the timer of a half-open connection asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Timeout {
    /// Send the SYN-ACK again.
    SynAck,
    /// Nothing: the peer has acknowledged it, its data has yet to come.
    Wait,
    /// Forget the record.
    GiveUp,
}

impl<P: Profile> HalfOpen<P> {
    /// A record for a SYN (section 3.10.7.2, third), with the options that both sides support.
    // Made where it stays.
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

    /// Whether the SYN-ACK that goes now gives a Fast Open cookie: the first one only does (RFC 7413
    /// section 4.2.2).
    pub(super) fn gives_fast_open_cookie(&self) -> bool {
        self.sent == 0 && self.asks_for_cookie.get().is_some_and(|asks| *asks)
    }

    /// How its segments are signed, if they are.
    pub(super) fn signature(&self) -> Option<SignatureKind> {
        self.agreement.signature()
    }

    /// The window that the SYN-ACK advertises, in bytes.
    pub(super) fn window(&self) -> u32 {
        self.window.into()
    }

    /// The tests of section 3.10.7.4 for SYN-RECEIVED, with those of RFC 5961 and RFC 7323.
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
            // Nothing was sent that it could answer.
            let is_reset = reset && header.seq == self.rcv_nxt();
            return if is_reset { Answer::Forget } else { Answer::Drop };
        }
        match self.timestamps.check(now, header) {
            TimestampCheck::Passed => {}
            TimestampCheck::Old => return self.acknowledge(now),
            TimestampCheck::Missing => return Answer::Drop,
        }
        // First, check the sequence number.
        let window = SeqRange::from_len(self.rcv_nxt(), self.window.into());
        if !window.accepts(header.seq, segment.len()) {
            return if reset { Answer::Drop } else { self.acknowledge(now) };
        }
        // Second, check the RST bit: RFC 5961 section 3.2.
        if reset {
            let exact = header.seq == self.rcv_nxt();
            return if exact { Answer::Forget } else { self.acknowledge(now) };
        }
        // Fourth, check the SYN bit: RFC 5961 section 4.2. The answer makes a peer that has
        // restarted send the reset that removes the record.
        if header.flags.contains(Flags::SYN) {
            return self.acknowledge(now);
        }
        // Fifth, check the ACK field. SND.UNA is ISS, SND.NXT is ISS + 1.
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

    /// The peer's ack echoes the first of two SYN-ACKs: that was not lost, the path is slow (RFC 4015). Of more the
    /// one that it echoes may have followed lost ones.
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

    /// Whether its place may be given to a newer one. Who has finished the handshake is no stranger.
    pub(super) fn may_give_way(&self, now: Instant) -> bool {
        !self.acked && now >= self.sent_at + PLACE_KEPT
    }

    /// Whether the application has to answer the SYN before anything is sent.
    pub(super) const fn is_request(&self) -> bool {
        P::RARE_SETTINGS && !matches!(self.asks, Asks::Nobody)
    }

    /// The application accepts: the SYN-ACK is due, and has all the time that it would have had at first.
    fn accept_request(&mut self, now: Instant) {
        self.asks = Asks::Nobody;
        self.give_up_at += now.saturating_since(self.sent_at);
        self.sent_at = now;
        self.deadline = self.give_up_at;
    }

    /// `<SEQ=0><ACK=SEG.SEQ+1><CTL=RST,ACK>`, the answer to the SYN where nobody listens.
    pub(super) fn refusal(&self) -> Reply {
        Reply {
            tuple: self.tuple,
            ack: self.rcv_nxt(),
            flags: Flags::RST | Flags::ACK,
            ip_fields: IpFields::STANDARD,
            ..Reply::EMPTY
        }
    }

    /// There is no room yet for the connection that it becomes.
    pub(super) fn wait_for_room(&mut self) {
        self.acked = true;
    }

    /// Whether an ack without data does not count yet.
    fn is_deferred(&self) -> bool {
        P::RARE_SETTINGS && self.timeouts < self.defer_accept.into()
    }

    /// `<SEQ=ISS><ACK=RCV.NXT><CTL=SYN,ACK>`
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

    /// `<SEQ=SND.NXT><ACK=RCV.NXT><CTL=ACK>`
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

    /// Whether no SYN-ACK was sent.
    pub(super) fn is_first(&self) -> bool {
        self.sent == 0
    }

    /// Whether the SYN-ACK is to be sent when its turn comes.
    pub(super) fn is_due(&self) -> bool {
        // The timer that repeats a cookie gives it all the time that is left.
        let is_due = !P::SYN_COOKIES || self.sent < UNKNOWN || self.deadline == self.give_up_at;
        is_due && !self.is_request()
    }

    fn syn_timeout(&self) -> Duration {
        let rto = self.rto.get().unwrap_or(&RtoConfig::STANDARD);
        rto.syn_timeout(self.timeouts)
    }

    /// The link has taken a SYN-ACK.
    pub(super) fn on_syn_ack_sent(&mut self, now: Instant) {
        self.sent = self.sent.saturating_add(1);
        if P::ACCURATE_ECN {
            self.agreement.accurate.on_syn_ack_sent(self.timeouts);
        }
        self.sent_at = now;
        self.deadline = (now + self.syn_timeout()).min(self.give_up_at);
    }

    /// Its timer fired.
    pub(super) fn on_timeout(&mut self, now: Instant) -> Timeout {
        self.timeouts = self.timeouts.saturating_add(1);
        if self.acked && self.is_deferred() {
            self.deadline = now + self.syn_timeout();
            return Timeout::Wait;
        }
        if P::RARE_SETTINGS && core::mem::take(&mut self.acked) {
            // The peer's ack was not heard: it gets as much time to repeat it as for the first one.
            self.give_up_at = self.give_up_at.max(now + self.syn_timeout());
        }
        self.deadline = self.give_up_at;
        if now < self.give_up_at { Timeout::SynAck } else { Timeout::GiveUp }
    }

    /// When its timer fires.
    pub(super) const fn deadline(&self) -> Instant {
        self.deadline
    }

    /// What was agreed, for the connection that it becomes.
    pub(super) fn accepted(&self) -> Accepted<'_, P> {
        Accepted {
            irs: self.irs,
            agreement: &self.agreement,
            timestamps: self.timestamps,
            advertised_window: self.window,
            // What comes after an ack that was not heard measures the application, not the path.
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
    /// The records.
    pub(super) records: Pool<'a, HalfOpen<P>>,
    /// Their timers.
    pub(super) timers: TimerQueue<'a, Cell<P>>,
    /// Those whose SYN-ACK is to be sent.
    pub(super) output: IdQueue<'a>,
    /// The record that gives way next, or one of those after it.
    next_victim: u32,
    /// How many requests the application has yet to be told of, and where the search for them goes on.
    unheard: u32,
    next_unheard: u32,
    /// How many SYN-ACKs wait for their next hops.
    postponed: u32,
}

impl<'a, P: Profile> HalfOpens<'a, P> {
    /// No record yet; at most `limit` where storage grows.
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

    /// Adds a record, made where it stays, whose SYN-ACK is to be sent; `None` if there is no memory
    /// for it.
    pub(super) fn insert_with(&mut self, make: impl FnOnce() -> HalfOpen<P>) -> Option<u32> {
        let id = self.records.vacancy()?;
        let count = id as usize + 1;
        // One that was used before has its place everywhere.
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
        // Whose place it was may be waiting for its next hop still, which this one is not to do.
        if !self.output.push(id) {
            self.resume();
        }
        Some(id)
    }

    /// The record of those with `may_go` that is to give way to a new one. If all do in turn and new
    /// ones take their places, it is the oldest.
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

    /// A request of this listener of which the application was not told; now it counts as told.
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

    /// The application accepts a request, whose SYN-ACK is to be sent.
    pub(super) fn accept_request(&mut self, now: Instant, id: u32) {
        if let Some(record) = self.records.get_mut(id) {
            record.accept_request(now);
            self.timers.arm(id, record.deadline());
            if !self.output.push(id) {
                self.resume();
            }
        }
    }

    /// Takes a record out.
    pub(super) fn remove(&mut self, id: u32) {
        if self.records.get(id).is_some_and(|record| record.asks == Asks::Unheard) {
            self.unheard = self.unheard.saturating_sub(1);
        }
        self.timers.disarm(id);
        self.records.discard(id);
    }

    /// The link has taken the SYN-ACK that is first in the queue, or its timer has it sent again.
    pub(super) fn on_syn_ack_sent(&mut self, now: Instant) {
        if let Some(id) = self.output.pop()
            && let Some(record) = self.records.get_mut(id)
        {
            record.on_syn_ack_sent(now);
            self.timers.arm(id, record.deadline);
        }
    }

    /// The SYN-ACK of a new record was a cookie: it is not to be sent before the timer fires.
    pub(super) fn on_cookie(&mut self, now: Instant, id: u32) {
        if let Some(record) = self.records.get_mut(id) {
            record.sent = UNKNOWN;
            record.on_syn_ack_sent(now);
            self.timers.arm(id, record.deadline);
        }
    }

    /// The SYN-ACK that is first in the queue waits for its next hop; with too many others it counts as
    /// sent and lost. Returns whether there is one.
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

    /// All that were postponed are to be sent.
    pub(super) fn resume(&mut self) {
        self.output.take_back();
        if CAN_GROW {
            self.postponed = 0;
        }
    }
}

#[cfg(test)]
mod tests;

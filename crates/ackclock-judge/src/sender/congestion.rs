//! Bounds of the congestion window: how large it can be at most, by any reading of the law that is told.

use super::conservation::Conservation;
use super::flight::{Delivered, Flight};
use super::retransmission::{Cause, Waits};
use crate::facts::Facts;
use crate::segment::{Offset, Seen};
use crate::sentence::Sentence;
use crate::settings::Law;
use crate::verdict::Docket;
use ackclock::time::{Duration, Instant};
use ackclock::wire::Flags;

pub(crate) static INITIAL_WINDOW: Sentence = Sentence::must(
    "initial-window",
    6928,
    "2",
    "More precisely, the upper bound for the initial window will be min (10*MSS, max (2*MSS, 14600))",
);
pub(crate) static WINDOW_AFTER_LOST_SYN: Sentence = Sentence::must(
    "initial-window-after-lost-syn",
    5681,
    "3.1",
    "Further, if the SYN or SYN/ACK is lost, the initial window used by a sender after a correctly transmitted \
     SYN MUST be one segment consisting of at most SMSS bytes.",
);
pub(crate) static SLOW_START: Sentence = Sentence::must(
    "slow-start",
    5681,
    "3.1",
    "During slow start, a TCP increments cwnd by at most SMSS bytes for each ACK received that cumulatively \
     acknowledges new data.",
);
pub(crate) static AVOIDANCE: Sentence = Sentence::must(
    "congestion-avoidance",
    5681,
    "3.1",
    "Note that during congestion avoidance, cwnd MUST NOT be increased by more than SMSS bytes per RTT.",
);
pub(crate) static AVOIDANCE_CUBIC: Sentence = Sentence::must(
    "congestion-avoidance-cubic",
    8312,
    "4.3",
    "In this region, cwnd MUST be incremented by (W_cubic(t+RTT) - cwnd)/cwnd for each received ACK",
);
pub(crate) static LOSS_RESPONSE: Sentence = Sentence::must(
    "loss-response",
    5681,
    "3.2",
    "When the third duplicate ACK is received, a TCP MUST set ssthresh to no more than the value given in \
     equation (4).",
);
pub(crate) static LOSS_WINDOW: Sentence = Sentence::must(
    "loss-window",
    5681,
    "3.1",
    "Furthermore, upon a timeout (as specified in [RFC2988]) cwnd MUST be set to no more than the loss window, \
     LW, which equals 1 full-sized segment (regardless of the value of IW).",
);
pub(crate) static MARK_RESPONSE: Sentence = Sentence::must(
    "mark-response",
    3168,
    "6.1.2",
    "The indication of congestion should be treated just as a congestion loss in non- ECN-Capable TCP.",
);
pub(crate) static RESTART_WINDOW: Sentence = Sentence::should(
    "restart-window",
    5681,
    "4.1",
    "Therefore, a TCP SHOULD set cwnd to no more than RW before beginning transmission if the TCP has not sent \
     data in an interval exceeding the retransmission timeout.",
);

/// What bounds the window now: the sentence to appeal to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Phase {
    #[default]
    Initial,
    AfterLostSyn,
    Loss,
    Timeout,
    Mark,
    Restart,
}

/// A reduction that takes its time, by proportional rate reduction (RFC 6937) or as acks drain the flight.
#[derive(Clone, Copy, Debug)]
struct Reduction {
    flight: Offset,
    sent: Offset,
    delivered: Offset,
}

/// A mark that a host must have heard at `by`.
#[derive(Clone, Copy, Debug)]
struct Mark {
    by: Instant,
    flight: Offset,
}

/// The bound of the window.
#[derive(Clone, Debug, Default)]
pub(crate) struct Congestion {
    begun: bool,
    /// cwnd and ssthresh at most, in bytes.
    cwnd: Offset,
    ssthresh: Offset,
    phase: Phase,
    /// The host repairs or reacts to what happened before this was sent.
    recover: Offset,
    /// The recovery that goes on, or was the last, is of what was sent before this.
    episode: Offset,
    /// What was sent when the host said last that it had reduced its window.
    told: Offset,
    timed_out: bool,
    /// The timer may have sent again what an ack asked for too.
    perhaps_timed_out: bool,
    /// Fast recovery: acks do not let the window grow.
    repairs: bool,
    reduction: Option<Reduction>,
    conservation: Conservation,
    mark: Option<Mark>,
    /// The bounds before the reduction, for a false alarm.
    prior: Option<(Offset, Offset)>,
    /// Bytes delivered since the ack moved last, and by that ack.
    behind_hole: Offset,
    /// Acks since the last timeout that delivered what had been sent once, before it.
    originals: u32,
    /// Acks since then that acknowledged something new.
    advances: u32,
    /// The largest flight of this period, of the one before, and ever.
    peaks: (Offset, Offset, Offset),
    period: Instant,
    last_data: Instant,
    /// An echo has told that the last reduction was a false alarm.
    undone: bool,
    /// Acks have repeated what was known.
    limited: bool,
}

impl Congestion {
    /// Whether the host repairs losses of an earlier moment.
    pub(crate) fn is_recovering(&self, facts: &Facts) -> bool {
        facts.acked < self.recover.max(self.episode)
    }

    /// Whether an ack ends no fast recovery that has certainly begun.
    pub(crate) fn repairs_before(&self, ack: Offset) -> bool {
        self.repairs && self.phase == Phase::Loss && ack < self.recover
    }

    /// Whether the host has heard of a mark, and not sent data since.
    pub(crate) fn is_marked(&self) -> bool {
        self.mark.is_some()
    }

    /// Up to here the last congestion was answered.
    pub(crate) fn answered(&self) -> Offset {
        self.recover.max(self.told)
    }

    fn begin(&mut self, facts: &Facts, syn_timeouts: u32) {
        if self.begun {
            return;
        }
        self.begun = true;
        self.ssthresh = Offset::MAX;
        self.cwnd = initial_window(facts);
        // RFC 6928 section 2 lets one SYN be lost.
        if syn_timeouts > 1 {
            self.cwnd = loss_window(facts);
            self.phase = Phase::AfterLostSyn;
        }
    }

    /// A segment with an acceptable ack has reached the host.
    pub(crate) fn on_ack(
        &mut self,
        delivered: &Delivered,
        ack: Offset,
        facts: &Facts,
        syn_timeouts: u32,
    ) {
        self.begin(facts, syn_timeouts);
        if let Some(reduction) = &mut self.reduction {
            reduction.delivered += delivered
                .bytes
                .max(if delivered.duplicate && !facts.heeds_sack() { facts.peer_mss() } else { 0 });
        }
        self.limited |= delivered.duplicate && facts.outstanding() > 0;
        let before = if delivered.acked > 0 { 0 } else { self.behind_hole };
        self.behind_hole = before + delivered.bytes;
        self.conservation.on_ack(delivered);
        self.find_false_alarm(delivered, facts);
        let repaired = self.repairs;
        // Without SACK any ack of new data may end the recovery.
        if delivered.acked > 0 && !facts.heeds_sack() {
            self.repairs = false;
        }
        if ack >= self.recover && self.recover > 0 {
            self.repairs = false;
            self.reduction = None;
            if self.timed_out && is_free(facts) {
                self.restore();
            }
            self.timed_out = false;
            self.perhaps_timed_out = false;
        }
        // The ack that ends a recovery deflates the window (RFC 5681 section 3.2).
        if repaired && !is_free(facts) {
            return;
        }
        self.cwnd += self.growth(delivered, facts);
        if is_free(facts) && delivered.acked > 0 {
            self.cwnd = self.cwnd.max(loss_window(facts));
        }
    }

    fn growth(&self, delivered: &Delivered, facts: &Facts) -> Offset {
        let mss = facts.peer_mss();
        if is_free(facts) {
            return delivered.bytes.max(delivered.segments * mss);
        }
        if delivered.acked == 0 {
            return if facts.law() == Law::Cubic { delivered.bytes } else { 0 };
        }
        let by_segments = delivered.bytes.max(delivered.segments * mss);
        if self.cwnd < self.ssthresh {
            // RFC 5681 section 3.1; RFC 3465 section 2.2 allows twice as much.
            return match facts.law() {
                Law::Cubic => by_segments,
                _ => delivered.acked.clamp(mss, 2 * mss),
            };
        }
        let counted = mss * delivered.acked.max(mss) / self.cwnd.max(1) + 1;
        match facts.law() {
            // RFC 9438 section 4.2: the target is at most 1.5 times the window.
            Law::Cubic => counted.max(by_segments / 2),
            _ => counted,
        }
    }

    /// What arrived may say that the reduction was a false alarm: it may be taken back.
    fn find_false_alarm(&mut self, delivered: &Delivered, facts: &Facts) {
        let may_be_spurious = self.timed_out || self.perhaps_timed_out;
        self.originals += u32::from(delivered.original);
        self.advances += u32::from(delivered.acked > 0);
        // F-RTO without SACK waits for a second ack, which acknowledges what was sent once (RFC 5682 section 2.1).
        let is_sure = facts.sack() || self.advances >= 2 && delivered.acked > 0;
        let by_acks = may_be_spurious && self.originals >= 1 && is_sure;
        if delivered.dsack || by_acks || self.undone {
            self.undone = false;
            self.restore();
        }
    }

    /// An ack echoes a timestamp older than that of the retransmission (RFC 3522).
    pub(crate) fn on_eifel(&mut self) {
        self.undone = true;
    }

    fn restore(&mut self) {
        if let Some((cwnd, ssthresh)) = self.prior.take() {
            self.cwnd = self.cwnd.max(cwnd);
            self.ssthresh = self.ssthresh.max(ssthresh);
            self.reduction = None;
            self.repairs = false;
            self.phase = Phase::Initial;
        }
    }

    /// ECN-Echo has reached the host, which must answer it if it does not yet.
    pub(crate) fn on_mark(&mut self, now: Instant, facts: &Facts) {
        let by = now + facts.settings.reaction;
        self.mark.get_or_insert(Mark { by, flight: facts.outstanding() });
    }

    /// The host has sent data again.
    pub(crate) fn on_again(
        &mut self,
        seen: &Seen<'_>,
        cause: Cause,
        facts: &Facts,
        flight: &mut Flight,
    ) {
        // A recovery lasts until what was sent before it is acknowledged (RFC 6675 section 5, RecoveryPoint).
        let in_episode = facts.acked < self.episode;
        // What was sent before CWR told of a reduction is of the window that it was for (RFC 3168 section 6.1.2), also where a
        // loss before that turned out to be none.
        let answered = self.answered();
        let is_new = (seen.text() >= answered || answered == 0) && !in_episode;
        if facts.acked >= self.episode && !matches!(cause, Cause::Probe | Cause::TooBig) {
            self.episode = facts.sent;
        }
        if cause == Cause::EvidenceOrTimer {
            flight.empty_pipe();
        }
        let sends = flight.record(seen.text().max(facts.acked)).map_or(0, |record| record.sends);
        self.conservation.on_again(cause, sends);
        match cause {
            Cause::Probe | Cause::TooBig => {}
            Cause::Evidence | Cause::EvidenceOrTimer if is_new => {
                // A mark of the same window may have been answered, and once is enough (RFC 3168 section
                // 6.1.2).
                let law = facts.law();
                let by_mark = if self.mark.is_some() { mark_share(law) } else { 0 };
                self.reduce(facts, loss_share(law).max(by_mark), Phase::Loss);
            }
            // Three more acks that repeat what is known: equation (4) anew (RFC 5681 section 3.2), to which
            // RFC 6582 section 3.2 prefers a recovery that goes on.
            Cause::Evidence if flight.repeats >= 3 && !facts.heeds_sack() => {
                let again = self.peak(facts) * loss_share(facts.law()) / 100;
                self.ssthresh = self.ssthresh.max(again);
                self.cwnd = self.cwnd.max(self.ssthresh.min(2 * again));
            }
            Cause::Evidence => {}
            // Equation (4) anew, with what limited transmit and inflation have added to the flight.
            Cause::EvidenceOrTimer => {
                let again = self.peak(facts) * loss_share(facts.law()) / 100;
                self.ssthresh = self.ssthresh.max(again);
            }
            Cause::Timer => {
                if !self.timed_out || is_new {
                    self.reduce(facts, loss_share(facts.law()), Phase::Timeout);
                }
                self.timed_out = true;
                self.repairs = false;
                (self.originals, self.advances) = (0, 0);
                self.recover = facts.sent;
                self.phase = Phase::Timeout;
                self.reduction = None;
                self.prior = self.prior.or(Some((self.cwnd, self.ssthresh)));
                self.cwnd = loss_window(facts);
                flight.empty_pipe();
            }
        }
        // After a timeout the window grows at once.
        if cause == Cause::EvidenceOrTimer {
            // What was sent before a timeout is of the window that it has reduced.
            self.recover = facts.sent;
            self.repairs = false;
            self.perhaps_timed_out = true;
            (self.originals, self.advances) = (0, 0);
        }
    }

    /// The largest flight of late.
    fn peak(&self, facts: &Facts) -> Offset {
        self.peaks.0.max(self.peaks.1).max(facts.outstanding())
    }

    /// Reduces the bound to a share of the flight, in hundredths.
    fn reduce(&mut self, facts: &Facts, share: Offset, phase: Phase) {
        self.recover = facts.sent;
        self.timed_out = false;
        self.perhaps_timed_out = false;
        self.mark = None;
        let prior = (self.cwnd, self.ssthresh);
        self.prior = Some(match self.prior {
            Some(older) if facts.acked < self.recover => {
                (older.0.max(prior.0), older.1.max(prior.1))
            }
            _ => prior,
        });
        if is_free(facts) {
            return;
        }
        let flight = facts.outstanding();
        let peak = self.peak(facts);
        let base = match facts.law() {
            // RFC 9438 section 4.6 lets it be cwnd, if that does not grow while it is not used.
            Law::Cubic => self.cwnd.min(self.peaks.2.max(flight)).max(peak),
            // The paper reduces cwnd, which grows until the flight is half of it (RFC 7661 section 4.3).
            Law::Veno => self.cwnd.min(2 * self.peaks.2.max(flight)).max(peak),
            // RFC 7661 section 4.4.1 takes what was acknowledged in a round trip of late if that is more.
            _ => peak,
        };
        let mss = facts.peer_mss();
        self.ssthresh = (base * share / 100).max(2 * mss);
        self.cwnd = self.cwnd.min(self.ssthresh);
        self.phase = phase;
        self.repairs = phase == Phase::Loss;
        self.reduction =
            Some(Reduction { flight: flight.max(1), sent: 0, delivered: self.behind_hole });
        match phase {
            Phase::Loss => self.conservation.begin(self.behind_hole, facts),
            _ => self.conservation.end(),
        }
    }

    /// The host is about to have sent data: does its window allow it?
    pub(crate) fn judge(
        &mut self,
        seen: &Seen<'_>,
        facts: &Facts,
        flight: &Flight,
        waits: Waits,
        docket: &mut Docket<'_>,
    ) {
        self.begin(facts, 0);
        self.note_period(seen.time, facts, flight);
        // CWR says that the host has reduced its window, where it is no part of a counter (RFC 9768 section 3.1).
        let has_cwr = facts.ecn() && seen.is(Flags::CWR);
        if let Some(mark) = self.mark.filter(|mark| seen.time > mark.by || has_cwr) {
            self.reduce(facts, mark_share(facts.law()), Phase::Mark);
            // A mark is no false alarm, whatever is found out about losses of its window.
            self.prior = None;
            if let Some(reduction) = &mut self.reduction {
                reduction.flight = mark.flight.max(1);
            }
        }
        if has_cwr {
            self.told = facts.sent;
        }
        let idle = seen.time.saturating_since(self.last_data) > waits.longest_rto;
        if idle && facts.settings.restarts_after_idle && facts.outstanding() == 0 {
            let restart = initial_window(facts);
            if self.cwnd > restart && self.last_data > Instant::ZERO {
                self.cwnd = restart;
                self.phase = Phase::Restart;
            }
        }
        let quiet = seen.time.saturating_since(self.last_data) + facts.settings.reaction
            >= waits.tail_probe;
        self.last_data = seen.time;
        let len = seen.payload_len();
        if let Some(reduction) = &mut self.reduction {
            reduction.sent += len;
        }
        self.conservation.judge(seen, facts, docket);
        // What is due first always goes; so does a probe of the tail (RFC 8985 section 7.3).
        let is_first = seen.text() <= facts.acked && seen.text() < facts.sent;
        let pipe = flight.pipe(facts);
        if pipe + len <= self.cwnd + self.slack(facts) || is_first || quiet || self.drains(facts) {
            return;
        }
        let sentence = self.sentence(facts);
        docket.forbid(sentence, seen.time, seen.number, || {
            format!(
                "{len} bytes beside at least {pipe} on the path, where the window is at most {}",
                self.cwnd
            )
        });
    }

    /// What rounding and limited transmit may add.
    fn slack(&self, facts: &Facts) -> Offset {
        let untouched = self.recover == 0 && self.ssthresh == Offset::MAX;
        match self.limited {
            // RFC 3042 section 2.
            true if untouched || is_free(facts) => 2 * facts.peer_mss(),
            _ if untouched || self.timed_out && self.cwnd < self.ssthresh => 0,
            _ => facts.peer_mss(),
        }
    }

    /// Whether the host sends no more of what arrives than takes the flight to the new window.
    fn drains(&self, facts: &Facts) -> bool {
        self.reduction.is_some_and(|reduction| {
            let earned = i128::from(reduction.delivered) * i128::from(self.ssthresh);
            let spent =
                i128::from(reduction.sent - 2 * facts.peer_mss()) * i128::from(reduction.flight);
            spent <= earned
        })
    }

    fn sentence(&self, facts: &Facts) -> &'static Sentence {
        let grown = self.cwnd > self.ssthresh && self.ssthresh != Offset::MAX;
        match self.phase {
            Phase::Mark if !grown => &MARK_RESPONSE,
            Phase::Loss if !grown => &LOSS_RESPONSE,
            Phase::Timeout if !grown => &LOSS_WINDOW,
            Phase::Restart => &RESTART_WINDOW,
            Phase::AfterLostSyn => &WINDOW_AFTER_LOST_SYN,
            Phase::Initial if facts.acked <= 1 => &INITIAL_WINDOW,
            _ if grown && facts.law() == Law::Cubic => &AVOIDANCE_CUBIC,
            _ if grown => &AVOIDANCE,
            _ => &SLOW_START,
        }
    }

    fn note_period(&mut self, now: Instant, facts: &Facts, flight: &Flight) {
        let length = flight.longest_rtt().unwrap_or(Duration::ZERO).saturating_mul(3);
        if now > self.period + length.max(Duration::from_secs(1)) {
            self.peaks.1 = self.peaks.0;
            self.peaks.0 = 0;
            self.period = now;
        }
        let outstanding = facts.outstanding();
        self.peaks.0 = self.peaks.0.max(outstanding);
        self.peaks.2 = self.peaks.2.max(outstanding + facts.peer_mss());
    }
}

/// Whether the law is bound by nothing but what was delivered.
pub(super) fn is_free(facts: &Facts) -> bool {
    matches!(facts.law(), Law::Unknown | Law::Bbr)
}

/// The window after a timeout, RFC 5681 section 3.1. BBR never has less than four segments.
fn loss_window(facts: &Facts) -> Offset {
    facts.peer_mss() * if is_free(facts) { 4 } else { 1 }
}

/// RFC 6928 section 2, for the told number of segments.
fn initial_window(facts: &Facts) -> Offset {
    let (mss, segments) = (facts.peer_mss(), Offset::from(facts.settings.initial_window));
    (segments * mss).min((segments * 1460).max(2 * mss))
}

/// The largest share of the flight that a law keeps after a loss, in hundredths.
fn loss_share(law: Law) -> Offset {
    match law {
        Law::Veno => 80,
        Law::Cubic => 70,
        _ => 50,
    }
}

/// The same after a mark (RFC 8511 section 3.1).
fn mark_share(law: Law) -> Offset {
    match law {
        Law::Cubic => 85,
        _ => 80,
    }
}

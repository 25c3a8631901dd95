//! The sending half of a connection: the queue, what is in flight, and when to send what.

mod ack;
mod delivery;
mod ecn;
mod flight;
mod limit_clock;
mod linux_deviation;
mod nagle;
mod pacing;
mod path_probe;
mod persist;
mod predicted;
mod recovery;
mod restart;
mod round;
mod rto;
mod rto_clock;
mod rtt;
mod timer;
mod transmit;
mod user_timeout;
mod validation;
mod window;

pub(crate) use ack::AckInput;
pub use delivery::DeliveryRecord;
pub(crate) use ecn::Capability;
pub(crate) use flight::PieceChoice;
pub use flight::{FlightRecord, choice as flight_choice};
pub(crate) use path_probe::{ProbeFate, ProbeTurn};
pub(crate) use recovery::EarlyTimer;
pub use recovery::RecoveryAlgorithm;
pub use recovery::choice as recovery_choice;
pub(crate) use rtt::UnitChoice;
pub(crate) use transmit::{Data, DataKind};

use super::count::{ByteCount, Count};
use super::urgent::Urgent;
use super::{Initial, LostRetransmission, Nagle, Open, Settings};
use crate::congestion::{CongestionController, Start};
use crate::profile::{Full, Kept, Part, Profile};
use crate::seq::{SeqNumber, SeqRange};
use crate::storage::{Buffer, Ring};
use crate::time::{Duration, Instant};
use delivery::Delivery;
use ecn::EcnSender;
pub(crate) use flight::Flight;
use flight::{Delivered, FlightOf};
use limit_clock::LimitClock;
use nagle::Cork;
use pacing::Pacer;
use recovery::choice::RecoveryChoice;
use recovery::{MeasuredRtt, Phase, Recovery};
use round::Round;
pub(crate) use rto::Rto;
pub(crate) use timer::Timer;
use timer::Waiting;
use window::SendWindow;

/// What both sides agreed on, as far as the sender must know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SenderStart {
    /// Effective send MSS in bytes, options that stand in every segment deducted.
    pub(crate) mss: u32,
    /// Whether the peer permits SACK.
    pub(crate) sack: bool,
    /// Whether new data may be sent as ECN-capable.
    pub(crate) ecn: Capability,
    /// The peer's window, from its SYN segment, in bytes.
    pub(crate) window: u32,
    /// SEG.SEQ of that segment.
    pub(crate) seq: SeqNumber,
    /// Round-trip time of the handshake, if it could be measured.
    pub(crate) rtt: Option<Duration>,
    /// Whether the SYN had to be retransmitted (RFC 6298 rule 5.7, RFC 6928 section 2: the initial
    /// window is one segment then).
    pub(crate) syn_lost: bool,
}

/// Counters of the sender, for `Info`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SenderCounters<P: Profile> {
    pub(crate) bytes_acked: ByteCount<P>,
    pub(crate) bytes_retransmitted: ByteCount<P>,
    pub(crate) retransmitted: Count<P>,
    pub(crate) duplicate_acks: Count<P>,
    pub(crate) timeouts: Count<P>,
    pub(crate) fast_recoveries: Count<P>,
    pub(crate) dsacks: Count<P>,
    pub(crate) probes: Count<P>,
    pub(crate) tail_probes: Count<P>,
    pub(crate) undos: Count<P>,
}

/// How far the end of our data has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fin {
    /// The application may send more.
    Open,
    /// A FIN follows the queue.
    Queued,
    Sent,
    Acked,
}

/// An [MSS](Sender::mss), or an [MTU](Sender::path_mtu), as a sender keeps it.
fn stored(size: u32) -> u16 {
    u16::try_from(size.max(1)).unwrap_or(u16::MAX)
}

/// The sending half.
#[derive(Debug)]
pub(crate) struct Sender<'a, C, P: Profile = Full> {
    controller: C,
    /// Bytes from SND.UNA on.
    queue: Ring<'a>,
    flight: FlightOf<'a, P>,
    pub(super) recovery: Recovery<P>,
    rto: Rto<P>,
    ecn: EcnSender<P>,
    round: Round<P>,
    delivery: Delivery<P>,
    limits: LimitClock<P>,
    pacer: <P::Pacing as Part>::Keeps<Pacer>,
    path_probe: <P::PathProbing as Part>::Keeps<ProbeFate>,
    /// When the retransmission timer or the persist timer fires.
    deadline: Instant,
    /// Which of the two it is, and whether a probe is due.
    waiting: Waiting,
    window: SendWindow,
    snd_una: SeqNumber,
    snd_nxt: SeqNumber,
    /// See [`mss`](Self::mss). (A connection is small.)
    mss: u16,
    /// See [`path_mtu`](Self::path_mtu).
    path_mtu: u16,
    fin: Fin,
    /// The application has given the connection up.
    orphaned: bool,
    /// SND.UP.
    urgent: Urgent<P>,
    nagle: Nagle,
    /// What the loss of a retransmission means for the window.
    lost_retransmission: <P::Historic as Part>::Keeps<LostRetransmission>,
    cork: Cork,
    /// The number after the last small segment that was sent (Minshall).
    small_end: <P::RareSettings as Part>::Keeps<SeqNumber>,
    /// When data was last sent (jacobson88 appendix C).
    last_sent_at: Instant,
    /// Since when nothing has been acknowledged although something is in flight.
    no_progress_since: Instant,
    /// How often the retransmission timer has fired since something was acknowledged last.
    timeouts_in_a_row: u8,
    /// State of the random words given to the law.
    random: u32,
    counters: SenderCounters<P>,
}

impl<'a, C: CongestionController, P: Profile> Sender<'a, C, P> {
    /// A sender whose SYN, numbered `iss`, has not been acknowledged: data can only be queued.
    #[inline(always)]
    pub(crate) fn new(
        initial: &Initial<P>,
        controller: C,
        (queue, flight, delivery): (
            Buffer<'a, u8>,
            Buffer<'a, FlightRecord<P>>,
            Buffer<'a, DeliveryRecord>,
        ),
        open: &Open,
    ) -> Self {
        let iss = open.iss;
        // Memory that is lent is there to be used; memory that grows is for laws that ask for it.
        let measuring = !delivery.can_grow() || controller.wants_delivery_rate();
        let delivery = if measuring { delivery } else { Buffer::default() };
        let may_grow = queue.can_grow();
        Sender {
            controller,
            queue: Ring::new(queue, initial.send_buffer as usize),
            flight: Flight::new(iss + 1, (flight, delivery), initial.flight_records as usize),
            recovery: Recovery::new(initial.settings.recovery, false, iss),
            rto: initial.rto,
            ecn: EcnSender::new(Capability::None, iss),
            round: Round::new(Instant::ZERO, iss + 1),
            delivery: Delivery::default(),
            limits: LimitClock::new(may_grow),
            pacer: Kept::new(Pacer::new()),
            path_probe: Kept::new(ProbeFate::None),
            deadline: Instant::FAR_FUTURE,
            waiting: Waiting::ForAck,
            window: SendWindow::new(0, iss, iss),
            snd_una: iss + 1,
            snd_nxt: iss + 1,
            mss: 1,
            path_mtu: u16::try_from(open.mtu).unwrap_or(u16::MAX),
            fin: Fin::Open,
            orphaned: false,
            urgent: Urgent::default(),
            nagle: initial.nagle,
            lost_retransmission: initial.lost_retransmission,
            cork: Cork::Off,
            small_end: Kept::new(iss + 1),
            last_sent_at: Instant::ZERO,
            no_progress_since: Instant::ZERO,
            timeouts_in_a_row: 0,
            random: open.random as u32,
            counters: SenderCounters::default(),
        }
    }

    /// The connection is established: both SYNs are acknowledged.
    pub(crate) fn start(&mut self, now: Instant, settings: &Settings<P>, start: &SenderStart) {
        self.mss = stored(start.mss);
        self.recovery = Recovery::new(settings.recovery, start.sack, self.snd_una - 1);
        self.window = SendWindow::new(start.window, start.seq, self.snd_una);
        self.round = Round::new(now, self.snd_nxt);
        self.ecn = EcnSender::new(start.ecn, self.snd_una - 1);
        self.last_sent_at = now;
        if let Some(rtt) = start.rtt {
            self.rto.on_sample(now, rtt);
        }
        if start.syn_lost {
            self.rto.on_syn_lost();
        }
        let initial_window =
            if start.syn_lost { self.mss() } else { settings.initial_window(self.mss()) };
        self.controller.on_start(&Start {
            now,
            mss: self.mss(),
            initial_window,
            rtt: start.rtt,
            selective_acks: start.sack,
            counts_marks: self.has_counted_marks(),
            delivered: 0,
        });
        self.rearm(now);
    }

    /// The round-trip time and its deviation that an earlier connection has measured, in microseconds; zero if
    /// none has.
    pub(crate) fn expect_rtt(&mut self, rtt: u32, rttvar: u32) {
        self.rto.expect(rtt, rttvar);
    }

    /// The slow-start threshold in bytes that an earlier connection had, 0 if it had none, and the reordering
    /// that it has seen. A threshold below the initial window would be of one that had met more than its share of
    /// losses.
    pub(crate) fn expect(&mut self, threshold: u32, reordering: Option<u8>) {
        if threshold > 0 {
            self.controller.on_known_threshold(threshold.max(self.controller.window()));
        }
        if let Some(steps) = reordering {
            self.recovery.expect_reordering(steps);
        }
    }

    /// The slow-start threshold in bytes, for the next connection to the host; 0 if there is none. Half the window
    /// at least, as it would be after another loss; in a recovery the window says nothing.
    pub(crate) fn threshold_to_remember(&self) -> u32 {
        let law = &self.controller;
        match law.slow_start_threshold() {
            u32::MAX => 0,
            threshold if self.in_recovery() => threshold,
            threshold => threshold.max(law.window() / 2),
        }
    }

    /// The peer's SYN acknowledges ours with `ack`, and with it text, `sent` bytes of which went with it.
    /// Returns how many of these it acknowledges; the others are to be sent again.
    pub(crate) fn take_ack_of_syn_text(&mut self, now: Instant, ack: SeqNumber, sent: u32) -> u32 {
        let range = SeqRange::new(self.snd_una, ack);
        if !range.is_empty() {
            self.flight.push(now, range, range.len());
            self.flight.acknowledge(ack, &mut Delivered::default());
            self.snd_nxt = ack;
            self.take_off_queue(ack);
        }
        let lost = sent.saturating_sub(range.len());
        self.counters.bytes_retransmitted.add(lost);
        self.counters.retransmitted.add(u32::from(lost > 0));
        range.len()
    }

    /// The handshake of a connection that has [started](Self::start) before is finished.
    pub(crate) fn on_handshake_finished(
        &mut self,
        now: Instant,
        rtt: Option<Duration>,
        syn_lost: bool,
    ) {
        if let Some(rtt) = rtt {
            self.rto.on_sample(now, rtt);
        }
        if syn_lost {
            self.rto.on_syn_lost();
        }
        self.no_progress_since = now;
        self.restart_timer(now);
        self.rearm(now);
    }

    /// Whether the FIN was sent.
    pub(crate) fn has_sent_fin(&self) -> bool {
        self.fin >= Fin::Sent
    }

    #[inline(always)]
    fn note_fin_sent(&mut self, fin: bool) {
        if fin {
            self.fin = Fin::Sent;
        }
    }

    /// Whether nothing is queued or in flight.
    pub(crate) fn holds_no_data(&self) -> bool {
        self.queue.is_empty() && self.flight.is_empty()
    }

    /// Gives memory of its own that holds nothing back.
    pub(crate) fn release_memory(&mut self) {
        self.queue.release();
        self.flight.release();
    }

    /// The memory of the queue, of the flight and of the delivery records.
    pub(crate) fn into_buffers(
        self,
    ) -> (Buffer<'a, u8>, Buffer<'a, FlightRecord<P>>, Buffer<'a, DeliveryRecord>) {
        let (flight, delivery) = self.flight.into_memory();
        (self.queue.into_buffer(), flight, delivery)
    }

    pub(crate) fn snd_una(&self) -> SeqNumber {
        self.snd_una
    }

    pub(crate) fn snd_nxt(&self) -> SeqNumber {
        self.snd_nxt
    }

    /// The sequence number of a segment without text: SND.NXT, or where the peer's window ends if
    /// more was sent than it takes (a probe, or the window shrank); beyond it the peer would not
    /// accept the segment.
    pub(crate) fn acceptable_seq(&self) -> SeqNumber {
        self.snd_nxt.min(self.snd_una + self.window.size)
    }

    /// Largest payload of a segment in bytes; no IP packet has more than 65,515.
    #[inline(always)]
    pub(crate) fn mss(&self) -> u32 {
        self.mss.into()
    }

    /// Largest IP packet on the path, in bytes; none is longer than 65,535.
    pub(crate) fn path_mtu(&self) -> u32 {
        self.path_mtu.into()
    }

    /// The path takes only packets of `mtu` bytes from now on; the [MSS](Self::set_mss) follows from it.
    pub(crate) fn set_path_mtu(&mut self, mtu: u32) {
        self.path_mtu = stored(mtu);
    }

    /// Whether its memory may grow, and is not all lent.
    pub(crate) fn may_grow(&self) -> bool {
        self.queue.can_grow()
    }

    pub(crate) fn window(&self) -> &SendWindow {
        &self.window
    }

    pub(crate) fn queue(&self) -> &Ring<'a> {
        &self.queue
    }

    pub(crate) fn flight(&self) -> &FlightOf<'a, P> {
        &self.flight
    }

    pub(crate) fn controller(&self) -> &C {
        &self.controller
    }

    pub(crate) fn rto(&self) -> &Rto<P> {
        &self.rto
    }

    /// Whether neither the law nor anybody else asks what an ack says of the path.
    fn hears_nothing(&self) -> bool {
        !P::DELIVERY_RATE && self.controller.is_constant()
    }

    fn measured_rtt(&self) -> MeasuredRtt {
        MeasuredRtt { min: self.rto.min_rtt(), smoothed: self.rto.smoothed_rtt() }
    }

    pub(crate) fn counters(&self) -> &SenderCounters<P> {
        &self.counters
    }

    /// Payload bytes sent, retransmissions included.
    pub(crate) fn bytes_sent(&self) -> u64 {
        let unacked = self.queue.len() as u32 - self.unsent();
        let counters = &self.counters;
        counters.bytes_acked.get() + u64::from(unacked) + counters.bytes_retransmitted.get()
    }

    /// When data was sent last, or the connection established.
    pub(crate) fn last_sent_at(&self) -> Instant {
        self.last_sent_at
    }

    pub(crate) fn delivery_rate(&self) -> u64 {
        self.round.rate()
    }

    /// Whether the application had too little to send while that was measured.
    pub(crate) fn is_delivery_rate_app_limited(&self) -> bool {
        self.round.is_app_limited()
    }

    /// By how many steps the reordering window has grown, if reordering was seen.
    pub(crate) fn reordering(&self) -> Option<u8> {
        self.recovery.reordering()
    }

    pub(crate) fn in_recovery(&self) -> bool {
        self.recovery.phase() != Phase::Open
    }

    pub(crate) fn fin_acked(&self) -> bool {
        self.fin == Fin::Acked
    }

    /// Whether everything queued, a FIN included, was acknowledged.
    pub(crate) fn is_flushed(&self) -> bool {
        self.queue.is_empty() && matches!(self.fin, Fin::Open | Fin::Acked)
    }

    pub(crate) fn recovery_algorithm(&self) -> RecoveryAlgorithm {
        self.recovery.algorithm()
    }

    /// Bytes thought to be in the network, as the recovery at work counts them.
    pub(crate) fn pipe(&self) -> u32 {
        self.recovery.pipe(&self.flight)
    }

    /// How often the retransmission timer has fired since something was acknowledged last.
    pub(crate) fn timeouts_in_a_row(&self) -> u32 {
        self.timeouts_in_a_row.into()
    }

    /// SYNs count as retransmitted segments too.
    pub(crate) fn count_retransmitted_syns(&mut self, count: u32) {
        self.counters.retransmitted.add(count);
    }

    /// Queues what fits of `data`.
    #[inline(always)]
    pub(crate) fn enqueue(&mut self, now: Instant, data: &[u8]) -> usize {
        self.note_app_limited();
        let taken = self.queue.push(data);
        if P::LIMIT_TIMES && taken < data.len() {
            self.limits.on_refused(now);
        }
        self.rearm(now);
        taken
    }

    /// Queues what `write` has written into the memory that it gets, as many bytes as it says.
    pub(crate) fn enqueue_with(
        &mut self,
        now: Instant,
        write: impl FnOnce(&mut [u8]) -> usize,
    ) -> usize {
        self.note_app_limited();
        let room = self.queue.room();
        let taken = write(room).min(room.len());
        self.queue.extend(taken);
        if P::LIMIT_TIMES && self.queue.free() == 0 {
            self.limits.on_refused(now);
        }
        self.rearm(now);
        taken
    }

    /// Marks the last byte queued as urgent.
    pub(crate) fn mark_urgent(&mut self) {
        self.urgent.set(self.snd_una + self.queue.len() as u32);
    }

    /// SND.UP: the number after the last urgent byte, unless all are acknowledged.
    pub(crate) fn urgent(&self) -> Option<SeqNumber> {
        self.urgent.get()
    }

    /// No more data will be queued: a FIN follows.
    pub(crate) fn finish(&mut self, now: Instant) {
        self.fin = self.fin.max(Fin::Queued);
        self.rearm(now);
    }

    /// Whether [`finish`](Self::finish) was called.
    pub(crate) fn is_finished(&self) -> bool {
        self.fin != Fin::Open
    }

    /// Most bytes queued; what is queued stays.
    pub(crate) fn set_limit(&mut self, limit: usize) {
        self.queue.set_limit(limit);
    }

    /// Another law takes over, which [`start`](Self::start) will start.
    pub(crate) fn set_controller(&mut self, controller: C) {
        self.controller = controller;
    }

    /// Another law takes over, from the window that the last one had.
    pub(crate) fn change_controller(&mut self, now: Instant, mut controller: C, sack: bool) {
        let rtt = self.rto.smoothed_rtt();
        controller.on_start(&Start {
            now,
            mss: self.mss(),
            initial_window: self.controller.window(),
            rtt: (!rtt.is_zero()).then_some(rtt),
            selective_acks: sack,
            counts_marks: self.has_counted_marks(),
            delivered: self.delivery.total(),
        });
        self.controller = controller;
    }

    /// The path takes only segments of `mss` payload bytes from now on (RFC 1191, RFC 8201). What
    /// is in flight in larger ones is lost, which says nothing of congestion.
    pub(crate) fn set_mss(&mut self, now: Instant, mss: u32) {
        let mss = stored(mss).into();
        if mss == self.mss() {
            return;
        }
        let smaller = mss < self.mss();
        self.mss = stored(mss);
        self.controller.on_mss_change(mss);
        if smaller && !self.flight.is_empty() {
            self.give_probe_up();
            self.flight.cut_anew(now, mss);
            self.recovery.on_all_lost(&mut self.flight, now, self.snd_nxt);
        }
        self.rearm(now);
    }

    /// Bytes queued that were never sent.
    fn unsent(&self) -> u32 {
        let sent = self.snd_nxt.since(self.snd_una) - u32::from(self.fin == Fin::Sent);
        (self.queue.len() as u32).saturating_sub(sent)
    }

    fn is_tail_probe_due(&self) -> bool {
        <<P::Recovery as RecoveryChoice>::ByTime as Part>::PRESENT
            && self.waiting == Waiting::TailProbeDue
    }

    pub(crate) fn fin_pending(&self) -> bool {
        self.fin == Fin::Queued
    }

    /// Sequence numbers that the peer's window still takes.
    fn usable_window(&self) -> u32 {
        (self.snd_una + self.window.size).since(self.snd_nxt)
    }

    /// xorshift32 (Marsaglia 2003): words for laws that randomise; nothing secret comes of them.
    fn next_random(&mut self) -> u32 {
        let mut x = self.random.max(1);
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        self.random = x;
        x
    }
}

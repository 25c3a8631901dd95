//! The sending half of a connection: the send queue, the data in flight, and what to send when.

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
mod spurious_timeout;
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

/// What both SYNs agreed on, as far as it concerns the sender.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SenderStart {
    /// Effective send MSS in bytes, without the options that every segment carries.
    pub(crate) mss: u32,
    /// Whether the peer permits SACK.
    pub(crate) sack: bool,
    /// Whether new data may be sent as ECN-capable.
    pub(crate) ecn: Capability,
    /// The peer's window by its SYN, in bytes.
    pub(crate) window: u32,
    /// SEG.SEQ of the segment with that window.
    pub(crate) seq: SeqNumber,
    /// Round-trip time of the handshake, if it could be measured.
    pub(crate) rtt: Option<Duration>,
    /// Whether the SYN had to be retransmitted (RFC 6298 rule 5.7; RFC 6928 section 2: the initial window is
    /// then one segment).
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

/// State of the end of our data, the FIN.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fin {
    /// No FIN is queued: the application may send more.
    Open,
    /// A FIN follows the queued data.
    Queued,
    Sent,
    Acked,
}

/// An [MSS](Sender::mss) or an [MTU](Sender::path_mtu) in the form in which a sender stores it.
fn stored(size: u32) -> u16 {
    u16::try_from(size.max(1)).unwrap_or(u16::MAX)
}

/// The sending half of a connection.
#[derive(Debug)]
pub(crate) struct Sender<'a, C, P: Profile = Full> {
    controller: C,
    /// Send queue: the bytes from SND.UNA on.
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
    /// When the retransmission timer or the persist timer expires.
    deadline: Instant,
    /// Which of the two timers runs, and whether a probe is due.
    waiting: Waiting,
    window: SendWindow,
    snd_una: SeqNumber,
    snd_nxt: SeqNumber,
    /// See [`mss`](Self::mss). (Two bytes, as a connection is small.)
    mss: u16,
    /// See [`path_mtu`](Self::path_mtu).
    path_mtu: u16,
    fin: Fin,
    /// Whether the application has given the connection up.
    orphaned: bool,
    /// SND.UP.
    urgent: Urgent<P>,
    nagle: Nagle,
    /// What the loss of a retransmission means for the window.
    lost_retransmission: <P::Historic as Part>::Keeps<LostRetransmission>,
    cork: Cork,
    /// The sequence number after the last small segment sent (Minshall's rule).
    small_end: <P::RareSettings as Part>::Keeps<SeqNumber>,
    /// When data was last sent (jacobson88 appendix C).
    last_sent_at: Instant,
    /// Since when nothing has been acknowledged although data is in flight.
    no_progress_since: Instant,
    /// How often the retransmission timer has expired since the last ack of new data.
    timeouts_in_a_row: u8,
    /// State of the random number generator for congestion control.
    random: u32,
    counters: SenderCounters<P>,
}

impl<'a, C: CongestionController, P: Profile> Sender<'a, C, P> {
    /// A sender whose SYN, with initial sequence number `iss`, has not been acknowledged: data can only be
    /// queued.
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
        // Lent memory is always used; memory that grows is used only if congestion control asks for rates.
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

    /// Starts to send: both SYNs are known.
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

    /// Begins with the round-trip time and its deviation that an earlier connection has measured, in
    /// microseconds; zero if none has.
    pub(crate) fn expect_rtt(&mut self, rtt: u32, rttvar: u32) {
        self.rto.expect(rtt, rttvar);
    }

    /// Begins with the slow-start threshold of an earlier connection in bytes (0: none), and with the
    /// reordering that it has seen. A threshold below the initial window is raised to it: that connection had
    /// more than its share of losses.
    pub(crate) fn expect(&mut self, threshold: u32, reordering: Option<u8>) {
        if threshold > 0 {
            self.controller.on_known_threshold(threshold.max(self.controller.window()));
        }
        if let Some(steps) = reordering {
            self.recovery.expect_reordering(steps);
        }
    }

    /// The slow-start threshold in bytes to remember for the next connection to the host; 0 if there is none.
    /// It is at least half the window, as it would be after another loss; during recovery the window is not
    /// meaningful.
    pub(crate) fn threshold_to_remember(&self) -> u32 {
        let law = &self.controller;
        match law.slow_start_threshold() {
            u32::MAX => 0,
            threshold if self.in_recovery() => threshold,
            threshold => threshold.max(law.window() / 2),
        }
    }

    /// Handles the ack of our SYN by the peer's, which may cover some of the `sent` bytes of data that the
    /// SYN carried. Returns how many it covers; the others are to be retransmitted.
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

    /// Notes that the handshake is finished on a connection that had [started](Self::start) to send before.
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

    /// Frees owned memory that holds no data.
    pub(crate) fn release_memory(&mut self) {
        self.queue.release();
        self.flight.release();
    }

    /// Gives back the memory of the queue, of the flight and of the delivery records.
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

    /// The sequence number of a segment without payload: SND.NXT, or the right edge of the peer's window if
    /// more was sent than that (a probe, or the window shrank), as beyond it the peer would not accept the
    /// segment.
    pub(crate) fn acceptable_seq(&self) -> SeqNumber {
        self.snd_nxt.min(self.snd_una + self.window.size)
    }

    /// Largest payload of a segment in bytes, options deducted; at most 65,515.
    #[inline(always)]
    pub(crate) fn mss(&self) -> u32 {
        self.mss.into()
    }

    /// Path MTU in bytes; at most 65,535.
    pub(crate) fn path_mtu(&self) -> u32 {
        self.path_mtu.into()
    }

    /// Sets the path MTU in bytes; the [MSS](Self::set_mss) has to follow.
    pub(crate) fn set_path_mtu(&mut self, mtu: u32) {
        self.path_mtu = stored(mtu);
    }

    /// Whether the sender's memory may grow; else it is all lent.
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

    /// Whether nothing, congestion control included, uses what an ack tells about the path.
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

    /// When data was last sent; before, when the connection was established.
    pub(crate) fn last_sent_at(&self) -> Instant {
        self.last_sent_at
    }

    pub(crate) fn delivery_rate(&self) -> u64 {
        self.round.rate()
    }

    /// Whether the application limited the sender while [`delivery_rate`](Self::delivery_rate) was measured.
    pub(crate) fn is_delivery_rate_app_limited(&self) -> bool {
        self.round.is_app_limited()
    }

    /// How many steps the reordering window has grown by, if reordering was seen.
    pub(crate) fn reordering(&self) -> Option<u8> {
        self.recovery.reordering()
    }

    pub(crate) fn in_recovery(&self) -> bool {
        self.recovery.phase() != Phase::Open
    }

    pub(crate) fn fin_acked(&self) -> bool {
        self.fin == Fin::Acked
    }

    /// Whether everything queued was acknowledged, including the FIN after a shutdown.
    pub(crate) fn is_flushed(&self) -> bool {
        self.queue.is_empty() && matches!(self.fin, Fin::Open | Fin::Acked)
    }

    pub(crate) fn recovery_algorithm(&self) -> RecoveryAlgorithm {
        self.recovery.algorithm()
    }

    /// Bytes considered to be in the network, as the recovery in use counts them (pipe).
    pub(crate) fn pipe(&self) -> u32 {
        self.recovery.pipe(&self.flight)
    }

    /// How often the retransmission timer has expired since the last ack of new data.
    pub(crate) fn timeouts_in_a_row(&self) -> u32 {
        self.timeouts_in_a_row.into()
    }

    /// Counts retransmitted SYNs among the retransmitted segments.
    pub(crate) fn count_retransmitted_syns(&mut self, count: u32) {
        self.counters.retransmitted.add(count);
    }

    /// Queues as much of `data` as fits, and returns how many bytes that is.
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

    /// Queues bytes that `write` writes in place; `write` returns how many.
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

    /// SND.UP: the sequence number after the last urgent byte; `None` once all urgent data is acknowledged.
    pub(crate) fn urgent(&self) -> Option<SeqNumber> {
        self.urgent.get()
    }

    /// Queues a FIN: no more data will be queued.
    pub(crate) fn finish(&mut self, now: Instant) {
        self.fin = self.fin.max(Fin::Queued);
        self.rearm(now);
    }

    /// Whether [`finish`](Self::finish) was called.
    pub(crate) fn is_finished(&self) -> bool {
        self.fin != Fin::Open
    }

    /// Sets the limit of the send queue in bytes; data already queued stays.
    pub(crate) fn set_limit(&mut self, limit: usize) {
        self.queue.set_limit(limit);
    }

    /// Sets another congestion control algorithm, before [`start`](Self::start) starts it.
    pub(crate) fn set_controller(&mut self, controller: C) {
        self.controller = controller;
    }

    /// Switches to another congestion control algorithm, which begins with the window of the old one.
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

    /// Makes segments `mss` bytes long while one is chosen or noted as sent, because other options take their place
    /// beside it.
    pub(crate) fn narrow(&mut self, mss: u32) {
        self.mss = stored(mss);
    }

    /// Sets the MSS to `mss` payload bytes, because the path MTU has changed (RFC 1191, RFC 8201). Larger
    /// segments in flight are lost, which is no sign of congestion.
    pub(crate) fn set_mss(&mut self, now: Instant, mss: u32) {
        let mss = stored(mss).into();
        if mss == self.mss() {
            return;
        }
        let smaller = mss < self.mss();
        self.mss = stored(mss);
        self.controller.on_mss_change(mss);
        if smaller && !self.flight.is_empty() {
            self.abandon_probe();
            self.flight.cut_anew(now, self.snd_una, mss);
            self.recovery.on_all_lost(&mut self.flight, now, self.snd_nxt);
        }
        self.rearm(now);
    }

    /// Sets the MSS to `mss` payload bytes for what is sent from now on; what is in flight may still arrive.
    pub(crate) fn set_later_mss(&mut self, now: Instant, mss: u32) {
        self.mss = stored(mss);
        self.controller.on_mss_change(mss);
        self.rearm(now);
    }

    /// Bytes queued and not sent yet.
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

    /// Sequence numbers beyond SND.NXT that fit into the peer's window.
    fn usable_window(&self) -> u32 {
        (self.snd_una + self.window.size).since(self.snd_nxt)
    }

    /// A random number for congestion control (xorshift32, Marsaglia 2003); not for secrets.
    fn next_random(&mut self) -> u32 {
        let mut x = self.random.max(1);
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        self.random = x;
        x
    }
}

//! One connection: the parts that the events of RFC 9293 section 3.10 act on.
//!
//! The events themselves are in files of their own: [`segment_arrives`](super::segment_arrives),
//! [`output`](super::output) (what to send), [`user_calls`](super::user_calls) (the application),
//! [`timeout`](super::timeout), [`icmp_errors`](super::icmp_errors).

use super::accurate_ecn::LastEcn;
use super::challenge::AnswerLimit;
use super::count::{ByteCount, Count};
use super::fast_open::FastOpen;
use super::handshake::{Agreement, SynOptions};
use super::icmp_errors::SoftError;
use super::keepalive::KeepaliveProbes;
use super::receiver::Receiver;
use super::seldom::Seldom;
use super::sender::{Capability, Sender, SenderStart};
use super::syn_retries::SynRetries;
use super::timestamps::TimestampState;
use super::urgent::Urgent;
use super::{Config, DeliveryRecord, Error, FlightRecord, Initial, Settings, State};
use crate::congestion::CongestionController;
use crate::profile::{Full, Kept, Part, Profile};
use crate::seq::{SeqNumber, SeqRange};
use crate::storage::Buffer;
use crate::time::{Duration, Instant};
use crate::wire::{Segment, SignatureKind, Timestamps};

/// The memory of one connection: lent by the caller, or growing from the heap.
#[derive(Debug, Default)]
pub struct Buffers<'a, P: Profile = Full> {
    /// Send queue, in bytes.
    pub send: Buffer<'a, u8>,
    /// Receive queue, in bytes.
    pub receive: Buffer<'a, u8>,
    /// Records of the segments in flight; unused in an image that keeps only totals of them
    /// ([`InBulk`](super::flight::InBulk)).
    pub flight: Buffer<'a, FlightRecord<P>>,
    /// Delivery data of each record in `flight`, for congestion control by delivery rates ([`Bbr`]). Memory
    /// lent here is used whatever the algorithm; without any, the algorithm gets one rate sample for each
    /// round trip only.
    ///
    /// [`Bbr`]: crate::congestion::Bbr
    pub delivery: Buffer<'a, DeliveryRecord>,
    /// Ranges of out-of-order data.
    pub reassembly: Buffer<'a, SeqRange>,
}

/// What a new connection is given by its stack: sequence number, path and random words.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    /// Initial send sequence number (RFC 6528).
    pub iss: SeqNumber,
    /// Offset added to our timestamp clock (RFC 7323 section 5.4).
    pub timestamp_offset: u32,
    /// Largest IP packet on the path (path MTU), in bytes.
    pub mtu: u32,
    /// Length of the IP header in bytes: 20 or 40.
    pub ip_header: u8,
    /// Seed of the connection's own random numbers.
    pub random: u64,
    /// A random number that sets the phase of clocks that tick ([`Ticks`](super::Ticks),
    /// [`AckTimer`](super::AckTimer)); the same for all connections of a host.
    pub clock_phase: u32,
}

/// What a passive open has agreed on before the connection gets its buffers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accepted<'r, P: Profile> {
    /// Initial receive sequence number: that of the peer's SYN.
    pub(crate) irs: SeqNumber,
    /// What both SYNs offer.
    pub(crate) agreement: &'r Agreement<P>,
    /// State of the timestamps option: our clock, and TS.Recent.
    pub(crate) timestamps: TimestampState<P>,
    /// The window that our SYN-ACK advertised, in bytes.
    pub(crate) advertised_window: u16,
    /// When the SYN-ACK was sent; `None` if it was retransmitted, as it then gives no round-trip time (Karn's
    /// algorithm).
    pub(crate) syn_sent_at: Option<Instant>,
    /// How often the SYN-ACK was retransmitted.
    pub(crate) syn_retransmits: u32,
    /// Whether a SYN-ACK was lost.
    pub(crate) syn_lost: bool,
}

/// What remains of a connection in TIME-WAIT: enough to answer what still arrives.
#[derive(Clone, Copy, Debug)]
pub struct TimeWait<P: Profile = Full> {
    /// SND.NXT.
    pub snd_nxt: SeqNumber,
    /// RCV.NXT.
    pub rcv_nxt: SeqNumber,
    /// The window field of the acks that it sends.
    pub window: u16,
    /// State of the timestamps option.
    pub(crate) timestamps: TimestampState<P>,
    /// The ECN feedback of its acks.
    pub(crate) ecn: LastEcn<P>,
    /// How segments are signed, if they are.
    pub(crate) signature: Option<SignatureKind>,
    /// How long TIME-WAIT lasts: 2 MSL.
    pub duration: Duration,
}

/// Counters of a connection, for `Info`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters<P: Profile> {
    pub(super) bytes_received: ByteCount<P>,
    pub(super) segments_sent: Count<P>,
    pub(super) segments_received: Count<P>,
    pub(super) data_segments_sent: Count<P>,
    pub(super) data_segments_received: Count<P>,
}

/// Counters of events that few connections see, for `Info`; each saturates at 2^32 - 1.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RareCounters {
    pub(super) reassembly_dropped: u32,
    pub(super) ce_received: u32,
    pub(super) ece_received: u32,
    pub(super) paws_dropped: u32,
    pub(super) challenge_acks: u32,
    pub(super) keepalive_probes: u32,
}

/// Whether a connection that is over has a RST to send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reset {
    /// No RST is to be sent.
    No,
    /// The connection was aborted.
    Aborted,
    /// Data has arrived that no application will read.
    Unread,
}

/// One TCP connection.
#[derive(Debug)]
pub struct Connection<'a, C, P: Profile = Full> {
    pub(super) state: State,
    pub(super) error: Option<Error>,
    pub(super) soft_error: Option<SoftError>,
    pub(super) seldom: Seldom<P>,
    pub(super) settings: Settings<P>,
    /// Length of the IP header in bytes: 20 or 40.
    pub(super) ip_header: u8,
    pub(super) sender: Sender<'a, C, P>,
    pub(super) receiver: Receiver<'a, P>,
    /// When the last segment of the peer arrived; before the first one, when the connection was opened and
    /// then when its SYN was first sent.
    pub(super) heard_at: Instant,
    /// When the last probe that demands an answer was sent: a SYN, later a keepalive probe. Meaningless while
    /// none was sent.
    pub(super) asked_at: Instant,
    pub(super) syn_retries: <P::ActiveOpen as Part>::Keeps<SynRetries>,
    pub(super) fast_open: <P::FastOpen as Part>::Keeps<FastOpen>,
    pub(super) keepalive: KeepaliveProbes,
    /// What our SYN offers; once the peer's SYN is known, what both ends agree on.
    pub(super) agreement: Agreement<P>,
    pub(super) timestamps: TimestampState<P>,
    pub(super) challenge: AnswerLimit,
    /// Linger time or FIN-WAIT-2 timeout.
    pub(super) close_deadline: Instant,
    /// Whether a RST is to be sent.
    pub(super) reset: Reset,
    /// Whether an ack is to be sent in answer to a segment that was not acceptable.
    pub(super) challenge_due: bool,
    /// RCV.UP.
    pub(super) urgent: Urgent<P>,
    pub(super) counters: Counters<P>,
}

/// Size limits: the bytes that a connection with Reno and RFC 6675 takes on a microcontroller, lent memory
/// aside.
const _: () = {
    use crate::profile::Present;

    crate::profile! {
        struct Small: least {
            ActiveOpen = Present,
            Flight = super::flight::Records,
            IcmpErrors = Present,
            RareSettings = Present,
            Recovery = super::recovery::Rfc6675,
            Sack = Present,
            Timestamps = Present,
            WindowScaling = Present,
        }
    }
    let is_bounded = usize::BITS == 32 && !crate::storage::CAN_GROW;
    let size = size_of::<Connection<'static, crate::congestion::Reno, Small>>();
    assert!(!is_bounded || size <= 512);
};

/// Queue limits and memory use, for stacks whose queues grow.
#[allow(dead_code, reason = "only queues that grow ask, and without a heap none does")]
impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Sets the limits of both queues in bytes, where their memory grows, before anything was queued or sent.
    pub(crate) fn begin_with(&mut self, send: u32, receive: u32) {
        self.sender.set_limit(send as usize);
        self.receiver.set_limit(receive as usize);
    }

    /// Most bytes that the send queue and the receive queue may hold, in this order.
    pub(crate) fn queue_limits(&self) -> (u32, u32) {
        (self.sender.queue().limit() as u32, self.receiver.wanted_limit())
    }

    /// Memory held by the send queue, in bytes.
    pub(crate) fn send_memory(&self) -> u32 {
        u32::try_from(self.sender.queue().allocated()).unwrap_or(u32::MAX)
    }

    /// Limit of the receive queue, or the memory that it holds if that is more, in bytes.
    pub(crate) fn receive_memory(&self) -> u32 {
        let memory = self.receiver.limit().max(self.receiver.allocated());
        u32::try_from(memory).unwrap_or(u32::MAX)
    }

    /// The congestion window, in bytes.
    pub(crate) fn congestion_window(&self) -> u32 {
        self.sender.controller().window()
    }
}

impl<'a, C: CongestionController, P: Profile> Connection<'a, C, P> {
    /// Active open (section 3.10.1): a connection in SYN-SENT whose SYN the next
    /// [`poll_transmit`](Self::poll_transmit) gives. `config` has been validated.
    pub fn connect(
        now: Instant,
        config: &Config,
        controller: C,
        buffers: Buffers<'a, P>,
        open: &Open,
    ) -> Self {
        let initial = Initial::new(config, open.clock_phase);
        let mut connection = Self::new(now, &initial, controller, buffers, open);
        connection.set_up_probing(&initial);
        connection.offer(&initial);
        connection.begin_user_timeout(&initial);
        connection
    }

    /// A connection in SYN-SENT that has nothing to [offer](Self::offer) yet.
    #[inline(always)]
    pub(crate) fn new(
        now: Instant,
        initial: &Initial<P>,
        controller: C,
        buffers: Buffers<'a, P>,
        open: &Open,
    ) -> Self {
        let Buffers { send, receive, flight, delivery, reassembly } = buffers;
        Connection {
            state: State::SynSent,
            error: None,
            soft_error: None,
            seldom: Seldom::default(),
            settings: initial.settings,
            ip_header: open.ip_header,
            sender: Sender::new(initial, controller, (send, flight, delivery), open),
            receiver: Receiver::new(initial, receive, reassembly),
            heard_at: now,
            asked_at: now,
            syn_retries: Kept::new(SynRetries::FIRST),
            fast_open: Kept::new(FastOpen::default()),
            keepalive: KeepaliveProbes::default(),
            agreement: Agreement::default(),
            timestamps: TimestampState::new(open.timestamp_offset),
            challenge: AnswerLimit::default(),
            close_deadline: Instant::FAR_FUTURE,
            reset: Reset::No,
            challenge_due: false,
            urgent: Urgent::default(),
            counters: Counters::default(),
        }
    }

    /// What the SYN of an active open offers.
    pub(crate) fn offer(&mut self, Initial { offer, .. }: &Initial<P>) {
        let window = self.receiver.largest_window() as usize;
        self.agreement = Agreement::offer(offer, self.sender.path_mtu(), self.ip_header, window);
        self.agreement.ecn &= offer.ecn.asks();
        if P::ACCURATE_ECN && !offer.ecn.asks() {
            self.agreement.accurate.withdraw();
        }
    }

    /// Has all segments of this connection signed; called before its SYN is sent.
    pub(crate) fn sign(&mut self, kind: SignatureKind) {
        self.agreement.sign(kind);
    }

    /// How the connection's segments are signed, if they are.
    #[inline]
    pub(crate) fn signature(&self) -> Option<SignatureKind> {
        self.agreement.signature()
    }

    /// Whether the connection's segments are signed.
    #[inline]
    pub(crate) fn is_signed(&self) -> bool {
        self.agreement.is_signed()
    }

    /// Passive open: turns a connection just made by [`new`](Self::new) into the one of a half-open record,
    /// in ESTABLISHED, once the peer's ACK of our SYN was found acceptable. The stack then hands the same
    /// segment to [`on_segment`](Self::on_segment), which takes its window, data and FIN.
    pub(crate) fn accept(&mut self, now: Instant, accepted: &Accepted<'_, P>) {
        self.agreement = *accepted.agreement;
        self.timestamps = accepted.timestamps;
        self.receiver.agree(accepted.irs, accepted.advertised_window, &self.agreement);
        self.begin_accurate(None);
        if P::ACCURATE_ECN && accepted.syn_retransmits > 0 {
            self.silence_accurate();
        }
        let rtt = accepted.syn_sent_at.map(|sent_at| now.saturating_since(sent_at));
        self.sender.count_retransmitted_syns(accepted.syn_retransmits);
        self.establish(now, 0, accepted.irs, rtt, accepted.syn_lost);
    }

    /// Puts into use what both SYNs offer, once the peer's SYN is known. `advertised` is the window that our
    /// SYN has advertised.
    pub(super) fn agree(&mut self, now: Instant, syn: &Segment<'_>, advertised: u16) {
        let (irs, timestamps) = (syn.header.seq, syn.header.options.timestamps);
        self.agreement.agree(&SynOptions::of(&syn.header), self.ip_header);
        self.agreement.agree_on_ecn(syn);
        // RFC 3168 section 6.1.1: no ECN once a SYN that did not ask for it was sent.
        let ask = u32::from(self.agreement.accurate.is_offered() && P::ACCURATE_ECN);
        self.agreement.ecn =
            self.agreement.accurate.echoes_classic() && self.syn_retransmits() <= ask;
        if self.agreement.timestamps {
            self.timestamps.enable(now, timestamps.map_or(0, |option| option.value), irs + 1);
        }
        self.receiver.agree(irs, advertised, &self.agreement);
        self.begin_accurate(Some(&syn.header));
    }

    /// Enters ESTABLISHED: both SYNs are acknowledged. `window` is the peer's, in bytes, from the segment
    /// with sequence number `seq`.
    pub(super) fn establish(
        &mut self,
        now: Instant,
        window: u32,
        seq: SeqNumber,
        rtt: Option<Duration>,
        syn_lost: bool,
    ) {
        self.state = State::Established;
        self.start_sending(now, window, seq, (rtt, syn_lost));
        self.settle_syn();
        self.on_heard(now);
    }

    /// Starts the sender, once it is known what both SYNs offer. `window` is the peer's, in bytes, from the
    /// segment with sequence number `seq`; `handshake` is the round-trip time of the handshake, and whether a
    /// SYN was lost.
    pub(super) fn start_sending(
        &mut self,
        now: Instant,
        window: u32,
        seq: SeqNumber,
        handshake: (Option<Duration>, bool),
    ) {
        let (rtt, syn_lost) = handshake;
        if P::PATH_PROBING {
            self.begin_path_search(now);
        }
        let mss = self.agreement.send_mss(&self.settings, self.sender.path_mtu(), self.ip_header);
        let Agreement { sack, ecn, .. } = self.agreement;
        let ecn = match ecn {
            true => Capability::Echoed,
            false if self.is_accurate() && self.may_be_capable() => Capability::Counted,
            false => Capability::None,
        };
        let start = SenderStart { mss, sack, ecn, window, seq, rtt, syn_lost };
        self.sender.start(now, &self.settings, &start);
        if P::HOST_METRICS {
            self.use_lessons();
        }
    }

    /// Our initial sequence number; correct only until our SYN is acknowledged.
    pub(super) fn iss(&self) -> SeqNumber {
        self.sender.snd_una() - 1
    }

    /// The window that our SYN advertises, never scaled (RFC 7323 section 2.2).
    pub(super) fn syn_window(&self) -> u16 {
        self.receiver.largest_window().min(u32::from(u16::MAX)) as u16
    }

    /// Memory that the receive queue holds, in bytes.
    #[cfg(test)]
    #[allow(dead_code, reason = "only tests with a heap ask for it")]
    pub(crate) fn receive_queue_memory(&self) -> usize {
        self.receiver.allocated()
    }

    /// The smoothed round-trip time; zero before the first sample.
    pub(crate) fn smoothed_rtt(&self) -> Duration {
        self.sender.rto().smoothed_rtt()
    }

    /// The sequence number of the first byte that the application has not read.
    pub(crate) fn first_unread(&self) -> SeqNumber {
        self.receiver.first_unread()
    }

    /// The round-trip time by an echoed timestamp: the time since the segment was sent whose timestamp
    /// `option` echoes.
    pub(crate) fn echoed_rtt(&self, now: Instant, option: Option<Timestamps>) -> Option<Duration> {
        self.timestamps.rtt(now, option)
    }

    /// State (section 3.3.2). A connection that is over is in CLOSED; one that has finished the
    /// close and only waits for 2 MSL is in TIME-WAIT: the stack turns it into a record.
    pub fn state(&self) -> State {
        self.state
    }

    /// Why the connection is over, once it is.
    pub fn error(&self) -> Option<Error> {
        self.error
    }

    /// Whether nothing can happen on the network side any more: CLOSED, with no RST to send.
    pub fn is_over(&self) -> bool {
        self.state == State::Closed && self.reset == Reset::No
    }

    /// What to remember of the connection once it is in TIME-WAIT.
    pub fn time_wait(&self) -> Option<TimeWait<P>> {
        (self.state == State::TimeWait).then(|| TimeWait {
            snd_nxt: self.sender.snd_nxt(),
            rcv_nxt: self.receiver.rcv_nxt(),
            // As in the ack of the peer's FIN.
            window: self.receiver.window_field(self.receiver.rcv_wnd()),
            timestamps: self.timestamps,
            ecn: self.last_ecn_feedback(),
            signature: self.signature(),
            duration: self.settings.msl() + self.settings.msl(),
        })
    }

    /// Ends the connection because the stack has taken over TIME-WAIT; what was received can still be read.
    pub fn leave_time_wait(&mut self) {
        if self.state == State::TimeWait {
            self.state = State::Closed;
        }
    }

    /// Ends the connection with an error and sends nothing to the peer.
    pub fn fail(&mut self, error: Error) {
        self.forget_unread_text();
        self.state = State::Closed;
        self.error = self.error.or(Some(error));
        self.reset = Reset::No;
    }

    /// Drops the data that came with a SYN if the connection was never established: the sender of that SYN
    /// has not shown that its address is its own.
    fn forget_unread_text(&mut self) {
        if P::ACTIVE_OPEN && self.withholds_text() {
            self.receiver.consume(self.receiver.queued());
        }
    }

    /// Ends the connection with an error and a RST to the peer.
    pub(crate) fn fail_with_reset(&mut self, error: Error) {
        if self.state.is_synchronized() || self.state == State::SynReceived {
            self.reset = Reset::Aborted;
        }
        self.forget_unread_text();
        self.state = State::Closed;
        self.error = self.error.or(Some(error));
    }

    /// Stops the clock of what limits the sender once the connection is in CLOSED or TIME-WAIT.
    pub(crate) fn on_end(&mut self, now: Instant) {
        if matches!(self.state, State::Closed | State::TimeWait) {
            self.sender.stop_limit_clock(now);
        }
    }

    /// Whether there is nothing to send, nothing in flight and nothing to read.
    pub(crate) fn holds_no_data(&self) -> bool {
        self.sender.holds_no_data() && self.receiver.holds_no_data()
    }

    /// When the peer last acknowledged new data, if some is still unacknowledged.
    pub(crate) fn progressed_at(&self) -> Option<Instant> {
        self.sender.progressed_at()
    }

    /// Frees the connection's own memory that holds no data.
    pub(crate) fn release_memory(&mut self) {
        self.sender.release_memory();
        self.receiver.release_memory();
    }

    /// Gives back the lent memory of a connection that is over.
    pub fn into_buffers(self) -> Buffers<'a, P> {
        let (send, flight, delivery) = self.sender.into_buffers();
        let (receive, reassembly) = self.receiver.into_buffers();
        Buffers { send, receive, flight, delivery, reassembly }
    }
}

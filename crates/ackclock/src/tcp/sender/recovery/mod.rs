//! Which segment next: loss detection and recovery.
//!
//! What is lost is marked on the [`Flight`]. One of the [`Rules`], each in a file of its own,
//! decides when that makes a recovery episode, when the episode ends, what is sent again and what
//! counts as having left the network. How much may be in flight meanwhile is the window law's
//! business.
//!
//! Another recovery is one file with its rules and one line in the list of `algorithm.rs`.

mod algorithm;
mod go_back_n;
mod newreno;
mod reno;
mod rfc6675;
mod sack_pipe;
mod tahoe;

pub use algorithm::{RecoveryAlgorithm, UnknownRecovery};

use super::flight::{Flight, Losses};
use crate::seq::{SeqNumber, SeqRange};
use algorithm::AnyRules;
use go_back_n::{GoBackN, TimeoutOnly};
use newreno::NewReno;
use reno::Reno;
use rfc6675::Rfc6675;
use sack_pipe::SackPipe;
use tahoe::{Tahoe, TahoeGoBackN};

/// Duplicate acks, or SACKed segments above a hole, that make a loss (RFC 5681 section 3.2,
/// RFC 6675 DupThresh).
pub(crate) const DUPLICATE_THRESHOLD: u32 = 3;

/// What kind of recovery is going on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// None.
    Open,
    /// Fast recovery, until everything sent before it is acknowledged; the window law stands
    /// still.
    Fast,
    /// After a retransmission timeout, likewise; the window law is in slow start.
    Loss,
}

/// What an ack did, as far as recovery must know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckFacts {
    /// SND.UNA after the ack.
    pub(crate) una: SeqNumber,
    /// SND.NXT.
    pub(crate) nxt: SeqNumber,
    /// Sequence numbers acknowledged cumulatively.
    pub(crate) acked: u32,
    /// Sequence numbers newly SACKed.
    pub(crate) sacked: u32,
    /// Whether it is a duplicate ack (RFC 5681 section 2; RFC 6675 section 2 with SACK).
    pub(crate) duplicate: bool,
    /// Whether it echoed a congestion mark.
    pub(crate) ecn_echo: bool,
    /// The law's window before the ack.
    pub(crate) window: u32,
    /// Segment size.
    pub(crate) mss: u32,
}

/// What recovery makes of an ack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// What was newly found lost.
    pub(crate) lost: Losses,
    /// A recovery episode begins: the law must hear of it.
    pub(crate) entered: bool,
    /// A fast recovery episode is over.
    pub(crate) left: bool,
    /// The retransmission timer is to run on as it is (RFC 6582 section 3.2, step 3: only the first
    /// partial ack restarts it).
    pub(crate) keep_timer: bool,
}

/// What every recovery keeps of the episode that is going on.
#[derive(Debug)]
struct Episode {
    phase: Phase,
    /// RecoveryPoint (RFC 6675), `recover` (RFC 6582): SND.NXT when the episode began.
    point: SeqNumber,
    /// Duplicate acks since the last ack of new data.
    duplicate_acks: u32,
    /// SND.NXT when the first of them arrived.
    flight_end: SeqNumber,
    /// One retransmission may go out whatever the pipe says (RFC 6675 section 5 step 4.3, BSD's
    /// fast retransmit).
    owes_retransmission: bool,
}

impl Episode {
    /// Counts duplicate acks.
    fn count(&mut self, ack: &AckFacts) {
        if ack.acked > 0 {
            self.duplicate_acks = 0;
        }
        if self.duplicate_acks == 0 {
            self.flight_end = ack.nxt;
        }
        self.duplicate_acks = self.duplicate_acks.saturating_add(u32::from(ack.duplicate));
    }

    /// An episode begins; its first retransmission goes at once.
    fn begin(&mut self, phase: Phase, nxt: SeqNumber, outcome: &mut Outcome) {
        self.phase = phase;
        self.point = nxt;
        self.owes_retransmission = true;
        outcome.entered = true;
    }

    /// The episode, if there is one, is over.
    fn end(&mut self, outcome: &mut Outcome) {
        outcome.left |= self.phase == Phase::Fast;
        self.phase = Phase::Open;
    }

    /// Whether the ack covers everything that was sent before the episode began.
    fn is_completed_by(&self, ack: &AckFacts) -> bool {
        self.phase != Phase::Open && ack.una.at_or_after(self.point)
    }
}

/// What one recovery decides. Its state begins as its default with each connection.
trait Rules: core::fmt::Debug {
    /// An ack was applied to the flight, and counted if it is a duplicate: whether it begins or
    /// ends an episode, and what is lost.
    fn on_ack(&mut self, episode: &mut Episode, flight: &mut Flight<'_>, ack: &AckFacts)
    -> Outcome;

    /// The retransmission timer fired: marks what is lost. The episode has become
    /// [`Phase::Loss`].
    fn on_timeout(&mut self, flight: &mut Flight<'_>) {
        self.forget();
        flight.mark_all_lost();
    }

    /// Everything is sent anew, for the sake of a timeout or because no segment of the flight can
    /// arrive any more: what was known of single segments means nothing now.
    fn forget(&mut self) {}

    /// Bytes thought to be in the network, which the law's window bounds. A recovery that inflates
    /// the window takes the same amount off here, so that the law's window stays the law's.
    fn pipe(&self, _episode: &Episode, flight: &Flight<'_>) -> u32 {
        flight.pipe()
    }

    /// The piece that must be sent again before anything new goes, with `allowance` bytes of window
    /// left beyond the pipe. With nothing in the pipe one may always go: with its FIN a full
    /// segment is longer than a window of one segment, and no ack would come to open that.
    fn next_retransmission(
        &self,
        episode: &Episode,
        flight: &mut Flight<'_>,
        allowance: u32,
    ) -> Option<SeqRange> {
        let lost = flight.first_lost()?;
        let free = episode.owes_retransmission || flight.pipe() == 0;
        (free || lost.len() <= allowance).then_some(lost)
    }

    /// The piece to send again when nothing is lost and no new data can be sent.
    fn next_speculation(&self, _episode: &Episode, _flight: &Flight<'_>) -> Option<SeqRange> {
        None
    }

    /// `range` was sent, for the first time or again, and is recorded in the flight.
    fn on_sent(&mut self, _episode: &Episode, _flight: &Flight<'_>, _range: SeqRange, _new: bool) {}
}

/// State of loss recovery.
#[derive(Debug)]
pub(crate) struct Recovery {
    rules: AnyRules,
    episode: Episode,
}

impl Recovery {
    /// `sack`: whether the peer permits SACK.
    pub(crate) fn new(algorithm: RecoveryAlgorithm, sack: bool, iss: SeqNumber) -> Self {
        let usable = sack || !algorithm.needs_sack();
        Recovery {
            rules: if usable { algorithm } else { RecoveryAlgorithm::NewReno }.rules(),
            episode: Episode {
                phase: Phase::Open,
                point: iss,
                duplicate_acks: 0,
                flight_end: iss,
                owes_retransmission: false,
            },
        }
    }

    /// Which one is at work.
    pub(crate) fn algorithm(&self) -> RecoveryAlgorithm {
        self.rules.algorithm()
    }

    /// Whether SACK decides what is lost.
    pub(crate) fn uses_sack(&self) -> bool {
        self.algorithm().needs_sack()
    }

    pub(crate) fn phase(&self) -> Phase {
        self.episode.phase
    }

    /// Where FlightSize ends when an episode begins: what limited transmit has sent since the first
    /// duplicate ack does not count (RFC 5681 section 3.2, step 2).
    pub(crate) fn flight_end(&self) -> SeqNumber {
        self.episode.flight_end
    }

    /// Bytes thought to be in the network.
    pub(crate) fn pipe(&self, flight: &Flight<'_>) -> u32 {
        self.rules.get().pipe(&self.episode, flight)
    }

    /// An ack was applied to the flight.
    pub(crate) fn on_ack(&mut self, flight: &mut Flight<'_>, ack: &AckFacts) -> Outcome {
        self.episode.count(ack);
        self.rules.get_mut().on_ack(&mut self.episode, flight, ack)
    }

    /// The retransmission timer fired.
    pub(crate) fn on_timeout(&mut self, flight: &mut Flight<'_>, nxt: SeqNumber) {
        self.begin_anew(nxt);
        self.rules.get_mut().on_timeout(flight);
    }

    /// Nothing of the flight can arrive any more, which is no sign of congestion.
    pub(crate) fn on_all_lost(&mut self, flight: &mut Flight<'_>, nxt: SeqNumber) {
        self.begin_anew(nxt);
        self.rules.get_mut().forget();
        flight.mark_all_lost();
    }

    fn begin_anew(&mut self, nxt: SeqNumber) {
        self.episode.phase = Phase::Loss;
        self.episode.point = nxt;
        self.episode.duplicate_acks = 0;
        self.episode.owes_retransmission = false;
    }

    /// The piece that must be sent again now.
    pub(crate) fn next_retransmission(
        &self,
        flight: &mut Flight<'_>,
        allowance: u32,
    ) -> Option<SeqRange> {
        self.rules.get().next_retransmission(&self.episode, flight, allowance)
    }

    /// What to retransmit when nothing is lost and no new data can be sent.
    pub(crate) fn next_speculation(&self, flight: &Flight<'_>, allowance: u32) -> Option<SeqRange> {
        let speculation = self.rules.get().next_speculation(&self.episode, flight)?;
        (speculation.len() <= allowance).then_some(speculation)
    }

    /// `range` was sent, for the first time or again.
    pub(crate) fn on_sent(&mut self, flight: &Flight<'_>, range: SeqRange, new: bool) {
        self.episode.owes_retransmission &= new;
        self.rules.get_mut().on_sent(&self.episode, flight, range, new);
    }
}

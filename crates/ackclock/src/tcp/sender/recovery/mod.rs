//! Which segment next: loss detection and recovery.
//!
//! What is lost is marked on the [`Flight`]; this module decides when that makes a recovery
//! episode, when the episode ends, and what counts as having left the network. How much may be in
//! flight meanwhile is the window law's business.

mod newreno;
mod rfc6675;

use super::flight::{Flight, Losses};
use crate::seq::{SeqNumber, SeqRange};

/// Duplicate acks, or SACKed segments above a hole, that make a loss (RFC 5681 section 3.2,
/// RFC 6675 DupThresh).
pub(crate) const DUPLICATE_THRESHOLD: u32 = 3;

/// What kind of recovery is going on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// None.
    Open,
    /// Fast recovery, until everything sent before it is acknowledged.
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

/// State of loss recovery.
#[derive(Debug)]
pub(crate) struct Recovery {
    /// SACK decides what is lost (RFC 6675); else duplicate acks do (RFC 6582).
    sack: bool,
    phase: Phase,
    /// RecoveryPoint (RFC 6675), `recover` (RFC 6582): SND.NXT when the episode began.
    point: SeqNumber,
    duplicate_acks: u32,
    /// SND.NXT when the first of them arrived.
    flight_end: SeqNumber,
    /// Without SACK: bytes that duplicate acks say have left the network.
    credit: u32,
    /// One retransmission may go out whatever the pipe says (RFC 6675 section 5 step 4.3).
    owes_retransmission: bool,
    /// A partial ack was seen in this episode (RFC 6582).
    partial_seen: bool,
    /// The rescue retransmission of this episode was spent (RFC 6675 NextSeg rule 4).
    rescued: bool,
}

impl Recovery {
    pub(crate) fn new(sack: bool, iss: SeqNumber) -> Self {
        Recovery {
            sack,
            phase: Phase::Open,
            point: iss,
            duplicate_acks: 0,
            flight_end: iss,
            credit: 0,
            owes_retransmission: false,
            partial_seen: false,
            rescued: false,
        }
    }

    /// Whether SACK decides what is lost.
    pub(crate) fn uses_sack(&self) -> bool {
        self.sack
    }

    pub(crate) fn phase(&self) -> Phase {
        self.phase
    }

    /// Bytes to leave out of the pipe because duplicate acks tell that they have arrived: in RFC
    /// 6582's words the inflation of the window, and for the first two of them limited transmit
    /// (RFC 3042).
    pub(crate) fn credit(&self) -> u32 {
        self.credit
    }

    /// Where FlightSize ends when an episode begins: what limited transmit has sent since the first
    /// duplicate ack does not count (RFC 5681 section 3.2, step 2).
    pub(crate) fn flight_end(&self) -> SeqNumber {
        self.flight_end
    }

    /// An ack was applied to the flight.
    pub(crate) fn on_ack(&mut self, flight: &mut Flight<'_>, ack: &AckFacts) -> Outcome {
        self.duplicate_acks = if ack.acked > 0 { 0 } else { self.duplicate_acks };
        if self.duplicate_acks == 0 {
            self.flight_end = ack.nxt;
        }
        self.duplicate_acks += u32::from(ack.duplicate);
        let mut outcome = Outcome::default();
        if self.phase != Phase::Open && ack.una.at_or_after(self.point) {
            outcome.left = self.phase == Phase::Fast;
            self.phase = Phase::Open;
            self.credit = 0;
        }
        if self.sack {
            self.detect_by_sack(flight, ack, &mut outcome);
        } else {
            self.detect_by_duplicates(flight, ack, &mut outcome);
        }
        outcome
    }

    fn enter_fast(&mut self, nxt: SeqNumber) {
        self.phase = Phase::Fast;
        self.point = nxt;
        self.owes_retransmission = true;
        self.partial_seen = false;
        self.rescued = false;
    }

    /// The retransmission timer fired; everything unacknowledged was marked lost.
    pub(crate) fn on_timeout(&mut self, nxt: SeqNumber) {
        self.phase = Phase::Loss;
        self.point = nxt;
        self.duplicate_acks = 0;
        self.credit = 0;
        self.owes_retransmission = false;
    }

    /// The piece to retransmit next, with `allowance` bytes of window left beyond the pipe. With
    /// nothing in the pipe one may always go: with its FIN a full segment is longer than a window
    /// of one segment, and no ack would come to open that.
    pub(crate) fn next_retransmission(
        &self,
        flight: &mut Flight<'_>,
        allowance: u32,
    ) -> Option<SeqRange> {
        let lost = flight.first_lost()?;
        let free = self.owes_retransmission || flight.pipe() == 0;
        (free || lost.len() <= allowance).then_some(lost)
    }

    /// What to retransmit when nothing is lost and no new data can be sent.
    pub(crate) fn next_speculation(&self, flight: &Flight<'_>, allowance: u32) -> Option<SeqRange> {
        if !self.sack || self.phase != Phase::Fast {
            return None;
        }
        self.speculate(flight).filter(|range| range.len() <= allowance)
    }

    /// A piece was sent again.
    pub(crate) fn on_retransmitted(&mut self, flight: &Flight<'_>, range: SeqRange) {
        self.owes_retransmission = false;
        let above = flight.highest_sacked().is_none_or(|high| range.start.at_or_after(high));
        self.rescued |= self.sack && self.phase == Phase::Fast && above;
    }
}

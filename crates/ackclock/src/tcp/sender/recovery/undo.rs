//! Was the episode a false alarm? Eifel detection by timestamps (RFC 3522), D-SACK (RFC 3708) and
//! F-RTO (RFC 5682) tell; the window law then takes its reduction back (RFC 4015).

use super::{AckFacts, Episode, Phase};
use crate::seq::{SeqNumber, SeqRange};

/// F-RTO, with or without SACK (RFC 5682 sections 2.1 and 3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ForwardRto {
    /// Not at work, or decided: the timeout was genuine as far as F-RTO can tell.
    #[default]
    Off,
    /// Step 2: the first segment was sent again, and no ack for it has come.
    Resent,
    /// Step 3: one has come, and new data goes out instead of retransmissions; the next ack
    /// decides.
    Forward,
}

/// RFC 3522's RetransmitTS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stamp {
    /// Nothing was sent again.
    #[default]
    None,
    /// The first segment was, and the first ack of new data since then is still to come.
    Awaited,
    /// It has come, or would say nothing.
    Answered,
}

/// Whether the last reduction can be taken back, and what it was made for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Alarm {
    /// It cannot.
    #[default]
    None,
    /// A loss that acks, or the time since, have shown.
    Loss,
    /// The retransmission timer.
    Timeout,
    /// The same, which has fired again since: something was sent again more than once.
    RepeatedTimeout,
}

/// What must be known to take the last reduction back.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Undo {
    /// SND.UNA when the episode began.
    begin: SeqNumber,
    /// The sum of a [fingerprint] of each range sent again, less those that D-SACK has reported.
    unreported: u32,
    /// RetransmitTS: when the first retransmission went out, in milliseconds.
    retransmit_ts: u32,
    stamp: Stamp,
    alarm: Alarm,
    forward: ForwardRto,
    /// Segments sent again on this connection, less those that D-SACK has reported. As it stays at
    /// either end, what was long ago counts less.
    balance: i8,
}

/// A number that tells ranges apart. Ranges side by side have together that of the range that they
/// make, as a receiver may report them.
fn fingerprint(range: SeqRange) -> u32 {
    let mix = |seq: SeqNumber| {
        let mixed = seq.0.wrapping_mul(0x9e37_79b1);
        (mixed ^ mixed >> 15).wrapping_mul(0x85eb_ca6b)
    };
    mix(range.end).wrapping_sub(mix(range.start))
}

impl Undo {
    /// An episode begins. `probe`, which a probe has sent, is on its way a second time and may be
    /// reported as a duplicate, too.
    pub(super) fn begin(&mut self, una: SeqNumber, probe: SeqRange) {
        self.disarm();
        self.begin = una;
        self.unreported = fingerprint(probe);
        self.alarm = Alarm::Loss;
    }

    /// The retransmission timer fired. A repeated timeout goes on with what the first began.
    /// `recovering`: an episode was going on, so that what F-RTO would see may be the work of its
    /// retransmissions (RFC 5682 sections 2.1 and 3.1, step 1).
    pub(super) fn begin_timeout(
        &mut self,
        una: SeqNumber,
        probe: SeqRange,
        repeated: bool,
        recovering: bool,
    ) {
        if !repeated {
            self.begin(una, probe);
            self.alarm = Alarm::Timeout;
        } else if self.is_armed() {
            self.alarm = Alarm::RepeatedTimeout;
        }
        let applies = self.is_armed() && (repeated || !recovering);
        self.forward = if applies { ForwardRto::Resent } else { ForwardRto::Off };
    }

    /// There is something that cannot be taken back.
    pub(super) fn disarm(&mut self) {
        *self = Undo { balance: self.balance, ..Undo::default() };
    }

    /// Whether the last reduction can be taken back.
    pub(super) fn is_armed(&self) -> bool {
        self.alarm != Alarm::None
    }

    /// Whether it was the retransmission timer that began the episode.
    pub(super) fn is_by_timer(&self) -> bool {
        matches!(self.alarm, Alarm::Timeout | Alarm::RepeatedTimeout)
    }

    /// Whether new data is to go out instead of retransmissions.
    pub(super) fn sends_forward(&self) -> bool {
        self.forward == ForwardRto::Forward
    }

    /// A segment was sent again, by a probe or otherwise.
    pub(super) fn count_resent(&mut self) {
        self.balance = self.balance.saturating_add(1);
    }

    /// D-SACK has reported one.
    pub(super) fn count_reported(&mut self) {
        self.balance = self.balance.saturating_sub(1);
    }

    /// `range` was sent again.
    pub(super) fn on_resent(&mut self, now_ms: u32, range: SeqRange) {
        self.unreported = self.unreported.wrapping_add(fingerprint(range));
        if self.is_armed() && self.stamp == Stamp::None {
            // Where the first hole was sent again before the episode, the first ack of new data is
            // for that: it is older than this retransmission, and says nothing of it.
            let is_first = range.contains(self.begin);
            self.stamp = if is_first { Stamp::Awaited } else { Stamp::Answered };
            self.retransmit_ts = now_ms;
        }
    }

    /// Whether an ack shows that nothing was lost.
    pub(super) fn is_spurious(&mut self, episode: &Episode, ack: &AckFacts<'_>) -> bool {
        if !self.is_armed() {
            return false;
        }
        let spurious = self.all_duplicated(ack) | self.is_for_original(ack);
        self.forward_rto(episode, ack) | spurious
    }

    /// D-SACK has reported everything that was sent again, each segment once and nothing else (RFC 3708
    /// step A), of which none was sent more than twice. Where more is reported than was sent again, the
    /// network makes duplicates, and nobody knows which are ours (step A.4; Linux counts alike).
    fn all_duplicated(&mut self, ack: &AckFacts<'_>) -> bool {
        let Some(duplicate) = ack.dsack.filter(|duplicate| duplicate.end.after(self.begin)) else {
            return false;
        };
        self.unreported = self.unreported.wrapping_sub(fingerprint(duplicate));
        let is_known = self.stamp != Stamp::None && self.alarm != Alarm::RepeatedTimeout;
        is_known && self.unreported == 0 && self.balance >= 0
    }

    /// RFC 3522 steps 4 and 5: the first ack of new data echoes a timestamp older than the first
    /// retransmission, so it is for the original. If it acknowledges everything, all acks of the
    /// originals may have been lost: a peer of which it is known that it reports duplicates would
    /// then have reported one.
    fn is_for_original(&mut self, ack: &AckFacts<'_>) -> bool {
        if self.stamp != Stamp::Awaited || ack.acked == 0 {
            return false;
        }
        self.stamp = Stamp::Answered;
        let older = |echoed: u32| (echoed.wrapping_sub(self.retransmit_ts) as i32) < 0;
        let acks_were_lost = ack.una == ack.nxt && !ack.reports_duplicates;
        ack.echoed_ms.is_some_and(older) && ack.dsack.is_none() && !acks_were_lost
    }

    fn forward_rto(&mut self, episode: &Episode, ack: &AckFacts<'_>) -> bool {
        if episode.phase != Phase::Loss {
            self.forward = ForwardRto::Off;
        }
        match self.forward {
            ForwardRto::Off => false,
            ForwardRto::Resent => {
                if ack.acked > 0 {
                    // Not for a part of the first segment: the retransmission arrived, or nothing.
                    let goes_on = ack.delivered.bytes > 0
                        && !episode.is_completed_by(ack)
                        && ack.can_send_new;
                    self.forward = if goes_on { ForwardRto::Forward } else { ForwardRto::Off };
                } else if ack.duplicate && !ack.uses_sack {
                    self.forward = ForwardRto::Off;
                }
                false
            }
            ForwardRto::Forward if ack.acked == 0 && ack.sacked == 0 && !ack.duplicate => false,
            ForwardRto::Forward => {
                self.forward = ForwardRto::Off;
                // Something arrived that was sent before the timeout, and nothing that was sent
                // after it.
                let delivered = ack.delivered;
                let forward = delivered.newest.is_some_and(|last| last.end.after(episode.point));
                delivered.lowest_original.is_some() && !forward && (ack.acked > 0 || ack.uses_sack)
            }
        }
    }
}

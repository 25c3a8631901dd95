//! What an ack says about the data of the other direction.

use crate::half::{FURTHEST, Half};
use crate::text::span;
use ackclock::seq::SeqRange;
use ackclock::time::{Duration, Instant};
use ackclock::wire::{Flags, Header};

/// Duplicate acks in a row that count as three.
const THREE: u32 = 3;

/// What became of an ack.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) is_duplicate: bool,
    pub(crate) rtt: Option<Duration>,
}

/// An ack as it came.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ack<'a> {
    pub(crate) now: Instant,
    pub(crate) header: &'a Header,
    pub(crate) has_payload: bool,
    pub(crate) window_changed: bool,
}

impl Half {
    /// The other end acknowledges what this one sent.
    pub(crate) fn on_ack(&mut self, ack: &Ack<'_>) -> Outcome {
        let mut outcome = Outcome::default();
        self.last_heard = Some(ack.now);
        let to = self.offset(ack.header.ack);
        if to > self.nxt.saturating_add(FURTHEST) {
            self.counts.out_of_window_packets += 1;
            return outcome;
        }
        let says_something_new = self.on_sack(ack.header, to);
        if to > self.una {
            // Acknowledged data were sent, even if they were not captured.
            self.nxt = self.nxt.max(to);
            outcome.rtt = self.advance(ack, to);
            return outcome;
        }
        let occupies = ack.has_payload || ack.header.flags.intersects(Flags::SYN | Flags::FIN);
        let outstanding = self.outstanding() > 0;
        if to == self.una && outstanding && !occupies && !ack.header.flags.contains(Flags::RST) {
            // RFC 5681 section 2 counts those with an unchanged window, RFC 6675 section 2 those
            // with new SACK information.
            if !ack.window_changed {
                self.counts.duplicate_acks += 1;
                self.strict_duplicates += 1;
                self.counts.triple_duplicate_acks += u64::from(self.strict_duplicates == THREE);
                outcome.is_duplicate = true;
            }
            if !ack.window_changed || says_something_new {
                self.duplicates += 1;
            }
        }
        outcome
    }

    /// Takes in SACK blocks; whether one reports what none did before.
    fn on_sack(&mut self, header: &Header, ack: u64) -> bool {
        let blocks = header.options.sack.as_slice();
        let mut news = false;
        let duplicate = reported_duplicate(blocks, header);
        for (index, block) in blocks.iter().enumerate() {
            let (start, end) = (self.offset(block.start), self.offset(block.end));
            if index == 0 && duplicate {
                self.on_duplicate_report(start, end);
            } else if start >= ack && start < end && end <= self.nxt {
                news |= self.sack(start, end);
            }
        }
        news
    }

    /// RFC 2883 section 4: this had arrived before.
    fn on_duplicate_report(&mut self, start: u64, end: u64) {
        let reports = |watched: &crate::half::Watched| {
            !watched.is_spurious && watched.start < end && start < watched.end
        };
        if let Some(index) = self.watched.iter().position(reports) {
            self.judge(index, |_| "a D-SACK says that it had arrived before".into());
        }
    }

    /// The cumulative ack moves; a round-trip time if it gives one.
    fn advance(&mut self, ack: &Ack<'_>, to: u64) -> Option<Duration> {
        // The newest byte that it covers is the one that it answers.
        let newest = self.flight.piece(to - 1).map(|piece| {
            let before = *piece;
            piece.sampled = true;
            before
        });
        let (missing, latest) = self.flight.acknowledge(self.una, to);
        if self.base.is_some() && self.una > 0 {
            self.counts.missing_bytes += missing;
        }
        self.una = to;
        self.advance_sacked();
        (self.duplicates, self.strict_duplicates) = (0, 0);
        self.judge_acked(ack, to);
        match &mut self.recovery {
            Some(recovery) if to >= recovery.until => self.recovery = None,
            Some(recovery) => recovery.partial_ack = true,
            None => {}
        }
        let origin = crate::flight::Flight::ORIGIN;
        if to > origin + u64::from(self.has_syn) {
            self.in_initial_window = false;
        }
        // Karn's rule; and what was held up by a hole that was filled later says nothing either.
        let newest = newest.filter(|piece| !piece.sampled)?;
        let is_clear =
            newest.transmissions == 1 && !newest.filled_hole && latest <= Some(newest.first);
        if newest.transmissions == 1 {
            self.newest_delivered = self.newest_delivered.max(Some(newest.first));
        }
        if !is_clear {
            self.counts.ambiguous_acks += 1;
            return None;
        }
        let sample = ack.now.saturating_since(newest.first);
        self.rtt.add(sample);
        self.smoothed.add(sample);
        Some(sample)
    }

    /// Sees whether an ack answers a transmission before the retransmission.
    fn judge_acked(&mut self, ack: &Ack<'_>, to: u64) {
        let shortest = self.rtt.min();
        let echo = ack.header.options.timestamps.map(|timestamps| timestamps.echo);
        for index in 0..self.watched.len() {
            let Some(watched) = self.watched.get_mut(index) else { break };
            if watched.is_acked || watched.end > to {
                continue;
            }
            watched.is_acked = true;
            if !watched.is_second {
                continue;
            }
            let after = ack.now.saturating_since(watched.at);
            let echoes_older = match (watched.timestamp, echo) {
                // RFC 3522 section 3.2.
                (Some(sent), Some(echo)) => (echo.wrapping_sub(sent) as i32) < 0,
                _ => false,
            };
            if echoes_older {
                self.judge(index, |_| "the ack echoes a timestamp from before it".into());
            } else if let Some(shortest) = shortest.filter(|&shortest| after < shortest / 2) {
                let (after, shortest) = (span(after), span(shortest));
                self.judge(index, |_| {
                    format!("acknowledged {after} later, too soon for a round trip of {shortest}")
                });
            }
        }
    }
}

/// Whether the first block reports a duplicate (RFC 2883 section 4): it lies below the ack, or
/// within the second block.
pub(crate) fn reported_duplicate(blocks: &[SeqRange], header: &Header) -> bool {
    match blocks {
        [first, ..] if first.end.at_or_before(header.ack) => true,
        [first, second, ..] => second.covers(*first),
        _ => false,
    }
}

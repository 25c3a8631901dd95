//! The counters of a data receiver: what they are at least and at most, and what a segment tells of them (RFC 9768
//! sections 3.2.2 and 3.2.3).

use crate::facts::Facts;
use crate::segment::Seen;
use crate::sentence::Sentence;
use crate::verdict::Docket;
use ackclock::time::Instant;
use ackclock::wire::{AccurateEcnOption, Ecn};
use std::collections::VecDeque;

pub(crate) static ACE: Sentence = Sentence::must(
    "ace-is-not-the-count",
    9768,
    "3.2.2.2",
    "Whenever the Data Receiver sends an ACK with SYN=0 (with or without data), unless the handshake encoding in \
     Section 3.2.2.1 applies, the Data Receiver MUST encode the least significant 3 bits of its r.cep counter into the \
     ACE field",
);
pub(crate) static BYTES: Sentence = Sentence::must(
    "accecn-bytes-are-not-the-count",
    9768,
    "3.2.3.1",
    "Whenever the Data Receiver includes any of the counter fields (ECEB, EE0B, EE1B) in an AccECN Option, it MUST \
     encode the 24 least significant bits of the current value of the associated counter into the field",
);

/// The first values (section 3.2.1).
const FIRST_PACKETS: u64 = 5;
const FIRST_ECT: u64 = 1;
/// So much is kept that a host may not have acted upon yet; of what is older the judge can only say that it may count.
const MOST_FRESH: usize = 4096;

/// A counter whose value is not known exactly.
#[derive(Clone, Copy, Debug)]
struct Counter {
    least: u64,
    most: u64,
    /// What counts for certain of what came: what `least` is before anything is told.
    certain: u64,
    /// Bits of it that are told.
    bits: u32,
}

impl Counter {
    const fn new(first: u64, bits: u32) -> Counter {
        Counter { least: first, most: first, certain: first, bits }
    }

    /// So many more count for certain.
    fn settle(&mut self, more: u64) {
        self.certain += more;
        self.least = self.least.max(self.certain);
    }

    /// Whether its lowest bits can be these; then it is no less than the least such value.
    fn is_told(&mut self, bits: u64) -> bool {
        let modulus = 1 << self.bits;
        let more = bits.wrapping_sub(self.least) % modulus;
        let can_be = self.least + more <= self.most;
        if can_be {
            self.least += more;
        }
        can_be
    }
}

/// The counters of a host, and what it may not have counted yet.
#[derive(Clone, Debug)]
pub(super) struct Counters {
    packets: Counter,
    ect0: Counter,
    ce: Counter,
    ect1: Counter,
    fresh: VecDeque<(Instant, Ecn, u64)>,
}

impl Default for Counters {
    fn default() -> Self {
        Counters {
            packets: Counter::new(FIRST_PACKETS, 3),
            ect0: Counter::new(FIRST_ECT, 24),
            ce: Counter::new(0, 24),
            ect1: Counter::new(FIRST_ECT, 24),
            fresh: VecDeque::new(),
        }
    }
}

impl Counters {
    fn bytes_of(&mut self, codepoint: Ecn) -> Option<&mut Counter> {
        match codepoint {
            Ecn::NotEct => None,
            Ecn::Ect0 => Some(&mut self.ect0),
            Ecn::Ce => Some(&mut self.ce),
            Ecn::Ect1 => Some(&mut self.ect1),
        }
    }

    /// A SYN-ACK has reached the host; the first one counts for certain, if it is marked, and one at all.
    pub(super) fn on_syn_ack(&mut self, is_marked: bool, is_first: bool) {
        if is_marked && self.packets.most == FIRST_PACKETS {
            self.packets.most += 1;
            if is_first {
                self.packets.settle(1);
            }
        }
    }

    /// A segment without SYN has reached the host; `counts` if it does for certain.
    pub(super) fn on_received(&mut self, seen: &Seen<'_>, counts: bool) {
        let bytes = seen.payload_len() as u64;
        self.packets.most += u64::from(seen.ecn == Ecn::Ce);
        if let Some(counter) = self.bytes_of(seen.ecn) {
            counter.most += bytes;
        }
        if counts {
            if self.fresh.len() == MOST_FRESH {
                self.fresh.pop_front();
            }
            self.fresh.push_back((seen.time, seen.ecn, bytes));
        }
    }

    /// What arrived more than a reaction ago the host has counted.
    pub(super) fn settle(&mut self, now: Instant, facts: &Facts) {
        while let Some(&(time, codepoint, bytes)) = self.fresh.front() {
            if time + facts.settings.reaction >= now {
                break;
            }
            self.fresh.pop_front();
            if codepoint == Ecn::Ce {
                self.packets.settle(1);
            }
            if let Some(counter) = self.bytes_of(codepoint) {
                counter.settle(bytes);
            }
        }
    }

    /// The host tells its counter of packets.
    pub(super) fn judge_ace(&mut self, ace: u8, seen: &Seen<'_>, docket: &mut Docket<'_>) {
        let Counter { least, most, .. } = self.packets;
        if !self.packets.is_told(ace.into()) {
            docket.forbid(&ACE, seen.time, seen.number, || {
                format!("ACE is {ace}, and the count of marks, 5 at first, is {least} to {most}")
            });
        }
    }

    /// The host tells its counters of bytes.
    pub(super) fn judge_option(
        &mut self,
        option: &AccurateEcnOption,
        seen: &Seen<'_>,
        docket: &mut Docket<'_>,
    ) {
        let order = match option.ect1_first {
            true => [Ecn::Ect1, Ecn::Ce, Ecn::Ect0],
            false => [Ecn::Ect0, Ecn::Ce, Ecn::Ect1],
        };
        for (codepoint, field) in order.into_iter().zip(option.fields).take(option.len.into()) {
            let Some(counter) = self.bytes_of(codepoint) else { continue };
            let Counter { least, most, .. } = *counter;
            if !counter.is_told(field.into()) {
                docket.forbid(&BYTES, seen.time, seen.number, || {
                    format!(
                        "{field} bytes with {codepoint:?} are told, and it is {least} to {most}"
                    )
                });
            }
        }
    }
}

//! What perfect additive increase and multiplicative decrease sends in whole segments: a model of its
//! own, against which the stack is held where windows are too small for Mathis' formula.
//!
//! The formula takes windows for continuous and repairs for immediate. Here a loss is found by the
//! third segment that arrives beyond it, and the window stands still until the repair arrives; an ack
//! counts for one segment, and a segment goes when there is room for all of it. Nothing times out, no
//! ack is lost, and the line takes no time. A round trip is 1.

use std::collections::{BTreeSet, VecDeque};

/// An ack on its way back.
struct Ack {
    at: f64,
    /// The segment that the receiver waits for.
    next: u64,
    /// What has arrived beyond that, if it is what the ack was sent for.
    beyond: Option<u64>,
}

/// The path, which loses every `every`-th packet, and the receiver.
struct Far {
    segments_per_ack: u32,
    every: u64,
    packets: u64,
    next: u64,
    beyond: BTreeSet<u64>,
    not_acknowledged: u32,
    acks: VecDeque<Ack>,
}

impl Far {
    fn take(&mut self, now: f64, segment: u64) {
        self.packets += 1;
        if self.packets.is_multiple_of(self.every) {
            return;
        }
        let in_order = segment == self.next;
        let fills = in_order && !self.beyond.is_empty();
        self.beyond.insert(segment);
        while self.beyond.remove(&self.next) {
            self.next += 1;
        }
        self.not_acknowledged += 1;
        // At once if it is out of order or fills a hole (RFC 5681 section 4.2).
        if !in_order || fills || self.not_acknowledged >= self.segments_per_ack {
            self.not_acknowledged = 0;
            let beyond = (!in_order).then_some(segment);
            self.acks.push_back(Ack { at: now + 1.0, next: self.next, beyond });
        }
    }
}

/// Segments per round trip that arrive where every `every`-th packet is lost and each ack is for
/// `segments_per_ack` segments, over `losses` losses, the first tenth of them left out.
pub fn segments_per_round_trip(segments_per_ack: u32, every: u32, losses: u64) -> f64 {
    let mut far = Far {
        segments_per_ack,
        every: every.into(),
        packets: 0,
        next: 0,
        beyond: BTreeSet::new(),
        not_acknowledged: 0,
        acks: VecDeque::new(),
    };
    // The first segment not acknowledged, the first not sent, and which beyond a hole have arrived.
    let (mut oldest, mut next, mut arrived) = (0, 0, BTreeSet::new());
    let (mut window, mut credit) = (10.0, 0.0);
    // Where the recovery ends that is going on.
    let mut recovery_point = None;
    let mut now = 0.0;
    let mut settled = None;
    while far.packets < far.every * losses {
        while (next - oldest) as f64 - arrived.len() as f64 + 1.0 <= window {
            far.take(now, next);
            next += 1;
        }
        let ack = far.acks.pop_front().expect("something is on its way");
        now = ack.at;
        if ack.next > oldest {
            oldest = ack.next;
            arrived = arrived.split_off(&oldest);
            if recovery_point.is_none() {
                credit += 1.0;
                if credit >= window {
                    credit -= window;
                    window += 1.0;
                }
            }
            recovery_point = recovery_point.filter(|point| oldest < *point);
        }
        arrived.extend(ack.beyond);
        if arrived.len() == 3 && recovery_point.is_none() {
            // FlightSize without the two segments that limited transmit has sent.
            window = ((next - oldest - 2) as f64 / 2.0).max(2.0);
            (credit, recovery_point) = (0.0, Some(next));
            far.take(now, oldest);
        }
        if settled.is_none() && far.packets * 10 > far.every * losses {
            settled = Some((now, far.next));
        }
    }
    let (since, before) = settled.expect("a tenth comes before the whole");
    (far.next - before) as f64 / (now - since)
}

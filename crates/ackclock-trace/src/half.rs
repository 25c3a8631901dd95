//! One direction of a connection while it is tracked.

use crate::explain::{Recovery, Retransmission};
use crate::flight::{Flight, Offset};
use crate::report::{Direction, SynOptions};
use crate::samples::{Samples, Smoothed};
use ackclock::seq::SeqNumber;
use ackclock::time::{Duration, Instant};
use std::collections::VecDeque;

/// The largest window (RFC 7323 section 2.3): numbers further away are of no connection's.
pub(crate) const FURTHEST: u64 = 1 << 30;

/// Ranges of SACKed numbers that are remembered.
const MOST_SACKED: usize = 256;

/// Retransmissions whose verdict may still change.
pub(crate) const MOST_WATCHED: usize = 64;

/// A retransmission that was possibly not needed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watched {
    pub(crate) start: Offset,
    pub(crate) end: Offset,
    pub(crate) at: Instant,
    /// Its timestamp value, if it had one.
    pub(crate) timestamp: Option<u32>,
    /// It was sent once before, and that was seen.
    pub(crate) is_second: bool,
    pub(crate) is_spurious: bool,
    /// An ack that covers it has come.
    pub(crate) is_acked: bool,
    /// Where it stands in the list, if it does.
    pub(crate) listed: Option<u32>,
}

/// State of the data that one end sends.
#[derive(Debug, Default)]
pub(crate) struct Half {
    /// The first sequence number that was seen; the SYN's if there was one.
    pub(crate) base: Option<SeqNumber>,
    pub(crate) has_syn: bool,
    /// Behind everything seen.
    pub(crate) nxt: Offset,
    /// The highest cumulative ack that came back.
    pub(crate) una: Offset,
    pub(crate) flight: Flight,
    /// Ranges above `una` that were SACKed, in order.
    pub(crate) sacked: Vec<(Offset, Offset)>,
    pub(crate) newest_delivered: Option<Instant>,
    /// Duplicate acks since the last that advanced, those counted that only SACK makes such.
    pub(crate) duplicates: u32,
    /// The same without those.
    pub(crate) strict_duplicates: u32,
    /// When the other end last sent a packet.
    pub(crate) last_heard: Option<Instant>,
    pub(crate) recovery: Option<Recovery>,
    pub(crate) rtt: Samples,
    pub(crate) smoothed: Smoothed,
    pub(crate) watched: VecDeque<Watched>,
    pub(crate) first_data: Option<Instant>,
    pub(crate) last_data: Option<Instant>,
    /// When anything with sequence numbers was sent.
    pub(crate) last_send: Option<Instant>,
    pub(crate) last_packet: Option<Instant>,
    pub(crate) idle_max: Duration,
    pub(crate) fin: Option<Offset>,
    /// Nothing but the SYN has been acknowledged.
    pub(crate) in_initial_window: bool,
    /// Segments whose IPv4 identification was, and was not, a little above that of the one before.
    pub(crate) ids: (u32, u32),
    pub(crate) last_id: u16,
    /// What this end advertises: shift count, present window in bytes, and the sum of all.
    pub(crate) scale: Option<u8>,
    pub(crate) window: Option<u64>,
    pub(crate) windows: (u64, u64),
    /// Counters.
    pub(crate) counts: Direction,
}

impl Half {
    /// Where a sequence number lies; the first ever seen is the origin.
    pub(crate) fn offset(&mut self, seq: SeqNumber) -> Offset {
        if self.base.is_none() {
            self.base = Some(seq);
            self.nxt = Flight::ORIGIN;
            self.una = Flight::ORIGIN;
        }
        let base = self.base.unwrap_or(seq);
        // The wrapping number of `nxt`, from which nothing real is further away than half a circle.
        let near = base + (self.nxt.wrapping_sub(Flight::ORIGIN) as u32);
        self.nxt.saturating_add_signed(i64::from(seq.distance(near)))
    }

    /// In the numbering of reports: the SYN is 0, or the first byte seen is 1.
    pub(crate) fn relative(&self, offset: Offset) -> i64 {
        let from_origin = offset.wrapping_sub(Flight::ORIGIN) as i64;
        if self.has_syn { from_origin } else { from_origin.saturating_add(1) }
    }

    pub(crate) fn outstanding(&self) -> u64 {
        self.nxt.saturating_sub(self.una)
    }

    /// SACKed numbers at or above `offset`.
    pub(crate) fn sacked_above(&self, offset: Offset) -> u64 {
        self.sacked.iter().map(|&(start, end)| end.saturating_sub(start.max(offset))).sum()
    }

    /// Whether all of the range was SACKed.
    pub(crate) fn is_sacked(&self, start: Offset, end: Offset) -> bool {
        self.sacked.iter().any(|&(from, to)| from <= start && end <= to)
    }

    /// Takes in a SACK block; whether it says something new.
    pub(crate) fn sack(&mut self, start: Offset, end: Offset) -> bool {
        let start = start.max(self.una);
        if start >= end || self.is_sacked(start, end) {
            return false;
        }
        // What arrived most lately of it, in the order of sending, is most likely at its end.
        if let Some(piece) = self.flight.piece(end - 1).filter(|piece| piece.transmissions == 1) {
            self.newest_delivered = self.newest_delivered.max(Some(piece.first));
        }
        let from = self.sacked.partition_point(|&(_, to)| to < start);
        let to = self.sacked.partition_point(|&(from, _)| from <= end);
        let joined = self.sacked.get(from..to).unwrap_or_default();
        let start = joined.first().map_or(start, |&(from, _)| from.min(start));
        let end = joined.last().map_or(end, |&(_, to)| to.max(end));
        self.sacked.splice(from..to, [(start, end)]);
        if self.sacked.len() > MOST_SACKED {
            self.sacked.pop();
        }
        true
    }

    /// Drops the data that the cumulative ack covers.
    pub(crate) fn advance_sacked(&mut self) {
        let una = self.una;
        let done = self.sacked.partition_point(|&(_, to)| to <= una);
        self.sacked.drain(..done);
        if let Some((from, _)) = self.sacked.first_mut() {
            *from = (*from).max(una);
        }
    }

    /// Sees whether the sender numbers its IPv4 packets in order.
    pub(crate) fn note_id(&mut self, id: Option<u16>) {
        let id = id.unwrap_or_default();
        if self.last_id != 0 {
            let in_order = id != 0 && matches!(id.wrapping_sub(self.last_id), 1..=64);
            let (good, bad) = &mut self.ids;
            *(if in_order { good } else { bad }) += 1;
        }
        self.last_id = id;
    }

    /// Whether identifications show the order of sending.
    pub(crate) fn ids_are_in_order(&self) -> bool {
        let (good, bad) = self.ids;
        good >= 3 && bad <= good / 8
    }

    /// Says in the list and the counts that a retransmission was not needed.
    pub(crate) fn judge(&mut self, index: usize, why: impl FnOnce(&Watched) -> String) {
        let Some(watched) = self.watched.get_mut(index).filter(|watched| !watched.is_spurious)
        else {
            return;
        };
        watched.is_spurious = true;
        let watched = *watched;
        self.counts.causes.spurious += 1;
        let listed = watched.listed.and_then(|at| self.counts.retransmissions.get_mut(at as usize));
        if let Some(listed) = listed {
            listed.spurious = Some(why(&watched));
        }
    }

    /// Keeps a retransmission for the list, if there is room.
    pub(crate) fn list(&mut self, retransmission: Retransmission, most: usize) -> Option<u32> {
        let list = &mut self.counts.retransmissions;
        (list.len() < most).then(|| {
            list.push(retransmission);
            list.len() as u32 - 1
        })
    }

    /// Things remembered that may become many.
    pub(crate) fn records(&self) -> usize {
        self.flight.len() + self.counts.retransmissions.len() * 4 + self.sacked.len()
    }

    /// The window that it advertises, counted.
    pub(crate) fn advertise(&mut self, window: u16, is_syn: bool, is_rst: bool) -> bool {
        if is_rst {
            return false;
        }
        let scale = if is_syn { 0 } else { self.scale.unwrap_or_default() };
        let window = u64::from(window) << scale;
        let changed = self.window.replace(window) != Some(window);
        if !is_syn {
            let windows = &mut self.counts.windows;
            let (count, sum) = &mut self.windows;
            windows.min = if *count == 0 { window } else { windows.min.min(window) };
            windows.max = windows.max.max(window);
            windows.zero += u64::from(window == 0);
            *count += 1;
            *sum = sum.saturating_add(window);
        }
        changed
    }

    /// The report, given how long the connection was there.
    pub(crate) fn finish(mut self, duration: Duration, from_the_start: bool) -> Direction {
        let ratio = |sum: u64, count: u64| if count == 0 { 0.0 } else { sum as f64 / count as f64 };
        let seconds = |span: Duration| span.as_nanos() as f64 / 1e9;
        let counts = &mut self.counts;
        let (count, sum) = self.windows;
        counts.windows.avg = ratio(sum, count);
        counts.windows.scale_known = from_the_start;
        counts.avg_segment = ratio(counts.data_bytes, counts.data_packets);
        counts.stream_bytes =
            self.fin.filter(|_| self.has_syn).map(|fin| fin.saturating_sub(Flight::ORIGIN + 2));
        let data = match (self.first_data, self.last_data) {
            (Some(first), Some(last)) => last.saturating_since(first),
            _ => Duration::ZERO,
        };
        counts.data_s = seconds(data);
        counts.idle_max_s = seconds(self.idle_max);
        counts.throughput = match duration.is_zero() {
            true => 0.0,
            false => counts.unique_bytes as f64 / seconds(duration),
        };
        counts.rtt = self.rtt.report();
        if !from_the_start || !self.has_syn {
            counts.initial_window = None;
        }
        self.counts
    }
}

/// The options that a SYN has.
pub(crate) fn syn_options(options: &ackclock::wire::Options) -> SynOptions {
    SynOptions {
        mss: options.mss,
        window_scale: options.window_scale,
        sack_permitted: options.sack_permitted,
        timestamps: options.timestamps.is_some(),
    }
}

//! Classification of a segment, compared with those that the same end sent before.

use crate::explain::{Cause, Recovery, Retransmission, Situation};
use crate::flight::{Flight, Offset, Overlap, Sent};
use crate::half::{FURTHEST, Half, MOST_WATCHED, Watched};
use crate::observer::Sort;
use crate::packet::Packet;
use crate::text::span;
use ackclock::time::{Duration, Instant};
use ackclock::wire::Flags;

/// What comes within this of the segment that overtook it was reordered, where neither round-trip
/// times, timestamps nor identifications tell. (A round trip of 3 ms is taken for granted.)
const REORDERING: Duration = Duration::from_millis(3);

/// A copy that comes within this was made by the network, where no round-trip time is known.
const COPYING: Duration = Duration::from_millis(1);

/// A segment and its context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sighting<'a> {
    pub(crate) now: Instant,
    pub(crate) number: u64,
    pub(crate) began: Instant,
    pub(crate) packet: &'a Packet,
    /// The window that the other end advertises, if it has.
    pub(crate) window: Option<u64>,
    /// The largest segment that the other end takes.
    pub(crate) mss: Option<u16>,
    /// The shortest round trip of the whole path, as far as it is known.
    pub(crate) round_trip: Option<Duration>,
    pub(crate) sack_permitted: bool,
    /// Retransmissions that are listed.
    pub(crate) listed: usize,
}

/// What takes sequence numbers passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Passed {
    pub(crate) start: Offset,
    pub(crate) end: Offset,
    pub(crate) sort: Sort,
}

impl Half {
    /// This end sends a segment. Nothing comes of one that takes no sequence numbers, unless it is a
    /// probe.
    pub(crate) fn on_segment(&mut self, seen: &Sighting<'_>) -> Option<Passed> {
        let packet = seen.packet;
        let flags = packet.header.flags;
        if flags.contains(Flags::RST) {
            return None;
        }
        let (syn, fin) = (flags.contains(Flags::SYN), flags.contains(Flags::FIN));
        if syn && self.base.is_none() {
            self.has_syn = true;
        }
        let start = self.offset(packet.header.seq);
        if start > self.nxt.saturating_add(FURTHEST) || start.saturating_add(FURTHEST) < self.una {
            self.counts.out_of_window_packets += 1;
            return None;
        }
        let payload = u64::from(packet.payload_len);
        let end = start + payload + u64::from(syn) + u64::from(fin);
        if fin {
            self.fin.get_or_insert(end);
        }
        self.count_payload(seen, payload);
        if self.is_probe(start, end, payload, syn || fin) {
            let is_closed = seen.window == Some(0);
            let counts = &mut self.counts;
            *(if is_closed { &mut counts.window_probes } else { &mut counts.keepalives }) += 1;
            return Some(Passed { start, end, sort: Sort::Probe });
        }
        if start == end {
            return None;
        }
        let (was_next, before) = (self.nxt, self.last_send.replace(seen.now));
        let overlap = self.flight.record(
            Sent {
                start,
                end,
                first: seen.now,
                last: seen.now,
                transmissions: 1,
                ip_id: packet.ip_id.unwrap_or_default(),
                timestamp: timestamp(packet).unwrap_or_default(),
                filled_hole: false,
                sampled: false,
            },
            was_next,
        );
        self.nxt = self.nxt.max(end);
        self.counts.max_outstanding = self.counts.max_outstanding.max(self.outstanding());
        let unseen = (overlap.holes + overlap.new).saturating_sub(u64::from(syn) + u64::from(fin));
        self.counts.unique_bytes += unseen.min(payload);
        let sort = if overlap.seen == 0 && overlap.holes == 0 {
            if seen.window == Some(0) && payload == 1 {
                self.counts.window_probes += 1;
            }
            self.note_id(packet.ip_id);
            self.count_initial_window(seen, payload);
            Sort::New
        } else {
            self.on_old(seen, start, end, &overlap, was_next, before)
        };
        Some(Passed { start, end, sort })
    }

    fn count_payload(&mut self, seen: &Sighting<'_>, payload: u64) {
        if payload == 0 {
            return;
        }
        let counts = &mut self.counts;
        counts.min_segment = match counts.data_packets {
            0 => payload,
            _ => counts.min_segment.min(payload),
        };
        counts.max_segment = counts.max_segment.max(payload);
        counts.data_packets += 1;
        counts.data_bytes += payload;
        counts.coalesced_packets += u64::from(seen.mss.is_some_and(|mss| payload > u64::from(mss)));
        let flags = seen.packet.header.flags;
        counts.pushed_packets += u64::from(flags.contains(Flags::PSH));
        counts.cut_packets += u64::from(seen.packet.cut);
        self.first_data.get_or_insert(seen.now);
        self.last_data = Some(seen.now);
    }

    fn count_initial_window(&mut self, seen: &Sighting<'_>, payload: u64) {
        if payload == 0 || !self.in_initial_window {
            return;
        }
        let options = if timestamp(seen.packet).is_some() { 12 } else { 0 };
        let mss = seen.mss.map_or(u64::MAX, |mss| u64::from(mss.saturating_sub(options)).max(1));
        let window = self.counts.initial_window.get_or_insert_default();
        window.bytes += payload;
        window.packets += 1;
        window.segments += payload.div_ceil(mss);
    }

    /// RFC 9293 section 3.8.4: nothing, or one byte, just below what is all acknowledged. Some
    /// systems probe closed windows so, too.
    fn is_probe(&self, start: Offset, end: Offset, payload: u64, syn_or_fin: bool) -> bool {
        let is_below = start + 1 == self.nxt && end <= self.nxt && payload <= 1;
        let has_begun = self.nxt > Flight::ORIGIN + u64::from(self.has_syn);
        is_below && !syn_or_fin && self.una >= self.nxt && (has_begun || payload == 0)
    }

    /// A segment that does not begin with new data.
    fn on_old(
        &mut self,
        seen: &Sighting<'_>,
        start: Offset,
        end: Offset,
        overlap: &Overlap,
        was_next: Offset,
        before: Option<Instant>,
    ) -> Sort {
        let payload = u64::from(seen.packet.payload_len);
        if overlap.seen == 0 && self.was_reordered(seen, overlap) {
            self.counts.reordered_packets += u64::from(payload > 0);
            return Sort::Reordered;
        }
        if overlap.seen == end - start && self.was_copied(seen, overlap.repeated.as_ref()) {
            self.counts.duplicated_packets += 1;
            self.counts.duplicated_bytes += payload;
            return Sort::Duplicated;
        }
        self.on_retransmission(seen, start, end, overlap, was_next, before)
    }

    /// A segment that was overtaken, and neither it nor a copy was seen before: did the network
    /// delay it, or is it a retransmission of what was lost before this point?
    fn was_reordered(&self, seen: &Sighting<'_>, overlap: &Overlap) -> bool {
        let Some(above) = overlap.above else { return false };
        if let Some(id) = seen.packet.ip_id.filter(|_| self.ids_are_in_order()) {
            return (id.wrapping_sub(above.ip_id) as i16) < 0;
        }
        let after = timestamp(seen.packet).map(|own| own.wrapping_sub(above.timestamp) as i32);
        match after {
            Some(after) if after < 0 => return true,
            Some(after) if after > 0 => return false,
            _ => {}
        }
        // Before a retransmission, the other end must have missed it.
        let limit = seen
            .round_trip
            .map_or(REORDERING, |round_trip| round_trip.saturating_sub(round_trip / 4));
        seen.now.saturating_since(above.first) < limit
    }

    /// A segment that repeats one: was it retransmitted, or did the network copy it?
    fn was_copied(&self, seen: &Sighting<'_>, repeated: Option<&Sent>) -> bool {
        let Some(repeated) = repeated else { return false };
        if seen.packet.ip_id.is_some_and(|id| id != 0) && self.ids_are_in_order() {
            return seen.packet.ip_id == Some(repeated.ip_id);
        }
        if timestamp(seen.packet).is_some_and(|own| own != repeated.timestamp) {
            return false;
        }
        // Neither acks nor a timer can have caused it so soon.
        let limit = seen.round_trip.map_or(COPYING, |round_trip| round_trip / 2);
        let is_early = seen.now.saturating_since(repeated.last) < limit;
        is_early && self.duplicates == 0 && self.newest_delivered <= Some(repeated.last)
    }

    fn on_retransmission(
        &mut self,
        seen: &Sighting<'_>,
        start: Offset,
        end: Offset,
        overlap: &Overlap,
        was_next: Offset,
        before: Option<Instant>,
    ) -> Sort {
        let packet = seen.packet;
        let payload = u64::from(packet.payload_len);
        let repeated = overlap.repeated;
        let (cause, evidence) = Situation {
            now: seen.now,
            last_sent: repeated.map(|piece| piece.last),
            transmissions: repeated.map_or(1, |piece| piece.transmissions),
            is_first: start <= self.una && self.una < end,
            is_last: end >= was_next,
            has_syn: packet.header.flags.contains(Flags::SYN),
            window_is_closed: seen.window == Some(0),
            duplicates: self.duplicates,
            sacked_above: self.sacked_above(end),
            newest_delivered: self.newest_delivered,
            last_send: before,
            last_heard: self.last_heard,
            recovery: self.recovery,
            sack_permitted: seen.sack_permitted,
            srtt: self.smoothed.srtt().max(seen.round_trip),
            rto: self.smoothed.rto(),
        }
        .explain();
        self.enter_recovery(cause, was_next);
        let again = repeated.map_or(1, |piece| piece.transmissions);
        self.counts.max_retransmissions = self.counts.max_retransmissions.max(again.into());
        if payload == 0 {
            self.counts.syn_fin_retransmitted += 1;
        } else {
            let counts = &mut self.counts;
            counts.retransmitted_packets += 1;
            counts.retransmitted_bytes += overlap.seen.min(payload);
            counts.first_unseen_packets += u64::from(overlap.seen == 0);
            let causes = &mut counts.causes;
            *match cause {
                Cause::Fast => &mut causes.fast,
                Cause::Timeout => &mut causes.timeout,
                Cause::AfterTimeout => &mut causes.after_timeout,
                Cause::TailProbe => &mut causes.tail_probe,
                Cause::WindowProbe => &mut causes.window_probe,
                Cause::Unexplained => &mut causes.unexplained,
            } += 1;
        }
        let listed = self.list(
            Retransmission {
                packet: seen.number,
                time_s: seen.now.saturating_since(seen.began).as_nanos() as f64 / 1e9,
                seq: self.relative(start),
                length: end - start,
                cause,
                evidence,
                spurious: None,
            },
            seen.listed,
        );
        if payload > 0 {
            self.watch(Watched {
                start,
                end,
                at: seen.now,
                timestamp: timestamp(packet),
                is_second: again == 1 && repeated.is_some(),
                is_spurious: false,
                is_acked: end <= self.una,
                listed,
            });
        }
        Sort::Retransmitted(cause)
    }

    /// Remembers a retransmission until it is known whether it was needed; some are known at once.
    fn watch(&mut self, watched: Watched) {
        if self.watched.len() == MOST_WATCHED {
            self.watched.pop_front();
        }
        self.watched.push_back(watched);
        let newest = self.watched.len() - 1;
        if watched.end <= self.una {
            let since = self.last_heard.map(|heard| watched.at.saturating_since(heard));
            let since = span(since.unwrap_or_default());
            self.judge(newest, |_| {
                format!("the ack for it had passed here at least {since} before")
            });
        } else if self.is_sacked(watched.start, watched.end) {
            self.judge(newest, |_| "SACKed before it was sent again".into());
        }
    }

    fn enter_recovery(&mut self, cause: Cause, until: Offset) {
        match (cause, self.recovery) {
            (Cause::Timeout, _) => {
                self.recovery = Some(Recovery { by_timeout: true, until, partial_ack: false });
            }
            (Cause::Fast, None) => {
                self.recovery = Some(Recovery { by_timeout: false, until, partial_ack: false });
            }
            _ => {}
        }
    }
}

fn timestamp(packet: &Packet) -> Option<u32> {
    packet.header.options.timestamps.map(|timestamps| timestamps.value)
}

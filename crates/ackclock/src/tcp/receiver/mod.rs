//! The receiving half of a connection: puts data in order, and decides when to ack, what window to advertise
//! and which ranges to report by SACK.

mod ack_policy;
mod ecn;
mod full_size;
pub(crate) mod ranges;
mod reassembly;
mod sack;
#[cfg(test)]
mod tests;
mod window;

use super::{Agreement, Initial};
use crate::profile::{Kept, Part, Profile};
use crate::seq::{SeqNumber, SeqRange};
use crate::storage::{Buffer, CAN_GROW, Ring, copy};
use crate::time::Instant;
use crate::wire::SackBlocks;
pub(super) use ack_policy::AckState;
use ack_policy::Arriving;
use ecn::EcnReceiver;
use full_size::FullSize;
use ranges::RangesChoice;
use reassembly::{Reassembly, Stored};
use sack::SackReport;
use window::Window;

/// Result of taking in one segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Arrival {
    /// Bytes by which the in-order data grew.
    pub(crate) accepted: u32,
    /// Whether RCV.NXT has just passed the FIN.
    pub(crate) fin: bool,
    /// Bytes within the window that were dropped because no range was free, or memory was short.
    pub(crate) dropped: u32,
}

/// The receiving half of a connection.
#[derive(Debug)]
pub(crate) struct Receiver<'a, P: Profile> {
    data: Reassembly<'a, <P::Ranges as RangesChoice>::Ranges<'a>>,
    window: Window<P>,
    /// Largest window to advertise, in bytes.
    clamp: u32,
    /// New limit of the buffer in bytes, which holds once the peer has used up the window already advertised;
    /// `u32::MAX` if none is pending.
    wanted: u32,
    acks: AckState<P>,
    /// Estimate of the peer's full-sized segments, in an image whose ack policy counts bytes.
    full_size: <P::RareSettings as Part>::Keeps<FullSize>,
    report: <P::Sack as Part>::Keeps<SackReport>,
    ecn: <P::Ecn as Part>::Keeps<EcnReceiver>,
    /// Sequence number of the FIN; valid if `fin_seen`. (Not an `Option`, to keep a connection small.)
    fin: SeqNumber,
    fin_seen: bool,
    /// Whether all data before the FIN has arrived.
    finished: bool,
}

impl<'a, P: Profile> Receiver<'a, P> {
    /// The receiver, with its memory, of a connection that is to be opened. The peer's SYN gives it sequence
    /// numbers and options ([`agree`](Self::agree)).
    #[inline(always)]
    pub(crate) fn new(
        initial: &Initial<P>,
        ring: Buffer<'a, u8>,
        ranges: Buffer<'a, SeqRange>,
    ) -> Self {
        let next = SeqNumber(0);
        let ring = Ring::new(ring, initial.receive_buffer as usize);
        Receiver {
            data: Reassembly::new(next, ring, ranges, initial.reassembly_ranges as usize),
            window: Window::new(next, 0, 1),
            clamp: initial.window_clamp,
            wanted: u32::MAX,
            acks: initial.acks.begun(),
            full_size: Kept::new(FullSize::new(1)),
            report: Kept::new(SackReport::new(false)),
            ecn: Kept::new(EcnReceiver::default()),
            fin: next,
            fin_seen: false,
            finished: false,
        }
    }

    /// Begins to receive, once the peer's SYN with initial sequence number `irs` has arrived; `advertised` is
    /// the window of our SYN in bytes, `agreement` what both SYNs offer.
    pub(crate) fn agree(&mut self, irs: SeqNumber, advertised: u16, agreement: &Agreement<P>) {
        let &Agreement { sack, our_shift, .. } = agreement;
        let mss = agreement.receive_mss();
        let next = irs + 1;
        self.data.begin_at(next);
        self.window = Window::new(next + u32::from(advertised), our_shift, mss);
        self.full_size = Kept::new(FullSize::new(mss));
        self.report = Kept::new(SackReport::new(sack));
    }

    /// Gives back the memory; data that was not read is lost.
    pub(crate) fn into_buffers(self) -> (Buffer<'a, u8>, Buffer<'a, SeqRange>) {
        self.data.into_buffers()
    }

    /// RCV.NXT: the next sequence number expected; after the FIN once that is reached.
    pub(crate) fn rcv_nxt(&self) -> SeqNumber {
        self.data.next() + u32::from(self.finished)
    }

    /// The right edge of the advertised window.
    pub(crate) fn rcv_edge(&self) -> SeqNumber {
        self.window.edge()
    }

    /// RCV.WND: the bytes from RCV.NXT to the right edge of the advertised window.
    pub(crate) fn rcv_wnd(&self) -> u32 {
        self.window.edge().since(self.rcv_nxt())
    }

    /// Whether a segment that occupies `len` sequence numbers is acceptable (RFC 9293 section 3.4).
    pub(crate) fn is_acceptable(&self, seq: SeqNumber, len: u32) -> bool {
        SeqRange::new(self.rcv_nxt(), self.window.edge()).accepts(seq, len)
    }

    /// Takes in the data and the FIN of a segment, as far as they lie in the window (RFC 9293 section
    /// 3.10.7.4, seventh and eighth check).
    ///
    /// A segment that is not acceptable only affects the next ack; it should be passed in because RFC 2883
    /// wants duplicates reported.
    pub(crate) fn on_segment(
        &mut self,
        now: Instant,
        seq: SeqNumber,
        payload: &[u8],
        fin: bool,
        push: bool,
    ) -> Arrival {
        if payload.is_empty() && !fin {
            return Arrival::default();
        }
        if P::PREDICTION
            && seq == self.data.next()
            && !self.has_holes()
            && self.has_promised(payload.len().saturating_add(fin.into()))
        {
            if !fin {
                return self.on_next(now, payload, push);
            }
            if payload.is_empty() {
                return self.on_next_fin(now);
            }
        }
        let segment = SeqRange::from_len(seq, u32::try_from(payload.len()).unwrap_or(u32::MAX));
        let before = self.data.next();
        let had_holes = self.has_holes();
        let stored = if segment.is_empty() {
            Stored::default()
        } else {
            self.take_in(segment, payload, push || fin)
        };
        let fin_reached = self.digest_fin(fin.then_some(segment.end));

        let in_window = seq.before(self.window.edge());
        let has_sack = self.report.get().is_some_and(SackReport::is_enabled);
        let arriving = if seq.after(before) && in_window && !has_sack {
            Arriving::OutOfOrder
        } else if seq == before && !fin && !had_holes && stored.advanced == segment.len() {
            Arriving::InOrder
        } else {
            Arriving::Special
        };
        self.count_arrival(now, segment.len(), stored.advanced, arriving);
        // Only the counters use this.
        let dropped = if P::COUNTERS { stored.dropped } else { 0 };
        Arrival { accepted: stored.advanced, fin: fin_reached, dropped }
    }

    /// Takes in the payload of a segment; `last`: nothing follows it for now.
    fn take_in(&mut self, segment: SeqRange, payload: &[u8], last: bool) -> Stored {
        if let Some(duplicate) = self.data.duplicate_part(segment) {
            self.on_old(duplicate);
        }
        self.estimate_full_size(segment.len(), last);
        self.store(segment, payload)
    }

    /// Updates the estimate of the peer's full-sized segments by one of `len` bytes; `last`: nothing follows
    /// it for now.
    fn estimate_full_size(&mut self, len: u32, last: bool) {
        let announced = self.window.mss();
        if let Some(estimate) = self.full_size.get_mut() {
            estimate.on_segment(len, announced, last);
        }
    }

    /// Notes duplicate data `old`, to be reported by D-SACK (RFC 2883 section 4).
    pub(crate) fn on_old(&mut self, old: SeqRange) {
        if let Some(report) = self.report.get_mut() {
            report.on_duplicate(old);
        }
    }

    /// Takes in the next data in order, within the window and without FIN, as most data arrives.
    #[inline]
    pub(crate) fn on_expected(&mut self, now: Instant, payload: &[u8], push: bool) -> Arrival {
        if self.has_holes() {
            return self.on_segment(now, self.data.next(), payload, false, push);
        }
        self.on_next(now, payload, push)
    }

    #[inline(never)]
    fn on_next(&mut self, now: Instant, payload: &[u8], push: bool) -> Arrival {
        let len = u32::try_from(payload.len()).unwrap_or(u32::MAX);
        self.estimate_full_size(len, push);
        let Stored { advanced, dropped } = self.data.append(payload);
        let arriving = if dropped == 0 { Arriving::InOrder } else { Arriving::Special };
        self.count_arrival(now, len, advanced, arriving);
        Arrival { accepted: advanced, fin: false, dropped }
    }

    /// Takes in a FIN without payload that is next in order.
    fn on_next_fin(&mut self, now: Instant) -> Arrival {
        (self.fin, self.fin_seen, self.finished) = (self.data.next(), true, true);
        self.acks.on_arrival(now, 1, 0, Arriving::Special, 0);
        Arrival { fin: true, ..Arrival::default() }
    }

    /// Whether out-of-order data waits behind a hole, or the peer's FIN has arrived.
    fn has_holes(&self) -> bool {
        self.data.has_holes() || self.fin_seen
    }

    /// Whether the `len` bytes after RCV.NXT lie in the window.
    fn has_promised(&self, len: usize) -> bool {
        len <= self.window.edge().since(self.data.next()) as usize
    }

    /// Has the ack policy decide on a segment of `len` bytes, by which the in-order data grew by `accepted`.
    #[inline]
    fn count_arrival(&mut self, now: Instant, len: u32, accepted: u32, arriving: Arriving) {
        let full_size = self.full_size();
        let enough = self.acks.enough(full_size, self.largest_window());
        // A device that merges segments (GRO) hands over several at once.
        let segments = if !P::SEGMENTATION || len <= full_size {
            1
        } else {
            u16::try_from(len.div_ceil(full_size.max(1))).unwrap_or(u16::MAX)
        };
        self.acks.on_arrival(now, segments, accepted, arriving, enough);
    }

    /// Stores the part of a segment that lies in the window and before the FIN.
    fn store(&mut self, segment: SeqRange, payload: &[u8]) -> Stored {
        let end = match self.fin() {
            Some(fin) => fin.min(self.window.edge()),
            None => self.window.edge(),
        };
        let start = segment.start.max(self.data.next());
        let part = start.since(segment.start)..segment.end.min(end).since(segment.start);
        match payload.get(part.start as usize..part.end as usize) {
            Some(bytes) if !bytes.is_empty() => self.data.store(start, bytes),
            _ => Stored::default(),
        }
    }

    /// Sequence number of the FIN, if it was seen.
    fn fin(&self) -> Option<SeqNumber> {
        self.fin_seen.then_some(self.fin)
    }

    /// Notes a FIN with sequence number `fin`, if it lies in the window and no data behind it was received.
    /// Returns whether RCV.NXT passes the FIN now.
    fn digest_fin(&mut self, fin: Option<SeqNumber>) -> bool {
        if let (None, Some(fin)) = (self.fin(), fin) {
            let possible = self.data.highest().at_or_before(fin) && fin.before(self.window.edge());
            (self.fin, self.fin_seen) = (fin, possible);
        }
        let reached = !self.finished && self.fin() == Some(self.data.next());
        self.finished |= reached;
        reached
    }

    /// Handles the ECN signals of data within the window: a CE mark (`experienced`) and CWR (`reduced`), on a
    /// connection with ECN (RFC 3168 section 6.1.3).
    pub(crate) fn on_ecn(&mut self, experienced: bool, reduced: bool) {
        if let Some(ecn) = self.ecn.get_mut()
            && ecn.on_data(experienced, reduced)
        {
            self.acks.owe();
        }
    }

    /// Whether acks carry ECN-Echo.
    pub(crate) fn is_echoing(&self) -> bool {
        self.ecn.get().is_some_and(|ecn| ecn.is_echoing())
    }

    /// Whether acks carry any ECN flag.
    pub(crate) fn tells_congestion(&self) -> bool {
        self.ecn.get().is_some_and(|ecn| ecn.tells_something())
    }

    /// Switches to AccECN's counter: acks no longer echo marks (RFC 9768).
    pub(crate) fn count_accurately(&mut self) {
        if let Some(ecn) = self.ecn.get_mut() {
            *ecn = EcnReceiver::Counting;
        }
    }

    /// Moves received data into `to`, and returns how many bytes.
    pub(crate) fn read(&mut self, to: &mut [u8]) -> usize {
        let [first, second] = self.slices();
        let mut n = copy(to, first);
        n += copy(to.get_mut(n..).unwrap_or_default(), second);
        self.consume(n);
        n
    }

    /// All in-order data that was not read, as two slices.
    pub(crate) fn slices(&self) -> [&[u8]; 2] {
        self.data.ring().slices(0, self.queued())
    }

    /// Removes `n` bytes of received data, after a look at them through [`slices`](Self::slices).
    pub(crate) fn consume(&mut self, n: usize) {
        self.data.consume(n);
    }

    /// Whether the receiver holds no data, neither in order nor behind a hole.
    pub(crate) fn holds_no_data(&self) -> bool {
        self.queued() == 0 && !self.data.has_holes()
    }

    /// Frees owned memory if it holds no data.
    pub(crate) fn release_memory(&mut self) {
        self.data.release();
    }

    /// Most bytes that the receive queue may hold.
    pub(crate) fn limit(&self) -> usize {
        self.data.ring().limit()
    }

    /// Largest window to advertise, in bytes.
    pub(crate) fn largest_window(&self) -> u32 {
        self.wanted_limit().min(self.clamp())
    }

    fn clamp(&self) -> u32 {
        if P::RARE_SETTINGS { self.clamp } else { u32::MAX }
    }

    fn wanted(&self) -> u32 {
        if CAN_GROW || P::RARE_SETTINGS { self.wanted } else { u32::MAX }
    }

    /// Most bytes that the receive queue may hold, once the peer has used up the window already advertised.
    pub(crate) fn wanted_limit(&self) -> u32 {
        u32::try_from(self.limit()).unwrap_or(u32::MAX).min(self.wanted())
    }

    /// Sets the limit of the receive queue, if its memory grows. Data within the window already advertised is
    /// still accepted.
    pub(crate) fn set_limit(&mut self, limit: usize) {
        if limit != self.wanted_limit() as usize {
            self.wanted = u32::try_from(limit).unwrap_or(u32::MAX);
        }
        let promised = self.window.edge().since(self.data.next()) as usize;
        self.data.set_limit(limit.max(self.queued() + promised));
    }

    /// Sets the largest window to advertise, in bytes; `None`: no limit but the buffer.
    pub(crate) fn set_clamp(&mut self, clamp: Option<u32>) {
        self.clamp = clamp.unwrap_or(u32::MAX);
    }

    /// Has the next `count` segments acknowledged one by one, beginning with those that wait for a delayed
    /// ack.
    pub(crate) fn set_quick_acks(&mut self, count: u16) {
        self.acks.set_quick_acks(count);
    }

    /// Quick acks left: segments still to be acknowledged one by one.
    pub(crate) fn quick_acks(&self) -> u16 {
        self.acks.quick_acks()
    }

    /// Payload bytes of a full-sized segment from the peer: the estimate by its segments, or without one our
    /// announced MSS.
    pub(crate) fn full_size(&self) -> u32 {
        self.full_size.get().map_or(self.window.mss(), FullSize::bytes)
    }

    /// Memory that the receive queue holds, in bytes.
    #[allow(dead_code, reason = "only queues that grow ask, and without a heap none does")]
    pub(crate) fn allocated(&self) -> usize {
        self.data.ring().allocated()
    }

    /// Bytes in order that were not read.
    pub(crate) fn queued(&self) -> usize {
        self.data.ring().len()
    }

    /// The sequence number of the first byte that was not read.
    pub(crate) fn first_unread(&self) -> SeqNumber {
        self.data.next() - self.queued() as u32
    }

    /// Bytes of out-of-order data held.
    pub(crate) fn out_of_order(&self) -> u32 {
        self.data.out_of_order()
    }

    /// Whether RCV.NXT has passed the FIN.
    pub(crate) const fn is_finished(&self) -> bool {
        self.finished
    }

    /// Whether an ack is to be sent now.
    pub(crate) fn ack_due(&self, now: Instant) -> bool {
        self.acks.is_due(now)
    }

    /// When the delayed ack is to be sent; [`Instant::FAR_FUTURE`] if none is pending.
    pub(crate) const fn ack_deadline(&self) -> Instant {
        self.acks.deadline()
    }

    /// Has an ack sent now.
    pub(crate) fn force_ack(&mut self) {
        self.acks.owe();
    }

    /// Notes that a segment was sent that acknowledged RCV.NXT and advertised `window` bytes.
    pub(crate) fn on_ack_sent(&mut self, _now: Instant, window: u32) {
        self.acks.on_sent();
        if let Some(report) = self.report.get_mut() {
            report.on_sent();
            if report.has_block() {
                self.acks.owe();
            }
        }
        self.on_advertised(window);
    }

    /// Notes that a segment was sent that advertised `window` bytes, which the peer may now use.
    pub(crate) fn on_advertised(&mut self, window: u32) {
        self.window.on_advertised(self.rcv_nxt(), window);
    }

    /// The window to advertise in the next segment, in bytes.
    pub(crate) fn window(&self) -> u32 {
        // Never less than already advertised, whatever the limit is now.
        let wanted = self.wanted().saturating_sub(self.queued() as u32).min(self.clamp());
        let room = self.data.ring().free().min(wanted.max(self.rcv_wnd()) as usize);
        self.window.offer(self.rcv_nxt(), room, self.largest_window())
    }

    /// The window field of a segment, not a SYN, that advertises `window` bytes.
    pub(crate) fn window_field(&self, window: u32) -> u16 {
        self.window.field(window)
    }

    /// Whether a window update should be sent unasked. While nothing was read (`was_read` is false) and the
    /// buffer limit is unchanged, a window that takes a full segment is enough: the ack of that segment
    /// advertises the rest, such as what the unscaled window of a SYN could not.
    #[inline(always)]
    pub(crate) fn window_update_due(&self, was_read: bool) -> bool {
        let next = self.data.next();
        // Whether the advertised window takes a full segment, and can grow by less than `step` bytes.
        let is_calm = |step: u32| {
            let promised = self.window.edge().since(next);
            promised >= self.window.mss()
                && self.data.ring().free() < promised.saturating_add(step) as usize
        };
        // Less growth than any policy thinks worthwhile.
        if P::PREDICTION && is_calm(self.window.mss().min(self.largest_window() / 4)) {
            return false;
        }
        let worthwhile = match was_read || self.wanted() != u32::MAX {
            true => self.acks.worthwhile_update(self.window.mss(), self.largest_window()),
            false => u32::MAX,
        };
        if P::PREDICTION && is_calm(worthwhile) {
            return false;
        }
        !self.finished && self.window.update_due(next, self.window(), worthwhile)
    }

    /// Whether an ack would report more than RCV.NXT: out-of-order data, or a duplicate for D-SACK.
    pub(crate) fn has_report(&self) -> bool {
        self.data.has_holes() || self.report.get().is_some_and(SackReport::has_block)
    }

    /// Puts SACK blocks into the option of the next segment, as many as the longest option holds.
    #[cfg_attr(target_pointer_width = "64", inline(always))]
    pub(crate) fn report_sack(&self, option: &mut SackBlocks) {
        if let Some(report) = self.report.get() {
            report.fill(option, self.data.ranges());
        }
    }

    /// As [`report_sack`](Self::report_sack), beside data: apart, so that the acks of all other segments stay as fast.
    #[cold]
    #[inline(never)]
    pub(crate) fn report_sack_beside_data(&self, option: &mut SackBlocks) {
        self.report_sack(option);
    }
}

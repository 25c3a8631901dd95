//! The congestion window shared by loss-based algorithms: slow start, congestion avoidance, reduction and
//! undo.
//!
//! An algorithm decides *when* and *to what* the window is reduced; everything common to them is here.

use super::{
    Ack, CongestionKind, DEFAULT_MSS, Growth, LARGEST_WINDOW, SlowStart, StandardSlowStart, Start,
};

/// A congestion window with a slow-start threshold. Sizes in bytes. The parameter supervises the initial slow
/// start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CongestionWindow<S = StandardSlowStart> {
    growth: Growth,
    initial_slow_start: S,
    mss: u32,
    now: Sizes,
    /// The value of `now` before the last congestion event, while that can be undone.
    before_event: Option<Sizes>,
}

/// State that a congestion event changes and an undo restores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Sizes {
    cwnd: u32,
    ssthresh: u32,
    /// Bytes counted in congestion avoidance that have not yet added a segment (RFC 3465's `bytes_acked`).
    credit: u32,
    /// Whether this is the slow start after a loss, in which acks count for less.
    repairs_loss: bool,
}

impl Sizes {
    const fn initial(cwnd: u32) -> Self {
        Sizes { cwnd, ssthresh: u32::MAX, credit: 0, repairs_loss: false }
    }
}

impl CongestionWindow {
    /// The window before a connection exists: one segment of the default size.
    pub(super) const fn new(growth: Growth) -> Self {
        CongestionWindow {
            growth,
            initial_slow_start: StandardSlowStart,
            mss: DEFAULT_MSS,
            now: Sizes::initial(DEFAULT_MSS),
            before_event: None,
        }
    }
}

impl<S: SlowStart> CongestionWindow<S> {
    /// The same window, with another supervisor of its initial slow start.
    pub(super) const fn with_slow_start<T>(self, initial_slow_start: T) -> CongestionWindow<T> {
        let CongestionWindow { growth, mss, now, before_event, .. } = self;
        CongestionWindow { growth, initial_slow_start, mss, now, before_event }
    }

    /// Begins a connection: only the rule of growth is kept.
    pub(super) fn start(&mut self, start: &Start) {
        self.mss = start.mss.max(1);
        self.now = Sizes::initial(within_bounds(start.initial_window, self.mss));
        self.before_event = None;
        self.initial_slow_start.start();
    }

    /// Sets a slow-start threshold known from an earlier connection.
    pub(super) fn expect(&mut self, threshold: u32) {
        self.now.ssthresh = threshold;
    }

    pub(super) fn growth(&self) -> Growth {
        self.growth
    }

    pub(super) fn set_growth(&mut self, growth: Growth) {
        self.growth = growth;
    }

    pub(super) fn initial_slow_start(&self) -> S {
        self.initial_slow_start
    }

    pub(super) fn mss(&self) -> u32 {
        self.mss
    }

    pub(super) fn cwnd(&self) -> u32 {
        self.now.cwnd
    }

    pub(super) fn ssthresh(&self) -> u32 {
        self.now.ssthresh
    }

    pub(super) fn in_slow_start(&self) -> bool {
        self.now.cwnd < self.now.ssthresh
    }

    /// Makes the window grow for an ack of new data, if the window limits the sender.
    pub(super) fn grow(&mut self, ack: &Ack) {
        let grows = ack.bytes_acked > 0 && ack.window_limited;
        if self.in_slow_start() {
            // Only slow start before any congestion is supervised (RFC 9406 section 4.3).
            let initial = self.now.ssthresh == u32::MAX;
            match if initial { self.initial_slow_start.on_ack(ack) } else { Some(1) } {
                Some(divisor) if grows => self.slow_start(self.growth.counted(ack), divisor),
                Some(_) => {}
                None => self.now.ssthresh = self.now.cwnd,
            }
        } else if grows {
            self.avoid_congestion(self.growth.counted(ack));
        }
    }

    /// Slow start (RFC 5681 equation 2) by the chosen growth, up to the threshold and not beyond.
    fn slow_start(&mut self, bytes_acked: u32, divisor: u32) {
        let sizes = &mut self.now;
        let increase = self.growth.slow_start_increase(bytes_acked, self.mss, sizes.repairs_loss);
        let increase = increase.checked_div(divisor).unwrap_or(increase);
        let cwnd = sizes.cwnd.saturating_add(increase).min(sizes.ssthresh);
        sizes.cwnd = within_bounds(cwnd, self.mss);
        if sizes.cwnd == sizes.ssthresh {
            sizes.repairs_loss = false;
        }
    }

    /// Congestion avoidance (RFC 3465 section 2.1).
    fn avoid_congestion(&mut self, bytes_acked: u32) {
        self.gain(self.growth.avoidance_credit(bytes_acked, self.mss));
    }

    /// Adds `credit` bytes: the window grows by one segment for each full window of credit, and the remainder
    /// is kept.
    pub(super) fn gain(&mut self, credit: u32) {
        let sizes = &mut self.now;
        sizes.credit = sizes.credit.saturating_add(credit);
        let price = self.growth.avoidance_price(sizes.cwnd, self.mss);
        if let Some(remainder) = sizes.credit.checked_sub(price) {
            sizes.credit = remainder;
            sizes.cwnd = within_bounds(sizes.cwnd.saturating_add(self.mss), self.mss);
        }
    }

    /// Stores what is needed to undo the coming reduction. A repeated timeout belongs to the first one, so
    /// that both are undone together. Returns whether something new was stored.
    pub(super) fn remember(&mut self, kind: CongestionKind) -> bool {
        let begins = kind != CongestionKind::RepeatedTimeout || self.before_event.is_none();
        if begins {
            self.before_event = Some(self.now);
        }
        begins
    }

    /// Responds to congestion with the threshold `reduced`: continues there, or after a timeout in slow start
    /// up to it. A repeated timeout does not reduce the threshold further.
    pub(super) fn reduce(&mut self, kind: CongestionKind, reduced: u32) {
        match kind {
            CongestionKind::FastRetransmit | CongestionKind::Ecn => self.continue_at(reduced),
            CongestionKind::Timeout => self.slow_start_again(reduced),
            CongestionKind::RepeatedTimeout => self.slow_start_again(self.now.ssthresh),
        }
    }

    /// Continues at the threshold in congestion avoidance. Congestion never enlarges the window, even if the
    /// flight was larger than it.
    pub(super) fn continue_at(&mut self, ssthresh: u32) {
        self.now =
            Sizes { cwnd: self.now.cwnd.min(ssthresh), ssthresh, credit: 0, repairs_loss: false };
    }

    /// Continues at `reduced` in congestion avoidance and keeps the credit: the response to marks that arrive
    /// in each round trip. It cannot be undone.
    pub(super) fn reduce_for_marks(&mut self, reduced: u32) {
        let given_up = self.now.cwnd.saturating_sub(reduced);
        if let Some(before) = &mut self.before_event {
            before.cwnd = before.cwnd.saturating_sub(given_up).max(reduced);
        }
        (self.now.cwnd, self.now.ssthresh) = (reduced, reduced);
        self.now.repairs_loss = false;
    }

    /// Continues in slow start with one segment (the loss window of RFC 5681 section 3.1).
    pub(super) fn slow_start_again(&mut self, ssthresh: u32) {
        self.now = Sizes { cwnd: self.mss, ssthresh, credit: 0, repairs_loss: true };
    }

    /// Undoes the last reduction; what the window has gained since is kept. Returns whether there was one to
    /// undo.
    pub(super) fn undo(&mut self) -> bool {
        let Some(before) = self.before_event.take() else {
            return false;
        };
        let cwnd = within_bounds(before.cwnd.max(self.now.cwnd), self.mss);
        self.now = Sizes { cwnd, ..before };
        true
    }

    /// Sets the window to `cwnd`, in congestion avoidance and without credit.
    pub(super) fn avoid_congestion_at(&mut self, cwnd: u32) {
        let cwnd = within_bounds(cwnd, self.mss);
        let ssthresh = self.now.ssthresh.min(cwnd);
        self.now = Sizes { cwnd, ssthresh, credit: 0, repairs_loss: false };
    }

    /// Halves a window that was not validated, but not below `least`; the threshold becomes at least three
    /// quarters of the old window (RFC 7661 section 4.4.3).
    pub(super) fn give_up_unvalidated(&mut self, least: u32) {
        let (cwnd, least) = (self.now.cwnd, least.max(self.mss));
        self.now.ssthresh = self.now.ssthresh.max(cwnd - cwnd / 4);
        self.restart_after_idle((cwnd / 2).max(least));
    }

    /// Reduces the window to the restart window after an idle period (RFC 5681 section 4.1). The threshold
    /// keeps what the path could bear.
    pub(super) fn restart_after_idle(&mut self, restart_window: u32) {
        self.now.cwnd = self.now.cwnd.min(restart_window).max(self.mss);
        self.now.credit = 0;
        self.now.repairs_loss = false;
        self.before_event = None;
    }

    /// Changes the segment size: the window stays the same in bytes, but is at least one segment.
    pub(super) fn change_mss(&mut self, mss: u32) {
        self.mss = mss.max(1);
        self.now.cwnd = within_bounds(self.now.cwnd, self.mss);
    }
}

/// A window of at least one segment, and at most what TCP can express.
pub(super) fn within_bounds(cwnd: u32, mss: u32) -> u32 {
    cwnd.min(LARGEST_WINDOW).max(mss)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::HyStart;
    use crate::congestion::tests::{acked, start};
    use crate::time::Duration;

    const MSS: u32 = 1000;

    fn window(segments: u32, growth: Growth) -> CongestionWindow {
        let mut window = CongestionWindow::new(growth);
        window.start(&start(MSS, segments * MSS));
        window
    }

    /// A window in congestion avoidance, without credit.
    fn avoiding(cwnd: u32, growth: Growth) -> CongestionWindow {
        let mut window = window(100, growth);
        window.continue_at(cwnd);
        assert_eq!((window.cwnd(), window.ssthresh()), (cwnd, cwnd));
        window
    }

    /// One round trip: the whole window is acknowledged, `segments_per_ack` at a time.
    fn round(window: &mut CongestionWindow, segments_per_ack: u32) {
        let mut left = window.cwnd();
        while left > 0 {
            let bytes = left.min(segments_per_ack * MSS);
            window.grow(&acked(bytes));
            left -= bytes;
        }
    }

    fn windows(mut window: CongestionWindow, segments_per_ack: u32) -> [u32; 4] {
        core::array::from_fn(|_| {
            round(&mut window, segments_per_ack);
            window.cwnd() / MSS
        })
    }

    #[test]
    fn slow_start_doubles_each_round_with_delayed_acks_if_l_is_two() {
        let two = window(2, Growth::ByteCounting { limit: 2 });
        assert_eq!(windows(two, 1), [4, 8, 16, 32]);
        assert_eq!(windows(two, 2), [4, 8, 16, 32]);
    }

    #[test]
    fn slow_start_grows_by_half_each_round_with_delayed_acks_if_l_is_one() {
        let one = window(2, Growth::ByteCounting { limit: 1 });
        assert_eq!(windows(one, 1), [4, 8, 16, 32]);
        // One ack for 2 segments, 2 for 3, 3 for 5 (the odd segment is acked by itself), 4 for 8.
        assert_eq!(windows(one, 2), [3, 5, 8, 12]);
        assert_eq!(windows(window(2, Growth::PerAck), 2), [3, 5, 8, 12]);
    }

    #[test]
    fn stretched_acks_grow_slow_start_by_l_segments_only() {
        let mut window = window(10, Growth::default());
        window.grow(&acked(8 * MSS));
        assert_eq!(window.cwnd(), 12 * MSS);
    }

    #[test]
    fn slow_start_after_a_loss_counts_one_segment_until_it_ends() {
        let mut window = window(10, Growth::default());
        window.slow_start_again(3500);
        assert_eq!(window.cwnd(), MSS);
        window.grow(&acked(5 * MSS));
        assert_eq!(window.cwnd(), 2 * MSS);
        window.grow(&acked(5 * MSS));
        window.grow(&acked(5 * MSS));
        assert_eq!(window.cwnd(), 3500);
        // That slow start is over: the next one, after an idle time, counts two again.
        window.restart_after_idle(MSS);
        window.grow(&acked(5 * MSS));
        assert_eq!(window.cwnd(), 3 * MSS);
    }

    #[test]
    fn an_idle_time_ends_the_slow_start_that_repaired_a_loss() {
        let mut window = window(10, Growth::default());
        window.slow_start_again(5 * MSS);
        window.restart_after_idle(10 * MSS);
        assert_eq!((window.cwnd(), window.ssthresh()), (MSS, 5 * MSS));
        window.grow(&acked(2 * MSS));
        assert_eq!(window.cwnd(), 3 * MSS);
    }

    #[test]
    fn slow_start_stops_exactly_at_the_threshold() {
        let mut window = window(10, Growth::PerAck);
        window.slow_start_again(2700);
        let cwnds: [u32; 5] = core::array::from_fn(|_| {
            window.grow(&acked(MSS));
            window.cwnd()
        });
        // From there on acks count towards the next segment: three of them for a window of 2700.
        assert_eq!(cwnds, [2000, 2700, 2700, 2700, 3700]);
    }

    #[test]
    fn avoidance_adds_exactly_one_segment_for_each_window_acknowledged() {
        let mut window = avoiding(4 * MSS, Growth::default());
        for expected in 5..=40 {
            let mut acks = 0;
            while window.cwnd() < expected * MSS {
                window.grow(&acked(MSS));
                acks += 1;
            }
            assert_eq!(window.cwnd(), expected * MSS);
            assert_eq!(acks, expected - 1);
        }
    }

    #[test]
    fn avoidance_keeps_the_remainder_of_the_credit() {
        let mut window = avoiding(2500, Growth::default());
        window.grow(&acked(2000));
        assert_eq!(window.cwnd(), 2500);
        window.grow(&acked(2000)); // 4000 of 2500: one segment, 1500 left
        assert_eq!(window.cwnd(), 3500);
        window.grow(&acked(1999)); // 3499 of 3500
        assert_eq!(window.cwnd(), 3500);
        window.grow(&acked(1));
        assert_eq!(window.cwnd(), 4500);
    }

    #[test]
    fn avoidance_per_ack_needs_as_many_acks_as_the_window_has_segments() {
        let mut window = avoiding(4 * MSS, Growth::PerAck);
        for _ in 0..3 {
            window.grow(&acked(2 * MSS));
        }
        assert_eq!(window.cwnd(), 4 * MSS);
        window.grow(&acked(2 * MSS));
        assert_eq!(window.cwnd(), 5 * MSS);
    }

    /// zhang91 section 2.1: floor(cwnd) grows by one for each floor(cwnd) acks, also if cwnd is not
    /// whole.
    #[test]
    fn floor_adds_a_segment_for_as_many_acks_as_there_are_whole_segments() {
        let acks_for_a_segment = |growth| {
            let mut window = avoiding(2700, growth);
            [(); 4].map(|()| {
                let before = window.cwnd();
                (1..).find(|_| {
                    window.grow(&acked(MSS));
                    window.cwnd() > before
                })
            })
        };
        assert_eq!(acks_for_a_segment(Growth::Floor), [Some(2), Some(3), Some(4), Some(5)]);
        // With the whole of cwnd to pay: 300, 600 and 900 bytes are left over on the way.
        assert_eq!(acks_for_a_segment(Growth::PerAck), [Some(3), Some(4), Some(5), Some(5)]);
    }

    /// allman99 section 3 and its footnote 3.
    #[test]
    fn appropriate_byte_counting_rests_while_a_loss_is_repaired() {
        let mut window = window(10, Growth::AppropriateByteCounting);
        window.grow(&acked(3 * MSS));
        assert_eq!(window.cwnd(), 12 * MSS);
        window.slow_start_again(6 * MSS);
        window.grow(&acked(3 * MSS));
        assert_eq!(window.cwnd(), 2 * MSS);
        window.restart_after_idle(2 * MSS);
        window.grow(&acked(3 * MSS));
        assert_eq!(window.cwnd(), 4 * MSS);
    }

    #[test]
    fn hystart_sets_the_threshold_where_it_ends_the_initial_slow_start() {
        let mut window = window(10, Growth::default()).with_slow_start(HyStart::INITIAL);
        let round = |window: &mut CongestionWindow<HyStart>, rtt_millis| {
            for n in 0..8 {
                let rtt = Some(Duration::from_millis(rtt_millis));
                window.grow(&Ack { rtt, new_round: n == 0, ..acked(MSS) });
            }
        };
        round(&mut window, 100);
        round(&mut window, 120);
        assert_eq!((window.cwnd(), window.ssthresh()), (26 * MSS, u32::MAX));
        for _ in 0..4 {
            round(&mut window, 120);
        }
        // A quarter of 8 segments for each round.
        assert_eq!((window.cwnd(), window.ssthresh()), (34 * MSS, u32::MAX));
        round(&mut window, 120);
        assert_eq!((window.cwnd(), window.ssthresh()), (34 * MSS, 34 * MSS));
    }

    #[test]
    fn an_unvalidated_window_is_halved_and_its_size_remembered() {
        let mut window = avoiding(40 * MSS, Growth::default());
        window.restart_after_idle(32 * MSS);
        window.continue_at(10 * MSS);
        window.avoid_congestion_at(32 * MSS);
        window.give_up_unvalidated(4 * MSS);
        assert_eq!((window.cwnd(), window.ssthresh()), (16 * MSS, 24 * MSS));
        window.give_up_unvalidated(10 * MSS);
        assert_eq!((window.cwnd(), window.ssthresh()), (10 * MSS, 24 * MSS));
        window.give_up_unvalidated(20 * MSS);
        assert_eq!((window.cwnd(), window.ssthresh()), (10 * MSS, 24 * MSS));
    }

    #[test]
    fn no_window_is_larger_than_a_gibibyte() {
        let mut window = window(1, Growth::default());
        window.start(&start(MSS, u32::MAX));
        assert_eq!(window.cwnd(), LARGEST_WINDOW);
        window.grow(&acked(2 * MSS));
        window.continue_at(u32::MAX);
        window.grow(&acked(u32::MAX));
        assert_eq!(window.cwnd(), LARGEST_WINDOW);
    }

    #[test]
    fn a_window_that_does_not_limit_the_sender_does_not_grow() {
        let mut window = window(10, Growth::default());
        let mut idle = acked(2 * MSS);
        idle.window_limited = false;
        window.grow(&idle);
        assert_eq!(window.cwnd(), 10 * MSS);
        let mut sacked_only = acked(0);
        sacked_only.bytes_sacked = 2 * MSS;
        window.grow(&sacked_only);
        assert_eq!(window.cwnd(), 10 * MSS);
    }

    #[test]
    fn undo_brings_back_window_threshold_and_credit() {
        let mut window = avoiding(4 * MSS, Growth::default());
        window.grow(&acked(3 * MSS));
        let before = window;
        window.remember(CongestionKind::FastRetransmit);
        window.continue_at(2 * MSS);
        window.undo();
        assert_eq!(window, before);
        window.grow(&acked(MSS));
        assert_eq!(window.cwnd(), 5 * MSS);
        // There is nothing more to take back.
        window.undo();
        assert_eq!(window.cwnd(), 5 * MSS);
    }

    #[test]
    fn undo_takes_back_a_timeout_with_its_repetitions() {
        let mut window = avoiding(8 * MSS, Growth::default());
        window.remember(CongestionKind::Timeout);
        window.slow_start_again(4 * MSS);
        window.remember(CongestionKind::RepeatedTimeout);
        window.slow_start_again(4 * MSS);
        window.undo();
        assert_eq!((window.cwnd(), window.ssthresh()), (8 * MSS, 8 * MSS));
    }

    #[test]
    fn undo_takes_back_only_the_last_of_two_events() {
        let mut window = avoiding(8 * MSS, Growth::default());
        window.remember(CongestionKind::FastRetransmit);
        window.continue_at(4 * MSS);
        window.remember(CongestionKind::Timeout);
        window.slow_start_again(2 * MSS);
        window.undo();
        assert_eq!((window.cwnd(), window.ssthresh()), (4 * MSS, 4 * MSS));
    }

    #[test]
    fn undo_does_not_shrink_a_window_that_has_outgrown_the_event() {
        let mut window = avoiding(2 * MSS, Growth::default());
        window.remember(CongestionKind::FastRetransmit);
        window.continue_at(2 * MSS);
        round(&mut window, 1);
        assert_eq!(window.cwnd(), 3 * MSS);
        window.undo();
        assert_eq!((window.cwnd(), window.ssthresh()), (3 * MSS, 2 * MSS));
    }

    #[test]
    fn congestion_never_opens_the_window() {
        let mut window = window(2, Growth::default());
        window.continue_at(20 * MSS);
        assert_eq!((window.cwnd(), window.ssthresh()), (2 * MSS, 20 * MSS));
    }

    #[test]
    fn restart_takes_the_smaller_window_and_keeps_the_threshold() {
        let mut window = avoiding(8 * MSS, Growth::default());
        window.restart_after_idle(10 * MSS);
        assert_eq!((window.cwnd(), window.ssthresh()), (8 * MSS, 8 * MSS));
        window.restart_after_idle(3 * MSS);
        assert_eq!((window.cwnd(), window.ssthresh()), (3 * MSS, 8 * MSS));
        window.restart_after_idle(0);
        assert_eq!(window.cwnd(), MSS);
    }

    #[test]
    fn a_new_segment_size_changes_the_window_only_if_it_would_not_fit() {
        let mut window = avoiding(4 * MSS, Growth::default());
        window.change_mss(500);
        assert_eq!((window.cwnd(), window.mss()), (4000, 500));
        window.grow(&acked(4000));
        assert_eq!(window.cwnd(), 4500);
        window.change_mss(9000);
        assert_eq!(window.cwnd(), 9000);
    }

    #[test]
    fn start_forgets_an_earlier_connection() {
        let mut used = avoiding(4 * MSS, Growth::default());
        used.remember(CongestionKind::Timeout);
        used.slow_start_again(2 * MSS);
        used.start(&start(500, 100));
        used.undo();
        assert_eq!((used.cwnd(), used.ssthresh(), used.mss()), (500, u32::MAX, 500));
    }
}

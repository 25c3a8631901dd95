//! Extent of marking: the share of bytes that are marked, as a moving average (alpha of section 2.3.2 of the
//! draft, as in RFC 8257 section 3.3).

/// The value for "all bytes are marked", as fixed-point numbers here have 24 fractional bits.
pub(super) const ONE: u32 = 1 << 24;
/// Binary logarithm of 1/g: the gain g is 1/2^4.
const GAIN_SHIFT: u32 = 4;

/// Alpha, and the counts of the current round trip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Extent {
    alpha: u32,
    delivered: u32,
    marked: u32,
    has_seen_marks: bool,
}

impl Extent {
    pub(super) const NONE: Extent =
        Extent { alpha: 0, delivered: 0, marked: 0, has_seen_marks: false };

    /// Counts delivered bytes, and those of them that were marked.
    pub(super) fn count(&mut self, delivered: u32, marked: u32) {
        self.delivered = self.delivered.saturating_add(delivered);
        self.marked = self.marked.saturating_add(marked);
    }

    /// Notes a mark, and returns whether it is the first one. The first mark is treated as if all bytes were
    /// marked, since nothing is known yet of their share.
    pub(super) fn note_mark(&mut self) -> bool {
        let is_first = !self.has_seen_marks;
        if is_first {
            *self = Extent { alpha: ONE, has_seen_marks: true, ..Extent::NONE };
        }
        is_first
    }

    /// Ends a round trip: alpha moves toward its share of marked bytes, by the gain.
    pub(super) fn end_round(&mut self) {
        // Delivery and mark of a packet may be reported in different acks.
        let marked = u64::from(self.marked.min(self.delivered)) << ONE.trailing_zeros();
        let Some(share) = marked.checked_div(self.delivered.into()) else {
            return;
        };
        // At most `ONE`, as is alpha.
        let share = share as u32;
        self.alpha = self.alpha - (self.alpha >> GAIN_SHIFT) + (share >> GAIN_SHIFT);
        (self.delivered, self.marked) = (0, 0);
    }

    /// A window reduced by alpha/2 of it, rounded up.
    pub(super) fn reduced(&self, window: u32) -> u32 {
        let given_up = (u64::from(window) * u64::from(self.alpha)) >> (ONE.trailing_zeros() + 1);
        // At most half of the window.
        window - given_up as u32
    }

    #[cfg(test)]
    pub(super) fn alpha(&self) -> u32 {
        self.alpha
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_given_up_without_marks_and_half_for_the_first() {
        let mut extent = Extent::NONE;
        extent.count(10_000, 0);
        extent.end_round();
        assert_eq!((extent.alpha(), extent.reduced(10_001)), (0, 10_001));
        assert!(extent.note_mark());
        assert_eq!((extent.alpha(), extent.reduced(10_001)), (ONE, 5_001));
        assert!(!extent.note_mark());
    }

    #[test]
    fn alpha_moves_a_sixteenth_of_the_way_each_round() {
        let mut extent = Extent::NONE;
        extent.note_mark();
        extent.count(8_000, 2_000);
        extent.end_round();
        // 1 - 1/16 + 1/4 * 1/16 = 61/64.
        assert_eq!(extent.alpha(), ONE / 64 * 61);
        extent.count(5_000, 0);
        extent.end_round();
        assert_eq!(extent.alpha(), ONE / 1024 * 915);
        // 915/1024 of half of 2048 bytes.
        assert_eq!(extent.reduced(2_048), 2_048 - 915);
    }

    #[test]
    fn alpha_comes_to_the_share_and_stays() {
        let mut extent = Extent::NONE;
        extent.note_mark();
        for _ in 0..300 {
            extent.count(1_000, 250);
            extent.end_round();
        }
        assert!(extent.alpha().abs_diff(ONE / 4) <= 16, "{}", extent.alpha());
        for _ in 0..300 {
            extent.count(1_000, 0);
            extent.end_round();
        }
        assert!(extent.alpha() < 16, "{}", extent.alpha());
    }

    #[test]
    fn a_round_without_bytes_tells_nothing_and_more_marked_than_delivered_is_all() {
        let mut extent = Extent::NONE;
        extent.note_mark();
        extent.end_round();
        assert_eq!(extent.alpha(), ONE);
        extent.count(u32::MAX, u32::MAX);
        extent.end_round();
        extent.count(1, u32::MAX);
        extent.end_round();
        assert_eq!((extent.alpha(), extent.reduced(u32::MAX)), (ONE, u32::MAX / 2 + 1));
    }
}

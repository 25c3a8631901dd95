//! As many points as can be seen, out of as many as there are.

use crate::picture::Plane;
use std::collections::HashSet;

/// Of a line's points those that can be seen: of each column of pixels the first, the lowest, the
/// highest and the last, in their order.
pub(crate) fn line(points: &[(f64, f64)], plane: &Plane) -> Vec<(f64, f64)> {
    let mut kept = Vec::new();
    for group in points.chunk_by(|one, other| plane.pixel(*one)[0] == plane.pixel(*other)[0]) {
        let height = |index: &usize| group[*index].1;
        let by_height = |one: &usize, other: &usize| height(one).total_cmp(&height(other));
        let low = (0..group.len()).min_by(by_height);
        let high = (0..group.len()).max_by(by_height);
        let mut of_group = [0, low.unwrap_or(0), high.unwrap_or(0), group.len() - 1];
        of_group.sort_unstable();
        kept.extend(of_group.map(|index| group[index]));
    }
    // Those that share a pixel with the one before are not seen.
    kept.dedup_by_key(|point| plane.pixel(*point));
    kept
}

/// Of marks those that no earlier one hides.
pub(crate) fn marks(points: &[(f64, f64)], plane: &Plane) -> Vec<(f64, f64)> {
    let mut taken = HashSet::new();
    points.iter().copied().filter(|point| taken.insert(plane.pixel(*point))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred pixels in each direction for values from 0 to 1.
    const PLANE: Plane = Plane { x: [0.0, 1.0], y: [0.0, 1.0], area: [0, 0, 100, 100] };

    #[test]
    fn a_column_keeps_its_first_lowest_highest_and_last_point() {
        let points = [(0.001, 0.5), (0.002, 0.6), (0.003, 0.9), (0.004, 0.1), (0.005, 0.4)];
        let kept = [points[0], points[2], points[3], points[4]];
        assert_eq!(line(&points, &PLANE), kept);
    }

    #[test]
    fn points_in_columns_of_their_own_are_all_kept() {
        let points: Vec<_> = (0..=100).map(|n| (f64::from(n) / 100.0, 0.5)).collect();
        assert_eq!(line(&points, &PLANE), points);
    }

    #[test]
    fn of_marks_at_one_pixel_the_first_is_kept() {
        let points = [(0.5, 0.5), (0.1, 0.1), (0.5001, 0.5001), (0.5, 0.6)];
        assert_eq!(marks(&points, &PLANE), [points[0], points[1], points[3]]);
    }
}

//! Figure 12 as the paper reads it: how high the spikes are that losses make in the effective bandwidth.

/// Seconds in which the paper points out three spikes; before them slow start alone leaves bandwidth unused.
const SHOWN: std::ops::Range<f64> = 6.0..66.0;
/// How many it points out.
const SPIKES: usize = 3;

/// The time constant in seconds with which spikes shrink, of bandwidths in parts of the line's by the middles of
/// their intervals. A loss makes a pair of spikes: less than the line while the receiver cannot acknowledge what lies
/// beyond, then more. The highest pairs give two heights each, as in the paper. NaN if they do not shrink.
pub(super) fn time_constant_of_spikes(bandwidths: &[(f64, f64)]) -> f64 {
    let is_pair =
        |pair: &&[(f64, f64)]| SHOWN.contains(&pair[0].0) && pair[0].1 < 1.0 && pair[1].1 > 1.0;
    let mut pairs: Vec<_> = bandwidths.windows(2).filter(is_pair).collect();
    let height = |pair: &[(f64, f64)]| pair[1].1 - pair[0].1;
    pairs.sort_by(|one, other| height(other).total_cmp(&height(one)));
    pairs.truncate(SPIKES);
    let heights = pairs.into_iter().flatten().map(|(at, bandwidth)| (*at, (bandwidth - 1.0).abs()));
    time_constant(&heights.collect::<Vec<_>>())
}

/// The time constant of the exponential that fits best, by least squares of the logarithms; NaN if
/// there is none.
pub(super) fn time_constant(points: &[(f64, f64)]) -> f64 {
    let points = points.iter().filter(|(_, size)| *size > 0.0);
    let (mut n, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (time, size) in points {
        let log = size.ln();
        (n, x, y, xx, xy) = (n + 1.0, x + time, y + log, xx + time * time, xy + time * log);
    }
    let slope = (n * xy - x * y) / (n * xx - x * x);
    if slope < 0.0 { -1.0 / slope } else { f64::NAN }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_highest_pairs_of_spikes_tell_the_time_constant() {
        let height = |at: f64| 0.5 * (-at / 28.0).exp();
        let mut bandwidths: Vec<(f64, f64)> =
            (0..22).map(|number| (1.5 + 3.0 * f64::from(number), 1.0)).collect();
        for event in [5, 11, 19] {
            for (index, sign) in [(event, -1.0), (event + 1, 1.0)] {
                let (at, _) = bandwidths[index];
                bandwidths[index].1 += sign * height(at);
            }
        }
        // Slow start, and less than a spike.
        bandwidths[0].1 = 0.1;
        (bandwidths[14].1, bandwidths[15].1) = (0.999, 1.001);
        assert!((time_constant_of_spikes(&bandwidths) - 28.0).abs() < 1e-9);
        assert!(time_constant_of_spikes(&[]).is_nan());
    }

    #[test]
    fn the_time_constant_of_an_exponential_is_found() {
        let points = [0.0, 10.0, 30.0].map(|time: f64| (time, 1000.0 * (-time / 20.0).exp()));
        assert!((time_constant(&points) - 20.0).abs() < 1e-9);
        assert!(time_constant(&[(0.0, 1.0), (1.0, 2.0)]).is_nan());
    }
}

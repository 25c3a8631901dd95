//! What the page's script needs to tell the values under the pointer.

use crate::picture::{Plane, points};
use crate::plot::{Axis, HeatMap, Plot, Style};
use crate::thin;
use serde::Serialize;

/// A plot for the script in `page.js`.
#[derive(Serialize)]
struct Hover<'a> {
    area: [i32; 4],
    x: [f64; 2],
    y: [f64; 2],
    axes: [&'a Axis; 2],
    /// Name, then x and y of one point after another.
    lines: Vec<(&'a str, Vec<f64>)>,
    heat: Option<&'a HeatMap>,
}

/// As JSON that can stand in a script element.
pub(crate) fn data(plot: &Plot, plane: &Plane) -> String {
    let lines = plot.lines.iter().map(|line| {
        let points = points(plot, line);
        let seen = match line.style {
            Style::Points | Style::Crosses => thin::marks(&points, plane),
            _ => thin::line(&points, plane),
        };
        let short = |(x, y)| [rounded(x, plane.x), rounded(y, plane.y)];
        (line.name.as_str(), seen.into_iter().flat_map(short).collect())
    });
    let Plane { area, x, y } = *plane;
    let (axes, heat) = ([&plot.x, &plot.y], plot.heat.as_ref());
    let hover = Hover { area, x, y, axes, lines: lines.collect(), heat };
    let text = serde_json::to_string(&hover).expect("keys are strings and numbers are finite");
    text.replace('<', "\\u003c")
}

/// To a ten-thousandth of the range at least, for the sake of the page's size.
fn rounded(value: f64, [least, most]: [f64; 2]) -> f64 {
    let unit = 10_f64.powf(((most - least) / 1e4).log10().floor());
    // Dividing by a whole number gives the nearest number of few digits, where multiplying by a
    // fraction does not.
    if unit < 1.0 { (value / unit).round() / (1.0 / unit).round() } else { value.round() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_no_more_digits_than_their_range_asks_for() {
        assert_eq!(rounded(1_234.567_89, [1_000.0, 1_500.0]), 1_234.57);
        assert_eq!(rounded(0.123_456_789, [0.0, 1.0]), 0.123_5);
        assert_eq!(rounded(1e9 + 0.4, [0.0, 2e9]), 1e9);
    }
}

//! What the page's script needs to tell the values under the pointer.

use super::picture::{Plane, points, thinned};
use crate::plot::{Axis, Plot};
use serde::Serialize;

/// A plot for the script in `page.js`.
#[derive(Serialize)]
struct Hover<'a> {
    area: [i32; 4],
    x: [f64; 2],
    y: [f64; 2],
    axes: [&'a Axis; 2],
    lines: Vec<(&'a str, Vec<(f64, f64)>)>,
    heat: Option<&'a crate::HeatMap>,
}

/// As JSON.
pub(super) fn data(plot: &Plot, plane: &Plane) -> String {
    let lines = plot.lines.iter().map(|line| {
        let points = thinned(&points(plot, line), plane.x);
        let short = points.into_iter().map(|(x, y)| (digits(x), digits(y)));
        (line.name.as_str(), short.collect())
    });
    let Plane { area, x, y } = *plane;
    let (axes, heat) = ([&plot.x, &plot.y], plot.heat.as_ref());
    let hover = Hover { area, x, y, axes, lines: lines.collect(), heat };
    serde_json::to_string(&hover).expect("keys are strings and numbers are finite")
}

/// To five digits, for the sake of the page's size.
fn digits(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

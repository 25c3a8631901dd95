//! A plot as SVG.

use crate::plot::{HeatMap, Line, Plot, Style};
use crate::text::number;
use crate::thin;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{BoldPoints, Ranged};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Size of a picture; a page scales it.
const SIZE: (u32, u32) = (760, 400);
/// Around everything.
const MARGIN: i32 = 8;
/// Least width of what is left of the lines.
const LEAST_LEFT: i32 = 58;
/// Width there of the axis' name and of the space before and behind its numbers.
const NAME_AND_SPACE: i32 = 30;
/// Width that a letter or digit takes at most on average, in a font of 13.
const LETTER: i32 = 8;
/// Lines across the picture with a number each, at most.
const TICKS: usize = 11;
/// Points from which on a line is drawn thinly.
const MANY: usize = 700;
/// Colours of lines that can be told apart by most eyes; the page has others for the dark.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0x1f, 0x6f, 0xb4),
    RGBColor(0xc8, 0x4a, 0x1c),
    RGBColor(0x2a, 0x8a, 0x4a),
    RGBColor(0x8a, 0x4f, 0xa8),
    RGBColor(0xa8, 0x7b, 0x00),
    RGBColor(0x00, 0x86, 0x8b),
    RGBColor(0xb0, 0x3a, 0x6e),
    RGBColor(0x6b, 0x6b, 0x6b),
];

/// A plotting error is a string that could not be written, which does not happen.
type Drawn<'a> = Result<(), Box<dyn std::error::Error + 'a>>;

/// The plane in which points lie: what is logarithmic is drawn as its logarithm.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    /// Least and greatest x and y, as drawn.
    pub(crate) x: [f64; 2],
    pub(crate) y: [f64; 2],
    /// Where they are in the picture: left, top, right, bottom.
    pub(crate) area: [i32; 4],
}

impl Plane {
    /// The pixel, across and down, that a point is drawn at.
    pub(crate) fn pixel(&self, (x, y): (f64, f64)) -> [i32; 2] {
        let Plane { area: [left, top, right, bottom], .. } = *self;
        let share = |value: f64, [least, most]: [f64; 2]| (value - least) / (most - least);
        let along = |from: i32, to: i32, share: f64| {
            // As plotters rounds: towards the start, but for errors of floating point.
            let way = f64::from(to - from);
            from + (way * share + way.signum() * 1e-3).trunc() as i32
        };
        [along(left, right, share(x, self.x)), along(bottom, top, share(y, self.y))]
    }
}

/// The picture, with a white background, and where its points are.
pub(crate) fn drawn(plot: &Plot) -> (String, Plane) {
    let mut text = String::new();
    let mut plane = bounds(plot);
    {
        let root = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        let drawing = match &plot.heat {
            Some(heat) => draw_heat(plot, heat, &root, &mut plane),
            None => draw_lines(plot, &root, &mut plane),
        };
        drawing.expect("a string takes what is written");
        root.present().expect("a string takes what is written");
    }
    (terse(&text), plane)
}

/// Without what is so by default, of which each mark says a lot.
fn terse(svg: &str) -> String {
    [" opacity=\"1\"", " stroke=\"none\"", " stroke-width=\"1\""]
        .iter()
        .fold(svg.to_owned(), |svg, default| svg.replace(default, ""))
}

/// As it is drawn: itself, or its logarithm; `None` if it has none.
fn placed(value: f64, log: bool) -> Option<f64> {
    match log {
        false => Some(value),
        true => (value > 0.0).then(|| value.log10()),
    }
}

/// The points of a line as they are drawn.
pub(crate) fn points(plot: &Plot, line: &Line) -> Vec<(f64, f64)> {
    let place = |&(x, y): &(f64, f64)| Some((placed(x, plot.x.log)?, placed(y, plot.y.log)?));
    line.points.iter().filter_map(place).collect()
}

fn bounds(plot: &Plot) -> Plane {
    let all: Vec<_> = plot.lines.iter().flat_map(|line| points(plot, line)).collect();
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], value| {
            [least.min(value), most.max(value)]
        })
    };
    let x = range(&mut all.iter().map(|(x, _)| *x));
    let y = range(&mut all.iter().map(|(_, y)| *y));
    let wider = |[least, most]: [f64; 2], from_zero: bool| {
        if least > most {
            return [0.0, 1.0];
        }
        // Amounts are shown from zero on, so that their proportions are seen.
        let least = if from_zero && least > 0.0 { 0.0 } else { least };
        let room = if most > least { (most - least) * 0.04 } else { most.abs().max(1.0) * 0.1 };
        [if from_zero && least == 0.0 { 0.0 } else { least - room }, most + room]
    };
    let (x, y) = (wider(x, false), wider(y, !plot.y.log));
    Plane { x, y, area: [0; 4] }
}

/// Joined points, each value kept until the next one if they are steps.
fn path(points: &[(f64, f64)], style: Style) -> Vec<(f64, f64)> {
    let mut path: Vec<(f64, f64)> = Vec::with_capacity(points.len());
    for &(x, y) in points {
        if let (Style::Steps, Some(&(_, before))) = (style, path.last()) {
            path.push((x, before));
        }
        path.push((x, y));
    }
    path
}

fn label(value: f64, log: bool) -> String {
    if !log {
        let text = number(value);
        let short = match text.split_once('.') {
            Some((whole, digits)) => match digits.trim_end_matches('0') {
                "" => whole.to_owned(),
                digits => format!("{whole}.{digits}"),
            },
            None => text,
        };
        // Nothing is less than nothing by what floating point leaves.
        return if short == "-0" { "0".to_owned() } else { short };
    }
    // Powers of ten only.
    match value == value.round() {
        true if (-3.0..=5.0).contains(&value) => format!("{}", 10_f64.powf(value)),
        true => format!("1e{value}"),
        false => String::new(),
    }
}

fn coloured(plot: &Plot) -> impl Iterator<Item = (&Line, &'static RGBColor)> {
    let mut colours = COLOURS.iter().cycle();
    let mut colour = &COLOURS[0];
    plot.lines.iter().map(move |line| {
        // Intervals have the colour of the line before them.
        if line.style != Style::Intervals {
            colour = colours.next().unwrap_or(colour);
        }
        (line, colour)
    })
}

/// Width of what is left of the lines: the axis' name, and beside it its longest number, or the longest
/// name of a row.
fn left(plot: &Plot, plane: &Plane) -> i32 {
    let ticks = || RangedCoordf64::from(plane.y[0]..plane.y[1]).key_points(BoldPoints(TICKS));
    let texts = match &plot.heat {
        Some(heat) => heat.rows.clone(),
        None => ticks().iter().map(|value| label(*value, plot.y.log)).collect(),
    };
    let longest = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    LEAST_LEFT.max(NAME_AND_SPACE + LETTER * longest as i32)
}

/// What is above the lines: where the name of each begins, and how high all of it is.
struct Legend<'p> {
    entries: Vec<(&'p Line, &'static RGBColor, (i32, i32))>,
    height: i32,
}

/// Names in rows as wide as the picture; of one line there is nothing to tell apart.
fn legend(plot: &Plot, left: i32) -> Legend<'_> {
    // Height of a row.
    const ROW: i32 = 18;
    let mut legend = Legend { entries: Vec::new(), height: 0 };
    let named = || coloured(plot).filter(|(line, _)| line.style != Style::Intervals);
    if named().count() < 2 {
        return legend;
    }
    let (mut x, mut y) = (MARGIN + left, MARGIN);
    for (line, colour) in named() {
        let width = 36 + LETTER * line.name.chars().count() as i32;
        if x > MARGIN + left && x + width > SIZE.0 as i32 {
            (x, y) = (MARGIN + left, y + ROW);
        }
        legend.entries.push((line, colour, (x, y)));
        x += width;
    }
    legend.height = y + ROW - MARGIN + 4;
    legend
}

fn draw_lines<'a>(
    plot: &Plot,
    root: &DrawingArea<SVGBackend<'a>, Shift>,
    plane: &mut Plane,
) -> Drawn<'a> {
    root.fill(&WHITE)?;
    let left = left(plot, plane);
    let legend = legend(plot, left);
    let mut chart = ChartBuilder::on(root)
        .margin(MARGIN)
        .margin_top(MARGIN + legend.height)
        .x_label_area_size(40)
        .y_label_area_size(left)
        .build_cartesian_2d(plane.x[0]..plane.x[1], plane.y[0]..plane.y[1])?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(0xdd, 0xdd, 0xdd))
        .axis_desc_style(("sans-serif", 14))
        .label_style(("sans-serif", 13))
        .x_desc(plot.x.label.as_str())
        .y_desc(plot.y.label.as_str())
        .y_labels(TICKS)
        .x_label_formatter(&|value| label(*value, plot.x.log))
        .y_label_formatter(&|value| label(*value, plot.y.log))
        .draw()?;
    let (across, down) = chart.plotting_area().get_pixel_range();
    plane.area = [across.start, down.start, across.end, down.end];
    for (line, colour) in coloured(plot) {
        let points = points(plot, line);
        let joined = || thin::line(&path(&points, line.style), plane);
        let marks = || thin::marks(&points, plane).into_iter();
        match line.style {
            Style::Line | Style::Steps | Style::LinePoints => {
                if line.style == Style::LinePoints {
                    let marks = marks().map(|point| Circle::new(point, 3, colour.filled()));
                    chart.draw_series(marks)?;
                }
                let width = if points.len() > MANY { 1 } else { 2 };
                chart.draw_series(LineSeries::new(joined(), colour.stroke_width(width)))?;
            }
            Style::Dashes => {
                chart.draw_series(DashedLineSeries::new(joined(), 6, 5, colour.into()))?;
            }
            Style::Points => {
                chart.draw_series(marks().map(|point| Circle::new(point, 2, colour.filled())))?;
            }
            Style::Intervals => {
                let interval =
                    |ends: &[(f64, f64)]| PathElement::new(ends.to_vec(), colour.stroke_width(1));
                chart.draw_series(points.chunks_exact(2).map(interval))?;
            }
            Style::Crosses => {
                chart.draw_series(marks().map(|point| Cross::new(point, 4, colour)))?;
            }
        }
    }
    for (line, colour, (x, y)) in legend.entries {
        match line.style {
            Style::Crosses => root.draw(&Cross::new((x + 7, y + 7), 4, colour))?,
            _ => root.draw(&Rectangle::new([(x, y + 5), (x + 14, y + 9)], colour.filled()))?,
        }
        root.draw(&Text::new(line.name.as_str(), (x + 19, y), ("sans-serif", 13).into_font()))?;
    }
    Ok(())
}

fn draw_heat<'a>(
    plot: &Plot,
    heat: &HeatMap,
    root: &DrawingArea<SVGBackend<'a>, Shift>,
    plane: &mut Plane,
) -> Drawn<'a> {
    root.fill(&WHITE)?;
    let (columns, rows) = (heat.columns.len(), heat.rows.len());
    (plane.x, plane.y) = ([0.0, columns as f64], [0.0, rows as f64]);
    let mut chart = ChartBuilder::on(root)
        .margin(MARGIN)
        .x_label_area_size(40)
        .y_label_area_size(left(plot, plane))
        .build_cartesian_2d(0.0..columns as f64, 0.0..rows as f64)?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_labels(1)
        .y_labels(1)
        .axis_desc_style(("sans-serif", 14))
        .x_desc(plot.x.label.as_str())
        .y_desc(plot.y.label.as_str())
        .x_label_formatter(&|_| String::new())
        .y_label_formatter(&|_| String::new())
        .draw()?;
    let (across, down) = chart.plotting_area().get_pixel_range();
    plane.area = [across.start, down.start, across.end, down.end];
    let all = || heat.values.iter().flatten().copied();
    let (least, most) =
        (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    let centre = Pos::new(HPos::Center, VPos::Center);
    for (row, values) in heat.values.iter().enumerate() {
        for (column, &value) in values.iter().enumerate() {
            let share = if most > least { (value - least) / (most - least) } else { 1.0 };
            let (x, y) = (column as f64, row as f64);
            let cell = Rectangle::new([(x, y), (x + 1.0, y + 1.0)], shade(share).filled());
            chart.draw_series([cell])?;
            // Not quite black and white, which a page turns round in the dark.
            let ink = if share < 0.6 { RGBColor(1, 1, 1) } else { RGBColor(0xfe, 0xfe, 0xfe) };
            let style = ("sans-serif", 12).into_font().color(&ink).pos(centre);
            let text = Text::new(number(value), (x + 0.5, y + 0.5), style);
            chart.draw_series([text])?;
        }
    }
    let style = ("sans-serif", 13).into_font().color(&BLACK);
    let [left, top, right, bottom] = plane.area;
    let at = |start: i32, end: i32, share: f64| start + (f64::from(end - start) * share) as i32;
    for (index, name) in heat.columns.iter().enumerate() {
        let x = at(left, right, (index as f64 + 0.5) / columns as f64);
        root.draw(&Text::new(name.as_str(), (x, bottom + 14), style.pos(centre)))?;
    }
    for (index, name) in heat.rows.iter().enumerate() {
        let y = at(bottom, top, (index as f64 + 0.5) / rows as f64);
        let before = Pos::new(HPos::Right, VPos::Center);
        root.draw(&Text::new(name.as_str(), (left - 6, y), style.pos(before)))?;
    }
    Ok(())
}

/// From pale to dark.
fn shade(share: f64) -> RGBColor {
    let between = |pale: f64, dark: f64| (pale + (dark - pale) * share).round() as u8;
    RGBColor(between(232.0, 12.0), between(240.0, 68.0), between(250.0, 124.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_do_not_reach_the_name_of_their_axis() {
        use crate::plot::Axis;
        let axis = || Axis::linear("name");
        let plot = |most: f64| {
            Plot::new("p", "t", axis(), axis()).line("l", Style::Line, [(0.0, 0.0), (1.0, most)])
        };
        for most in [1.0, 2e6, 4e9] {
            let (svg, plane) = drawn(&plot(most));
            // Numbers end ten pixels before the axis, the name is fourteen high.
            let longest = svg
                .split("</text>")
                .filter_map(|text| text.trim().rsplit('>').next()?.trim().parse::<f64>().ok())
                .map(|number| label(number, false).len() as i32)
                .max();
            let room = plane.area[0] - MARGIN - 14 - 10;
            assert!(room >= LETTER * longest.unwrap(), "{most}: {room} for {longest:?}");
        }
    }

    #[test]
    fn a_tick_says_its_value_and_nothing_that_could_be_left_out() {
        let linear = [0.8, -1e-17, 1e-17, 20.0, 0.25, -0.05].map(|value| label(value, false));
        assert_eq!(linear, ["0.8", "0", "0", "20", "0.25", "-0.05"]);
        let logarithmic = [0.0, 2.0, -2.0, -4.0, 0.5].map(|value| label(value, true));
        assert_eq!(logarithmic, ["1", "100", "0.01", "1e-4", ""]);
    }
}

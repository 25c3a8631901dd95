//! The common path as a picture (allman98 figure 2).

use crate::common_path::{CommonPath, Gateway};
use std::fmt::Write;

/// In units of the picture, which the page scales.
const WIDTH: usize = 540;
const BOX: [usize; 2] = [170, 46];
const STEP: usize = 78;
/// Boxes beside one another.
const ABREAST: usize = 3;
/// Characters of an address that fit into a box at full size; an IPv6 address may have 39.
const SHORT: usize = 18;

/// The common path from the sender down to where the ways part.
pub(super) fn common_path(common: &CommonPath) -> String {
    let mut rows = vec![vec![["sender".to_owned(), String::new()]]];
    for hop in &common.hops {
        let label = |gateway: &Gateway| {
            let percent = format!("hop {}, {:.0} % of routes", hop.number, gateway.share * 100.0);
            [gateway.address.to_string(), percent]
        };
        rows.push(hop.gateways.iter().map(label).collect());
    }
    let beyond = match &common.beyond {
        Some(beyond) => format!("at most {:.0} % of routes each", beyond.share * 100.0),
        None => String::new(),
    };
    rows.push(vec![["beyond".to_owned(), beyond]]);
    // A hop with many gateways takes several lines.
    let lines: Vec<Vec<&[[String; 2]]>> =
        rows.iter().map(|row| row.chunks(ABREAST).collect()).collect();
    let count: usize = lines.iter().map(Vec::len).sum();
    let height = count * STEP - (STEP - BOX[1]) + 4;
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"The common path\" \
         style=\"max-width:{WIDTH}px;margin:auto\" font-family=\"sans-serif\" xmlns=\"http://www.w3.org/2000/svg\">"
    );
    let mut top = 2;
    let mut above: Vec<usize> = Vec::new();
    for (index, row) in lines.iter().enumerate() {
        let centres: Vec<usize> = row.first().map(|line| centres(line.len())).unwrap_or_default();
        for from in &above {
            for to in &centres {
                let (start, end) = (top + BOX[1] - STEP, top);
                let _ = write!(
                    svg,
                    "<line x1=\"{from}\" y1=\"{start}\" x2=\"{to}\" y2=\"{end}\" stroke=\"#000000\"/>"
                );
            }
        }
        for line in row {
            for (centre, label) in self::centres(line.len()).into_iter().zip(*line) {
                let is_end = index == 0 || index + 1 == lines.len();
                gateway(&mut svg, [centre, top], label, is_end);
            }
            top += STEP;
        }
        above = row.last().map(|line| self::centres(line.len())).unwrap_or_default();
    }
    svg + "</svg>"
}

/// The middles of so many boxes in a line.
fn centres(boxes: usize) -> Vec<usize> {
    (0..boxes).map(|index| WIDTH * (2 * index + 1) / (2 * boxes)).collect()
}

fn gateway(svg: &mut String, [centre, top]: [usize; 2], [name, note]: &[String; 2], is_end: bool) {
    let [width, height] = BOX;
    let left = centre - width / 2;
    let stroke = if is_end { "#DDDDDD" } else { "#1F6FB4" };
    let _ = write!(
        svg,
        "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" rx=\"5\" \
         fill=\"#FFFFFF\" stroke=\"{stroke}\"/>"
    );
    let size = 15 * SHORT / name.len().max(SHORT);
    let lines = [(name, size, 19), (note, 12, 37)];
    for (text, size, down) in lines.into_iter().filter(|(text, ..)| !text.is_empty()) {
        let down = if note.is_empty() { top + 28 } else { top + down };
        // Addresses and numbers: there is nothing to escape.
        let _ = write!(
            svg,
            "<text x=\"{centre}\" y=\"{down}\" text-anchor=\"middle\" font-size=\"{size}\" \
             fill=\"#000000\">{text}</text>"
        );
    }
}

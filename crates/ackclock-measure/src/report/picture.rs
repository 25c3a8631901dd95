//! The common path as a picture (allman98 figure 2).

use crate::common_path::{CommonPath, Gateway};
use std::fmt::Write;

/// In units of the picture, which the page scales.
const WIDTH: usize = 540;
const HEIGHT: usize = 46;
/// From one hop to the next.
const STEP: usize = 78;
/// Widest box, and the space between two.
const WIDEST: usize = 170;
const GAP: usize = 8;
/// Characters of an address that fit into the widest box at full size; an IPv6 address may have 39.
const SHORT: usize = 18;

/// A name and what there is to say of it.
type Label = [String; 2];

/// The common path from the sender down to where the ways part.
pub(super) fn common_path(common: &CommonPath) -> String {
    let mut rows: Vec<Vec<Label>> = vec![vec![["sender".to_owned(), String::new()]]];
    for hop in &common.hops {
        let label = |gateway: &Gateway| {
            let percent = format!("hop {}, {:.0} % of routes", hop.number, gateway.share * 100.0);
            [gateway.address.to_string(), percent]
        };
        rows.push(hop.gateways.iter().map(label).collect());
    }
    let beyond = common.beyond.as_ref().map_or_else(String::new, |beyond| {
        format!("at most {:.0} % of routes each", beyond.share * 100.0)
    });
    rows.push(vec![["beyond".to_owned(), beyond]]);
    let height = (rows.len() - 1) * STEP + HEIGHT + 4;
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" style=\"max-width:{WIDTH}px;margin:auto\" \
         role=\"img\" aria-label=\"The common path\" font-family=\"sans-serif\" \
         xmlns=\"http://www.w3.org/2000/svg\">"
    );
    for (index, pair) in rows.windows(2).enumerate() {
        let start = index * STEP + HEIGHT + 2;
        let end = start + STEP - HEIGHT;
        for from in centres(pair[0].len()) {
            for to in centres(pair[1].len()) {
                let _ = write!(
                    svg,
                    "<line x1=\"{from}\" y1=\"{start}\" x2=\"{to}\" y2=\"{end}\" \
                     stroke=\"#000000\"/>"
                );
            }
        }
    }
    for (index, row) in rows.iter().enumerate() {
        let is_end = index == 0 || index + 1 == rows.len();
        let width = WIDEST.min(WIDTH / row.len() - GAP.min(WIDTH / row.len()));
        for (centre, label) in centres(row.len()).into_iter().zip(row) {
            gateway(&mut svg, [centre, index * STEP + 2], width, label, is_end);
        }
    }
    svg + "</svg>"
}

/// The middles of so many boxes in a line.
fn centres(boxes: usize) -> Vec<usize> {
    (0..boxes).map(|index| WIDTH * (2 * index + 1) / (2 * boxes)).collect()
}

fn gateway(
    svg: &mut String,
    [centre, top]: [usize; 2],
    width: usize,
    [name, note]: &Label,
    is_end: bool,
) {
    let left = centre - width / 2;
    let stroke = if is_end { "#DDDDDD" } else { "#1F6FB4" };
    let _ = write!(
        svg,
        "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{HEIGHT}\" rx=\"5\" \
         fill=\"#FFFFFF\" stroke=\"{stroke}\"/>"
    );
    let fitting =
        |size: usize, length: usize| size as f64 * width as f64 / WIDEST as f64 / length as f64;
    let name_size = fitting(15 * SHORT, name.len().max(SHORT));
    let lines = [(name, name_size, 19), (note, fitting(12, 1), 37)];
    for (text, size, down) in lines.into_iter().filter(|(text, ..)| !text.is_empty()) {
        let down = if note.is_empty() { top + 28 } else { top + down };
        // Addresses and numbers: there is nothing to escape.
        let _ = write!(
            svg,
            "<text x=\"{centre}\" y=\"{down}\" text-anchor=\"middle\" font-size=\"{size:.1}\" \
             fill=\"#000000\">{text}</text>"
        );
    }
}

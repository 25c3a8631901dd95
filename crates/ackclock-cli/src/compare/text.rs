//! Table of a comparison as text.

use super::{CompareSettings, Result, table, warnings};

/// The table, and what to know of it.
pub(super) fn text(settings: &CompareSettings, results: &[Result]) -> String {
    let (columns, rows) = table(results);
    let head: Vec<String> = columns.into_iter().map(str::to_owned).collect();
    let all = || std::iter::once(&head).chain(&rows);
    let width = |column: usize| all().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut text = String::new();
    for row in all() {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text += "\n";
    }
    for warning in warnings(results) {
        text += &format!("{warning}\n");
    }
    let seeds = match settings.seeds {
        1 => format!("seed {}", settings.seed),
        seeds => format!("median of {seeds} seeds, least and greatest in brackets"),
    };
    text += &format!("{}; {seeds}\n", settings.network);
    if let Some(file) = &settings.html {
        text += &format!("pictures: {}\n", file.display());
    }
    text
}

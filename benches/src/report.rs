//! How benchmarks tell what they have measured: a JSON line for each row, and a table for the eye.
//! `benches/performance.py` makes `docs/performance.md` of the lines.

use serde::Serialize;

/// What was measured of one contender.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The benchmark.
    pub bench: &'static str,
    /// What it was run with.
    pub case: String,
    /// Who ran.
    pub contender: String,
    /// What is counted.
    pub unit: &'static str,
    /// Nanoseconds for one of them, the median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ns: Option<f64>,
    /// Instructions for one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<f64>,
    /// How it compares with each reference.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ratios: Vec<Ratio>,
    /// Payload bits per nanosecond.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gbit_per_second: Option<f64>,
    /// Seconds of all processors together for 10^9 bytes of payload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_seconds_per_gigabyte: Option<f64>,
}

/// How a contender compares with a reference.
#[derive(Clone, Debug, Serialize)]
pub struct Ratio {
    /// Who is the reference, and by what it is measured if that is not plain.
    pub reference: String,
    /// How many times as fast as the reference, measured in turns with it, the median.
    pub times: f64,
}

impl Ratio {
    /// Of figures that were taken in turns, each beside the reference's; larger ones are better.
    ///
    /// # Panics
    /// If there are none.
    pub fn of_rounds(reference: &str, figures: &[f64], references: &[f64]) -> Self {
        let times = figures.iter().zip(references).map(|(figure, other)| figure / other);
        Ratio { reference: reference.to_string(), times: median(times.collect()) }
    }
}

impl Row {
    /// A row without figures.
    pub fn new(bench: &'static str, case: &str, contender: &str, unit: &'static str) -> Self {
        Row {
            bench,
            case: case.to_string(),
            contender: contender.to_string(),
            unit,
            ns: None,
            instructions: None,
            ratios: Vec::new(),
            gbit_per_second: None,
            cpu_seconds_per_gigabyte: None,
        }
    }
}

/// Prints rows that belong together, first as a table and then as lines of JSON.
///
/// # Panics
/// If a figure is not a number.
pub fn print(rows: &[Row]) {
    let Some(first) = rows.first() else {
        return;
    };
    println!("\n{}, {}", first.bench, first.case);
    println!("{}", table(first, rows));
    for row in rows {
        println!("{}", serde_json::to_string(row).expect("numbers"));
    }
}

/// A table of the figures that rows like `first` have.
fn table(first: &Row, rows: &[Row]) -> String {
    type Figure = fn(&Row) -> Option<f64>;
    let columns: [(String, usize, Figure); 4] = [
        (format!("ns per {}", first.unit), 1, |row| row.ns),
        (format!("instructions per {}", first.unit), 0, |row| row.instructions),
        ("Gbit/s".to_string(), 1, |row| row.gbit_per_second),
        ("CPU seconds per GB".to_string(), 3, |row| row.cpu_seconds_per_gigabyte),
    ];
    let known =
        |(_, _, figure): &&(String, usize, Figure)| rows.iter().any(|row| figure(row).is_some());
    let columns: Vec<_> = columns.iter().filter(known).collect();
    let mut heads = vec![String::new()];
    heads.extend(columns.iter().map(|(head, ..)| head.clone()));
    heads.extend(first.ratios.iter().map(|ratio| format!("times as fast as {}", ratio.reference)));
    let mut lines = vec![line(&heads), format!("| --- |{}", " ---: |".repeat(heads.len() - 1))];
    for row in rows {
        let mut cells = vec![row.contender.clone()];
        for (_, digits, figure) in &columns {
            cells.push(figure(row).map_or(String::new(), |figure| format!("{figure:.digits$}")));
        }
        cells.extend(row.ratios.iter().map(|ratio| format!("{:.2}", ratio.times)));
        lines.push(line(&cells));
    }
    lines.join("\n")
}

fn line(cells: &[String]) -> String {
    format!("| {} |", cells.join(" | "))
}

/// The value in the middle, of an even number the mean of the two.
///
/// # Panics
/// If there is none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let (low, high) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
    low + (high - low) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_odd_number_is_the_one_in_the_middle() {
        assert_eq!(median(vec![7.0]), 7.0);
        assert_eq!(median(vec![9.0, 1.0, 2.0]), 2.0);
    }

    #[test]
    fn a_ratio_is_that_of_rounds_and_not_of_medians() {
        let ratio = Ratio::of_rounds("other", &[1.0, 20.0, 9.0], &[2.0, 10.0, 3.0]);
        assert_eq!((ratio.reference.as_str(), ratio.times), ("other", 2.0));
    }

    #[test]
    fn a_table_has_the_figures_that_are_known() {
        let mut row = Row::new("bench", "case", "contender", "packet");
        row.ns = Some(12.34);
        row.ratios = vec![Ratio { reference: "other".into(), times: 1.5 }];
        let expected = "|  | ns per packet | times as fast as other |\n\
                        | --- | ---: | ---: |\n\
                        | contender | 12.3 | 1.50 |";
        assert_eq!(table(&row, std::slice::from_ref(&row)), expected);
    }

    #[test]
    fn the_median_of_an_even_number_is_between_the_two_in_the_middle() {
        assert_eq!(median(vec![1.5, 0.5]), 1.0);
        assert_eq!(median(vec![100.0, 3.0, 1.0, 2.0]), 2.5);
    }
}

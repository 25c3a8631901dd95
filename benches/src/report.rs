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
    /// How many times as fast as the reference, measured in turns with it, the median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times_reference: Option<f64>,
    /// The reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Payload bits per nanosecond.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gbit_per_second: Option<f64>,
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
            times_reference: None,
            reference: None,
            gbit_per_second: None,
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
    println!("| | ns per {0} | instructions per {0} | Gbit/s | times reference |", first.unit);
    println!("| --- | ---: | ---: | ---: | ---: |");
    for row in rows {
        let figure = |value: Option<f64>, digits: usize| {
            value.map_or(String::new(), |value| format!("{value:.digits$}"))
        };
        println!(
            "| {} | {} | {} | {} | {} |",
            row.contender,
            figure(row.ns, 1),
            figure(row.instructions, 0),
            figure(row.gbit_per_second, 1),
            figure(row.times_reference, 2),
        );
    }
    for row in rows {
        println!("{}", serde_json::to_string(row).expect("numbers"));
    }
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
    fn the_median_of_an_even_number_is_between_the_two_in_the_middle() {
        assert_eq!(median(vec![1.5, 0.5]), 1.0);
        assert_eq!(median(vec![100.0, 3.0, 1.0, 2.0]), 2.5);
    }
}

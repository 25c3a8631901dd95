//! Report of an emulation as JSON.

use super::direction::{Interval, Sample, Totals, drops};
use super::settings::EmulateSettings;
use super::summary::Summary;
use crate::failure::Failure;
use crate::report::{LinkReport, SCHEMA, bits_per_second, seconds, stdout, write_object};
use ackclock::time::Duration;
use serde::Serialize;

/// The report.
#[derive(Serialize)]
struct EmulateReport {
    schema: u32,
    version: &'static str,
    command: &'static str,
    parameters: Parameters,
    intervals: Vec<IntervalReport>,
    to_right: TotalsReport,
    to_left: TotalsReport,
    duration_seconds: f64,
    /// Share of the time in which the loop did not wait.
    busy_share: f64,
    error: Option<String>,
    interrupted: bool,
}

/// Settings of the emulation.
#[derive(Serialize)]
struct Parameters {
    left: String,
    right: String,
    path: String,
    path_back: String,
    seed: u64,
    time_seconds: Option<f64>,
    interval_seconds: Option<f64>,
}

/// What happened in an interval.
#[derive(Serialize)]
struct IntervalReport {
    start_seconds: f64,
    end_seconds: f64,
    to_right: SampleReport,
    to_left: SampleReport,
}

/// What happened in an interval in one direction.
#[derive(Serialize)]
struct SampleReport {
    carried_packets: u64,
    carried_bytes: u64,
    bits_per_second: f64,
    dropped_packets: u64,
    longest_queue_packets: u64,
    late_max_seconds: f64,
}

/// What happened in one direction during the whole emulation.
#[derive(Serialize)]
struct TotalsReport {
    #[serde(flatten)]
    link: LinkReport,
    /// Packets that the kernel dropped before the path, because they were not read in time.
    not_taken_packets: u64,
    /// Packets that the interface at the end of the path did not accept.
    refused_packets: u64,
    late_mean_seconds: f64,
    late_max_seconds: f64,
}

/// Writes the report to standard output.
pub(super) fn write(settings: &EmulateSettings, summary: &Summary) -> Result<(), Failure> {
    write_object(&report(settings, summary), &mut stdout())
}

fn report(settings: &EmulateSettings, summary: &Summary) -> EmulateReport {
    let [left, right] = &settings.ends;
    let [path, path_back] = &settings.paths;
    let [there, back] = &summary.totals;
    EmulateReport {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        command: "emulate",
        parameters: Parameters {
            left: left.to_string(),
            right: right.to_string(),
            path: path.to_string(),
            path_back: path_back.to_string(),
            seed: settings.seed,
            time_seconds: settings.time.map(seconds),
            interval_seconds: settings.interval.map(seconds),
        },
        intervals: summary.intervals.iter().map(IntervalReport::from).collect(),
        to_right: TotalsReport::new(there, summary.duration),
        to_left: TotalsReport::new(back, summary.duration),
        duration_seconds: seconds(summary.duration),
        busy_share: summary.busy_share(),
        error: summary.error.clone(),
        interrupted: summary.interrupted,
    }
}

impl From<&Interval> for IntervalReport {
    fn from(interval: &Interval) -> Self {
        let Interval { start, end, directions: [there, back] } = interval;
        let length = end.saturating_sub(*start);
        IntervalReport {
            start_seconds: seconds(*start),
            end_seconds: seconds(*end),
            to_right: SampleReport::new(there, length),
            to_left: SampleReport::new(back, length),
        }
    }
}

impl SampleReport {
    fn new(sample: &Sample, length: Duration) -> Self {
        let Sample { link, latest } = sample;
        SampleReport {
            carried_packets: link.packets_carried,
            carried_bytes: link.bytes_carried,
            bits_per_second: bits_per_second(link.bytes_carried, length),
            dropped_packets: drops(link),
            longest_queue_packets: link.longest_queue,
            late_max_seconds: seconds(*latest),
        }
    }
}

impl TotalsReport {
    fn new(totals: &Totals, duration: Duration) -> Self {
        let Totals { link, late, not_taken, refused } = totals;
        TotalsReport {
            link: LinkReport::new(link, duration),
            not_taken_packets: *not_taken,
            refused_packets: *refused,
            late_mean_seconds: seconds(late.mean()),
            late_max_seconds: seconds(late.max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_emulator::LinkStatistics;
    use serde_json::json;

    #[test]
    fn an_interval_has_units_in_its_keys() {
        let mut link = LinkStatistics::default();
        link.packets_carried = 100;
        link.bytes_carried = 125_000;
        (link.packets_dropped, link.packets_lost, link.longest_queue) = (1, 1, 65);
        let there = Sample { link, latest: Duration::from_micros(70) };
        let interval = Interval {
            start: Duration::from_secs(1),
            end: Duration::from_millis(1_500),
            directions: [there, Sample::default()],
        };
        let report = serde_json::to_value(IntervalReport::from(&interval)).expect("an object");
        let expected = json!({
            "carried_packets": 100,
            "carried_bytes": 125_000,
            "bits_per_second": 2_000_000.0,
            "dropped_packets": 2,
            "longest_queue_packets": 65,
            "late_max_seconds": 0.00007,
        });
        assert_eq!(report["to_right"], expected);
        assert_eq!((&report["start_seconds"], &report["end_seconds"]), (&json!(1.0), &json!(1.5)));
    }

    #[test]
    fn totals_tell_every_fate_of_a_packet() {
        let totals = Totals { not_taken: 7, refused: 2, ..Totals::default() };
        let report = TotalsReport::new(&totals, Duration::from_secs(1));
        let expected = json!({
            "offered_packets": 0,
            "carried_packets": 0,
            "carried_bytes": 0,
            "bits_per_second": 0.0,
            "queue_dropped_packets": 0,
            "lost_packets": 0,
            "marked_packets": 0,
            "duplicated_packets": 0,
            "reordered_packets": 0,
            "corrupted_packets": 0,
            "longest_queue_packets": 0,
            "not_taken_packets": 7,
            "refused_packets": 2,
            "late_mean_seconds": 0.0,
            "late_max_seconds": 0.0,
        });
        assert_eq!(serde_json::to_value(&report).expect("an object"), expected);
    }
}

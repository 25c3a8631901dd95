//! Processor time that a run cost.

use super::units::seconds;
use ackclock::time::Duration;
use serde::Serialize;

/// Processor time that a run cost.
#[derive(Serialize, Clone, Copy, PartialEq, Debug)]
pub(crate) struct ProcessorReport {
    /// Processor time of this process, including its time in the kernel.
    cpu_seconds: f64,
    /// Processor time per 10^9 bytes of payload, both directions added; null if no bytes were sent.
    cpu_seconds_per_gigabyte: Option<f64>,
}

impl ProcessorReport {
    /// Report of a run that took this processor time for this many bytes of payload.
    pub(crate) fn new(spent: Duration, bytes: u64) -> Self {
        let spent = seconds(spent);
        let per_gigabyte = (bytes > 0).then(|| spent * 1e9 / bytes as f64);
        ProcessorReport { cpu_seconds: spent, cpu_seconds_per_gigabyte: per_gigabyte }
    }
}

impl std::fmt::Display for ProcessorReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2} CPU seconds", self.cpu_seconds)?;
        self.cpu_seconds_per_gigabyte.map_or(Ok(()), |cost| write!(f, ", {cost:.3} per GB"))
    }
}

/// Processor time of this process so far; `None` where the system does not report it.
pub(crate) fn processor_time() -> Option<Duration> {
    #[cfg(unix)]
    return Some(ackclock_host::clock::processor_time());
    #[cfg(not(unix))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn costs_are_told_for_a_gigabyte() {
        let report = ProcessorReport::new(Duration::from_millis(250), 500_000_000);
        assert_eq!(report.to_string(), "0.25 CPU seconds, 0.500 per GB");
        let expected = json!({ "cpu_seconds": 0.25, "cpu_seconds_per_gigabyte": 0.5 });
        assert_eq!(serde_json::to_value(report).unwrap(), expected);
    }

    #[test]
    fn nothing_has_no_price() {
        let report = ProcessorReport::new(Duration::from_millis(10), 0);
        assert_eq!(report.to_string(), "0.01 CPU seconds");
        let expected = json!({ "cpu_seconds": 0.01, "cpu_seconds_per_gigabyte": null });
        assert_eq!(serde_json::to_value(report).unwrap(), expected);
    }
}

//! Summary of a service, reported when it ends.

use super::learned::LearnedHost;
use super::refused::Refused;
use super::settings::ServeSettings;
use crate::failure::Failure;
use crate::report::{InfoReport, ProcessorReport, SCHEMA, bytes, rate, stdout, write_object};
use serde::Serialize;
use std::fmt;
use std::io::Write;

/// Summary of a service.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub(crate) struct Summary {
    /// Addresses and port that the service listened on.
    pub(crate) listened_on: String,
    /// Way out, or `kernel`.
    pub(crate) via: &'static str,
    pub(crate) accepted_connections: u64,
    pub(crate) completed_connections: u64,
    pub(crate) failed_connections: u64,
    pub(crate) received_bytes: u64,
    pub(crate) sent_bytes: u64,
    pub(crate) duration_seconds: f64,
    /// Processor time; null where the system does not report it.
    pub(crate) processor: Option<ProcessorReport>,
    /// Whether the kernel segmented in the stack's place; null if the kernel's TCP served.
    pub(crate) offloading: Option<bool>,
    /// Refusals; null if the kernel's TCP served.
    pub(crate) refused: Option<Refused>,
    /// Intervals of each queue; null without `--interval`.
    pub(crate) intervals: Option<Vec<Interval>>,
    /// What connections have learned of hosts; null if they were not to.
    pub(crate) hosts: Option<Vec<LearnedHost>>,
    /// State of the connection that ended last; null if the kernel's TCP served.
    pub(crate) last: Option<InfoReport>,
    /// Error of the last connection that failed.
    pub(crate) error: Option<String>,
}

/// Changes of the counters of a queue between two samples.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub(super) struct Interval {
    /// Number of the queue, counted from 1.
    pub(super) queue: usize,
    pub(super) start_seconds: f64,
    pub(super) end_seconds: f64,
    pub(super) accepted_connections: u64,
    pub(super) received_bytes: u64,
    pub(super) sent_bytes: u64,
    pub(super) bits_per_second: f64,
    pub(super) refused: Refused,
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refused {
            half_open_syns,
            accept_queue_segments,
            memory_connections,
            idle_connections,
            fast_open_syns,
            signatures,
            resets,
        } = self.refused;
        write!(
            f,
            "[{:>3}] {:6.2}-{:<6.2} sec  {:8}  {:11}  {:11}  {:14}  {half_open_syns:12}  \
             {accept_queue_segments:6}  {memory_connections:6}  {idle_connections:4}  {fast_open_syns:4}  {signatures:6}  {resets:3}",
            self.queue,
            self.start_seconds,
            self.end_seconds,
            self.accepted_connections,
            bytes(self.received_bytes),
            bytes(self.sent_bytes),
            rate(self.bits_per_second),
        )
    }
}

#[derive(Serialize)]
struct ServeReport<'s> {
    schema: u32,
    version: &'static str,
    command: &'static str,
    service: &'static str,
    once: bool,
    #[serde(flatten)]
    summary: &'s Summary,
}

impl Summary {
    /// Writes the summary to standard output.
    ///
    /// # Errors
    /// The only connection of `--once` failed, or the summary cannot be written.
    pub(crate) fn report(&self, settings: &ServeSettings) -> Result<(), Failure> {
        let mut stdout = stdout();
        if settings.json {
            let report = ServeReport {
                schema: SCHEMA,
                version: env!("CARGO_PKG_VERSION"),
                command: "serve",
                service: settings.service.name(),
                once: settings.once,
                summary: self,
            };
            write_object(&report, &mut stdout)?;
        } else {
            let hosts = self.hosts.iter().flatten().map(|host| format!("{host}\n"));
            let text = format!("{}\n{}", self.line(settings), hosts.collect::<String>());
            stdout.write_all(text.as_bytes()).map_err(|error| Failure::output(&error))?;
        }
        match &self.error {
            Some(error) if settings.once => Err(Failure::Transfer(error.clone())),
            _ => Ok(()),
        }
    }

    fn line(&self, settings: &ServeSettings) -> String {
        format!(
            "{} on {}: {} connections ({} completed, {} failed), {} bytes received, {} bytes sent \
             in {:.2} s{}",
            settings.service.name(),
            self.listened_on,
            self.accepted_connections,
            self.completed_connections,
            self.failed_connections,
            self.received_bytes,
            self.sent_bytes,
            self.duration_seconds,
            self.cost(),
        )
    }

    fn cost(&self) -> String {
        let offload = match self.offloading {
            Some(true) => ", with offload",
            Some(false) => ", without offload",
            None => "",
        };
        let cost = self.processor.map_or_else(String::new, |cost| format!(", {cost}"));
        let refused = self.refused.filter(|refused| *refused != Refused::default());
        let refused = refused.map_or_else(String::new, |refused| format!("; refused: {refused}"));
        cost + offload + &refused
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::apps::Service;
    use ackclock::time::Duration;
    use serde_json::json;

    fn summary() -> Summary {
        Summary {
            listened_on: "10.7.0.2:7".into(),
            via: "tun",
            accepted_connections: 3,
            completed_connections: 2,
            failed_connections: 1,
            received_bytes: 1_000,
            sent_bytes: 900,
            duration_seconds: 1.5,
            processor: Some(ProcessorReport::new(Duration::from_millis(50), 1_900)),
            offloading: Some(true),
            refused: Some(Refused { half_open_syns: 5, resets: 2, ..Refused::default() }),
            intervals: None,
            hosts: None,
            last: None,
            error: Some("connection reset by peer".into()),
        }
    }

    #[test]
    fn the_line_tells_what_was_done() {
        let settings = ServeSettings { service: Service::Echo, port: 7, once: false, json: false };
        assert_eq!(
            summary().line(&settings),
            "echo on 10.7.0.2:7: 3 connections (2 completed, 1 failed), 1000 bytes received, 900 \
             bytes sent in 1.50 s, 0.05 CPU seconds, 26315.789 per GB, with offload; \
             refused: 5 half-open, 0 accept queue, 0 memory, 0 idle, 0 fast, 0 signatures, 2 resets"
        );
    }

    #[test]
    fn the_object_has_a_schema_and_units() {
        let report = ServeReport {
            schema: SCHEMA,
            version: "1.2.3",
            command: "serve",
            service: "echo",
            once: true,
            summary: &summary(),
        };
        let expected = json!({
            "schema": 1,
            "version": "1.2.3",
            "command": "serve",
            "service": "echo",
            "once": true,
            "listened_on": "10.7.0.2:7",
            "via": "tun",
            "accepted_connections": 3,
            "completed_connections": 2,
            "failed_connections": 1,
            "received_bytes": 1_000,
            "sent_bytes": 900,
            "duration_seconds": 1.5,
            "processor": { "cpu_seconds": 0.05, "cpu_seconds_per_gigabyte": 0.05 * 1e9 / 1_900.0 },
            "offloading": true,
            "refused": {
                "half_open_syns": 5,
                "accept_queue_segments": 0,
                "memory_connections": 0,
                "idle_connections": 0,
                "fast_open_syns": 0,
                "signatures": 0,
                "resets": 2,
            },
            "intervals": null,
            "hosts": null,
            "last": null,
            "error": "connection reset by peer",
        });
        assert_eq!(serde_json::to_value(&report).unwrap(), expected);
    }
}

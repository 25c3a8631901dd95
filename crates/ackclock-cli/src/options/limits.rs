//! Options for the limits of the stacks of a service.

#[cfg(target_os = "linux")]
use crate::driver::Limits;
use crate::values::{parse_bytes, parse_duration};
#[cfg(target_os = "linux")]
use ackclock::tcp::{Config, Keepalive};
use ackclock::time::Duration;
use clap::Args;

/// Options for the limits of the stacks of a service.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct LimitOptions {
    /// Maximum number of bytes in the send and receive queues of all connections together, including
    /// advertised windows; windows shrink when memory is short [default: 1G, or enough for a
    /// connection with this --buffer on each queue]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    memory: Option<u64>,
    /// Maximum number of connections at a time, on each queue [default: 65536]
    #[arg(long, value_name = "NUMBER")]
    max_connections: Option<usize>,
    /// Maximum number of half-open connections at a time, on each queue; further SYNs are answered
    /// with SYN cookies
    #[arg(long, value_name = "NUMBER", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..))]
    half_open: u32,
    /// Send keepalive probes to a client that was silent for this time, and give it up if it does not
    /// answer four of them, a quarter of that time apart; 0: no probes
    #[arg(long, value_name = "TIME", default_value = "2min", value_parser = parse_duration)]
    keepalive: Duration,
    /// End connections that have transferred no data for this time; 0: never
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = parse_duration)]
    idle_time: Duration,
}

/// How often a silent client is asked before it is given up.
#[cfg(target_os = "linux")]
const PROBES: u16 = 4;

#[cfg(target_os = "linux")]
impl LimitOptions {
    /// When a silent client is asked whether it is still there; `None`: never.
    pub(crate) fn keepalive(&self) -> Option<Keepalive> {
        let idle = self.keepalive;
        let interval = (idle / PROBES.into()).max(Duration::from_nanos(1));
        (!idle.is_zero()).then_some(Keepalive { idle, interval, count: PROBES })
    }

    /// After which idle time connections are ended; `None`: never.
    pub(crate) fn idle_time(&self) -> Option<Duration> {
        Some(self.idle_time).filter(|time| !time.is_zero())
    }

    /// Limits of stacks whose connections have this configuration.
    pub(crate) fn limits(&self, config: &Config) -> Limits {
        Limits {
            memory: self.memory,
            max_connections: self.max_connections,
            half_open: Some(self.half_open as usize),
            ..Limits::of_a_connection(config)
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::options::connection::ConnectionOptions;
    use ackclock::tcp::BufferTuning;
    use clap::Parser;

    #[derive(Parser)]
    struct Service {
        #[command(flatten)]
        connection: ConnectionOptions,
        #[command(flatten)]
        limits: LimitOptions,
    }

    fn of(arguments: &[&str]) -> (Option<Keepalive>, Option<Duration>, BufferTuning) {
        let Service { connection, limits } = Service::parse_from(["serve"].iter().chain(arguments));
        let config = connection.config_of_service().unwrap();
        (limits.keepalive(), limits.idle_time(), config.buffer_tuning)
    }

    #[test]
    fn a_service_asks_the_silent_ends_the_idle_and_begins_with_small_buffers() {
        let seconds = Duration::from_secs;
        let asked = Keepalive { idle: seconds(120), interval: seconds(30), count: 4 };
        let idle = Some(seconds(3_600));
        assert_eq!(of(&[]), (Some(asked), idle, BufferTuning::Automatic));
        let arguments = ["--keepalive", "2s", "--idle-time", "10min", "--buffers", "fixed"];
        let asked = Keepalive { idle: seconds(2), interval: Duration::from_millis(500), count: 4 };
        assert_eq!(of(&arguments), (Some(asked), Some(seconds(600)), BufferTuning::Fixed));
        let never = of(&["--keepalive", "0", "--idle-time", "0"]);
        assert_eq!(never, (None, None, BufferTuning::Automatic));
    }
}

//! `ackclock emulate`

#[cfg(target_os = "linux")]
use crate::emulate::{self, EmulateSettings, End};
use crate::failure::Failure;
use crate::options::ReportOptions;
use crate::values::parse_positive_duration;
#[cfg(target_os = "linux")]
use crate::values::there_and_back;
use ackclock::time::Duration;
use ackclock_emulator::Path;
use clap::Args;
use std::path::PathBuf;

/// Time between two samples in a report for people, unless the options name one.
#[cfg(target_os = "linux")]
const INTERVAL: Duration = Duration::from_secs(1);

/// Join two TUN interfaces by an emulated path, in real time
///
/// Packets that the kernel sends into one of them come out of the other, with the delay, rate and
/// loss of the path; netem is not needed. For a path between two kernels, put each interface into
/// a network namespace of its own:
///
///   sudo ip netns add a; sudo ip netns add b
///   sudo ackclock emulate --left ns:a/tun0=10.9.0.1/24 --right ns:b/tun0=10.9.0.2/24
///
/// and in a second terminal
///
///   sudo ip netns exec a ping 10.9.0.2
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct Emulate {
    /// TUN interface at the left end, as [ns:NAMESPACE/]NAME[=ADDRESS/PREFIX[,...]]: if it does
    /// not exist it is created for this run, with the path's MTU and the addresses, and set up; an
    /// existing one is not changed
    #[arg(long, value_name = "TUN")]
    left: String,
    /// TUN interface at the right end, likewise
    #[arg(long, value_name = "TUN")]
    right: String,
    /// The path from left to right, and back unless --path-back says otherwise; parameters that are
    /// left out have their defaults, and 'ackclock help discard' lists all parameters
    #[arg(long, value_name = "PATH", default_value = "rate=10mbit,delay=20ms,loss=1%,queue=64")]
    path: Path,
    /// Parameters that differ on the path from right to left
    #[arg(long, value_name = "PATH", visible_alias = "asymmetric")]
    path_back: Option<String>,
    /// Seed of everything random on the path: the same packets in the same order meet the same fate
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// End after this time, such as 10s [default: at Ctrl-C]
    #[arg(long, value_name = "TIME", value_parser = parse_positive_duration)]
    time: Option<Duration>,
    /// Capture packets at the left interface in this file, with nanosecond timestamps
    #[arg(long, value_name = "FILE")]
    pcap: Option<PathBuf>,
    #[command(flatten)]
    report: ReportOptions,
}

impl Emulate {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        #[cfg(target_os = "linux")]
        return emulate::run(&self.settings()?);
        #[cfg(not(target_os = "linux"))]
        return Err(Failure::elsewhere("emulation between TUN interfaces"));
    }

    #[cfg(target_os = "linux")]
    fn settings(&self) -> Result<EmulateSettings, Failure> {
        let end = |option: &str, text: &str| -> Result<End, Failure> {
            text.parse().map_err(|error| Failure::Usage(format!("{option} '{text}': {error}")))
        };
        let (left, right) = (end("--left", &self.left)?, end("--right", &self.right)?);
        if left.is_same_interface(&right) {
            return Err(Failure::Usage(format!(
                "--left and --right are the same interface, {left}: a path has two ends"
            )));
        }
        let unless_json = (!self.report.json).then_some(INTERVAL);
        Ok(EmulateSettings {
            ends: [left, right],
            paths: there_and_back(&self.path, self.path_back.as_deref())?,
            seed: self.seed,
            time: self.time,
            interval: self.report.interval.or(unless_json),
            pcap: self.pcap.clone(),
            json: self.report.json,
        })
    }
}

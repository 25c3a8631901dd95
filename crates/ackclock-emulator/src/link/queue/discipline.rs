//! Queue disciplines and their parameters, and how they are written in a path.

use crate::units::{
    Probability, ShowDuration, UnitError, parse_bytes, parse_count, parse_duration, parse_number,
    parse_positive, show_bytes,
};
use ackclock::time::Duration;
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

/// A queue discipline: how packets wait for a line, and which are dropped or marked.
///
/// As text, where `[...]` is optional: `64` packets, `64kB`, `infinite`,
/// `red:MIN:MAX:WEIGHT:MAX_P:LIMIT[:ecn]`, `codel[:TARGET:INTERVAL:LIMIT][:ecn]`,
/// `fq_codel[:TARGET:INTERVAL:LIMIT:FLOWS:QUANTUM][:ecn]`, `dualpi2[:TARGET:STEP:K:LIMIT][:tsfifo]`. With `ecn` a packet that would be
/// dropped early is marked instead if its sender supports ECN (RFC 3168); a full queue drops. DualPI2 always marks
/// what it can.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Discipline {
    /// First in, first out; packets that find the queue full are dropped.
    DropTail(QueueLimit),
    /// Random early detection (Floyd and Jacobson, 1993).
    Red(RedConfig),
    /// Controlled delay (RFC 8289).
    CoDel(CoDelConfig),
    /// A queue for each flow, each under CoDel's control (RFC 8290).
    FqCoDel(FqCoDelConfig),
    /// A queue for L4S packets and one for the others, coupled (RFC 9332 appendix A).
    DualPi2(DualPi2Config),
}

/// The limit of a queue. The packet in service counts only if the path says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueueLimit {
    /// Most packets that wait. With 0 a packet that finds the line busy is dropped.
    Packets(usize),
    /// Most bytes that wait, IP headers included.
    Bytes(u64),
    /// No limit.
    Infinite,
}

/// Parameters of RED, with the paper's names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RedConfig {
    /// `min_th`: average queue size in packets up to which no packet is dropped.
    pub min_threshold: u32,
    /// `max_th`: average queue size in packets from which every packet is dropped.
    pub max_threshold: u32,
    /// `w_q`: weight of the present size in the average.
    pub weight: Probability,
    /// `max_p`: the value up to which the probability of dropping grows between the thresholds.
    pub max_probability: Probability,
    /// Most packets that wait.
    pub limit: NonZeroU32,
    /// Whether packets that can carry a mark are marked instead of dropped, for every "mark" in the
    /// paper, above `max_threshold` too.
    pub ecn: bool,
}

/// Parameters of CoDel, with RFC 8289's names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CoDelConfig {
    /// The longest standing wait that is acceptable (section 4.4: 5 ms).
    pub target: Duration,
    /// How long the wait must stand before a packet is dropped (section 4.3: 100 ms).
    pub interval: Duration,
    /// Most packets that wait; 1000 by default.
    pub limit: NonZeroU32,
    /// Whether packets that can carry a mark are marked instead of dropped.
    pub ecn: bool,
}

/// Parameters of FQ-CoDel, with RFC 8290's names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FqCoDelConfig {
    /// Parameters of each flow's queue, except that the limit is for all queues together: 10,240
    /// packets by default (RFC 8290 section 5.2.3).
    pub codel: CoDelConfig,
    /// Queues that flows are spread over by a hash; 1024 by default (section 5.2.4).
    pub flows: NonZeroU32,
    /// Bytes that a queue may send in its turn; 1514 by default (section 5.2.5).
    pub quantum: NonZeroU32,
}

/// Parameters of DualPI2, with RFC 9332's names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DualPi2Config {
    /// The delay that the controller keeps the classic queue near; 15 ms by default.
    pub target: Duration,
    /// The wait from which L4S packets are marked (`minTh` of a ramp without a range); 1 ms by default.
    pub step: Duration,
    /// The coupling factor k; 2 by default.
    pub coupling: NonZeroU32,
    /// Most packets that wait in both queues together; 10,000 by default.
    pub limit: NonZeroU32,
    /// Which queue goes next.
    pub scheduler: DualQueueScheduler,
}

/// How DualPI2 chooses between its queues where both have packets (RFC 9332 section 4.2.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DualQueueScheduler {
    /// Weighted round robin: of the bytes a sixteenth are classic.
    #[default]
    WeightedRoundRobin,
    /// A time-shifted FIFO, `tsfifo`: the oldest packet goes, and classic ones count as 50 ms younger.
    TimeShiftedFifo,
}

impl Default for DualPi2Config {
    /// `dualpi2:15ms:1ms:2:10000`
    fn default() -> Self {
        const COUPLING: NonZeroU32 = NonZeroU32::new(2).unwrap();
        const LIMIT: NonZeroU32 = NonZeroU32::new(10_000).unwrap();
        DualPi2Config {
            target: Duration::from_millis(15),
            step: Duration::from_millis(1),
            coupling: COUPLING,
            limit: LIMIT,
            scheduler: DualQueueScheduler::default(),
        }
    }
}

impl Default for CoDelConfig {
    /// `codel:5ms:100ms:1000`
    fn default() -> Self {
        const LIMIT: NonZeroU32 = NonZeroU32::new(1000).unwrap();
        CoDelConfig {
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            limit: LIMIT,
            ecn: false,
        }
    }
}

impl Default for FqCoDelConfig {
    /// `fq_codel:5ms:100ms:10240:1024:1514`
    fn default() -> Self {
        const LIMIT: NonZeroU32 = NonZeroU32::new(10_240).unwrap();
        const FLOWS: NonZeroU32 = NonZeroU32::new(1024).unwrap();
        const QUANTUM: NonZeroU32 = NonZeroU32::new(1514).unwrap();
        let codel = CoDelConfig { limit: LIMIT, ..CoDelConfig::default() };
        FqCoDelConfig { codel, flows: FLOWS, quantum: QUANTUM }
    }
}

impl FromStr for Discipline {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (text, ecn) = match text.strip_suffix(":ecn") {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let values: Vec<_> = parts.collect();
        match name {
            "red" => parse_red(&values, ecn).map(Discipline::Red),
            "codel" => parse_codel(&values, ecn).map(Discipline::CoDel),
            "fq_codel" => parse_fq_codel(&values, ecn).map(Discipline::FqCoDel),
            "dualpi2" if !ecn => parse_dualpi2(&values).map(Discipline::DualPi2),
            "dualpi2" => Err(UnitError::DualPi2),
            _ if ecn || !values.is_empty() => Err(UnitError::Queue),
            _ => parse_limit(name).map(Discipline::DropTail),
        }
    }
}

fn parse_limit(text: &str) -> Result<QueueLimit, UnitError> {
    if text == "infinite" {
        return Ok(QueueLimit::Infinite);
    }
    match text.chars().last() {
        Some('b' | 'B') => parse_bytes(text).map(QueueLimit::Bytes),
        Some(last) if last.is_alphabetic() => Err(UnitError::Queue),
        _ => parse_count(text).map(QueueLimit::Packets),
    }
}

fn parse_red(values: &[&str], ecn: bool) -> Result<RedConfig, UnitError> {
    let [smaller, larger, weight, max_p, limit] = values else {
        return Err(UnitError::Red);
    };
    let threshold = |text| u32::try_from(parse_number(text)?).map_err(|_| UnitError::TooLarge);
    let config = RedConfig {
        min_threshold: threshold(smaller)?,
        max_threshold: threshold(larger)?,
        weight: weight.parse()?,
        max_probability: max_p.parse()?,
        limit: parse_positive(limit)?,
        ecn,
    };
    if config.min_threshold >= config.max_threshold {
        return Err(UnitError::RedThresholds);
    }
    Ok(config)
}

fn parse_codel(values: &[&str], ecn: bool) -> Result<CoDelConfig, UnitError> {
    match values {
        [] => Ok(CoDelConfig { ecn, ..CoDelConfig::default() }),
        [target, interval, limit] => Ok(CoDelConfig {
            target: parse_duration(target)?,
            interval: parse_duration(interval)?,
            limit: parse_positive(limit)?,
            ecn,
        }),
        _ => Err(UnitError::CoDel),
    }
}

fn parse_fq_codel(values: &[&str], ecn: bool) -> Result<FqCoDelConfig, UnitError> {
    match values {
        [] => {
            let default = FqCoDelConfig::default();
            Ok(FqCoDelConfig { codel: CoDelConfig { ecn, ..default.codel }, ..default })
        }
        [codel @ .., flows, quantum] if codel.len() == 3 => Ok(FqCoDelConfig {
            codel: parse_codel(codel, ecn)?,
            flows: parse_positive(flows)?,
            quantum: parse_positive(quantum)?,
        }),
        _ => Err(UnitError::FqCoDel),
    }
}

fn parse_dualpi2(values: &[&str]) -> Result<DualPi2Config, UnitError> {
    let (values, scheduler) = match values {
        [rest @ .., "tsfifo"] => (rest, DualQueueScheduler::TimeShiftedFifo),
        _ => (values, DualQueueScheduler::WeightedRoundRobin),
    };
    match values {
        [] => Ok(DualPi2Config { scheduler, ..DualPi2Config::default() }),
        [target, step, coupling, limit] => Ok(DualPi2Config {
            target: parse_duration(target)?,
            step: parse_duration(step)?,
            coupling: parse_positive(coupling)?,
            limit: parse_positive(limit)?,
            scheduler,
        }),
        _ => Err(UnitError::DualPi2),
    }
}

/// Writes the text that [`FromStr`] reads.
impl fmt::Display for Discipline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ecn = match self {
            Discipline::DropTail(QueueLimit::Packets(limit)) => return write!(f, "{limit}"),
            Discipline::DropTail(QueueLimit::Bytes(limit)) => return show_bytes(f, *limit),
            Discipline::DropTail(QueueLimit::Infinite) => return f.write_str("infinite"),
            Discipline::Red(config) => {
                let RedConfig { min_threshold, max_threshold, weight, max_probability, .. } =
                    config;
                write!(f, "red:{min_threshold}:{max_threshold}:{weight}:{max_probability}")?;
                write!(f, ":{}", config.limit)?;
                config.ecn
            }
            Discipline::CoDel(config) => {
                write!(f, "codel:{}", ShowCoDel(config))?;
                config.ecn
            }
            Discipline::FqCoDel(FqCoDelConfig { codel, flows, quantum }) => {
                write!(f, "fq_codel:{}:{flows}:{quantum}", ShowCoDel(codel))?;
                codel.ecn
            }
            Discipline::DualPi2(DualPi2Config { target, step, coupling, limit, scheduler }) => {
                let (target, step) = (ShowDuration(*target), ShowDuration(*step));
                write!(f, "dualpi2:{target}:{step}:{coupling}:{limit}")?;
                return f.write_str(match scheduler {
                    DualQueueScheduler::WeightedRoundRobin => "",
                    DualQueueScheduler::TimeShiftedFifo => ":tsfifo",
                });
            }
        };
        f.write_str(if ecn { ":ecn" } else { "" })
    }
}

struct ShowCoDel<'a>(&'a CoDelConfig);

impl fmt::Display for ShowCoDel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CoDelConfig { target, interval, limit, .. } = self.0;
        write!(f, "{}:{}:{limit}", ShowDuration(*target), ShowDuration(*interval))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::time::ParseDurationError;

    fn parse(text: &str) -> Result<Discipline, UnitError> {
        text.parse()
    }

    #[test]
    fn drop_tail_counts_packets_or_bytes() {
        let limit = |text| match parse(text) {
            Ok(Discipline::DropTail(limit)) => limit,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(limit("64"), QueueLimit::Packets(64));
        assert_eq!(limit("0"), QueueLimit::Packets(0));
        assert_eq!(limit("64kB"), QueueLimit::Bytes(64_000));
        assert_eq!(limit("1.5MB"), QueueLimit::Bytes(1_500_000));
        assert_eq!(limit("1500B"), QueueLimit::Bytes(1500));
        assert_eq!(limit("infinite"), QueueLimit::Infinite);
    }

    #[test]
    fn parameters_come_in_the_documented_order() {
        let thousandths = |n: u32| Probability::from_parts_per_billion(n * 1_000_000).unwrap();
        let positive = |n| NonZeroU32::new(n).unwrap();
        let red = RedConfig {
            min_threshold: 7,
            max_threshold: 21,
            weight: thousandths(2),
            max_probability: thousandths(100),
            limit: positive(40),
            ecn: false,
        };
        assert_eq!(parse("red:7:21:0.002:0.1:40"), Ok(Discipline::Red(red)));
        let codel = CoDelConfig {
            target: Duration::from_millis(1),
            interval: Duration::from_millis(20),
            limit: positive(300),
            ecn: true,
        };
        assert_eq!(parse("codel:1ms:20ms:300:ecn"), Ok(Discipline::CoDel(codel)));
        let fq_codel = FqCoDelConfig { codel, flows: positive(16), quantum: positive(500) };
        assert_eq!(parse("fq_codel:1ms:20ms:300:16:500:ecn"), Ok(Discipline::FqCoDel(fq_codel)));
    }

    #[test]
    fn a_discipline_is_written_so_that_it_is_read_back() {
        for (text, shown) in [
            ("64", "64"),
            ("64000B", "64kB"),
            ("1501B", "1501B"),
            ("infinite", "infinite"),
            ("red:7:21:0.002:0.1:40", "red:7:21:0.2%:10%:40"),
            ("red:7:21:0.002:0.1:40:ecn", "red:7:21:0.2%:10%:40:ecn"),
            ("codel", "codel:5ms:100ms:1000"),
            ("codel:ecn", "codel:5ms:100ms:1000:ecn"),
            ("fq_codel", "fq_codel:5ms:100ms:10240:1024:1514"),
            ("fq_codel:ecn", "fq_codel:5ms:100ms:10240:1024:1514:ecn"),
            ("dualpi2", "dualpi2:15ms:1ms:2:10000"),
            ("dualpi2:tsfifo", "dualpi2:15ms:1ms:2:10000:tsfifo"),
            ("dualpi2:20ms:500us:3:50", "dualpi2:20ms:500us:3:50"),
        ] {
            assert_eq!(parse(text).unwrap().to_string(), shown);
            assert_eq!(parse(shown), parse(text));
        }
    }

    #[test]
    fn errors_say_what_is_expected() {
        for (text, error) in [
            ("", UnitError::Count),
            ("1.5", UnitError::Count),
            ("fifo", UnitError::Queue),
            ("64:ecn", UnitError::Queue),
            ("64:1", UnitError::Queue),
            ("64kbit", UnitError::Queue),
            ("64GB", UnitError::ByteUnit),
            ("kB", UnitError::Number),
            ("red", UnitError::Red),
            ("red:7:21:0.002:0.1", UnitError::Red),
            ("red:7:7:0.002:0.1:40", UnitError::RedThresholds),
            ("red:7:21:2:0.1:40", UnitError::AboveOne),
            ("red:7:21:0.002:0.1:0", UnitError::Positive),
            ("red:7:4294967296:0.002:0.1:40", UnitError::TooLarge),
            ("codel:5ms", UnitError::CoDel),
            ("codel:5:100ms:1000", UnitError::Duration(ParseDurationError::Unit)),
            ("fq_codel:5ms:100ms:1000", UnitError::FqCoDel),
            ("fq_codel:5ms:100ms:1000:1024:0", UnitError::Positive),
            ("dualpi2:15ms", UnitError::DualPi2),
            ("dualpi2:ecn", UnitError::DualPi2),
            ("dualpi2:15ms:1ms:2:tsfifo", UnitError::DualPi2),
            ("dualpi2:15ms:1ms:0:100", UnitError::Positive),
        ] {
            assert_eq!(parse(text), Err(error), "{text}");
        }
    }
}

//! The parameters of one direction of a path, and how they are written in one line.

use super::impairments::loss::Loss;
use super::impairments::reordering::Reorder;
use super::propagation::Jitter;
use super::queue::{Discipline, QueueLimit};
use super::rate_and_outages::{Outages, RateChange, parse_rates};
use super::wire_size::WireSize;
use crate::units::{
    Probability, Rate, ShowDuration, UnitError, parse_bytes, parse_duration, parse_signed,
    parse_u32, show_bytes,
};
use ackclock::time::Duration;
use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

/// The parameters of one direction of a path: a queue, a line and the way to the other end.
///
/// As text: `rate=10mbit,delay=20ms,loss=1%,queue=64`. Parameters that are not given have the
/// values just shown; the order is free. [`Discipline`] has the words for other queues, [`Loss`]
/// those for other ways to lose packets. The following have no effect unless they are given:
/// `duplicate=1%`, `reorder=5%:10ms` or `reorder=5%:3` ([`Reorder`]), `corrupt=0.1%`; the largest
/// packet, `mtu=1500`, with `too_big=silent` for routers that send no ICMP error; the size of packets on the wire, `overhead=+10`, `min=64`, `ack=0`
/// ([`WireSize`]); later rates, `rate=10mbit/1mbit@5s` ([`RateChange`]), and outages,
/// `outage=5s..6s` ([`Outages`]); `jitter=5ms` ([`Jitter`]); `in_service=counted`, so that the
/// packet in service counts where the queue counts; `impair=ingress`, so that the impairments
/// act before the queue ([`Place`]); `bql=3kB`, a limit on the bytes of a host that wait for the line.
///
/// Loss, corruption, duplication and reordering act in this order. Each of them, and jitter,
/// draws from a random stream of its own, and for every packet, so that changing one does not
/// change what the others do.
///
/// ```
/// use ackclock_emulator::{Path, Rate};
/// let path: Path = "rate=1.5mbit,loss=0.1%".parse()?;
/// assert_eq!(path.rate.bits_per_second(), 1_500_000);
/// assert_eq!(path.to_string(), "rate=1500kbit,delay=20ms,loss=0.1%,queue=64");
/// # Ok::<(), ackclock_emulator::PathError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Path {
    /// Bits per second of the line, until `rate_changes` say otherwise.
    pub rate: Rate,
    /// Propagation delay from the end of a packet's transmission to its arrival, one way.
    pub delay: Duration,
    /// Which packets are lost on the line.
    pub loss: Loss,
    /// How packets wait for the line.
    pub queue: Discipline,
    /// Number of waiting bytes from which on a host's driver refuses packets for the line (Linux calls it
    /// byte queue limits): the host's stack keeps the others, and shares the line among its connections.
    /// `None`, the default: it takes all, and the queue may drop some. Without effect on routers.
    pub byte_queue_limit: Option<NonZeroU64>,
    /// Share of packets that arrive twice: an identical copy right after the original. The copy
    /// takes no time of the line and is not held back.
    pub duplicate: Probability,
    /// Which packets are held back and so overtaken; `None` if no packet is.
    pub reorder: Option<Reorder>,
    /// Share of packets of which one bit is flipped, IP header included.
    pub corrupt: Probability,
    /// Largest IP packet in bytes, at least 68; 1500 by default. A longer packet is dropped; a
    /// router that would have to send one also answers it with ICMP, unless it `drops_silently`.
    pub mtu: u32,
    /// Whether the router that would have to send a packet longer than `mtu` sends no ICMP error, so that the
    /// path is a black hole for such packets (RFC 2923 section 2.1); by default it sends one.
    pub drops_silently: bool,
    /// The size of a packet on the wire, which decides how long its transmission takes.
    pub size: WireSize,
    /// Later rates of the line, in order of time.
    pub rate_changes: Vec<RateChange>,
    /// When the line fails.
    pub outages: Outages,
    /// How much longer than `delay` propagation takes.
    pub jitter: Jitter,
    /// Whether the packet in service counts where the queue counts packets or bytes, for its limit
    /// and for RED's average; by default it does not.
    pub counts_in_service: bool,
    /// Where loss, corruption, duplication and reordering act.
    pub impair: Place,
}

/// Where impairments act.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Place {
    /// After the line: a lost packet has taken its time of the line, a copy takes none.
    #[default]
    Egress,
    /// Before the queue: a lost packet takes no time of the line, a copy is queued and sent like
    /// any packet, and a packet that is held back comes to the queue later.
    Ingress,
}

impl FromStr for Place {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        match text {
            "egress" => Ok(Place::Egress),
            "ingress" => Ok(Place::Ingress),
            _ => Err(UnitError::Place),
        }
    }
}

/// Largest IP packet in bytes unless it is given: Ethernet's.
const MTU: u32 = 1500;
/// Least MTU in bytes (RFC 791 section 3.2).
const LEAST_MTU: u32 = 68;

/// The names of a path's parameters.
const KEYS: [&str; 17] = [
    "rate",
    "delay",
    "loss",
    "queue",
    "bql",
    "duplicate",
    "reorder",
    "corrupt",
    "mtu",
    "too_big",
    "overhead",
    "min",
    "ack",
    "jitter",
    "outage",
    "in_service",
    "impair",
];

impl Default for Path {
    /// `rate=10mbit,delay=20ms,loss=1%,queue=64`
    fn default() -> Self {
        const RATE: Rate = Rate::from_bits_per_second(10_000_000).unwrap();
        const LOSS: Probability = Probability::from_parts_per_billion(10_000_000).unwrap();
        const QUEUE: Discipline = Discipline::DropTail(QueueLimit::Packets(64));
        Path {
            rate: RATE,
            delay: Duration::from_millis(20),
            loss: Loss::Bernoulli(LOSS),
            queue: QUEUE,
            byte_queue_limit: None,
            duplicate: Probability::NEVER,
            reorder: None,
            corrupt: Probability::NEVER,
            mtu: MTU,
            drops_silently: false,
            size: WireSize::default(),
            rate_changes: Vec::new(),
            outages: Outages::default(),
            jitter: Jitter::default(),
            counts_in_service: false,
            impair: Place::default(),
        }
    }
}

impl Path {
    /// This path with other values for the parameters that `text` gives.
    ///
    /// # Errors
    /// Names the parameter that cannot be used.
    pub fn with(&self, text: &str) -> Result<Self, PathError> {
        let mut path = self.clone();
        let mut seen = Vec::new();
        for item in text.split(',') {
            let Some((key, value)) = item.split_once('=') else {
                return Err(PathError::Item(item.into()));
            };
            let read = match key {
                "rate" => parse_rates(value).map(|rates| (path.rate, path.rate_changes) = rates),
                "delay" => parse_duration(value).map(|delay| path.delay = delay),
                "loss" => value.parse().map(|loss| path.loss = loss),
                "queue" => value.parse().map(|queue| path.queue = queue),
                "bql" => parse_bytes(value)
                    .and_then(|bytes| NonZeroU64::new(bytes).ok_or(UnitError::Positive))
                    .map(|limit| path.byte_queue_limit = Some(limit)),
                "duplicate" => value.parse().map(|duplicate| path.duplicate = duplicate),
                "reorder" => value.parse().map(|reorder| path.reorder = Some(reorder)),
                "corrupt" => value.parse().map(|corrupt| path.corrupt = corrupt),
                "mtu" => parse_mtu(value).map(|mtu| path.mtu = mtu),
                "too_big" => parse_too_big(value).map(|silent| path.drops_silently = silent),
                "overhead" => parse_signed(value).map(|overhead| path.size.overhead = overhead),
                "min" => parse_u32(value).map(|min| path.size.min = min),
                "ack" => parse_u32(value).map(|ack| path.size.ack = Some(ack)),
                "jitter" => value.parse().map(|jitter| path.jitter = jitter),
                "outage" => value.parse().map(|outages| path.outages = outages),
                "in_service" => parse_counted(value).map(|counts| path.counts_in_service = counts),
                "impair" => value.parse().map(|place| path.impair = place),
                _ => return Err(PathError::Key(key.into())),
            };
            read.map_err(|error| PathError::Value { item: item.into(), error })?;
            if seen.contains(&key) {
                return Err(PathError::Repeated(key.into()));
            }
            seen.push(key);
        }
        Ok(path)
    }
}

impl FromStr for Path {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        Path::default().with(text)
    }
}

fn parse_mtu(text: &str) -> Result<u32, UnitError> {
    let mtu = parse_u32(text)?;
    if mtu < LEAST_MTU { Err(UnitError::Mtu) } else { Ok(mtu) }
}

fn parse_too_big(text: &str) -> Result<bool, UnitError> {
    match text {
        "silent" => Ok(true),
        "icmp" => Ok(false),
        _ => Err(UnitError::TooBig),
    }
}

fn parse_counted(text: &str) -> Result<bool, UnitError> {
    match text {
        "counted" => Ok(true),
        "uncounted" => Ok(false),
        _ => Err(UnitError::InService),
    }
}

/// Writes the text that [`FromStr`] reads.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Path {
            rate,
            rate_changes,
            delay,
            loss,
            queue,
            byte_queue_limit,
            duplicate,
            reorder,
            corrupt,
            mtu,
            drops_silently,
            size: WireSize { overhead, min, ack },
            jitter,
            outages,
            counts_in_service,
            impair,
        } = self;
        write!(f, "rate={rate}")?;
        rate_changes.iter().try_for_each(|change| write!(f, "/{change}"))?;
        write!(f, ",delay={},loss={loss},queue={queue}", ShowDuration(*delay))?;
        if let Some(limit) = byte_queue_limit {
            f.write_str(",bql=")?;
            show_bytes(f, limit.get())?;
        }
        if *duplicate != Probability::NEVER {
            write!(f, ",duplicate={duplicate}")?;
        }
        if let Some(reorder) = reorder {
            write!(f, ",reorder={reorder}")?;
        }
        if *corrupt != Probability::NEVER {
            write!(f, ",corrupt={corrupt}")?;
        }
        if *mtu != MTU {
            write!(f, ",mtu={mtu}")?;
        }
        if *drops_silently {
            f.write_str(",too_big=silent")?;
        }
        if *overhead != 0 {
            write!(f, ",overhead={overhead:+}")?;
        }
        if *min != 0 {
            write!(f, ",min={min}")?;
        }
        if let Some(ack) = ack {
            write!(f, ",ack={ack}")?;
        }
        if *jitter != Jitter::default() {
            write!(f, ",jitter={jitter}")?;
        }
        if !outages.spans.is_empty() {
            write!(f, ",outage={outages}")?;
        }
        if *counts_in_service {
            f.write_str(",in_service=counted")?;
        }
        if *impair == Place::Ingress {
            f.write_str(",impair=ingress")?;
        }
        Ok(())
    }
}

/// Why a path could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PathError {
    /// An item is not of the form `key=value`.
    Item(String),
    /// There is no such parameter.
    Key(String),
    /// The parameter is given twice.
    Repeated(String),
    /// The value cannot be used.
    Value {
        /// The item, as in `rate=fast`.
        item: String,
        /// The error in its value.
        error: UnitError,
    },
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathError::Item(item) => {
                write!(f, "'{item}' is not of the form key=value, as in rate=10mbit,delay=20ms")
            }
            PathError::Key(key) => {
                write!(f, "'{key}' is not one of {}", KEYS.join(", "))
            }
            PathError::Repeated(key) => write!(f, "'{key}' is given twice: keep one"),
            PathError::Value { item, error } => write!(f, "'{item}': {error}"),
        }
    }
}

impl std::error::Error for PathError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            PathError::Value { error, .. } => Some(error),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        text.parse::<Path>().unwrap_err().to_string()
    }

    #[test]
    fn the_default_is_the_documented_one() {
        let default = "rate=10mbit,delay=20ms,loss=1%,queue=64";
        assert_eq!(Path::default().to_string(), default);
        assert_eq!(default.parse(), Ok(Path::default()));
        assert_eq!(Path::default().rate.bits_per_second(), 10_000_000);
        assert_eq!(Path::default().delay, Duration::from_millis(20));
        let loss = Probability::from_parts_per_billion(10_000_000).unwrap();
        assert_eq!(Path::default().loss, Loss::Bernoulli(loss));
        assert_eq!(Path::default().queue, Discipline::DropTail(QueueLimit::Packets(64)));
    }

    #[test]
    fn parameters_come_in_any_order_and_the_rest_keeps_its_default() {
        let path: Path = "queue=0,delay=1.5us".parse().unwrap();
        let queue = Discipline::DropTail(QueueLimit::Packets(0));
        let expected = Path { queue, delay: Duration::from_nanos(1_500), ..Path::default() };
        assert_eq!(path, expected);
    }

    #[test]
    fn a_path_can_differ_from_another_in_what_is_given() {
        let there: Path = "rate=100mbit,delay=5ms,loss=0,queue=10,duplicate=1%".parse().unwrap();
        let back = there.with("rate=1mbit,duplicate=0").unwrap();
        assert_eq!(back.to_string(), "rate=1mbit,delay=5ms,loss=0%,queue=10");
        assert_eq!(there.with("rate"), Err(PathError::Item("rate".into())));
    }

    #[test]
    fn impairments_are_written_if_there_are_any() {
        let text = "rate=1mbit,delay=1ms,loss=every:100,queue=64kB,duplicate=1%,reorder=5%:10ms,\
                    corrupt=0.1%";
        assert_eq!(text.parse::<Path>().unwrap().to_string(), text);
        let more = "rate=1mbit/2mbit@5s,delay=1ms,loss=0%,queue=64,jitter=1ms:reorder,\
                    outage=1s..2s:lose,in_service=counted,impair=ingress";
        assert_eq!(more.parse::<Path>().unwrap().to_string(), more);
        let plain: Path = "in_service=uncounted,impair=egress,jitter=0s".parse().unwrap();
        assert_eq!(plain, Path::default());
        let sizes = "rate=1mbit,delay=1ms,loss=0%,queue=64,mtu=576,overhead=-35,min=5,ack=0";
        assert_eq!(sizes.parse::<Path>().unwrap().to_string(), sizes);
        let limited = "rate=1mbit,delay=1ms,loss=0%,queue=64,bql=3kB";
        assert_eq!(limited.parse::<Path>().unwrap().to_string(), limited);
        let hole = "rate=1mbit,delay=1ms,loss=0%,queue=64,mtu=1280,too_big=silent";
        assert_eq!(hole.parse::<Path>().unwrap().to_string(), hole);
        assert_eq!("too_big=icmp".parse::<Path>().unwrap(), Path::default());
        let added: Path = "overhead=+10".parse().unwrap();
        assert_eq!(added.size, WireSize { overhead: 10, min: 0, ack: None });
        let none: Path = "duplicate=0,corrupt=0".parse().unwrap();
        assert_eq!(none, Path::default());
    }

    #[test]
    fn errors_name_the_item_and_what_to_do() {
        assert_eq!(
            error("rate"),
            "'rate' is not of the form key=value, as in rate=10mbit,delay=20ms"
        );
        assert_eq!(
            error("rate=1mbit,"),
            "'' is not of the form key=value, as in rate=10mbit,delay=20ms"
        );
        assert_eq!(
            error("speed=1"),
            "'speed' is not one of rate, delay, loss, queue, bql, duplicate, reorder, corrupt, \
             mtu, too_big, overhead, min, ack, jitter, outage, in_service, impair"
        );
        assert_eq!(
            error("reorder=5%"),
            "'reorder=5%': write a share and a time as 5%:10ms, or a number of packets as 5%:3"
        );
        assert_eq!(error("queue=1,queue=2"), "'queue' is given twice: keep one");
        assert_eq!(
            error("rate=fast"),
            "'rate=fast': the unit must be bit, kbit, mbit or gbit (per second)"
        );
        assert_eq!(error("queue=1.5"), "'queue=1.5': write a whole number");
        assert_eq!(
            error("queue=red:7"),
            "'queue=red:7': write red:MIN:MAX:WEIGHT:MAX_P:LIMIT, as in red:7:21:0.002:0.1:40, \
             then :ecn to mark"
        );
        assert_eq!(error("queue=+5"), "'queue=+5': write a whole number");
        assert_eq!(
            error("overhead=10B"),
            "'overhead=10B': write a number of bytes with its sign, as +10 or -35"
        );
        assert_eq!(error("in_service=yes"), "'in_service=yes': write counted or uncounted");
        assert_eq!(error("too_big=lost"), "'too_big=lost': write icmp or silent");
        assert_eq!(error("impair=both"), "'impair=both': write ingress or egress");
        assert_eq!(
            error("rate=1mbit/2mbit"),
            "'rate=1mbit/2mbit': write further rates with their times, as 10mbit/1mbit@5s"
        );
        assert_eq!(
            error("outage=5s"),
            "'outage=5s': write 5s..6s, several as 5s..6s/8s..9s, then :lose to lose"
        );
        assert_eq!(error("bql=0B"), "'bql=0B': the number must be above 0");
        assert_eq!(error("mtu=67"), "'mtu=67': the mtu must be at least 68 bytes");
        assert_eq!(
            error("queue=99999999999999999999999"),
            "'queue=99999999999999999999999': the number is too large"
        );
    }
}

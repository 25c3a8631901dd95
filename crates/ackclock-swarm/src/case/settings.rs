//! The settings of a host, read from its line.

use super::{Case, CaseError, Change, Flow, Line, Shape};
use ackclock::congestion::InitialWindow;
use ackclock::tcp::{Config, CongestionControl, Keepalive};
use ackclock::time::Duration;
use ackclock_emulator::Path;
use std::fmt::Display;
use std::str::FromStr;

/// What a host is and does.
#[derive(Clone, Debug)]
pub(crate) struct HostSettings {
    /// The window law.
    pub(crate) law: CongestionControl,
    /// Settings of all its connections.
    pub(crate) config: Config,
    /// Whether it runs smoltcp instead, and with which law.
    pub(crate) smoltcp: Option<String>,
    /// How it lies to its peers.
    pub(crate) lie: Option<Lie>,
    /// Most bytes in all queues.
    pub(crate) memory: u64,
    /// Whether its device cuts large transmissions.
    pub(crate) segmentation: bool,
    /// Whether its stack has the predicted road.
    pub(crate) prediction: bool,
    /// How often it looks at packets and timers; zero: at once.
    pub(crate) poll: Duration,
    /// What goes wrong, in order of time.
    pub(crate) faults: Vec<Fault>,
    /// What its clock shows in the beginning.
    pub(crate) clock: Duration,
    /// Chosen instead of the case's seed, for its secret.
    pub(crate) secret: Option<u64>,
    /// Whether its initial sequence numbers are just before the wrap.
    pub(crate) wraps: bool,
}

/// A way in which a host lies to its peers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lie {
    /// Acknowledges so many bytes more than it has received.
    Optimistic(u32),
    /// Acknowledges each segment in so many pieces.
    Split(u32),
    /// Repeats each ack so many times.
    Repeat(u32),
    /// Reports what it has not received as SACKed.
    Sack,
    /// Reports everything as received twice (D-SACK).
    DSack,
    /// Takes back each second window.
    Shrink,
    /// Says a window of zero now and then.
    Close,
    /// Echoes timestamps that were never sent.
    Echo,
    /// Lets its own timestamps stand still.
    Stale,
}

/// Something that goes wrong with a host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// It does nothing, then takes what has come.
    Stopped([Duration; 2]),
    /// Its device is gone: nothing comes or goes.
    NoDevice([Duration; 2]),
    /// Its clock jumps ahead.
    Jump(Duration, Duration),
}

impl Fault {
    /// When it begins.
    pub(crate) fn begins(self) -> Duration {
        match self {
            Fault::Stopped([from, _]) | Fault::NoDevice([from, _]) | Fault::Jump(from, _) => from,
        }
    }

    /// When it ends.
    pub(crate) fn ends(self) -> Duration {
        match self {
            Fault::Stopped([_, to]) | Fault::NoDevice([_, to]) => to,
            Fault::Jump(at, _) => at,
        }
    }
}

/// Reads one value and names what it belongs to if it cannot be read.
fn value<T: FromStr>(key: &str, text: &str) -> Result<T, CaseError>
where
    T::Err: Display,
{
    text.parse().map_err(|error| CaseError(format!("host: '{key}={text}': {error}")))
}

fn switch(key: &str, text: &str) -> Result<bool, CaseError> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(CaseError(format!("host: '{key}={text}': use on or off"))),
    }
}

fn span(key: &str, text: &str) -> Result<[Duration; 2], CaseError> {
    let bad = || CaseError(format!("host: '{key}={text}': write a span as 1s..2s"));
    let (from, to) = text.split_once("..").ok_or_else(bad)?;
    let span = [value(key, from)?, value(key, to)?];
    if span[0] < span[1] { Ok(span) } else { Err(bad()) }
}

impl HostSettings {
    /// Reads a line.
    ///
    /// # Errors
    /// Names the item that cannot be used.
    pub(crate) fn read(line: &Line) -> Result<Self, CaseError> {
        let mut host = HostSettings {
            law: CongestionControl::default(),
            config: Config::default(),
            smoltcp: None,
            lie: None,
            memory: u64::MAX,
            segmentation: false,
            prediction: true,
            poll: Duration::ZERO,
            faults: Vec::new(),
            clock: Duration::ZERO,
            secret: None,
            wraps: false,
        };
        if let Some(law) = line.get("law") {
            host.law = value("law", law)?;
            host.config.recovery = host.law.recovery.unwrap_or(host.config.recovery);
        }
        for (key, text) in line.items() {
            let known = host.set(key, text)? || set_config(&mut host.config, key, text)?;
            if !known {
                return Err(CaseError(format!("host: there is no setting '{key}'")));
            }
        }
        host.faults.sort_by_key(|fault| fault.begins());
        host.config.validate().map_err(|error| CaseError(format!("host: {error}")))?;
        Ok(host)
    }

    /// Sets what is not a connection's; returns whether the key is known.
    fn set(&mut self, key: &str, text: &str) -> Result<bool, CaseError> {
        match key {
            "law" => {}
            "smoltcp" => match text {
                "none" | "reno" | "cubic" => self.smoltcp = Some(text.to_owned()),
                _ => return Err(CaseError("host: smoltcp's law is none, reno or cubic".into())),
            },
            "lie" => self.lie = Some(value(key, text)?),
            "memory" => self.memory = value(key, text)?,
            "segmentation" => self.segmentation = switch(key, text)?,
            "prediction" => self.prediction = switch(key, text)?,
            "poll" => self.poll = value(key, text)?,
            "stop" => self.faults.push(Fault::Stopped(span(key, text)?)),
            "device" => self.faults.push(Fault::NoDevice(span(key, text)?)),
            "jump" => {
                let [at, by] = match text.split_once('+') {
                    Some((at, by)) => [value(key, at)?, value(key, by)?],
                    None => return Err(CaseError("host: write a jump as 5s+60s".into())),
                };
                self.faults.push(Fault::Jump(at, by));
            }
            "clock" => self.clock = value(key, text)?,
            "secret" => self.secret = Some(value(key, text)?),
            "isn" if text == "wrap" => self.wraps = true,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Sets one setting of connections; returns whether there is one of that key.
fn set_config(config: &mut Config, key: &str, text: &str) -> Result<bool, CaseError> {
    match key {
        "mss" => config.mss = Some(value(key, text)?),
        "mtu_probing" => config.mtu_probing = value(key, text)?,
        "base_mss" => config.base_mss = value(key, text)?,
        "send" => config.send_buffer = value(key, text)?,
        "receive" => config.receive_buffer = value(key, text)?,
        "clamp" => config.window_clamp = Some(value(key, text)?),
        "buffers" => config.buffer_tuning = value(key, text)?,
        "records" => config.flight_records = value(key, text)?,
        "ranges" => config.reassembly_ranges = value(key, text)?,
        "scaling" => config.window_scaling = switch(key, text)?,
        "timestamps" => config.timestamps = switch(key, text)?,
        "sack" => config.sack = switch(key, text)?,
        "ecn" => config.ecn = value(key, text)?,
        "fast_open" => config.fast_open = value(key, text)?,
        "recovery" => config.recovery = value(key, text)?,
        "acks" => config.ack_policy = value(key, text)?,
        "ack_timer" => config.ack_timer = value(key, text)?,
        "iw" => config.initial_window = value::<InitialWindow>(key, text)?,
        "restart" => config.restart_after_idle = value(key, text)?,
        "pacing" => config.pacing = value(key, text)?,
        "burst" => config.burst_limit = Some(value(key, text)?),
        "nagle" => config.nagle = value(key, text)?,
        _ => return set_time(config, key, text),
    }
    Ok(true)
}

/// Sets one time of connections, or a field of the IP header.
fn set_time(config: &mut Config, key: &str, text: &str) -> Result<bool, CaseError> {
    match key {
        "rto" => {
            let (initial, min, max) = (config.rto.initial, config.rto.min, config.rto.max);
            config.rto = value(key, text)?;
            (config.rto.initial, config.rto.min, config.rto.max) = (initial, min, max);
        }
        "backoff" => config.rto.backoff = value(key, text)?,
        "rto_initial" => config.rto.initial = value(key, text)?,
        "rto_min" => config.rto.min = value(key, text)?,
        "rto_max" => config.rto.max = value(key, text)?,
        "give_up" => config.give_up = value(key, text)?,
        "syn_give_up" => config.syn_give_up = value(key, text)?,
        "user_timeout" => config.user_timeout = Some(value(key, text)?),
        "advertised_user_timeout" => config.advertised_user_timeout = Some(value(key, text)?),
        "keepalive" => {
            let idle = value(key, text)?;
            config.keepalive = Some(Keepalive { idle, interval: idle, count: 5 });
        }
        "linger" => config.linger = Some(value(key, text)?),
        "msl" => config.msl = value(key, text)?,
        "fin_wait_2" => config.fin_wait_2_timeout = value(key, text)?,
        "hop_limit" => config.hop_limit = value(key, text)?,
        "dscp" => config.dscp = value(key, text)?,
        _ => return Ok(false),
    }
    Ok(true)
}

impl FromStr for Lie {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, number) = text.split_once(':').unwrap_or((text, "2"));
        let number = number.parse().map_err(|_| "a number follows the colon")?;
        Ok(match name {
            "optimistic" => Lie::Optimistic(number),
            "split" => Lie::Split(number.clamp(1, 64)),
            "repeat" => Lie::Repeat(number.clamp(1, 64)),
            "sack" => Lie::Sack,
            "dsack" => Lie::DSack,
            "shrink" => Lie::Shrink,
            "close" => Lie::Close,
            "echo" => Lie::Echo,
            "stale" => Lie::Stale,
            _ => return Err(
                "use optimistic:N, split:N, repeat:N, sack, dsack, shrink, close, echo or stale"
                    .into(),
            ),
        })
    }
}

impl Case {
    /// Checks everything.
    ///
    /// # Errors
    /// Names the first thing that cannot be used.
    pub fn check(&self) -> Result<(), CaseError> {
        let problem = |text: &str| Err(CaseError(text.into()));
        if !matches!(self.ip, 4 | 6) {
            return problem("ip is 4 or 6");
        }
        if self.hops.is_empty()
            || (self.shape != Shape::Chain
                && self.shape != Shape::ParkingLot
                && self.hops.len() != 1)
        {
            return problem(match self.shape {
                Shape::Pair => "a pair has one hop",
                Shape::Dumbbell(_) => "a dumbbell has one hop",
                _ => "there is at least one hop",
            });
        }
        for line in self.hops.as_flattened() {
            path(line)?;
        }
        for line in &self.changes {
            Change::read(line, self)?;
        }
        for line in &self.hosts {
            HostSettings::read(line)?;
        }
        for flow in &self.flows {
            let flow = Flow::read(flow)?;
            let [from, to] = flow.hosts;
            if from == to || from.max(to) >= self.host_count() {
                return problem("flow: from and to are two of the hosts, counted from 0");
            }
        }
        if self.flows.len() > 64 { problem("at most 64 flows") } else { Ok(()) }
    }
}

/// Reads a path: 10 Mbit/s, 20 ms, a queue of 64 packets and no loss, unless the line says otherwise.
pub(crate) fn path(line: &Line) -> Result<Path, CaseError> {
    let text = line.to_string();
    let plain: Path = "loss=0%".parse().map_err(|error| CaseError(format!("path: {error}")))?;
    if text.is_empty() {
        return Ok(plain);
    }
    plain.with(&text).map_err(|error| CaseError(format!("path: {error}")))
}

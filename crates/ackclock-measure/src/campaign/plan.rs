//! The plan of a campaign, a TOML file.

use super::problem::{PlanError, toml_error};
use crate::burst::BurstPlan;
use crate::lists::{StopList, entries, split_port};
use crate::probe::{LARGEST, Method, least_bytes};
use crate::route::RoutePlan;
use crate::text_file::read_file;
use ackclock::apps::Service;
use ackclock::congestion::InitialWindow;
use ackclock::tcp::{Config, CongestionControl};
use ackclock::time::Duration;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use siphasher::sip128::{Hasher128, SipHasher};
use std::collections::BTreeSet;
use std::fmt;
use std::hash::Hasher;
use std::net::{IpAddr, Ipv6Addr};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The plan of a campaign: its measurements and limits.
///
/// ```
/// let plan: ackclock_measure::campaign::Plan = r#"
///     name = "initial windows"
///     rounds = 30
///     hosts = ["discard.example", "192.0.2.7"]
///     [transfer]
///     bytes = 16384
///     mss = 512
///     initial_windows = ["1", "2", "3", "4", "8", "16", "32"]
/// "#.parse()?;
/// assert_eq!(plan.variants().len(), 7);
/// # Ok::<(), ackclock_measure::campaign::PlanError>(())
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Its name in the report.
    pub name: String,
    /// Seed of the order of transfers.
    #[serde(default)]
    pub seed: u64,
    /// How often each host gets its test group.
    pub rounds: u32,
    /// Names or addresses, with a port if it is not the service's.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// A file with more hosts, one a line, `#` before a comment; relative to the plan's directory.
    #[serde(default, skip_serializing)]
    hosts_file: Option<PathBuf>,
    /// The transfers of a test group.
    #[serde(default)]
    pub transfer: Transfers,
    /// The bursts that are sent across the common path.
    #[serde(default)]
    pub bursts: BurstSettings,
    /// How routes are looked for.
    #[serde(default)]
    pub routes: RouteSettings,
    /// How far the campaign may go. They may be changed while it is interrupted.
    #[serde(default, skip_serializing)]
    pub limits: Limits,
}

/// The transfers of a test group: one for each congestion control algorithm and initial window.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Transfers {
    /// `discard` or `echo`.
    #[serde(with = "words")]
    pub service: Service,
    /// The service's port; the service's own if none is given.
    pub port: Option<u16>,
    /// Bytes of data in each transfer.
    pub bytes: u64,
    /// Maximum data in a segment; `None` for what the MTU allows.
    pub mss: Option<u16>,
    /// Initial windows in the words of `--iw`: segments, bytes, or both. The first one is what the
    /// others are compared with.
    #[serde(with = "word_lists")]
    pub initial_windows: Vec<InitialWindow>,
    /// Laws in the words of `--cc`.
    #[serde(with = "word_lists")]
    pub laws: Vec<CongestionControl>,
    /// A transfer that takes longer is given up.
    #[serde(with = "words")]
    pub timeout: Duration,
    /// Whether each transfer is captured.
    pub pcap: bool,
}

impl Default for Transfers {
    /// Those of the paper, with Reno.
    fn default() -> Self {
        Transfers {
            service: Service::Discard,
            port: None,
            bytes: 16_384,
            mss: Some(512),
            initial_windows: [1, 2, 3, 4, 8, 16, 32].map(InitialWindow::segments).to_vec(),
            laws: "reno".parse().into_iter().collect(),
            timeout: Duration::from_secs(120),
            pcap: false,
        }
    }
}

/// The bursts that are sent across the common path.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BurstSettings {
    /// Packets in a burst; 0: no bursts.
    pub count: u16,
    /// Length of each with its IP header.
    pub bytes: u16,
    /// How long to wait for the next answer.
    #[serde(with = "words")]
    pub wait: Duration,
}

impl Default for BurstSettings {
    /// Those of the paper.
    fn default() -> Self {
        BurstSettings { count: 100, bytes: 512, wait: Duration::from_secs(2) }
    }
}

impl BurstSettings {
    /// A burst that ends at this hop.
    pub fn plan(&self, hop_limit: u8) -> BurstPlan {
        let BurstSettings { count, bytes, wait } = *self;
        BurstPlan { count, bytes, hop_limit, patience: wait }
    }
}

/// How routes are looked for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RouteSettings {
    /// Protocol of the probes: `icmp`, `udp` or `tcp` (to the service's port).
    pub probe: Method,
    /// Probes for each hop.
    pub queries: u8,
    /// Hops at most.
    pub max_hops: u8,
    /// How long to wait for an answer.
    #[serde(with = "words")]
    pub wait: Duration,
}

impl Default for RouteSettings {
    fn default() -> Self {
        let RoutePlan { method, max_hops, queries, patience, .. } = RoutePlan::default();
        RouteSettings { probe: method, queries, max_hops, wait: patience }
    }
}

impl RouteSettings {
    /// As the routes' own module has it.
    pub fn plan(&self) -> RoutePlan {
        let RouteSettings { probe, queries, max_hops, wait } = *self;
        RoutePlan { method: probe, max_hops, queries, patience: wait, ..RoutePlan::default() }
    }
}

/// How far a campaign may go.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Bytes sent in all, headers and probes included.
    pub total_bytes: u64,
    /// Bytes sent to each host; bursts, which end at routers, count in `total_bytes` alone.
    pub host_bytes: u64,
    /// Mean rate while the campaign runs.
    pub bits_per_second: u64,
    /// Time between two transfers to the same host.
    #[serde(with = "words")]
    pub pause: Duration,
    /// Names, addresses and networks to which nothing is ever sent.
    #[serde(deserialize_with = "stop_list")]
    pub stop: StopList,
    /// A file with more of them, one a line, which is read again before each step; relative to the
    /// plan's directory.
    pub stop_file: Option<PathBuf>,
}

/// One kind of transfer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Variant {
    /// How much may be in flight, and how losses are repaired.
    pub law: CongestionControl,
    /// How much may be at the start.
    pub window: InitialWindow,
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, initial window {}", self.law, self.window)
    }
}

impl Plan {
    /// Reads a plan and the files that it names.
    ///
    /// # Errors
    /// See [`PlanError`].
    pub fn read(file: &Path) -> Result<Self, PlanError> {
        let read =
            |file: &Path| read_file(file).map_err(|error| PlanError::File(file.to_owned(), error));
        let text = read(file)?;
        let mut plan: Plan = toml::from_str(&text).map_err(|error| toml_error(&text, &error))?;
        let beside = |name: &PathBuf| file.parent().unwrap_or(Path::new("")).join(name);
        if let Some(more) = plan.hosts_file.as_ref().map(beside) {
            plan.hosts.extend(entries(&read(&more)?).map(|(_, entry)| entry.to_owned()));
        }
        plan.limits.stop_file = plan.limits.stop_file.as_ref().map(beside);
        // It is read again before each step; that it can be is seen before the first one.
        if let Some(list) = &plan.limits.stop_file {
            StopList::read(list).map_err(|error| PlanError::StopFile(list.clone(), error))?;
        }
        plan.check()?;
        Ok(plan)
    }

    /// The variants, those of the first algorithm first.
    pub fn variants(&self) -> Vec<Variant> {
        let windows = &self.transfer.initial_windows;
        let of = |&law| windows.iter().map(move |&window| Variant { law, window });
        self.transfer.laws.iter().flat_map(of).collect()
    }

    /// The service's port, of hosts that name none.
    pub fn port(&self) -> u16 {
        self.transfer.port.unwrap_or(self.transfer.service.port())
    }

    /// The name or address and the port of a host in the list.
    pub fn peer(&self, host: usize) -> Option<(&str, u16)> {
        let (name, port) = split_port(self.hosts.get(host)?).ok()?;
        Some((name, port.unwrap_or(self.port())))
    }

    /// Settings of a transfer's connection.
    pub fn connection(&self, variant: &Variant) -> Config {
        let mut config = Config::default();
        config.mss = self.transfer.mss;
        config.initial_window = variant.window;
        config.recovery = variant.law.recovery.unwrap_or_default();
        // The whole transfer may be in flight at once.
        let least = config.send_buffer;
        let size = u32::try_from(self.transfer.bytes).unwrap_or(u32::MAX);
        config.send_buffer = size.clamp(least, 1 << 24);
        config.flight_records = config.flight_records.max(config.send_buffer / 1024);
        config
    }

    /// Another one for plans that measure something else. Limits do not count.
    pub fn digest(&self) -> String {
        let text = serde_json::to_string(self).unwrap_or_default();
        let mut hasher = SipHasher::new();
        hasher.write(text.as_bytes());
        format!("{:032x}", hasher.finish128().as_u128())
    }

    fn check(&self) -> Result<(), PlanError> {
        let Transfers { bytes, port, initial_windows, laws, timeout, .. } = &self.transfer;
        let RouteSettings { queries, max_hops, wait, .. } = &self.routes;
        // Of either family: a name does not show its family.
        let least = least_bytes(Method::Icmp, IpAddr::V6(Ipv6Addr::UNSPECIFIED));
        at_least_one("rounds", self.rounds)?;
        at_least_one("transfer.bytes", *bytes)?;
        at_least_one("transfer.port", port.unwrap_or(1))?;
        longer_than_nothing("transfer.timeout", *timeout)?;
        within("bursts.bytes", self.bursts.bytes, [least, LARGEST])?;
        longer_than_nothing("bursts.wait", self.bursts.wait)?;
        within("routes.queries", *queries, [1, 10])?;
        within("routes.max_hops", *max_hops, [1, 64])?;
        longer_than_nothing("routes.wait", *wait)?;
        at_least_one("limits.bits_per_second", self.limits.bits_per_second)?;
        if self.hosts.is_empty() {
            return Err(PlanError::NoHosts);
        }
        let mut peers = Vec::new();
        for host in &self.hosts {
            let (name, port) =
                split_port(host).map_err(|error| PlanError::Host(host.clone(), error))?;
            peers.push((name.to_lowercase(), port.unwrap_or(self.port())));
        }
        if let Some(host) = twice(&peers) {
            return Err(PlanError::Twice("hosts", self.hosts.get(host).cloned()));
        }
        for (name, words) in [
            (
                "transfer.initial_windows",
                initial_windows.iter().map(Word::word).collect::<Vec<_>>(),
            ),
            ("transfer.laws", laws.iter().map(Word::word).collect()),
        ] {
            if words.is_empty() {
                return Err(PlanError::Empty(name));
            }
            if let Some(second) = twice(&words) {
                return Err(PlanError::Twice(name, words.get(second).cloned()));
            }
        }
        let connections = self.variants().into_iter().map(|variant| self.connection(&variant));
        connections.into_iter().try_for_each(|it| it.validate()).map_err(PlanError::Connection)
    }
}

/// The place of the first that was there before.
fn twice<T: Ord>(them: &[T]) -> Option<usize> {
    let mut seen = BTreeSet::new();
    them.iter().position(|it| !seen.insert(it))
}

fn within<T: PartialOrd + fmt::Display>(
    name: &'static str,
    given: T,
    [least, most]: [T; 2],
) -> Result<(), PlanError> {
    let range = format!("{least} to {most}");
    let is_within = (least..=most).contains(&given);
    if is_within { Ok(()) } else { Err(PlanError::Range { name, given: given.to_string(), range }) }
}

fn at_least_one(name: &'static str, given: impl Into<u64>) -> Result<(), PlanError> {
    let given = given.into();
    let range = || PlanError::Range { name, given: given.to_string(), range: "1 or more".into() };
    if given > 0 { Ok(()) } else { Err(range()) }
}

fn longer_than_nothing(name: &'static str, given: Duration) -> Result<(), PlanError> {
    let range = || "a time such as '2s'".to_owned();
    let (is_zero, given) = (given.is_zero(), given.to_string());
    if is_zero { Err(PlanError::Range { name, given, range: range() }) } else { Ok(()) }
}

impl FromStr for Plan {
    type Err = PlanError;

    /// Reads a plan that names no files.
    fn from_str(text: &str) -> Result<Self, PlanError> {
        let plan: Plan = toml::from_str(text).map_err(|error| toml_error(text, &error))?;
        plan.check()?;
        Ok(plan)
    }
}

/// A list of entries.
fn stop_list<'d, D: Deserializer<'d>>(from: D) -> Result<StopList, D::Error> {
    let mut list = StopList::new();
    let entries = Vec::<String>::deserialize(from)?;
    entries.iter().try_for_each(|entry| list.add(entry)).map_err(serde::de::Error::custom)?;
    Ok(list)
}

/// Values in the words of the command line.
pub(super) mod words {
    use super::{Deserialize, Deserializer, Serializer, Word};
    use serde::de::Error as _;

    pub(crate) fn serialize<T: Word, S: Serializer>(word: &T, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&word.word())
    }

    pub(crate) fn deserialize<'d, T: Word, D: Deserializer<'d>>(from: D) -> Result<T, D::Error> {
        T::read(&String::deserialize(from)?).map_err(D::Error::custom)
    }
}

/// Lists of them.
mod word_lists {
    use super::{Deserialize, Deserializer, Serialize, Serializer, Word};
    use serde::de::Error as _;

    pub(crate) fn serialize<T: Word, S: Serializer>(them: &[T], to: S) -> Result<S::Ok, S::Error> {
        them.iter().map(Word::word).collect::<Vec<_>>().serialize(to)
    }

    pub(crate) fn deserialize<'d, T: Word, D: Deserializer<'d>>(
        from: D,
    ) -> Result<Vec<T>, D::Error> {
        let them = Vec::<String>::deserialize(from)?;
        them.iter().map(|text| T::read(text).map_err(D::Error::custom)).collect()
    }
}

/// A value with a name on the command line.
pub(super) trait Word: Sized {
    fn word(&self) -> String;
    fn read(text: &str) -> Result<Self, String>;
}

macro_rules! word {
    ($type:ty) => {
        impl Word for $type {
            fn word(&self) -> String {
                self.to_string()
            }

            fn read(text: &str) -> Result<Self, String> {
                text.parse().map_err(|error| format!("'{text}': {error}"))
            }
        }
    };
}

word!(InitialWindow);
word!(CongestionControl);
word!(Duration);

impl Word for Service {
    fn word(&self) -> String {
        self.name().to_owned()
    }

    fn read(text: &str) -> Result<Self, String> {
        let services = [Service::Discard, Service::Echo];
        let found = services.into_iter().find(|service| service.name() == text);
        found.ok_or_else(|| format!("'{text}': 'service' is discard or echo"))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const SMALL: &str = r#"
        name = "small"
        seed = 3
        rounds = 2
        hosts = ["a.example", "b.example", "c.example", "192.0.2.4", "192.0.2.5"]
        [transfer]
        initial_windows = ["1", "4", "4,4096B"]
    "#;

    pub(crate) fn small() -> Plan {
        SMALL.parse().unwrap()
    }

    fn problem(text: &str) -> String {
        text.parse::<Plan>().unwrap_err().to_string()
    }

    #[test]
    fn what_is_not_said_is_as_in_the_paper() {
        let plan: Plan = "name = 'x'\nrounds = 30\nhosts = ['a']".parse().unwrap();
        assert_eq!((plan.transfer.bytes, plan.transfer.mss), (16_384, Some(512)));
        let windows: Vec<_> =
            plan.transfer.initial_windows.iter().map(|it| it.window(512)).collect();
        assert_eq!(windows, [1, 2, 3, 4, 8, 16, 32].map(|segments| segments * 512));
        assert_eq!((plan.bursts.count, plan.bursts.bytes, plan.port()), (100, 512, 9));
    }

    #[test]
    fn windows_are_given_in_segments_bytes_or_both() {
        let windows: Vec<_> =
            small().variants().iter().map(|variant| variant.window.window(512)).collect();
        assert_eq!(windows, [512, 2048, 2048]);
    }

    #[test]
    fn the_digest_is_that_of_what_is_measured_not_of_the_limits() {
        let other = |text: &str| format!("{SMALL}\n{text}").parse::<Plan>().unwrap().digest();
        assert_eq!(small().digest(), other("[limits]\npause = '9s'\nstop = ['d.example']"));
        assert_ne!(small().digest(), other("[bursts]\ncount = 50"));
        assert_ne!(
            small().digest(),
            SMALL.replace("rounds = 2", "rounds = 3").parse::<Plan>().unwrap().digest()
        );
    }

    #[test]
    fn plans_that_cannot_be_followed_are_refused_with_what_to_write() {
        let with =
            |hosts: &str, rest: &str| format!("name = 'x'\nrounds = 1\nhosts = {hosts}\n{rest}");
        for (text, says) in [
            (with("[]", ""), "give 'hosts' or 'hosts_file'"),
            (with("['a', 'A:9']", ""), "'hosts' has A:9 twice"),
            (with("['a b']", ""), "host 'a b' is not HOST or HOST:PORT"),
            (with("['a:0']", ""), "host 'a:0' is port 0"),
            (with("['a']", "[transfer]\nbytes = 0"), "'transfer.bytes' is 0: give 1 or more"),
            (with("['a']", "[transfer]\nport = 0"), "'transfer.port' is 0: give 1 or more"),
            (with("['a']", "[transfer]\nmss = 0"), "mss must be 1 to 65495 bytes"),
            (with("['a']", "[transfer]\ntimeout = '0s'"), "'transfer.timeout' is 0ns: give a time"),
            (with("['a']", "[transfer]\nlaws = []"), "'transfer.laws' is empty"),
            (with("['a']", "[transfer]\nlaws = ['vogon']"), "line 5: 'vogon'"),
            (with("['a']", "[transfer]\ninitial_windows = ['0']"), "rfc6928"),
            (with("['a']", "[transfer]\ninitial_windows = ['4', '4']"), "has 4 twice"),
            (with("['a']", "[transfer]\nservice = 'chargen'"), "discard or echo"),
            (with("['a']", "[transfer]\nbytse = 1"), "line 5: unknown field `bytse`"),
            (with("['a']", "[bursts]\nbytes = 49"), "'bursts.bytes' is 49: give 50 to 1500"),
            (with("['a']", "[bursts]\nbytes = 1501"), "'bursts.bytes' is 1501: give 50 to 1500"),
            (with("['a']", "[bursts]\nwait = '0s'"), "'bursts.wait' is 0ns"),
            (with("['a']", "[routes]\nmax_hops = 0"), "'routes.max_hops' is 0: give 1 to 64"),
            (with("['a']", "[routes]\nmax_hops = 65"), "'routes.max_hops' is 65: give 1 to 64"),
            (with("['a']", "[routes]\nqueries = 0"), "'routes.queries' is 0: give 1 to 10"),
            (with("['a']", "[routes]\nwait = '0s'"), "'routes.wait' is 0ns"),
            (with("['a']", "[limits]\nbits_per_second = 0"), "'limits.bits_per_second' is 0"),
            (
                with("['a']", "[limits]\nstop = ['10.0.0.0/33']"),
                "line 5: '10.0.0.0/33' is no entry",
            ),
            ("name = 'x'\nrounds = 0\nhosts = ['a']".into(), "'rounds' is 0: give 1 or more"),
        ] {
            let problem = problem(&text);
            assert!(problem.contains(says) && problem.lines().count() == 1, "{text}: {problem}");
        }
    }

    #[test]
    fn a_host_may_have_a_port_of_its_own() {
        let plan: Plan = "name = 'x'\nrounds = 1\nhosts = ['a', '[fd07::1]:7009']".parse().unwrap();
        assert_eq!([plan.peer(0), plan.peer(1)], [Some(("a", 9)), Some(("fd07::1", 7009))]);
    }

    #[test]
    fn lists_beside_the_plan_are_read_and_checked() {
        let directory = std::env::temp_dir().join(format!("ackclock-plan-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let write = |name: &str, text: &str| std::fs::write(directory.join(name), text).unwrap();
        write("plan.toml", "name = 'x'\nrounds = 1\nhosts_file = 'h'\n[limits]\nstop_file = 's'");
        write("h", "# found\na.example:9  # 192.0.2.1, 3.2 ms\n");
        let read = || Plan::read(&directory.join("plan.toml"));
        assert!(matches!(read(), Err(PlanError::StopFile(..))));
        write("s", "b.example\n");
        assert_eq!(read().unwrap().hosts, ["a.example:9"]);
        write("s", "b.example\n192.0.2\n");
        let error = read().unwrap_err().to_string();
        assert!(error.contains("s: line 2: '192.0.2' is no entry"), "{error}");
        std::fs::remove_dir_all(directory).unwrap();
    }
}

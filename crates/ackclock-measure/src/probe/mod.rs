//! Probes: packets with a small hop limit, and the answers that show how far they came.

mod answer;
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "what sends probes is Linux only"))]
mod packet;
#[cfg(target_os = "linux")]
mod socket;
#[cfg(test)]
pub(crate) mod testing;

pub use answer::{Answer, AnswerKind};
pub use packet::{LARGEST, UDP_PORT, least_bytes};
#[cfg(target_os = "linux")]
pub use socket::RawProber;

use ackclock::time::Instant;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::str::FromStr;

/// Protocol of a probe.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// ICMP echo requests.
    #[default]
    Icmp,
    /// UDP datagrams to a closed port.
    Udp,
    /// TCP segments with SYN, of which the peer's answer is reset at once. IPv4 only.
    Tcp,
}

impl Method {
    /// The words there are.
    pub const NAMES: [&'static str; 3] = ["icmp", "udp", "tcp"];
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [icmp, udp, tcp] = Self::NAMES;
        f.write_str(match self {
            Method::Icmp => icmp,
            Method::Udp => udp,
            Method::Tcp => tcp,
        })
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "icmp" => Ok(Method::Icmp),
            "udp" => Ok(Method::Udp),
            "tcp" => Ok(Method::Tcp),
            _ => Err(format!("write one of {}", Method::NAMES.join(", "))),
        }
    }
}

/// Identification of the probes of one prober, and of their answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flow {
    /// Protocol of the probes.
    pub method: Method,
    /// Our address.
    pub local: IpAddr,
    /// Where the probes go.
    pub target: IpAddr,
    /// ICMP's identifier, or our port.
    pub identifier: u16,
    /// The target's port; of no meaning for ICMP.
    pub port: u16,
}

/// One probe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Probe {
    /// Its number among those of the flow.
    pub number: u16,
    /// How many routers it may reach before it is given up, plus one (TTL).
    pub hop_limit: u8,
    /// Its length with the IP header.
    pub bytes: u16,
}

/// An answer and when it came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Heard {
    /// When, on the prober's clock.
    pub at: Instant,
    /// The answer, and its sender.
    pub answer: Answer,
}

/// Sends probes to one host and receives the answers.
pub trait Prober {
    /// Where the probes go.
    fn target(&self) -> IpAddr;

    /// The time on its clock.
    fn now(&self) -> Instant;

    /// Sends a probe.
    ///
    /// # Errors
    /// See [`ProbeError`].
    fn send(&mut self, probe: Probe) -> Result<(), ProbeError>;

    /// The next answer, if one comes until then.
    ///
    /// # Errors
    /// See [`ProbeError`].
    fn hear(&mut self, until: Instant) -> Result<Option<Heard>, ProbeError>;
}

/// Why there is no probing.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProbeError {
    /// A raw socket takes a privilege.
    NotPermitted,
    /// There is no way to the target.
    Unreachable(Box<dyn std::error::Error + Send + Sync>),
    /// The method does not work with the target's version of IP.
    Family(Method),
    /// The probe is shorter than its headers, or too long for one packet.
    Size {
        /// What was asked for.
        bytes: u16,
        /// The least there is.
        least: u16,
    },
    /// The kernel does not take the packet.
    Send(io::Error),
    /// Any other error of a socket.
    Socket(io::Error),
}

impl ProbeError {
    /// Whether it is this target that cannot be probed. Else it is this machine that cannot probe, and
    /// there is no point in trying another one.
    pub fn is_of_the_target(&self) -> bool {
        matches!(self, ProbeError::Unreachable(_) | ProbeError::Family(_))
    }
}

impl fmt::Display for ProbeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProbeError::NotPermitted => f.write_str(
                "raw sockets take a privilege: run this program as root, with 'sudo', or give it \
                 that one with 'sudo setcap cap_net_raw+ep' and its path",
            ),
            ProbeError::Unreachable(error) => error.fmt(f),
            ProbeError::Family(method) => {
                write!(f, "{method} probes need IPv4: take icmp or udp for this host")
            }
            ProbeError::Size { bytes, least } => write!(
                f,
                "a probe cannot have {bytes} bytes: it has {least} at least, and {LARGEST} at most"
            ),
            ProbeError::Send(error) => write!(
                f,
                "the kernel does not take a probe: {error}; 'ip -s link' shows whether an \
                 interface is full, and a probe larger than its MTU is never taken"
            ),
            ProbeError::Socket(error) => write!(f, "a raw socket failed: {error}"),
        }
    }
}

impl std::error::Error for ProbeError {}

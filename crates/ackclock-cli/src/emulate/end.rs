//! Interface at one end of the path: how the command line writes it, and how it is opened.

use crate::capture::Captured;
use crate::failure::Failure;
use crate::values::parse_cidr;
use crate::way::{exists, open_or_make};
use ackclock::stack::Cidr;
use ackclock_host::counters::Counters;
use ackclock_host::interface::InterfaceName;
use ackclock_host::namespace::Namespace;
use ackclock_host::setup::KernelEnd;
use ackclock_host::tun::{Tun, TunError};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// Packets that an interface made for the run holds until the emulator reads them. Packets that it drops
/// are lost in front of the path instead of in the path's queue. The kernel's default of 500 would drop
/// whatever exceeds that in one burst, or in 6 ms at 1 Gbit/s while another program has the processor.
const TRANSMIT_QUEUE: u32 = 10_000;

/// Largest MTU that a TUN interface can have, in bytes.
const LARGEST_MTU: u32 = 65_535;

/// TUN interface, written as `ns:a/tun0=10.9.0.1/24,fd09::1/64`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct End {
    /// Network namespace of the interface; `None`: that of this program.
    namespace: Option<Namespace>,
    name: InterfaceName,
    /// Addresses that the kernel gets on the interface if it is made for the run.
    addresses: Vec<Cidr>,
}

/// Open interface at an end of the path.
pub(super) struct OpenEnd {
    pub(super) device: Captured<Tun>,
    pub(super) counters: Counters,
}

impl FromStr for End {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (place, addresses) = match text.split_once('=') {
            None => (text, Vec::new()),
            Some((place, addresses)) => {
                let addresses = addresses.split(',').map(parse_cidr).collect::<Result<_, _>>();
                (place, addresses?)
            }
        };
        let usage = || "write NAME, or ns:NAMESPACE/NAME, as in ns:a/tun0".to_owned();
        let (namespace, name) = match place.strip_prefix("ns:") {
            None => (None, place),
            Some(place) => {
                let (namespace, name) = place.split_once('/').ok_or_else(usage)?;
                (Some(namespace.parse().map_err(|error| format!("{error}"))?), name)
            }
        };
        let name = name.parse().map_err(|error| format!("{error}"))?;
        Ok(End { namespace, name, addresses })
    }
}

/// Writes namespace and name, without the addresses.
impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(namespace) = &self.namespace {
            write!(f, "ns:{namespace}/")?;
        }
        write!(f, "{}", self.name)
    }
}

impl End {
    /// Whether both are the same interface, whatever their addresses.
    pub(crate) fn is_same_interface(&self, other: &End) -> bool {
        (&self.namespace, &self.name) == (&other.namespace, &other.name)
    }

    /// Whether the kernel would deliver between the addresses of both ends without using the path.
    pub(super) fn is_beside(&self, other: &End) -> bool {
        let has_addresses = |end: &End| !end.addresses.is_empty();
        self.namespace == other.namespace && has_addresses(self) && has_addresses(other)
    }

    /// Opens the interface. One that does not exist is made with this MTU and configured, for as long as
    /// the program runs. Packets that pass it are captured in the file `pcap`, if there is one.
    pub(super) fn open(&self, mtu: u32, pcap: Option<&Path>) -> Result<OpenEnd, Failure> {
        let opened = match &self.namespace {
            None => self.open_here(mtu),
            Some(namespace) => namespace
                .run(|| self.open_here(mtu))
                .map_err(|error| Failure::Environment(error.to_string()))?,
        };
        let (tun, counters) = opened.map_err(|failure| self.placed(failure))?;
        let name = tun.name().to_string();
        Ok(OpenEnd { device: Captured::new(tun, false, &name, pcap)?, counters })
    }

    fn open_here(&self, mtu: u32) -> Result<(Tun, Counters), Failure> {
        if let Some(address) = self.addresses.first()
            && exists(&self.name)?
        {
            return Err(Failure::Environment(format!(
                "interface {name} exists already: leave '={address}' away, and its addresses are \
                 those it has; or remove it with 'sudo ip link delete {name}'",
                name = self.name,
            )));
        }
        let kernel = KernelEnd {
            name: self.name.clone(),
            mtu: Some(mtu.min(LARGEST_MTU)),
            transmit_queue: Some(TRANSMIT_QUEUE),
            addresses: self.addresses.clone(),
        };
        let tun =
            open_or_make(&self.name, || Tun::open(&self.name), || Ok(kernel.configuration()))?;
        let counters = Counters::open(&self.name)
            .map_err(|error| Failure::Environment(format!("no counters in /proc: {error}")))?;
        Ok((tun, counters))
    }

    /// Failure for the case that the interface goes away.
    pub(super) fn gone(&self) -> Failure {
        self.placed(Failure::Environment(TunError::Gone(self.name.clone()).to_string()))
    }

    /// Adds the interface's namespace to the text of a failure.
    pub(super) fn placed(&self, failure: Failure) -> Failure {
        let Some(namespace) = &self.namespace else {
            return failure;
        };
        let place = |text| {
            format!("in namespace {namespace} ('sudo ip netns exec {namespace} bash'): {text}")
        };
        match failure {
            Failure::Environment(text) => Failure::Environment(place(text)),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(text: &str) -> Result<End, String> {
        text.parse()
    }

    #[test]
    fn an_end_is_an_interface_with_or_without_namespace_and_addresses() {
        let addresses = ["10.9.0.1/24", "fd09::1/64"].map(|text| parse_cidr(text).unwrap());
        let full = End {
            namespace: Some("a".parse().unwrap()),
            name: "tun0".parse().unwrap(),
            addresses: addresses.to_vec(),
        };
        assert_eq!(end("ns:a/tun0=10.9.0.1/24,fd09::1/64"), Ok(full.clone()));
        assert_eq!(full.to_string(), "ns:a/tun0");
        let plain = End { namespace: None, addresses: Vec::new(), ..full };
        assert_eq!(end("tun0"), Ok(plain.clone()));
        assert_eq!(plain.to_string(), "tun0");
    }

    #[test]
    fn what_is_no_end_is_refused_with_what_to_write() {
        for (text, says) in [
            ("", "an interface name has"),
            ("ns:a", "ns:NAMESPACE/NAME"),
            ("ns:/tun0", "a namespace's name has"),
            ("ns:../net/tun0", "a namespace's name has"),
            ("a/tun0", "an interface name has"),
            ("tun0=", "10.7.0.2/24"),
            ("tun0=10.9.0.1", "10.7.0.2/24"),
            ("tun0=10.9.0.1/24,", "10.7.0.2/24"),
        ] {
            let error = end(text).unwrap_err();
            assert!(error.contains(says) && !error.contains('\n'), "{text}: {error}");
        }
    }

    #[test]
    fn interfaces_of_one_name_are_the_same_in_one_namespace_only() {
        let same =
            |one: &str, other: &str| end(one).unwrap().is_same_interface(&end(other).unwrap());
        assert!(same("ns:a/tun0=10.9.0.1/24", "ns:a/tun0"));
        assert!(!same("ns:a/tun0", "ns:b/tun0") && !same("ns:a/tun0", "tun0"));
        let beside = |one: &str, other: &str| end(one).unwrap().is_beside(&end(other).unwrap());
        assert!(beside("tun0=10.9.0.1/24", "tun1=10.9.0.2/24"));
        assert!(!beside("tun0=10.9.0.1/24", "tun1"));
        assert!(!beside("ns:a/tun0=10.9.0.1/24", "ns:b/tun0=10.9.0.2/24"));
    }
}

//! Options of the way out of this machine, and of the stack's addresses there.

use crate::values::{parse_bytes, parse_cidr};
use crate::way::{Offload, Via, WaySettings};
use ackclock::stack::Cidr;
use clap::builder::PossibleValue;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, ValueEnum};
use std::net::IpAddr;
use std::num::NonZeroUsize;

impl ValueEnum for Via {
    fn value_variants<'a>() -> &'a [Self] {
        &[Via::Tun, Via::Raw, Via::Packet]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Via::Tun => "A TUN interface, with an address of the stack's own in a separate network",
            Via::Raw => "Raw IP sockets, with the host's own address (IPv4 only)",
            Via::Packet => "Packet sockets, as a separate host on the LAN",
        };
        Some(PossibleValue::new(self.word()).help(help))
    }
}

impl ValueEnum for Offload {
    fn value_variants<'a>() -> &'a [Self] {
        &[Offload::Auto, Offload::On, Offload::Off]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Offload::Auto => "If the kernel can",
            Offload::On => "Fail if the kernel cannot",
            Offload::Off => "Never",
        };
        Some(PossibleValue::new(self.word()).help(help))
    }
}

/// Names of the options that not every way out has a use for, but this one.
const fn own_options(via: Via) -> &'static [&'static str] {
    match via {
        Via::Tun => &["tun", "offload", "queues"],
        Via::Raw => &["ports", "guard", "bql"],
        Via::Packet => &["interface", "gateway", "bql"],
    }
}

/// Reads a positive number of bytes.
fn parse_limit(text: &str) -> Result<NonZeroUsize, String> {
    let bytes = usize::try_from(parse_bytes(text)?).ok().and_then(NonZeroUsize::new);
    bytes.ok_or_else(|| "the number must be above 0".into())
}

/// Options of the way out.
#[derive(Args, Clone, Debug)]
pub(crate) struct WayOptions {
    /// TUN interface; if it does not exist it is created for this run, which needs root
    #[arg(long, value_name = "NAME")]
    tun: Option<String>,
    /// Address of this stack with its prefix: over TUN one that the kernel does not have, such as
    /// 10.7.0.2/24, once for each family; with packet sockets an unused one of the LAN, once for each
    /// family; with raw sockets one of the host's [default: the one that the kernel would use]
    #[arg(long, value_name = "CIDR", value_parser = parse_cidr)]
    address: Vec<Cidr>,
    /// Over TUN, whether the kernel does segmentation and checksums for this stack, which is faster
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    offload: Offload,
    /// With raw sockets, the local ports for connections, which are reserved while the program runs
    /// [default: 61000-61063, or the next 64 that are free]
    #[arg(long, value_name = "FIRST-LAST")]
    ports: Option<String>,
    /// With raw sockets, drop the RSTs that the kernel would send from these ports, by a firewall
    /// rule that is removed when the program ends
    #[arg(long)]
    guard: bool,
    /// With raw and packet sockets, about how many bytes may wait in the interface's queue; other
    /// data wait in the stack, where connections take turns, so that a large transfer delays others less
    /// [default: a megabyte with raw sockets, some ninety packets with packet sockets]
    #[arg(long, value_name = "BYTES", value_parser = parse_limit)]
    bql: Option<NonZeroUsize>,
    /// With packet sockets, the Ethernet interface
    #[arg(long, value_name = "NAME")]
    interface: Option<String>,
    /// With packet sockets, the router to destinations outside the LAN; may be given once for each family
    #[arg(long, value_name = "IP")]
    gateway: Vec<IpAddr>,
}

impl WayOptions {
    /// Settings of the way `via`, with this number of queues.
    pub(crate) fn settings(&self, via: Via, queues: u16) -> WaySettings {
        WaySettings {
            via,
            queues,
            tun: self.tun.clone(),
            addresses: self.address.clone(),
            offload: self.offload,
            ports: self.ports.clone(),
            guard: self.guard,
            byte_queue_limit: self.bql,
            interface: self.interface.clone(),
            gateways: self.gateway.clone(),
        }
    }

    /// First option on the command line that has no effect with this way out (`None`: no way out at
    /// all).
    pub(crate) fn idle(matches: &ArgMatches, via: Option<Via>) -> Option<&'static str> {
        let others = Via::value_variants().iter().filter(|other| Some(**other) != via);
        let own = via.map_or(&[][..], own_options);
        let idle =
            others.flat_map(|other| own_options(*other)).filter(|id| !own.contains(id)).copied();
        let all = via.is_none().then_some(["address", "via"]).into_iter().flatten();
        idle.chain(all)
            // Some commands have only some of the options.
            .filter(|id| matches.try_contains_id(id).is_ok())
            .find(|id| matches.value_source(id) == Some(ValueSource::CommandLine))
    }
}

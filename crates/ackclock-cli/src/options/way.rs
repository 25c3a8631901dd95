//! The way out of this machine, and our addresses there.

use crate::values::parse_cidr;
use ackclock::stack::Cidr;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, ValueEnum};
use std::net::IpAddr;

/// How packets leave the machine and come back.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Via {
    /// A TUN interface, with an address of our own in a network of its own
    Tun,
    /// Raw IP sockets, with the host's own address (IPv4 only)
    Raw,
    /// Packet sockets, as a host of its own on the LAN
    Packet,
}

impl Via {
    /// The word for it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Via::Tun => "tun",
            Via::Raw => "raw",
            Via::Packet => "packet",
        }
    }

    /// The options that are for this way only.
    const fn own_options(self) -> &'static [&'static str] {
        match self {
            Via::Tun => &["tun", "offload", "queues"],
            Via::Raw => &["ports", "guard"],
            Via::Packet => &["interface", "gateway"],
        }
    }
}

/// Details of the way out.
#[derive(Args, Clone, Debug)]
pub(crate) struct WayOptions {
    /// TUN interface; one that does not exist is made for this run, which takes root
    #[arg(long, value_name = "NAME")]
    pub(crate) tun: Option<String>,
    /// Address of this stack with its prefix: over TUN one that the kernel does not have, such as
    /// 10.7.0.2/24, once for each family; with packet sockets one of the LAN that nobody has,
    /// likewise; with raw sockets one of the host's [default: the one that the kernel would use]
    #[arg(long, value_name = "CIDR", value_parser = parse_cidr)]
    pub(crate) address: Vec<Cidr>,
    /// Over TUN, whether the kernel segments and computes checksums in this stack's place, which is
    /// faster: if it can, or else fail, or not at all
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) offload: Offload,
    /// With raw sockets, the ports to connect from, which no other program gets meanwhile [default:
    /// 61000-61063, or the next 64 that are free]
    #[arg(long, value_name = "FIRST-LAST")]
    pub(crate) ports: Option<String>,
    /// With raw sockets, drop the RSTs that the kernel would send from these ports, by a rule of the
    /// firewall that goes when the program ends
    #[arg(long)]
    pub(crate) guard: bool,
    /// With packet sockets, the Ethernet interface
    #[arg(long, value_name = "NAME")]
    pub(crate) interface: Option<String>,
    /// With packet sockets, the router to what is not on the LAN; may be given once for each family
    #[arg(long, value_name = "IP")]
    pub(crate) gateway: Vec<IpAddr>,
}

impl WayOptions {
    /// An option that is given though this way (none: no way out at all) has no use for it.
    pub(crate) fn idle(matches: &ArgMatches, via: Option<Via>) -> Option<&'static str> {
        let others = Via::value_variants().iter().filter(|other| Some(**other) != via);
        let idle = others.flat_map(|other| other.own_options()).copied();
        let all = via.is_none().then_some(["address", "via"]).into_iter().flatten();
        idle.chain(all)
            // Not all commands have all of them.
            .filter(|id| matches.try_contains_id(id).is_ok())
            .find(|id| matches.value_source(id) == Some(ValueSource::CommandLine))
    }
}

/// When the kernel segments, and computes checksums, in our place.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Offload {
    /// If it can
    Auto,
    /// It must
    On,
    /// Not at all
    Off,
}

impl Offload {
    /// The word for it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Offload::Auto => "auto",
            Offload::On => "on",
            Offload::Off => "off",
        }
    }
}

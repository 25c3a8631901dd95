//! Settings of a way out of this machine, from the options.

use ackclock::stack::Cidr;
use std::net::IpAddr;
use std::num::NonZeroUsize;

/// Way in which packets leave the machine and come back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Via {
    /// A TUN interface, whose other end is the kernel.
    Tun,
    /// Raw IP sockets, with the host's own address.
    Raw,
    /// Packet sockets, with which the stack is a host of its own on the LAN.
    Packet,
}

impl Via {
    /// Name of the way on the command line and in reports.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Via::Tun => "tun",
            Via::Raw => "raw",
            Via::Packet => "packet",
        }
    }
}

/// Whether the kernel segments and computes checksums in the stack's place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Offload {
    /// If the kernel can.
    Auto,
    /// Always; a kernel that cannot is an error.
    On,
    /// Never.
    Off,
}

impl Offload {
    /// Name of the choice on the command line and in reports.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Offload::Auto => "auto",
            Offload::On => "on",
            Offload::Off => "off",
        }
    }
}

/// Settings of a way out. Which of them matter depends on `via`.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(
    not(target_os = "linux"),
    allow(
        dead_code,
        reason = "other systems have no ways out, so nothing there reads all of them"
    )
)]
pub(crate) struct WaySettings {
    pub(crate) via: Via,
    /// Queues of the TUN interface that are used, at least one.
    pub(crate) queues: u16,
    /// Name of the TUN interface.
    pub(crate) tun: Option<String>,
    /// The stack's addresses with their prefixes: over TUN and packet sockets at least one, with raw
    /// sockets at most one.
    pub(crate) addresses: Vec<Cidr>,
    /// Offload over TUN.
    pub(crate) offload: Offload,
    /// Ports that raw sockets connect from, as `FIRST-LAST`; `None`: chosen when the way is opened.
    pub(crate) ports: Option<String>,
    /// Whether a rule of the firewall drops the kernel's RSTs from the ports of raw sockets.
    pub(crate) guard: bool,
    /// About how many bytes may wait in the queue of the interface of raw and packet sockets; `None`: as
    /// many as the sockets' buffers hold.
    pub(crate) byte_queue_limit: Option<NonZeroUsize>,
    /// Name of the Ethernet interface of packet sockets.
    pub(crate) interface: Option<String>,
    /// Routers of the LAN of packet sockets, at most one of each address family.
    pub(crate) gateways: Vec<IpAddr>,
}

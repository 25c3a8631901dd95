//! Packet sockets as a way out: the stack is a host of its own on the LAN.

use super::contract::{Opened, Purpose, Way, links};
use super::settings::WaySettings;
use crate::failure::Failure;
use ackclock::stack::Cidr;
use ackclock_host::interface::InterfaceName;
use ackclock_host::own_address::own_addresses;
use ackclock_host::packet::{PacketSocket, hardware_address};
use ackclock_host::run_loop::HostEthernet;
use std::net::IpAddr;

/// A packet socket to be opened.
pub(super) struct PacketWay<'s> {
    interface: InterfaceName,
    settings: &'s WaySettings,
    /// Whether to wait while the interface is down.
    waits: bool,
}

impl<'s> PacketWay<'s> {
    pub(super) fn plan(settings: &'s WaySettings, purpose: Purpose<'_>) -> Result<Self, Failure> {
        let interface = match &settings.interface {
            Some(interface) if !settings.addresses.is_empty() => interface,
            _ => {
                return Err(Failure::Usage(
                    "with packet sockets give --interface NAME, and --address CIDR with an address \
                     of the LAN that nobody has"
                        .into(),
                ));
            }
        };
        let interface =
            interface.parse().map_err(|error| Failure::Usage(format!("--interface: {error}")))?;
        let is_taken =
            |own: &Cidr| own_addresses().iter().any(|kernel| kernel.cidr.address == own.address);
        if let Some(taken) = settings.addresses.iter().find(|own| is_taken(own)) {
            return Err(Failure::Usage(format!(
                "--address {}: the kernel has it; give another one of the LAN, or use --via raw",
                taken.address
            )));
        }
        let way = PacketWay { interface, settings, waits: purpose.outlasts_outages() };
        if let Purpose::Reach(remotes) = purpose
            && !remotes.is_empty()
            && !remotes.iter().any(|remote| way.has_route(remote.ip()))
        {
            return Err(Failure::Usage(format!(
                "{} is not on the LAN: give the --gateway through which it is reached, which 'ip \
                 route get {0}' shows",
                remotes[0].ip()
            )));
        }
        Ok(way)
    }

    /// Whether an address is on the LAN or behind a gateway.
    fn has_route(&self, remote: IpAddr) -> bool {
        let same_family = |other: &IpAddr| other.is_ipv4() == remote.is_ipv4();
        self.settings.gateways.iter().any(same_family)
            || self.settings.addresses.iter().any(|own| own.contains(remote))
            || !self.settings.addresses.iter().any(|own| same_family(&own.address))
    }
}

impl Way for PacketWay<'_> {
    fn addresses(&self) -> &[Cidr] {
        &self.settings.addresses
    }

    fn not_elsewhere(&self) -> String {
        "is not on the LAN: packet sockets reach other hosts; use --via tun for this one".into()
    }

    fn of_the_other_family(&self, is_ipv6: bool) -> String {
        let family = if is_ipv6 { "IPv6" } else { "IPv4" };
        format!("give an {family} --address of the LAN too")
    }

    fn open(&self) -> Result<Opened, Failure> {
        let first = self.settings.addresses.iter().map(|cidr| cidr.address).next();
        let address = hardware_address(first.unwrap_or(IpAddr::from([0; 4])));
        let mut ethernet = HostEthernet::new(address);
        for &gateway in &self.settings.gateways {
            ethernet
                .set_gateway(gateway)
                .map_err(|error| Failure::Usage(format!("--gateway {gateway}: {error}")))?;
        }
        let socket = PacketSocket::open(&self.interface, address)
            .map_err(|error| Failure::Environment(error.to_string()))?;
        if let Some(limit) = self.settings.byte_queue_limit {
            socket
                .limit_queue(limit.get())
                .map_err(|error| Failure::Environment(error.to_string()))?;
        }
        let unfinished = socket.unfinished();
        let name = self.interface.to_string();
        Ok(Opened {
            interface: name.clone(),
            offloading: false,
            ports: None,
            gone: format!("{name} went away: 'ip link' shows the interfaces there are"),
            note: Box::new(move || unfinished.note(&name)),
            ethernet: Some(ethernet),
            links: links(vec![socket], &self.interface, self.waits),
        })
    }
}

//! Raw IP sockets as a way out: the stack has the host's own address, and some ports of it.

use super::contract::{Opened, Purpose, Way};
use super::settings::WaySettings;
use crate::failure::Failure;
use crate::interrupt;
use ackclock::stack::Cidr;
use ackclock_host::any_link::AnyLink;
use ackclock_host::own_address::{OwnAddress, address_towards, only_address, own_addresses};
use ackclock_host::raw::{HeldPorts, NotHeld, Ports, RawIp};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;

/// Raw sockets to be opened.
pub(super) struct RawWay {
    own: OwnAddress,
    address: Ipv4Addr,
    /// Ports to connect from; `None`: the default range, or the next that is free.
    ports: Option<Ports>,
    guard: bool,
    byte_queue_limit: Option<NonZeroUsize>,
}

impl RawWay {
    pub(super) fn plan(settings: &WaySettings, purpose: Purpose<'_>) -> Result<Self, Failure> {
        let given = settings.ports.as_deref().map(str::parse).transpose();
        let given = given.map_err(|error| Failure::Usage(format!("--ports: {error}")))?;
        let (address, ports) = match purpose {
            Purpose::Serve(_) if given.is_some() => {
                return Err(Failure::Usage(
                    "--ports is for connecting: say where to listen with --port".into(),
                ));
            }
            Purpose::Serve(0) => {
                return Err(Failure::Usage(
                    "with raw sockets one port is served: give another --port than 0".into(),
                ));
            }
            Purpose::Serve(port) => (address_to_serve(settings)?, Some(Ports::one(port))),
            Purpose::Reach(remotes) => (address_to_reach(settings, remotes)?, given),
        };
        let mut all = own_addresses().into_iter();
        let own = all.find(|own| own.cidr.address == address).ok_or_else(|| {
            Failure::Environment(format!(
                "{address} is no address of an interface of this host that is up, other than \
                 loopback: 'ip -4 address' shows those there are"
            ))
        })?;
        let WaySettings { guard, byte_queue_limit, .. } = *settings;
        Ok(RawWay { own, address, ports, guard, byte_queue_limit })
    }

    /// Holds the ports that the settings name, or the first range that is free.
    fn hold(&self) -> Result<HeldPorts, NotHeld> {
        let mut ports = self.ports.unwrap_or_default();
        loop {
            match (HeldPorts::hold(self.address, ports), ports.next()) {
                (Err(error), Some(next)) if self.ports.is_none() && error.is_in_use() => {
                    ports = next;
                }
                (held, _) => return held,
            }
        }
    }
}

/// The address to listen on: the one that is given, or the only one of this host.
fn address_to_serve(settings: &WaySettings) -> Result<Ipv4Addr, Failure> {
    given(settings)?.or_else(only_address).ok_or_else(|| {
        let all = own_addresses().into_iter().filter(|own| own.cidr.address.is_ipv4());
        let all: Vec<_> = all.map(|own| own.cidr.to_string()).collect();
        Failure::Usage(match &all[..] {
            [] => "this host has no IPv4 address but loopback: 'ip -4 address' shows them".into(),
            all => format!("say with --address at which address to serve: {}", all.join(", ")),
        })
    })
}

/// The address to connect from: the one that is given, or the one that the kernel would use.
fn address_to_reach(settings: &WaySettings, remotes: &[SocketAddr]) -> Result<Ipv4Addr, Failure> {
    if let Some(address) = given(settings)? {
        return Ok(address);
    }
    let mut refusal = None;
    for remote in remotes.iter().map(SocketAddr::ip).filter(IpAddr::is_ipv4) {
        let reason = match address_towards(remote) {
            Ok(IpAddr::V4(own)) if own != remote && !own.is_loopback() => return Ok(own),
            Ok(_) => Failure::Usage(format!("{remote} {THIS_HOST}")),
            Err(error) => Failure::Environment(error.to_string()),
        };
        refusal.get_or_insert(reason);
    }
    let no_ipv4 =
        || Failure::Usage(format!("there is no IPv4 address to reach: {}", instead(true)));
    Err(refusal.unwrap_or_else(no_ipv4))
}

/// The address that the settings name, if any.
fn given(settings: &WaySettings) -> Result<Option<Ipv4Addr>, Failure> {
    match &settings.addresses[..] {
        [] => Ok(None),
        [Cidr { address: IpAddr::V4(address), .. }] => Ok(Some(*address)),
        [Cidr { address: IpAddr::V6(_), .. }] => {
            Err(Failure::Usage(format!("--address: {}", instead(true))))
        }
        _ => Err(Failure::Usage("with raw sockets one --address can be given".into())),
    }
}

const THIS_HOST: &str = "is this host itself, and raw sockets are for others: use --via tun";

/// Advice for a peer that raw sockets cannot reach because of its address family.
fn instead(is_ipv6: bool) -> String {
    let family = if is_ipv6 { "IPv6" } else { "IPv4" };
    format!("raw sockets carry IPv4 only here; use --via tun with an {family} --address")
}

impl Way for RawWay {
    fn addresses(&self) -> &[Cidr] {
        std::slice::from_ref(&self.own.cidr)
    }

    fn not_elsewhere(&self) -> String {
        THIS_HOST.into()
    }

    fn of_the_other_family(&self, is_ipv6: bool) -> String {
        instead(is_ipv6)
    }

    fn open(&self) -> Result<Opened, Failure> {
        let environment = |error: &dyn std::error::Error| Failure::Environment(error.to_string());
        // Interrupts are handled from here on: one must not end the program after the rule of the
        // firewall is made and before its removal at the exit is arranged.
        interrupt::watch()?;
        let held = self.hold().map_err(|error| environment(&error))?;
        let ports = held.ports();
        let interface = &self.own.interface;
        let raw = RawIp::open(held, interface, self.guard).map_err(|error| environment(&error))?;
        if let Some(remove) = raw.guard_remover() {
            interrupt::at_exit(remove);
        }
        if let Some(limit) = self.byte_queue_limit {
            raw.limit_queue(limit.get()).map_err(|error| environment(&error))?;
        }
        let unfinished = raw.unfinished();
        let name = interface.to_string();
        Ok(Opened {
            interface: name.clone(),
            ethernet: None,
            offloading: false,
            ports: Some(ports),
            gone: format!("{name} went away: 'ip link' shows the interfaces there are"),
            note: Box::new(move || unfinished.note(&name)),
            links: vec![AnyLink::new(raw)],
        })
    }
}

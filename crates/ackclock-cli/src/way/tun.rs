//! A TUN interface as a way out: the kernel is at one end, the stack has an address at the other.

use super::contract::{Opened, Purpose, Way, links};
use super::settings::{Offload, WaySettings};
use crate::failure::Failure;
use ackclock::stack::Cidr;
use ackclock_host::command::Plan;
use ackclock_host::interface::{self, InterfaceName};
use ackclock_host::setup::{SetupError, TunSetup, kernel_end};
use ackclock_host::tun::{self, Tun, TunError};

/// A TUN interface to be opened, or made.
pub(super) struct TunWay<'s> {
    name: InterfaceName,
    settings: &'s WaySettings,
    /// Whether to wait while the interface is down.
    waits: bool,
}

impl<'s> TunWay<'s> {
    pub(super) fn plan(settings: &'s WaySettings, purpose: Purpose<'_>) -> Result<Self, Failure> {
        let name = match &settings.tun {
            Some(name) if !settings.addresses.is_empty() => name,
            _ => {
                return Err(Failure::Usage(
                    "give --tun NAME and --address CIDR, or another way out with --via".into(),
                ));
            }
        };
        let name = name.parse().map_err(|error| Failure::Usage(format!("--tun: {error}")))?;
        Ok(TunWay { name, settings, waits: purpose.outlasts_outages() })
    }
}

impl Way for TunWay<'_> {
    fn addresses(&self) -> &[Cidr] {
        &self.settings.addresses
    }

    fn not_elsewhere(&self) -> String {
        let kernel = self.addresses().iter().find_map(|&cidr| kernel_end(cidr).ok());
        let kernel =
            kernel.map_or_else(String::new, |kernel| format!(" such as {}", kernel.address));
        format!(
            "is not at the far end of the interface: the kernel has another address there,{kernel}"
        )
    }

    fn of_the_other_family(&self, is_ipv6: bool) -> String {
        if is_ipv6 {
            "give an IPv6 --address too, such as fd07::2/64".into()
        } else {
            "give an IPv4 --address too, such as 10.7.0.2/24".into()
        }
    }

    fn open(&self) -> Result<Opened, Failure> {
        let configuration = || {
            let setup = TunSetup::new(self.name.clone(), self.settings.addresses.clone());
            setup.configuration().map_err(|error| Failure::Usage(error.to_string()))
        };
        let offload = match self.settings.offload {
            Offload::Auto => tun::Offload::Auto,
            Offload::On => tun::Offload::On,
            Offload::Off => tun::Offload::Off,
        };
        let open = || match self.settings.queues {
            1 => Tun::open_with(&self.name, offload).map(|tun| vec![tun]),
            queues => Tun::open_queues(&self.name, offload, queues.into()),
        };
        let queues = open_or_make(&self.name, open, configuration)?;
        Ok(Opened {
            interface: self.name.to_string(),
            ethernet: None,
            offloading: queues.iter().all(Tun::is_offloading),
            ports: None,
            gone: TunError::Gone(self.name.clone()).to_string(),
            note: Box::new(|| None),
            links: links(queues, &self.name, self.waits),
        })
    }
}

/// Opens the interface and checks that it is up; one that does not exist is made and configured.
pub(crate) fn open_or_make<T>(
    name: &InterfaceName,
    open: impl FnOnce() -> Result<T, TunError>,
    configuration: impl FnOnce() -> Result<Plan, Failure>,
) -> Result<T, Failure> {
    let environment = |error: TunError| Failure::Environment(error.to_string());
    let is_new = !exists(name)?;
    let opened = open().map_err(environment)?;
    if is_new {
        configuration()?.run().map_err(|error| Failure::Environment(error.to_string()))?;
    }
    tun::require_up(name).map_err(environment)?;
    Ok(opened)
}

/// Whether an interface of that name exists.
pub(crate) fn exists(name: &InterfaceName) -> Result<bool, Failure> {
    interface::exists(name)
        .map_err(|error| Failure::Environment(SetupError::from(error).to_string()))
}

//! Over a TUN interface: the kernel has one end, the stack an address in its network.

use super::{Opened, Way};
use crate::failure::Failure;
use crate::options::{Offload, WayOptions};
use ackclock::stack::Cidr;
use ackclock_host::any_link::AnyLink;
use ackclock_host::command::Plan;
use ackclock_host::interface::{self, InterfaceName};
use ackclock_host::setup::{SetupError, TunSetup, kernel_end};
use ackclock_host::tun::{self, Tun, TunError};

/// A TUN interface to be opened, or made.
pub(super) struct TunWay<'o> {
    name: InterfaceName,
    options: &'o WayOptions,
}

impl<'o> TunWay<'o> {
    pub(super) fn plan(options: &'o WayOptions) -> Result<Self, Failure> {
        let name = match &options.tun {
            Some(name) if !options.address.is_empty() => name,
            _ => {
                return Err(Failure::Usage(
                    "give --tun NAME and --address CIDR, or another way out with --via".into(),
                ));
            }
        };
        let name = name.parse().map_err(|error| Failure::Usage(format!("--tun: {error}")))?;
        Ok(TunWay { name, options })
    }
}

impl Way for TunWay<'_> {
    fn addresses(&self) -> &[Cidr] {
        &self.options.address
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
        let tun = open_or_make(&self.name, self.options.offload, || {
            let addresses = self.options.address.clone();
            let setup = TunSetup { name: self.name.clone(), owner: None, mtu: None, addresses };
            setup.configuration().map_err(|error| Failure::Usage(error.to_string()))
        })?;
        Ok(Opened {
            interface: self.name.to_string(),
            ethernet: None,
            offloading: tun.is_offloading(),
            ports: None,
            gone: TunError::Gone(self.name.clone()).to_string(),
            note: Box::new(|| None),
            link: AnyLink::new(tun),
        })
    }
}

/// Opens the interface, makes it and configures it if there is none, and sees that it is up.
pub(crate) fn open_or_make(
    name: &InterfaceName,
    offload: Offload,
    configuration: impl FnOnce() -> Result<Plan, Failure>,
) -> Result<Tun, Failure> {
    let environment = |error: TunError| Failure::Environment(error.to_string());
    let is_new = !exists(name)?;
    let offload = match offload {
        Offload::Auto => tun::Offload::Auto,
        Offload::On => tun::Offload::On,
        Offload::Off => tun::Offload::Off,
    };
    let tun = Tun::open_with(name, offload).map_err(environment)?;
    if is_new {
        configuration()?.run().map_err(|error| Failure::Environment(error.to_string()))?;
    }
    tun.require_up().map_err(environment)?;
    Ok(tun)
}

/// Whether there is an interface of that name.
pub(crate) fn exists(name: &InterfaceName) -> Result<bool, Failure> {
    interface::exists(name)
        .map_err(|error| Failure::Environment(SetupError::from(error).to_string()))
}

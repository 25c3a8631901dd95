//! Setup of a TUN interface: making or describing it, and routing its traffic to the Internet.

use crate::failure::Failure;
use crate::report::print;
use ackclock::stack::Cidr;
use ackclock_host::changes::{Changes, ChangesError};
use ackclock_host::interface::{self, InterfaceName};
use ackclock_host::setup::{SetupError, TunSetup};
use ackclock_host::tun;
use std::fmt::Write as _;
use std::os::unix::fs::MetadataExt;

/// Smallest MTU with which an interface can have IPv6, in bytes (RFC 8200 section 5).
const LEAST_IPV6_MTU: u32 = 1280;

/// Settings of the setup of a TUN interface.
#[derive(Clone, Debug)]
pub(crate) struct TunSettings {
    /// Name of the interface.
    pub(crate) name: String,
    /// Addresses of the stack with their prefixes.
    pub(crate) addresses: Vec<Cidr>,
    /// Number of the user who may use the interface without privileges; `None`: the user who runs this.
    pub(crate) owner: Option<u32>,
    /// MTU of the interface in bytes; `None`: the kernel's choice.
    pub(crate) mtu: Option<u32>,
    /// Queues that are to be used at a time, at least one.
    pub(crate) queues: u16,
    pub(crate) action: Action,
}

/// Action on the interface and its routing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// Makes the interface if there is none, and prints the commands that route its traffic.
    Make,
    /// Changes nothing, and prints the commands that would be run.
    DryRun,
    /// Makes the interface and routes its traffic.
    Apply,
    /// Undoes what [`Action::Apply`] did.
    Undo,
}

/// Carries out the action, and prints its steps and the remaining ones.
pub(crate) fn tun(settings: &TunSettings) -> Result<(), Failure> {
    let name: InterfaceName = settings
        .name
        .parse()
        .map_err(|error| Failure::Usage(format!("'{}': {error}", settings.name)))?;
    let setup = TunSetup {
        name,
        owner: settings.owner.or_else(user),
        several_queues: settings.queues > 1,
        mtu: settings.mtu,
        addresses: settings.addresses.clone(),
    };
    let has_ipv6 = setup.addresses.iter().any(|cidr| cidr.address.is_ipv6());
    if has_ipv6 && setup.mtu.is_some_and(|mtu| mtu < LEAST_IPV6_MTU) {
        return Err(Failure::Usage(format!("IPv6 needs an --mtu of at least {LEAST_IPV6_MTU}")));
    }
    if settings.action == Action::Undo {
        return undo(&setup.name);
    }
    let is_there = interface::exists(&setup.name).map_err(|error| failure(error.into()))?;
    if is_there && settings.action != Action::DryRun {
        fits(&setup)?;
    }
    if settings.action == Action::Apply {
        setup.apply_all().map_err(failure)?;
        return print(&format!(
            "{name} is ready for 'ackclock ... {}', and routed; 'ackclock setup tun {name} --undo' \
             undoes it\n",
            usage(&setup, settings.queues),
            name = setup.name,
        ));
    }
    let text = if settings.action == Action::DryRun {
        plan(&setup)?
    } else if is_there {
        description(&setup, settings.queues)?
    } else {
        setup.apply().map_err(failure)?;
        format!("{} is ready for 'ackclock ... {}'\n", setup.name, usage(&setup, settings.queues))
    };
    let routing = setup.routing();
    print(&format!("{text}\n# To the Internet, as root (or again with --apply):\n{routing}"))
}

/// Undoes what [`Action::Apply`] did.
fn undo(name: &InterfaceName) -> Result<(), Failure> {
    let environment = |error: ChangesError| Failure::Environment(error.to_string());
    let changes = Changes::of(name).map_err(environment)?;
    if changes.is_empty() {
        return print(&format!("there are no changes for {name} to undo\n"));
    }
    let failed = changes.undo().map_err(environment)?;
    let mut text = format!("the changes for {name} are undone\n");
    for error in failed {
        let _ = writeln!(text, "# Perhaps another program was faster: {error}");
    }
    print(&text)
}

/// Commands that make the interface, as text.
fn plan(setup: &TunSetup) -> Result<String, Failure> {
    let configuration = setup.configuration().map_err(|error| failure(error.into()))?;
    Ok(format!("# As root:\n{}{configuration}", setup.creation()))
}

/// Checks, by attaching to it for a moment, that the existing interface is a TUN interface with the queues
/// that are asked for. Without the privilege to attach the check passes.
fn fits(setup: &TunSetup) -> Result<(), Failure> {
    let fits = tun::require_queues(&setup.name, setup.several_queues);
    fits.map_err(|error| Failure::Environment(error.to_string()))
}

/// Description of the existing interface.
fn description(setup: &TunSetup, queues: u16) -> Result<String, Failure> {
    let TunSetup { name, .. } = setup;
    let environment = |error| failure(SetupError::Interface(error));
    let state = match interface::is_up(name).map_err(environment)? {
        true => "up",
        false => "down",
    };
    let mtu = interface::mtu(name).map_err(environment)?;
    let configuration = setup.configuration().map_err(|error| failure(error.into()))?;
    let mut text = format!("{name} is there already: {state}, MTU {mtu}; it was not changed\n");
    let _ =
        write!(text, "# To configure it for '{}', as root:\n{configuration}", usage(setup, queues));
    Ok(text)
}

/// Options with which other subcommands use the interface.
fn usage(setup: &TunSetup, queues: u16) -> String {
    let addresses = setup.addresses.iter().map(|address| format!(" --address {address}"));
    let queues = if queues > 1 { format!(" --queues {queues}") } else { String::new() };
    format!("--tun {}{}{queues}", setup.name, addresses.collect::<String>())
}

/// The user who runs this, or who called `sudo`; `None` for root.
fn user() -> Option<u32> {
    let behind_sudo = std::env::var("SUDO_UID").ok().and_then(|uid| uid.parse().ok());
    let own = || std::fs::metadata("/proc/self").ok().map(|process| process.uid());
    behind_sudo.or_else(own).filter(|uid| *uid != 0)
}

fn failure(error: SetupError) -> Failure {
    match error {
        SetupError::Address(_) => Failure::Usage(error.to_string()),
        _ => Failure::Environment(error.to_string()),
    }
}

//! Makes or describes a TUN interface, and tells how its traffic gets to the Internet.

use crate::commands::setup::Tun as TunOptions;
use crate::failure::Failure;
use ackclock_host::changes::{Changes, ChangesError};
use ackclock_host::interface::{self, InterfaceName};
use ackclock_host::setup::{SetupError, TunSetup};
use ackclock_host::tun;
use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt;

/// Smallest MTU with which an interface can have IPv6, in bytes (RFC 8200 section 5).
const LEAST_IPV6_MTU: u32 = 1280;

/// Does it, and says what has been done and what is left to do.
pub(crate) fn tun(options: &TunOptions) -> Result<(), Failure> {
    let name: InterfaceName = options
        .name
        .parse()
        .map_err(|error| Failure::Usage(format!("'{}': {error}", options.name)))?;
    let setup = TunSetup {
        name,
        owner: options.owner.or_else(user),
        several_queues: options.queues > 1,
        mtu: options.mtu,
        addresses: options.address.clone(),
    };
    let has_ipv6 = setup.addresses.iter().any(|cidr| cidr.address.is_ipv6());
    if has_ipv6 && setup.mtu.is_some_and(|mtu| mtu < LEAST_IPV6_MTU) {
        return Err(Failure::Usage(format!("IPv6 needs an --mtu of at least {LEAST_IPV6_MTU}")));
    }
    if options.undo {
        return undo(&setup.name);
    }
    let is_there = interface::exists(&setup.name).map_err(|error| failure(error.into()))?;
    if is_there && !options.dry_run {
        fits(&setup)?;
    }
    if options.apply {
        setup.apply_all().map_err(failure)?;
        return print(&format!(
            "{name} is ready for 'ackclock ... {}', and routed; 'ackclock setup tun {name} --undo' \
             undoes it\n",
            usage(&setup, options.queues),
            name = setup.name,
        ));
    }
    let text = if options.dry_run {
        plan(&setup)?
    } else if is_there {
        description(&setup, options.queues)?
    } else {
        setup.apply().map_err(failure)?;
        format!("{} is ready for 'ackclock ... {}'\n", setup.name, usage(&setup, options.queues))
    };
    let routing = setup.routing();
    print(&format!("{text}\n# To the Internet, as root (or again with --apply):\n{routing}"))
}

fn print(text: &str) -> Result<(), Failure> {
    std::io::stdout().write_all(text.as_bytes()).map_err(|error| Failure::output(&error))
}

/// Undoes what was applied.
fn undo(name: &InterfaceName) -> Result<(), Failure> {
    let environment = |error: ChangesError| Failure::Environment(error.to_string());
    let changes = Changes::of(name).map_err(environment)?;
    if changes.is_empty() {
        return print(&format!("nothing was done for {name} that could be undone\n"));
    }
    let failed = changes.undo().map_err(environment)?;
    let mut text = format!("what was done for {name} is undone\n");
    for error in failed {
        let _ = writeln!(text, "# Somebody may have been faster: {error}");
    }
    print(&text)
}

/// The commands that make the interface.
fn plan(setup: &TunSetup) -> Result<String, Failure> {
    let configuration = setup.configuration().map_err(|error| failure(error.into()))?;
    Ok(format!("# As root:\n{}{configuration}", setup.creation()))
}

/// Sees that an interface that is there is what is asked for. Attaching shows it; whoever may not
/// attach has to take the name for it.
fn fits(setup: &TunSetup) -> Result<(), Failure> {
    let fits = tun::require_queues(&setup.name, setup.several_queues);
    fits.map_err(|error| Failure::Environment(error.to_string()))
}

/// What is there already.
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

/// The options that fit the interface.
fn usage(setup: &TunSetup, queues: u16) -> String {
    let addresses = setup.addresses.iter().map(|address| format!(" --address {address}"));
    let queues = if queues > 1 { format!(" --queues {queues}") } else { String::new() };
    format!("--tun {}{}{queues}", setup.name, addresses.collect::<String>())
}

/// The user who asked for this, if that is not root: behind `sudo`, who called it.
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

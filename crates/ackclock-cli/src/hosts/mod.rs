//! Search for those hosts of a list that accept a connection, with a large enough receive window.

mod addresses;
mod candidate;
mod kernel;
mod list;
#[cfg(target_os = "linux")]
mod own_stack;
mod pace;
mod report;
mod settings;

pub(crate) use settings::{HostsSettings, Manner};

use crate::failure::Failure;

/// Tries the hosts and reports them.
///
/// # Errors
/// The hosts cannot be tried; or, after the report has been written: the user ended the run early.
pub(crate) fn run(settings: &HostsSettings) -> Result<(), Failure> {
    if settings.way.is_none() && settings.least_window.is_some() {
        return Err(Failure::Usage(
            "--window: the kernel does not report a peer's window; use --via raw or --via tun"
                .into(),
        ));
    }
    let peers = list::read(&settings.list, settings.service.port())?;
    let stop_list = settings.stop_list.as_deref().map(list::read_stop_list).transpose()?;
    let mut hosts = addresses::look_up(peers, &stop_list.unwrap_or_default());
    match &settings.way {
        None => kernel::attempt(&mut hosts, &settings.manner)?,
        #[cfg(target_os = "linux")]
        Some(way) => own_stack::attempt(&mut hosts, way, &settings.manner)?,
        #[cfg(not(target_os = "linux"))]
        Some(_) => return Err(Failure::elsewhere("hosts over this program's TCP")),
    }
    if let Some(least) = settings.least_window {
        hosts.iter_mut().for_each(|host| host.require_window(least));
    }
    report::write(settings, &hosts)
}

//! Service on the kernel's sockets, which needs no privilege.

use super::settings::ServeSettings;
use super::summary::Summary;
use crate::failure::Failure;
use crate::interrupt;
use crate::report::{ProcessorReport, processor_time};
use ackclock_host::kernel_services::KernelService;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Instant;

/// Most connections at a time; each has a thread.
const LIMIT: usize = 1_000;

/// Serves until the only connection of `--once` has ended or the user ends the service.
pub(crate) fn over_kernel(settings: &ServeSettings) -> Result<(), Failure> {
    let started = Instant::now();
    let service = listen(settings)?;
    let place =
        service.local_addr().map_err(|error| Failure::Environment(error.to_string()))?.to_string();
    interrupt::on_request(|| {})?;
    settings.announce(&place);

    let mut summary = Summary {
        listened_on: place,
        via: "kernel",
        accepted_connections: 0,
        completed_connections: 0,
        failed_connections: 0,
        received_bytes: 0,
        sent_bytes: 0,
        duration_seconds: 0.0,
        processor: None,
        offloading: None,
        refused: None,
        intervals: None,
        hosts: None,
        last: None,
        error: None,
    };
    let stop = interrupt::flag();
    let served = service.serve(stop, &mut |served| {
        summary.accepted_connections += 1;
        summary.received_bytes += served.received;
        summary.sent_bytes += served.sent;
        match &served.outcome {
            Ok(()) => summary.completed_connections += 1,
            Err(error) => {
                summary.failed_connections += 1;
                summary.error = Some(format!("{}: {error}", served.client));
            }
        }
        if settings.once {
            stop.store(true, std::sync::atomic::Ordering::Release);
        }
    });
    served.map_err(|error| Failure::Environment(format!("cannot accept connections: {error}")))?;
    summary.duration_seconds = started.elapsed().as_secs_f64();
    // The process has done nothing else, so all of its time counts.
    let bytes = summary.received_bytes + summary.sent_bytes;
    summary.processor = processor_time().map(|spent| ProcessorReport::new(spent, bytes));
    summary.report(settings)
}

/// Listens on all addresses: those of both families if the system has IPv6, otherwise those of IPv4.
fn listen(settings: &ServeSettings) -> Result<KernelService, Failure> {
    let service = settings.service;
    let limit = if settings.once { 1 } else { LIMIT };
    let port = settings.port;
    let at = |local: SocketAddr| KernelService::listen(service, local, limit);
    at((Ipv6Addr::UNSPECIFIED, port).into())
        .or_else(|error| match error.kind() {
            ErrorKind::AddrInUse | ErrorKind::PermissionDenied => Err(error),
            _ => at((Ipv4Addr::UNSPECIFIED, port).into()),
        })
        .map_err(|error| {
            Failure::Environment(match error.kind() {
                ErrorKind::AddrInUse => format!(
                    "port {port} is in use: 'ss -ltnp sport = :{port}' shows by whom; stop that \
                     program or choose another --port"
                ),
                ErrorKind::PermissionDenied => format!(
                    "port {port} needs a privilege: choose a --port above 1023, or run 'sudo \
                     sysctl net.ipv4.ip_unprivileged_port_start={port}'"
                ),
                _ => format!("cannot listen on port {port}: {error}; choose another --port"),
            })
        })
}

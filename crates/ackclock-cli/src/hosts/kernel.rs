//! Attempts with the kernel's sockets.

use super::addresses::choose_addresses;
use super::candidate::{Accepted, Candidate, Outcome, REFUSED, SILENT};
use super::pace::{Pace, in_parallel};
use super::settings::Manner;
use crate::failure::Failure;
use crate::interrupt;
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// Tries each host that has an address.
pub(super) fn attempt(hosts: &mut [Candidate], manner: &Manner) -> Result<(), Failure> {
    interrupt::on_request(|| {})?;
    choose_addresses(hosts, |_, addresses| {
        addresses.first().copied().ok_or_else(|| "has no address".into())
    });
    let addresses: Vec<_> = hosts.iter().map(|host| host.address).collect();
    let pace = Pace::new(manner.interval.into());
    let timeout = manner.timeout.into();
    let outcomes = in_parallel(&addresses, manner.parallel, |address| {
        address.filter(|_| pace.wait()).map(|address| connect(address, timeout))
    });
    for (host, outcome) in hosts.iter_mut().zip(outcomes) {
        host.outcome = host.outcome.take().or(outcome.flatten());
    }
    Ok(())
}

fn connect(address: SocketAddr, timeout: Duration) -> Outcome {
    let began = Instant::now();
    match TcpStream::connect_timeout(&address, timeout) {
        Ok(_) => Ok(Accepted { connect: began.elapsed().into(), told: None }),
        Err(error) => Err(match error.kind() {
            ErrorKind::ConnectionRefused => REFUSED.into(),
            ErrorKind::TimedOut => SILENT.into(),
            _ => error.to_string(),
        }),
    }
}

//! Host that may have the service, and the result of trying it.

use crate::values::Peer;
use ackclock::time::Duration;
use std::net::SocketAddr;

pub(super) const STOPPED: &str = "is on the stop list";
pub(super) const REFUSED: &str = "refuses the connection";
pub(super) const SILENT: &str = "does not answer";

/// Host of the list, with the results so far.
pub(super) struct Candidate {
    /// Name or address as it stands in the list, and the port.
    pub(super) peer: Peer,
    /// Addresses of the host, none of which is on the stop list.
    pub(super) addresses: Vec<SocketAddr>,
    /// Address that is tried; `None` before it is chosen, and if there is none.
    pub(super) address: Option<SocketAddr>,
    /// Result of the attempt; `None` if there was none before the user ended the run.
    pub(super) outcome: Option<Outcome>,
}

/// Result of trying a host: its SYN-ACK's values, or the reason why it does not qualify.
pub(super) type Outcome = Result<Accepted, String>;

/// Properties of a host that has accepted a connection.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Accepted {
    /// Time from the SYN to the end of the handshake.
    pub(super) connect: Duration,
    /// Values of the peer's SYN-ACK; `None` if the kernel's TCP was used, which does not report them.
    pub(super) told: Option<Told>,
}

/// Values of the SYN-ACK of a peer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Told {
    /// Receive window of the peer, in bytes.
    pub(super) window: u32,
    /// MSS of the peer, in bytes.
    pub(super) mss: u32,
}

impl Candidate {
    /// Turns a host down whose receive window is less than `least` bytes.
    pub(super) fn require_window(&mut self, least: u64) {
        if let Some(Ok(Accepted { told: Some(told), .. })) = self.outcome
            && u64::from(told.window) < least
        {
            self.outcome = Some(Err(format!("advertises a window of {} bytes only", told.window)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_that_is_too_small_is_told() {
        let mut host = Candidate {
            peer: Peer::new("a", 9),
            addresses: Vec::new(),
            address: None,
            outcome: None,
        };
        let told = Some(Told { window: 4096, mss: 1460 });
        let accepted = Accepted { connect: Duration::ZERO, told };
        host.outcome = Some(Ok(accepted));
        host.require_window(4096);
        assert_eq!(host.outcome, Some(Ok(accepted)));
        host.require_window(4097);
        assert_eq!(host.outcome, Some(Err("advertises a window of 4096 bytes only".into())));
    }
}

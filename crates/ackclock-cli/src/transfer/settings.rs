//! Settings of a transfer.

use crate::recording::RecordingSettings;
use crate::values::{Peer, SignatureKey};
use crate::way::WaySettings;
use ackclock::apps::{Amount, Service};
use ackclock::congestion::{BuiltIn, Growth};
use ackclock::tcp::{Config, CongestionControl, FastOpenMode};
use ackclock::time::Duration;
use ackclock_emulator::Path;

/// Settings of a transfer.
#[derive(Clone, Debug)]
pub(crate) struct TransferSettings {
    /// Service that the data are sent to.
    pub(crate) service: Service,
    /// Place of the service.
    pub(crate) far_end: FarEnd,
    /// Amount of data that all connections together send.
    pub(crate) amount: Amount,
    pub(crate) connection: ConnectionSettings,
    /// Keys that sign the segments of both ends, if this program is at both.
    pub(crate) keys: Vec<SignatureKey>,
    /// Seed of everything random; `None`: a random seed.
    pub(crate) seed: Option<u64>,
    /// Files that the run is recorded in. Only an emulated path has a trace.
    pub(crate) recording: RecordingSettings,
    /// Length of the intervals that are reported one by one; `None`: only the whole is reported.
    pub(crate) interval: Option<Duration>,
    /// Whether the report is a JSON object.
    pub(crate) json: bool,
}

/// Place of the service that a transfer goes to.
#[derive(Clone, Debug)]
pub(crate) enum FarEnd {
    /// A second stack of this program, behind an emulated path: there and back.
    Emulated(Box<[Path; 2]>),
    /// A host that is reached by a way out of this machine.
    Host { peer: Peer, way: WaySettings },
}

/// Settings of the connections of a transfer.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionSettings {
    pub(crate) config: Config,
    /// Congestion controller that each connection gets a clone of.
    pub(crate) controller: BuiltIn,
    /// Congestion control as the user named it, for the report.
    pub(crate) congestion_control: CongestionControl,
    /// Growth of the window as the user named it, for the report; `None`: that of the algorithm.
    pub(crate) growth: Option<Growth>,
}

impl TransferSettings {
    /// How many connections each source opens: one that gets a Fast Open cookie comes before.
    pub(super) fn connections_of_each(&self) -> u64 {
        if self.connection.config.fast_open == FastOpenMode::On { 2 } else { 1 }
    }

    /// The peer and the way to it, unless the path is emulated.
    pub(crate) fn host(&self) -> Option<(&Peer, &WaySettings)> {
        match &self.far_end {
            FarEnd::Emulated(_) => None,
            FarEnd::Host { peer, way } => Some((peer, way)),
        }
    }

    /// The emulated path there and back, unless the peer is a host.
    pub(crate) fn paths(&self) -> Option<&[Path; 2]> {
        match &self.far_end {
            FarEnd::Emulated(paths) => Some(paths),
            FarEnd::Host { .. } => None,
        }
    }

    /// Amount that the connection with this index sends if `count` connections share the transfer:
    /// bytes are divided, a time is the same for all.
    pub(crate) fn share(&self, index: usize, count: usize) -> Amount {
        share(self.amount, index, count)
    }
}

fn share(amount: Amount, index: usize, count: usize) -> Amount {
    let (index, count) = (index as u64, count.max(1) as u64);
    match amount {
        Amount::Bytes(bytes) => Amount::Bytes(bytes / count + u64::from(index < bytes % count)),
        time @ Amount::Time(_) => time,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_share_bytes_to_the_last_one_and_have_the_same_time() {
        let shares = [0, 1, 2].map(|index| share(Amount::Bytes(11), index, 3));
        assert_eq!(shares, [4, 4, 3].map(Amount::Bytes));
        let second = Amount::Time(Duration::from_secs(1));
        assert_eq!([0, 1].map(|index| share(second, index, 2)), [second; 2]);
    }
}

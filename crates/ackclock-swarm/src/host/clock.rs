//! The clock of a host, and when host and device work.

use crate::case::Fault;
use ackclock::time::{Duration, Instant};

/// The clock of a host, which may jump ahead, and the times at which the host is stopped or its device
/// gone. *Network* times are the emulator's.
#[derive(Debug)]
pub(super) struct Clock {
    base: Duration,
    faults: Vec<Fault>,
}

impl Clock {
    /// A clock that shows `base` in the beginning.
    pub(super) fn new(base: Duration, faults: &[Fault]) -> Self {
        Clock { base, faults: faults.to_vec() }
    }

    /// How far the clock is ahead of the network's time.
    fn ahead(&self, network: Instant) -> Duration {
        self.faults.iter().fold(self.base, |ahead, fault| match *fault {
            Fault::Jump(at, by) if Instant::ZERO + at <= network => ahead + by,
            _ => ahead,
        })
    }

    /// What the clock shows.
    pub(super) fn local(&self, network: Instant) -> Instant {
        network + self.ahead(network)
    }

    /// When the clock shows `local`, if it does not jump before; not before `now`.
    pub(super) fn network(&self, local: Instant, now: Instant) -> Instant {
        if local.is_never() {
            return Instant::FAR_FUTURE;
        }
        let nanos = local.as_nanos().saturating_sub(self.ahead(now).as_nanos());
        Instant::from_nanos(nanos).max(now)
    }

    /// The first moment from `at` on at which the host is not stopped.
    pub(super) fn awake_at(&self, at: Instant) -> Instant {
        let mut awake = at;
        for fault in &self.faults {
            if let Fault::Stopped([from, to]) = *fault
                && Instant::ZERO + from <= awake
                && awake < Instant::ZERO + to
            {
                awake = Instant::ZERO + to;
            }
        }
        awake
    }

    /// Whether the device is there.
    pub(super) fn has_device(&self, at: Instant) -> bool {
        !self.faults.iter().any(|fault| match *fault {
            Fault::NoDevice([from, to]) => Instant::ZERO + from <= at && at < Instant::ZERO + to,
            _ => false,
        })
    }

    /// When the device comes back or the clock jumps next; `FAR_FUTURE`: never.
    pub(super) fn next_change(&self, now: Instant) -> Instant {
        let ends = self.faults.iter().map(|fault| Instant::ZERO + fault.ends());
        ends.filter(|at| *at > now).fold(Instant::FAR_FUTURE, Instant::min)
    }
}

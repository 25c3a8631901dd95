//! A link that keeps working while its interface is down, for programs that must continue: packets
//! sent meanwhile are lost, as with an unplugged cable, and the connections' own timers decide how
//! long they wait.

use super::packet::{PacketError, PacketSocket};
use super::tun::{Tun, TunError};
use ackclock::link::{Link, TransmitError};
use ackclock::stack::{Capabilities, Received, Transmit};
use ackclock::time::Instant;
use std::fmt;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A change of the state of an interface, as the packets that are sent show it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// The interface was found to be down.
    Down,
    /// A packet passed the interface again.
    Up,
}

/// A link whose interface can be down for a while and still be there.
pub trait Interruptible: Link {
    /// Whether this error says that the interface is down.
    fn is_down(error: &Self::Error) -> bool;
}

impl Interruptible for Tun {
    fn is_down(error: &TunError) -> bool {
        matches!(error, TunError::Down(_))
    }
}

impl Interruptible for PacketSocket {
    fn is_down(error: &PacketError) -> bool {
        matches!(error, PacketError::Down(_))
    }
}

/// A link around another one that waits while the interface is down, and reports it.
pub struct Patient<L> {
    link: L,
    outage: Arc<Outage>,
}

/// The state of an interface, which the links of all its queues share.
struct Outage {
    /// How often the interface went down or came up again: odd while it is down.
    changes: AtomicU32,
    tell: Box<dyn Fn(Change) + Send + Sync>,
}

impl Outage {
    /// Number of changes of the state before a link's attempt.
    fn before(&self) -> u32 {
        self.changes.load(Ordering::Relaxed)
    }

    /// Notes a state that a link has found, and reports it if it differs from the state before the link's
    /// attempt. An attempt that began before the last change says nothing about the state since.
    fn note(&self, before: u32, change: Change) {
        let was_down = before % 2 == 1;
        let is_down = change == Change::Down;
        let next = before.wrapping_add(1);
        // Nearly always nothing has changed.
        if was_down != is_down
            && self
                .changes
                .compare_exchange(before, next, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
        {
            (self.tell)(change);
        }
    }
}

impl<L: Interruptible> Patient<L> {
    /// Links around those of one interface, one for each queue. `tell` is called once for each change.
    pub fn queues(links: Vec<L>, tell: impl Fn(Change) + Send + Sync + 'static) -> Vec<Self> {
        let outage = Arc::new(Outage { changes: AtomicU32::new(0), tell: Box::new(tell) });
        let patient = |link| Patient { link, outage: Arc::clone(&outage) };
        links.into_iter().map(patient).collect()
    }
}

impl<L: fmt::Debug> fmt::Debug for Patient<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Patient").field(&self.link).finish()
    }
}

impl<L: AsFd> AsFd for Patient<L> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.link.as_fd()
    }
}

impl<L: Interruptible> Link for Patient<L> {
    type Error = L::Error;

    fn capabilities(&self) -> Capabilities {
        self.link.capabilities()
    }

    fn transmit(
        &mut self,
        now: Instant,
        transmit: &Transmit<'_>,
    ) -> Result<(), TransmitError<L::Error>> {
        let before = self.outage.before();
        match self.link.transmit(now, transmit) {
            Ok(()) => self.outage.note(before, Change::Up),
            Err(TransmitError::Device(error)) if L::is_down(&error) => {
                self.outage.note(before, Change::Down);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn receive(
        &mut self,
        now: Instant,
        budget: usize,
        deliver: &mut dyn FnMut(Received<'_>),
    ) -> Result<usize, L::Error> {
        let before = self.outage.before();
        match self.link.receive(now, budget, deliver) {
            Ok(received) => {
                if received > 0 {
                    self.outage.note(before, Change::Up);
                }
                Ok(received)
            }
            Err(error) if L::is_down(&error) => {
                self.outage.note(before, Change::Down);
                Ok(0)
            }
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::wire::{Ecn, WriteChecksum};
    use std::sync::Mutex;

    /// A link of an interface that is down, up or gone, and what another queue tries to send in the middle
    /// of this one's next attempt.
    #[derive(Debug)]
    struct Fickle(Option<bool>, Option<Box<Patient<Fickle>>>);

    impl Fickle {
        fn state(&self) -> Result<(), bool> {
            match self.0 {
                Some(true) => Ok(()),
                Some(false) => Err(true),
                None => Err(false),
            }
        }
    }

    impl Link for Fickle {
        /// Whether the interface is down; otherwise it is gone.
        type Error = bool;

        fn capabilities(&self) -> Capabilities {
            Capabilities::with_mtu(1500)
        }

        fn transmit(
            &mut self,
            now: Instant,
            packet: &Transmit<'_>,
        ) -> Result<(), TransmitError<bool>> {
            if let Some(mut other) = self.1.take() {
                let _ = other.transmit(now, packet);
            }
            self.state().map_err(TransmitError::Device)
        }

        fn receive(
            &mut self,
            _: Instant,
            budget: usize,
            _: &mut dyn FnMut(Received<'_>),
        ) -> Result<usize, bool> {
            self.state().map(|()| budget)
        }
    }

    impl Interruptible for Fickle {
        fn is_down(error: &bool) -> bool {
            *error
        }
    }

    const PACKET: Transmit<'static> = Transmit {
        header: b"packet",
        payload: [&[], &[]],
        transport_offset: 0,
        segment_size: 0,
        checksum: WriteChecksum::Complete,
        ecn: Ecn::NotEct,
    };

    /// Two queues of an interface that is up, and their reports.
    fn queues() -> ([Patient<Fickle>; 2], Arc<Mutex<Vec<Change>>>) {
        let said = Arc::new(Mutex::new(Vec::new()));
        let listener = Arc::clone(&said);
        let tell = move |change| listener.lock().unwrap().push(change);
        let links = vec![Fickle(Some(true), None), Fickle(Some(true), None)];
        (Patient::queues(links, tell).try_into().unwrap(), said)
    }

    #[test]
    fn a_packet_that_went_before_the_interface_did_says_nothing_of_its_return() {
        let ([mut first, mut second], said) = queues();
        second.link.0 = Some(false);
        first.link.1 = Some(Box::new(second));
        // While the first queue's packet passes, the second finds that the interface has gone down.
        assert!(first.transmit(Instant::ZERO, &PACKET).is_ok());
        assert_eq!(*said.lock().unwrap(), [Change::Down]);
        assert!(first.transmit(Instant::ZERO, &PACKET).is_ok());
        assert_eq!(*said.lock().unwrap(), [Change::Down, Change::Up]);
    }

    #[test]
    fn an_interface_that_is_down_loses_packets_and_one_that_is_gone_fails() {
        let ([mut first, mut second], said) = queues();
        let sent = |link: &mut Patient<Fickle>, state| {
            link.link.0 = state;
            link.transmit(Instant::ZERO, &PACKET).is_ok()
        };
        assert!(sent(&mut first, Some(true)));
        assert_eq!(*said.lock().unwrap(), []);
        assert!(sent(&mut first, Some(false)) && sent(&mut second, Some(false)));
        assert_eq!(*said.lock().unwrap(), [Change::Down]);
        assert_eq!(first.receive(Instant::ZERO, 5, &mut |_| {}), Ok(0));
        assert!(sent(&mut second, Some(true)) && sent(&mut first, Some(true)));
        assert_eq!(*said.lock().unwrap(), [Change::Down, Change::Up]);
        assert_eq!(first.receive(Instant::ZERO, 5, &mut |_| {}), Ok(5));
        assert!(!sent(&mut first, None));
        assert_eq!(first.receive(Instant::ZERO, 5, &mut |_| {}), Err(false));
        assert_eq!(*said.lock().unwrap(), [Change::Down, Change::Up]);
    }
}

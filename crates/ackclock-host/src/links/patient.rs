//! A link that outlasts its interface being down, for programs that are to go on: what is sent
//! meanwhile is lost, as in a network whose cable is out, and the connections' own timers decide
//! how long they wait.

use super::packet::{PacketError, PacketSocket};
use super::tun::{Tun, TunError};
use ackclock::link::{Link, TransmitError};
use ackclock::stack::{Capabilities, Received, Transmit};
use ackclock::time::Instant;
use std::fmt;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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

/// A link around another one that waits while the interface is down, and tells of it.
pub struct Patient<L> {
    link: L,
    outage: Arc<Outage>,
}

/// The state of an interface, which the links of all its queues share.
struct Outage {
    is_down: AtomicBool,
    tell: Box<dyn Fn(Change) + Send + Sync>,
}

impl Outage {
    /// Notes a state, and tells of it if it is another one than before.
    fn note(&self, change: Change) {
        let is_down = change == Change::Down;
        // Nearly always nothing has changed, and looking costs less than swapping.
        if self.is_down.load(Ordering::Relaxed) != is_down
            && self.is_down.swap(is_down, Ordering::Relaxed) != is_down
        {
            (self.tell)(change);
        }
    }
}

impl<L: Interruptible> Patient<L> {
    /// Links around those of one interface, one for each queue. `tell` is called once for each change.
    pub fn queues(links: Vec<L>, tell: impl Fn(Change) + Send + Sync + 'static) -> Vec<Self> {
        let outage = Arc::new(Outage { is_down: AtomicBool::new(false), tell: Box::new(tell) });
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
        match self.link.transmit(now, transmit) {
            Ok(()) => self.outage.note(Change::Up),
            Err(TransmitError::Device(error)) if L::is_down(&error) => {
                self.outage.note(Change::Down);
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
        match self.link.receive(now, budget, deliver) {
            Ok(received) => {
                if received > 0 {
                    self.outage.note(Change::Up);
                }
                Ok(received)
            }
            Err(error) if L::is_down(&error) => {
                self.outage.note(Change::Down);
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

    /// A link of an interface that is down, up or gone.
    #[derive(Debug)]
    struct Fickle(Option<bool>);

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

        fn transmit(&mut self, _: Instant, _: &Transmit<'_>) -> Result<(), TransmitError<bool>> {
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

    #[test]
    fn an_interface_that_is_down_loses_packets_and_one_that_is_gone_fails() {
        let said = Arc::new(Mutex::new(Vec::new()));
        let listener = Arc::clone(&said);
        let tell = move |change| listener.lock().unwrap().push(change);
        let links = vec![Fickle(Some(true)), Fickle(Some(true))];
        let [mut first, mut second] = <[_; 2]>::try_from(Patient::queues(links, tell)).unwrap();
        let packet = Transmit {
            header: b"packet",
            payload: [&[], &[]],
            transport_offset: 0,
            segment_size: 0,
            checksum: WriteChecksum::Complete,
            ecn: Ecn::NotEct,
        };
        let sent = |link: &mut Patient<Fickle>, state| {
            link.link.0 = state;
            link.transmit(Instant::ZERO, &packet).is_ok()
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

//! A stack and the kernel at the two ends of a TUN device.

use crate::applications::Watchdog;
use crate::judged::Judged;
use ackclock::apps::Application;
use ackclock::congestion::BuiltIn;
use ackclock::link::Link;
use ackclock::stack::{Cidr, Stack, StackConfig, Storage};
use ackclock_host::impaired::{Impaired, Impairment};
use ackclock_host::run_loop::{Ended, RunError, RunLoop, Waker};
use ackclock_host::setup::TunSetup;
use ackclock_host::tun::{self, Offload, Tun, TunError};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;
use std::panic::resume_unwind;
use std::thread;

/// An application over the stack of a [`World`].
pub(crate) type App<'b> = dyn Application<'static, BuiltIn> + 'b;

/// IP version 4 or 6.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    V4,
    V6,
}

impl Family {
    pub(crate) const BOTH: [Family; 2] = [Family::V4, Family::V6];

    /// The stack's address.
    pub(crate) fn ours(self) -> Cidr {
        let (address, prefix) = match self {
            Family::V4 => ("10.7.0.2", 24),
            Family::V6 => ("fd07::2", 64),
        };
        Cidr { address: address.parse().expect("an address"), prefix }
    }

    /// A port of the stack.
    pub(crate) fn our_port(self, port: u16) -> SocketAddr {
        (self.ours().address, port).into()
    }

    /// The kernel's address.
    pub(crate) fn kernel(self) -> IpAddr {
        let kernel = ackclock_host::setup::kernel_end(self.ours());
        kernel.expect("room for two addresses").address
    }
}

/// A TUN interface with both families' addresses, to be made in the test's namespace.
pub(crate) fn setup(name: &str) -> TunSetup {
    let name = name.parse().expect("a usable name");
    TunSetup::new(name, Family::BOTH.map(Family::ours).to_vec())
}

/// A guard that stops the run if its thread panics.
struct StopOnPanic(Waker);

impl Drop for StopOnPanic {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop();
        }
    }
}

/// A stack at one end of a TUN device, or of another link, and the kernel at the other end.
pub(crate) struct World<L = Judged<Tun>> {
    pub(crate) run_loop: RunLoop<Impaired<L>>,
    pub(crate) stack: Stack<'static, BuiltIn>,
}

impl World {
    /// A world over a device without impairments.
    pub(crate) fn new() -> Self {
        World::impaired(Impairment::default(), Impairment::default())
    }

    /// A world over a device that impairs what the stack transmits and what it receives.
    pub(crate) fn impaired(transmitted: Impairment, received: Impairment) -> Self {
        World::with(Offload::Off, transmitted, received)
    }

    /// A world over a device with or without offload that impairs what the stack transmits and what
    /// it receives.
    pub(crate) fn with(offload: Offload, transmitted: Impairment, received: Impairment) -> Self {
        let setup = setup("tun0");
        let tun = Tun::open_with(&setup.name, offload).expect("a TUN device");
        setup.apply().expect("a configured interface");
        tun::require_up(tun.name()).expect("an interface that is up");
        let link = Impaired::new(Judged::new(tun), transmitted, received, 1);
        let stack = stack(&link);
        World { run_loop: RunLoop::new(link).expect("a run loop"), stack }
    }
}

/// A stack with an address of each family.
pub(crate) fn stack(link: &impl Link) -> Stack<'static, BuiltIn> {
    let config = StackConfig::new(link.capabilities(), [1, 2]);
    let mut stack = Stack::new(config, BuiltIn::default(), Storage::growing()).expect("stack");
    for family in Family::BOTH {
        stack.add_address(family.ours()).expect("a usable address");
    }
    stack
}

impl<L: Link<Error = TunError> + AsFd> World<L> {
    /// Starts the application and drives it until it is done.
    pub(crate) fn run(&mut self, application: &mut App<'_>) {
        let mut watchdog = Watchdog::new(self.run_loop.now());
        let all: &mut [&mut App<'_>] = &mut [application, &mut watchdog];
        let ended = self.run_loop.run(&mut self.stack, all).expect("a working device");
        assert_eq!(ended, Ended::Done);
    }

    /// Starts the application and drives it until it is done, while the kernel's side runs in a
    /// thread of the namespace. If one side fails, the test does not wait for the other.
    pub(crate) fn run_against(
        &mut self,
        application: &mut App<'_>,
        kernel_side: impl FnOnce() + Send + 'static,
    ) {
        let ended = self.drive_against(application, kernel_side);
        assert_eq!(ended.expect("a working device"), Ended::Done);
    }

    /// Drives the application as [`run_against`](Self::run_against) does, however the run ends.
    pub(crate) fn drive_against(
        &mut self,
        application: &mut App<'_>,
        other_side: impl FnOnce() + Send + 'static,
    ) -> Result<Ended, RunError<TunError>> {
        let stop = StopOnPanic(self.run_loop.waker());
        // There is no thread scope: it would wait for a thread that waits for a stack that is no
        // longer driven.
        let other_side = thread::spawn(move || {
            let _stop = stop;
            other_side();
        });
        let mut watchdog = Watchdog::new(self.run_loop.now());
        let all: &mut [&mut App<'_>] = &mut [application, &mut watchdog];
        let ended = self.run_loop.run(&mut self.stack, all)?;
        other_side.join().unwrap_or_else(|panic| resume_unwind(panic));
        Ok(ended)
    }

    /// Drives an application that was started before until it is done.
    pub(crate) fn resume(&mut self, application: &mut App<'_>) {
        let mut watchdog = Watchdog::new(self.run_loop.now());
        let all: &mut [&mut App<'_>] = &mut [application, &mut watchdog];
        let ended = self.run_loop.resume(&mut self.stack, all).expect("a working device");
        assert_eq!(ended, Ended::Done);
    }
}

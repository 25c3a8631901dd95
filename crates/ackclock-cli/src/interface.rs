//! A stack of our own on a TUN interface, and what drives it.

use crate::capture::Captured;
use crate::failure::Failure;
use crate::options::{InterfaceOptions, Offload};
use ackclock::apps::{Application, StartError};
use ackclock::congestion::BuiltIn;
use ackclock::link::Link;
use ackclock::stack::{ListenError, Stack, StackConfig, Storage};
use ackclock::time::Instant;
use ackclock_host::interface::{self, InterfaceName};
use ackclock_host::run_loop::{RunError, RunLoop};
use ackclock_host::setup::{Plan, SetupError, TunSetup};
use ackclock_host::tun::{self, Tun, TunError};
use std::path::Path;

/// A stack on an open TUN interface.
pub(crate) struct Driver {
    name: InterfaceName,
    run_loop: RunLoop<Captured<Tun>>,
    stack: Stack<'static, BuiltIn>,
    offloading: bool,
}

impl Driver {
    /// Opens the interface. One that does not exist is made and configured for as long as the
    /// program runs.
    pub(crate) fn open(
        options: &InterfaceOptions,
        controller: BuiltIn,
        seed: Option<u64>,
        pcap: Option<&Path>,
    ) -> Result<Self, Failure> {
        let tun = open_tun(options)?;
        let (name, offloading) = (tun.name().clone(), tun.is_offloading());
        let link = Captured::new(tun, name.as_str(), pcap)?;
        let secret = match seed {
            Some(seed) => [seed, !seed],
            None => ackclock_host::secret::secret().map_err(|error| {
                Failure::Environment(format!("no random bits: {error}; give a --seed"))
            })?,
        };
        let config = StackConfig::new(link.capabilities(), secret);
        let mut stack = Stack::new(config, controller, Storage::growing())
            .map_err(|error| Failure::Usage(error.to_string()))?;
        for &address in &options.address {
            stack.add_address(address).map_err(|error| {
                Failure::Usage(format!("--address {}: {error}", address.address))
            })?;
        }
        let run_loop = RunLoop::new(link).map_err(|error| {
            Failure::Environment(format!("{error}: raise the limit with 'ulimit -n 1024'"))
        })?;
        Ok(Driver { name, run_loop, stack, offloading })
    }

    /// Runs until the application is done or the user ends it.
    pub(crate) fn run(
        &mut self,
        application: &mut dyn Application<'static, BuiltIn>,
    ) -> Result<(), Failure> {
        let ended = self.run_loop.run(&mut self.stack, &mut [application]);
        match ended {
            Ok(_) => Ok(()),
            Err(RunError::Start(error)) => Err(start_failure(&error)),
            Err(RunError::Gone) => {
                Err(Failure::Environment(TunError::Gone(self.name.clone()).to_string()))
            }
            Err(error) => Err(Failure::Environment(error.to_string())),
        }
    }

    /// What ends a run from another thread.
    pub(crate) fn stopper(&self) -> impl Fn() + Send + 'static {
        let waker = self.run_loop.waker();
        move || waker.stop()
    }

    /// The time on the clock of the run.
    pub(crate) fn now(&self) -> Instant {
        self.run_loop.now()
    }

    /// Whether the kernel segments in our place.
    pub(crate) fn is_offloading(&self) -> bool {
        self.offloading
    }

    /// The stack, to look at.
    pub(crate) fn stack(&self) -> &Stack<'static, BuiltIn> {
        &self.stack
    }

    /// Ends the connections that are left by `abort`, and tells their peers.
    pub(crate) fn leave(&mut self, abort: impl FnOnce(Instant, &mut Stack<'static, BuiltIn>)) {
        abort(self.now(), &mut self.stack);
        // Without the device there is no way to tell anybody.
        let _ = self.run_loop.resume(&mut self.stack, &mut []);
    }

    /// Ends the capture, if there is one.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.run_loop.link_mut().finish()
    }
}

/// Opens the interface that the options name.
fn open_tun(options: &InterfaceOptions) -> Result<Tun, Failure> {
    let name = options.tun.as_deref().unwrap_or_default();
    let name: InterfaceName =
        name.parse().map_err(|error| Failure::Usage(format!("--tun: {error}")))?;
    open_or_make(&name, options.offload, || {
        let addresses = options.address.clone();
        let setup = TunSetup { name: name.clone(), owner: None, mtu: None, addresses };
        setup.configuration().map_err(|error| Failure::Usage(error.to_string()))
    })
}

/// Opens the interface, makes it and configures it if there is none, and sees that it is up.
pub(crate) fn open_or_make(
    name: &InterfaceName,
    offload: Offload,
    configuration: impl FnOnce() -> Result<Plan, Failure>,
) -> Result<Tun, Failure> {
    let environment = |error: TunError| Failure::Environment(error.to_string());
    let is_new = !exists(name)?;
    let offload = match offload {
        Offload::Auto => tun::Offload::Auto,
        Offload::On => tun::Offload::On,
        Offload::Off => tun::Offload::Off,
    };
    let tun = Tun::open_with(name, offload).map_err(environment)?;
    if is_new {
        configuration()?.run().map_err(|error| Failure::Environment(error.to_string()))?;
    }
    tun.require_up().map_err(environment)?;
    Ok(tun)
}

/// Whether there is an interface of that name.
pub(crate) fn exists(name: &InterfaceName) -> Result<bool, Failure> {
    interface::exists(name)
        .map_err(|error| Failure::Environment(SetupError::from(error).to_string()))
}

fn start_failure(error: &StartError) -> Failure {
    match error {
        StartError::Listen(ListenError::AddressInUse) => Failure::Environment(error.to_string()),
        _ => Failure::Usage(error.to_string()),
    }
}

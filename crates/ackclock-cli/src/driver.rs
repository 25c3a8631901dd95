//! A stack of our own on a way out of the machine, and what drives it.

use crate::capture::Captured;
use crate::failure::Failure;
use crate::way::{Opened, Way};
use ackclock::apps::{Application, StartError};
use ackclock::congestion::BuiltIn;
use ackclock::link::Link;
use ackclock::stack::{ListenError, Stack, StackConfig, Storage};
use ackclock::time::Instant;
use ackclock_host::any_link::AnyLink;
use ackclock_host::run_loop::{RunError, RunLoop};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

/// A stack on a way out that is open.
pub(crate) struct Driver {
    run_loop: RunLoop<Captured<AnyLink>>,
    stack: Stack<'static, BuiltIn>,
    offloading: bool,
    /// What to say if the device goes away.
    gone: String,
    /// Says at the end what was remarkable.
    note: Box<dyn Fn() -> Option<String>>,
}

impl Driver {
    /// Opens the way out, and captures what passes it in a file if one is named.
    pub(crate) fn open(
        way: &dyn Way,
        controller: BuiltIn,
        seed: Option<u64>,
        pcap: Option<&Path>,
    ) -> Result<Self, Failure> {
        let Opened { link, ethernet, interface, offloading, ports, gone, note } = way.open()?;
        let link = Captured::new(link, ethernet.is_some(), &interface, pcap)?;
        let secret = match seed {
            Some(seed) => [seed, !seed],
            None => ackclock_host::secret::secret().map_err(|error| {
                Failure::Environment(format!("no random bits: {error}; give a --seed"))
            })?,
        };
        let mut config = StackConfig::new(link.capabilities(), secret);
        if let Some(ports) = ports {
            (config.first_ephemeral_port, config.last_ephemeral_port) =
                (ports.first(), ports.last());
        }
        let mut stack = Stack::new(config, controller, Storage::growing())
            .map_err(|error| Failure::Usage(error.to_string()))?;
        for &address in way.addresses() {
            stack.add_address(address).map_err(|error| {
                Failure::Usage(format!("--address {}: {error}", address.address))
            })?;
        }
        let run_loop = match ethernet {
            None => RunLoop::new(link),
            Some(ethernet) => RunLoop::with_ethernet(link, ethernet),
        };
        let run_loop = run_loop.map_err(|error| {
            Failure::Environment(format!("{error}: raise the limit with 'ulimit -n 1024'"))
        })?;
        Ok(Driver { run_loop, stack, offloading, gone, note })
    }

    /// Runs until the application is done or the user ends it. May be called again, with another
    /// application.
    pub(crate) fn run(
        &mut self,
        application: &mut dyn Application<'static, BuiltIn>,
    ) -> Result<(), Failure> {
        let ended = self.run_loop.run(&mut self.stack, &mut [application]);
        match ended {
            Ok(_) => Ok(()),
            Err(RunError::Start(error)) => Err(start_failure(&error)),
            Err(RunError::Gone) => Err(Failure::Environment(self.gone.clone())),
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

    /// Ends the capture, if there is one, and says on standard error what was remarkable.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        if let Some(note) = (self.note)() {
            say_once(note);
        }
        let ethernet = self.run_loop.ethernet_mut();
        if ethernet.is_some_and(|ethernet| ethernet.statistics().conflicts > 0) {
            say_once("another host has one of our addresses too: choose another --address".into());
        }
        self.run_loop.link_mut().finish()
    }
}

/// Says something on standard error, however often it is to be said.
fn say_once(note: String) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if SAID.lock().is_ok_and(|mut said| said.insert(note.clone())) {
        // What was done does not depend on anybody's reading this.
        let _ = writeln!(std::io::stderr(), "note: {note}");
    }
}

fn start_failure(error: &StartError) -> Failure {
    match error {
        StartError::Listen(ListenError::AddressInUse) => Failure::Environment(error.to_string()),
        _ => Failure::Usage(error.to_string()),
    }
}

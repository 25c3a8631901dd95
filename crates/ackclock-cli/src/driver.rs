//! Driver of one stack of this program on a way out of the machine, or of one stack on each of its queues.

use crate::capture::Captured;
use crate::failure::Failure;
use crate::values::SignatureKey;
use crate::way::{Opened, Way};
use ackclock::apps::{Application, StartError};
use ackclock::congestion::BuiltIn;
use ackclock::link::Link;
use ackclock::stack::{ListenError, Stack, StackConfig, Statistics, Storage};
use ackclock::tcp::Config;
use ackclock::time::Instant;
use ackclock_host::any_link::AnyLink;
use ackclock_host::queues::{self, Queue};
use ackclock_host::run_loop::{RunError, RunLoop, Waker};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

/// Limits of the stacks. Those that are `None` are the stack's defaults.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Limits {
    /// Most bytes in the send and receive queues of all connections together; `None`: the default, or
    /// more if one connection on each queue needs more.
    pub(crate) memory: Option<u64>,
    /// Most connections on each queue.
    pub(crate) max_connections: Option<usize>,
    /// Most half-open connections on each queue.
    pub(crate) half_open: Option<usize>,
    /// Larger one of a connection's two buffers, in bytes.
    pub(crate) buffer: u32,
}

impl Limits {
    /// Limits that leave room for one connection with these settings on each queue.
    pub(crate) fn of_a_connection(config: &Config) -> Self {
        let buffer = config.send_buffer.max(config.receive_buffer);
        Limits { buffer, ..Limits::default() }
    }

    fn apply(self, config: &mut StackConfig, queues: u16) {
        // A send or receive queue gets at most half of the free memory, and a connection has both.
        let enough = u64::from(self.buffer) * 4 * u64::from(queues);
        config.memory = self.memory.unwrap_or(config.memory.max(enough));
        config.max_connections = self.max_connections.unwrap_or(config.max_connections);
        config.max_half_open = self.half_open.unwrap_or(config.max_half_open);
    }
}

/// An open way out with a stack on each of its queues.
pub(crate) struct Driver {
    /// Run loop and stack of each queue; at least one.
    queues: Vec<Queue<'static, Captured<AnyLink>, BuiltIn>>,
    offloading: bool,
    /// Error text for the case that the device goes away.
    gone: String,
    /// Returns a note for the user at the end of the run, if there is one.
    note: Box<dyn Fn() -> Option<String>>,
}

impl Driver {
    /// Opens the way out. Its packets are captured in the file `pcap`, if there is one.
    pub(crate) fn open(
        way: &dyn Way,
        controller: BuiltIn,
        limits: Limits,
        seed: Option<u64>,
        pcap: Option<&Path>,
    ) -> Result<Self, Failure> {
        let Opened { links, ethernet, interface, offloading, ports, gone, note } = way.open()?;
        if links.len() > 1 && pcap.is_some() {
            return Err(Failure::Usage(format!(
                "several queues have no capture in common: leave --pcap away, and run 'sudo tcpdump \
                 -i {interface} -w FILE'"
            )));
        }
        let captured = |link| Captured::new(link, ethernet.is_some(), &interface, pcap);
        let links = links.into_iter().map(captured).collect::<Result<Vec<_>, _>>()?;
        let secret = match seed {
            Some(seed) => [seed, !seed],
            None => ackclock_host::secret::secret().map_err(|error| {
                Failure::Environment(format!("no random bits: {error}; give a --seed"))
            })?,
        };
        let mut config = StackConfig::new(links[0].capabilities(), secret);
        if let Some(ports) = ports {
            (config.first_ephemeral_port, config.last_ephemeral_port) =
                (ports.first(), ports.last());
        }
        let loops = match ethernet {
            None => RunLoop::of_queues(links),
            Some(ethernet) => {
                let each = links.into_iter().zip(std::iter::once(ethernet));
                each.map(|(link, ethernet)| RunLoop::with_ethernet(link, ethernet)).collect()
            }
        };
        let loops = loops.map_err(|error| {
            Failure::Environment(format!("{error}: raise the limit with 'ulimit -n 1024'"))
        })?;
        // An interface has at most 256 queues, which fits.
        let count = loops.len() as u16;
        limits.apply(&mut config, count);
        let queue = |(index, run_loop)| {
            let mut stack = Stack::new(config.share(index, count), controller, Storage::growing())
                .map_err(|error| Failure::Usage(error.to_string()))?;
            for &address in way.addresses() {
                stack.add_address(address).map_err(|error| {
                    Failure::Usage(format!("--address {}: {error}", address.address))
                })?;
            }
            Ok(Queue { run_loop, stack })
        };
        let queues = (0..).zip(loops).map(queue).collect::<Result<Vec<_>, _>>()?;
        Ok(Driver { queues, offloading, gone, note })
    }

    /// Has all stacks sign and believe segments by these keys.
    pub(crate) fn set_keys(&mut self, keys: &[SignatureKey]) -> Result<(), Failure> {
        let now = self.now();
        let mut stacks = self.queues.iter_mut().map(|queue| &mut queue.stack);
        stacks.try_for_each(|stack| keys.iter().try_for_each(|key| key.set(now, stack)))
    }

    /// Runs an application on each queue until all are done or the user ends the run. May be called
    /// again with other applications.
    pub(crate) fn run<A>(&mut self, applications: &mut [A]) -> Result<(), Failure>
    where
        A: Application<'static, BuiltIn> + Send,
    {
        match queues::run(&mut self.queues, applications) {
            Ok(_) => Ok(()),
            Err(RunError::Start(error)) => Err(start_failure(&error)),
            Err(RunError::Gone) => Err(Failure::Environment(self.gone.clone())),
            Err(error) => Err(Failure::Environment(error.to_string())),
        }
    }

    /// A function that ends a run, to be called from another thread.
    pub(crate) fn stopper(&self) -> impl Fn() + Send + 'static {
        let wakers: Vec<_> = self.queues.iter().map(|queue| queue.run_loop.waker()).collect();
        move || wakers.iter().for_each(Waker::stop)
    }

    /// Number of queues.
    pub(crate) fn queues(&self) -> usize {
        self.queues.len()
    }

    /// Time on the run's clock.
    pub(crate) fn now(&self) -> Instant {
        self.queues[0].run_loop.now()
    }

    /// Whether the kernel segments and computes checksums in the stack's place.
    pub(crate) fn is_offloading(&self) -> bool {
        self.offloading
    }

    /// Stacks of all queues.
    pub(crate) fn stacks(&self) -> impl Iterator<Item = &Stack<'static, BuiltIn>> {
        self.queues.iter().map(|queue| &queue.stack)
    }

    /// Stack of the first queue.
    pub(crate) fn stack(&self) -> &Stack<'static, BuiltIn> {
        &self.queues[0].stack
    }

    /// Calls `abort` for each application, which is to end the connections it has left, and sends the
    /// RSTs to their peers.
    pub(crate) fn leave<A>(
        &mut self,
        applications: &mut [A],
        abort: impl Fn(&mut A, Instant, &mut Stack<'static, BuiltIn>),
    ) {
        for (Queue { run_loop, stack }, application) in self.queues.iter_mut().zip(applications) {
            abort(application, run_loop.now(), stack);
            // If the device is gone, the RSTs cannot be sent.
            let _ = run_loop.resume(stack, &mut []);
        }
    }

    /// Tells the user if segments were dropped for their signatures.
    fn say_of_signatures(&self) {
        let count = |count: fn(&Statistics) -> u64| -> u64 {
            self.stacks().map(|stack| count(stack.statistics())).sum()
        };
        for (segments, fault) in [
            (count(|all| all.signature_missing), "without a signature"),
            (count(|all| all.signature_wrong), "with a wrong signature: the peer has another key"),
            (count(|all| all.signature_unexpected), "with a signature: give the peer's --md5-key"),
            (
                count(|all| all.signature_key_unknown),
                "with the ID of a key that there is not: give the peer's --ao-key",
            ),
            (
                count(|all| all.signature_not_checkable),
                "of connections that are not known here, without which TCP-AO cannot be checked",
            ),
        ] {
            if segments > 0 {
                say_once(format!("{segments} segments were dropped that came {fault}"));
            }
        }
        let ignored = count(|all| all.signatures_ignored);
        if ignored > 0 {
            say_once(format!(
                "{ignored} segments came with TCP-AO, for which there is no key, and were taken without: \
                 give the peer's --ao-key"
            ));
        }
    }

    /// Ends the capture, if there is one, and writes notes about the run to standard error.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        if let Some(note) = (self.note)() {
            say_once(note);
        }
        let lost: u64 = self.queues.iter().map(|queue| queue.run_loop.lost_strays()).sum();
        if lost > 0 {
            say_once(format!(
                "{lost} packets came by another queue than their connection's and were lost between \
                 them: use fewer --queues"
            ));
        }
        self.say_of_signatures();
        for Queue { run_loop, .. } in &mut self.queues {
            let ethernet = run_loop.ethernet_mut();
            if ethernet.is_some_and(|ethernet| ethernet.statistics().conflicts > 0) {
                let conflict =
                    "another host has one of our addresses too: choose another --address";
                say_once(conflict.into());
            }
            run_loop.link_mut().finish()?;
        }
        Ok(())
    }
}

/// Writes a note to standard error, the same note only once.
fn say_once(note: String) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if SAID.lock().is_ok_and(|mut said| said.insert(note.clone())) {
        // The run has succeeded even if the note cannot be written.
        let _ = writeln!(std::io::stderr(), "note: {note}");
    }
}

fn start_failure(error: &StartError) -> Failure {
    match error {
        StartError::Listen(ListenError::AddressInUse) => Failure::Environment(error.to_string()),
        _ => Failure::Usage(error.to_string()),
    }
}

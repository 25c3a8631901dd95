//! The emulator: hosts, the network between them, and the run.

pub(crate) mod build;
mod connections;
pub(crate) mod pair;

use crate::host::endpoint::Endpoint;
use crate::host::{Device, Host};
use crate::ids::{HostId, LinkId, RouterId};
use crate::link::path::Path;
use crate::link::statistics::LinkStatistics;
use crate::network::{Network, RouterStatistics, Step};
use crate::observer::{Event, Observer};
use crate::packet::Packet;
use ackclock::apps::{Application, StartError};
use ackclock::congestion::{BuiltIn, CongestionController};
use ackclock::stack::{Stack, Transmit};
use ackclock::time::Instant;
use connections::Connections;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

/// Hosts with real stacks and a network between them, in virtual time.
///
/// Time begins at [`Instant::ZERO`] and moves only while a run method is at work. The methods that
/// take an id of a host, link, router or application panic if it belongs to another emulator that has
/// more of them.
pub struct Emulator<C: 'static = BuiltIn, O = ()> {
    hosts: Vec<Host<C>>,
    network: Network<O>,
    connections: Connections,
    /// Index of a host that was not done when it was last asked.
    undone: Cell<usize>,
}

/// Names an application on a host and remembers its type.
pub struct ApplicationId<A> {
    host: HostId,
    index: usize,
    application: PhantomData<fn() -> A>,
}

/// Why a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// All applications are done.
    Done,
    /// No event is left, but an application is not done.
    Stuck,
    /// The given time has passed.
    OutOfTime,
}

impl<C: CongestionController + Clone + 'static, O: Observer> Emulator<C, O> {
    pub(crate) fn assemble(hosts: Vec<Host<C>>, network: Network<O>) -> Self {
        let connections = Connections::default();
        Emulator { hosts, network, connections, undone: Cell::new(0) }
    }

    /// The time in the network.
    pub fn now(&self) -> Instant {
        self.network.now()
    }

    /// The time of the next event; `None` if nothing will happen any more. An application that is added
    /// later can make an earlier one.
    pub fn next_event_at(&self) -> Option<Instant> {
        self.network.next_at()
    }

    /// Starts an application on a host, now.
    ///
    /// # Errors
    /// The application's, when it cannot start; it is dropped then.
    pub fn add_application<A: Application<'static, C> + 'static>(
        &mut self,
        host: HostId,
        application: A,
    ) -> Result<ApplicationId<A>, StartError> {
        let now = self.now();
        let index = self.hosts[host.0].start(now, application)?;
        self.serve(host);
        Ok(ApplicationId { host, index, application: PhantomData })
    }

    /// An application; `None` if the id belongs to another emulator.
    pub fn application<A: 'static>(&self, id: ApplicationId<A>) -> Option<&A> {
        self.hosts[id.host.0].application(id.index)
    }

    /// The stack of a host, to look at.
    pub fn stack(&self, host: HostId) -> &Stack<'static, C> {
        self.hosts[host.0].stack()
    }

    /// Calls `action` with the time and the stack of a host, and sends the packets that follow from
    /// it.
    pub fn with_stack<R>(
        &mut self,
        host: HostId,
        action: impl FnOnce(Instant, &mut Stack<'static, C>) -> R,
    ) -> R {
        let now = self.now();
        let result = action(now, self.hosts[host.0].stack_mut());
        self.serve(host);
        result
    }

    /// Replaces the stack of a host by `endpoint` from now on. The stack and its applications are
    /// not served any more.
    pub fn occupy(&mut self, host: HostId, endpoint: impl Endpoint + 'static) {
        self.hosts[host.0].occupy(endpoint);
        self.serve(host);
    }

    /// The endpoint that has replaced the stack of a host; `None` if there is none of that type.
    pub fn endpoint<E: 'static>(&self, host: HostId) -> Option<&E> {
        self.hosts[host.0].endpoint()
    }

    /// Counters of the link that leaves a host.
    pub fn link_statistics(&self, from: HostId) -> &LinkStatistics {
        self.network.link_statistics(self.hosts[from.0].outgoing())
    }

    /// Counters of a link.
    pub fn statistics(&self, link: LinkId) -> &LinkStatistics {
        self.network.link_statistics(link)
    }

    /// Changes a link from now on: its MTU, sizes on the wire, delay, jitter, loss, corruption, duplication and
    /// reordering become those of `path`. What else the path says has no effect: the line's rates and outages
    /// follow the plan that the link was made with, and the queue and where impairments strike stay.
    pub fn change_path(&mut self, link: LinkId, path: &Path) {
        self.network.change_path(link, path);
    }

    /// Restarts [`LinkStatistics::longest_queue`] of all links with the present length of each
    /// queue.
    pub fn forget_longest_queues(&mut self) {
        self.network.forget_longest_queues();
    }

    /// Counters of a router.
    pub fn router_statistics(&self, router: RouterId) -> &RouterStatistics {
        self.network.router_statistics(router)
    }

    /// The observer.
    pub fn observer(&self) -> &O {
        self.network.observer()
    }

    /// The observer, for access to its own data.
    pub fn observer_mut(&mut self) -> &mut O {
        self.network.observer_mut()
    }

    /// Ends the emulation and returns the observer.
    pub fn into_observer(self) -> O {
        self.network.into_observer()
    }

    /// Processes all events up to and including `limit`; the time is `limit` afterwards. With
    /// [`Instant::FAR_FUTURE`] the run goes on until no event is left, and the time is that of the
    /// last one.
    pub fn run_until(&mut self, limit: Instant) {
        while self.network.next_at().is_some_and(|at| at <= limit) {
            self.step();
        }
        if !limit.is_never() {
            self.network.advance_to(limit);
        }
    }

    /// Runs until all applications are done, but not beyond `limit`. A server that waits for more
    /// connections is not done.
    pub fn run_until_done(&mut self, limit: Instant) -> Ended {
        loop {
            if self.is_done() {
                return Ended::Done;
            }
            match self.network.next_at() {
                None => return Ended::Stuck,
                Some(at) if at > limit => {
                    self.network.advance_to(limit);
                    return Ended::OutOfTime;
                }
                Some(_) => self.step(),
            }
        }
    }

    /// Whether all applications on all hosts are done.
    pub fn is_done(&self) -> bool {
        // Asked after each step, and mostly the host that was not done before is still not done.
        if self.hosts.get(self.undone.get()).is_some_and(|host| !host.is_done()) {
            return false;
        }
        let undone = self.hosts.iter().position(|host| !host.is_done());
        self.undone.set(undone.unwrap_or(0));
        undone.is_none()
    }

    /// Processes the next event.
    fn step(&mut self) {
        match self.network.step() {
            None | Some(Step::Nothing) => {}
            Some(Step::Arrived(host, packet)) => {
                match self.hosts[host.0].process(self.network.now()) {
                    Some(at) => self.network.process_until(at, host, packet),
                    None => self.receive(host, packet),
                }
            }
            Some(Step::Processed(host, packet)) => self.receive(host, packet),
            Some(Step::Timer(host)) => {
                if self.hosts[host.0].disarm(self.network.now()) {
                    self.serve(host);
                }
            }
            Some(Step::Room(host)) => self.serve(host),
        }
    }

    fn receive(&mut self, host: HostId, packet: Packet) {
        let now = self.now();
        self.hosts[host.0].on_packet(now, &packet.bytes);
        self.network.recycle(packet);
        if self.hosts[host.0].polls_at_once() {
            self.serve(host);
        } else if let Some(at) = self.hosts[host.0].arm_at(now) {
            // The host is called after all other packets that reach it at this time.
            self.network.call_at(at, host);
        }
    }

    fn serve(&mut self, id: HostId) {
        let now = self.now();
        let host = &mut self.hosts[id.0];
        let outgoing = host.outgoing();
        let network = &mut self.network;
        host.serve(now, &mut Interface { network, link: outgoing });
        if let Some(at) = host.arm(now) {
            network.call_at(at, id);
        }
        if network.wants_connections() {
            let network = &mut |event: &Event<'_>| network.tell(event);
            self.connections.look_at(now, id, host.stack(), network);
        }
    }
}

/// A host's link, and the network that it is of.
struct Interface<'n, O> {
    network: &'n mut Network<O>,
    link: LinkId,
}

impl<O: Observer> Device for Interface<'_, O> {
    fn has_room(&mut self) -> bool {
        self.network.has_room(self.link)
    }

    fn send(&mut self, packet: &Transmit<'_>) {
        self.network.send(self.link, packet);
    }
}

impl<C, O> fmt::Debug for Emulator<C, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Emulator").field("hosts", &self.hosts.len()).finish_non_exhaustive()
    }
}

impl<A> Clone for ApplicationId<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for ApplicationId<A> {}

impl<A> fmt::Debug for ApplicationId<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "application {} of host {}", self.index, self.host.0)
    }
}

//! A host: a stack and its applications, or an endpoint in place of them.

pub(crate) mod endpoint;

use crate::ids::LinkId;
use crate::packet::fragments::{Reassembly, Whole};
use ackclock::apps::{Application, StartError};
use ackclock::congestion::CongestionController;
use ackclock::stack::{Event, Handle, Rejected, Stack, Transmit};
use ackclock::time::{Duration, Instant};
use endpoint::Endpoint;
use std::any::Any;
use std::cell::Cell;
use std::collections::BTreeMap;

/// A host of an emulator.
pub(crate) struct Host<C: 'static> {
    stack: Stack<'static, C>,
    applications: Vec<Box<dyn Resident<C>>>,
    /// When each application wants to be woken.
    wakes: Vec<Instant>,
    /// Index of the application that a connection belongs to, for connections that exactly one
    /// application claims.
    owners: BTreeMap<Handle, usize>,
    /// Index of an application that was not done when it was last asked.
    undone: Cell<usize>,
    /// Runs in place of the stack, if there is one.
    endpoint: Option<Box<dyn AnyEndpoint>>,
    reassembly: Reassembly,
    outgoing: LinkId,
    /// How long the host is busy with each packet that it receives.
    processing: Duration,
    busy_until: Instant,
    /// The host looks at packets and timers only at multiples of this time; zero: at once.
    poll_interval: Duration,
    /// The earliest time at which the network will call the host; `FAR_FUTURE` if no call is
    /// scheduled.
    armed: Instant,
}

/// What a host sends by.
pub(crate) trait Device {
    /// Whether it takes another transmission; if not, the host is to be served again when it does.
    fn has_room(&mut self) -> bool;

    /// Sends a packet.
    fn send(&mut self, packet: &Transmit<'_>);
}

/// An application that can be looked up by its type again.
trait Resident<C>: Application<'static, C> + Any {}

impl<C, A: Application<'static, C> + Any> Resident<C> for A {}

/// An endpoint that can be looked up by its type again.
trait AnyEndpoint: Endpoint + Any {}

impl<E: Endpoint + Any> AnyEndpoint for E {}

impl<C: CongestionController + Clone + 'static> Host<C> {
    pub(crate) fn new(
        stack: Stack<'static, C>,
        outgoing: LinkId,
        processing: Duration,
        poll_interval: Duration,
    ) -> Self {
        Host {
            stack,
            applications: Vec::new(),
            wakes: Vec::new(),
            owners: BTreeMap::new(),
            undone: Cell::new(0),
            endpoint: None,
            reassembly: Reassembly::default(),
            outgoing,
            processing,
            busy_until: Instant::ZERO,
            poll_interval,
            armed: Instant::FAR_FUTURE,
        }
    }

    /// Takes note of a packet's arrival. Returns when the host has finished processing the packet;
    /// `None`: at once.
    pub(crate) fn process(&mut self, now: Instant) -> Option<Instant> {
        if self.processing.is_zero() && self.polls_at_once() {
            return None;
        }
        self.busy_until = self.busy_until.max(now) + self.processing;
        Some(self.polled_at(self.busy_until))
    }

    /// Whether the host takes packets and timers at once.
    pub(crate) fn polls_at_once(&self) -> bool {
        self.poll_interval.is_zero()
    }

    /// When the host notices an event of time `at`.
    fn polled_at(&self, at: Instant) -> Instant {
        match self.poll_interval.as_nanos() {
            0 => at,
            _ if at.is_never() => at,
            interval => {
                Instant::from_nanos(at.as_nanos().div_ceil(interval).saturating_mul(interval))
            }
        }
    }

    pub(crate) fn stack(&self) -> &Stack<'static, C> {
        &self.stack
    }

    pub(crate) fn stack_mut(&mut self) -> &mut Stack<'static, C> {
        &mut self.stack
    }

    /// The link by which the host's packets leave.
    pub(crate) fn outgoing(&self) -> LinkId {
        self.outgoing
    }

    /// Starts an application and keeps it; returns its index.
    pub(crate) fn start<A: Application<'static, C> + 'static>(
        &mut self,
        now: Instant,
        mut application: A,
    ) -> Result<usize, StartError> {
        application.start(now, &mut self.stack)?;
        self.wakes.push(application.wake_at());
        self.applications.push(Box::new(application));
        Ok(self.applications.len() - 1)
    }

    pub(crate) fn application<A: 'static>(&self, index: usize) -> Option<&A> {
        let resident: &dyn Any = self.applications.get(index)?.as_ref();
        resident.downcast_ref()
    }

    /// Replaces the stack by an endpoint.
    pub(crate) fn occupy(&mut self, endpoint: impl Endpoint + 'static) {
        self.endpoint = Some(Box::new(endpoint));
    }

    pub(crate) fn endpoint<E: 'static>(&self) -> Option<&E> {
        let endpoint: &dyn Any = self.endpoint.as_deref()?;
        endpoint.downcast_ref()
    }

    /// Gives a packet to the endpoint, or to the stack if there is none; of fragments what they make.
    pub(crate) fn on_packet(&mut self, now: Instant, bytes: &[u8]) {
        match self.reassembly.take(now, bytes) {
            Err(Whole) => self.on_whole_packet(now, bytes),
            Ok(Some(whole)) => self.on_whole_packet(now, &whole),
            Ok(None) => {}
        }
    }

    fn on_whole_packet(&mut self, now: Instant, bytes: &[u8]) {
        match &mut self.endpoint {
            Some(endpoint) => endpoint.on_packet(now, bytes),
            None => {
                self.stack.on_packet(now, bytes);
            }
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        let endpoint = self.endpoint.as_ref().is_none_or(|endpoint| endpoint.is_done());
        endpoint && self.applications_are_done()
    }

    fn applications_are_done(&self) -> bool {
        if self.applications.get(self.undone.get()).is_some_and(|each| !each.is_done()) {
            return false;
        }
        let undone = self.applications.iter().position(|each| !each.is_done());
        self.undone.set(undone.unwrap_or(0));
        undone.is_none()
    }

    /// Does all that is due now: timers, applications, packets. Must be called after each change of
    /// the stack from outside.
    pub(crate) fn serve(&mut self, now: Instant, device: &mut dyn Device) {
        if let Some(endpoint) = &mut self.endpoint {
            return endpoint.poll(now, &mut |bytes| device.send(&whole(bytes)));
        }
        if self.stack.poll_at() <= now {
            self.stack.on_timeout(now);
        }
        let applications = self.applications.iter_mut();
        for (application, wake) in applications.zip(&mut self.wakes).filter(|(_, at)| **at <= now) {
            application.on_wake(now, &mut self.stack);
            *wake = application.wake_at();
        }
        loop {
            self.dispatch_events(now);
            let mut sent = false;
            let sink = &mut |transmit: &Transmit<'_>| {
                if !device.has_room() {
                    return Err(Rejected);
                }
                transmit.cut(&mut |packet| device.send(packet));
                sent = true;
                Ok(())
            };
            while self.stack.transmit(now, sink).is_taken() {}
            if !sent {
                break;
            }
        }
    }

    fn dispatch_events(&mut self, now: Instant) {
        while let Some(event) = self.stack.poll_event() {
            let Event::Connection { handle, .. } = event else {
                self.tell_all(now, &event);
                continue;
            };
            if let Some(&owner) = self.owners.get(&handle) {
                self.tell(owner, now, &event);
                if !self.applications[owner].concerns(&event) {
                    self.owners.remove(&handle);
                }
            } else {
                self.tell_all(now, &event);
                self.owners.extend(self.only_one_concerned(&event).map(|owner| (handle, owner)));
            }
        }
    }

    fn tell_all(&mut self, now: Instant, event: &Event) {
        for index in 0..self.applications.len() {
            self.tell(index, now, event);
        }
    }

    fn tell(&mut self, index: usize, now: Instant, event: &Event) {
        let application = &mut self.applications[index];
        application.on_event(now, &mut self.stack, event);
        self.wakes[index] = application.wake_at();
    }

    fn only_one_concerned(&self, event: &Event) -> Option<usize> {
        let applications = self.applications.iter().enumerate();
        let mut concerned = applications.filter(|(_, application)| application.concerns(event));
        let (first, _) = concerned.next()?;
        concerned.next().is_none().then_some(first)
    }

    /// When the host must be called; `None` if a call at that time or before is scheduled already.
    ///
    /// A deadline after the scheduled call needs none of its own: the earlier call schedules the
    /// next.
    pub(crate) fn arm(&mut self, now: Instant) -> Option<Instant> {
        // Work that is still due after `serve` has to wait for a nanosecond, so that time goes on.
        let deadline = self.polled_at(self.deadline().max(now + Duration::from_nanos(1)));
        self.arm_at(deadline)
    }

    /// Schedules a call at `deadline`; returns `None` if a call at that time or before is scheduled
    /// already.
    pub(crate) fn arm_at(&mut self, deadline: Instant) -> Option<Instant> {
        if deadline >= self.armed {
            return None;
        }
        self.armed = deadline;
        Some(deadline)
    }

    /// Takes note of a call by the network. Returns whether the call is still wanted: it is not if
    /// an earlier one has replaced it.
    pub(crate) fn disarm(&mut self, now: Instant) -> bool {
        let wanted = self.armed == now;
        if wanted {
            self.armed = Instant::FAR_FUTURE;
        }
        wanted
    }

    fn deadline(&self) -> Instant {
        if let Some(endpoint) = &self.endpoint {
            return endpoint.poll_at();
        }
        self.wakes.iter().copied().fold(self.stack.poll_at(), Instant::min)
    }
}

/// A transmission of a whole packet, headers included, in one piece.
fn whole(bytes: &[u8]) -> Transmit<'_> {
    Transmit {
        header: bytes,
        payload: [&[], &[]],
        transport_offset: 0,
        segment_size: 0,
        checksum: Default::default(),
        ecn: Default::default(),
    }
}

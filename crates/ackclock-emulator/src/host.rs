//! A host: a stack and the applications on it.

use crate::endpoint::Endpoint;
use crate::ids::LinkId;
use ackclock::apps::{Application, StartError};
use ackclock::congestion::CongestionController;
use ackclock::stack::{Stack, Transmit};
use ackclock::time::{Duration, Instant};
use std::any::Any;

/// A host of an emulator.
pub(crate) struct Host<C: 'static> {
    stack: Stack<'static, C>,
    applications: Vec<Box<dyn Resident<C>>>,
    /// Lives here in place of the stack.
    endpoint: Option<Box<dyn AnyEndpoint>>,
    outgoing: LinkId,
    /// How long it is busy with each packet that it receives.
    processing: Duration,
    busy_until: Instant,
    /// The earliest time at which the network will call the host; `FAR_FUTURE`: none.
    armed: Instant,
}

/// An application that can be looked up by its type again.
trait Resident<C>: Application<'static, C> + Any {}

impl<C, A: Application<'static, C> + Any> Resident<C> for A {}

/// An endpoint that can be looked up by its type again.
trait AnyEndpoint: Endpoint + Any {}

impl<E: Endpoint + Any> AnyEndpoint for E {}

impl<C: CongestionController + Clone + 'static> Host<C> {
    pub(crate) fn new(stack: Stack<'static, C>, outgoing: LinkId, processing: Duration) -> Self {
        Host {
            stack,
            applications: Vec::new(),
            endpoint: None,
            outgoing,
            processing,
            busy_until: Instant::ZERO,
            armed: Instant::FAR_FUTURE,
        }
    }

    /// A packet has arrived; returns when the host is through with it, if not at once.
    pub(crate) fn process(&mut self, now: Instant) -> Option<Instant> {
        if self.processing.is_zero() {
            return None;
        }
        self.busy_until = self.busy_until.max(now) + self.processing;
        Some(self.busy_until)
    }

    pub(crate) fn stack(&self) -> &Stack<'static, C> {
        &self.stack
    }

    pub(crate) fn stack_mut(&mut self) -> &mut Stack<'static, C> {
        &mut self.stack
    }

    /// The link that its packets leave by.
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
        self.applications.push(Box::new(application));
        Ok(self.applications.len() - 1)
    }

    pub(crate) fn application<A: 'static>(&self, index: usize) -> Option<&A> {
        let resident: &dyn Any = self.applications.get(index)?.as_ref();
        resident.downcast_ref()
    }

    /// Lets an endpoint take the place of the stack.
    pub(crate) fn occupy(&mut self, endpoint: impl Endpoint + 'static) {
        self.endpoint = Some(Box::new(endpoint));
    }

    pub(crate) fn endpoint<E: 'static>(&self) -> Option<&E> {
        let endpoint: &dyn Any = self.endpoint.as_deref()?;
        endpoint.downcast_ref()
    }

    /// Whoever lives here takes a packet.
    pub(crate) fn on_packet(&mut self, now: Instant, bytes: &[u8]) {
        match &mut self.endpoint {
            Some(endpoint) => endpoint.on_packet(now, bytes),
            None => self.stack.on_packet(now, bytes),
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        let endpoint = self.endpoint.as_ref().is_none_or(|endpoint| endpoint.is_done());
        endpoint && self.applications.iter().all(|each| each.is_done())
    }

    /// Does all that there is to do now: timers, applications, packets. It must be called after
    /// anything that touched the stack.
    pub(crate) fn serve(&mut self, now: Instant, send: &mut dyn FnMut(&Transmit<'_>)) {
        if let Some(endpoint) = &mut self.endpoint {
            return endpoint.poll(now, &mut |bytes| send(&whole(bytes)));
        }
        if self.stack.poll_at() <= now {
            self.stack.on_timeout(now);
        }
        for application in &mut self.applications {
            if application.wake_at() <= now {
                application.on_wake(now, &mut self.stack);
            }
        }
        loop {
            self.dispatch_events(now);
            let mut sent = false;
            let sink = &mut |transmit: &Transmit<'_>| {
                send(transmit);
                sent = true;
                Ok(())
            };
            while self.stack.transmit(now, sink).is_some() {}
            if !sent {
                break;
            }
        }
    }

    fn dispatch_events(&mut self, now: Instant) {
        while let Some(event) = self.stack.poll_event() {
            for application in &mut self.applications {
                application.on_event(now, &mut self.stack, &event);
            }
        }
    }

    /// When the host must be called, if the network does not know that yet.
    ///
    /// A later deadline than the one armed is left alone: the call that comes too early arms it.
    pub(crate) fn arm(&mut self, now: Instant) -> Option<Instant> {
        // What is still due after `serve` waits for another instant: time must not stand still.
        let deadline = self.deadline().max(now + Duration::from_nanos(1));
        if deadline >= self.armed {
            return None;
        }
        self.armed = deadline;
        Some(deadline)
    }

    /// The network calls at a time that was armed. Returns whether the call is still wanted; an
    /// earlier one may have taken its place.
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
        let wakes = self.applications.iter().map(|each| each.wake_at());
        wakes.fold(self.stack.poll_at(), Instant::min)
    }
}

/// A packet that comes in one piece.
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

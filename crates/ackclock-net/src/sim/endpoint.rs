//! A network of sockets in place of the stack of an emulated host.

use crate::network::Shared;
use ackclock::time::Instant;
use ackclock_emulator::Endpoint;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Wake, Waker};

/// Flag that a socket's call has given the stack something to send.
#[derive(Debug, Default)]
pub(super) struct Called(AtomicBool);

impl Called {
    /// Whether that was so since it was asked last.
    pub(super) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}

impl Wake for Called {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A network of sockets in place of the stack of an emulated host.
pub(super) struct SocketEndpoint {
    shared: Arc<Shared>,
    driver: Waker,
    switches: Arc<Switches>,
}

/// State that endpoint and host share.
#[derive(Debug, Default)]
pub(super) struct Switches {
    /// The host was switched off: it neither receives nor sends packets.
    pub(super) is_off: AtomicBool,
    /// The network has woken a task of the host.
    pub(super) has_news: AtomicBool,
}

impl SocketEndpoint {
    pub(super) fn new(shared: Arc<Shared>, called: Arc<Called>, switches: Arc<Switches>) -> Self {
        SocketEndpoint { shared, driver: called.into(), switches }
    }

    fn is_off(&self) -> bool {
        self.switches.is_off.load(Ordering::Relaxed)
    }
}

impl Endpoint for SocketEndpoint {
    fn on_packet(&mut self, now: Instant, bytes: &[u8]) {
        if !self.is_off() {
            self.shared.lock().stack.on_packet(now, bytes);
        }
    }

    fn poll(&mut self, now: Instant, send: &mut dyn FnMut(&[u8])) {
        if self.is_off() {
            return;
        }
        let mut woken = Vec::new();
        let mut state = self.shared.lock();
        state.begin_round(&self.driver);
        state.end_idle(now);
        if state.stack.poll_at() <= now {
            state.stack.on_timeout(now);
        }
        let mut packet = Vec::new();
        let sink = &mut |transmit: &ackclock::stack::Transmit<'_>| {
            transmit.cut(&mut |segment| {
                packet.resize(segment.len(), 0);
                segment.copy_to(&mut packet);
                send(&packet);
            });
            Ok(())
        };
        while state.stack.transmit(now, sink).is_taken() {}
        state.take_woken(now, &mut woken);
        drop(state);
        if !woken.is_empty() {
            self.switches.has_news.store(true, Ordering::Relaxed);
        }
        woken.into_iter().for_each(Waker::wake);
    }

    fn poll_at(&self) -> Instant {
        if self.is_off() { Instant::FAR_FUTURE } else { self.shared.lock().poll_at() }
    }

    fn is_done(&self) -> bool {
        true
    }
}

//! The loop between the Ethernet controller and the stack.

use ackclock::congestion::CongestionController;
use ackclock::link::ethernet::Ethernet;
use ackclock::profile::Profile;
use ackclock::stack::{Capabilities, Cidr, ListenConfig, Rejected, Stack, StackConfig};
use ackclock::tcp::{Keepalive, Nagle};
use ackclock::time::{Duration, Instant};
use ackclock::wire::EthernetAddress;
use board::{Board, FrameBuffer, HARDWARE_ADDRESS};
use core::net::SocketAddr;

/// Neighbours that are remembered.
const NEIGHBOURS: usize = 4;
/// Maximum number of frames processed before the applications get their turn: one ack answers
/// all of them.
const BATCH: usize = 8;
/// How often is looked whether a cable is plugged in.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// A board with its place in the network.
#[derive(Debug)]
pub struct Node<'m> {
    board: Board,
    frame: &'m mut FrameBuffer,
    ethernet: Ethernet<NEIGHBOURS, 0>,
    was_up: bool,
    /// When to look at the cable next.
    look_at: Instant,
}

impl<'m> Node<'m> {
    /// A node that keeps a received frame in `frame`.
    pub fn new(board: Board, frame: &'m mut FrameBuffer) -> Self {
        let ethernet = Ethernet::new(EthernetAddress(HARDWARE_ADDRESS));
        Node { board, frame, ethernet, was_up: true, look_at: Instant::ZERO }
    }

    /// Settings of its stack. These boards have no source of random numbers; on yours the secret
    /// comes from one.
    pub const STACK: StackConfig = StackConfig::new(Capabilities::with_mtu(1500), [0x5eed, 0x5eed]);

    /// Its address.
    pub fn address() -> Cidr {
        Cidr { address: board::ADDRESS.into(), prefix: board::PREFIX }
    }

    /// Settings of a listener. A peer that has vanished is noticed within ten seconds, so that it
    /// does not keep one of the few connections.
    pub fn listen(local: SocketAddr) -> ListenConfig {
        let mut listen = ListenConfig::new(local);
        let second = Duration::from_secs(1);
        // The queues hold less data than makes a peer acknowledge at once: Nagle would wait for delayed acks.
        listen.connection.nagle = Nagle::Off;
        listen.connection.keepalive =
            Some(Keepalive { idle: second.saturating_mul(3), interval: second, count: 3 });
        listen.connection.give_up = second.saturating_mul(10);
        listen
    }

    // A function that is not inlined uses call stack only while it runs: the two halves of the loop share it.

    /// Hands the frames that have arrived to the stack, and lets its timers fire. Returns the time.
    #[inline(never)]
    pub fn receive<C: CongestionController + Clone, P: Profile>(
        &mut self,
        stack: &mut Stack<'_, C, P>,
    ) -> Instant {
        let now = self.now();
        for _ in 0..BATCH {
            let Some(frame) = self.board.ethernet.receive(self.frame) else { break };
            self.ethernet.on_frame(now, stack, frame);
        }
        stack.on_timeout(now);
        self.watch_cable(now);
        now
    }

    /// Sends what the stack has to send, then sleeps until a frame arrives, at most a millisecond. On a
    /// board that can sleep for longer than timers may be late, [`Stack::poll_at`] and
    /// [`Ethernet::poll_at`] say for how long.
    #[inline(never)]
    pub fn transmit<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
    ) {
        let device = &mut self.board.ethernet;
        let mut send = |frame: &ackclock::stack::Transmit<'_>| {
            if !device.has_room() {
                return Err(Rejected);
            }
            let [first, second] = frame.payload;
            device.transmit([frame.header, first, second]);
            Ok(())
        };
        while self.ethernet.transmit(now, stack, &mut send).is_taken() {}
        self.board.sleep();
    }

    /// Announces the own addresses to the neighbours again when a cable was plugged in.
    fn watch_cable(&mut self, now: Instant) {
        if now < self.look_at {
            return;
        }
        self.look_at = now + LOOK_INTERVAL;
        let is_up = self.board.ethernet.is_link_up();
        if is_up && !self.was_up {
            self.ethernet.announce();
        }
        self.was_up = is_up;
    }

    /// Time since the start.
    pub fn now(&mut self) -> Instant {
        Instant::from_nanos(self.board.now().wrapping_mul(1_000))
    }
}

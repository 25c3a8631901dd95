//! The bridge: a loop that joins two devices by a [`Wire`] for each direction, which decides when a
//! packet arrives, and whether.
//!
//! This is the real-time side of the network emulator. Wires have neither device nor clock, and the
//! loop does not depend on what a wire does. It sleeps in one `ppoll`, to the nanosecond, until a
//! device has packets, a wire has something to deliver, or a [`Waker`] calls.

pub use super::wait::Waker;
use super::wait::{is_gone, wait};
use crate::system::clock::Clock;
use ackclock::link::{Link, TransmitError};
use ackclock::stack::Transmit;
use ackclock::time::{Duration, Instant};
use ackclock::wire::{Ecn, WriteChecksum};
use rustix::event::{PollFd, PollFlags};
use rustix::thread::set_current_timer_slack;
use std::fmt;
use std::io;
use std::num::NonZeroU64;
use std::os::fd::AsFd;

/// Maximum number of packets taken from a device before the wires are asked again, so that a flood at one
/// end delays nothing for long.
const BATCH: usize = 64;

/// How much too late the kernel may wake the loop, in nanoseconds: 50,000 by default, longer than a
/// packet takes at 250 Mbit/s (prctl(2), `PR_SET_TIMERSLACK`).
const TIMER_SLACK: NonZeroU64 = NonZeroU64::MIN;

/// A wire: one direction between two devices.
pub trait Wire {
    /// Takes a packet that comes out of the near device. `now` never goes back.
    fn offer(&mut self, now: Instant, packet: &[u8]);

    /// When to call [`deliver`](Self::deliver) if no packet comes before; [`Instant::FAR_FUTURE`]
    /// if there is nothing to deliver.
    fn poll_at(&self) -> Instant;

    /// Hands over the packets that are to go into the far device by `now`, in order.
    fn deliver(&mut self, now: Instant, to: &mut dyn FnMut(&[u8]));
}

/// One of the two ends of a bridge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum End {
    /// The first device, and the wire that leads away from it.
    Left,
    /// The second device, and the wire that leads away from it.
    Right,
}

/// The reason for the end of a run without an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The time is up.
    OutOfTime,
    /// [`Waker::stop`] was called.
    Stopped,
}

/// A bridge: two devices with a wire in each direction between them, and a clock.
///
/// In arrays the left end comes first.
#[derive(Debug)]
pub struct Bridge<L, W> {
    devices: [L; 2],
    /// The wires that lead away from the devices.
    wires: [W; 2],
    /// Packets that each device did not take.
    refused: [u64; 2],
    /// Time spent waiting.
    idle: Duration,
    clock: Clock,
    waker: Waker,
}

impl<L: Link + AsFd, W: Wire> Bridge<L, W> {
    /// A bridge of the left and the right device, whose descriptors must be non-blocking, and of
    /// the wires that lead away from them.
    ///
    /// # Errors
    /// When the process has no descriptor left.
    pub fn new(devices: [L; 2], wires: [W; 2]) -> io::Result<Self> {
        let (clock, waker) = (Clock::start(), Waker::new()?);
        Ok(Bridge { devices, wires, refused: [0; 2], idle: Duration::ZERO, clock, waker })
    }

    /// A handle to stop the bridge with.
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// The time on the bridge's clock.
    pub fn now(&self) -> Instant {
        self.clock.now()
    }

    /// The devices, to be changed between runs.
    pub fn devices_mut(&mut self) -> &mut [L; 2] {
        &mut self.devices
    }

    /// The wires that lead away from the devices, to be changed between runs.
    pub fn wires_mut(&mut self) -> &mut [W; 2] {
        &mut self.wires
    }

    /// Packets that each device did not take: it had no room, or damage on the way has turned them
    /// into something else than IP packets.
    pub fn refused(&self) -> [u64; 2] {
        self.refused
    }

    /// Time since the bridge was made in which it did not wait. If this is nearly all of the time,
    /// the bridge is overloaded.
    pub fn busy(&self) -> Duration {
        self.clock.now().saturating_since(Instant::ZERO).saturating_sub(self.idle)
    }

    /// Carries packets until `until` on the bridge's clock, or until [`Waker::stop`] is called.
    ///
    /// # Errors
    /// See [`BridgeError`].
    pub fn run_until(&mut self, until: Instant) -> Result<Ended, BridgeError<L::Error>> {
        // If this fails, packets come a little later.
        let _ = set_current_timer_slack(Some(TIMER_SLACK));
        loop {
            let has_packets = self.wait(until)?;
            if self.waker.take_stop() {
                return Ok(Ended::Stopped);
            }
            self.take(has_packets)?;
            let now = self.clock.now();
            self.deliver(now)?;
            if now >= until {
                return Ok(Ended::OutOfTime);
            }
        }
    }

    /// Waits until there is something to do; returns which of the devices have packets.
    fn wait(&mut self, until: Instant) -> Result<[bool; 2], BridgeError<L::Error>> {
        let [left, right] = &self.devices;
        let deadline = self.wires.iter().map(Wire::poll_at).fold(until, Instant::min);
        let mut ready = [
            PollFd::new(left, PollFlags::IN),
            PollFd::new(right, PollFlags::IN),
            self.waker.poll_fd(),
        ];
        let begin = self.clock.now();
        wait(&mut ready, begin, deadline).map_err(BridgeError::Wait)?;
        self.idle += self.clock.now().saturating_since(begin);
        let [left, right, waker] = ready.map(|each| each.revents());
        if waker.contains(PollFlags::IN) {
            self.waker.reset();
        }
        match [left, right].map(is_gone) {
            [true, _] => Err(BridgeError::Gone(End::Left)),
            [_, true] => Err(BridgeError::Gone(End::Right)),
            _ => Ok([left, right].map(|device| device.contains(PollFlags::IN))),
        }
    }

    /// Takes packets from the devices that have some.
    fn take(&mut self, has_packets: [bool; 2]) -> Result<(), BridgeError<L::Error>> {
        let now = self.clock.now();
        let ends = [End::Left, End::Right].into_iter().zip(has_packets);
        let sides = self.devices.iter_mut().zip(&mut self.wires);
        for ((end, has_packets), (device, wire)) in ends.zip(sides) {
            if has_packets {
                let received = device.receive(now, BATCH, &mut |received| {
                    wire.offer(now, received.packet);
                });
                received.map_err(|error| BridgeError::Device(end, error))?;
            }
        }
        Ok(())
    }

    /// Puts packets that have reached the end of their wire into the device there.
    fn deliver(&mut self, now: Instant) -> Result<(), BridgeError<L::Error>> {
        let [left, right] = &mut self.devices;
        let [there, back] = &mut self.wires;
        let [at_left, at_right] = &mut self.refused;
        deliver(now, there, right, at_right)
            .map_err(|error| BridgeError::Device(End::Right, error))?;
        deliver(now, back, left, at_left).map_err(|error| BridgeError::Device(End::Left, error))
    }
}

/// Puts packets that have reached the end of a wire into the device there, and counts those that it
/// does not take.
fn deliver<L: Link, W: Wire>(
    now: Instant,
    wire: &mut W,
    device: &mut L,
    refused: &mut u64,
) -> Result<(), L::Error> {
    let mut failed = None;
    wire.deliver(now, &mut |packet| {
        let taken = match packet.first().map(|byte| byte >> 4) {
            Some(4 | 6) => device.transmit(now, &whole(packet)),
            _ => Err(TransmitError::Full),
        };
        match taken {
            Ok(()) => {}
            Err(TransmitError::Full) => *refused += 1,
            Err(TransmitError::Device(error)) => failed = Some(error),
        }
    });
    failed.map_or(Ok(()), Err)
}

/// A transmission of a whole packet, headers included, as it is.
fn whole(packet: &[u8]) -> Transmit<'_> {
    Transmit {
        header: packet,
        payload: [&[], &[]],
        transport_offset: 0,
        segment_size: 0,
        checksum: WriteChecksum::Complete,
        ecn: Ecn::NotEct,
    }
}

/// The reasons for a bridge to fail.
#[derive(Debug)]
#[non_exhaustive]
pub enum BridgeError<E> {
    /// The device of this end failed.
    Device(End, E),
    /// The device of this end went away.
    Gone(End),
    /// The kernel could not be asked to wait.
    Wait(io::Error),
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            End::Left => "left",
            End::Right => "right",
        })
    }
}

impl<E: fmt::Display> fmt::Display for BridgeError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BridgeError::Device(end, error) => write!(f, "{end}: {error}"),
            BridgeError::Gone(end) => {
                write!(f, "{end}: the network device went away: make it anew and retry")
            }
            BridgeError::Wait(error) => write!(f, "cannot wait for the network devices: {error}"),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for BridgeError<E> {}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::stack::{Capabilities, Received};
    use rustix::io::{Errno, read, write};
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
    use std::collections::VecDeque;
    use std::os::fd::{BorrowedFd, OwnedFd};

    /// One end of a pair of sockets that carry packets.
    struct Socket(OwnedFd);

    impl AsFd for Socket {
        fn as_fd(&self) -> BorrowedFd<'_> {
            self.0.as_fd()
        }
    }

    impl Link for Socket {
        type Error = Errno;

        fn capabilities(&self) -> Capabilities {
            Capabilities::with_mtu(1500)
        }

        fn transmit(
            &mut self,
            _: Instant,
            packet: &Transmit<'_>,
        ) -> Result<(), TransmitError<Errno>> {
            match write(&self.0, packet.header) {
                Ok(_) => Ok(()),
                Err(Errno::AGAIN) => Err(TransmitError::Full),
                Err(errno) => Err(TransmitError::Device(errno)),
            }
        }

        fn receive(
            &mut self,
            _: Instant,
            budget: usize,
            deliver: &mut dyn FnMut(Received<'_>),
        ) -> Result<usize, Errno> {
            let mut packet = [0; 1500];
            for received in 0..budget {
                match read(&self.0, &mut packet) {
                    Ok(0) => return Err(Errno::PIPE),
                    Ok(length) => deliver(Received::unverified(&packet[..length])),
                    Err(Errno::AGAIN) => return Ok(received),
                    Err(errno) => return Err(errno),
                }
            }
            Ok(budget)
        }
    }

    /// A wire that delivers packets one after another, a millisecond apart.
    #[derive(Default)]
    struct Spaced(VecDeque<(Instant, Vec<u8>)>);

    impl Wire for Spaced {
        fn offer(&mut self, now: Instant, packet: &[u8]) {
            let before = self.0.back().map_or(now, |(due, _)| now.max(*due));
            let millisecond = Duration::from_millis(1);
            self.0.push_back((before + millisecond, packet.to_vec()));
        }

        fn poll_at(&self) -> Instant {
            self.0.front().map_or(Instant::FAR_FUTURE, |(due, _)| *due)
        }

        fn deliver(&mut self, now: Instant, to: &mut dyn FnMut(&[u8])) {
            while self.poll_at() <= now
                && let Some((_, packet)) = self.0.pop_front()
            {
                to(&packet);
            }
        }
    }

    /// A bridge, and the far ends of its devices.
    fn bridge() -> (Bridge<Socket, Spaced>, [OwnedFd; 2]) {
        let pair = || {
            let kind = (AddressFamily::UNIX, SocketType::SEQPACKET);
            socketpair(kind.0, kind.1, SocketFlags::NONBLOCK, None).unwrap()
        };
        let ((left, far_left), (right, far_right)) = (pair(), pair());
        let wires = [Spaced::default(), Spaced::default()];
        (Bridge::new([Socket(left), Socket(right)], wires).unwrap(), [far_left, far_right])
    }

    const PACKETS: [&[u8]; 3] = [&[0x45, 1], &[0x60, 2, 3], &[0x4f]];

    /// The packets that can be read at a far end.
    fn packets(far: &OwnedFd) -> Vec<Vec<u8>> {
        let mut packet = [0; 1500];
        let next = || read(far, &mut packet).ok().map(|length| packet[..length].to_vec());
        std::iter::from_fn(next).collect()
    }

    /// Runs until all sent packets have reached the ends of the wires.
    fn carry(bridge: &mut Bridge<Socket, Spaced>) {
        loop {
            let until = bridge.now() + Duration::from_millis(1);
            assert_eq!(bridge.run_until(until).unwrap(), Ended::OutOfTime);
            if bridge.wires_mut().iter().all(|wire| wire.0.is_empty()) {
                break;
            }
        }
    }

    #[test]
    fn packets_go_across_both_ways_in_order() {
        let (mut bridge, far) = bridge();
        for packet in PACKETS {
            write(&far[0], packet).unwrap();
            write(&far[1], &[packet, &[9]].concat()).unwrap();
        }
        carry(&mut bridge);
        assert_eq!(packets(&far[1]), PACKETS);
        assert_eq!(packets(&far[0]), PACKETS.map(|packet| [packet, &[9]].concat()));
    }

    #[test]
    fn what_no_device_can_take_is_counted() {
        let (mut bridge, far) = bridge();
        write(&far[1], &[0x15, 0, 0]).unwrap();
        write(&far[1], &[0x45, 0, 0]).unwrap();
        carry(&mut bridge);
        assert_eq!(packets(&far[0]), [[0x45, 0, 0]]);
        assert_eq!(bridge.refused(), [1, 0]);
        // A device whose packets are not read becomes full.
        let mut sent = 0;
        while bridge.refused()[1] == 0 {
            write(&far[0], &[0x45; 1000]).unwrap();
            sent += 1;
            carry(&mut bridge);
        }
        assert_eq!(packets(&far[1]).len() as u64, sent - bridge.refused()[1]);
    }

    #[test]
    fn another_thread_can_stop_it() {
        let (mut bridge, _far) = bridge();
        let waker = bridge.waker();
        std::thread::spawn(move || waker.stop());
        assert_eq!(bridge.run_until(Instant::FAR_FUTURE).unwrap(), Ended::Stopped);
    }

    #[test]
    fn a_device_that_goes_away_is_named() {
        for (index, end) in [End::Left, End::Right].into_iter().enumerate() {
            let (mut bridge, far) = bridge();
            let mut far = far.map(Some);
            far[index] = None;
            let ended = bridge.run_until(Instant::FAR_FUTURE);
            let Err(BridgeError::Gone(which) | BridgeError::Device(which, _)) = ended else {
                panic!("{ended:?}");
            };
            assert_eq!(which, end);
        }
    }
}

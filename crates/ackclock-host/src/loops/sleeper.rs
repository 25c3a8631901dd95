//! The sleeper: a loop sleeps there until its device is ready, a deadline is due, or another thread
//! calls.
//!
//! The descriptors are registered with the kernel once (epoll(7)), and its timer stays set from one
//! sleep to the next. A deadline that is far away mostly moves on before it is reached. Then the
//! timer stays as it is, expires too early once, and is set again. Passing descriptors and deadline
//! with each sleep (ppoll(2)) takes longer, since the kernel sets and removes a timer each time. It
//! is done for near deadlines, for which a timer that stays would expire again and again.
//!
//! A registered device costs the kernel a notification for each packet, also while the loop is
//! awake. So a loop that has more to do unregisters its device until it sleeps again.

use super::wait::{Waker, timespec, wait};
use crate::system::clock::Clock;
use ackclock::time::{Duration, Instant};
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::event::{PollFd, PollFlags};
use rustix::io::{Errno, read};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

/// Deadlines that are nearer than this are not left to the timer.
const NEAR: Duration = Duration::from_millis(10);

/// The source of an event.
const DEVICE: u64 = 0;
const CALL: u64 = 1;
const TIMER: u64 = 2;

/// A sleeper, for one loop and one device.
#[derive(Debug)]
pub(crate) struct Sleeper {
    waker: Waker,
    clock: Clock,
    epoll: OwnedFd,
    timer: OwnedFd,
    /// When the timer expires, or has expired unnoticed; `FAR_FUTURE` if it is not set.
    due: Instant,
    /// The events that the device is registered for, if it is.
    interest: Option<PollFlags>,
}

impl Sleeper {
    /// A sleeper for the calls of this waker and for one device. Deadlines are times of this clock.
    pub(crate) fn new(waker: Waker, clock: Clock) -> io::Result<Self> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        epoll::add(&epoll, waker.event(), EventData::new_u64(CALL), EventFlags::IN)?;
        epoll::add(&epoll, &timer, EventData::new_u64(TIMER), EventFlags::IN)?;
        Ok(Sleeper { waker, clock, epoll, timer, due: Instant::FAR_FUTURE, interest: None })
    }

    /// Unregisters the device until the next sleep.
    pub(crate) fn look_away(&mut self, device: impl AsFd) -> io::Result<()> {
        match self.interest.take() {
            Some(_) => Ok(epoll::delete(&self.epoll, device)?),
            None => Ok(()),
        }
    }

    /// Sleeps until the device is readable (or has room, with `wants_room`), the deadline is due,
    /// or the waker calls. Returns the events of the device. The sleep may end early for no reason.
    pub(crate) fn sleep(
        &mut self,
        device: impl AsFd,
        deadline: Instant,
        wants_room: bool,
    ) -> io::Result<PollFlags> {
        let interest = interest(wants_room);
        if deadline < self.due {
            let now = self.clock.now();
            if deadline.saturating_since(now) < NEAR {
                return self.nap(device, now, deadline, interest);
            }
            let it_interval = Timespec { tv_sec: 0, tv_nsec: 0 };
            let setting = Itimerspec { it_interval, it_value: timespec(now, deadline) };
            timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &setting)?;
            self.due = deadline;
        }
        if self.interest != Some(interest) {
            let events = EventFlags::from_bits_truncate(interest.bits().into());
            match self.interest {
                Some(_) => epoll::modify(&self.epoll, device, EventData::new_u64(DEVICE), events)?,
                None => epoll::add(&self.epoll, device, EventData::new_u64(DEVICE), events)?,
            }
            self.interest = Some(interest);
        }
        let mut events = [MaybeUninit::uninit(); 3];
        let events = match epoll::wait(&self.epoll, &mut events, None) {
            Ok((events, _)) => &*events,
            Err(Errno::INTR) => &[],
            Err(errno) => return Err(errno.into()),
        };
        let mut of_device = PollFlags::empty();
        for event in events {
            match event.data.u64() {
                CALL => self.waker.reset(),
                TIMER => {
                    let _ = read(&self.timer, &mut [0u8; 8]);
                    self.due = Instant::FAR_FUTURE;
                }
                _ => {
                    let flags = event.flags;
                    // The flags of epoll and poll have the same bits (epoll_ctl(2)).
                    of_device = PollFlags::from_bits_truncate(flags.bits() as u16);
                }
            }
        }
        Ok(of_device)
    }

    /// Sleeps as [`Sleeper::sleep`] does, until a near deadline, without the timer.
    fn nap(
        &self,
        device: impl AsFd,
        now: Instant,
        deadline: Instant,
        interest: PollFlags,
    ) -> io::Result<PollFlags> {
        let mut ready = [PollFd::new(&device, interest), self.waker.poll_fd()];
        wait(&mut ready, now, deadline)?;
        let [of_device, of_waker] = ready.map(|each| each.revents());
        if of_waker.contains(PollFlags::IN) {
            self.waker.reset();
        }
        Ok(of_device)
    }
}

/// The events to wait for. The loss of the device is reported in any case.
fn interest(in_room: bool) -> PollFlags {
    if in_room { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::{EventfdFlags, eventfd};
    use rustix::io::write;
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;

    struct World {
        device: OwnedFd,
        waker: Waker,
        clock: Clock,
        sleeper: Sleeper,
    }

    impl World {
        fn new() -> Self {
            World::of(eventfd(0, EventfdFlags::NONBLOCK).unwrap())
        }

        fn of(device: OwnedFd) -> Self {
            let (waker, clock) = (Waker::new().unwrap(), Clock::start());
            let sleeper = Sleeper::new(waker.clone(), clock).unwrap();
            World { device, waker, clock, sleeper }
        }

        fn sleep(&mut self, deadline: Instant, wants_room: bool) -> PollFlags {
            self.sleeper.sleep(&self.device, deadline, wants_room).unwrap()
        }

        /// The time so many milliseconds from now.
        fn after(&self, millis: u64) -> Instant {
            self.clock.now() + Duration::from_millis(millis)
        }

        /// Sleeps again and again until the deadline.
        fn sleep_until(&mut self, deadline: Instant) {
            while self.clock.now() < deadline {
                assert_eq!(self.sleep(deadline, false), PollFlags::empty());
            }
        }
    }

    const HOUR: u64 = 3_600_000;

    #[test]
    fn deadlines_end_it_whichever_were_given_before() {
        let mut world = World::new();
        for millis in [25, 2, 15] {
            let soon = world.after(millis);
            // A deadline far away, a nearer one, and one in the past; a call ends each sleep
            // before.
            for before in [world.after(HOUR), soon, Instant::ZERO] {
                world.waker.wake();
                world.sleep(before, false);
            }
            world.sleep_until(soon + Duration::from_millis(1));
        }
    }

    #[test]
    fn a_deadline_that_has_passed_does_not_keep_from_looking_at_the_device() {
        let mut world = World::new();
        assert_eq!(world.sleep(Instant::ZERO, false), PollFlags::empty());
        write(&world.device, &1u64.to_ne_bytes()).unwrap();
        assert_eq!(world.sleep(Instant::ZERO, false), PollFlags::IN);
    }

    #[test]
    fn a_device_is_told_to_be_readable_until_it_was_read() {
        let mut world = World::new();
        write(&world.device, &1u64.to_ne_bytes()).unwrap();
        for deadline in [Instant::FAR_FUTURE, world.after(1), Instant::FAR_FUTURE] {
            assert_eq!(world.sleep(deadline, false), PollFlags::IN);
        }
        read(&world.device, &mut [0; 8]).unwrap();
        let soon = world.after(1);
        world.sleep_until(soon);
    }

    #[test]
    fn room_is_told_of_where_it_is_wanted() {
        let mut world = World::new();
        for millis in [HOUR, 1] {
            let deadline = world.after(millis);
            assert_eq!(world.sleep(deadline, true), PollFlags::OUT);
        }
        for millis in [1, 15] {
            let deadline = world.after(millis);
            world.sleep_until(deadline);
        }
    }

    #[test]
    fn a_device_calls_only_who_looks_at_it() {
        let mut world = World::new();
        let watched = |world: &World| {
            let about = format!("/proc/self/fdinfo/{}", world.sleeper.epoll.as_raw_fd());
            let device = format!("tfd:{:>9} ", world.device.as_raw_fd());
            std::fs::read_to_string(about).unwrap().contains(&device)
        };
        for wants_room in [false, true] {
            world.sleeper.look_away(&world.device).unwrap();
            assert!(!watched(&world));
            write(&world.device, &1u64.to_ne_bytes()).unwrap();
            assert!(world.sleep(Instant::FAR_FUTURE, wants_room).contains(PollFlags::IN));
            assert!(watched(&world));
            world.sleeper.look_away(&world.device).unwrap();
            world.sleeper.look_away(&world.device).unwrap();
        }
    }

    #[test]
    fn a_device_that_went_away_is_told_of() {
        let (device, far) = UnixStream::pair().unwrap();
        drop(far);
        let mut world = World::of(device.into());
        for deadline in [Instant::FAR_FUTURE, world.after(1)] {
            assert!(world.sleep(deadline, false).contains(PollFlags::HUP));
        }
    }

    #[test]
    fn calls_before_the_sleep_end_it_once() {
        let mut world = World::new();
        for millis in [HOUR, 1] {
            world.waker.wake();
            world.waker.wake();
            let deadline = world.after(millis);
            assert_eq!(world.sleep(deadline, false), PollFlags::empty());
            let soon = world.after(1);
            world.sleep_until(soon);
        }
    }
}

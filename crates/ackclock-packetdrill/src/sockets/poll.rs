//! What descriptors are ready for: `poll` and `epoll`, by the kernel's rules.

use super::socket::{Kind, Socket};
use super::{Descriptor, Errno, Sockets, WOULD_BLOCK};
use ackclock::tcp::State;

/// Events in the numbers of `poll`, which `epoll` shares.
pub(crate) type Events = u32;

const IN: Events = (libc::POLLIN | libc::POLLRDNORM) as Events;
const OUT: Events = (libc::POLLOUT | libc::POLLWRNORM) as Events;
const PRI: Events = libc::POLLPRI as Events;
const ERR: Events = libc::POLLERR as Events;
const HUP: Events = libc::POLLHUP as Events;
const RDHUP: Events = libc::POLLRDHUP as Events;
/// So many interest lists may watch one another (EP_MAX_NESTS).
const DEEPEST: u32 = 4;
const INVALID: Errno = Errno(libc::EINVAL);
/// Those that are always asked for.
const ALWAYS: Events = ERR | HUP;

/// The interest list of an epoll descriptor, in the order in which they were added. Whoever is told of
/// goes behind all others, so that everybody gets a turn.
#[derive(Default)]
pub(super) struct Epoll {
    interests: Vec<(Descriptor, Interest)>,
}

struct Interest {
    events: Events,
    data: u64,
    /// What was ready when the caller looked last (for EPOLLET), and whether it may look again
    /// (EPOLLONESHOT).
    told: Events,
    disabled: bool,
    /// Bytes received or connections come by then: more of them are news.
    arrived: u64,
}

impl Epoll {
    pub(super) fn forget(&mut self, descriptor: Descriptor) {
        self.interests.retain(|(watched, _)| *watched != descriptor);
    }

    fn interest(&mut self, descriptor: Descriptor) -> Option<&mut Interest> {
        let found = self.interests.iter_mut().find(|(watched, _)| *watched == descriptor);
        found.map(|(_, interest)| interest)
    }
}

impl Sockets {
    /// What a descriptor is ready for.
    pub(crate) fn readiness(&self, descriptor: Descriptor) -> Result<Events, Errno> {
        let socket = self.get(descriptor)?;
        match &socket.kind {
            Kind::Fresh => Ok(OUT | HUP),
            Kind::Deferred(_) => Ok(OUT),
            Kind::Listening { listener, mapped, .. } => {
                Ok(if self.acceptable(*listener, *mapped) > 0 { IN } else { 0 })
            }
            Kind::Pipe(end) => {
                let pipe = self.pipe_of(*end).ok_or(Errno(libc::EBADF))?;
                let (usable, broken) = if end.writes { (OUT, ERR) } else { (IN, HUP) };
                let ready = if pipe.is_ready(*end) { usable } else { 0 };
                Ok(ready | if pipe.is_broken(*end) { broken } else { 0 })
            }
            Kind::Epoll(epoll) => {
                let mut interests = epoll.interests.iter();
                let any = interests.any(|(watched, interest)| self.news(*watched, interest) != 0);
                Ok(if any { IN } else { 0 })
            }
            Kind::Stream(_) => self.stream_readiness(descriptor, socket),
        }
    }

    fn stream_readiness(&self, descriptor: Descriptor, socket: &Socket) -> Result<Events, Errno> {
        let Kind::Stream(stream) = &socket.kind else {
            return Ok(0);
        };
        let info = self.info(descriptor)?;
        let readiness = self.stack.readiness(stream.handle).ok_or(Errno(libc::EBADF))?;
        if matches!(info.state, State::SynSent | State::SynReceived) {
            return Ok(0);
        }
        let has_fin = matches!(
            info.state,
            State::CloseWait | State::Closing | State::LastAck | State::TimeWait
        );
        let ended = has_fin || stream.saw_end || readiness.closed || stream.read_shut;
        let finished = readiness.closed || stream.write_shut;
        let mut events = 0;
        let mut add = |condition: bool, bits| events |= if condition { bits } else { 0 };
        add(ended, IN | RDHUP);
        let (readable, urgent) = self.readable(descriptor, stream);
        add(readable, IN);
        add((ended && finished) || readiness.closed, HUP);
        add(urgent, PRI);
        add(info.error.is_some() && !stream.error_told, ERR);
        add(!stream.errors.is_empty(), ERR);
        // At least a third of the buffer must be free, and half of what may be unsent.
        let queued = u64::from(info.send_queue);
        let has_room = readiness.writable && queued * 3 <= u64::from(socket.config.send_buffer) * 2;
        let unsent = u64::from(info.send_queue.saturating_sub(info.unacked));
        let low_water = u64::from(self.unsent_low_water(socket));
        add(finished || (has_room && unsent * 2 < low_water), OUT);
        Ok(events)
    }

    /// `epoll_create`.
    pub(crate) fn epoll_create(&mut self, descriptor: Descriptor) {
        let mut socket = Socket::new(false, &self.flags);
        socket.kind = Kind::Epoll(Epoll::default());
        self.insert(descriptor, socket);
    }

    fn epoll(&mut self, descriptor: Descriptor) -> Result<&mut Epoll, Errno> {
        match &mut self.get_mut(descriptor)?.kind {
            Kind::Epoll(epoll) => Ok(epoll),
            _ => Err(INVALID),
        }
    }

    /// `epoll_ctl`.
    pub(crate) fn epoll_control(
        &mut self,
        descriptor: Descriptor,
        operation: i32,
        watched: Descriptor,
        event: Option<(Events, u64)>,
    ) -> Result<(), Errno> {
        let depth = self.depth_of_lists(watched, descriptor);
        self.get(watched)?;
        if descriptor == watched {
            return Err(INVALID);
        }
        if operation == libc::EPOLL_CTL_ADD && depth.is_none_or(|depth| depth > DEEPEST) {
            return Err(Errno(libc::ELOOP));
        }
        let epoll = self.epoll(descriptor)?;
        let interest = event.map(|(events, data)| Interest {
            events,
            data,
            told: 0,
            disabled: false,
            arrived: 0,
        });
        match (operation, epoll.interest(watched), interest) {
            (libc::EPOLL_CTL_ADD, Some(_), Some(_)) => Err(Errno(libc::EEXIST)),
            (libc::EPOLL_CTL_MOD | libc::EPOLL_CTL_DEL, None, _) => Err(Errno(libc::ENOENT)),
            (libc::EPOLL_CTL_ADD | libc::EPOLL_CTL_MOD, _, None) => Err(Errno(libc::EFAULT)),
            (libc::EPOLL_CTL_ADD, None, Some(interest)) => {
                epoll.interests.push((watched, interest));
                Ok(())
            }
            (libc::EPOLL_CTL_MOD, Some(known), Some(interest)) => {
                *known = interest;
                Ok(())
            }
            (libc::EPOLL_CTL_DEL, Some(_), _) => {
                epoll.forget(watched);
                Ok(())
            }
            _ => Err(INVALID),
        }
    }

    /// How many interest lists watch one another below and with a descriptor; `None` if one of them is `end`: lists
    /// in a circle would never come to an answer.
    fn depth_of_lists(&self, descriptor: Descriptor, end: Descriptor) -> Option<u32> {
        let Some(Kind::Epoll(epoll)) = self.sockets.get(&descriptor).map(|socket| &socket.kind)
        else {
            return Some(0);
        };
        let mut below =
            epoll.interests.iter().map(|(watched, _)| self.depth_of_lists(*watched, end));
        let deepest = below.try_fold(0, |deepest, depth| depth.map(|depth| depth.max(deepest)));
        deepest.filter(|_| descriptor != end).map(|depth| depth + 1)
    }

    /// What an interest has to tell.
    fn news(&self, watched: Descriptor, interest: &Interest) -> Events {
        if interest.disabled {
            return 0;
        }
        let ready = self.readiness(watched).unwrap_or(0) & (interest.events | ALWAYS);
        let is_edge = interest.events & libc::EPOLLET as Events != 0;
        let more = ready & (IN | ERR) != 0 && self.arrived(watched) > interest.arrived;
        if is_edge && ready & !interest.told == 0 && !more { 0 } else { ready }
    }

    /// How many bytes, connections or notices have come in all.
    fn arrived(&self, descriptor: Descriptor) -> u64 {
        match self.get(descriptor).map(|socket| &socket.kind) {
            Ok(Kind::Listening { listener, mapped, accepted }) => {
                accepted + self.acceptable(*listener, *mapped) as u64
            }
            Ok(Kind::Stream(stream)) => {
                let bytes = self.info(descriptor).map_or(0, |info| info.bytes_received);
                bytes + stream.errors.arrived
            }
            Ok(Kind::Epoll(epoll)) => {
                epoll.interests.iter().map(|(watched, _)| self.arrived(*watched)).sum()
            }
            _ => 0,
        }
    }

    /// `epoll_wait`: at most `max` events with the data of their interests.
    pub(crate) fn epoll_wait(
        &mut self,
        descriptor: Descriptor,
        max: usize,
    ) -> Result<Vec<(Events, u64)>, Errno> {
        let interests = std::mem::take(&mut self.epoll(descriptor)?.interests);
        let (mut told, mut waiting, mut served) = (Vec::new(), Vec::new(), Vec::new());
        for (watched, mut interest) in interests {
            let news = if told.len() < max { self.news(watched, &interest) } else { 0 };
            if news == 0 {
                waiting.push((watched, interest));
                continue;
            }
            told.push((news, interest.data));
            interest.told = news;
            interest.arrived = self.arrived(watched);
            interest.disabled = interest.events & libc::EPOLLONESHOT as Events != 0;
            served.push((watched, interest));
        }
        waiting.append(&mut served);
        self.epoll(descriptor)?.interests = waiting;
        if told.is_empty() { Err(WOULD_BLOCK) } else { Ok(told) }
    }

    /// After a call on `watched` that may have made it less ready: what it becomes ready for again
    /// is news.
    pub(super) fn forget_unready(&mut self, watched: Descriptor) {
        let ready = self.readiness(watched).unwrap_or(0);
        for socket in self.sockets.values_mut() {
            if let Kind::Epoll(epoll) = &mut socket.kind
                && let Some(interest) = epoll.interest(watched)
            {
                interest.told &= ready;
            }
        }
    }
}

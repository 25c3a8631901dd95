//! Reading and writing.

use super::socket::{Kind, Stream};
use super::{Descriptor, Errno, Sockets, WOULD_BLOCK};
use crate::flags::Habits;
use ackclock::stack::Handle;
use ackclock::tcp::{ReceiveError, SendError, State};
use ackclock::time::{Duration, Instant};

/// How long a small segment is held back for more at most, by TCP_CORK or MSG_MORE, in milliseconds.
const LONGEST_CORK: Duration = Duration::from_millis(200);

impl Sockets {
    /// `recv`: reads into `to`; 0 at the end of the peer's data. Knows MSG_PEEK and MSG_OOB;
    /// MSG_WAITALL and MSG_DONTWAIT are for those who wait.
    pub(crate) fn receive(
        &mut self,
        descriptor: Descriptor,
        to: &mut [u8],
        flags: i32,
    ) -> Result<usize, Errno> {
        if self.is_deferred(descriptor) {
            return Err(WOULD_BLOCK);
        }
        let handle = self.handle(descriptor)?;
        let mark = self.urgent_mark(descriptor, handle);
        if flags & libc::MSG_OOB != 0 {
            return self.receive_urgent(descriptor, handle, to, flags);
        }
        let Kind::Stream(Stream { read_shut, .. }) = self.get(descriptor)?.kind else {
            return Err(Errno(libc::ENOTCONN));
        };
        let parts = match self.stack.received(handle) {
            Ok(parts) => parts,
            Err(ReceiveError::WouldBlock) => [&[][..]; 2],
            Err(ReceiveError::Finished) => return Ok(0),
            Err(ReceiveError::InvalidHandle) => return Err(Errno(libc::EBADF)),
            Err(_) => return self.take_error(descriptor).map_or(Ok(0), Err),
        };
        // The urgent byte is no part of the stream: reading stops before it, and the next call goes
        // on behind it.
        let queued = parts.iter().map(|part| part.len()).sum::<usize>();
        let skipped = usize::from(mark == Some(0)).min(queued);
        let most = mark.filter(|mark| *mark > 0).unwrap_or(usize::MAX).min(to.len());
        let n = copy_from(parts, skipped, &mut to[..most]);
        if flags & libc::MSG_PEEK == 0 && skipped + n > 0 && !to.is_empty() {
            let _ = self.stack.consume(self.now, handle, skipped + n);
            if self.flags.habits == Habits::Linux {
                self.send_after_reading(descriptor);
            }
            self.forget_unready(descriptor);
        }
        if n == 0 && !to.is_empty() && !read_shut { Err(WOULD_BLOCK) } else { Ok(n) }
    }

    /// `recv` with MSG_OOB: the last urgent byte, if it has arrived and was not read yet. It never
    /// waits.
    fn receive_urgent(
        &mut self,
        descriptor: Descriptor,
        handle: Handle,
        to: &mut [u8],
        flags: i32,
    ) -> Result<usize, Errno> {
        let socket = self.get(descriptor)?;
        let (Some(ahead), false) = (self.stack.urgent_ahead(handle), socket.urgent_inline) else {
            return Err(Errno(libc::EINVAL));
        };
        let place = self.place_in_stream(descriptor, ahead)?;
        let Kind::Stream(Stream { urgent_read, read_shut, .. }) = socket.kind else {
            return Err(Errno(libc::ENOTCONN));
        };
        if urgent_read == Some(place) {
            return Err(Errno(libc::EINVAL));
        }
        let mut byte = [0];
        let parts = self.stack.received(handle).unwrap_or_default();
        if copy_from(parts, (ahead as usize).saturating_sub(1), &mut byte) == 0 {
            let over = read_shut || self.stack.readiness(handle).is_none_or(|it| it.closed);
            return if over { Ok(0) } else { Err(WOULD_BLOCK) };
        }
        if flags & libc::MSG_PEEK == 0
            && let Kind::Stream(stream) = &mut self.get_mut(descriptor)?.kind
        {
            stream.urgent_read = Some(place);
        }
        Ok(copy(to, &byte))
    }

    /// How many bytes can be read before the urgent one, where that is no part of the stream.
    fn urgent_mark(&self, descriptor: Descriptor, handle: Handle) -> Option<usize> {
        let inline = self.get(descriptor).is_ok_and(|socket| socket.urgent_inline);
        let ahead = self.stack.urgent_ahead(handle).filter(|_| !inline)?;
        Some((ahead as usize).saturating_sub(1))
    }

    /// Where in the peer's stream the byte lies that is so far ahead of the reader.
    fn place_in_stream(&self, descriptor: Descriptor, ahead: u32) -> Result<u64, Errno> {
        let info = self.info(descriptor)?;
        Ok(info.bytes_received - u64::from(info.receive_queue) + u64::from(ahead))
    }

    /// Whether there is something to read in the stream, and an urgent byte beside it.
    pub(super) fn readable(&self, descriptor: Descriptor, stream: &Stream) -> (bool, bool) {
        let parts = self.stack.received(stream.handle).unwrap_or_default();
        let queued = parts.iter().map(|part| part.len()).sum::<usize>();
        let only_urgent = queued == 1 && self.urgent_mark(descriptor, stream.handle) == Some(0);
        let ahead = self.stack.urgent_ahead(stream.handle);
        let ahead = ahead.filter(|ahead| *ahead as usize <= queued);
        let urgent = ahead.is_some_and(|ahead| {
            self.place_in_stream(descriptor, ahead).ok() != stream.urgent_read
        });
        (queued > 0 && !only_urgent, urgent)
    }

    /// SIOCATMARK: whether the next byte is the urgent one.
    pub(crate) fn is_at_mark(&self, descriptor: Descriptor) -> Result<bool, Errno> {
        let handle = self.handle(descriptor)?;
        Ok(self.stack.urgent_ahead(handle) == Some(1))
    }

    /// `send`: queues what fits of `data`. Knows MSG_MORE and MSG_OOB.
    pub(crate) fn send(
        &mut self,
        descriptor: Descriptor,
        data: &[u8],
        flags: i32,
    ) -> Result<usize, Errno> {
        let handle = match self.handle(descriptor) {
            Err(Errno(libc::ENOTCONN)) => return Err(Errno(libc::EPIPE)),
            handle => handle?,
        };
        let socket = self.get(descriptor)?;
        let cork = socket.cork || flags & libc::MSG_MORE != 0;
        let info = self.stack.info(self.now, handle).ok_or(Errno(libc::EBADF))?;
        // One that was accepted before its handshake is finished was opened fast.
        let is_opening = matches!(info.state, State::SynSent | State::SynReceived);
        let is_accepted =
            matches!(&self.get(descriptor)?.kind, Kind::Stream(stream) if stream.connect_told);
        if is_opening && !is_accepted {
            return Err(WOULD_BLOCK);
        }
        self.set_cork(descriptor, handle, cork);
        if let Kind::Stream(stream) = &mut self.get_mut(descriptor)?.kind {
            stream.is_unfinished = flags & libc::MSG_MORE != 0;
        }
        let sent = match flags & libc::MSG_OOB {
            0 if self.flags.habits == Habits::Linux => {
                self.send_in_pieces(descriptor, handle, data)
            }
            0 => self.send_record(descriptor, handle, data),
            _ => self.stack.send_urgent(self.now, handle, data),
        };
        self.forget_unready(descriptor);
        let is_counted = self.flags.habits == Habits::Linux && flags & libc::MSG_OOB == 0;
        if let (false, Ok(n), Some(stream)) = (is_counted, sent, self.stream_mut(descriptor)) {
            stream.errors.wrote(n);
        }
        match sent {
            Ok(0) if !data.is_empty() => Err(WOULD_BLOCK),
            Ok(n) => Ok(n),
            Err(SendError::InvalidHandle) => Err(Errno(libc::EBADF)),
            Err(_) => Err(self.take_error(descriptor).unwrap_or(Errno(libc::EPIPE))),
        }
    }

    /// Queues what fits, piece by piece, of which each is sent as soon as it is full.
    fn send_in_pieces(
        &mut self,
        descriptor: Descriptor,
        handle: Handle,
        data: &[u8],
    ) -> Result<usize, SendError> {
        let mut done = 0;
        let is_unfinished = self.stream_mut(descriptor).is_some_and(|stream| stream.is_unfinished);
        while done < data.len() || data.is_empty() {
            let info = self.stack.info(self.now, handle).ok_or(SendError::InvalidHandle)?;
            let room = self.room_of_piece(descriptor, &info).min(data.len() - done);
            let n = match self.send_record(descriptor, handle, &data[done..done + room]) {
                Ok(0) => break,
                Ok(n) => n,
                Err(_) if done > 0 => break,
                Err(error) => return Err(error),
            };
            done += n;
            if let Some(stream) = self.stream_mut(descriptor) {
                stream.errors.wrote(n);
            }
            if done < data.len() {
                self.push_piece(descriptor);
            }
        }
        let waits = done < data.len() && self.is_blocking(descriptor);
        if let Some(stream) = self.stream_mut(descriptor) {
            (stream.is_unfinished, stream.waits_for_room) = (is_unfinished, waits);
        }
        Ok(done)
    }

    /// Gives the stack what it takes, or has it wait behind the end of a record.
    fn send_record(
        &mut self,
        descriptor: Descriptor,
        handle: Handle,
        data: &[u8],
    ) -> Result<usize, SendError> {
        let info = self.stack.info(self.now, handle).ok_or(SendError::InvalidHandle)?;
        let unsent = info.send_queue.saturating_sub(info.unacked);
        let room = self.stack.send_room(handle);
        match self.stream_mut(descriptor) {
            Some(stream) if stream.records.holds_back(unsent) => {
                let n = data.len().min(room.saturating_sub(stream.records.waiting() as usize));
                stream.records.hold(&data[..n]);
                Ok(n)
            }
            _ => self.stack.send(self.now, handle, data),
        }
    }

    /// Sends a piece in the middle of a write. It has PSH if that is more than half
    /// of the peer's window since the last one (`forced_push`).
    fn push_piece(&mut self, descriptor: Descriptor) {
        if let Some(stream) = self.stream_mut(descriptor) {
            let written = stream.errors.written();
            let is_forced = written - stream.pushed > u64::from(stream.largest_window / 2);
            stream.is_unfinished = !is_forced;
            stream.pushed = if is_forced { written } else { stream.pushed };
        }
        let mut packets = self.take_packets();
        self.outbox.append(&mut packets);
    }

    pub(super) fn stream_mut(&mut self, descriptor: Descriptor) -> Option<&mut Stream> {
        match &mut self.sockets.get_mut(&descriptor)?.kind {
            Kind::Stream(stream) => Some(stream),
            _ => None,
        }
    }

    /// A write to a connection waits until that is open.
    pub(crate) fn note_waiting(&mut self, descriptor: Descriptor) {
        if let Some(stream) = self.stream_mut(descriptor) {
            stream.has_waited = true;
        }
    }

    /// Corks a connection, for a while.
    pub(super) fn set_cork(&mut self, descriptor: Descriptor, handle: Handle, cork: bool) {
        let _ = self.stack.set_cork(self.now, handle, cork);
        let until = if cork { self.now + LONGEST_CORK } else { Instant::FAR_FUTURE };
        if let Some(Kind::Stream(stream)) =
            self.sockets.get_mut(&descriptor).map(|socket| &mut socket.kind)
        {
            // It counts from when it was put in.
            stream.corked_until = if cork { stream.corked_until.min(until) } else { until };
        }
    }

    /// When a cork is pulled next.
    pub(super) fn next_uncorking(&self) -> Instant {
        let streams = self.sockets.values().filter_map(|socket| match &socket.kind {
            Kind::Stream(stream) => Some(stream.corked_until),
            _ => None,
        });
        streams.min().unwrap_or(Instant::FAR_FUTURE)
    }

    /// Pulls the corks that have been in for too long: what they hold back is sent. The next that is
    /// written is held back again.
    pub(super) fn uncork_due(&mut self) {
        for socket in self.sockets.values_mut() {
            if let Kind::Stream(stream) = &mut socket.kind
                && stream.corked_until <= self.now
            {
                stream.corked_until = Instant::FAR_FUTURE;
                stream.is_unfinished = false;
                let _ = self.stack.set_cork(self.now, stream.handle, false);
            }
        }
    }

    /// SIOCINQ (FIONREAD): bytes that can be read, before an urgent one if there is any.
    pub(crate) fn readable_bytes(&self, descriptor: Descriptor) -> Result<u32, Errno> {
        match &self.get(descriptor)?.kind {
            Kind::Listening { .. } => Err(Errno(libc::EINVAL)),
            Kind::Epoll(_) => Err(Errno(libc::ENOTTY)),
            Kind::Fresh | Kind::Deferred(_) => Ok(0),
            Kind::Pipe(end) => Ok(self.piped_bytes(*end)),
            Kind::Stream(stream) => {
                let queued = self.info(descriptor)?.receive_queue;
                let mark = self.urgent_mark(descriptor, stream.handle).map(|mark| mark as u32);
                Ok(mark.filter(|mark| *mark < queued).unwrap_or(queued))
            }
        }
    }

    /// SIOCOUTQ: bytes that the peer has not acknowledged.
    pub(crate) fn unacknowledged_bytes(&self, descriptor: Descriptor) -> Result<u32, Errno> {
        match self.get(descriptor)?.kind {
            Kind::Listening { .. } => Err(Errno(libc::EINVAL)),
            Kind::Pipe(_) | Kind::Epoll(_) => Err(Errno(libc::ENOTTY)),
            Kind::Fresh | Kind::Deferred(_) => Ok(0),
            Kind::Stream(_) => self.info(descriptor).map(|info| info.send_queue),
        }
    }

    /// SIOCOUTQNSD: bytes that were not sent yet.
    pub(crate) fn unsent_bytes(&self, descriptor: Descriptor) -> Result<u32, Errno> {
        let queued = self.unacknowledged_bytes(descriptor)?;
        let sent = self.info(descriptor).map_or(0, |info| info.unacked);
        Ok(queued.saturating_sub(sent))
    }

    pub(super) fn info(&self, descriptor: Descriptor) -> Result<ackclock::tcp::Info, Errno> {
        let handle = self.handle(descriptor)?;
        self.stack.info(self.now, handle).ok_or(Errno(libc::EBADF))
    }
}

/// Copies what fits; says how many bytes.
fn copy(to: &mut [u8], from: &[u8]) -> usize {
    let n = to.len().min(from.len());
    to[..n].copy_from_slice(&from[..n]);
    n
}

/// As [`copy`], of what lies behind the first `skip` bytes of both parts.
fn copy_from([first, second]: [&[u8]; 2], skip: usize, to: &mut [u8]) -> usize {
    let n = copy(to, first.get(skip..).unwrap_or_default());
    let skip = skip.saturating_sub(first.len());
    n + copy(&mut to[n..], second.get(skip..).unwrap_or_default())
}

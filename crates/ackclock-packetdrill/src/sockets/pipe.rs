//! Pipes, and `splice` between them and sockets: what `sendfile` is made of.

use super::socket::{Kind, Socket};
use super::{Descriptor, Errno, Sockets, WOULD_BLOCK};
use std::collections::VecDeque;

/// Bytes that a pipe holds, as the kernel's do unless told otherwise.
const CAPACITY: usize = 65_536;
/// Bytes that are written together or not at all (PIPE_BUF).
const ATOMIC: usize = 4_096;
/// `linux/splice.h`: do not wait; more will follow; every flag there is.
pub(crate) const SPLICE_NONBLOCK: u32 = 0x02;
const SPLICE_MORE: u32 = 0x04;
const SPLICE_ALL: u32 = 0x0f;

/// A pipe.
#[derive(Default)]
pub(super) struct Pipe {
    bytes: VecDeque<u8>,
    reader_closed: bool,
    writer_closed: bool,
}

/// One end of a pipe.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct PipeEnd {
    /// Its number in [`Sockets`].
    pipe: u64,
    pub(super) writes: bool,
}

impl Pipe {
    fn room(&self) -> usize {
        CAPACITY - self.bytes.len()
    }

    /// Whether the end can read or write.
    pub(super) fn is_ready(&self, end: PipeEnd) -> bool {
        if end.writes { self.room() >= ATOMIC } else { !self.bytes.is_empty() }
    }

    /// Whether the other end was closed.
    pub(super) fn is_broken(&self, end: PipeEnd) -> bool {
        if end.writes { self.reader_closed } else { self.writer_closed }
    }

    fn read(&mut self, to: &mut [u8]) -> Result<usize, Errno> {
        let n = to.len().min(self.bytes.len());
        to.iter_mut().zip(self.bytes.drain(..n)).for_each(|(to, byte)| *to = byte);
        self.unless_broken(n, to.is_empty())
    }

    /// `n` bytes were read; nothing means the end if nobody writes any more.
    fn unless_broken(&self, n: usize, wanted_none: bool) -> Result<usize, Errno> {
        if n == 0 && !wanted_none && !self.writer_closed { Err(WOULD_BLOCK) } else { Ok(n) }
    }

    fn write(&mut self, data: &[u8]) -> Result<usize, Errno> {
        let n = data.len().min(self.room());
        if self.reader_closed {
            return Err(Errno(libc::EPIPE));
        }
        if n < data.len() && (data.len() <= ATOMIC || n == 0) {
            return Err(WOULD_BLOCK);
        }
        self.bytes.extend(&data[..n]);
        Ok(n)
    }
}

impl Sockets {
    /// `pipe`: one end to read from and one to write to.
    pub(crate) fn pipe(&mut self, reader: Descriptor, writer: Descriptor) {
        let pipe = self.next_pipe;
        self.next_pipe += 1;
        self.pipes.insert(pipe, Pipe::default());
        for (descriptor, writes) in [(reader, false), (writer, true)] {
            let mut socket = Socket::new(false, &self.flags);
            socket.kind = Kind::Pipe(PipeEnd { pipe, writes });
            self.insert(descriptor, socket);
        }
    }

    pub(super) fn pipe_of(&self, end: PipeEnd) -> Option<&Pipe> {
        self.pipes.get(&end.pipe)
    }

    /// An end was closed.
    pub(super) fn close_pipe(&mut self, end: PipeEnd) {
        let Some(pipe) = self.pipes.get_mut(&end.pipe) else {
            return;
        };
        if end.writes {
            pipe.writer_closed = true
        } else {
            pipe.reader_closed = true
        }
        if pipe.writer_closed && pipe.reader_closed {
            self.pipes.remove(&end.pipe);
        }
    }

    /// Bytes that wait in the pipe of an end.
    pub(super) fn piped_bytes(&self, end: PipeEnd) -> u32 {
        self.pipe_of(end).map_or(0, |pipe| pipe.bytes.len() as u32)
    }

    /// `read`: as `recv` without flags from a socket, and from pipes too.
    pub(crate) fn read(&mut self, descriptor: Descriptor, to: &mut [u8]) -> Result<usize, Errno> {
        match self.get(descriptor)?.kind {
            Kind::Pipe(end) => self.end_mut(end, false)?.read(to),
            Kind::Epoll(_) => Err(Errno(libc::EINVAL)),
            _ => self.receive(descriptor, to, 0),
        }
    }

    /// `write`: as `send` without flags to a socket, and to pipes too.
    pub(crate) fn write(&mut self, descriptor: Descriptor, data: &[u8]) -> Result<usize, Errno> {
        match self.get(descriptor)?.kind {
            Kind::Pipe(end) => self.end_mut(end, true)?.write(data),
            Kind::Epoll(_) => Err(Errno(libc::EINVAL)),
            _ => self.send(descriptor, data, 0),
        }
    }

    /// The pipe, if the end is the one that writes, or reads.
    fn end_mut(&mut self, end: PipeEnd, writes: bool) -> Result<&mut Pipe, Errno> {
        let pipe = self.pipes.get_mut(&end.pipe).filter(|_| end.writes == writes);
        pipe.ok_or(Errno(libc::EBADF))
    }

    /// `splice`: moves at most `len` bytes, one side being a pipe. `offsets`: whether the caller has
    /// given one for either side, which neither has.
    pub(crate) fn splice(
        &mut self,
        [from, to]: [Descriptor; 2],
        offsets: [bool; 2],
        len: usize,
        flags: u32,
    ) -> Result<usize, Errno> {
        if len == 0 {
            return Ok(0);
        }
        if flags & !SPLICE_ALL != 0 {
            return Err(Errno(libc::EINVAL));
        }
        let no_offset = |offset: bool, error| if offset { Err(Errno(error)) } else { Ok(()) };
        match (&self.get(from)?.kind, &self.get(to)?.kind) {
            (Kind::Pipe(PipeEnd { writes: true, .. }), _)
            | (_, Kind::Pipe(PipeEnd { writes: false, .. })) => Err(Errno(libc::EBADF)),
            (&Kind::Pipe(source), &Kind::Pipe(sink)) => {
                no_offset(offsets[0] || offsets[1], libc::ESPIPE)?;
                if source.pipe == sink.pipe {
                    return Err(Errno(libc::EINVAL));
                }
                let room = self.end_mut(sink, true)?.room();
                let data = self.peek_pipe(source, len.min(room.max(1)))?;
                let moved =
                    if data.is_empty() { 0 } else { self.end_mut(sink, true)?.write(&data)? };
                self.drain_pipe(source, moved)
            }
            (&Kind::Pipe(source), kind) => {
                no_offset(offsets[0], libc::ESPIPE)?;
                no_offset(offsets[1] || matches!(kind, Kind::Epoll(_)), libc::EINVAL)?;
                let data = self.peek_pipe(source, len)?;
                let more = if flags & SPLICE_MORE != 0 { libc::MSG_MORE } else { 0 };
                let moved = if data.is_empty() { 0 } else { self.send(to, &data, more)? };
                self.drain_pipe(source, moved)
            }
            (kind, &Kind::Pipe(sink)) => {
                no_offset(offsets[1], libc::ESPIPE)?;
                no_offset(offsets[0] || matches!(kind, Kind::Epoll(_)), libc::EINVAL)?;
                let pipe = self.end_mut(sink, true)?;
                if pipe.reader_closed {
                    return Err(Errno(libc::EPIPE));
                }
                if pipe.room() == 0 {
                    return Err(WOULD_BLOCK);
                }
                let mut data = vec![0; len.min(pipe.room())];
                // Nothing is moved over the urgent byte, and nobody waits for it.
                if self.is_at_mark(from)? {
                    return Ok(0);
                }
                let n = self.receive(from, &mut data, 0)?;
                self.end_mut(sink, true)?.bytes.extend(&data[..n]);
                Ok(n)
            }
            _ => Err(Errno(libc::EINVAL)),
        }
    }

    /// At most `len` bytes of the pipe; none at its end.
    fn peek_pipe(&mut self, source: PipeEnd, len: usize) -> Result<Vec<u8>, Errno> {
        let pipe = self.end_mut(source, false)?;
        let data: Vec<u8> = pipe.bytes.iter().take(len).copied().collect();
        pipe.unless_broken(data.len(), false).map(|_| data)
    }

    fn drain_pipe(&mut self, source: PipeEnd, len: usize) -> Result<usize, Errno> {
        self.end_mut(source, false)?.bytes.drain(..len);
        Ok(len)
    }
}

//! Records that MSG_EOR keeps apart: what is written behind the end of one waits here until all before it was sent,
//! so that no segment has parts of both; the FIN goes with the last.

use super::socket::{Kind, Stream};
use super::{Descriptor, Network, Sockets};
use ackclock::stack::Handle;
use ackclock::time::Instant;
use std::collections::VecDeque;

/// Ends of records in what was written, and what waits behind them.
#[derive(Default)]
pub(super) struct Records {
    /// What the stack has been given ends with a record.
    is_sealed: bool,
    /// Writes that wait, and whether each ends a record.
    waiting: VecDeque<(Vec<u8>, bool)>,
    /// A FIN follows what waits.
    is_finished: bool,
}

/// A connection whose socket was closed while records of it wait.
pub(super) struct Closing {
    handle: Handle,
    records: Records,
    /// Bytes received when it was closed.
    heard: u64,
}

impl Records {
    /// Bytes that wait.
    pub(super) fn waiting(&self) -> u32 {
        self.waiting.iter().map(|(bytes, _)| bytes.len() as u32).sum()
    }

    /// Whether what is written now has to wait.
    pub(super) fn holds_back(&self, unsent: u32) -> bool {
        !self.waiting.is_empty() || (self.is_sealed && unsent > 0)
    }

    /// Takes what waits. It goes on in the last write if that ends no record.
    pub(super) fn hold(&mut self, data: &[u8]) {
        match self.waiting.back_mut() {
            Some((bytes, false)) => bytes.extend(data),
            _ => self.waiting.push_back((data.to_vec(), false)),
        }
    }

    /// Gives the stack what waits, if all before it was sent, and the FIN behind the last; false if it is nothing.
    fn release(&mut self, stack: &mut Network, now: Instant, handle: Handle) -> bool {
        let Some(info) = stack.info(now, handle).filter(|info| info.error.is_none()) else {
            self.waiting.clear();
            return false;
        };
        if info.send_queue > info.unacked {
            return false;
        }
        let Some((bytes, ends)) = self.waiting.pop_front() else { return false };
        let taken = stack.send(now, handle, &bytes).unwrap_or(0);
        if taken < bytes.len() {
            self.waiting.push_front((bytes[taken..].to_vec(), ends));
        } else {
            self.is_sealed = ends;
        }
        // The end of a record waits for no more to come.
        if ends {
            let _ = stack.push(now, handle);
        }
        if self.is_finished && self.waiting.is_empty() {
            let _ = stack.shutdown(now, handle);
        }
        taken > 0
    }

    /// A call has written to the end of a record, or not.
    pub(super) fn seal(&mut self, is_end: bool) {
        match self.waiting.back_mut() {
            Some((_, ends)) => *ends = is_end,
            None => self.is_sealed = is_end,
        }
    }
}

impl Sockets {
    /// Gives the stack what waits behind records of which all was sent; false if there is none.
    pub(super) fn release_records(&mut self) -> bool {
        let now = self.now;
        let mut has_released = false;
        for socket in self.sockets.values_mut() {
            let Kind::Stream(Stream { handle, records, .. }) = &mut socket.kind else { continue };
            has_released |= records.release(&mut self.stack, now, *handle);
        }
        for Closing { handle, records, .. } in &mut self.closing {
            has_released |= records.release(&mut self.stack, now, *handle);
        }
        let stack = &mut self.stack;
        self.closing.retain(|Closing { handle, records, .. }| {
            let waits = !records.waiting.is_empty();
            if !waits {
                let _ = stack.close(now, *handle);
            }
            waits
        });
        has_released
    }

    /// No more is written: the FIN follows what waits.
    pub(super) fn finish(&mut self, descriptor: Descriptor) {
        let now = self.now;
        let Some(stream) = self.stream_mut(descriptor) else { return };
        stream.records.is_finished = true;
        if stream.records.waiting.is_empty() {
            let handle = stream.handle;
            let _ = self.stack.shutdown(now, handle);
        }
    }

    /// Closes a connection behind what waits of it. What came and was not read resets it at once.
    pub(super) fn close_behind(&mut self, handle: Handle, records: Records) {
        let readiness = self.stack.readiness(handle).unwrap_or_default();
        let is_read = !readiness.readable || readiness.finished;
        if is_read && !records.waiting.is_empty() {
            let heard = self.stack.info(self.now, handle).map_or(0, |info| info.bytes_received);
            self.closing.push(Closing { handle, records, heard });
        } else {
            let _ = self.stack.close(self.now, handle);
        }
    }

    /// Resets the connections that wait behind a close for their records and have received data since, which nobody
    /// will read (RFC 9293 section 3.6.1, SHLD-3; `tcp_rcv_state_process`).
    pub(super) fn reset_unread(&mut self) {
        let (now, stack) = (self.now, &mut self.stack);
        self.closing.retain(|Closing { handle, heard, .. }| {
            let received = stack.info(now, *handle).map_or(0, |info| info.bytes_received);
            let is_unread = received > *heard;
            if is_unread {
                let _ = stack.abort(now, *handle);
            }
            !is_unread
        });
    }
}

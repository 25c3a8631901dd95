//! Records that MSG_EOR keeps apart: what is written behind the end of one waits here until all before it was sent,
//! so that no segment has parts of both.

use super::socket::{Kind, Stream};
use super::{Descriptor, Sockets};
use std::collections::VecDeque;

/// Ends of records in what was written, and what waits behind them.
#[derive(Default)]
pub(super) struct Records {
    /// What the stack has been given ends with a record.
    is_sealed: bool,
    /// Writes that wait, and whether each ends a record.
    waiting: VecDeque<(Vec<u8>, bool)>,
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
            if records.waiting.is_empty() {
                continue;
            }
            let Some(info) = self.stack.info(now, *handle) else { continue };
            if info.send_queue > info.unacked {
                continue;
            }
            let Some((bytes, ends)) = records.waiting.pop_front() else { continue };
            let taken = self.stack.send(now, *handle, &bytes).unwrap_or(0);
            if taken < bytes.len() {
                records.waiting.push_front((bytes[taken..].to_vec(), ends));
            } else {
                records.is_sealed = ends;
            }
            // The end of a record waits for no more to come.
            if ends {
                let _ = self.stack.push(now, *handle);
            }
            has_released |= taken > 0;
        }
        has_released
    }

    /// No more is written: what waits goes on without its bounds.
    pub(super) fn flush_records(&mut self, descriptor: Descriptor) {
        let now = self.now;
        let Some(stream) = self.stream_mut(descriptor) else { return };
        let (handle, waiting) = (stream.handle, std::mem::take(&mut stream.records.waiting));
        for (bytes, _) in waiting {
            let _ = self.stack.send(now, handle, &bytes);
        }
    }
}

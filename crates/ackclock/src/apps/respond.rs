//! A service that answers each request with as many bytes as the request asks for.

use super::Exchange;
use super::pattern::send_pattern;
use super::server::{Progress, Serve};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::stack::{Handle, Stack};
use crate::storage::copy;
use crate::time::Instant;

/// Bytes of a request's header.
const HEADER: usize = Exchange::HEADER as usize;

/// Reads a request, whose [header](Exchange::HEADER) gives its length and that of the response, answers it,
/// and goes on with the next. The content of requests is discarded; the responses are consecutive parts of
/// the [`Pattern`](super::Pattern) of seed 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Respond;

/// State of a connection to the service.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Conversation {
    header: [u8; HEADER],
    /// Bytes of the header received so far.
    header_length: u8,
    /// Bytes of the request that are still to be read.
    request: u32,
    /// Bytes of the response that are still to be sent.
    response: u32,
    /// Bytes of responses sent.
    sent: u64,
}

impl Serve for Respond {
    type Memory = Conversation;

    fn serve<C: CongestionController + Clone, P: Profile>(
        &self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        handle: Handle,
        conversation: &mut Conversation,
    ) -> Progress {
        let mut progress = Progress::default();
        loop {
            let received = conversation.read(now, stack, handle);
            let sent = conversation.answer(now, stack, handle);
            progress.received += received;
            progress.sent += sent;
            if received == 0 && sent == 0 {
                return progress;
            }
        }
    }

    fn owes(&self, conversation: &Conversation) -> bool {
        conversation.is_asked()
    }
}

impl Conversation {
    /// Whether a whole request has been read and its response has not been sent in full.
    fn is_asked(&self) -> bool {
        usize::from(self.header_length) == HEADER && self.request == 0
    }

    /// Reads the header, then the rest of the request, as far as they have arrived; reads nothing while a
    /// response is being sent. Returns how many bytes it read.
    fn read<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        handle: Handle,
    ) -> u64 {
        let Ok([first, second]) = stack.received(handle) else {
            return 0;
        };
        let done = usize::from(self.header_length);
        let taken = if done < HEADER {
            let place = self.header.get_mut(done..).unwrap_or_default();
            let n = copy(place, first);
            let n = n + copy(place.get_mut(n..).unwrap_or_default(), second);
            self.header_length += n as u8;
            if done + n == HEADER {
                let exchange = Exchange::read(self.header);
                self.request = exchange.request - Exchange::HEADER;
                self.response = exchange.response;
            }
            n
        } else {
            let request = usize::try_from(self.request).unwrap_or(usize::MAX);
            let n = request.min(first.len() + second.len());
            self.request -= n as u32;
            n
        };
        if taken > 0 {
            let _ = stack.consume(now, handle, taken);
        }
        taken as u64
    }

    /// Queues as much of the response as there is room for, once the request has been read; returns how many
    /// bytes.
    fn answer<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        handle: Handle,
    ) -> u64 {
        if !self.is_asked() {
            return 0;
        }
        let end = self.sent.saturating_add(self.response.into());
        let taken = send_pattern(now, stack, handle, 0, self.sent, end);
        self.sent = self.sent.saturating_add(taken);
        self.response = self.response.saturating_sub(taken as u32);
        if self.response == 0 {
            self.header_length = 0;
        }
        taken
    }
}

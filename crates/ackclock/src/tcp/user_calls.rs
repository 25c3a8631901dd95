//! The application's calls (RFC 9293 sections 3.9.1 and 3.10.2 to 3.10.5). OPEN makes a connection
//! (`connection.rs`), STATUS is [`Info`](super::Info).

use super::connection::Connection;
use super::{Error, Keepalive, Nagle, ReceiveError, SendError, State};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::time::{Duration, Instant};

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// SEND: queues what fits of `data`; returns how many bytes were taken. Before the connection
    /// is established data waits in the queue.
    ///
    /// # Errors
    /// Nothing more can be sent: this side has shut down, or the connection is over.
    #[inline(always)]
    pub fn send(&mut self, now: Instant, data: &[u8]) -> Result<usize, SendError> {
        self.check_open_for_sending()?;
        Ok(self.sender.enqueue(now, data))
    }

    /// SEND in place: `write` gets free memory of the send queue and says how many bytes of it, from
    /// the front, it has written. That memory is in one piece and may be less than
    /// [`send_room`](Self::send_room).
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub fn send_with(
        &mut self,
        now: Instant,
        write: impl FnOnce(&mut [u8]) -> usize,
    ) -> Result<usize, SendError> {
        self.check_open_for_sending()?;
        Ok(self.sender.enqueue_with(now, write))
    }

    fn check_open_for_sending(&self) -> Result<(), SendError> {
        match self.state {
            State::Closed | State::Listen | State::TimeWait => {
                Err(self.error.map_or(SendError::Finished, SendError::Closed))
            }
            _ if self.sender.is_finished() => Err(SendError::Finished),
            _ => Ok(()),
        }
    }

    /// How many bytes [`send`](Self::send) would take now.
    pub fn send_room(&self) -> usize {
        match self.state {
            State::Closed | State::Listen | State::TimeWait => 0,
            _ if self.sender.is_finished() => 0,
            _ => self.sender.queue().free(),
        }
    }

    /// SEND with the URGENT flag: the last byte taken is the last urgent one (section 3.8.5).
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub fn send_urgent(&mut self, now: Instant, data: &[u8]) -> Result<usize, SendError> {
        let taken = self.send(now, data)?;
        if taken > 0 {
            self.sender.mark_urgent();
        }
        Ok(taken)
    }

    /// RECEIVE: copies received data into `to`; returns how many bytes, 0 only if `to` is empty.
    ///
    /// # Errors
    /// Nothing has arrived yet ([`ReceiveError::WouldBlock`]), or nothing more will come: the peer has
    /// finished, or the connection is over.
    #[inline(always)]
    pub fn receive(&mut self, to: &mut [u8]) -> Result<usize, ReceiveError> {
        let n = if self.withholds_text() { 0 } else { self.receiver.read(to) };
        self.after_read();
        if n > 0 || to.is_empty() { Ok(n) } else { Err(self.why_empty()) }
    }

    /// Received data where it lies, as two slices in order.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    pub fn received(&self) -> Result<[&[u8]; 2], ReceiveError> {
        if self.available() > 0 { Ok(self.receiver.slices()) } else { Err(self.why_empty()) }
    }

    /// Why there is nothing to read.
    fn why_empty(&self) -> ReceiveError {
        match self.state {
            _ if self.receiver.is_finished() => ReceiveError::Finished,
            State::Closed | State::TimeWait => {
                self.error.map_or(ReceiveError::Finished, ReceiveError::Closed)
            }
            _ => ReceiveError::WouldBlock,
        }
    }

    /// How many bytes can be read: what came with a SYN waits until the connection is established.
    pub(crate) fn available(&self) -> usize {
        if self.withholds_text() { 0 } else { self.receiver.queued() }
    }

    /// Removes `n` received bytes.
    pub fn consume(&mut self, n: usize) {
        self.receiver.consume(n);
        self.after_read();
    }

    /// Urgent data is over once its last byte was read (MUST-32).
    fn after_read(&mut self) {
        self.urgent.pass(self.receiver.first_unread());
    }

    /// How many bytes are to be read up to the last urgent one, it included (MUST-33); `None`:
    /// nothing urgent is ahead.
    pub fn urgent_ahead(&self) -> Option<u32> {
        self.urgent.get().map(|urgent| urgent.since(self.receiver.first_unread()))
    }

    /// CLOSE in the RFC's sense (section 3.10.4): no more data will be sent; FIN follows what is
    /// queued, after the handshake if need be. Data can still be received.
    pub fn shutdown(&mut self, now: Instant) {
        if !matches!(self.state, State::Closed | State::Listen | State::TimeWait) {
            self.sender.finish(now);
        }
    }

    /// The application gives the connection up: what is queued is still delivered within the linger
    /// time, and what was not read, or arrives from now on, resets the connection (section 3.6.1).
    /// A connection that the peer has not answered yet is forgotten.
    pub fn close(&mut self, now: Instant) {
        self.sender.orphan(now);
        let linger = self.settings.linger();
        if self.receiver.queued() > 0 || linger.is_zero() || self.state == State::SynSent {
            self.abort();
            return;
        }
        self.shutdown(now);
        let patience = match self.state {
            State::FinWait2 => self.settings.fin_wait_2_timeout(),
            _ if linger == Duration::MAX => return,
            _ => linger,
        };
        self.close_deadline = self.close_deadline.min(now + patience);
    }

    /// ABORT (section 3.10.5): the peer gets a RST, what is queued is lost.
    pub fn abort(&mut self) {
        if !matches!(self.state, State::Closed | State::TimeWait) {
            self.fail_with_reset(Error::Aborted);
        }
    }

    /// Chooses Nagle's algorithm, or none (section 3.7.4, MUST-17).
    pub fn set_nagle(&mut self, nagle: Nagle) {
        self.sender.set_nagle(nagle);
    }

    /// Corked, only full-sized segments are sent, but for what has waited for 200 ms with nothing in flight.
    pub fn set_cork(&mut self, now: Instant, on: bool) {
        self.sender.set_cork(now, on);
    }

    /// What is queued waits no more behind a cork, or, by Minshall's rule, for an ack: it goes as soon as the
    /// windows let it.
    pub fn push(&mut self, now: Instant) {
        self.sender.push(now);
    }

    /// Switches keepalive (section 3.8.4, MUST-24). The settings must be usable
    /// ([`Config::validate`](super::Config::validate)).
    pub fn set_keepalive(&mut self, settings: Option<Keepalive>) {
        self.settings.set_keepalive(settings);
        self.adopt_user_timeout();
    }

    /// Sets how long to repeat the SYN, counted from the opening.
    pub fn set_syn_give_up(&mut self, give_up: Duration) {
        self.settings.set_syn_give_up(give_up);
    }

    /// Sets most bytes queued for sending; what is queued stays.
    pub fn set_send_buffer(&mut self, bytes: u32) {
        self.sender.set_limit(bytes as usize);
    }

    /// Sets most bytes received and not read; what was advertised is still taken. What our SYN told
    /// cannot be taken back: before the connection is established the buffer only grows.
    pub fn set_receive_buffer(&mut self, bytes: u32) {
        let least = if self.state.is_synchronized() { 0 } else { self.receiver.limit() };
        self.receiver.set_limit(least.max(bytes as usize));
    }

    /// Bounds the window to be advertised, in bytes; what was advertised stays promised. As with the
    /// buffer, before the connection is established it only grows.
    pub fn set_window_clamp(&mut self, bytes: Option<u32>) {
        let told = if self.state.is_synchronized() { 0 } else { self.receiver.largest_window() };
        self.receiver.set_clamp(bytes.map(|bytes| bytes.max(told)));
    }

    /// Has the next `count` segments acknowledged one by one, beginning with those that wait for a
    /// delayed ack.
    pub fn set_quick_acks(&mut self, count: u16) {
        self.receiver.set_quick_acks(count);
    }

    /// Replaces the window law by one that starts from the window of the old one.
    pub fn set_controller(&mut self, now: Instant, controller: C) {
        // One that was opened fast has begun to send.
        if self.state.is_synchronized() || self.was_opened_fast() {
            self.sender.change_controller(now, controller, self.agreement.sack);
        } else {
            self.sender.set_controller(controller);
        }
    }
}

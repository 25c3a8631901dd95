//! The application's calls on a connection (RFC 9293 sections 3.9.1 and 3.10.2 to 3.10.5). OPEN is in
//! `connection.rs`, STATUS is [`Info`](super::Info).

use super::connection::Connection;
use super::{Error, Keepalive, Nagle, ReceiveError, SendError, State};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::time::{Duration, Instant};

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// SEND: queues as much of `data` as fits, and returns how many bytes that is. Before the connection is
    /// established the data waits in the queue.
    ///
    /// # Errors
    /// Nothing more can be sent: this side has shut down, or the connection is over.
    #[inline(always)]
    pub fn send(&mut self, now: Instant, data: &[u8]) -> Result<usize, SendError> {
        self.check_open_for_sending()?;
        Ok(self.sender.enqueue(now, data))
    }

    /// SEND in place: `write` is called with free memory of the send queue, and returns how many bytes of it,
    /// from the front, it has written. That memory is contiguous, and may be less than
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

    /// RECEIVE: copies received data into `to` and returns how many bytes; 0 only if `to` is empty.
    ///
    /// # Errors
    /// [`ReceiveError::WouldBlock`] if no unread data has arrived yet; other errors if no more will come: the
    /// peer has finished, or the connection is over.
    #[inline(always)]
    pub fn receive(&mut self, to: &mut [u8]) -> Result<usize, ReceiveError> {
        let n = if self.withholds_text() { 0 } else { self.receiver.read(to) };
        self.after_read();
        if n > 0 || to.is_empty() { Ok(n) } else { Err(self.why_empty()) }
    }

    /// The received data in place, as two slices in order.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    pub fn received(&self) -> Result<[&[u8]; 2], ReceiveError> {
        if self.available() > 0 { Ok(self.receiver.slices()) } else { Err(self.why_empty()) }
    }

    /// The error to report if there is nothing to read.
    fn why_empty(&self) -> ReceiveError {
        match self.state {
            _ if self.receiver.is_finished() => ReceiveError::Finished,
            State::Closed | State::TimeWait => {
                self.error.map_or(ReceiveError::Finished, ReceiveError::Closed)
            }
            _ => ReceiveError::WouldBlock,
        }
    }

    /// How many bytes can be read. Data that came with a SYN cannot until the connection is established.
    pub(crate) fn available(&self) -> usize {
        if self.withholds_text() { 0 } else { self.receiver.queued() }
    }

    /// Removes `n` received bytes from the receive queue.
    pub fn consume(&mut self, n: usize) {
        self.receiver.consume(n);
        self.after_read();
    }

    /// Ends urgent mode once the last urgent byte was read (MUST-32).
    fn after_read(&mut self) {
        self.urgent.pass(self.receiver.first_unread());
    }

    /// How many bytes remain to be read up to and including the last urgent one (MUST-33); `None` if no
    /// urgent data is pending.
    pub fn urgent_ahead(&self) -> Option<u32> {
        self.urgent.get().map(|urgent| urgent.since(self.receiver.first_unread()))
    }

    /// CLOSE as RFC 9293 defines it (section 3.10.4): no more data will be sent, and a FIN follows what is
    /// queued, after the handshake if need be. Data can still be received.
    pub fn shutdown(&mut self, now: Instant) {
        if !matches!(self.state, State::Closed | State::Listen | State::TimeWait) {
            self.sender.finish(now);
        }
    }

    /// Gives the connection up: queued data is still delivered within the linger time, but data that is
    /// unread, or arrives from now on, resets the connection (section 3.6.1). A connection that the peer has
    /// not answered yet is dropped at once.
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

    /// ABORT (section 3.10.5): sends a RST to the peer; queued data is lost.
    pub fn abort(&mut self) {
        if !matches!(self.state, State::Closed | State::TimeWait) {
            self.fail_with_reset(Error::Aborted);
        }
    }

    /// Sets Nagle's algorithm, or turns it off (section 3.7.4, MUST-17).
    pub fn set_nagle(&mut self, nagle: Nagle) {
        self.sender.set_nagle(nagle);
    }

    /// Sets or removes the cork: while it is on, only full-sized segments are sent, except for data that has
    /// waited for 200 ms with nothing in flight.
    pub fn set_cork(&mut self, now: Instant, on: bool) {
        self.sender.set_cork(now, on);
    }

    /// Releases the data queued so far from the cork and from Minshall's rule (waiting for an ack): it is
    /// sent as soon as the windows allow.
    pub fn push(&mut self, now: Instant) {
        self.sender.push(now);
    }

    /// Turns keepalive on or off (section 3.8.4, MUST-24). The settings must be valid
    /// ([`Config::validate`](super::Config::validate)).
    pub fn set_keepalive(&mut self, settings: Option<Keepalive>) {
        self.settings.set_keepalive(settings);
        self.adopt_user_timeout();
    }

    /// Sets for how long the SYN is retransmitted, counted from the opening.
    pub fn set_syn_give_up(&mut self, give_up: Duration) {
        self.settings.set_syn_give_up(give_up);
    }

    /// Sets the limit of the send queue in bytes; data already queued stays.
    pub fn set_send_buffer(&mut self, bytes: u32) {
        self.sender.set_limit(bytes as usize);
    }

    /// Sets the limit of the receive queue in bytes; data within the window already advertised is still
    /// accepted. Until the connection is established the limit only grows, as the window of our SYN cannot be
    /// taken back.
    pub fn set_receive_buffer(&mut self, bytes: u32) {
        let least = if self.state.is_synchronized() { 0 } else { self.receiver.limit() };
        self.receiver.set_limit(least.max(bytes as usize));
    }

    /// Sets the largest window to advertise, in bytes; the window already advertised remains valid. Until the
    /// connection is established the limit only grows.
    pub fn set_window_clamp(&mut self, bytes: Option<u32>) {
        let told = if self.state.is_synchronized() { 0 } else { self.receiver.largest_window() };
        self.receiver.set_clamp(bytes.map(|bytes| bytes.max(told)));
    }

    /// Has the next `count` segments acknowledged one by one (quick acks), beginning with those that wait for
    /// a delayed ack.
    pub fn set_quick_acks(&mut self, count: u16) {
        self.receiver.set_quick_acks(count);
    }

    /// Replaces the congestion control algorithm by one that starts from the old one's window.
    pub fn set_controller(&mut self, now: Instant, controller: C) {
        // A server of Fast Open has begun to send before the handshake is finished.
        if self.state.is_synchronized() || self.was_opened_fast() {
            self.sender.change_controller(now, controller, self.agreement.sack);
        } else {
            self.sender.set_controller(controller);
        }
    }
}

//! The events of a connection (RFC 9293 section 3.10) and the parts they act on.

use super::{Config, Error, FlightRecord, Info, ReceiveError, SendError, State};
use crate::congestion::CongestionController;
use crate::seq::{SeqNumber, SeqRange};
use crate::storage::Buffer;
use crate::time::Instant;
use crate::wire::{Ecn, Header, IcmpErrorKind, Options, Segment};

/// The memory of one connection, lent or growing.
#[derive(Debug, Default)]
pub struct Buffers<'a> {
    /// Send queue, in bytes.
    pub send: Buffer<'a, u8>,
    /// Receive queue, in bytes.
    pub receive: Buffer<'a, u8>,
    /// Records of what is in flight.
    pub flight: Buffer<'a, FlightRecord>,
    /// Ranges of out-of-order data.
    pub reassembly: Buffer<'a, SeqRange>,
}

/// What a connection needs to know to open.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    /// Initial send sequence number (RFC 6528).
    pub iss: SeqNumber,
    /// Added to our timestamp clock (RFC 7323 section 5.4).
    pub timestamp_offset: u32,
    /// Largest IP packet on the path, in bytes.
    pub mtu: u32,
    /// Length of the IP header in bytes: 20 or 40.
    pub ip_header: u32,
    /// Seed of the connection's own random words.
    pub random: u64,
}

/// What was agreed in a passive open before the connection got its buffers.
#[derive(Clone, Copy, Debug)]
pub struct Accepted {
    /// Initial receive sequence number: that of the peer's SYN.
    pub irs: SeqNumber,
    /// Options of the peer's SYN.
    pub peer_options: Options,
    /// Options of our SYN: what was offered (window scale, MSS, SACK, timestamps).
    pub our_options: Options,
    /// The window that our SYN-ACK advertised, in bytes.
    pub advertised_window: u16,
    /// When the first SYN-ACK was sent, if it was not retransmitted (Karn's rule).
    pub syn_sent_at: Option<Instant>,
    /// How often the SYN-ACK was retransmitted.
    pub syn_retransmits: u32,
}

/// One segment that the connection wants to send. Ports and addresses are the stack's to fill in.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing {
    /// The TCP header, ports zero.
    pub header: Header,
    /// Where the payload begins in the send queue.
    pub offset: usize,
    /// Payload length in bytes.
    pub len: usize,
    /// Payload bytes of each segment but the last, when the link is to cut this transmission.
    pub segment_size: u16,
    /// ECN codepoint for the IP header.
    pub ecn: Ecn,
}

/// What the stack must do after a segment was digested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Verdict {
    /// Nothing beyond looking at the connection's state.
    Done,
    /// Answer the segment with a RST as for a segment that belongs to nobody
    /// (RFC 9293 section 3.10.7.3: unacceptable ACK in SYN-SENT).
    Reset,
}

/// One TCP connection.
#[derive(Debug)]
pub struct Connection<'a, C> {
    state: State,
    controller: C,
    buffers: Buffers<'a>,
}

impl<'a, C: CongestionController> Connection<'a, C> {
    /// Active open (section 3.10.1): a connection in SYN-SENT whose SYN the next
    /// [`poll_transmit`](Self::poll_transmit) gives. `config` has been validated.
    pub fn connect(
        now: Instant,
        config: &Config,
        controller: C,
        buffers: Buffers<'a>,
        open: &Open,
    ) -> Self {
        let _ = (now, config, open);
        Connection {
            state: State::SynSent,
            controller,
            buffers,
        }
    }

    /// Passive open: the connection that a half-open record becomes, in ESTABLISHED, once the
    /// peer's ACK of our SYN was found acceptable. The stack then hands the same segment to
    /// [`on_segment`](Self::on_segment), which takes its window, data and FIN.
    pub fn accept(
        now: Instant,
        config: &Config,
        controller: C,
        buffers: Buffers<'a>,
        open: &Open,
        accepted: &Accepted,
    ) -> Self {
        let _ = (now, config, open, accepted);
        Connection {
            state: State::Established,
            controller,
            buffers,
        }
    }

    /// A segment arrived (section 3.10.7).
    pub fn on_segment(&mut self, now: Instant, segment: &Segment<'_>) -> Verdict {
        let _ = (now, segment);
        todo!()
    }

    /// An ICMP error about one of our segments arrived (RFC 5927). It is ignored unless `seq` is
    /// in flight.
    pub fn on_icmp_error(&mut self, now: Instant, kind: IcmpErrorKind, seq: SeqNumber) {
        let _ = (now, kind, seq);
        todo!()
    }

    /// Fires every timer that is due (section 3.10.8).
    pub fn on_timeout(&mut self, now: Instant) {
        let _ = now;
        todo!()
    }

    /// The earliest deadline; [`Instant::FAR_FUTURE`] if no timer is pending.
    pub fn poll_timeout(&self) -> Instant {
        todo!()
    }

    /// Decides the next transmission without changing anything but bookkeeping that repeats the
    /// same: calling it again gives the same answer. `None`: nothing to send now. `max_payload` is
    /// the most payload bytes that the link takes in one transmission.
    pub fn poll_transmit(&mut self, now: Instant, max_payload: usize) -> Option<Outgoing> {
        let _ = (now, max_payload);
        todo!()
    }

    /// The payload of a transmission, as two slices of the send queue.
    pub fn payload(&self, outgoing: &Outgoing) -> [&[u8]; 2] {
        let _ = outgoing;
        todo!()
    }

    /// The link has taken `outgoing`, the last answer of [`poll_transmit`](Self::poll_transmit).
    pub fn on_transmitted(&mut self, now: Instant, outgoing: &Outgoing) {
        let _ = (now, outgoing);
        todo!()
    }

    /// SEND (section 3.10.2): queues what fits of `data`; returns how many bytes were taken.
    pub fn send(&mut self, now: Instant, data: &[u8]) -> Result<usize, SendError> {
        let _ = (now, data);
        todo!()
    }

    /// RECEIVE (section 3.10.3): copies received data into `to`; 0 if there is none yet.
    pub fn receive(&mut self, now: Instant, to: &mut [u8]) -> Result<usize, ReceiveError> {
        let _ = (now, to);
        todo!()
    }

    /// State (section 3.3.2). A connection that is over is in CLOSED; one that finished its side of
    /// the close and only waits for 2 MSL is in TIME-WAIT: the stack turns it into a record.
    pub fn state(&self) -> State {
        self.state
    }

    /// Why the connection is over, once it is.
    pub fn error(&self) -> Option<Error> {
        todo!()
    }

    /// A snapshot (section 3.10.6, STATUS).
    pub fn info(&self, now: Instant) -> Info {
        let _ = now;
        todo!()
    }

    /// Takes the memory back from a connection that is over.
    pub fn into_buffers(self) -> Buffers<'a> {
        self.buffers
    }
}

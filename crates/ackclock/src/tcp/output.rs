//! What a connection sends, in two steps: decide, and (once the link has taken it) remember.

use super::connection::{Connection, Reset};
use super::seldom::SeldomTurn;
use super::sender::{Data, DataKind};
use super::{RestartAfterIdle, State, accurate_ecn};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::seq::SeqNumber;
use crate::time::Instant;
use crate::wire::{Ecn, Flags, Header, Options};

/// One segment that the connection wants to send. Ports and addresses are the stack's to fill in.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing {
    /// The TCP header, ports zero.
    pub header: Header,
    /// Where the payload begins in the send queue.
    pub offset: usize,
    /// Payload length in bytes.
    pub len: usize,
    /// Payload bytes of each segment but the last, when the link is to cut this transmission; 0: it
    /// is one segment.
    pub segment_size: u16,
    /// ECN codepoint for the IP header.
    pub ecn: Ecn,
    cause: Cause,
    /// The window in `header`, in bytes.
    window: u32,
}

impl Outgoing {
    /// Whether it is a full segment of new data, with no flag but ACK, that no link cuts.
    pub(super) fn is_full_segment(&self, mss: u32) -> bool {
        let Cause::Data(data) = self.cause else {
            return false;
        };
        data.kind == DataKind::New
            && data.len == mss
            && self.segment_size == 0
            && !self.header.flags.intersects(Flags::PSH | Flags::FIN | Flags::URG | Flags::CWR)
    }

    /// Whether it may be too large for the path, to find that out.
    pub(crate) fn probes_path<P: Profile>(&self) -> bool {
        matches!(self.cause, Cause::Data(data) if data.kind.is_path_probe::<P>())
    }

    /// How many segments it is in the network.
    fn segments(&self) -> u32 {
        match u32::from(self.segment_size) {
            0 => 1,
            size => (self.len as u32).div_ceil(size),
        }
    }
}

/// Why a segment is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    Syn,
    Reset,
    Challenge,
    Keepalive,
    Ack,
    Data(Data),
}

impl Cause {
    /// Whether such a segment has room for SACK blocks, and is the place for them.
    fn may_report(self) -> bool {
        matches!(self, Cause::Ack | Cause::Challenge | Cause::Keepalive)
    }
}

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Decides the next transmission. Until the answer was taken
    /// ([`on_transmitted`](Self::on_transmitted)) or something else happens to the connection,
    /// another call gives the same answer. `None`: nothing to send now. `max_payload` is the most
    /// payload bytes that the link cuts into segments by itself; 0 if it does not.
    pub fn poll_transmit(&mut self, now: Instant, max_payload: u32) -> Option<Outgoing> {
        match self.state {
            State::Closed | State::Listen => {
                (self.reset != Reset::No).then(|| self.bare(now, Cause::Reset))
            }
            _ if self.is_opening() => self.poll_opening(now, max_payload),
            _ => self.poll_synchronized(now, max_payload),
        }
    }

    fn poll_opening(&mut self, now: Instant, max_payload: u32) -> Option<Outgoing> {
        if self.challenge_due {
            Some(self.bare(now, Cause::Challenge))
        } else if self.syn_due() {
            Some(self.outgoing_syn(now))
        } else if self.is_sending() {
            self.poll_synchronized(now, max_payload)
        } else {
            None
        }
    }

    /// Whether it is plain, just after a segment was sent, that [`poll_transmit`](Self::poll_transmit)
    /// gives no other.
    pub(crate) fn has_said_all(&self, now: Instant) -> bool {
        if self.challenge_due || self.reset != Reset::No {
            return false;
        }
        if !self.is_sending() {
            return !self.syn_due();
        }
        !self.keepalive.due
            && self.sender.is_silent()
            && self.settings.restart_after_idle() != RestartAfterIdle::Validation
            && !self.receiver.ack_due(now)
    }

    /// Whether [`poll_transmit`](Self::poll_transmit) gives nothing in TIME-WAIT, where all that was
    /// sent is acknowledged.
    pub(crate) fn has_nothing_to_send(&self, now: Instant) -> bool {
        !(self.challenge_due || self.receiver.ack_due(now))
    }

    fn poll_synchronized(&mut self, now: Instant, max_payload: u32) -> Option<Outgoing> {
        if self.challenge_due {
            return Some(self.bare(now, Cause::Challenge));
        }
        let ack_due = self.receiver.ack_due(now);
        if ack_due && self.has_report() {
            return Some(self.bare(now, Cause::Ack));
        }
        let seldom = self.seldom_turn(now, ack_due);
        match seldom {
            SeldomTurn::Ack => return Some(self.bare(now, Cause::Ack)),
            SeldomTurn::Probe(data) => return Some(self.data(now, data)),
            _ => {}
        }
        // The urgent pointer counts from its own segment, so no link can cut such a segment.
        // CWR stands in one segment only.
        let has_cwr = self.sender.cwr_due() || matches!(seldom, SeldomTurn::Whole);
        let single = self.sender.urgent().is_some() || has_cwr;
        let max_payload = if single { 0 } else { max_payload };
        if !matches!(seldom, SeldomTurn::Gather)
            && let Some(data) = self.sender.next(now, &self.settings, max_payload)
        {
            if self.believes_router(now, &data) {
                return self.poll_synchronized(now, max_payload);
            }
            return Some(self.data(now, data));
        }
        if self.keepalive.due && self.probes_when_idle() {
            return Some(self.bare(now, Cause::Keepalive));
        }
        (ack_due || self.window_update_due()).then(|| self.bare(now, Cause::Ack))
    }

    /// Whether the peer should hear that there is room again.
    pub(crate) fn window_update_due(&self) -> bool {
        // Where it is not counted what was read is taken to have been.
        let was_read =
            !P::COUNTERS || self.counters.bytes_received.get() > self.receiver.queued() as u64;
        self.takes_data() && self.receiver.window_update_due(was_read)
    }

    /// Whether the peer may still send new data.
    pub(crate) fn takes_data(&self) -> bool {
        matches!(self.state, State::Established | State::FinWait1 | State::FinWait2)
    }

    /// Whether an ack says more than RCV.NXT: it reports holes or duplicates. Such an ack goes
    /// alone: beside data there is no room for SACK blocks, and without SACK the peer counts only
    /// duplicate acks that carry no data (RFC 5681 section 2).
    fn has_report(&self) -> bool {
        self.receiver.has_report()
    }

    /// A segment without payload, with the current ack and a window of `window` bytes.
    // Made where it stays: it is large.
    fn outgoing(
        &self,
        now: Instant,
        cause: Cause,
        seq: SeqNumber,
        flags: Flags,
        window: u32,
    ) -> Outgoing {
        let echo = match flags.contains(Flags::RST) {
            true => Flags::NONE,
            false => self.congestion_flags(cause == Cause::Ack),
        };
        Outgoing {
            header: Header {
                seq,
                ack: self.receiver.rcv_nxt(),
                flags: flags | Flags::ACK | echo,
                window: self.receiver.window_field(window),
                options: Options { timestamps: self.timestamps.option(now), ..Options::default() },
                ..Header::default()
            },
            offset: 0,
            len: 0,
            segment_size: 0,
            ecn: Ecn::NotEct,
            cause,
            window,
        }
    }

    /// SYN, or SYN and ACK after the peer's. Its window is never scaled.
    // Made where it stays, as well.
    fn outgoing_syn(&self, now: Instant) -> Outgoing {
        let mut offered = self.agreement.syn_options();
        let mut timestamps = self.timestamps.offer(now);
        let (flags, ack, window) = if self.state == State::SynReceived {
            timestamps.echo = self.timestamps.recent();
            let flags = self.agreement.syn_ack_flags(&offered, self.syn_ack_timeouts());
            // Text that came with the other side's SYN has taken its part, and what went behind the first SYN-ACK may have
            // told a window that no SYN can tell.
            let window = self.receiver.rcv_wnd().min(u16::MAX.into()) as u16;
            (flags, self.receiver.rcv_nxt(), window)
        } else {
            // RFC 3168 section 6.1.1.1: what was lost may have been dropped for its flags.
            offered.ecn_setup &= self.is_first_syn();
            let mut flags = offered.flags(Flags::SYN);
            if self.asks_accurately() {
                flags |= accurate_ecn::REQUEST;
            }
            (flags, SeqNumber(0), self.syn_window())
        };
        let (seq, options) = (self.iss(), offered.options(timestamps));
        let mut outgoing = Outgoing {
            header: Header { seq, ack, flags, window, options, ..Header::default() },
            offset: 0,
            len: self.syn_text(),
            segment_size: 0,
            ecn: Ecn::NotEct,
            cause: Cause::Syn,
            window: window.into(),
        };
        if self.has_seldom_state() {
            self.put_options_of_syn(&mut outgoing.header);
        }
        outgoing
    }

    /// A segment without payload: an ack, or a RST with the next sequence number (section 3.10.5).
    fn bare(&self, now: Instant, cause: Cause) -> Outgoing {
        let (flags, window) = match cause {
            Cause::Reset => (Flags::RST, 0),
            _ => (Flags::NONE, self.receiver.window()),
        };
        // A keepalive probe is just outside the window, so that it is answered (section 3.8.4).
        let seq = match cause {
            Cause::Keepalive => self.sender.snd_nxt() - 1,
            // What the segment has acknowledged is what the peer expects (section 3.10.7.1).
            Cause::Reset if self.reset == Reset::Unread => self.sender.snd_una(),
            // Nobody knows a number of ours: as from a closed port (section 3.5.2).
            Cause::Reset if self.was_opened_fast() && self.has_sent_no_syn() => SeqNumber(0),
            _ => self.sender.acceptable_seq(),
        };
        let mut outgoing = self.outgoing(now, cause, seq, flags, window);
        let header = &mut outgoing.header;
        if self.is_opening() && self.state == State::SynSent {
            header.flags = Flags::NONE;
        }
        if cause.may_report() && self.has_report() && !self.owes_last_ack() {
            self.receiver.report_sack(&mut header.options.sack);
        }
        if cause.may_report() && self.has_seldom_state() {
            self.put_seldom_options(header, 0, cause == Cause::Ack);
        }
        self.mark_urgent(header);
        outgoing
    }

    fn data(&self, now: Instant, data: Data) -> Outgoing {
        let window = self.receiver.window();
        let offset = data.seq.since(self.sender.snd_una()) as usize;
        let mut flags = Flags::NONE;
        if data.len > 0 && offset + data.len as usize == self.sender.queue().len() {
            // Nothing more is queued: the peer need not wait for more (MUST-60).
            flags |= Flags::PSH;
        }
        if data.fin {
            flags |= Flags::FIN;
        }
        // Section 6.1.5 and 6.1.6: retransmissions and probes are never ECN-capable.
        let may_be_marked = self.sender.is_ecn_capable() && !self.repeats_syn_text();
        let capable = data.kind.is_new::<P>() && data.len > 0 && may_be_marked;
        if capable && self.sender.cwr_due() {
            flags |= Flags::CWR;
        }
        let mut outgoing = self.outgoing(now, Cause::Data(data), data.seq, flags, window);
        self.mark_urgent(&mut outgoing.header);
        if self.has_seldom_state() {
            let header = &mut outgoing.header;
            self.put_seldom_options(header, data.len, data.kind == DataKind::New);
        }
        let mss = self.sender.mss();
        (outgoing.offset, outgoing.len) = (offset, data.len as usize);
        if data.len > mss && !data.kind.is_path_probe::<P>() {
            outgoing.segment_size = mss as u16;
        }
        if capable {
            outgoing.ecn = self.sender.codepoint();
        }
        outgoing
    }

    /// The payload of a transmission, as two slices of the send queue.
    pub fn payload(&self, outgoing: &Outgoing) -> [&[u8]; 2] {
        self.sender.queue().slices(outgoing.offset, outgoing.len)
    }

    /// The link has taken `outgoing`, the last answer of [`poll_transmit`](Self::poll_transmit).
    pub fn on_transmitted(&mut self, now: Instant, outgoing: &Outgoing) {
        let segments = outgoing.segments();
        self.counters.segments_sent.add(segments);
        if outgoing.header.flags.contains(Flags::ACK) {
            self.timestamps.on_ack_sent(outgoing.header.ack);
        }
        match outgoing.cause {
            Cause::Syn if !P::ACTIVE_OPEN => return,
            Cause::Syn => return self.on_syn_sent(now, outgoing.len),
            Cause::Reset => {
                self.reset = Reset::No;
                return;
            }
            Cause::Challenge => self.challenge_due = false,
            Cause::Keepalive => {
                self.keepalive.due = false;
                self.count_rarely(|rare| &mut rare.keepalive_probes, 1);
            }
            Cause::Ack => {}
            Cause::Data(data) => {
                self.count_data_segments(segments);
                self.on_new_data_sent();
                self.sender.on_sent(now, &self.settings, &data);
                if P::PATH_PROBING && data.kind == DataKind::PathProbe {
                    self.on_probe_sent(&data);
                }
                if data.fin && data.kind != DataKind::Retransmission {
                    self.on_fin_sent();
                }
            }
        }
        if self.has_seldom_state() {
            self.on_header_sent(&outgoing.header);
        }
        let reports = outgoing.cause.may_report() || !self.has_report();
        if !self.is_sending() {
            return;
        }
        if reports {
            self.receiver.on_ack_sent(now, outgoing.window);
        } else {
            self.receiver.on_advertised(outgoing.window);
        }
    }

    /// How often a SYN-ACK of ours was not answered, before the one that goes now.
    fn syn_ack_timeouts(&self) -> u32 {
        // In a simultaneous open a SYN went first.
        self.unanswered_syns().saturating_sub((!self.was_opened_fast()).into())
    }

    fn on_syn_sent(&mut self, now: Instant, text: usize) {
        if self.state == State::SynReceived && self.is_accurate() {
            let timeouts = self.syn_ack_timeouts();
            self.agreement.accurate.on_syn_ack_sent(timeouts);
        }
        self.count_data_segments(1);
        self.on_syn_text_sent(text);
        self.sender.count_retransmitted_syns(u32::from(!self.is_first_syn()));
        self.note_syn_sent(now);
        if self.was_opened_fast() {
            // It acknowledges the text that came with the peer's.
            self.receiver.on_ack_sent(now, self.receiver.rcv_wnd());
        }
    }

    fn count_data_segments(&mut self, segments: u32) {
        self.counters.data_segments_sent.add(segments);
    }

    /// CLOSE, second half: the FIN is on its way (section 3.10.4).
    pub(super) fn on_fin_sent(&mut self) {
        self.state = match self.state {
            State::Established => State::FinWait1,
            State::CloseWait => State::LastAck,
            other => other,
        };
    }
}

//! Output of a connection, in two steps: decide on a segment, and note it as sent once the link has taken it.

use super::connection::{Connection, Reset};
use super::seldom::SeldomTurn;
use super::sender::{Data, DataKind};
use super::{RestartAfterIdle, State, accurate_ecn};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::seq::SeqNumber;
use crate::time::Instant;
use crate::wire::{Ecn, Flags, Header, Options, SackBlocks};

/// One segment, or several for the link to cut, that the connection wants to send. The stack fills in ports
/// and addresses.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing {
    /// The TCP header; its ports are zero.
    pub header: Header,
    /// Offset of the payload in the send queue, in bytes.
    pub offset: usize,
    /// Payload length in bytes.
    pub len: usize,
    /// Payload bytes of each segment but the last, if the link is to cut this transmission into segments
    /// (TSO); 0: it is a single segment.
    pub segment_size: u16,
    /// ECN codepoint for the IP header.
    pub ecn: Ecn,
    cause: Cause,
    /// The window in `header`, in bytes.
    window: u32,
}

impl Outgoing {
    /// Whether it is a single full-sized segment of new data, with no flag but ACK.
    pub(super) fn is_full_segment(&self, mss: u32) -> bool {
        let Cause::Data(data) = self.cause else {
            return false;
        };
        data.kind == DataKind::New
            && data.len == mss
            && self.segment_size == 0
            && !self.header.flags.intersects(Flags::PSH | Flags::FIN | Flags::URG | Flags::CWR)
    }

    /// Whether it is a path MTU probe, which may be too large for the path.
    pub(crate) fn probes_path<P: Profile>(&self) -> bool {
        matches!(self.cause, Cause::Data(data) if data.kind.is_path_probe::<P>())
    }

    /// How many segments the link makes of it.
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
    /// Whether such a segment carries what is to be reported in any case: it has no payload, so it fits.
    fn may_report(self) -> bool {
        matches!(self, Cause::Ack | Cause::Challenge | Cause::Keepalive)
    }
}

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Decides on the next transmission; `None` if nothing is to be sent now. Repeated calls give the same
    /// answer until it is taken ([`on_transmitted`](Self::on_transmitted)) or something else happens to the
    /// connection. `max_payload` is the most payload bytes in one transmission that the link cuts into
    /// segments itself; 0 if it cuts none.
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

    /// Whether, just after a segment was sent, [`poll_transmit`](Self::poll_transmit) certainly gives no
    /// other. (False only means that it has to be asked.)
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

    /// Whether [`poll_transmit`](Self::poll_transmit) gives nothing in TIME-WAIT, where all data sent has
    /// been acknowledged.
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
        // A link must not cut a segment with urgent data, as the urgent pointer counts from the sequence
        // number of its own segment, nor one with CWR, which only one segment may carry.
        let has_cwr = self.sender.cwr_due() || matches!(seldom, SeldomTurn::Whole);
        let single = self.sender.urgent().is_some() || has_cwr;
        let max_payload = if single { 0 } else { max_payload };
        if !matches!(seldom, SeldomTurn::Gather)
            && let Some(data) = self.next_data(now, max_payload)
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

    /// Whether a window update is to be sent: the application has read, and there is room again.
    pub(crate) fn window_update_due(&self) -> bool {
        // An image without counters assumes that something was read.
        let was_read =
            !P::COUNTERS || self.counters.bytes_received.get() > self.receiver.queued() as u64;
        self.takes_data() && self.receiver.window_update_due(was_read)
    }

    /// Whether the peer may still send new data.
    pub(crate) fn takes_data(&self) -> bool {
        matches!(self.state, State::Established | State::FinWait1 | State::FinWait2)
    }

    /// The next data to send. If there is something to report beside it, that takes its place from each
    /// segment's payload (RFC 9293 section 3.7.1), and the link cuts none.
    #[inline(always)]
    fn next_data(&mut self, now: Instant, max_payload: u32) -> Option<Data> {
        let blocks = self.blocks_beside_data();
        if blocks == 0 {
            return self.sender.next(now, &self.settings, max_payload);
        }
        self.next_beside(now, blocks)
    }

    /// The next data to send beside `blocks` bytes of SACK blocks.
    #[cold]
    #[inline(never)]
    fn next_beside(&mut self, now: Instant, blocks: u32) -> Option<Data> {
        let mss = self.sender.mss();
        self.sender.narrow(mss - blocks);
        let data = self.sender.next(now, &self.settings, 0);
        self.sender.narrow(mss);
        let most = mss - self.agreement.len_of_blocks(1);
        data.map(|data| self.sender.with_rest_of_part(data, most))
    }

    /// Bytes of the SACK blocks that go beside data: 0 if there is nothing to send or to report, or segments are
    /// so small that blocks would leave less than half of one.
    #[inline(always)]
    fn blocks_beside_data(&self) -> u32 {
        let reports = P::SACK_WITH_DATA && self.has_report() && !self.sender.is_at_rest();
        if reports { self.len_of_blocks() } else { 0 }
    }

    #[cold]
    #[inline(never)]
    fn len_of_blocks(&self) -> u32 {
        if self.sender.is_silent() {
            return 0;
        }
        let mut blocks = SackBlocks::EMPTY;
        self.receiver.report_sack_beside_data(&mut blocks);
        let len = self.agreement.len_of_blocks(blocks.as_slice().len());
        if 2 * len <= self.sender.mss() { len } else { 0 }
    }

    /// Whether an ack would report more than RCV.NXT: holes or duplicates. An ack that is due then is sent
    /// without data, whether or not data follows: without SACK the peer counts only duplicate acks that carry
    /// no data (RFC 5681 section 2).
    fn has_report(&self) -> bool {
        self.receiver.has_report()
    }

    /// Makes a segment without payload, with the current ack and a window of `window` bytes.
    // Built in place as the return value, without a copy: it is large.
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

    /// Makes a SYN, or a SYN-ACK once the peer's SYN has arrived. Its window is never scaled.
    // Built in place as well.
    fn outgoing_syn(&self, now: Instant) -> Outgoing {
        let mut offered = self.agreement.syn_options();
        let mut timestamps = self.timestamps.offer(now);
        let (flags, ack, window) = if self.state == State::SynReceived {
            timestamps.echo = self.timestamps.recent();
            let flags = self.agreement.syn_ack_flags(&offered, self.syn_ack_timeouts());
            // Data that came with the peer's SYN occupies a part of the buffer; and a segment sent after the
            // first SYN-ACK may have advertised more than the unscaled field of a SYN can.
            let window = self.receiver.rcv_wnd().min(u16::MAX.into()) as u16;
            (flags, self.receiver.rcv_nxt(), window)
        } else {
            // RFC 3168 section 6.1.1.1: a retransmitted SYN no longer asks for ECN, since its flags may be
            // why the first was dropped.
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

    /// Makes a segment without payload: an ack, a probe, or a RST with the next sequence number (section
    /// 3.10.5).
    fn bare(&self, now: Instant, cause: Cause) -> Outgoing {
        let (flags, window) = match cause {
            Cause::Reset => (Flags::RST, 0),
            _ => (Flags::NONE, self.receiver.window()),
        };
        // A keepalive probe lies just before the window, so that it must be answered (section 3.8.4).
        let seq = match cause {
            Cause::Keepalive => self.sender.snd_nxt() - 1,
            // The peer accepts a RST at the sequence number that its segment acknowledged (section 3.10.7.1).
            Cause::Reset if self.reset == Reset::Unread => self.sender.snd_una(),
            // The peer has not seen any sequence number of ours: reset it as a closed port does (section
            // 3.5.2).
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
            // Push: nothing more is queued, so the peer need not wait for more (MUST-60).
            flags |= Flags::PSH;
        }
        if data.fin {
            flags |= Flags::FIN;
        }
        // RFC 3168 sections 6.1.5 and 6.1.6: retransmissions and probes are never ECN-capable.
        let may_be_marked = self.sender.is_ecn_capable() && !self.repeats_syn_text();
        let capable = data.kind.is_new::<P>() && data.len > 0 && may_be_marked;
        if capable && self.sender.cwr_due() {
            flags |= Flags::CWR;
        }
        let mut outgoing = self.outgoing(now, Cause::Data(data), data.seq, flags, window);
        self.mark_urgent(&mut outgoing.header);
        let mss = self.sender.mss();
        let blocks = self.blocks_beside_data();
        if blocks > 0 {
            self.put_blocks_beside(data.len, &mut outgoing.header.options.sack);
        }
        if self.has_seldom_state() {
            let header = &mut outgoing.header;
            self.put_seldom_options(header, data.len + blocks, data.kind == DataKind::New);
        }
        (outgoing.offset, outgoing.len) = (offset, data.len as usize);
        if data.len > mss && !data.kind.is_path_probe::<P>() {
            outgoing.segment_size = mss as u16;
        }
        if capable {
            outgoing.ecn = self.sender.codepoint();
        }
        outgoing
    }

    /// Reports what has arrived out of order by as many blocks as fit beside `len` bytes of payload.
    #[cold]
    #[inline(never)]
    fn put_blocks_beside(&self, len: u32, option: &mut SackBlocks) {
        let mut all = SackBlocks::EMPTY;
        self.receiver.report_sack_beside_data(&mut all);
        for (index, block) in all.as_slice().iter().enumerate() {
            if len + self.agreement.len_of_blocks(index + 1) <= self.sender.mss() {
                option.push(*block);
            }
        }
    }

    /// The payload of a transmission, as two slices of the send queue.
    pub fn payload(&self, outgoing: &Outgoing) -> [&[u8]; 2] {
        self.sender.queue().slices(outgoing.offset, outgoing.len)
    }

    /// Notes that the link has taken `outgoing`, the last answer of [`poll_transmit`](Self::poll_transmit).
    pub fn on_transmitted(&mut self, now: Instant, outgoing: &Outgoing) {
        let segments = outgoing.segments();
        let bears_blocks = || P::SACK_WITH_DATA && !outgoing.header.options.sack.is_empty();
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
                // Beside blocks a segment is full that has as much payload as they leave.
                let mss = self.sender.mss();
                if bears_blocks() {
                    self.sender.narrow(mss - self.blocks_beside_data());
                }
                self.sender.on_sent(now, &self.settings, &data);
                if bears_blocks() {
                    self.sender.narrow(mss);
                }
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
        let reports = outgoing.cause.may_report() || bears_blocks() || !self.has_report();
        if !self.is_sending() {
            return;
        }
        if reports {
            self.receiver.on_ack_sent(now, outgoing.window);
        } else {
            self.receiver.on_advertised(outgoing.window);
        }
    }

    /// How many SYN-ACKs of ours were not answered before the one to be sent now.
    fn syn_ack_timeouts(&self) -> u32 {
        // In a simultaneous open our first SYN had no ACK.
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
            // A SYN-ACK acknowledges the data that came with the peer's SYN.
            self.receiver.on_ack_sent(now, self.receiver.rcv_wnd());
        }
    }

    fn count_data_segments(&mut self, segments: u32) {
        self.counters.data_segments_sent.add(segments);
    }

    /// Changes the state because our FIN is sent: second half of CLOSE (section 3.10.4).
    pub(super) fn on_fin_sent(&mut self) {
        self.state = match self.state {
            State::Established => State::FinWait1,
            State::CloseWait => State::LastAck,
            other => other,
        };
    }
}

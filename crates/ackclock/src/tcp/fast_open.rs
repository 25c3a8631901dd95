//! TCP Fast Open on one connection (RFC 7413): data carried by our SYN, and data that came with the peer's.
//! The stack keeps and checks the cookies.

use super::connection::Connection;
use super::{Agreement, Initial, State};
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::seq::{SeqNumber, SeqRange};
use crate::time::{Duration, Instant};
use crate::wire::Segment;

/// Most bytes that the options of a SYN take: its data has to fit beside them.
const MOST_OPTIONS: u16 = 40;

/// State of Fast Open: our role, and how much data a SYN carries.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FastOpen {
    role: Role,
    /// Bytes of data, in native byte order (alignment 1 keeps a connection small): at first how much our SYN
    /// may carry, then how much it carried, and at last how much of it (of the peer's, as a server) was accepted.
    text: [u8; 2],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Role {
    /// Fast Open is not used.
    #[default]
    Off,
    /// Our SYN carries the peer's cookie, or asks for one.
    Client,
    /// Our SYN carries data without a cookie.
    ClientWithoutCookie,
    /// The peer's SYN-ACK acknowledges none of the data of our SYN.
    Refused,
    /// The peer's SYN-ACK acknowledges only a part of the data of our SYN.
    Cut,
    /// The peer's SYN carried data, which was accepted.
    Server,
    /// As [`Server`](Role::Server), and our SYN-ACK gives the peer a cookie.
    Giver,
}

/// The Fast Open option of a SYN or SYN-ACK.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CookieOption {
    /// None.
    None,
    /// The peer's cookie, or the request for one.
    OfPeer,
    /// A cookie of ours.
    Ours,
}

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Opens with Fast Open: the first SYN carries what is then queued, in a segment of at most `mss` bytes.
    /// `shows`: it carries the peer's cookie; if none is known it asks for one instead, and carries no data.
    pub(crate) fn open_fast(&mut self, shows: bool, mss: u16) {
        if let Some(fast_open) = self.fast_open.get_mut() {
            let role = if shows { Role::Client } else { Role::ClientWithoutCookie };
            *fast_open = FastOpen { role, text: mss.saturating_sub(MOST_OPTIONS).to_ne_bytes() };
        }
    }

    fn role(&self) -> Role {
        self.fast_open.get().map_or(Role::Off, |fast_open| fast_open.role)
    }

    fn is_client(&self) -> bool {
        matches!(self.role(), Role::Client | Role::ClientWithoutCookie)
    }

    /// Bytes of data that the SYN to be sent now carries: only the first SYN carries any (section 4.2.2).
    pub(super) fn syn_text(&self) -> usize {
        self.sender.queue().len().min(self.syn_room())
    }

    /// Most bytes of data that the SYN to be sent now may carry.
    pub(crate) fn syn_room(&self) -> usize {
        let is_first = self.state == State::SynSent && self.is_first_syn();
        match self.fast_open.get() {
            Some(FastOpen { text, .. }) if is_first && self.is_client() => {
                u16::from_ne_bytes(*text).into()
            }
            _ => 0,
        }
    }

    /// The Fast Open option of the SYN to be sent now: only the first SYN has one (section 4.2.2).
    pub(crate) fn cookie_option(&self) -> CookieOption {
        match self.role() {
            Role::Client if self.state == State::SynSent && self.is_first_syn() => {
                CookieOption::OfPeer
            }
            Role::Giver if self.is_first_syn() => CookieOption::Ours,
            _ => CookieOption::None,
        }
    }

    /// Notes that the link has taken a SYN with `len` bytes of data.
    pub(super) fn on_syn_text_sent(&mut self, len: usize) {
        if self.state == State::SynSent
            && self.is_first_syn()
            && let Some(fast_open) = self.fast_open.get_mut()
        {
            fast_open.text = (len as u16).to_ne_bytes();
        }
    }

    /// Bytes of data that our SYN carried.
    fn syn_text_sent(&self) -> u32 {
        if self.is_client() && self.is_opening() { self.syn_text_taken() } else { 0 }
    }

    /// Whether `ack`, which came before the handshake was finished, acknowledges our SYN, and perhaps data
    /// after it.
    pub(super) fn acks_syn(&self, ack: SeqNumber) -> bool {
        if !P::FAST_OPEN {
            return ack == self.sender.snd_nxt();
        }
        let most = self.sender.snd_nxt().since(self.sender.snd_una()).max(self.syn_text_sent());
        SeqRange::from_len(self.sender.snd_una(), most + 1).contains(ack)
    }

    /// Handles the acknowledgment of our SYN by the peer's SYN, which may cover data too. Data that it does
    /// not cover is retransmitted at once; this is no sign of congestion.
    pub(super) fn take_ack_of_syn_text(&mut self, now: Instant, ack: SeqNumber) {
        let sent = self.syn_text_sent();
        if !P::FAST_OPEN || sent == 0 {
            return;
        }
        let acked = self.sender.take_ack_of_syn_text(now, ack, sent);
        if let Some(fast_open) = self.fast_open.get_mut() {
            fast_open.text = (acked as u16).to_ne_bytes();
            if acked < sent {
                fast_open.role = if acked == 0 { Role::Refused } else { Role::Cut };
            }
        }
    }

    /// Whether the first new data repeats data of our SYN: like any retransmission it is then not ECN-capable
    /// (RFC 3168 section 6.1.5).
    #[inline(always)]
    pub(super) fn repeats_syn_text(&self) -> bool {
        P::FAST_OPEN && matches!(self.role(), Role::Refused | Role::Cut)
    }

    /// Notes that new data was sent.
    pub(super) fn on_new_data_sent(&mut self) {
        if self.repeats_syn_text()
            && let Some(fast_open) = self.fast_open.get_mut()
        {
            fast_open.role = Role::Off;
        }
    }

    /// Bytes of data that a SYN of either side carried and that were accepted, once the peer has answered.
    pub(super) fn syn_text_taken(&self) -> u32 {
        self.fast_open.get().map_or(0, |fast_open| u16::from_ne_bytes(fast_open.text).into())
    }

    /// Whether our SYN tries Fast Open, and the peer has not answered yet.
    pub(crate) fn tries_fast_open(&self) -> bool {
        self.state == State::SynSent && self.is_client()
    }

    /// Whether our SYN tried Fast Open, whatever the answer, and nothing else has been sent yet.
    pub(crate) fn has_tried_fast_open(&self) -> bool {
        self.is_client() || self.repeats_syn_text()
    }

    /// Whether our SYN tried Fast Open, and the connection ended without any answer.
    pub(crate) fn has_failed_to_open_fast(&self) -> bool {
        P::FAST_OPEN
            && self.state == State::Closed
            && self.agreement.peer_mss == 0
            && self.is_client()
    }

    /// Whether `answer` shows that a SYN which [tried](Self::tries_fast_open) Fast Open has failed (section
    /// 4.1.3.1): it gives no cookie and acknowledges no data, or it answers a later SYN, so that the path may
    /// drop SYNs with the option.
    pub(crate) fn lost_fast_open(&self, answer: &Segment<'_>) -> bool {
        let is_late = self.syn_retransmits() > 0 && self.syn_text_taken() == 0;
        let is_refused = self.role() == Role::Refused;
        answer.header.options.fast_open().is_none() && (is_late || is_refused)
    }

    /// Passive open with Fast Open, for a SYN whose cookie the stack has found valid, or that needs none: its
    /// data is accepted, and the connection can send before the handshake is finished. `most_window` is the
    /// largest window in bytes; `gives`: the SYN-ACK gives the peer a cookie.
    pub(crate) fn accept_fast(
        &mut self,
        now: Instant,
        initial: &Initial<P>,
        syn: &Segment<'_>,
        (most_window, gives): (usize, bool),
    ) {
        let header = &syn.header;
        self.agreement =
            Agreement::offer(&initial.offer, self.sender.path_mtu(), self.ip_header, most_window);
        let advertised = self.syn_window();
        self.agree(now, syn, advertised);
        if let Some(fast_open) = self.fast_open.get_mut() {
            fast_open.role = if gives { Role::Giver } else { Role::Server };
        }
        self.state = State::SynReceived;
        self.start_sending(now, header.window.into(), header.seq, (None, false));
        if !syn.payload.is_empty() {
            self.take_text(now, syn, header.seq + 1);
        }
        let taken = self.receiver.rcv_nxt().since(header.seq + 1);
        if let Some(fast_open) = self.fast_open.get_mut() {
            fast_open.text = (taken as u16).to_ne_bytes();
        }
    }

    /// Whether the peer's SYN was accepted with Fast Open.
    pub(super) fn was_opened_fast(&self) -> bool {
        matches!(self.role(), Role::Server | Role::Giver)
    }

    /// The sequence number of the first byte after the peer's SYN, before the handshake is finished.
    pub(super) fn first_text(&self) -> SeqNumber {
        if self.was_opened_fast() {
            // No other data is accepted before.
            self.receiver.rcv_nxt() - self.syn_text_taken()
        } else {
            self.receiver.first_unread()
        }
    }

    /// Whether the connection may send data: the handshake is finished, or this is the server of a Fast Open
    /// whose SYN-ACK was sent.
    pub(super) fn is_sending(&self) -> bool {
        self.state.is_synchronized()
            || P::FAST_OPEN
                && self.state == State::SynReceived
                && self.was_opened_fast()
                && !self.is_first_syn()
    }

    /// Whether data that came with a SYN is withheld from the application until the handshake is finished.
    pub(super) fn withholds_text(&self) -> bool {
        self.is_opening() && !self.was_opened_fast()
    }

    /// Enters ESTABLISHED on a connection accepted with Fast Open: the peer has acknowledged our SYN.
    pub(super) fn finish_fast(&mut self, now: Instant, rtt: Option<Duration>, syn_lost: bool) {
        self.state = State::Established;
        self.sender.on_handshake_finished(now, rtt, syn_lost);
        if P::ACCURATE_ECN && self.syn_retransmits() > 0 {
            self.silence_accurate();
        }
        self.settle_syn();
        self.on_heard(now);
        if self.sender.has_sent_fin() {
            self.on_fin_sent();
        }
    }
}

//! TCP Fast Open on one connection (RFC 7413): text that goes with our SYN, and text that came with the
//! peer's. Cookies are the stack's to keep and to check.

use super::connection::Connection;
use super::{Agreement, Initial, State};
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::seq::{SeqNumber, SeqRange};
use crate::time::{Duration, Instant};
use crate::wire::Segment;

/// Bytes that the options of a SYN may take: text has to fit beside them.
const MOST_OPTIONS: u16 = 40;

/// How a connection is opened fast, and with how much text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FastOpen {
    role: Role,
    /// Bytes of text: that may go with our SYN, then that went with it, then that were taken. (As bytes: a
    /// connection is small.)
    text: [u8; 2],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Role {
    /// It is not opened fast.
    #[default]
    Off,
    /// Our SYN shows the peer's cookie, or asks for one.
    Client,
    /// Our SYN has text and no cookie.
    ClientWithoutCookie,
    /// The peer's SYN acknowledges none of the text that went with ours.
    Refused,
    /// It acknowledges a part of it.
    Cut,
    /// Text came with the peer's SYN and was taken.
    Server,
    /// As before, and our SYN-ACK gives the peer a cookie.
    Giver,
}

/// What of Fast Open goes with a SYN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CookieOption {
    /// Nothing.
    None,
    /// The peer's cookie, or the request for one.
    OfPeer,
    /// A cookie of ours.
    Ours,
}

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Our first SYN goes with text, of what is queued then, in a segment of at most `mss` bytes. It
    /// `shows` the peer's cookie, or asks for one, and then it has no text.
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

    /// How many bytes of text go with the SYN that goes now: with the first one only (section 4.2.2).
    pub(super) fn syn_text(&self) -> usize {
        self.sender.queue().len().min(self.syn_room())
    }

    /// How many bytes of text may go with the SYN that goes now.
    pub(crate) fn syn_room(&self) -> usize {
        let is_first = self.state == State::SynSent && self.is_first_syn();
        match self.fast_open.get() {
            Some(FastOpen { text, .. }) if is_first && self.is_client() => {
                u16::from_ne_bytes(*text).into()
            }
            _ => 0,
        }
    }

    /// The cookie of the SYN that goes now: only the first one has it (section 4.2.2).
    pub(crate) fn cookie_option(&self) -> CookieOption {
        match self.role() {
            Role::Client if self.state == State::SynSent && self.is_first_syn() => {
                CookieOption::OfPeer
            }
            Role::Giver if self.is_first_syn() => CookieOption::Ours,
            _ => CookieOption::None,
        }
    }

    /// The link has taken a SYN with `len` bytes of text.
    pub(super) fn on_syn_text_sent(&mut self, len: usize) {
        if self.state == State::SynSent
            && self.is_first_syn()
            && let Some(fast_open) = self.fast_open.get_mut()
        {
            fast_open.text = (len as u16).to_ne_bytes();
        }
    }

    /// Bytes of text that went with our SYN.
    fn syn_text_sent(&self) -> u32 {
        if self.is_client() && self.is_opening() { self.syn_text_taken() } else { 0 }
    }

    /// Whether an ack is of our SYN, and perhaps of what followed it, before the handshake is finished.
    pub(super) fn acks_syn(&self, ack: SeqNumber) -> bool {
        if !P::FAST_OPEN {
            return ack == self.sender.snd_nxt();
        }
        let most = self.sender.snd_nxt().since(self.sender.snd_una()).max(self.syn_text_sent());
        SeqRange::from_len(self.sender.snd_una(), most + 1).contains(ack)
    }

    /// The peer's SYN acknowledges ours, and with it perhaps text. What it does not acknowledge is sent
    /// again at once, which says nothing of congestion.
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

    /// Whether the first new data repeat text that went with our SYN: they are no more ECN-capable than other
    /// retransmissions (RFC 3168 section 6.1.5).
    #[inline(always)]
    pub(super) fn repeats_syn_text(&self) -> bool {
        P::FAST_OPEN && matches!(self.role(), Role::Refused | Role::Cut)
    }

    /// New data have gone.
    pub(super) fn on_new_data_sent(&mut self) {
        if self.repeats_syn_text()
            && let Some(fast_open) = self.fast_open.get_mut()
        {
            fast_open.role = Role::Off;
        }
    }

    /// Bytes of text that came or went with a SYN and were taken, once the peer has answered.
    pub(super) fn syn_text_taken(&self) -> u32 {
        self.fast_open.get().map_or(0, |fast_open| u16::from_ne_bytes(fast_open.text).into())
    }

    /// Whether our SYN tries a Fast Open, and the peer has not answered.
    pub(crate) fn tries_fast_open(&self) -> bool {
        self.state == State::SynSent && self.is_client()
    }

    /// Whether our SYN has tried a Fast Open, whatever was answered, before anything else was sent.
    pub(crate) fn has_tried_fast_open(&self) -> bool {
        self.is_client() || self.repeats_syn_text()
    }

    /// Whether our SYN has tried a Fast Open, and nobody has ever answered.
    pub(crate) fn has_failed_to_open_fast(&self) -> bool {
        P::FAST_OPEN
            && self.state == State::Closed
            && self.agreement.peer_mss == 0
            && self.is_client()
    }

    /// Whether `answer` is a negative one to a SYN that has [tried](Self::tries_fast_open) a Fast Open
    /// (section 4.1.3.1): it gives no cookie and takes no text, or came for a later SYN, so that the path
    /// may drop such as ours.
    pub(crate) fn lost_fast_open(&self, answer: &Segment<'_>) -> bool {
        let is_late = self.syn_retransmits() > 0 && self.syn_text_taken() == 0;
        let is_refused = self.role() == Role::Refused;
        answer.header.options.fast_open().is_none() && (is_late || is_refused)
    }

    /// A SYN with a cookie that the stack has found right, or that needs none: its text is taken, and the connection
    /// can send before the handshake is finished. It `gives` the peer
    /// a cookie; `most_window` is the largest window in bytes.
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

    /// Whether text came with the peer's SYN and was taken.
    pub(super) fn was_opened_fast(&self) -> bool {
        matches!(self.role(), Role::Server | Role::Giver)
    }

    /// The number of what follows the peer's SYN, before the handshake is finished.
    pub(super) fn first_text(&self) -> SeqNumber {
        if self.was_opened_fast() {
            // Nothing else is taken before.
            self.receiver.rcv_nxt() - self.syn_text_taken()
        } else {
            self.receiver.first_unread()
        }
    }

    /// Whether it sends data: the handshake is finished, or was opened fast and its SYN-ACK is out.
    pub(super) fn is_sending(&self) -> bool {
        self.state.is_synchronized()
            || P::FAST_OPEN
                && self.state == State::SynReceived
                && self.was_opened_fast()
                && !self.is_first_syn()
    }

    /// Whether what has come with a SYN waits until the handshake is finished.
    pub(super) fn withholds_text(&self) -> bool {
        self.is_opening() && !self.was_opened_fast()
    }

    /// The peer has acknowledged the SYN of a connection that was opened fast.
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

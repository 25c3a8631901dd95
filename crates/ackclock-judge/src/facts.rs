//! What is certain about a connection from the segments that passed the host's interface.

use crate::connection::Raw;
use crate::segment::{Offset, Seen, Space};
use crate::settings::{Law, Settings};
use ackclock::time::Instant;
use ackclock::wire::{Ecn, Flags, Header, Options};

/// The content of a SYN or SYN-ACK that settles how the connection works: options, flags and window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Syn {
    pub(crate) options: Options,
    /// Whether it asked for ECN or, in a SYN-ACK, agreed to it (RFC 3168 section 6.1.1).
    pub(crate) flags: Flags,
    pub(crate) window: u16,
    /// Bytes of text that it carried.
    pub(crate) text: Offset,
    /// When it was seen for the first time.
    pub(crate) time: Instant,
    /// The codepoint of its packet.
    pub(crate) ecn: Ecn,
}

impl Syn {
    pub(crate) fn of(raw: &Raw<'_>) -> Syn {
        let Header { options, flags, window, .. } = raw.header;
        let text = raw.payload.len() as Offset;
        Syn { options, flags, window, text, time: raw.time, ecn: raw.ecn }
    }
}

/// The state of a connection that both its ends must agree on, as far as the packets prove it. Offsets of what the host sends are of the host's space, those of what
/// it receives of the peer's.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) settings: Settings,
    /// Whether the addresses are IPv6.
    pub(crate) is_ipv6: bool,
    /// The host's sequence space.
    pub(crate) host: Space,
    /// The peer's sequence space, once the host has seen its SYN.
    pub(crate) peer: Option<Space>,
    /// The host's SYN or SYN-ACK.
    pub(crate) host_syn: Syn,
    /// How often it was sent.
    pub(crate) host_syns: u32,
    /// The peer's SYN or SYN-ACK.
    pub(crate) peer_syn: Option<Syn>,
    /// SND.NXT at most: the first number that the host never sent, SYN and FIN counted.
    pub(crate) sent: Offset,
    /// The first number that the host never sent but in a SYN; 0 as long as it has sent nothing but SYNs and RSTs.
    pub(crate) sent_after_syn: Offset,
    /// SND.UNA: the highest acknowledgment of something sent that reached the host.
    pub(crate) acked: Offset,
    /// Where the host's FIN stands.
    pub(crate) fin: Option<Offset>,
    /// Where the peer's FIN stands, once it has arrived.
    pub(crate) peer_fin: Option<Offset>,
    /// Whether the host has acknowledged it.
    pub(crate) peer_fin_told: bool,
    /// RCV.NXT at least: the highest acknowledgment that the host sent.
    pub(crate) told: Offset,
    /// The furthest right edge that the host told, as (ack, edge).
    pub(crate) edge: Offset,
    /// The largest window that the peer told, in bytes.
    pub(crate) peer_max_window: Offset,
    /// Whether the connection was reset, by either side.
    pub(crate) is_over: bool,
    /// Largest payload that came from the peer.
    pub(crate) largest_received: Offset,
}

impl Facts {
    /// Whether both SYNs have passed and the host's is acknowledged.
    pub(crate) fn is_synchronized(&self) -> bool {
        self.peer_syn.is_some() && self.acked >= 1
    }

    /// Whether the host certainly remembers the connection: it has no room for few half-open ones only, or has sent
    /// something since its SYN-ACK.
    pub(crate) fn is_remembered(&self) -> bool {
        let answers = self.host_syn.flags.contains(Flags::ACK);
        self.settings.keeps_half_open || !answers || self.sent_after_syn > 0
    }

    /// Whether an option of both SYNs is agreed on.
    fn both(&self, has: impl Fn(&Options) -> bool) -> bool {
        self.peer_syn.is_some_and(|peer| has(&peer.options)) && has(&self.host_syn.options)
    }

    /// Whether SACK may be used by the host as a receiver: the peer has permitted it (RFC 2018 section 2).
    pub(crate) fn may_sack(&self) -> bool {
        self.peer_syn.is_some_and(|peer| peer.options.sack_permitted)
    }

    /// Whether both permitted SACK.
    pub(crate) fn sack(&self) -> bool {
        self.both(|options| options.sack_permitted)
    }

    /// Whether the host certainly heeds SACK as a sender of data.
    pub(crate) fn heeds_sack(&self) -> bool {
        self.settings.heeds_sack && self.sack()
    }

    /// Whether timestamps are agreed on (RFC 7323 section 3.2).
    pub(crate) fn timestamps(&self) -> bool {
        self.both(|options| options.timestamps.is_some())
    }

    /// Whether window scaling is agreed on (RFC 7323 section 2.2).
    fn scaling(&self) -> bool {
        self.both(|options| options.window_scale.is_some())
    }

    /// How far the windows that the host tells are shifted.
    pub(crate) fn host_shift(&self) -> u8 {
        self.host_syn.options.window_scale.filter(|_| self.scaling()).unwrap_or(0)
    }

    /// How far the windows that the peer tells are shifted.
    pub(crate) fn peer_shift(&self) -> u8 {
        let shift = self.peer_syn.and_then(|peer| peer.options.window_scale);
        shift.filter(|_| self.scaling()).unwrap_or(0)
    }

    /// The window that a segment of the host tells, in bytes.
    pub(crate) fn host_window(&self, seen: &Seen<'_>) -> Offset {
        let shift = if seen.is(Flags::SYN) { 0 } else { self.host_shift() };
        Offset::from(seen.header.window) << shift
    }

    /// The window that a segment of the peer tells, in bytes.
    pub(crate) fn peer_window(&self, seen: &Seen<'_>) -> Offset {
        let shift = if seen.is(Flags::SYN) { 0 } else { self.peer_shift() };
        Offset::from(seen.header.window) << shift
    }

    /// The MSS that binds the host: the peer's option, or the default (RFC 9293 MUST-15). A segment's payload
    /// and options together are at most that (RFC 9293 section 3.7.1).
    pub(crate) fn peer_mss(&self) -> Offset {
        let default = if self.is_ipv6 { 1220 } else { 536 };
        let told = self.peer_syn.and_then(|peer| peer.options.mss).filter(|&mss| mss > 0);
        told.map_or(default, Offset::from)
    }

    /// Whether AccECN is agreed on (RFC 9768 table 2, and section 3.1.3 for combinations without a meaning).
    pub(crate) fn accurate_ecn(&self) -> bool {
        let asks = |flags: Flags| !matches!(flags.ace(), 0b000 | 0b011);
        let agrees = |flags: Flags| !matches!(flags.ace(), 0b000 | 0b001 | 0b111);
        let Some(peer) = self.peer_syn else { return false };
        let (ours, theirs) = (self.host_syn.flags, peer.flags);
        if ours.contains(Flags::ACK) {
            asks(theirs) && agrees(ours)
        } else {
            let answer = if theirs.contains(Flags::ACK) { agrees(theirs) } else { asks(theirs) };
            ours.ace() == 0b111 && answer
        }
    }

    /// The law, as it is on this connection.
    pub(crate) fn law(&self) -> Law {
        match self.settings.law {
            Law::Prague if self.accurate_ecn() => Law::Reno,
            Law::Prague => Law::Cubic,
            law => law,
        }
    }

    /// Whether classic ECN is agreed on (RFC 3168 section 6.1.1).
    pub(crate) fn ecn(&self) -> bool {
        if self.accurate_ecn() {
            return false;
        }
        let asks = |flags: Flags| flags.contains(Flags::ECE | Flags::CWR);
        let agrees = |flags: Flags| flags.contains(Flags::ECE) && !flags.contains(Flags::CWR);
        let Some(peer) = self.peer_syn else { return false };
        let (ours, theirs) = (self.host_syn.flags, peer.flags);
        if ours.contains(Flags::ACK) {
            asks(theirs) && agrees(ours)
        } else if theirs.contains(Flags::ACK) {
            asks(ours) && agrees(theirs)
        } else {
            // Both have opened at once.
            asks(ours) && asks(theirs)
        }
    }

    /// Whether each end has acknowledged the other's FIN.
    pub(crate) fn is_closed(&self) -> bool {
        self.fin.is_some_and(|fin| self.acked > fin) && self.peer_fin_told
    }

    /// What a segment acknowledges, if the host has sent that. Text that only a SYN carried counts as sent for the answer to
    /// the SYN: what that leaves out goes again (RFC 7413 section 4.2.2).
    pub(crate) fn acknowledged_by(&self, seen: &Seen<'_>) -> Option<Offset> {
        let sent = if seen.is(Flags::SYN) { self.sent } else { self.sent_or_acked() };
        seen.ack.filter(|&ack| ack <= sent.max(1))
    }

    /// The first number that the host never sent behind its SYN, nor in one whose text was taken.
    pub(crate) fn sent_or_acked(&self) -> Offset {
        self.acked.max(self.sent_after_syn)
    }

    /// Bytes in flight at most: sent and not acknowledged.
    pub(crate) fn outstanding(&self) -> Offset {
        self.sent - self.acked
    }
}

//! Replies that need no connection: resets, acks of half-open and TIME-WAIT records, SYN cookies, echo
//! replies.

use super::ip_fields::IpFields;
use super::limits;
use super::scale::Scale;
use super::secret::Secret;
use super::tuple::{End, FourTuple, NOBODY};
use crate::profile::InitialValue;
use crate::seq::SeqNumber;
use crate::storage::{Buffer, Deque, copy};
use crate::time::Instant;
use crate::wire::{
    Address, EchoRequest, Flags, Header, IpInfo, Options, Segment, Timestamps, UnknownOption,
};

/// A segment to be sent for no connection: a reset, an ack of a record, or a SYN cookie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reply {
    /// The addresses and ports; `remote` is the destination.
    pub(super) tuple: FourTuple,
    pub(super) seq: SeqNumber,
    pub(super) ack: SeqNumber,
    pub(super) flags: Flags,
    /// The window field.
    pub(super) window: u16,
    /// Timestamps; the only option, except in a SYN cookie.
    pub(super) timestamps: Option<Timestamps>,
    /// Hop limit and DSCP.
    pub(super) ip_fields: IpFields,
}

impl Reply {
    /// The empty value, all zeros, so that zeroed memory is valid.
    pub(super) const EMPTY: Reply = Reply {
        tuple: FourTuple { local: End::NOBODY, remote: End::NOBODY },
        seq: SeqNumber(0),
        ack: SeqNumber(0),
        flags: Flags::NONE,
        window: 0,
        timestamps: None,
        ip_fields: IpFields::NONE,
    };

    /// The TCP header, without the ports.
    pub(super) fn header(&self) -> Header {
        let Reply { seq, ack, flags, window, timestamps, .. } = *self;
        let options = Options { timestamps, ..Options::default() };
        Header { seq, ack, flags, window, options, ..Header::default() }
    }
}

impl Default for Reply {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// Most bytes of a packet that an ICMPv6 error quotes, so that the error is not longer than the minimum MTU
/// of IPv6 (RFC 4443 section 3.4).
const MOST_QUOTED: usize = 1_280 - 48;

/// An echo reply to be sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Echo {
    source: Address,
    destination: Address,
    identifier: u16,
    sequence: u16,
    start: usize,
    len: usize,
    /// Whether it is an ICMPv6 error about an [`UnknownOption`] instead; its pointer is then stored in
    /// `identifier` and `sequence`.
    tells_of_option: bool,
}

impl Echo {
    /// The empty value, all zeros.
    pub(super) const EMPTY: Echo = Echo {
        source: NOBODY,
        destination: NOBODY,
        identifier: 0,
        sequence: 0,
        start: 0,
        len: 0,
        tells_of_option: false,
    };

    /// End of its data in the buffer.
    const fn end(&self) -> usize {
        self.start + self.len
    }
}

impl Default for Echo {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// The RST that answers a segment without a connection (RFC 9293 section 3.10.7.1); `None` if that is itself
/// a RST.
pub(super) fn reset_for(segment: &Segment<'_>) -> Option<Reply> {
    let header = &segment.header;
    if header.flags.contains(Flags::RST) {
        return None;
    }
    let (flags, seq, ack) = if header.flags.contains(Flags::ACK) {
        (Flags::RST, header.ack, SeqNumber(0))
    } else {
        (Flags::RST | Flags::ACK, SeqNumber(0), header.seq + segment.len())
    };
    Some(Reply {
        tuple: FourTuple::of(segment),
        seq,
        ack,
        flags,
        ip_fields: IpFields::STANDARD,
        ..Reply::EMPTY
    })
}

/// Result of queueing a reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Queued {
    /// It is queued.
    Yes,
    /// The queue is full, and the reply was dropped.
    Full,
}

/// Replies waiting to be sent, each kind bounded.
#[derive(Debug)]
pub(super) struct Replies<'a> {
    segments: Deque<'a, Reply>,
    echoes: Deque<'a, Echo>,
    /// Data of the echo replies, contiguous for each.
    echo_data: Buffer<'a, u8>,
}

impl<'a> Replies<'a> {
    /// Empty queues.
    pub(super) const fn new(
        segments: Buffer<'a, Reply>,
        echoes: Buffer<'a, Echo>,
        echo_data: Buffer<'a, u8>,
    ) -> Self {
        let segments = Deque::new(segments, limits::REPLIES);
        let echoes = Deque::new(echoes, limits::ECHOES);
        Replies { segments, echoes, echo_data }
    }

    /// Queues a segment.
    pub(super) fn push(&mut self, reply: Reply) -> Queued {
        self.segments.push_back(reply).map_or(Queued::Full, |()| Queued::Yes)
    }

    /// Whether any reply waits.
    pub(super) fn are_waiting(&self) -> bool {
        !(self.segments.is_empty() && self.echoes.is_empty())
    }

    /// The first segment in the queue.
    pub(super) fn front(&self) -> Option<&Reply> {
        self.segments.front()
    }

    /// Removes the first segment, which was sent.
    pub(super) fn sent(&mut self) {
        self.segments.pop_front();
    }

    /// Queues the reply to an echo request (RFC 1122 section 3.2.2.6, RFC 4443 section 4.2).
    pub(super) fn push_echo(&mut self, ip: &IpInfo, request: &EchoRequest<'_>) -> Queued {
        self.push_message(ip, request, false)
    }

    /// Queues an ICMPv6 error about an unknown option, for the sender of the packet (RFC 4443 section 3.4).
    pub(super) fn push_unknown_option(
        &mut self,
        ip: &IpInfo,
        option: &UnknownOption<'_>,
    ) -> Queued {
        let UnknownOption { pointer, packet } = option;
        let request = EchoRequest {
            identifier: (pointer >> 16) as u16,
            sequence: *pointer as u16,
            data: packet.get(..MOST_QUOTED).unwrap_or(packet),
        };
        self.push_message(ip, &request, true)
    }

    fn push_message(
        &mut self,
        ip: &IpInfo,
        request: &EchoRequest<'_>,
        tells_of_option: bool,
    ) -> Queued {
        // Data follows that of the previous reply; it starts at the beginning again once all are sent.
        let start = self.echoes.back().map_or(0, Echo::end);
        let len = request.data.len();
        let room =
            if self.echo_data.can_grow() { limits::ECHO_BYTES } else { self.echo_data.len() };
        let echo = Echo {
            source: ip.destination,
            destination: ip.source,
            identifier: request.identifier,
            sequence: request.sequence,
            start,
            len,
            tells_of_option,
        };
        if len > room.saturating_sub(start)
            || self.echoes.is_full()
            || !self.echo_data.grow(start + len, 0)
            || self.echoes.push_back(echo).is_err()
        {
            return Queued::Full;
        }
        copy(self.echo_data.get_mut(start..).unwrap_or_default(), request.data);
        Queued::Yes
    }

    /// The pointer to the unknown option, in bytes, if the first message is an ICMPv6 error and no echo
    /// reply.
    pub(super) fn front_option(&self) -> Option<u32> {
        let echo = self.echoes.front().filter(|echo| echo.tells_of_option)?;
        Some(u32::from(echo.identifier) << 16 | u32::from(echo.sequence))
    }

    /// The first echo reply: its source, its destination, and the request that it answers.
    pub(super) fn front_echo(&self) -> Option<(Address, Address, EchoRequest<'_>)> {
        let echo = self.echoes.front()?;
        let request = EchoRequest {
            identifier: echo.identifier,
            sequence: echo.sequence,
            data: self.echo_data.get(echo.start..echo.end())?,
        };
        Some((echo.source, echo.destination, request))
    }

    /// Removes the first echo reply, which was sent.
    pub(super) fn echo_sent(&mut self) {
        self.echoes.pop_front();
    }
}

/// Rate limits of resets. Source addresses are divided into a few groups by a keyed hash, each with a [limit
/// of its own](Scale::ResetLimits): a host that uses up its limit silences no host of another group, and
/// cannot learn from what is left who else got resets.
#[derive(Debug)]
pub(super) struct ResetLimits<S: Scale> {
    groups: S::ResetLimits,
}

/// Interval of the limit, in milliseconds.
const SECOND: u32 = 1_000;

impl<S: Scale> ResetLimits<S> {
    /// No reset was sent yet.
    pub(super) const NEW: Self = ResetLimits { groups: S::ResetLimits::INITIAL };

    /// Whether a RST may be sent to `source`, at most `per_second` of them. With [groups](Scale::ResetLimits)
    /// up to half of them, a different number each second, are withheld: so a host that shares a group with
    /// another cannot tell how many that one got.
    pub(super) fn allow(
        &mut self,
        now: Instant,
        source: Address,
        per_second: u32,
        secret: &Secret,
    ) -> bool {
        let groups = self.groups.as_mut();
        let hash = if S::IS_MANY { secret.group(source) } else { 0 };
        let group = hash as usize % groups.len().max(1);
        let most = |began_at| {
            let withheld = if S::IS_MANY { secret.withheld(group, began_at) } else { 0 };
            let part = (u64::from(withheld) * u64::from(per_second)) >> 33;
            per_second.saturating_sub(part as u32)
        };
        groups.get_mut(group).is_some_and(|limit| limit.allow(now, SECOND, most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Ecn;

    fn ip() -> IpInfo {
        IpInfo {
            source: [10, 0, 0, 2].into(),
            destination: [10, 0, 0, 1].into(),
            hop_limit: 64,
            dscp: 0,
            ecn: Ecn::NotEct,
        }
    }

    fn segment(flags: Flags) -> Segment<'static> {
        let header = Header {
            source_port: 5000,
            destination_port: 80,
            seq: SeqNumber(100),
            ack: SeqNumber(700),
            flags,
            ..Header::default()
        };
        Segment { header, ip: ip(), payload: b"abc" }
    }

    #[test]
    fn a_reset_has_the_numbers_that_the_peer_expects() {
        let reply = reset_for(&segment(Flags::ACK)).unwrap();
        assert_eq!(reply.tuple.local, End::new([10, 0, 0, 1].into(), 80));
        assert_eq!(reply.tuple.remote, End::new([10, 0, 0, 2].into(), 5000));
        assert_eq!((reply.seq, reply.flags), (SeqNumber(700), Flags::RST));
        let reply = reset_for(&segment(Flags::SYN | Flags::FIN)).unwrap();
        assert_eq!((reply.seq, reply.ack), (SeqNumber(0), SeqNumber(105)));
        assert_eq!(reply.flags, Flags::RST | Flags::ACK);
        assert!(reset_for(&segment(Flags::RST | Flags::ACK)).is_none());
    }

    #[test]
    fn queues_are_bounded() {
        let (mut segments, mut echoes, mut data) =
            ([Reply::default(); 1], [Echo::default(); 3], [0; 10]);
        let mut replies = Replies::new(
            Buffer::lent(&mut segments),
            Buffer::lent(&mut echoes),
            Buffer::lent(&mut data),
        );
        assert_eq!(replies.push(Reply::default()), Queued::Yes);
        assert_eq!(replies.push(Reply::default()), Queued::Full);
        replies.sent();
        assert!(replies.front().is_none());
        let request = |sequence, data| EchoRequest { identifier: 7, sequence, data };
        assert_eq!(replies.push_echo(&ip(), &request(1, b"123456")), Queued::Yes);
        assert_eq!(replies.push_echo(&ip(), &request(2, b"12345")), Queued::Full, "no bytes");
        assert_eq!(replies.push_echo(&ip(), &request(3, b"abcd")), Queued::Yes);
        assert_eq!(replies.push_echo(&ip(), &request(4, b"")), Queued::Yes);
        assert_eq!(replies.push_echo(&ip(), &request(5, b"")), Queued::Full, "no place");
        for expected in [request(1, b"123456"), request(3, b"abcd"), request(4, b"")] {
            let (source, destination, reply) = replies.front_echo().unwrap();
            assert_eq!((source, destination), (ip().destination, ip().source));
            assert_eq!(reply, expected);
            replies.echo_sent();
        }
        assert!(replies.front_echo().is_none());
    }
}

//! What an emulator tells those who watch it.

use crate::ids::{HostId, LinkId, NodeId};
use ackclock::tcp::Info;
use ackclock::time::Instant;
use std::net::SocketAddr;

/// A packet on a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PacketOnLink<'a> {
    /// Counts the packets of a run from 0, in the order in which their senders sent them. Routers
    /// keep it when they forward; a duplicate has the number of its original.
    pub number: u64,
    /// The whole IP packet.
    pub bytes: &'a [u8],
    /// The link.
    pub link: LinkId,
    /// Who put it on the link.
    pub from: NodeId,
    /// Whom the link leads to.
    pub to: NodeId,
}

/// How much is at a link's near end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub struct QueueLength {
    /// Packets that wait for the line.
    pub packets: u64,
    /// Bytes of those, IP headers included.
    pub bytes: u64,
    /// Whether the line is sending another.
    pub in_service: bool,
}

impl QueueLength {
    /// Packets that wait, the one in service included.
    pub const fn packets_with_service(&self) -> u64 {
        self.packets + self.in_service as u64
    }
}

/// The queue of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct QueueOnLink {
    /// How long it is now.
    pub length: QueueLength,
    /// The link.
    pub link: LinkId,
    /// Who puts packets into it.
    pub from: NodeId,
    /// Whom the link leads to.
    pub to: NodeId,
}

/// A connection on a host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ConnectionOnHost<'a> {
    /// Counts the connections of a run from 0, in the order in which they were first told of. The
    /// two ends of a connection are two.
    pub number: u64,
    /// The host.
    pub host: HostId,
    /// The host's end.
    pub local: SocketAddr,
    /// The other end.
    pub remote: SocketAddr,
    /// The connection now.
    pub info: &'a Info,
}

/// Something that happened in the network.
///
/// At one instant the events of each packet come in order; those of different packets on one link
/// may not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A host or router handed a packet to a link.
    Sent(PacketOnLink<'a>),
    /// A packet was taken into the link's queue; also if the line is idle and takes it at once.
    /// Told if [`Wants::packets`].
    Queued(PacketOnLink<'a>),
    /// The line begins to send a packet. Told if [`Wants::packets`].
    TransmissionBegan(PacketOnLink<'a>),
    /// The last bit of a packet has left. Told if [`Wants::packets`].
    TransmissionEnded(PacketOnLink<'a>),
    /// The queue marked a packet "congestion experienced" (RFC 3168); as it is now. Told if
    /// [`Wants::packets`].
    Marked(PacketOnLink<'a>),
    /// A bit of a packet was flipped; as it is now. Told if [`Wants::packets`].
    Corrupted(PacketOnLink<'a>),
    /// There is another of this packet from now on, with the same number. Told if
    /// [`Wants::packets`].
    Duplicated(PacketOnLink<'a>),
    /// A packet will not arrive. What a router drops has been delivered to it, and is told of on
    /// the link that it came by.
    Dropped(PacketOnLink<'a>, DropReason),
    /// A packet arrived; the host or router has not seen it yet.
    Delivered(PacketOnLink<'a>),
    /// A queue, empty in the beginning, has another length, or the line falls idle or does not any
    /// more. Told if [`Wants::queues`].
    Queue(QueueOnLink),
    /// A connection is new, or its state, window, threshold, flight, smoothed round-trip time, or
    /// whether it is in recovery, is another. A listener's half-open connections are not told of.
    /// Told if [`Wants::connections`].
    Connection(ConnectionOnHost<'a>),
    /// A connection, as it was when it was told of last, is over, or at most in TIME-WAIT with
    /// nobody interested. Told if [`Wants::connections`].
    ConnectionGone(ConnectionOnHost<'a>),
}

impl<'a> Event<'a> {
    /// A name that stays, for files.
    pub const fn name(&self) -> &'static str {
        match self {
            Event::Sent(_) => "sent",
            Event::Queued(_) => "queued",
            Event::TransmissionBegan(_) => "transmission_began",
            Event::TransmissionEnded(_) => "transmission_ended",
            Event::Marked(_) => "marked",
            Event::Corrupted(_) => "corrupted",
            Event::Duplicated(_) => "duplicated",
            Event::Dropped(..) => "dropped",
            Event::Delivered(_) => "delivered",
            Event::Queue(_) => "queue",
            Event::Connection(_) => "connection",
            Event::ConnectionGone(_) => "connection_gone",
        }
    }

    /// The packet that it happened to.
    pub const fn packet(&self) -> Option<&PacketOnLink<'a>> {
        match self {
            Event::Sent(packet)
            | Event::Queued(packet)
            | Event::TransmissionBegan(packet)
            | Event::TransmissionEnded(packet)
            | Event::Marked(packet)
            | Event::Corrupted(packet)
            | Event::Duplicated(packet)
            | Event::Dropped(packet, _)
            | Event::Delivered(packet) => Some(packet),
            Event::Queue(_) | Event::Connection(_) | Event::ConnectionGone(_) => None,
        }
    }
}

/// Why a packet does not arrive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum DropReason {
    /// The queue was full. It is the packet that came, or, with FQ-CoDel, the first of the flow
    /// that occupied the most bytes.
    QueueFull,
    /// RED chose it by chance: its average was between the thresholds.
    Early,
    /// RED's average was at or above the larger threshold.
    Forced,
    /// CoDel's control law: packets had waited for too long.
    Late,
    /// Lost on the way.
    Loss,
    /// It left the line in an outage.
    Outage,
    /// It was longer than the link's MTU.
    TooBig,
    /// A router found its hop limit used up.
    Expired,
    /// A router knew no way to its destination, or was the destination: routers have no services.
    NoRoute,
    /// A router could not read its IP header, or the header's checksum was wrong.
    Malformed,
}

impl DropReason {
    /// A name that stays, for files.
    pub const fn name(self) -> &'static str {
        match self {
            DropReason::QueueFull => "queue_full",
            DropReason::Early => "early",
            DropReason::Forced => "forced",
            DropReason::Late => "late",
            DropReason::Loss => "loss",
            DropReason::Outage => "outage",
            DropReason::TooBig => "too_big",
            DropReason::Expired => "expired",
            DropReason::NoRoute => "no_route",
            DropReason::Malformed => "malformed",
        }
    }
}

/// Which events an observer wants besides [`Event::Sent`], [`Event::Dropped`] and
/// [`Event::Delivered`]. What nobody wants costs nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wants {
    /// What happens to packets between those events. Each such event costs a copy of the packet.
    pub packets: bool,
    /// The lengths of queues.
    pub queues: bool,
    /// The state of connections. Whenever a host has done something all its connections are looked
    /// at.
    pub connections: bool,
}

impl Wants {
    /// No other event.
    pub const NOTHING: Wants = Wants { packets: false, queues: false, connections: false };
    /// All events.
    pub const EVERYTHING: Wants = Wants { packets: true, queues: true, connections: true };

    /// What either of two wants.
    pub const fn or(self, other: Wants) -> Wants {
        Wants {
            packets: self.packets || other.packets,
            queues: self.queues || other.queues,
            connections: self.connections || other.connections,
        }
    }
}

/// Watches an emulator; it cannot change what happens.
///
/// `()` watches nothing, `Option<O>` only if it is there, and a pair lets two watch.
pub trait Observer {
    /// Something happened. It may be something that only another observer wants.
    fn on_event(&mut self, now: Instant, event: &Event<'_>);

    /// What it wants to be told; asked once, when the emulator is built.
    fn wants(&self) -> Wants {
        Wants::NOTHING
    }
}

impl Observer for () {
    fn on_event(&mut self, _now: Instant, _event: &Event<'_>) {}
}

impl<O: Observer> Observer for Option<O> {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        if let Some(observer) = self {
            observer.on_event(now, event);
        }
    }

    fn wants(&self) -> Wants {
        self.as_ref().map_or(Wants::NOTHING, O::wants)
    }
}

impl<O: Observer + ?Sized> Observer for &mut O {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        (**self).on_event(now, event);
    }

    fn wants(&self) -> Wants {
        (**self).wants()
    }
}

impl<O: Observer + ?Sized> Observer for Box<O> {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        (**self).on_event(now, event);
    }

    fn wants(&self) -> Wants {
        (**self).wants()
    }
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        self.0.on_event(now, event);
        self.1.on_event(now, event);
    }

    fn wants(&self) -> Wants {
        self.0.wants().or(self.1.wants())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::HostId;

    /// When something happened.
    #[derive(Default)]
    struct Times(Vec<Instant>);

    impl Observer for Times {
        fn on_event(&mut self, now: Instant, _event: &Event<'_>) {
            self.0.push(now);
        }

        fn wants(&self) -> Wants {
            Wants { queues: true, ..Wants::NOTHING }
        }
    }

    #[test]
    fn several_can_watch_and_absent_ones_do_not() {
        let mut times = Times::default();
        let absent: Option<Times> = None;
        let mut watchers = (&mut times, (absent, Some(Times::default())));
        let sent = Event::Sent(PacketOnLink {
            number: 0,
            bytes: &[],
            link: LinkId(0),
            from: HostId(0).into(),
            to: HostId(1).into(),
        });
        let queues = Wants { queues: true, ..Wants::NOTHING };
        assert_eq!(watchers.wants(), queues);
        assert_eq!(((), &mut watchers).wants(), queues);
        watchers.on_event(Instant::from_secs(1), &sent);
        watchers.on_event(Instant::from_secs(2), &sent);
        let expected = [Instant::from_secs(1), Instant::from_secs(2)];
        assert_eq!(watchers.1.1.unwrap().0, expected);
        assert_eq!(times.0, expected);
    }
}

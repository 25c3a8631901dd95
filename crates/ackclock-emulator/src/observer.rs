//! Events of an emulated network, and the trait of the observers that receive them.

use crate::ids::{HostId, LinkId, NodeId};
use ackclock::tcp::Info;
use ackclock::time::Instant;
use std::net::SocketAddr;

/// A packet on a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PacketOnLink<'a> {
    /// The packet's number. The packets of a run are counted from 0 in the order in which their
    /// senders sent them. Routers keep the number when they forward; a duplicate has the number of
    /// its original.
    pub number: u64,
    /// The whole IP packet.
    pub bytes: &'a [u8],
    /// The link.
    pub link: LinkId,
    /// The node that put the packet on the link.
    pub from: NodeId,
    /// The node that the link leads to.
    pub to: NodeId,
}

/// The length of a link's queue, and whether the line is busy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub struct QueueLength {
    /// Packets that wait for the line.
    pub packets: u64,
    /// Bytes of the packets that wait, IP headers included.
    pub bytes: u64,
    /// Whether the line is sending another packet.
    pub in_service: bool,
}

impl QueueLength {
    /// Packets that wait and the packet in service.
    pub const fn packets_with_service(&self) -> u64 {
        self.packets + self.in_service as u64
    }
}

/// The queue of a link and its length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct QueueOnLink {
    /// How long the queue is now.
    pub length: QueueLength,
    /// The link.
    pub link: LinkId,
    /// The node that puts packets into the queue.
    pub from: NodeId,
    /// The node that the link leads to.
    pub to: NodeId,
}

/// A connection on a host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ConnectionOnHost<'a> {
    /// The number of this end of the connection. Ends are counted from 0 in the order of their
    /// first events; the two ends of a connection have different numbers.
    pub number: u64,
    /// The host.
    pub host: HostId,
    /// The host's end.
    pub local: SocketAddr,
    /// The other end.
    pub remote: SocketAddr,
    /// A snapshot of the connection.
    pub info: &'a Info,
}

/// Something that happened in the network.
///
/// At one instant the events of each packet come in order; events of different packets on one link
/// may not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A host or router handed a packet to a link.
    Sent(PacketOnLink<'a>),
    /// A packet entered the link's queue. A packet that finds the line idle enters the queue too,
    /// and leaves it at once. Only with [`Wants::packets`].
    Queued(PacketOnLink<'a>),
    /// The line begins to send a packet. Only with [`Wants::packets`].
    TransmissionBegan(PacketOnLink<'a>),
    /// The last bit of a packet has left the line. Only with [`Wants::packets`].
    TransmissionEnded(PacketOnLink<'a>),
    /// The queue marked a packet "congestion experienced" (RFC 3168). The packet is shown with the
    /// mark. Only with [`Wants::packets`].
    Marked(PacketOnLink<'a>),
    /// A bit of a packet was flipped. The packet is shown after the flip. Only with
    /// [`Wants::packets`].
    Corrupted(PacketOnLink<'a>),
    /// A packet was copied. The copy has the number of its original. Only with [`Wants::packets`].
    Duplicated(PacketOnLink<'a>),
    /// A packet was dropped or lost. A packet that a router drops was delivered to the router
    /// before; the event names the link that the packet came by.
    Dropped(PacketOnLink<'a>, DropReason),
    /// A packet arrived at the far end of its link; the host or router has not processed it yet.
    Delivered(PacketOnLink<'a>),
    /// The length of a queue has changed, or its line has become idle or busy. Queues are empty in
    /// the beginning. Only with [`Wants::queues`].
    Queue(QueueOnLink),
    /// A connection is new, has entered or left recovery, or its state, congestion window,
    /// slow-start threshold, flight or smoothed round-trip time has changed. Half-open connections
    /// of a listener have no events. Only with [`Wants::connections`].
    Connection(ConnectionOnHost<'a>),
    /// A connection is over, or only a TIME-WAIT record is left of it. The connection is shown as
    /// in its last event. Only with [`Wants::connections`].
    ConnectionGone(ConnectionOnHost<'a>),
}

impl<'a> Event<'a> {
    /// The name in files, which never changes.
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

    /// The packet that the event happened to; `None` for events of queues and connections.
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
    /// The queue was full. Drop-tail, RED and CoDel drop the packet that came, FQ-CoDel the first
    /// packet of the flow that occupies the most bytes.
    QueueFull,
    /// RED chose the packet by chance, the average being between the thresholds, or DualPI2 by the probability of
    /// its controller.
    Early,
    /// RED's average was at or above the larger threshold.
    Forced,
    /// CoDel's control law: packets had waited for too long.
    Late,
    /// The path's loss process chose the packet.
    Loss,
    /// The packet left the line during an outage.
    Outage,
    /// The packet was longer than the link's MTU.
    TooBig,
    /// A router found the packet's hop limit used up.
    Expired,
    /// A router knew no way to the packet's destination, or was the destination: routers have no
    /// services.
    NoRoute,
    /// A router could not read the packet's IP header, or the header's checksum was wrong.
    Malformed,
}

impl DropReason {
    /// The name in files, which never changes.
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
/// [`Event::Delivered`]. Events that no observer wants cost nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wants {
    /// What happens to packets between those events. Each such event costs a copy of the packet.
    pub packets: bool,
    /// The lengths of queues.
    pub queues: bool,
    /// Changes of connections. They cost a look at all connections of a host whenever the host has
    /// done something.
    pub connections: bool,
}

impl Wants {
    /// None of these events.
    pub const NOTHING: Wants = Wants { packets: false, queues: false, connections: false };
    /// All events.
    pub const EVERYTHING: Wants = Wants { packets: true, queues: true, connections: true };

    /// The events that either of two observers wants.
    pub const fn or(self, other: Wants) -> Wants {
        Wants {
            packets: self.packets || other.packets,
            queues: self.queues || other.queues,
            connections: self.connections || other.connections,
        }
    }
}

/// A receiver of an emulator's events. An observer cannot change what happens.
///
/// `()` ignores all events, `Option<O>` ignores them if it is `None`, and a pair passes each event
/// to both.
pub trait Observer {
    /// Takes an event, which happened at `now`. In a pair each observer gets what either of them
    /// wants.
    fn on_event(&mut self, now: Instant, event: &Event<'_>);

    /// The events that the observer wants; asked once, when the emulator is built.
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

    /// An observer that keeps the times of events.
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

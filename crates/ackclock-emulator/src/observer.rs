//! What an emulator tells those who watch it.

use crate::ids::{LinkId, NodeId};
use ackclock::time::Instant;

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

/// Something that happened in the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A host or router handed a packet to a link.
    Sent(PacketOnLink<'a>),
    /// A packet will not arrive. What a router drops has been delivered to it, and is told of on
    /// the link that it came by.
    Dropped(PacketOnLink<'a>, DropReason),
    /// A packet arrived; the host or router has not seen it yet.
    Delivered(PacketOnLink<'a>),
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

/// Watches an emulator; it cannot change what happens.
///
/// `()` watches nothing, `Option<O>` only if it is there, and a pair lets two watch.
pub trait Observer {
    /// Something happened.
    fn on_event(&mut self, now: Instant, event: &Event<'_>);
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
}

impl<O: Observer + ?Sized> Observer for &mut O {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        (**self).on_event(now, event);
    }
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        self.0.on_event(now, event);
        self.1.on_event(now, event);
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
        watchers.on_event(Instant::from_secs(1), &sent);
        watchers.on_event(Instant::from_secs(2), &sent);
        let expected = [Instant::from_secs(1), Instant::from_secs(2)];
        assert_eq!(watchers.1.1.unwrap().0, expected);
        assert_eq!(times.0, expected);
    }
}

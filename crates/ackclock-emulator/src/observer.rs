//! What an emulator tells those who watch it.

use ackclock::time::Instant;

/// Names a host of an emulator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct HostId(pub(crate) usize);

/// Names a link of an emulator: one direction between two hosts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LinkId(pub(crate) usize);

/// A packet on a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PacketOnLink<'a> {
    /// Counts the packets of a run from 0, in the order in which they were sent; a duplicate has
    /// the number of its original.
    pub number: u64,
    /// The whole IP packet.
    pub bytes: &'a [u8],
    /// The link.
    pub link: LinkId,
    /// Who sent it.
    pub from: HostId,
    /// Whom the link leads to.
    pub to: HostId,
}

/// Something that happened in the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A host handed a packet to a link.
    Sent(PacketOnLink<'a>),
    /// A packet will not arrive.
    Dropped(PacketOnLink<'a>, DropReason),
    /// A packet arrived; the host has not seen it yet.
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
    /// Lost on the line.
    Loss,
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
            from: HostId(0),
            to: HostId(1),
        });
        watchers.on_event(Instant::from_secs(1), &sent);
        watchers.on_event(Instant::from_secs(2), &sent);
        let expected = [Instant::from_secs(1), Instant::from_secs(2)];
        assert_eq!(watchers.1.1.unwrap().0, expected);
        assert_eq!(times.0, expected);
    }
}

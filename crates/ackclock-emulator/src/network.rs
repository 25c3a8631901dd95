//! The network between the hosts: links, packets on their way, and virtual time.

use crate::account::LinkStatistics;
use crate::engine::EventQueue;
use crate::link::Link;
use crate::observer::{DropReason, Event, HostId, LinkId, Observer, PacketOnLink};
use crate::packet::{Packet, PacketPool};
use ackclock::stack::Transmit;
use ackclock::time::Instant;

/// Links and the virtual time in which they carry packets.
#[derive(Debug)]
pub(crate) struct Network<O> {
    now: Instant,
    events: EventQueue<Pending>,
    links: Vec<Connected>,
    pool: PacketPool,
    observer: O,
}

/// A link and the hosts at its ends.
#[derive(Debug)]
struct Connected {
    link: Link,
    from: HostId,
    to: HostId,
}

/// What waits in the event queue.
#[derive(Debug)]
enum Pending {
    /// The packet in service has left the line.
    Transmitted(LinkId),
    /// A packet reaches the far end.
    Arrival(LinkId, Packet),
    /// A host asked to be called.
    Timer(HostId),
}

/// What a step of the network means to a host.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// Nothing.
    Nothing,
    /// A packet arrived; give it back with [`Network::recycle`].
    Arrived(HostId, Packet),
    /// A time that a host asked for has come.
    Timer(HostId),
}

impl<O: Observer> Network<O> {
    pub(crate) fn new(observer: O) -> Self {
        Network {
            now: Instant::ZERO,
            events: EventQueue::new(),
            links: Vec::new(),
            pool: PacketPool::default(),
            observer,
        }
    }

    pub(crate) fn add_link(&mut self, link: Link, from: HostId, to: HostId) -> LinkId {
        self.links.push(Connected { link, from, to });
        LinkId(self.links.len() - 1)
    }

    pub(crate) fn now(&self) -> Instant {
        self.now
    }

    /// When something happens next; `None`: never.
    pub(crate) fn next_at(&self) -> Option<Instant> {
        self.events.next_at()
    }

    /// Lets time pass in which nothing happens.
    pub(crate) fn advance_to(&mut self, time: Instant) {
        self.now = self.now.max(time);
    }

    pub(crate) fn call_at(&mut self, at: Instant, host: HostId) {
        self.events.schedule(at, Pending::Timer(host));
    }

    pub(crate) fn link_statistics(&self, id: LinkId) -> &LinkStatistics {
        self.links[id.0].link.statistics()
    }

    pub(crate) fn observer(&self) -> &O {
        &self.observer
    }

    pub(crate) fn into_observer(self) -> O {
        self.observer
    }

    pub(crate) fn recycle(&mut self, packet: Packet) {
        self.pool.recycle(packet);
    }

    /// A host sends a packet on one of its links.
    pub(crate) fn send(&mut self, id: LinkId, transmit: &Transmit<'_>) {
        let packet = self.pool.packet(transmit);
        let connected = &mut self.links[id.0];
        let sent = Event::Sent(connected.shows(id, &packet));
        self.observer.on_event(self.now, &sent);
        let ends_at = connected.link.offer(self.now, packet);
        self.follow(id, ends_at);
    }

    /// Lets the next thing happen; `None` if there is none.
    pub(crate) fn step(&mut self) -> Option<Step> {
        let (at, pending) = self.events.pop()?;
        self.now = at;
        Some(match pending {
            Pending::Transmitted(id) => {
                let ends_at = self.links[id.0].link.on_transmitted(self.now);
                self.follow(id, ends_at);
                Step::Nothing
            }
            Pending::Arrival(id, packet) => {
                let connected = &self.links[id.0];
                let delivered = Event::Delivered(connected.shows(id, &packet));
                self.observer.on_event(at, &delivered);
                Step::Arrived(connected.to, packet)
            }
            Pending::Timer(host) => Step::Timer(host),
        })
    }

    /// Sees to what a link has to tell: when its transmission ends, what arrives, what does not.
    fn follow(&mut self, id: LinkId, ends_at: Option<Instant>) {
        if let Some(at) = ends_at {
            self.events.schedule(at, Pending::Transmitted(id));
        }
        while let Some((at, packet)) = self.links[id.0].link.take_arrival() {
            self.events.schedule(at, Pending::Arrival(id, packet));
        }
        while let Some((packet, reason)) = self.links[id.0].link.take_drop() {
            self.drop_packet(id, packet, reason);
        }
    }

    fn drop_packet(&mut self, id: LinkId, packet: Packet, reason: DropReason) {
        let dropped = Event::Dropped(self.links[id.0].shows(id, &packet), reason);
        self.observer.on_event(self.now, &dropped);
        self.pool.recycle(packet);
    }
}

impl Connected {
    fn shows<'p>(&self, link: LinkId, packet: &'p Packet) -> PacketOnLink<'p> {
        PacketOnLink {
            number: packet.number,
            bytes: &packet.bytes,
            link,
            from: self.from,
            to: self.to,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::testing::transmit;
    use crate::pair::{LEFT, RIGHT};
    use crate::random::Streams;

    /// Writes each event as a line.
    #[derive(Default)]
    struct Lines(Vec<String>);

    impl Observer for Lines {
        fn on_event(&mut self, now: Instant, event: &Event<'_>) {
            let (what, packet) = match event {
                Event::Sent(packet) => ("sent".into(), packet),
                Event::Dropped(packet, reason) => (format!("{reason:?}"), packet),
                Event::Delivered(packet) => ("delivered".into(), packet),
            };
            let nanos = now.as_nanos();
            let (number, length) = (packet.number, packet.bytes.len());
            self.0.push(format!("{nanos} {what} {number} {length}"));
        }
    }

    fn network(path: &str, seed: u64) -> (Network<Lines>, LinkId) {
        let mut network = Network::new(Lines::default());
        let random = Streams::new(seed).take_stream();
        let link = network.add_link(Link::new(&path.parse().unwrap(), random), LEFT, RIGHT);
        (network, link)
    }

    fn run(network: &mut Network<Lines>) {
        while let Some(step) = network.step() {
            if let Step::Arrived(to, packet) = step {
                assert_eq!(to, RIGHT);
                network.recycle(packet);
            }
        }
    }

    #[test]
    fn observers_see_each_packets_life() {
        let (mut network, link) = network("rate=10mbit,delay=20ms,loss=0,queue=1", 1);
        for length in [1250, 500, 40] {
            network.send(link, &transmit(&vec![0; length]));
        }
        run(&mut network);
        assert_eq!(
            network.into_observer().0,
            [
                "0 sent 0 1250",
                "0 sent 1 500",
                "0 sent 2 40",
                "0 QueueFull 2 40",
                "21000000 delivered 0 1250",
                "21400000 delivered 1 500",
            ]
        );
    }

    #[test]
    fn a_lost_packet_is_reported_when_it_leaves_the_line() {
        let (mut network, link) = network("rate=10mbit,loss=1", 1);
        network.send(link, &transmit(&[0; 1250]));
        run(&mut network);
        assert_eq!(network.into_observer().0, ["0 sent 0 1250", "1000000 Loss 0 1250"]);
    }

    #[test]
    fn bytes_arrive_as_they_were_sent() {
        let (mut network, link) = network("loss=0", 1);
        let bytes: Vec<u8> = (0..=255).collect();
        network.send(link, &transmit(&bytes));
        assert_eq!(network.step(), Some(Step::Nothing));
        let packet = Packet { number: 0, bytes };
        assert_eq!(network.step(), Some(Step::Arrived(RIGHT, packet)));
        assert_eq!(network.step(), None);
    }

    #[test]
    fn a_timer_comes_at_its_time_between_packets() {
        let (mut network, link) = network("rate=10mbit,delay=0s,loss=0", 1);
        network.call_at(Instant::from_micros(500), LEFT);
        network.send(link, &transmit(&[0; 1250]));
        assert_eq!(network.step(), Some(Step::Timer(LEFT)));
        assert_eq!(network.now(), Instant::from_micros(500));
        assert_eq!(network.next_at(), Some(Instant::from_millis(1)));
    }

    #[test]
    fn the_same_seed_gives_the_same_run() {
        let history = |seed| {
            let (mut network, link) = network("rate=10mbit,loss=10%,queue=1000", seed);
            for length in 0..500 {
                network.send(link, &transmit(&vec![7; 40 + length]));
            }
            run(&mut network);
            network.into_observer().0
        };
        assert_eq!(history(1), history(1));
        assert_ne!(history(1), history(2));
    }
}

//! The network between the hosts: links, routers, packets on their way, and virtual time.

mod router;
pub(crate) mod routing_table;

use crate::event_queue::EventQueue;
use crate::ids::{HostId, LinkId, NodeId, RouterId};
use crate::link::Link;
use crate::link::path::Path;
use crate::link::statistics::LinkStatistics;
use crate::observer::{DropReason, Event, Observer, PacketOnLink, QueueLength, QueueOnLink, Wants};
use crate::packet::{Packet, PacketPool, fragments};
use ackclock::stack::Transmit;
use ackclock::time::Instant;
use router::Refusal;
use routing_table::Routes;

/// Links and routers, and the virtual time in which they carry packets.
#[derive(Debug)]
pub(crate) struct Network<O> {
    now: Instant,
    events: EventQueue<Pending>,
    links: Vec<Connected>,
    routes: Routes,
    /// Counters of each router.
    routers: Vec<RouterStatistics>,
    pool: PacketPool,
    observer: O,
    wants: Wants,
}

/// A link and its ends.
#[derive(Debug)]
struct Connected {
    link: Link,
    from: NodeId,
    to: NodeId,
    /// A host found no room.
    refused: bool,
    /// The queue's length that was last reported to the observer.
    told: QueueLength,
}

/// Counters of a router since the beginning of the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct RouterStatistics {
    /// Packets that the router put on their next link, whose queue may have dropped them.
    pub packets_forwarded: u64,
    /// Packets that the router dropped itself.
    pub packets_dropped: u64,
    /// ICMP errors that the router sent about dropped packets.
    pub errors_sent: u64,
}

/// What waits in the event queue.
#[derive(Debug)]
enum Pending {
    /// The packet in service has left the line.
    Transmitted(LinkId),
    /// A packet that was held back comes to its link's queue.
    Enqueue(LinkId, Packet),
    /// A packet reaches the far end.
    Arrival(LinkId, Packet),
    /// A host has finished processing a packet that arrived before.
    Processed(HostId, Packet),
    /// A timer that a host has set.
    Timer(HostId),
}

/// Effect of a step of the network on a host.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// Nothing that concerns a host.
    Nothing,
    /// A packet arrived; give it back with [`Network::recycle`].
    Arrived(HostId, Packet),
    /// A host has finished processing a packet; give it back with [`Network::recycle`].
    Processed(HostId, Packet),
    /// A timer that a host set has expired.
    Timer(HostId),
    /// The link of a host that found no room there has room.
    Room(HostId),
}

impl<O: Observer> Network<O> {
    pub(crate) fn new(routes: Routes, observer: O) -> Self {
        Network {
            now: Instant::ZERO,
            events: EventQueue::new(),
            links: Vec::new(),
            routers: vec![RouterStatistics::default(); routes.routers()],
            routes,
            pool: PacketPool::default(),
            wants: observer.wants(),
            observer,
        }
    }

    pub(crate) fn add_link(&mut self, mut link: Link, from: NodeId, to: NodeId) -> LinkId {
        if self.wants.packets {
            link.keep_notes();
        }
        self.links.push(Connected { link, from, to, refused: false, told: QueueLength::default() });
        LinkId(self.links.len() - 1)
    }

    pub(crate) fn now(&self) -> Instant {
        self.now
    }

    /// The time of the next event; `None` if there is none.
    pub(crate) fn next_at(&self) -> Option<Instant> {
        self.events.next_at()
    }

    /// Moves the time to `time`, before which there is no event.
    pub(crate) fn advance_to(&mut self, time: Instant) {
        self.now = self.now.max(time);
    }

    pub(crate) fn call_at(&mut self, at: Instant, host: HostId) {
        self.events.schedule(at, Pending::Timer(host));
    }

    pub(crate) fn link_statistics(&self, id: LinkId) -> &LinkStatistics {
        self.links[id.0].link.statistics()
    }

    pub(crate) fn change_path(&mut self, id: LinkId, path: &Path) {
        self.links[id.0].link.change(path);
    }

    pub(crate) fn forget_longest_queues(&mut self) {
        self.links.iter_mut().for_each(|connected| connected.link.forget_longest_queue());
    }

    pub(crate) fn router_statistics(&self, id: RouterId) -> &RouterStatistics {
        &self.routers[id.0]
    }

    /// Whether the observer wants events of connections.
    pub(crate) fn wants_connections(&self) -> bool {
        self.wants.connections
    }

    /// Gives the observer an event of a host.
    pub(crate) fn tell(&mut self, event: &Event<'_>) {
        self.observer.on_event(self.now, event);
    }

    pub(crate) fn observer(&self) -> &O {
        &self.observer
    }

    pub(crate) fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    pub(crate) fn into_observer(self) -> O {
        self.observer
    }

    pub(crate) fn recycle(&mut self, packet: Packet) {
        self.pool.recycle(packet);
    }

    /// Keeps a packet until its host has finished processing it, at `at`.
    pub(crate) fn process_until(&mut self, at: Instant, host: HostId, packet: Packet) {
        self.events.schedule(at, Pending::Processed(host, packet));
    }

    /// Whether a host's link has room for a transmission; if not, [`Step::Room`] follows when it has.
    pub(crate) fn has_room(&mut self, id: LinkId) -> bool {
        let Connected { link, refused, .. } = &mut self.links[id.0];
        *refused = !link.has_room();
        !*refused
    }

    /// Sends a host's packet on its link.
    pub(crate) fn send(&mut self, id: LinkId, transmit: &Transmit<'_>) {
        let packet = self.pool.packet(transmit);
        self.put(id, packet);
    }

    /// Puts a packet on a link.
    fn put(&mut self, id: LinkId, packet: Packet) {
        let connected = &mut self.links[id.0];
        let sent = Event::Sent(connected.shows(id, &packet));
        self.observer.on_event(self.now, &sent);
        let ends_at = connected.link.offer(self.now, packet);
        self.follow(id, ends_at);
    }

    /// Processes the next event; `None` if there is none.
    pub(crate) fn step(&mut self) -> Option<Step> {
        let (at, pending) = self.events.pop()?;
        self.now = at;
        Some(match pending {
            Pending::Transmitted(id) => {
                let ends_at = self.links[id.0].link.on_transmitted(self.now);
                self.follow(id, ends_at);
                self.tell_of_room(id)
            }
            Pending::Enqueue(id, packet) => {
                let ends_at = self.links[id.0].link.enqueue(self.now, packet);
                self.follow(id, ends_at);
                Step::Nothing
            }
            Pending::Arrival(id, packet) => {
                let connected = &self.links[id.0];
                let delivered = Event::Delivered(connected.shows(id, &packet));
                self.observer.on_event(at, &delivered);
                match connected.to {
                    NodeId::Host(host) => Step::Arrived(host, packet),
                    NodeId::Router(router) => {
                        self.forward(router, id, packet);
                        Step::Nothing
                    }
                }
            }
            Pending::Processed(host, packet) => Step::Processed(host, packet),
            Pending::Timer(host) => Step::Timer(host),
        })
    }

    /// After a packet has left the line.
    fn tell_of_room(&mut self, id: LinkId) -> Step {
        let connected = &mut self.links[id.0];
        match connected.from {
            NodeId::Host(host) if connected.refused && connected.link.has_room() => {
                connected.refused = false;
                Step::Room(host)
            }
            _ => Step::Nothing,
        }
    }

    /// Schedules what follows from a call of a link: the end of a transmission, arrivals, packets
    /// that are held back. Tells the observer what happened to packets and the queue.
    fn follow(&mut self, id: LinkId, ends_at: Option<Instant>) {
        if let Some(at) = ends_at {
            self.events.schedule(at, Pending::Transmitted(id));
        }
        while let Some((at, packet)) = self.links[id.0].link.take_arrival() {
            self.events.schedule_in_lane(id.0, at, Pending::Arrival(id, packet));
        }
        while let Some((at, packet)) = self.links[id.0].link.take_held() {
            self.events.schedule(at, Pending::Enqueue(id, packet));
        }
        while let Some((packet, note)) = self.links[id.0].link.take_note() {
            self.observer.on_event(self.now, &note.event(self.links[id.0].shows(id, &packet)));
        }
        while let Some((packet, reason)) = self.links[id.0].link.take_drop() {
            self.drop_packet(id, packet, reason);
        }
        if self.wants.queues {
            self.tell_queue(id);
        }
    }

    /// Tells the observer the length of a link's queue, if it has changed.
    fn tell_queue(&mut self, id: LinkId) {
        let connected = &mut self.links[id.0];
        let length = connected.link.queue_length();
        if length != connected.told {
            connected.told = length;
            let Connected { from, to, .. } = *connected;
            let queue = Event::Queue(QueueOnLink { length, link: id, from, to });
            self.observer.on_event(self.now, &queue);
        }
    }

    /// Forwards a packet that came to a router by a link, or drops it and sends the sender an ICMP error.
    fn forward(&mut self, router: RouterId, came_by: LinkId, mut packet: Packet) {
        let links = &self.links;
        let limit = |link: LinkId| {
            let link = &links[link.0].link;
            (link.mtu(), link.drops_silently())
        };
        match router::route(router, &self.routes, &mut packet.bytes, limit) {
            Ok(next) => {
                self.routers[router.0].packets_forwarded += 1;
                let mtu = self.links[next.0].link.mtu() as usize;
                if packet.bytes.len() <= mtu {
                    return self.put(next, packet);
                }
                for bytes in fragments::cut(&packet.bytes, mtu) {
                    self.put(next, Packet { number: packet.number, bytes });
                }
                self.pool.recycle(packet);
            }
            Err(Refusal { reason, complaint }) => {
                self.routers[router.0].packets_dropped += 1;
                if let Some(kind) = complaint {
                    let mut message = self.pool.empty();
                    let to = router::complain(router, &packet.bytes, kind, &mut message.bytes);
                    match to.and_then(|to| self.routes.next(router.0, to)) {
                        Some(link) => {
                            self.routers[router.0].errors_sent += 1;
                            self.put(link, message);
                        }
                        None => self.pool.recycle(message),
                    }
                }
                self.drop_packet(came_by, packet, reason);
            }
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
    use crate::emulator::pair::{LEFT, RIGHT};
    use crate::packet::testing::{ip_packet, transmit};
    use crate::random::Streams;
    use ackclock::wire::Ecn;

    /// An observer that writes each event as a line.
    struct Lines(Vec<String>, Wants);

    impl Observer for Lines {
        fn on_event(&mut self, now: Instant, event: &Event<'_>) {
            let what = match event {
                Event::Dropped(_, reason) => format!("{reason:?}"),
                Event::Queue(QueueOnLink { length, .. }) => {
                    let QueueLength { packets, bytes, in_service } = length;
                    format!("queue {packets} {bytes} {in_service}")
                }
                other => other.name().into(),
            };
            let packet = event.packet();
            let packet = packet.map(|packet| format!(" {} {}", packet.number, packet.bytes.len()));
            let nanos = now.as_nanos();
            self.0.push(format!("{nanos} {what}{}", packet.unwrap_or_default()));
        }

        fn wants(&self) -> Wants {
            self.1
        }
    }

    fn network(path: &str, seed: u64) -> (Network<Lines>, LinkId) {
        watched(path, seed, Wants::NOTHING)
    }

    fn watched(path: &str, seed: u64, wants: Wants) -> (Network<Lines>, LinkId) {
        let mut network = Network::new(Routes::default(), Lines(Vec::new(), wants));
        let random = Streams::new(seed).take_stream();
        let link = Link::new(&path.parse().unwrap(), random);
        let link = network.add_link(link, LEFT.into(), RIGHT.into());
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
    fn who_wants_it_sees_each_packets_life_in_full() {
        let path = "rate=10mbit,delay=20ms,loss=0,queue=1,duplicate=1,corrupt=1";
        let (mut network, link) = watched(path, 1, Wants { packets: true, ..Wants::NOTHING });
        for length in [1250, 500, 40] {
            network.send(link, &transmit(&vec![0; length]));
        }
        run(&mut network);
        assert_eq!(
            network.into_observer().0,
            [
                "0 sent 0 1250",
                "0 queued 0 1250",
                "0 transmission_began 0 1250",
                "0 sent 1 500",
                "0 queued 1 500",
                "0 sent 2 40",
                "0 QueueFull 2 40",
                "1000000 transmission_ended 0 1250",
                "1000000 corrupted 0 1250",
                "1000000 duplicated 0 1250",
                "1000000 transmission_began 1 500",
                "1400000 transmission_ended 1 500",
                "1400000 corrupted 1 500",
                "1400000 duplicated 1 500",
                "21000000 delivered 0 1250",
                "21000000 delivered 0 1250",
                "21400000 delivered 1 500",
                "21400000 delivered 1 500",
            ]
        );
    }

    #[test]
    fn a_queue_is_told_of_when_its_length_changes() {
        let path = "rate=10mbit,delay=0s,loss=1,queue=1";
        let (mut network, link) = watched(path, 1, Wants { queues: true, ..Wants::NOTHING });
        for length in [1250, 500, 40] {
            network.send(link, &transmit(&vec![0; length]));
        }
        run(&mut network);
        assert_eq!(
            network.into_observer().0,
            [
                "0 sent 0 1250",
                "0 queue 0 0 true",
                "0 sent 1 500",
                "0 queue 1 500 true",
                "0 sent 2 40",
                "0 QueueFull 2 40",
                "1000000 Loss 0 1250",
                "1000000 queue 0 0 true",
                "1400000 Loss 1 500",
                "1400000 queue 0 0 false",
            ]
        );
    }

    #[test]
    fn a_marked_packet_is_told_of_as_it_is_then() {
        /// An observer that keeps the number and the ECN field of each marked packet.
        struct Marks(Vec<(u64, u8)>);

        impl Observer for Marks {
            fn on_event(&mut self, _now: Instant, event: &Event<'_>) {
                if let Event::Marked(packet) = event {
                    self.0.push((packet.number, packet.bytes[1] & 3));
                }
            }

            fn wants(&self) -> Wants {
                Wants { packets: true, ..Wants::NOTHING }
            }
        }

        let mut network = Network::new(Routes::default(), Marks(Vec::new()));
        // RED marks every packet that finds another one waiting.
        let path = "rate=1mbit,loss=0,queue=red:0:1:1:1:10:ecn".parse().unwrap();
        let link = Link::new(&path, Streams::new(1).take_stream());
        let link = network.add_link(link, LEFT.into(), RIGHT.into());
        for _ in 0..3 {
            network.send(link, &transmit(&ip_packet(false, 1, Ecn::Ect0, 100)));
        }
        assert_eq!(network.into_observer().0, [(2, 3)]);
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

//! Captures in the pcapng format, with several interfaces in one file, and comments.

use super::pcap::{SNAPSHOT_LENGTH, io_error};
use crate::ids::LinkId;
use crate::observer::{DropReason, Event, Observer, PacketOnLink};
use crate::topology::Topology;
use ackclock::time::{Duration, Instant};
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::{DataLink, Endianness};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::io::{self, Write};

/// Unit of timestamps, 10^-9 s (`if_tsresol`).
const NANOSECONDS: u8 = 9;

/// The direction in which a packet passed an interface, as in the direction bits of `epb_flags`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// The packet was received there.
    Inbound = 1,
    /// The packet was sent there.
    Outbound = 2,
}

/// A pcapng file, for drivers other than the emulator.
///
/// Timestamps are in nanoseconds, byte order is little-endian on every platform, packets begin with
/// the IP header (link type 101, RAW). The writer should be a buffered one. After an error of the
/// writer nothing more is written, and [`finish`](Self::finish) returns the error.
pub struct PcapNgFile<W: Write> {
    writer: PcapNgWriter<W>,
    interfaces: u32,
    error: Option<io::Error>,
}

/// A packet that passed an interface.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PassedPacket<'a> {
    /// When the packet passed; readers take it as time since the Unix epoch.
    pub at: Duration,
    /// The direction in which it passed.
    pub direction: Direction,
    /// The whole IP packet.
    pub bytes: &'a [u8],
    /// A comment on the packet.
    pub comment: Option<&'a str>,
}

impl<'a> PassedPacket<'a> {
    /// A packet without a comment.
    pub const fn new(at: Duration, direction: Direction, bytes: &'a [u8]) -> Self {
        PassedPacket { at, direction, bytes, comment: None }
    }
}

impl<W: Write> PcapNgFile<W> {
    /// A file without interfaces; writes the section header.
    ///
    /// # Errors
    /// The writer's error.
    pub fn new(writer: W) -> io::Result<Self> {
        let writer = PcapNgWriter::with_endianness(writer, Endianness::Little).map_err(io_error)?;
        Ok(PcapNgFile { writer, interfaces: 0, error: None })
    }

    /// Adds an interface, with its speed in bits per second if that is known; returns its number.
    pub fn add_interface(&mut self, name: &str, description: &str, speed: Option<u64>) -> u32 {
        use InterfaceDescriptionOption::{IfDescription, IfName, IfSpeed, IfTsResol};
        let named = [IfName(name.into()), IfDescription(description.into())];
        let options = named.into_iter().chain(speed.map(IfSpeed)).chain([IfTsResol(NANOSECONDS)]);
        let block = InterfaceDescriptionBlock {
            linktype: DataLink::RAW,
            snaplen: SNAPSHOT_LENGTH,
            options: options.collect(),
        };
        if self.error.is_none() {
            self.error = self.writer.write_pcapng_block(block).map_err(io_error).err();
        }
        self.interfaces += 1;
        self.interfaces - 1
    }

    /// Writes a packet that passed an interface.
    pub fn record(&mut self, interface: u32, packet: &PassedPacket<'_>) {
        use EnhancedPacketOption::{Comment, Flags};
        if self.error.is_some() {
            return;
        }
        let comment = packet.comment.map(|comment| Comment(comment.into()));
        let flags = Flags(packet.direction as u32);
        let block = EnhancedPacketBlock {
            interface_id: interface,
            timestamp: packet.at.into(),
            original_len: packet.bytes.len() as u32,
            data: packet.bytes.into(),
            options: comment.into_iter().chain([flags]).collect(),
        };
        self.error = self.writer.write_pcapng_block(block).map_err(io_error).err();
    }

    /// Ends the capture and returns the flushed writer.
    ///
    /// # Errors
    /// The first error of the writer, after which nothing was written.
    pub fn finish(self) -> io::Result<W> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let mut writer = self.writer.into_inner();
        writer.flush()?;
        Ok(writer)
    }
}

impl<W: Write> fmt::Debug for PcapNgFile<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PcapNgFile { interfaces, error, writer: _ } = self;
        let mut shown = f.debug_struct("PcapNgFile");
        shown.field("interfaces", interfaces).field("error", error).finish_non_exhaustive()
    }
}

/// An observer that writes everything that passes the ends of all links, with one interface for
/// each end.
///
/// An interface is named after its node and the node at the other end (`left to right`). A packet
/// is written twice: when it is sent at one end, and when it arrives at the other. A packet that
/// does not arrive has a comment that says when and why it was dropped, by the names of
/// [`DropReason::name`].
///
/// Packets are in the order of time. A packet is kept in memory until its way over the link is
/// over, so that it can get a comment, and packets behind it wait for it.
#[derive(Debug)]
pub struct PcapNgCapture<W: Write> {
    file: PcapNgFile<W>,
    /// Packets to be written, in order of time.
    waiting: VecDeque<Waiting>,
    /// The number of packets that have left `waiting`.
    written: u64,
    /// For each packet on a link, its place in `waiting`, counted from the first packet of the
    /// capture.
    on_links: BTreeMap<(LinkId, u64), u64>,
}

/// A packet to be written.
#[derive(Debug)]
struct Waiting {
    interface: u32,
    at: Instant,
    direction: Direction,
    number: u64,
    bytes: Vec<u8>,
    comment: Option<String>,
    /// Whether it is known whether the packet arrived.
    is_settled: bool,
}

impl<W: Write> PcapNgCapture<W> {
    /// A capture of all links of the topology from which the emulator will be built; writes the
    /// descriptions of the interfaces.
    ///
    /// # Errors
    /// The writer's error.
    pub fn new(topology: &Topology, writer: W) -> io::Result<Self> {
        let mut file = PcapNgFile::new(writer)?;
        for link in topology.links() {
            let [from, to] = topology.ends(link).map(|node| topology.name(node));
            let path = topology.path(link);
            let speed = path.rate.bits_per_second();
            file.add_interface(&format!("{from} to {to}"), &path.to_string(), Some(speed));
        }
        if let Some(error) = file.error {
            return Err(error);
        }
        let (waiting, on_links) = (VecDeque::new(), BTreeMap::new());
        Ok(PcapNgCapture { file, waiting, written: 0, on_links })
    }

    /// Ends the capture and returns the flushed writer.
    ///
    /// # Errors
    /// The first error of the writer, after which nothing was written.
    pub fn finish(mut self) -> io::Result<W> {
        while let Some(waiting) = self.waiting.pop_front() {
            waiting.write(&mut self.file);
        }
        self.file.finish()
    }

    fn push(&mut self, now: Instant, packet: &PacketOnLink<'_>, direction: Direction) {
        self.waiting.push_back(Waiting {
            interface: interface(packet.link, direction),
            at: now,
            direction,
            number: packet.number,
            bytes: packet.bytes.to_vec(),
            comment: None,
            is_settled: true,
        });
    }

    fn on_sent(&mut self, now: Instant, packet: &PacketOnLink<'_>) {
        // A packet that goes round in a circle comes to the same link again.
        self.settle(packet, None);
        let position = self.written + self.waiting.len() as u64;
        self.push(now, packet, Direction::Outbound);
        if let Some(sent) = self.waiting.back_mut() {
            sent.is_settled = false;
        }
        self.on_links.insert((packet.link, packet.number), position);
    }

    fn on_dropped(&mut self, now: Instant, packet: &PacketOnLink<'_>, reason: DropReason) {
        let comment = format!("dropped at {} ns: {}", now.as_nanos(), reason.name());
        if self.settle(packet, Some(&comment)) {
            return;
        }
        let has_just_arrived = |waiting: &&mut Waiting| {
            let here = interface(packet.link, Direction::Inbound);
            (waiting.at, waiting.number, waiting.interface) == (now, packet.number, here)
                && waiting.direction == Direction::Inbound
        };
        if let Some(arrived) = self.waiting.iter_mut().rev().find(has_just_arrived) {
            // A router dropped the packet after its arrival.
            arrived.comment = Some(comment);
            return;
        }
        // A copy was dropped whose original has arrived or was dropped before.
        self.push(now, packet, Direction::Outbound);
        if let Some(copy) = self.waiting.back_mut() {
            copy.comment = Some(comment);
        }
    }

    /// Notes that a packet's way over a link is over. Returns `false` if that was known.
    fn settle(&mut self, packet: &PacketOnLink<'_>, comment: Option<&str>) -> bool {
        let Some(position) = self.on_links.remove(&(packet.link, packet.number)) else {
            return false;
        };
        let index = position.checked_sub(self.written).and_then(|index| index.try_into().ok());
        if let Some(waiting) = index.and_then(|index: usize| self.waiting.get_mut(index)) {
            waiting.is_settled = true;
            waiting.comment = comment.map(str::to_owned);
        }
        true
    }

    /// Writes the packets of which all is known. Those of this instant wait, since a router drops a
    /// packet at the time of its arrival.
    fn write_settled(&mut self, now: Instant) {
        let is_settled = |waiting: &mut Waiting| waiting.is_settled && waiting.at < now;
        while let Some(waiting) = self.waiting.pop_front_if(is_settled) {
            self.written += 1;
            waiting.write(&mut self.file);
        }
    }
}

/// The interface at which a packet enters a link or leaves it. Links come in pairs, so that the far
/// end of one is the near end of the other.
fn interface(link: LinkId, direction: Direction) -> u32 {
    match direction {
        Direction::Outbound => link.0 as u32,
        Direction::Inbound => link.0 as u32 ^ 1,
    }
}

impl Waiting {
    fn write<W: Write>(&self, file: &mut PcapNgFile<W>) {
        let at = self.at.saturating_since(Instant::ZERO);
        let passed = PassedPacket::new(at, self.direction, &self.bytes);
        let comment = self.comment.as_deref();
        file.record(self.interface, &PassedPacket { comment, ..passed });
    }
}

impl<W: Write> Observer for PcapNgCapture<W> {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        self.write_settled(now);
        match event {
            Event::Sent(packet) => self.on_sent(now, packet),
            Event::Delivered(packet) => {
                self.settle(packet, None);
                self.push(now, packet, Direction::Inbound);
            }
            Event::Dropped(packet, reason) => self.on_dropped(now, packet, *reason),
            _ => {}
        }
    }
}

#[cfg(test)]
#[expect(clippy::redundant_closure, reason = "a constructor is not general over lifetimes")]
mod tests {
    use super::*;
    use crate::ids::NodeId;
    use crate::link::path::Path;
    use pcap_file::pcapng::{Block, PcapNgReader};

    /// Two hosts with a router in between.
    struct World {
        topology: Topology,
        capture: PcapNgCapture<Vec<u8>>,
    }

    const THERE: LinkId = LinkId(0);
    const BACK: LinkId = LinkId(1);
    const ON: LinkId = LinkId(2);

    impl World {
        fn new() -> Self {
            let mut topology = Topology::new();
            let [left, right] = ["left", "right"].map(|name| topology.host(name));
            let router = topology.router("router");
            let path: Path = "rate=8mbit".parse().unwrap();
            topology.link(left, router, [path.clone(), path.clone()]);
            topology.link(router, right, [path.clone(), path]);
            let capture = PcapNgCapture::new(&topology, Vec::new()).unwrap();
            World { topology, capture }
        }

        fn packet<'p>(&self, link: LinkId, number: u64, bytes: &'p [u8]) -> PacketOnLink<'p> {
            let [from, to]: [NodeId; 2] = self.topology.ends(link);
            PacketOnLink { number, bytes, link, from, to }
        }

        /// Gives the capture an event of a packet that has as many bytes as its number says.
        fn tell(
            &mut self,
            nanos: u64,
            link: LinkId,
            number: u64,
            event: fn(PacketOnLink<'_>) -> Event<'_>,
        ) {
            let bytes = vec![0x45; number as usize];
            let packet = self.packet(link, number, &bytes);
            self.capture.on_event(Instant::from_nanos(nanos), &event(packet));
        }

        /// The capture as a reader finds it: a line for each interface and each packet.
        fn lines(self) -> Vec<String> {
            let file = self.capture.finish().unwrap();
            let mut reader = PcapNgReader::new(&file[..]).unwrap();
            let mut lines = Vec::new();
            while let Some(block) = reader.next_block() {
                lines.push(match block.unwrap() {
                    Block::InterfaceDescription(block) => {
                        format!("{:?} {:?}", block.linktype, block.options)
                    }
                    Block::EnhancedPacket(block) => {
                        let mut line = format!(
                            "{} {} {}",
                            block.timestamp.as_nanos(),
                            block.interface_id,
                            block.data.len()
                        );
                        for option in block.options {
                            line += &match option {
                                EnhancedPacketOption::Flags(1) => " in".into(),
                                EnhancedPacketOption::Flags(2) => " out".into(),
                                EnhancedPacketOption::Comment(comment) => format!(" '{comment}'"),
                                other => format!("{other:?}"),
                            };
                        }
                        line
                    }
                    other => format!("{other:?}"),
                });
            }
            lines
        }
    }

    fn loss(packet: PacketOnLink<'_>) -> Event<'_> {
        Event::Dropped(packet, DropReason::Loss)
    }

    fn queue_full(packet: PacketOnLink<'_>) -> Event<'_> {
        Event::Dropped(packet, DropReason::QueueFull)
    }

    fn expired(packet: PacketOnLink<'_>) -> Event<'_> {
        Event::Dropped(packet, DropReason::Expired)
    }

    #[test]
    fn every_end_of_a_link_is_an_interface_with_nanoseconds() {
        let lines = World::new().lines();
        assert_eq!(lines.len(), 4);
        for (line, name) in lines.iter().zip([
            "left to router",
            "router to left",
            "router to right",
            "right to router",
        ]) {
            let path: Path = "rate=8mbit".parse().unwrap();
            assert_eq!(
                *line,
                format!(
                    "RAW [IfName({name:?}), IfDescription(\"{path}\"), IfSpeed(8000000), IfTsResol(9)]"
                )
            );
        }
    }

    #[test]
    fn a_packet_passes_both_ends_of_each_link() {
        let mut world = World::new();
        world.tell(1, THERE, 40, |packet| Event::Sent(packet));
        world.tell(2_000_000_001, THERE, 40, |packet| Event::Delivered(packet));
        world.tell(2_000_000_001, ON, 40, |packet| Event::Sent(packet));
        world.tell(3_000_000_000, BACK, 41, |packet| Event::Sent(packet));
        let lines = world.lines();
        let expected =
            ["1 0 40 out", "2000000001 1 40 in", "2000000001 2 40 out", "3000000000 1 41 out"];
        assert_eq!(lines[4..], expected);
    }

    #[test]
    fn what_does_not_arrive_has_a_comment_where_it_was_sent_and_all_is_in_order() {
        let mut world = World::new();
        world.tell(10, THERE, 40, |packet| Event::Sent(packet));
        world.tell(20, THERE, 41, |packet| Event::Sent(packet));
        world.tell(20, THERE, 41, queue_full);
        world.tell(30, BACK, 42, |packet| Event::Sent(packet));
        world.tell(35, THERE, 40, loss);
        world.tell(40, BACK, 42, |packet| Event::Delivered(packet));
        let lines = world.lines();
        assert_eq!(
            lines[4..],
            [
                "10 0 40 'dropped at 35 ns: loss' out",
                "20 0 41 'dropped at 20 ns: queue_full' out",
                "30 1 42 out",
                "40 0 42 in",
            ]
        );
    }

    #[test]
    fn what_a_router_drops_has_its_comment_where_it_arrived() {
        let mut world = World::new();
        world.tell(10, THERE, 40, |packet| Event::Sent(packet));
        world.tell(20, THERE, 40, |packet| Event::Delivered(packet));
        // The answer goes before.
        world.tell(20, BACK, 41, |packet| Event::Sent(packet));
        world.tell(20, THERE, 40, expired);
        let lines = world.lines();
        assert_eq!(
            lines[4..],
            ["10 0 40 out", "20 1 40 'dropped at 20 ns: expired' in", "20 1 41 out"]
        );
    }

    #[test]
    fn a_copy_that_is_dropped_is_there_for_itself() {
        let mut world = World::new();
        world.tell(10, THERE, 40, |packet| Event::Sent(packet));
        world.tell(20, THERE, 40, |packet| Event::Delivered(packet));
        world.tell(25, THERE, 40, loss);
        let lines = world.lines();
        assert_eq!(
            lines[4..],
            ["10 0 40 out", "20 1 40 in", "25 0 40 'dropped at 25 ns: loss' out"]
        );
    }
}

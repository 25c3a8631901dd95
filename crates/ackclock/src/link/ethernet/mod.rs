//! Ethernet between a stack and a device: frames, ARP, neighbour discovery and routes.
//!
//! [`Ethernet`] takes frames from the device and passes their packets to the stack. It adds frame headers to
//! the stack's packets, resolves the hardware addresses to send them to, and answers hosts that ask for ours.
//! ICMP echo requests are answered by the stack itself.
//!
//! ```
//! # #[cfg(feature = "alloc")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ackclock::congestion::Reno;
//! use ackclock::link::ethernet::Ethernet;
//! use ackclock::stack::{Capabilities, Cidr, Stack, StackConfig, Storage};
//! use ackclock::tcp::Config;
//! use ackclock::time::Instant;
//! use ackclock::wire::EthernetAddress;
//!
//! let config = StackConfig::new(Capabilities::with_mtu(1500), [1, 2]);
//! let mut stack = Stack::new(config, Reno::default(), Storage::growing())?;
//! stack.add_address(Cidr { address: [192, 0, 2, 1].into(), prefix: 24 })?;
//! let mut ethernet: Ethernet = Ethernet::new(EthernetAddress([2, 0, 0, 0, 0, 1]));
//! ethernet.set_gateway([192, 0, 2, 254].into())?;
//! let now = Instant::ZERO;
//! stack.connect(now, "192.0.2.9:80".parse()?, None, &Config::default())?;
//!
//! // What the main loop does for ever: frames in, timers, frames out, until the next deadline.
//! # let (received, mut sent): ([Vec<u8>; 0], _) = ([], Vec::new());
//! for frame in received {
//!     ethernet.on_frame(now, &mut stack, &frame);
//! }
//! stack.on_timeout(now);
//! let mut send = |frame: &ackclock::stack::Transmit<'_>| {
//!     let mut bytes = vec![0; frame.len()];
//!     frame.copy_to(&mut bytes);
//!     sent.push(bytes);
//!     Ok(())
//! };
//! while ethernet.transmit(now, &mut stack, &mut send).is_taken() {}
//! let wake_at = stack.poll_at().min(ethernet.poll_at());
//!
//! // We tell who we are, and ask who 192.0.2.9 is; the SYN waits for the answer.
//! assert_eq!(sent.iter().map(|frame| frame[12..14] == [8, 6]).collect::<Vec<_>>(), [true; 2]);
//! assert_eq!(wake_at, Instant::from_secs(1));
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "alloc"))]
//! # fn main() {}
//! ```
//!
//! # Packets that wait for a hardware address
//! A packet whose next hop is not resolved yet stays in the send queue of its connection, which waits while
//! others go on; when the next hop answers, or is given up, the stack is asked again. So waiting takes no
//! memory, and nothing is lost and retransmitted after a timeout. A packet that belongs to no connection (a
//! reset, an echo reply) is dropped in that case. This is rare, since the host that it answers has usually
//! just asked for our hardware address.
//!
//! After a neighbour has not answered three requests, a second apart, packets to it count as sent and are
//! lost. From then on the connection's own timers decide, as if the neighbour had failed after having
//! answered. Each of their packets causes another request.
//!
//! # What the device must accept
//! Frames to our address and broadcasts ([`EthernetAddress::BROADCAST`]); for IPv6 also frames to the group
//! addresses that [`EthernetAddress::multicast`] gives for `ff02::1`, and for `ff02::1:ffXX:XXXX` with the
//! last 24 bits of each of our addresses. The device appends the frame check sequence, and pads short frames.
//!
//! # Not implemented
//! Router advertisements and address configuration, duplicate address detection, multicast listener
//! reports, redirects, VLAN tags, and packets to ourselves.

mod arp;
mod message;
mod ndp;
mod neighbours;
mod routes;
mod statistics;
#[cfg(all(test, feature = "alloc", feature = "ipv4", feature = "ipv6"))]
mod tests;

pub use statistics::EthernetStatistics;

use crate::congestion::CongestionController;
use crate::link::Interface;
use crate::profile::{Full, Profile};
use crate::stack::{Addresses, Cidr, Offered, Received, Rejected, Stack, Transmit};
use crate::storage::copy;
use crate::time::Instant;
use crate::wire::{
    Address, Checksums, ETHERNET_HEADER, Ecn, EtherType, EthernetAddress, Frame, IPV4_EXISTS,
    Ipv6Address, WriteChecksum, ethernet_header, is_ndp,
};
use core::fmt;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use message::{HEADERS, Message};
use neighbours::{Due, Neighbours, Resolution, Trust};
use routes::Routes;
use statistics::count;

/// Most answers that wait until the device has room. A neighbour that gets no answer asks again.
const ANSWERS: usize = 2;

/// An Ethernet interface of a stack, with a cache of `NEIGHBOURS` neighbours and `ROUTES` routes.
///
/// When the cache is full, the least recently used neighbour is replaced; at most half of it (but at least
/// one place) is for neighbours being resolved. See the [module](self) for how to drive it.
#[derive(Debug)]
pub struct Ethernet<const NEIGHBOURS: usize = 8, const ROUTES: usize = 2> {
    address: EthernetAddress,
    neighbours: Neighbours<NEIGHBOURS>,
    routes: Routes<ROUTES>,
    answers: [Option<Message>; ANSWERS],
    /// Number of our addresses that were announced.
    announced: u16,
    /// Value of the stack's `additions` when they were announced.
    additions: u16,
    statistics: EthernetStatistics,
}

impl<const NEIGHBOURS: usize, const ROUTES: usize> Ethernet<NEIGHBOURS, ROUTES> {
    /// An interface with this hardware address, an empty cache and no routes.
    pub const fn new(address: EthernetAddress) -> Self {
        Ethernet {
            address,
            neighbours: Neighbours::new(),
            routes: Routes::new(),
            answers: [None; ANSWERS],
            announced: 0,
            additions: 0,
            statistics: EthernetStatistics::NONE,
        }
    }

    /// Our hardware address.
    pub const fn address(&self) -> EthernetAddress {
        self.address
    }

    /// Counters of this interface.
    pub const fn statistics(&self) -> &EthernetStatistics {
        &self.statistics
    }

    /// Sets the default gateway of this address family: the router for every destination that is not on-link
    /// and has no other route.
    ///
    /// It should be in one of our networks. This is not checked, as the stack knows these and may get more of
    /// them later. A router in none of them is resolved on the link all the same, as is needed for hosts
    /// whose address has a prefix of 32 or 128 bits. If it is not there, packets to it are lost, and counted
    /// in `gave_up` and `unreachable`.
    ///
    /// # Errors
    /// As [`set_route`](Self::set_route).
    pub fn set_gateway(&mut self, gateway: IpAddr) -> Result<(), RouteError> {
        let all: IpAddr = match gateway {
            IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        self.set_route(Cidr { address: all, prefix: 0 }, gateway)
    }

    /// Sets the router for a network; for each destination the longest prefix applies. For where the router
    /// should be, see [`set_gateway`](Self::set_gateway).
    ///
    /// The gateway is not the address of a single host, or not of the network's family; or there is no room
    /// for another route.
    pub fn set_route(&mut self, network: Cidr, gateway: IpAddr) -> Result<(), RouteError> {
        let set = self.routes.set(network, gateway);
        if set == Err(RouteError::NoResources) {
            count::<Full>(&mut self.statistics.routes_refused);
        }
        set
    }

    /// Removes the route to a network; the default route has prefix length 0.
    pub fn remove_route(&mut self, network: Cidr) {
        self.routes.remove(network);
    }

    /// Announces all our addresses again, for example when the device has got a carrier. New addresses are
    /// announced without this call.
    pub const fn announce(&mut self) {
        self.announced = 0;
    }

    /// Processes a frame from the device whose checksums were not verified.
    pub fn on_frame<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        frame: &[u8],
    ) {
        self.on_received(now, stack, &Received::unverified(frame));
    }

    /// Processes a frame from the device, which says which checksums are still to be verified.
    pub fn on_received<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        received: &Received<'_>,
    ) {
        let verify = received.verify;
        match self.sort::<P>(now, stack.own(), received.packet, verify) {
            Arrived::Packet(packet) => {
                stack.on_received(now, &Received { packet, verify });
            }
            Arrived::Answer => stack.resume(),
            Arrived::Nothing => {}
        }
    }

    /// Offers the next frame to `sink`. Call it after frames have arrived, when [`poll_at`](Self::poll_at)
    /// has come, and wherever [`Stack::transmit`] would be called.
    pub fn transmit<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        sink: &mut dyn FnMut(&Transmit<'_>) -> Result<(), Rejected>,
    ) -> Offered {
        loop {
            let wanted = loop {
                match self.neighbours.due(now) {
                    None => break None,
                    Some(Due::Ask(other, hardware)) => break Some((other, hardware)),
                    Some(Due::GaveUp) => {
                        tell!(warn, "a neighbour does not answer");
                        count::<P>(&mut self.statistics.gave_up);
                        stack.resume();
                    }
                }
            };
            if let Some(offered) = self.transmit_message::<P>(now, stack.own(), wanted, sink) {
                return Some(offered).into();
            }
            let mut waits = false;
            let offered = stack.transmit_towards(now, &mut |packet, destination, own| match self
                .resolve::<P>(now, destination, own)
            {
                Ok(Some(hardware)) => sink_frame(self.address, hardware, packet, sink),
                Ok(None) => Ok(()),
                Err(rejected) => {
                    waits = true;
                    Err(rejected)
                }
            });
            if !waits {
                return offered.into();
            }
            stack.postpone(now);
        }
    }

    /// When [`transmit`](Self::transmit) will have something to send of its own; [`Instant::FAR_FUTURE`] if
    /// nothing is scheduled. The stack's deadlines are separate.
    pub fn poll_at(&self) -> Instant {
        self.neighbours.poll_at()
    }

    /// Processes a frame, and returns what it contains for the stack.
    fn sort<'f, P: Profile>(
        &mut self,
        now: Instant,
        own: &Addresses<'_>,
        bytes: &'f [u8],
        verify: Checksums,
    ) -> Arrived<'f> {
        count::<P>(&mut self.statistics.frames_received);
        let is_usable = |frame: &Frame<'_>| frame.source.is_station();
        let Some(frame) = Frame::parse(bytes).filter(is_usable) else {
            count::<P>(&mut self.statistics.malformed);
            return Arrived::Nothing;
        };
        let to_us = frame.destination == self.address;
        let to_group = frame.destination.is_group();
        let is_answer = match frame.kind {
            _ if !(to_us || to_group) || frame.source == self.address => {
                count::<P>(&mut self.statistics.not_for_us);
                false
            }
            Some(EtherType::Arp) if IPV4_EXISTS => self.on_arp::<P>(now, own, frame.payload),
            Some(EtherType::Ipv6) if Ipv6Address::EXISTS && is_ndp(frame.payload) => {
                self.on_ndp::<P>(now, own, &frame, verify)
            }
            Some(EtherType::Ipv4 | EtherType::Ipv6) if to_us => {
                return Arrived::Packet(frame.payload);
            }
            Some(_) => {
                count::<P>(&mut self.statistics.group);
                false
            }
            None => {
                count::<P>(&mut self.statistics.unknown_type);
                false
            }
        };
        if is_answer { Arrived::Answer } else { Arrived::Nothing }
    }

    /// The hardware address to send a packet to; `None` if the packet is lost, `Err` if it must wait.
    fn resolve<P: Profile>(
        &mut self,
        now: Instant,
        destination: Address,
        own: &Addresses<'_>,
    ) -> Result<Option<EthernetAddress>, Rejected> {
        let next_hop = match (own.on_link(destination), self.routes.find(destination)) {
            (Some(shared), Some((prefix, gateway))) if prefix > shared => gateway,
            (Some(_), _) => destination,
            (None, Some((_, gateway))) => gateway,
            (None, None) => {
                tell!(debug, "packet dropped: no route to {}", IpAddr::from(destination));
                count::<P>(&mut self.statistics.no_route);
                return Ok(None);
            }
        };
        match self.neighbours.resolve::<P>(now, next_hop, &mut self.statistics) {
            Resolution::Known(hardware) => return Ok(Some(hardware)),
            Resolution::Wait => return Err(Rejected),
            Resolution::Unreachable => {
                tell!(debug, "packet dropped: {} does not answer", IpAddr::from(next_hop));
                count::<P>(&mut self.statistics.unreachable);
            }
            Resolution::NoPlace => {
                tell!(warn, "packet dropped: too many neighbours are being resolved");
                count::<P>(&mut self.statistics.no_place);
            }
        }
        Ok(None)
    }

    /// Updates the cache, as [`Neighbours::learn`].
    fn learn<P: Profile>(
        &mut self,
        now: Instant,
        address: Address,
        hardware: EthernetAddress,
        trust: Trust,
        is_new: bool,
    ) -> bool {
        let statistics = &mut self.statistics;
        self.neighbours.learn::<P>(now, address, hardware, trust, is_new, statistics)
    }

    /// Queues an answer to a neighbour.
    fn answer<P: Profile>(&mut self, message: Message) {
        match self.answers.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(message),
            None => count::<P>(&mut self.statistics.answers_dropped),
        }
    }

    /// Offers the next message to a neighbour; `wanted` is the address to resolve, if any.
    fn transmit_message<P: Profile>(
        &mut self,
        now: Instant,
        own: &Addresses<'_>,
        wanted: Option<(Address, Option<EthernetAddress>)>,
        sink: &mut dyn FnMut(&Transmit<'_>) -> Result<(), Rejected>,
    ) -> Option<Result<(), Rejected>> {
        if let Some(place) = self.answers.iter_mut().find(|place| place.is_some()) {
            let offered = sink_message(self.address, place.as_ref()?, sink);
            if offered.is_ok() {
                *place = None;
                count::<P>(&mut self.statistics.answers_sent);
            }
            return Some(offered);
        }
        if let Some((other, hardware)) = wanted {
            let Some(ours) = own.asking(other) else {
                // No address of this family is left to ask from.
                self.neighbours.asked(now, other);
                return None;
            };
            let message = Message { is_request: true, ours, other, hardware };
            let offered = sink_message(self.address, &message, sink);
            if offered.is_ok() {
                self.neighbours.asked(now, other);
                count::<P>(&mut self.statistics.requests_sent);
            }
            return Some(offered);
        }
        if own.additions() != self.additions {
            (self.additions, self.announced) = (own.additions(), 0);
        }
        let next = own.iter().map(|cidr| cidr.address).nth(self.announced.into())?;
        let offered = sink_message(self.address, &Message::announcement(next), sink);
        if offered.is_ok() {
            self.announced = self.announced.saturating_add(1);
            count::<P>(&mut self.statistics.announcements_sent);
        }
        Some(offered)
    }
}

impl<const NEIGHBOURS: usize, const ROUTES: usize> Interface for Ethernet<NEIGHBOURS, ROUTES> {
    fn on_received<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        received: &Received<'_>,
    ) {
        Ethernet::on_received(self, now, stack, received);
    }

    fn transmit<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        sink: &mut dyn FnMut(&Transmit<'_>) -> Result<(), Rejected>,
    ) -> Offered {
        Ethernet::transmit(self, now, stack, sink)
    }

    fn poll_at(&self) -> Instant {
        Ethernet::poll_at(self)
    }

    fn announce(&mut self) {
        Ethernet::announce(self);
    }
}

/// What a received frame contains.
enum Arrived<'f> {
    /// A packet for the stack.
    Packet(&'f [u8]),
    /// A hardware address that packets may have waited for.
    Answer,
    /// Nothing for the stack.
    Nothing,
}

/// Offers a packet, with a frame header in front, to `sink`.
fn sink_frame(
    from: EthernetAddress,
    to: EthernetAddress,
    packet: &Transmit<'_>,
    sink: &mut dyn FnMut(&Transmit<'_>) -> Result<(), Rejected>,
) -> Result<(), Rejected> {
    let is_v4 = packet.header.first().is_some_and(|first| first >> 4 == 4);
    let kind = if is_v4 { EtherType::Ipv4 } else { EtherType::Ipv6 };
    let mut headers = [0; HEADERS];
    let mut at = copy(&mut headers, &ethernet_header(to, from, kind));
    at += copy(headers.get_mut(at..).unwrap_or_default(), packet.header);
    sink(&Transmit {
        header: headers.get(..at).unwrap_or_default(),
        transport_offset: packet.transport_offset.saturating_add(ETHERNET_HEADER),
        ..*packet
    })
}

/// Offers a message for address resolution to `sink`.
fn sink_message(
    from: EthernetAddress,
    message: &Message,
    sink: &mut dyn FnMut(&Transmit<'_>) -> Result<(), Rejected>,
) -> Result<(), Rejected> {
    let mut headers = [0; HEADERS];
    let length = message.write(from, &mut headers);
    sink(&Transmit {
        header: headers.get(..length).unwrap_or_default(),
        payload: [&[], &[]],
        transport_offset: length,
        segment_size: 0,
        checksum: WriteChecksum::Complete,
        ecn: Ecn::NotEct,
    })
}

/// Why a route cannot be set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RouteError {
    /// The gateway is not the address of a single host, or not of the network's family.
    Gateway,
    /// There is no room for another route.
    NoResources,
}

impl fmt::Display for RouteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RouteError::Gateway => {
                "the gateway must be the address of a host, of the family of its network"
            }
            RouteError::NoResources => "no room for another route: remove one, or raise ROUTES",
        })
    }
}

impl core::error::Error for RouteError {}

//! Packets from the link: finds the connection, listener or record that each belongs to.

use super::aftermath::Cause;
use super::config::Part;
use super::demux::Entity;
use super::replies::{Queued, Reply, reset_for};
use super::syn_cookies::may_follow;
use super::tuple::FourTuple;
use super::{Received, Stack, Statistics};
use crate::FOR_SPEED;
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::tcp::Verdict;
use crate::time::Instant;
use crate::wire::{
    EchoRequest, Flags, IpInfo, Packet, Protocol, Segment, UnknownOption, WireError, is_unicast,
    parse_packet_of,
};

/// Length of an ICMP echo header, in bytes.
const ECHO_HEADER: usize = 8;

impl<'a, C: CongestionController + Clone, P: Profile> Stack<'a, C, P> {
    /// Processes one packet, whose checksums are verified according to the link's
    /// [`Capabilities::verify`](super::Capabilities::verify). Returns whether the packet was for this stack;
    /// see [`on_received`](Self::on_received).
    pub fn on_packet(&mut self, now: Instant, packet: &[u8]) -> bool {
        let verify = self.config.link.verify;
        self.on_received(now, &Received { packet, verify })
    }

    /// Processes one packet from the link, which says which checksums are still to be verified. Returns true
    /// if the packet was for this stack or malformed. Returns false for packets that the stack counts and
    /// drops, but that others may want: protocols other than TCP, ICMP that concerns no connection, echo
    /// requests to other addresses, and fragments.
    pub fn on_received(&mut self, now: Instant, received: &Received<'_>) -> bool {
        self.take::<true>(now, received)
    }

    /// As [`on_received`](Self::on_received), for one of several stacks with the same addresses (such as one
    /// for each queue of a device): takes the packet unless it belongs to a connection that this stack does
    /// not have, and returns whether it took it. A SYN for a listener is taken by one of the stacks, the same
    /// for each SYN of a four-tuple, so that a retransmission finds what the first one has begun. All stacks
    /// must have the same listeners, and settings made by [`StackConfig::share`](super::StackConfig::share).
    /// A packet that no stack takes should go to [`on_received`](Self::on_received) of any of them, which
    /// answers it.
    pub fn claim(&mut self, now: Instant, received: &Received<'_>) -> bool {
        self.take::<false>(now, received)
    }

    /// Processes a packet. With `STRAY` any packet is taken, and the result is whether it was for this stack;
    /// without `STRAY` a stray packet is left, and the result is whether it was taken.
    #[inline]
    fn take<const STRAY: bool>(&mut self, now: Instant, received: &Received<'_>) -> bool {
        self.take_predicted(now, received) || self.take_any::<STRAY>(now, received)
    }

    /// Processes any packet on the general road (slow path).
    // Not inlined, so that the large parsed packet does not take space on the caller's call stack.
    #[inline(never)]
    fn take_any<const STRAY: bool>(&mut self, now: Instant, received: &Received<'_>) -> bool {
        // With `STRAY` the time is noted before parsing, so that the result need not be kept for a packet
        // that is dropped.
        let begun = STRAY.then(|| self.begin_packet(now));
        let parsed = parse_packet_of::<P>(received.packet, received.verify);
        if !STRAY && parsed.as_ref().is_ok_and(|packet| self.is_stray(now, packet)) {
            return false;
        }
        let now = begun.unwrap_or_else(|| self.begin_packet(now));
        if P::SIGNATURES
            && let Ok(Packet { protocol: Protocol::Tcp(segment), .. }) = &parsed
            && !self.is_authentic(received.packet, segment)
        {
            return true;
        }
        let was_ours = self.on_parsed(now, &parsed);
        !STRAY || was_ours
    }

    pub(super) fn begin_packet(&mut self, now: Instant) -> Instant {
        self.statistics.count(|all| &mut all.packets_received);
        self.begin(now)
    }

    fn on_parsed(&mut self, now: Instant, parsed: &Result<Packet<'_>, WireError>) -> bool {
        let packet = match parsed {
            Ok(packet) => packet,
            Err(error) => {
                tell!(debug, "packet dropped: {}", error);
                self.statistics.count(|all| counter(all, *error));
                return !matches!(error, WireError::UnknownProtocol | WireError::Fragment);
            }
        };
        let entity = match &packet.protocol {
            Protocol::Tcp(segment) => self.find(&FourTuple::of(segment)),
            _ => None,
        };
        // No connection has such an address at either end.
        if entity.is_none() && self.has_impossible_end(&packet.ip) {
            tell!(
                debug,
                "packet from {} dropped: no host can have that source address",
                packet.ip.source
            );
            self.statistics.count(|all| &mut all.bad_address);
            return true;
        }
        match &packet.protocol {
            Protocol::Tcp(segment) => self.on_segment(now, segment, entity),
            Protocol::EchoRequest(request) => return self.on_echo_request(&packet.ip, request),
            Protocol::IcmpError(error) if P::ICMP_ERRORS => return self.on_icmp_error(now, error),
            Protocol::UnknownOption(option) if P::ICMP_ERRORS => {
                self.on_unknown_option(now, &packet.ip, option);
            }
            Protocol::IcmpError(_) | Protocol::OtherIcmp | Protocol::UnknownOption(_) => {
                self.statistics.count(|all| &mut all.icmp_ignored);
                return false;
            }
        }
        true
    }

    /// Whether the source cannot be a host, or the destination is a whole network (MUST-57, MUST-63). Only a
    /// listener with the rare setting `any_destination` takes destinations that are not ours.
    fn has_impossible_end(&self, ip: &IpInfo) -> bool {
        let (source, destination) = (ip.source, ip.destination);
        !self.addresses.may_be_source(source)
            || P::RARE_SETTINGS
                && (!is_unicast(destination) || self.addresses.is_broadcast(destination))
    }

    /// Whether a packet belongs to a connection that this stack does not have.
    fn is_stray(&self, now: Instant, packet: &Packet<'_>) -> bool {
        match &packet.protocol {
            Protocol::Tcp(segment) => {
                let tuple = FourTuple::of(segment);
                self.find(&tuple).is_none() && !self.opens_here(now, segment, &tuple)
            }
            Protocol::IcmpError(error) => self
                .find(&FourTuple { local: error.local.into(), remote: error.remote.into() })
                .is_none(),
            Protocol::EchoRequest(_) | Protocol::OtherIcmp | Protocol::UnknownOption(_) => false,
        }
    }

    /// Whether a segment without a connection opens one, and this stack is the one of several that takes it.
    fn opens_here(&self, now: Instant, segment: &Segment<'_>, tuple: &FourTuple) -> bool {
        let Part { index, stacks } = self.config.part;
        let Some(listener) = self.listener_for(tuple) else {
            return false;
        };
        if stacks > 1 && self.secret.share(tuple, stacks) != index {
            return false;
        }
        let flags = segment.header.flags;
        let is_syn = flags.contains(Flags::SYN) && !flags.intersects(Flags::ACK | Flags::RST);
        let is_of_cookie = || {
            self.expects_cookies(now, listener)
                && (may_follow(segment) || self.cookie_in(now, segment, tuple).is_some())
        };
        is_syn || P::SYN_COOKIES && is_of_cookie()
    }

    /// Processes a segment; `entity` has its four-tuple.
    fn on_segment(&mut self, now: Instant, segment: &Segment<'_>, entity: Option<Entity>) {
        if entity.is_some() {
            self.statistics.count(|all| &mut all.segments_delivered);
        }
        match entity {
            Some(Entity::Connection(id)) => {
                if !self.take_predicted_segment(now, id, segment) {
                    self.on_connection_segment(now, id, segment);
                }
                self.predict_arrivals(id, segment);
            }
            Some(Entity::HalfOpen(id)) => {
                if let Some(id) = self.on_half_open_segment(now, id, segment) {
                    self.on_connection_segment(now, id, segment);
                }
            }
            Some(Entity::TimeWait(id)) => self.on_time_wait_segment(now, id, segment),
            None => self.on_new_segment(now, segment),
        }
    }

    /// Processes a segment of the connection in slot `id`.
    #[inline(never)]
    pub(super) fn on_connection_segment(&mut self, now: Instant, id: u32, segment: &Segment<'_>) {
        let Some(slot) = self.connections.get_mut(id) else {
            return;
        };
        if !segment.payload.is_empty() {
            slot.tell_tuning(now, segment.payload.len(), segment.header.options.timestamps);
        }
        let is_asking = slot.connection.waits_for_answer();
        let verdict = slot.connection.on_segment(now, segment);
        let has_answer = !FOR_SPEED || slot.connection.has_answer(now);
        let cause = if has_answer { Cause::Step } else { Cause::Heard };
        match verdict {
            Verdict::Done => {}
            Verdict::Reset => self.reset(now, segment),
        }
        if is_asking {
            self.learn_from_answer(now, id, segment);
        }
        self.touched(now, id, cause);
    }

    /// Records for later connections whether Fast Open or AccECN, which not every path lets through, worked in
    /// this handshake.
    #[cold]
    #[inline(never)]
    fn learn_from_answer(&mut self, now: Instant, id: u32, answer: &Segment<'_>) {
        if P::FAST_OPEN {
            self.learn_fast_open(now, id, answer);
        }
        if P::ACCURATE_ECN {
            self.note_request(now, id);
        }
    }

    /// Answers a segment that belongs to no connection with a RST (RFC 9293 section 3.10.7.1).
    pub(super) fn reset(&mut self, now: Instant, segment: &Segment<'_>) {
        if let Some(reply) = reset_for(segment) {
            self.refuse(now, reply);
        }
    }

    /// Sends a RST, unless its destination has been sent too many lately.
    pub(super) fn refuse(&mut self, now: Instant, reset: Reply) {
        let (peer, per_second) = (reset.tuple.remote.ip(), self.config.resets_per_second);
        if self.reset_limits.allow(now, peer, per_second, &self.secret) {
            self.reply(reset);
        } else {
            tell!(warn, "no reset to {}: rate limit reached", peer);
            self.statistics.count(|all| &mut all.resets_suppressed);
        }
    }

    /// Queues a segment that is sent once, for no connection.
    pub(super) fn reply(&mut self, reply: Reply) {
        if P::SIGNATURES && !self.can_sign(&reply) {
            return;
        }
        if self.replies.push(reply) == Queued::Full {
            tell!(warn, "no answer, {}: reply queue full", reply.tuple);
            self.statistics.count(|all| &mut all.replies_dropped);
        }
    }

    #[cfg_attr(target_pointer_width = "64", inline(never))]
    fn on_echo_request(&mut self, ip: &IpInfo, request: &EchoRequest<'_>) -> bool {
        if !self.addresses.contains(ip.destination) {
            self.statistics.count(|all| &mut all.not_for_us);
            return false;
        }
        let headers = if ip.destination.is_ipv4() { 20 } else { 40 } + ECHO_HEADER;
        let fits = request.data.len().saturating_add(headers) <= self.config.link.mtu as usize;
        if !fits || self.replies.push_echo(ip, request) == Queued::Full {
            tell!(warn, "no echo reply to {}: no room for it", ip.source);
            self.statistics.count(|all| &mut all.replies_dropped);
        }
        true
    }

    /// Drops an IPv6 packet because of an unknown option, and reports this to its sender (RFC 8200 section
    /// 4.2).
    #[inline(never)]
    fn on_unknown_option(&mut self, now: Instant, ip: &IpInfo, option: &UnknownOption<'_>) {
        self.statistics.count(|all| &mut all.bad_header);
        if self.addresses.contains(ip.destination)
            && self.error_limit.get_mut().is_some_and(|limit| limit.allow_error(now))
            && self.replies.push_unknown_option(ip, option) == Queued::Full
        {
            self.statistics.count(|all| &mut all.replies_dropped);
        }
    }
}

/// The counter of packets dropped with this error.
fn counter(statistics: &mut Statistics, error: WireError) -> &mut u64 {
    match error {
        WireError::Truncated | WireError::Version => &mut statistics.malformed,
        WireError::IpChecksum | WireError::Checksum => &mut statistics.bad_checksum,
        WireError::Fragment => &mut statistics.fragments,
        WireError::DataOffset | WireError::Option | WireError::Port => &mut statistics.bad_header,
        WireError::UnknownProtocol => &mut statistics.unknown_protocol,
    }
}

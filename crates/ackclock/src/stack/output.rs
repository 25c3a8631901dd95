//! Output to the link: first replies, then SYN-ACKs, then connections in turn.

use super::addresses::Addresses;
use super::aftermath::Cause;
use super::half_open::HalfOpen;
use super::ip_fields::IpFields;
use super::signatures::{KeyOf, Signer, signer_of};
use super::tuple::FourTuple;
use super::{Capabilities, Offered, Rejected, Stack, Transmit};
use crate::FOR_SPEED;
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::tcp::CookieOption;
use crate::time::Instant;
use crate::wire::{
    Address, Ecn, Flags, Header, IpInfo, MAX_HEADER, WriteChecksum, let_fragment, write_echo_reply,
    write_packet_header_of, write_unknown_option,
};

/// Receiver of packets; it is passed each packet, its destination, and our addresses.
pub(super) type Sink<'s> =
    dyn FnMut(&Transmit<'_>, Address, &Addresses<'_>) -> Result<(), Rejected> + 's;

impl<'a, C: CongestionController + Clone, P: Profile> Stack<'a, C, P> {
    /// Offers the next packet to `sink`.
    #[inline]
    pub fn transmit(
        &mut self,
        now: Instant,
        sink: &mut dyn FnMut(&Transmit<'_>) -> Result<(), Rejected>,
    ) -> Offered {
        self.transmit_towards(now, &mut |transmit, _, _| sink(transmit)).into()
    }

    /// As [`transmit`](Self::transmit), for a caller that chooses the next hop.
    #[inline]
    pub(crate) fn transmit_towards(
        &mut self,
        now: Instant,
        sink: &mut Sink<'_>,
    ) -> Option<Result<(), Rejected>> {
        let now = self.advance(now);
        if let Some(offered) = self.continue_train(now, sink) {
            return Some(offered);
        }
        let records = self.replies.are_waiting() || self.half_open.output.front().is_some();
        if records && let Some(offered) = self.transmit_record(now, sink) {
            return Some(offered);
        }
        while let Some(id) = self.ready.front() {
            let offered = self.transmit_connection(now, id, sink);
            if offered.is_some() {
                return offered;
            }
        }
        None
    }

    /// Whether [`transmit`](Self::transmit) should be called because a reply or a connection waits for its
    /// turn to send. (The connection may turn out to have nothing to send.)
    pub fn wants_transmit(&self) -> bool {
        let records = self.replies.are_waiting() || self.half_open.output.front().is_some();
        records || self.ready.front().is_some()
    }

    /// Offers a packet that belongs to no connection.
    #[inline(never)]
    fn transmit_record(
        &mut self,
        now: Instant,
        sink: &mut Sink<'_>,
    ) -> Option<Result<(), Rejected>> {
        let offered = self
            .transmit_reply(sink)
            .or_else(|| self.transmit_echo(sink))
            .or_else(|| self.transmit_syn_ack(now, sink))?;
        if offered.is_ok() {
            self.statistics.count(|all| &mut all.packets_sent);
        }
        Some(offered)
    }

    #[cfg_attr(target_pointer_width = "64", inline(never))]
    fn transmit_reply(&mut self, sink: &mut Sink<'_>) -> Option<Result<(), Rejected>> {
        let reply = self.replies.front()?;
        let flags = reply.flags;
        let mut header = reply.header();
        if P::SYN_COOKIES && flags.contains(Flags::SYN) {
            header.options = self.cookie_options(reply);
        }
        let offered = self.offer_bare(&reply.tuple, &mut header, reply.ip_fields, sink);
        if offered.is_ok() {
            self.replies.sent();
            self.count_reset(flags);
        }
        Some(offered)
    }

    /// Offers a segment without payload.
    #[inline(never)]
    pub(super) fn offer_bare(
        &self,
        tuple: &FourTuple,
        header: &mut Header,
        ip_fields: IpFields,
        sink: &mut Sink<'_>,
    ) -> Result<(), Rejected> {
        let key = Kept::new_with(|| self.signer_for(tuple, header));
        let outbound = Outbound::<P> {
            tuple,
            header,
            ip_fields,
            ecn: Ecn::NotEct,
            payload: [&[], &[]],
            segment_size: 0,
            identification: None,
            key,
        };
        outbound.offer(self.config.link.checksum, &self.addresses, sink).map(|_| ())
    }

    #[cfg_attr(target_pointer_width = "64", inline(never))]
    fn transmit_echo(&mut self, sink: &mut Sink<'_>) -> Option<Result<(), Rejected>> {
        let (source, destination, request) = self.replies.front_echo()?;
        let ip = IpInfo {
            source,
            destination,
            hop_limit: IpFields::STANDARD.hop_limit(),
            dscp: IpFields::STANDARD.dscp(),
            ecn: Ecn::NotEct,
        };
        let mut header = [0; MAX_HEADER];
        let option = self.replies.front_option().filter(|_| P::ICMP_ERRORS);
        let len = match option {
            Some(pointer) => write_unknown_option(&mut header, &ip, pointer, request.data),
            None => write_echo_reply(&mut header, &ip, &request),
        };
        let transmit = Transmit {
            header: header.get(..len).unwrap_or_default(),
            payload: [request.data, &[]],
            transport_offset: if source.is_ipv4() { 20 } else { 40 },
            segment_size: 0,
            checksum: WriteChecksum::Complete,
            ecn: Ecn::NotEct,
        };
        let offered = sink(&transmit, destination, &self.addresses);
        if offered.is_ok() {
            self.replies.echo_sent();
            if option.is_none() {
                self.statistics.count(|all| &mut all.echo_replies);
            }
        }
        Some(offered)
    }

    fn transmit_syn_ack(
        &mut self,
        now: Instant,
        sink: &mut Sink<'_>,
    ) -> Option<Result<(), Rejected>> {
        while let Some(id) = self.half_open.output.front() {
            let record = self.half_open.records.get(id).filter(|record| record.is_due());
            let Some(record) = record else {
                self.half_open.output.pop();
                continue;
            };
            let HalfOpen { ref tuple, ip_fields, .. } = *record;
            let mut header = record.syn_ack(now);
            if P::FAST_OPEN && record.gives_fast_open_cookie() {
                let fast_open = self.fast_open.get();
                header.options.set_fast_open(fast_open.and_then(|fast_open| {
                    fast_open.option(now, &self.secret, tuple, CookieOption::Ours)
                }));
            }
            if P::USER_TIMEOUT_OPTION && record.is_first() {
                let listener = self.listeners.records.get(record.listener);
                let advertised = listener
                    .and_then(|listener| listener.config.connection.advertised_user_timeout());
                header.options.set_user_timeout(advertised);
            }
            let offered = self.offer_bare(tuple, &mut header, ip_fields, sink);
            if offered.is_ok() {
                self.half_open.on_syn_ack_sent(now);
            }
            return Some(offered);
        }
        None
    }

    /// Gives connection `id`, the first in the ready queue, its turn.
    // Kept apart from the checks of each call, so that the answer "nothing to send" costs little.
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    fn transmit_connection(
        &mut self,
        now: Instant,
        id: u32,
        sink: &mut Sink<'_>,
    ) -> Option<Result<(), Rejected>> {
        let turned = self.send_predicted(now, id, sink);
        let Turned { offered, is_last } = turned.unwrap_or_else(|| self.take_turn(now, id, sink));
        if is_last {
            self.ready.leave();
            self.touched(now, id, Cause::Silent);
        }
        offered
    }

    /// The turn of a connection on the general road (slow path).
    #[inline(never)]
    fn take_turn(&mut self, now: Instant, id: u32, sink: &mut Sink<'_>) -> Turned {
        let Capabilities { segmentation, checksum, .. } = self.config.link;
        let slot = self.connections.get_mut(id);
        let Some(slot) = slot.filter(|slot| !slot.detached) else {
            return Turned::SILENT;
        };
        let lets_fragment = slot.connection.lets_fragment();
        let is_signed = slot.connection.is_signed();
        let cuts = P::SEGMENTATION && !lets_fragment && !is_signed;
        let max_payload = if cuts { segmentation.of(slot.tuple.is_ipv4()) } else { 0 };
        let Some(mut outgoing) = slot.connection.poll_transmit(now, max_payload) else {
            return Turned::SILENT;
        };
        if P::FAST_OPEN && outgoing.header.flags.contains(Flags::SYN) {
            let which = slot.connection.cookie_option();
            let all = self.fast_open.get();
            let cookie = all.and_then(|all| all.option(now, &self.secret, &slot.tuple, which));
            outgoing.header.options.set_fast_open(cookie);
        }
        if P::PATH_PROBING
            && let Some(paths) = self.narrow_paths.get_mut()
        {
            paths.learn_from(now, slot);
        }
        // A path MTU probe must not be fragmented.
        let lets_fragment = lets_fragment && !(P::PATH_PROBING && outgoing.probes_path::<P>());
        let payload = slot.connection.payload(&outgoing);
        let key = signer_of::<C, P>(&self.signatures, slot, &outgoing.header);
        let outbound = Outbound::<P> {
            tuple: &slot.tuple,
            header: &mut outgoing.header,
            ip_fields: slot.ip_fields,
            ecn: outgoing.ecn,
            payload,
            segment_size: outgoing.segment_size,
            identification: lets_fragment.then_some(self.identification),
            key,
        };
        let offered = outbound.offer(checksum, &self.addresses, sink);
        let mut is_last = false;
        if let Ok(bytes) = offered {
            self.statistics.count(|all| &mut all.packets_sent);
            if lets_fragment {
                self.identification = self.identification.wrapping_add(1);
            }
            slot.connection.on_transmitted(now, &outgoing);
            is_last = FOR_SPEED && slot.connection.has_said_all(now);
            self.count_reset(outgoing.header.flags);
            if is_signed {
                self.on_signed_sent(id, outgoing.header.seq);
            }
            if !is_last {
                self.ready.charge(bytes);
                self.touched(now, id, Cause::Sent);
                self.begin_train(now, id, &outgoing);
            }
        }
        Turned { offered: Some(offered.map(|_| ())), is_last }
    }

    /// Puts the packet aside that was offered last and rejected, because its next hop's hardware address has
    /// to be resolved, which must not delay others. Its connection waits for [`resume`](Self::resume),
    /// whatever happens to it; the data stays in the send queue. A packet without a connection has no such
    /// memory, and is dropped.
    pub(crate) fn postpone(&mut self, now: Instant) {
        let train = self.train_of();
        let now = self.begin(now);
        if train.is_some() {
            // A train was offered before anything else.
            self.postpone_connection(now);
        } else if self.replies.front().is_some() {
            self.replies.sent();
            self.statistics.count(|all| &mut all.replies_dropped);
        } else if self.replies.front_echo().is_some() {
            self.replies.echo_sent();
            self.statistics.count(|all| &mut all.replies_dropped);
        } else if !self.half_open.postpone(now) {
            self.postpone_connection(now);
        }
    }

    fn postpone_connection(&mut self, now: Instant) {
        if let Some(id) = self.ready.postpone() {
            self.touched(now, id, Cause::Postponed);
        }
    }

    /// Offers again everything that was put aside. Which next hop each packet waits for is not stored; it is
    /// found again when the packet is offered.
    pub(crate) fn resume(&mut self) {
        self.half_open.resume();
        self.ready.resume();
    }

    fn count_reset(&mut self, flags: Flags) {
        if flags.contains(Flags::RST) {
            self.statistics.count(|all| &mut all.resets_sent);
        }
    }
}

/// Result of a connection's turn.
pub(super) struct Turned {
    /// The sink's answer, if a packet was offered.
    pub(super) offered: Option<Result<(), Rejected>>,
    /// Whether the connection has nothing more to send.
    pub(super) is_last: bool,
}

impl Turned {
    /// The connection had nothing to send.
    pub(super) const SILENT: Self = Turned { offered: None, is_last: true };
}

/// A segment with its payload, ready to be written.
struct Outbound<'p, P: Profile> {
    tuple: &'p FourTuple,
    /// The TCP header; its ports are filled in by [`offer`](Self::offer).
    header: &'p mut Header,
    ip_fields: IpFields,
    ecn: Ecn,
    payload: [&'p [u8]; 2],
    segment_size: u16,
    /// IP identification, if routers may fragment the packet.
    identification: Option<u16>,
    key: KeyOf<'p, P>,
}

impl<P: Profile> Outbound<'_, P> {
    /// Writes the headers and offers the packet; returns its length in bytes.
    fn offer(
        self,
        checksum: WriteChecksum,
        addresses: &Addresses<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<usize, Rejected> {
        let Outbound { tuple, header: tcp, ip_fields, ecn, payload, segment_size, .. } = self;
        let FourTuple { local, remote } = tuple;
        let ip = IpInfo {
            source: local.ip(),
            destination: remote.ip(),
            hop_limit: ip_fields.hop_limit(),
            dscp: ip_fields.dscp(),
            ecn,
        };
        tcp.source_port = local.port();
        tcp.destination_port = remote.port();
        let key = self.key.get().copied().flatten();
        if P::SIGNATURES {
            if let Some(Signer::Nobody) = key {
                // Pretend that it was sent and lost.
                return Ok(0);
            }
            tcp.options.signature = key.as_ref().and_then(Signer::kind);
        }
        let mut header = [0; MAX_HEADER];
        let len = write_packet_header_of::<P>(&mut header, &ip, tcp, payload, checksum);
        let transport_offset = usize::from(tuple.ip_header());
        if let (Some(key), Some(headers)) = (key, header.get_mut(..len)) {
            key.sign(headers, transport_offset, payload, checksum);
        }
        if let (true, Some(identification)) = (P::ICMP_ERRORS, self.identification) {
            let_fragment(&mut header, identification);
        }
        let transmit = Transmit {
            header: header.get(..len).unwrap_or_default(),
            payload,
            transport_offset,
            segment_size,
            checksum,
            ecn,
        };
        sink(&transmit, remote.ip(), addresses).map(|()| transmit.len())
    }
}

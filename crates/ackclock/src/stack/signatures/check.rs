//! Checking the signatures of arriving segments.

use super::keys::MasterKey;
use super::session::{Direction, Extended, Numbers, SegmentKey};
use super::{Signatures, Stack};
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::seq::SeqNumber;
use crate::stack::Statistics;
use crate::stack::demux::Entity;
use crate::stack::tuple::FourTuple;
use crate::tcp::State;
use crate::wire::{
    Flags, Header, IcmpError, IcmpErrorKind, KeyIds, Segment, SignatureKind, SignedSegment,
};
use core::net::SocketAddr;

/// Why a segment fails the check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    /// It has no signature, but its connection is signed.
    Missing,
    /// It has a signature that its connection does not use.
    Unexpected,
    /// Its digest or MAC is wrong.
    Wrong,
    /// No key has the KeyID in its option.
    UnknownKey,
    /// Its connection is unknown, and therefore the ISNs from which to derive the traffic key.
    UnknownConnection,
}

impl Fault {
    fn counter(self) -> fn(&mut Statistics) -> &mut u64 {
        match self {
            Fault::Missing => |all| &mut all.signature_missing,
            Fault::Unexpected => |all| &mut all.signature_unexpected,
            Fault::Wrong => |all| &mut all.signature_wrong,
            Fault::UnknownKey => |all| &mut all.signature_key_unknown,
            Fault::UnknownConnection => |all| &mut all.signature_not_checkable,
        }
    }
}

/// Compares the digest in a segment with our own, up to the length of the former. Takes the same time wherever
/// they differ, so that timing reveals nothing.
fn is_right(told: &[u8], own: &[u8; 16]) -> bool {
    told.iter().zip(own).fold(0, |wrong, (told, own)| wrong | (told ^ own)) == 0
}

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// Whether a segment is authentic: it has the right signature, or has none and does not need one. The
    /// caller drops all others without a reply (RFC 2385 section 2, RFC 5925 section 7.3).
    #[inline]
    pub(in crate::stack) fn is_authentic(&mut self, packet: &[u8], segment: &Segment<'_>) -> bool {
        let is_signed = segment.header.options.signature.is_some();
        let any = self.signatures.get().is_some_and(|signatures| !signatures.keys.is_empty());
        if !is_signed && !any { true } else { self.check_signature(packet, segment) }
    }

    #[inline(never)]
    fn check_signature(&mut self, packet: &[u8], segment: &Segment<'_>) -> bool {
        let tuple = FourTuple::of(segment);
        let entity = self.find(&tuple);
        // A segment for an address that is not ours is not ours to check.
        if entity.is_none()
            && self.listener_for(&tuple).is_none()
            && !self.addresses.contains(tuple.local.ip())
        {
            return true;
        }
        let checked = match (self.signature_of(entity, &tuple), segment.header.options.signature) {
            (None, None) => Ok(()),
            (None, Some(SignatureKind::Ao)) => self.take_unmatched(),
            (Some(SignatureKind::Md5), Some(SignatureKind::Md5)) => self.check_md5(packet, &tuple),
            (Some(SignatureKind::Ao), Some(SignatureKind::Ao)) => {
                self.check_ao(packet, segment, &tuple, entity)
            }
            // Nor may a connection of one kind carry signatures of the other (RFC 5925 section 8).
            (_, Some(_)) => Err(Fault::Unexpected),
            (Some(_), None) => Err(Fault::Missing),
        };
        let Err(fault) = checked else {
            return true;
        };
        if self.may_tell() {
            let remote = SocketAddr::from(tuple.remote);
            tell!(warn, "segment from {} dropped: its signature is not what it should be", remote);
        }
        self.statistics.count(fault.counter());
        let session = |signatures: &mut Signatures| {
            if let Some(session) = signatures.sessions.get_mut(&tuple) {
                session.dropped = session.dropped.saturating_add(1);
            }
        };
        if entity.is_some() {
            self.signatures.get_mut().map(session);
        }
        false
    }

    /// Whether another message about a dropped or ignored packet may be logged: at most ten in five seconds.
    pub(in crate::stack) fn may_tell(&mut self) -> bool {
        let now = self.now;
        self.signatures.get_mut().is_some_and(|all| all.lines.allow_challenge(now))
    }

    /// Handles a segment with a TCP-AO option if no TCP-AO key applies to its connection (RFC 5925 section
    /// 7.3).
    fn take_unmatched(&mut self) -> Result<(), Fault> {
        if self.signatures.get().is_some_and(|signatures| signatures.refuses_unmatched) {
            return Err(Fault::Unexpected);
        }
        self.statistics.count(|all| &mut all.signatures_ignored);
        Ok(())
    }

    /// Whether to ignore an ICMP error, because it is a hard one for a synchronized connection with TCP-AO (RFC
    /// 5925 section 7.8): IPv4's "protocol unreachable", "port unreachable" and "fragmentation needed", IPv6's
    /// "administratively prohibited" and "port unreachable", and similar ones.
    #[inline(never)]
    pub(in crate::stack) fn ignores_icmp(&self, id: u32, error: &IcmpError) -> bool {
        let Some(slot) = self.connections.get(id) else {
            return false;
        };
        let is_hard = match error.kind {
            IcmpErrorKind::Refused => true,
            IcmpErrorKind::PacketTooBig { .. } => slot.tuple.is_ipv4(),
            _ => false,
        };
        let is_ao = slot.connection.signature() == Some(SignatureKind::Ao);
        if !(is_hard && is_ao && slot.connection.state().is_synchronized()) {
            return false;
        }
        let signatures = self.signatures.get();
        let session = signatures.and_then(|signatures| signatures.sessions.get(&slot.tuple));
        session.is_none_or(|session| !session.heeds_icmp)
    }

    fn check_md5(&self, packet: &[u8], tuple: &FourTuple) -> Result<(), Fault> {
        let keys = self.signatures.get().map(|signatures| &signatures.keys);
        let key = keys.and_then(|keys| keys.md5(tuple)).and_then(|key| key.as_md5());
        let Some((digest, key)) = key else {
            return Err(Fault::Unexpected);
        };
        let segment = SignedSegment::in_packet(packet).ok_or(Fault::Wrong)?;
        let told = segment.md5_digest().ok_or(Fault::Wrong)?;
        if is_right(told, &digest(&segment, key)) { Ok(()) } else { Err(Fault::Wrong) }
    }

    /// Checks a segment's TCP-AO option (RFC 5925 section 7.5).
    fn check_ao(
        &mut self,
        packet: &[u8],
        segment: &Segment<'_>,
        tuple: &FourTuple,
        entity: Option<Entity>,
    ) -> Result<(), Fault> {
        let signed = SignedSegment::in_packet(packet).ok_or(Fault::Missing)?;
        let option = signed.ao().ok_or(Fault::Missing)?;
        let Header { seq, flags, .. } = segment.header;
        let is_syn = flags.contains(Flags::SYN) && !flags.contains(Flags::ACK);
        let is_opening = match entity {
            Some(Entity::Connection(id)) => {
                let slot = self.connections.get(id);
                slot.is_some_and(|slot| slot.connection.state() == State::SynSent)
            }
            _ => false,
        };
        let numbers = self.numbers_of(segment, tuple, entity, is_opening);
        let numbers = numbers.ok_or(Fault::UnknownConnection)?;
        let signatures = self.signatures.get_mut().ok_or(Fault::UnknownKey)?;
        let Signatures { keys, sessions, heard, .. } = signatures;
        let session = sessions.get_mut(tuple).filter(|_| entity.is_some());
        let KeyIds { key_id, .. } = option.ids;
        let known = session.as_ref().map(|session| session.incoming);
        let known = known.filter(|key| key.recv_id == key_id && !is_syn && !is_opening);
        let derived =
            |master: MasterKey<'_>| SegmentKey::of(&master, tuple, &numbers, Direction::Received);
        let key = known.or_else(|| keys.ao(tuple, |key| key.recv_id == key_id).map(derived));
        let key = key.ok_or(Fault::UnknownKey)?;
        if !option.has_length() || !is_right(option.mac, &key.code(&signed, numbers.sne)) {
            return Err(Fault::Wrong);
        }
        *heard = Some(option.ids);
        // The MAC of a SYN stays valid forever, and the SYN may be replayed: it must not change keys.
        if let Some(session) = session.filter(|_| !is_syn || is_opening) {
            if is_opening {
                session.meet(keys, numbers.remote_isn);
            }
            if !is_syn {
                session.incoming = key;
            }
            session.on_authentic(keys, option.ids, seq);
        }
        Ok(())
    }

    /// The ISNs from which to derive a segment's traffic key, and its SNE (RFC 5925 section 5.2). If the
    /// segment may answer a SYN cookie, the ISNs come from its acknowledgment and sequence numbers.
    fn numbers_of(
        &self,
        segment: &Segment<'_>,
        tuple: &FourTuple,
        entity: Option<Entity>,
        is_opening: bool,
    ) -> Option<Numbers> {
        let Header { seq, ack, flags, .. } = segment.header;
        let has_ack = flags.contains(Flags::ACK);
        if flags.contains(Flags::SYN) && !has_ack {
            return Some(Numbers { local_isn: SeqNumber(0), remote_isn: seq, sne: 0 });
        }
        if entity.is_some() {
            let session = self.signatures.get()?.sessions.get(tuple)?;
            let (local_isn, mut remote_isn) = (session.local_isn, session.remote_isn);
            let mut sne = session.received.nearest(seq).sne();
            if is_opening {
                (remote_isn, sne) = (flags.contains(Flags::SYN).then_some(seq)?, 0);
            }
            return Some(Numbers { local_isn, remote_isn, sne });
        }
        let listener = self.listener_for(tuple).filter(|_| P::SYN_COOKIES)?;
        let may_be_cookie = has_ack && !flags.intersects(Flags::SYN | Flags::RST);
        let is_awaited = may_be_cookie && self.expects_cookies(self.now, listener);
        is_awaited.then(|| {
            let remote_isn = seq - 1;
            let sne = Extended::beginning(remote_isn).nearest(seq).sne();
            Numbers { local_isn: ack - 1, remote_isn, sne }
        })
    }
}

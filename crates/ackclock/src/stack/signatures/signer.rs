//! Signing of segments that are sent.

use super::keys::SignatureKey;
use super::session::{Direction, Numbers, SegmentKey};
use super::{Signatures, Stack};
use crate::congestion::CongestionController;
use crate::profile::{Kept, Part, Profile};
use crate::seq::SeqNumber;
use crate::stack::Slot;
use crate::stack::replies::Reply;
use crate::stack::tuple::FourTuple;
use crate::wire::{
    Flags, Header, KeyIds, SignatureKind, SignedSegment, Signing, WriteChecksum, sign,
};

/// What signs a segment.
#[derive(Clone, Copy, Debug)]
pub(in crate::stack) enum Signer<'k> {
    /// An MD5 key.
    Md5(&'k SignatureKey),
    /// A TCP-AO key.
    Ao { key: SegmentKey, ids: KeyIds, sne: u32 },
    /// The segment needs a signature, but its connection and therefore its key are unknown. It must not be
    /// sent, since the peer would not accept it unsigned (RFC 5925 section 7.7).
    Nobody,
}

/// What signs a segment, if it is to be signed.
pub(in crate::stack) type KeyOf<'k, P> =
    <<P as Profile>::Signatures as Part>::Keeps<Option<Signer<'k>>>;

impl Signer<'_> {
    /// The option for which headers need room.
    pub(in crate::stack) fn kind(&self) -> Option<SignatureKind> {
        match self {
            Signer::Md5(_) => Some(SignatureKind::Md5),
            Signer::Ao { .. } => Some(SignatureKind::Ao),
            Signer::Nobody => None,
        }
    }

    /// Signs a segment whose headers contain room for the signature.
    pub(in crate::stack) fn sign(
        &self,
        headers: &mut [u8],
        transport_offset: usize,
        payload: [&[u8]; 2],
        checksum: WriteChecksum,
    ) {
        let mut sign = |kind, ids, digest: &dyn Fn(&SignedSegment<'_>) -> [u8; 16]| {
            let signing = Signing { kind, ids, digest };
            sign(headers, transport_offset, payload, checksum, &signing);
        };
        match self {
            Signer::Md5(key) => {
                if let Some((digest, key)) = key.as_md5() {
                    sign(SignatureKind::Md5, KeyIds::default(), &|segment| digest(segment, key));
                }
            }
            Signer::Ao { key, ids, sne } => {
                sign(SignatureKind::Ao, *ids, &|segment| key.code(segment, *sne));
            }
            Signer::Nobody => {}
        }
    }
}

/// What signs a segment with this header on a connection, if it is to be signed.
#[inline]
pub(in crate::stack) fn signer_of<'k, C: CongestionController, P: Profile>(
    signatures: &'k <P::Signatures as Part>::Begins<Signatures>,
    slot: &Slot<'_, C, P>,
    header: &Header,
) -> KeyOf<'k, P> {
    Kept::new_with(|| {
        let kind = slot.connection.signature()?;
        Some(signatures.get()?.signer(kind, &slot.tuple, header))
    })
}

impl Signatures {
    /// What signs a segment with this header on a connection that uses this kind of signature.
    pub(in crate::stack) fn signer(
        &self,
        kind: SignatureKind,
        tuple: &FourTuple,
        header: &Header,
    ) -> Signer<'_> {
        let signer = match kind {
            SignatureKind::Md5 => self.keys.md5(tuple).map(Signer::Md5),
            SignatureKind::Ao => self.ao_signer(tuple, header),
        };
        signer.unwrap_or(Signer::Nobody)
    }

    /// The TCP-AO key for a segment, from the ISNs of its connection (RFC 5925 section 7.4). A SYN-ACK without
    /// a session is a SYN cookie; its header contains both ISNs.
    fn ao_signer(&self, tuple: &FourTuple, header: &Header) -> Option<Signer<'_>> {
        let Header { seq, ack, flags, .. } = *header;
        let (is_syn, has_ack) = (flags.contains(Flags::SYN), flags.contains(Flags::ACK));
        let session = self.sessions.get(tuple);
        let derived = |remote_isn, send_id: Option<u8>| {
            let numbers = Numbers { local_isn: seq, remote_isn, sne: 0 };
            let is_it = |id: u8| send_id.is_none_or(|wanted| id == wanted);
            let master = self.keys.ao(tuple, |key| is_it(key.send_id))?;
            Some(SegmentKey::of(&master, tuple, &numbers, Direction::Sent))
        };
        let (key, sne, rnext) = match session {
            // Section 5.2: the traffic key of a SYN does not depend on the other end's ISN.
            Some(session) if is_syn && !has_ack => {
                (derived(SeqNumber(0), Some(session.current.send_id))?, 0, session.rnext)
            }
            Some(session) => (session.current, session.sent.nearest(seq).sne(), session.rnext),
            None if is_syn && has_ack => {
                let key = derived(ack - 1, None)?;
                (key, 0, key.recv_id)
            }
            None => return None,
        };
        let ids = KeyIds { key_id: key.send_id, rnext_key_id: rnext };
        Some(Signer::Ao { key, ids, sne })
    }
}

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// What signs a segment between these addresses and ports, if it is to be signed.
    pub(in crate::stack) fn signer_for(
        &self,
        tuple: &FourTuple,
        header: &Header,
    ) -> Option<Signer<'_>> {
        let signatures = self.signatures.get().filter(|signatures| !signatures.keys.is_empty())?;
        let kind = self.signature_of(self.find(tuple), tuple)?;
        Some(signatures.signer(kind, tuple, header))
    }

    /// Whether a reply can be sent: if it needs a signature that cannot be made, it is dropped and counted.
    pub(in crate::stack) fn can_sign(&mut self, reply: &Reply) -> bool {
        let signer = self.signer_for(&reply.tuple, &reply.header());
        let can_sign = !matches!(signer, Some(Signer::Nobody));
        if !can_sign {
            tell!(
                warn,
                "no answer, {}: nothing is known of the connection to sign it",
                reply.tuple
            );
            self.statistics.count(|all| &mut all.unsigned_suppressed);
        }
        can_sign
    }
}

//! Signing what is sent.

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

/// Who signs a segment that goes.
#[derive(Clone, Copy, Debug)]
pub(in crate::stack) enum Signer<'k> {
    /// An MD5 key.
    Md5(&'k SignatureKey),
    /// A key of TCP-AO.
    Ao { key: SegmentKey, ids: KeyIds, sne: u32 },
    /// Nobody can: the segment is of a connection of which nothing is known, and is not to go without a
    /// signature, which the peer would not believe (RFC 5925 section 7.7).
    Nobody,
}

/// Who signs a segment that goes, if it is to be signed.
pub(in crate::stack) type KeyOf<'k, P> =
    <<P as Profile>::Signatures as Part>::Keeps<Option<Signer<'k>>>;

impl Signer<'_> {
    /// The option that headers are to have room for.
    pub(in crate::stack) fn kind(&self) -> Option<SignatureKind> {
        match self {
            Signer::Md5(_) => Some(SignatureKind::Md5),
            Signer::Ao { .. } => Some(SignatureKind::Ao),
            Signer::Nobody => None,
        }
    }

    /// Signs a segment whose headers were written with room for it.
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

/// Who signs a segment with this header of a connection, if it is to be signed.
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
    /// Who signs a segment with this header of a connection that is signed so.
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

    /// The key of a segment, by the numbers of its connection (RFC 5925 section 7.4). A SYN-ACK of which nothing is
    /// known is a SYN cookie, and tells them.
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
            // Section 5.2: a SYN's key knows nothing of the other end's number.
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
    /// Who signs a segment between these ends, if it is to be signed.
    pub(in crate::stack) fn signer_for(
        &self,
        tuple: &FourTuple,
        header: &Header,
    ) -> Option<Signer<'_>> {
        let signatures = self.signatures.get().filter(|signatures| !signatures.keys.is_empty())?;
        let kind = self.signature_of(self.find(tuple), tuple)?;
        Some(signatures.signer(kind, tuple, header))
    }

    /// Whether an answer can go: if it is to be signed and nobody can, it is dropped and counted.
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

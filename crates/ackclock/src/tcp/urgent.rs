//! Urgent data: the pointers SND.UP and RCV.UP, and the URG bit (RFC 9293 section 3.8.5).

use super::connection::Connection;
use crate::congestion::CongestionController;
use crate::profile::{Kept, Part, Profile};
use crate::seq::SeqNumber;
use crate::wire::{Flags, Header};

/// The sequence number after the last urgent byte (MUST-62), until that byte is passed. Always empty in an
/// image without urgent data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Urgent<P: Profile>(<P::Urgent as Part>::Keeps<Option<SeqNumber>>);

impl<P: Profile> Default for Urgent<P> {
    #[inline(always)]
    fn default() -> Self {
        Urgent(Kept::new(None))
    }
}

impl<P: Profile> Urgent<P> {
    #[inline(always)]
    pub(crate) fn get(&self) -> Option<SeqNumber> {
        self.0.get().copied().flatten()
    }

    pub(crate) fn set(&mut self, end: SeqNumber) {
        if let Some(pointer) = self.0.get_mut() {
            *pointer = Some(end);
        }
    }

    /// Clears the urgent pointer if `seq`, before which everything was acknowledged or read, has reached it.
    #[inline(always)]
    pub(crate) fn pass(&mut self, seq: SeqNumber) {
        if let Some(pointer) = self.0.get_mut() {
            *pointer = pointer.filter(|end| end.after(seq));
        }
    }
}

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Sets URG and the urgent pointer while urgent data lies ahead of the segment's first byte (section
    /// 3.8.5). The pointer is to the byte after the last urgent one (MUST-62), or as far as its 16 bits
    /// reach; later segments then move it on (MUST-31).
    pub(super) fn mark_urgent(&self, header: &mut Header) {
        if let Some(urgent) = self.sender.urgent()
            && urgent.after(header.seq)
            && !header.flags.contains(Flags::RST)
        {
            header.flags |= Flags::URG;
            header.urgent_pointer = u16::try_from(urgent.since(header.seq)).unwrap_or(u16::MAX);
        }
    }

    /// Advances RCV.UP, which never moves back (section 3.10.7.4, sixth check).
    pub(super) fn take_urgent(&mut self, urgent: SeqNumber) {
        let known = self.urgent.get().unwrap_or(self.receiver.first_unread());
        if urgent.after(known) {
            self.urgent.set(urgent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Full, Least};

    #[test]
    fn a_pointer_stays_until_it_was_passed() {
        let mut urgent = Urgent::<Full>::default();
        assert_eq!(urgent.get(), None);
        urgent.set(SeqNumber(100));
        urgent.pass(SeqNumber(99));
        assert_eq!(urgent.get(), Some(SeqNumber(100)));
        urgent.pass(SeqNumber(100));
        assert_eq!(urgent.get(), None);
    }

    #[test]
    fn an_image_without_urgent_data_has_no_pointer() {
        let mut urgent = Urgent::<Least>::default();
        urgent.set(SeqNumber(100));
        assert_eq!(urgent.get(), None);
    }
}

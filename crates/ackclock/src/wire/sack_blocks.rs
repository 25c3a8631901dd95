//! The SACK blocks of a segment, and other options that share their storage.

use super::{AccurateEcnOption, FastOpenCookie, UserTimeout};
use crate::seq::{SeqNumber, SeqRange};

/// Up to four SACK blocks, in the order of the option.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SackBlocks {
    blocks: [SeqRange; SackBlocks::MAX],
    len: u8,
    /// 0; or one more than the length of a Fast Open cookie, stored in place of the first blocks; or the
    /// [tag](AccurateEcnOption::to_bytes) of an AccECN option, stored in place of the fourth block.
    cookie: u8,
    /// The last bytes of the AccECN option; without one, the [word](UserTimeout::word) of a user timeout, or
    /// 0.
    word: u16,
}

impl SackBlocks {
    /// Most blocks that fit into an option area (RFC 2018 section 3); beside timestamps three fit.
    pub const MAX: usize = 4;

    /// No block, and no other option.
    pub const EMPTY: SackBlocks = SackBlocks {
        blocks: [SeqRange::new(SeqNumber(0), SeqNumber(0)); Self::MAX],
        len: 0,
        cookie: 0,
        word: 0,
    };

    /// No block, but a Fast Open cookie.
    pub(super) fn of_cookie(cookie: FastOpenCookie) -> Self {
        let mut sack = SackBlocks::EMPTY;
        for (block, [start, end]) in sack.blocks.iter_mut().zip(cookie.to_words()) {
            *block = SeqRange::new(SeqNumber(start), SeqNumber(end));
        }
        sack.cookie = cookie.as_slice().len() as u8 + 1;
        sack
    }

    /// Whether a Fast Open cookie is stored in place of the first blocks.
    pub(super) fn has_cookie(&self) -> bool {
        self.cookie > 0 && !self.has_counters()
    }

    pub(super) fn cookie(&self) -> Option<FastOpenCookie> {
        let len = self.cookie.checked_sub(1).filter(|_| !self.has_counters())?;
        let [first, second, ..] = self.blocks;
        let words = [first, second].map(|block| [block.start.0, block.end.0]);
        Some(FastOpenCookie::from_words(words, len))
    }

    /// The other options stored beside the blocks, except an AccECN option, without the blocks.
    pub fn without_blocks(&self) -> SackBlocks {
        let mut without = SackBlocks::EMPTY;
        without.set_user_timeout(self.user_timeout());
        without
    }

    pub(super) fn user_timeout(&self) -> Option<UserTimeout> {
        UserTimeout::from_word(self.word).filter(|_| !self.has_counters())
    }

    pub(super) fn set_user_timeout(&mut self, timeout: Option<UserTimeout>) {
        if !self.has_counters() {
            self.word = timeout.map_or(0, UserTimeout::word);
        }
    }

    /// Whether an AccECN option is stored in place of the fourth block.
    pub(super) fn has_counters(&self) -> bool {
        self.cookie >= 0x80
    }

    pub(super) fn accurate_ecn(&self) -> Option<AccurateEcnOption> {
        let [.., SeqRange { start, end }] = self.blocks;
        AccurateEcnOption::from_bytes([start.0, end.0], self.word, self.cookie)
    }

    pub(super) fn set_accurate_ecn(&mut self, option: Option<AccurateEcnOption>) {
        let has_counters = self.has_counters();
        let [.., place] = &mut self.blocks;
        if let Some(option) = option {
            let ([start, end], last, tag) = option.to_bytes();
            *place = SeqRange::new(SeqNumber(start), SeqNumber(end));
            (self.cookie, self.word) = (tag, last);
            self.len = self.len.min(Self::MAX as u8 - 1);
        } else if has_counters {
            *place = SeqRange::default();
            (self.cookie, self.word) = (0, 0);
        }
    }

    /// Whether there is neither a block nor another option.
    pub(crate) const fn is_bare(&self) -> bool {
        // Combined without branches, as hardly ever is one of them set.
        self.word | self.len as u16 | self.cookie as u16 == 0
    }

    /// Appends a block; false if there are four already. Options stored in place of blocks are removed.
    pub fn push(&mut self, block: SeqRange) -> bool {
        if self.has_counters() {
            self.word = 0;
        }
        self.cookie = 0;
        self.append(block)
    }

    /// Appends a block, if no option is stored in place of blocks; false if there is no room.
    pub(crate) fn append(&mut self, block: SeqRange) -> bool {
        match self.blocks.get_mut(usize::from(self.len)) {
            Some(place) => {
                *place = block;
                self.len += 1;
                true
            }
            None => false,
        }
    }

    /// The blocks in order.
    pub fn as_slice(&self) -> &[SeqRange] {
        self.blocks.get(..usize::from(self.len)).unwrap_or_default()
    }

    /// Whether there is no block.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

//! Whether queues follow the need.

use crate::words::words;

/// Whether the queues of a connection have their configured sizes from the start, or begin small and
/// follow what the connection needs, up to those sizes.
///
/// It is of no effect where storage is lent. Under either setting a queue takes memory of the
/// allocator only as it fills, and may be held smaller while the stack's memory is short
/// (`StackConfig::memory`).
///
/// As a word: `fixed` or `auto`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum BufferTuning {
    /// The configured sizes.
    #[default]
    Fixed,
    /// Room for 65,535 bytes at first, as much as a SYN can tell the peer of. The receive queue grows
    /// to twice what the application reads in a round trip (Fisk and Feng 2000), the send queue to
    /// two congestion windows.
    Automatic,
}

impl BufferTuning {
    /// What a queue of at most `most` bytes begins with, in bytes.
    #[allow(dead_code, reason = "only queues that grow ask, and without a heap none does")]
    pub(crate) fn first(self, most: u32) -> u32 {
        match self {
            BufferTuning::Fixed => most,
            BufferTuning::Automatic => most.min(u32::from(u16::MAX)),
        }
    }
}

words! {
    BufferTuning: "fixed or auto",
    "fixed" = Fixed,
    "auto" = Automatic,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn each_word_is_read_back_and_others_are_refused() {
        for word in ["fixed", "auto"] {
            assert_eq!(word.parse::<BufferTuning>().unwrap().to_string(), word);
        }
        let error = "on".parse::<BufferTuning>().unwrap_err();
        assert_eq!(error.to_string(), "use fixed or auto");
    }
}

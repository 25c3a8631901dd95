//! TCP options (RFC 9293 section 3.1, RFC 7323, RFC 2018, RFC 2883, RFC 5482, RFC 7413, RFC 2385,
//! RFC 5925, RFC 9768).

use super::checksum::Checksum;
use super::{
    AccurateEcnOption, AllFormats, FastOpenCookie, Formats, SackBlocks, SignatureKind, UserTimeout,
    WireError, accurate_ecn, signature_option,
};
use crate::seq::{SeqNumber, SeqRange};

/// Length of the longest option area in bytes: the largest data offset, 15 words, less the fixed header.
const MAX_OPTIONS: usize = 40;

/// Option kinds (IANA registry of TCP parameters).
mod kind {
    pub(super) const END_OF_LIST: u8 = 0;
    pub(super) const NO_OPERATION: u8 = 1;
    pub(super) const MSS: u8 = 2;
    pub(super) const WINDOW_SCALE: u8 = 3;
    pub(super) const SACK_PERMITTED: u8 = 4;
    pub(super) const SACK: u8 = 5;
    pub(super) const TIMESTAMPS: u8 = 8;
    pub(super) const USER_TIMEOUT: u8 = 28;
    pub(super) const FAST_OPEN: u8 = 34;
    pub(super) use super::accurate_ecn::{ORDER_0, ORDER_1};
    pub(super) use super::signature_option::{AO, MD5};
}

/// The word before the timestamps in an option area that has no other option (RFC 7323 appendix A).
pub(super) const BEFORE_TIMESTAMPS: u32 =
    u32::from_be_bytes([kind::NO_OPERATION, kind::NO_OPERATION, kind::TIMESTAMPS, 10]);
/// Length of an option area with only timestamps, in bytes.
pub(super) const LONE_TIMESTAMPS: usize = 12;
/// The largest window scale shift count (RFC 7323 section 2.3).
const MAX_WINDOW_SCALE: u8 = 14;

/// Length of one SACK block, two sequence numbers, in bytes (RFC 2018 section 3).
const SACK_BLOCK: usize = 8;

/// The options of one segment. `None`, `false` or no block means that the option is absent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Maximum segment size in bytes (kind 2); SYN segments only.
    pub mss: Option<u16>,
    /// Window scale shift count (kind 3, RFC 7323 section 2.2), 0 to 14; a larger one received is read as 14.
    /// SYN segments only.
    pub window_scale: Option<u8>,
    /// SACK-permitted (kind 4, RFC 2018 section 2); SYN segments only.
    pub sack_permitted: bool,
    /// Timestamps (kind 8, RFC 7323 section 3.2).
    pub timestamps: Option<Timestamps>,
    /// Signature option (MD5, kind 19, RFC 2385, or TCP-AO, kind 29, RFC 5925). Only its kind is stored,
    /// since the digest covers the whole segment. It is written before all other options, with digest and key
    /// IDs of zero.
    pub signature: Option<SignatureKind>,
    /// SACK blocks (kind 5, RFC 2018 section 3). SYN segments have none. Their place also stores a [Fast Open
    /// cookie](Self::fast_open) instead of blocks, an [AccECN option](Self::accurate_ecn) beside up to three
    /// blocks, or a [user timeout](Self::user_timeout) beside any number.
    pub sack: SackBlocks,
}

impl Options {
    /// Fast Open cookie (kind 34, RFC 7413 section 4.1.1), or the request for one; SYN segments only. A
    /// cookie of invalid length is ignored.
    pub fn fast_open(&self) -> Option<FastOpenCookie> {
        self.sack.cookie()
    }

    /// Sets the Fast Open cookie, which removes SACK blocks: no segment has both, and this keeps the struct
    /// small.
    pub fn set_fast_open(&mut self, cookie: Option<FastOpenCookie>) {
        if cookie.is_some() || (self.sack.has_cookie()) {
            let user_timeout = self.user_timeout();
            self.sack = cookie.map_or(SackBlocks::EMPTY, SackBlocks::of_cookie);
            self.set_user_timeout(user_timeout);
        }
    }

    /// User timeout (kind 28, RFC 5482 section 3.3). It is not written if the other options leave no room for
    /// it; SACK blocks are omitted first.
    pub fn user_timeout(&self) -> Option<UserTimeout> {
        self.sack.user_timeout()
    }

    /// Sets the user timeout; ignored if there is an AccECN option.
    pub fn set_user_timeout(&mut self, timeout: Option<UserTimeout>) {
        self.sack.set_user_timeout(timeout);
    }

    /// AccECN option (kind 172 or 174, RFC 9768 section 3.2.3).
    pub fn accurate_ecn(&self) -> Option<AccurateEcnOption> {
        self.sack.accurate_ecn()
    }

    /// Sets the AccECN option, which removes a Fast Open cookie, a user timeout and a fourth SACK block; this
    /// keeps the struct small.
    pub fn set_accurate_ecn(&mut self, option: Option<AccurateEcnOption>) {
        self.sack.set_accurate_ecn(option);
    }

    /// Bytes that the options take in a header, including padding to whole 32-bit words: what a sender
    /// subtracts from its MSS (RFC 9293 section 3.7.1). SACK blocks that do not fit are not counted.
    pub fn len(&self) -> usize {
        let blocks = match self.blocks_that_fit::<AllFormats>() {
            [] => 0,
            blocks => 4 + SACK_BLOCK * blocks.len(),
        };
        self.len_without_blocks::<AllFormats>() + blocks
    }

    /// Whether there is no option.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Length without SACK blocks: at most 40, and 20 more with a signature.
    fn len_without_blocks<F: Formats>(&self) -> usize {
        let user_timeout = if self.timeout::<F>().is_some() { 4 } else { 0 };
        self.len_of_most::<F>() + user_timeout
    }

    /// Length without SACK blocks and the user timeout.
    fn len_of_most<F: Formats>(&self) -> usize {
        self.len_of_rest::<F>() + self.counters::<F>().map_or(0, |option| option.words_len())
    }

    /// Length without AccECN's option too: at most 20, 20 more in a SYN with a Fast Open cookie, and 20 more
    /// with a signature.
    fn len_of_rest<F: Formats>(&self) -> usize {
        let mss = if self.mss.is_some() { 4 } else { 0 };
        let window_scale = if self.shift::<F>().is_some() { 4 } else { 0 };
        let timestamps = match self.of_both::<F>() {
            (Some(_), _) => 12,
            (None, true) => 4,
            (None, false) => 0,
        };
        let cookie = self.cookie::<F>().map_or(0, |cookie| 4 * cookie.words());
        let signature = self.signed_by::<F>().map_or(0, |kind| usize::from(kind.len()));
        mss + window_scale + timestamps + cookie + signature
    }

    /// The signature to write.
    fn signed_by<F: Formats>(&self) -> Option<SignatureKind> {
        if F::SIGNATURES { self.signature } else { None }
    }

    /// The window scale shift count to write.
    fn shift<F: Formats>(&self) -> Option<u8> {
        self.window_scale.filter(|_| F::WINDOW_SCALING)
    }

    /// The Fast Open cookie to write.
    fn cookie<F: Formats>(&self) -> Option<FastOpenCookie> {
        if F::FAST_OPEN { self.fast_open() } else { None }
    }

    /// The user timeout to write.
    fn timeout<F: Formats>(&self) -> Option<UserTimeout> {
        let timeout = self.user_timeout().filter(|_| F::USER_TIMEOUT)?;
        (self.len_of_most::<F>() + 4 <= MAX_OPTIONS).then_some(timeout)
    }

    /// The AccECN option to write: omitted if the other options leave no room for it (RFC 9768 section
    /// 3.2.3.3).
    fn counters<F: Formats>(&self) -> Option<AccurateEcnOption> {
        if !F::ACCURATE_ECN {
            return None;
        }
        let option = self.accurate_ecn()?;
        (self.len_of_rest::<F>() + option.words_len() <= MAX_OPTIONS).then_some(option)
    }

    /// The timestamps and the SACK-permitted option to write, which share a word.
    fn of_both<F: Formats>(&self) -> (Option<Timestamps>, bool) {
        (self.timestamps.filter(|_| F::TIMESTAMPS), F::SACK && self.sack_permitted)
    }

    fn blocks_that_fit<F: Formats>(&self) -> &[SeqRange] {
        if !F::SACK || self.sack.is_empty() {
            return &[];
        }
        let room = MAX_OPTIONS.saturating_sub(self.len_without_blocks::<F>() + 4);
        let blocks = self.sack.as_slice();
        blocks.get(..room / SACK_BLOCK).unwrap_or(blocks)
    }

    /// Reads an option area. Unknown options are skipped by their length (RFC 9293 MUST-6).
    ///
    /// # Errors
    /// [`WireError::Option`] for a length that is wrong for the option or exceeds the area (MUST-7).
    #[inline]
    pub(super) fn parse<F: Formats>(area: &[u8]) -> Result<Options, WireError> {
        // The common case: only timestamps, in the layout recommended by RFC 7323 appendix A.
        if F::TIMESTAMPS
            && let Some((before, value)) = area.split_first_chunk()
            && u32::from_be_bytes(*before) == BEFORE_TIMESTAMPS
            && let &[v0, v1, v2, v3, e0, e1, e2, e3] = value
        {
            let timestamps = Timestamps {
                value: u32::from_be_bytes([v0, v1, v2, v3]),
                echo: u32::from_be_bytes([e0, e1, e2, e3]),
            };
            return Ok(Options { timestamps: Some(timestamps), ..Options::default() });
        }
        Self::parse_any::<F>(area)
    }

    // Kept apart, so that the common case stays in registers.
    #[inline(never)]
    fn parse_any<F: Formats>(mut area: &[u8]) -> Result<Options, WireError> {
        let mut options = Options::default();
        while let Some((kind, data, next)) = split_option(area)? {
            options.take::<F>(kind, data)?;
            area = next;
        }
        Ok(options)
    }

    fn take<F: Formats>(&mut self, kind: u8, data: &[u8]) -> Result<(), WireError> {
        match (kind, data) {
            (kind::MSS, &[high, low]) => self.mss = Some(u16::from_be_bytes([high, low])),
            (kind::WINDOW_SCALE, _) if !F::WINDOW_SCALING => {}
            (kind::WINDOW_SCALE, &[shift]) => {
                self.window_scale = Some(shift.min(MAX_WINDOW_SCALE));
            }
            (kind::FAST_OPEN, cookie) if F::FAST_OPEN => {
                // RFC 7413 section 4.1.1: a cookie of invalid length is ignored.
                self.set_fast_open(FastOpenCookie::new(cookie));
            }
            (kind::ORDER_0 | kind::ORDER_1, data) if F::ACCURATE_ECN => {
                self.set_accurate_ecn(Some(AccurateEcnOption::read(kind, data)));
            }
            (kind::SACK_PERMITTED | kind::SACK, _) if !F::SACK => {}
            (kind::TIMESTAMPS, _) if !F::TIMESTAMPS => {}
            (kind::MD5 | kind::AO, _) if !F::SIGNATURES => {}
            (kind::MD5 | kind::AO, data) => {
                self.signature = Some(signature_option::read(self.signature, kind, data)?);
            }
            (kind::SACK_PERMITTED, []) => self.sack_permitted = true,
            (kind::TIMESTAMPS, &[v0, v1, v2, v3, e0, e1, e2, e3]) => {
                self.timestamps = Some(Timestamps {
                    value: u32::from_be_bytes([v0, v1, v2, v3]),
                    echo: u32::from_be_bytes([e0, e1, e2, e3]),
                });
            }
            (kind::USER_TIMEOUT, &[high, low]) if F::USER_TIMEOUT => {
                self.set_user_timeout(UserTimeout::from_word(u16::from_be_bytes([high, low])));
            }
            (kind::SACK, data) => {
                let (blocks @ [_, ..], []) = data.as_chunks::<SACK_BLOCK>() else {
                    return Err(WireError::Option);
                };
                let counters = if F::ACCURATE_ECN { self.accurate_ecn() } else { None };
                self.sack = self.sack.without_blocks();
                for &[s0, s1, s2, s3, e0, e1, e2, e3] in blocks {
                    // No option area has room for more than four blocks, so none is lost.
                    self.sack.push(SeqRange::new(
                        SeqNumber(u32::from_be_bytes([s0, s1, s2, s3])),
                        SeqNumber(u32::from_be_bytes([e0, e1, e2, e3])),
                    ));
                }
                if counters.is_some() && blocks.len() < SackBlocks::MAX {
                    self.set_accurate_ecn(counters);
                }
            }
            (kind::MSS | kind::WINDOW_SCALE | kind::SACK_PERMITTED | kind::TIMESTAMPS, _) => {
                return Err(WireError::Option);
            }
            _ => {}
        }
        Ok(())
    }

    /// Writes the options at the beginning of `area`, in whole 32-bit words and in Linux's order. Returns how
    /// many bytes they take (as [`Options::len`]), and their sum for the checksum.
    #[inline]
    pub(super) fn write<F: Formats>(&self, area: &mut [u8]) -> (usize, Checksum) {
        let (places, _) = area.as_chunks_mut::<4>();
        let mut places = places.iter_mut();
        let (mut len, mut sum) = (0, Checksum::NONE);
        let mut put = |word: [u8; 4]| {
            if let Some(place) = places.next() {
                *place = word;
                len += 4;
                sum = sum.over_words(&[u32::from_be_bytes(word)]);
            }
        };
        if let Some(kind) = self.signed_by::<F>() {
            put(kind.first_word());
            (0..kind.digest_len() / 4).for_each(|_| put([0; 4]));
        }
        if let Some(mss) = self.mss {
            let [high, low] = mss.to_be_bytes();
            put([kind::MSS, 4, high, low]);
        }
        let (timestamps, sack_permitted) = self.of_both::<F>();
        if sack_permitted || timestamps.is_some() {
            put(word_of_both(timestamps.is_some(), sack_permitted));
        }
        if let Some(timestamps) = timestamps {
            put(timestamps.value.to_be_bytes());
            put(timestamps.echo.to_be_bytes());
        }
        if let Some(shift) = self.shift::<F>() {
            put([kind::NO_OPERATION, kind::WINDOW_SCALE, 3, shift.min(MAX_WINDOW_SCALE)]);
        }
        // The common case.
        if (F::USER_TIMEOUT || F::FAST_OPEN || F::ACCURATE_ECN) && self.sack.is_bare() {
            return (len, sum);
        }
        if let Some(timeout) = self.timeout::<F>() {
            put(timeout.option(kind::USER_TIMEOUT));
        }
        if let Some(cookie) = self.cookie::<F>() {
            for word in cookie.option(kind::FAST_OPEN).into_iter().take(cookie.words()) {
                put(word);
            }
        }
        if let Some(option) = self.counters::<F>() {
            for word in option.to_words().into_iter().take(option.words_len() / 4) {
                put(word);
            }
        }
        let blocks = self.blocks_that_fit::<F>();
        if !blocks.is_empty() {
            // At most four blocks, so at most 34.
            let length = 2 + (SACK_BLOCK * blocks.len()) as u8;
            put([kind::NO_OPERATION, kind::NO_OPERATION, kind::SACK, length]);
            for block in blocks {
                put(block.start.0.to_be_bytes());
                put(block.end.0.to_be_bytes());
            }
        }
        (len, sum)
    }
}

/// The word shared by SACK-permitted and the beginning of the timestamps, where SACK-permitted replaces the
/// padding. At least one of them is present.
#[inline(always)]
fn word_of_both(timestamps: bool, sack_permitted: bool) -> [u8; 4] {
    match (sack_permitted, timestamps) {
        (true, true) => [kind::SACK_PERMITTED, 2, kind::TIMESTAMPS, 10],
        (true, false) => [kind::NO_OPERATION, kind::NO_OPERATION, kind::SACK_PERMITTED, 2],
        (false, _) => [kind::NO_OPERATION, kind::NO_OPERATION, kind::TIMESTAMPS, 10],
    }
}

/// The first option of an area: its kind, its data, and the rest of the area.
pub(super) type First<'a> = (u8, &'a [u8], &'a [u8]);

/// The first option of an area after padding; `None` at its end.
#[inline(always)]
pub(super) fn split_option(mut area: &[u8]) -> Result<Option<First<'_>>, WireError> {
    while let Some((&kind, rest)) = area.split_first() {
        match kind {
            kind::END_OF_LIST => break,
            kind::NO_OPERATION => area = rest,
            _ => {
                let &length = rest.first().ok_or(WireError::Option)?;
                // The length includes kind and length.
                let length = usize::from(length).checked_sub(1);
                let (body, next) = length
                    .and_then(|length| rest.split_at_checked(length))
                    .ok_or(WireError::Option)?;
                let (_, data) = body.split_first().ok_or(WireError::Option)?;
                return Ok(Some((kind, data, next)));
            }
        }
    }
    Ok(None)
}

/// The timestamps option (RFC 7323 section 3.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Timestamps {
    /// TSval: the sender's timestamp clock.
    pub value: u32,
    /// TSecr: the latest TSval of the other side; valid if ACK is set.
    pub echo: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;
    use std::vec::Vec;

    const TIMESTAMPS: Timestamps = Timestamps { value: 0x0102_0304, echo: 0x0506_0708 };

    fn written(options: &Options) -> Vec<u8> {
        let mut area = vec![0xee; options.len()];
        let (len, sum) = options.write::<AllFormats>(&mut area);
        assert_eq!((len, sum.sum()), (area.len(), Checksum::default().over(&area).sum()));
        area
    }

    fn blocks(count: u32) -> SackBlocks {
        let mut blocks = SackBlocks::EMPTY;
        for n in 0..count {
            assert!(blocks.push(SeqRange::from_len(SeqNumber(n * 100), 50)));
        }
        blocks
    }

    #[test]
    fn no_option_takes_no_byte() {
        assert_eq!(Options::default().len(), 0);
        assert!(Options::default().is_empty());
        assert_eq!(Options::parse::<AllFormats>(&[]), Ok(Options::default()));
    }

    #[test]
    fn options_of_a_syn_stand_in_the_order_of_linux() {
        let mut options = Options {
            mss: Some(1460),
            window_scale: Some(7),
            sack_permitted: true,
            timestamps: Some(TIMESTAMPS),
            ..Options::default()
        };
        let all = [2, 4, 0x05, 0xb4, 4, 2, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8, 1, 3, 3, 7];
        assert_eq!(written(&options), all);
        assert_eq!(Options::parse::<AllFormats>(&all), Ok(options));

        options.sack_permitted = false;
        let without_sack = [2, 4, 0x05, 0xb4, 1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8, 1, 3, 3, 7];
        assert_eq!(written(&options), without_sack);

        options.sack_permitted = true;
        options.timestamps = None;
        let without_timestamps = [2, 4, 0x05, 0xb4, 1, 1, 4, 2, 1, 3, 3, 7];
        assert_eq!(written(&options), without_timestamps);
    }

    #[test]
    fn as_many_blocks_are_written_as_fit() {
        let mut options = Options { sack: blocks(4), ..Options::default() };
        assert_eq!(options.len(), 36);
        assert_eq!(Options::parse::<AllFormats>(&written(&options)), Ok(options));

        options.timestamps = Some(TIMESTAMPS);
        let read = Options::parse::<AllFormats>(&written(&options)).unwrap();
        assert_eq!(options.len(), 40);
        assert_eq!(read.sack, blocks(3));
        assert_eq!(read.timestamps, Some(TIMESTAMPS));

        options.sack = blocks(1);
        assert_eq!(
            written(&options),
            [1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8, 1, 1, 5, 10, 0, 0, 0, 0, 0, 0, 0, 50]
        );
    }

    /// RFC 5482 section 3.3.
    #[test]
    fn a_user_timeout_has_its_place_unless_a_cookie_takes_it() {
        let timeout = UserTimeout::new(crate::time::Duration::from_secs(300));
        let mut options = Options::default();
        options.set_user_timeout(Some(timeout));
        assert_eq!(written(&options), [28, 4, 1, 44]);
        assert_eq!(Options::parse::<AllFormats>(&[28, 4, 1, 44]), Ok(options));
        for reserved in [[28, 4, 0, 0], [28, 4, 0x80, 0]] {
            assert_eq!(Options::parse::<AllFormats>(&reserved), Ok(Options::default()));
        }
        options.timestamps = Some(TIMESTAMPS);
        for block in blocks(3).as_slice() {
            options.sack.push(*block);
        }
        let read = Options::parse::<AllFormats>(&written(&options)).unwrap();
        assert_eq!(read.user_timeout(), Some(timeout), "it goes before blocks");
        assert_eq!(read.sack.as_slice(), blocks(2).as_slice());
        (options.mss, options.window_scale) = (Some(1460), Some(7));
        options.set_fast_open(FastOpenCookie::new(&[9; 16]));
        let read = Options::parse::<AllFormats>(&written(&options)).unwrap();
        assert_eq!((options.len(), read.user_timeout()), (40, None));
        assert_eq!(read.fast_open(), options.fast_open());
    }

    /// RFC 7413 section 4.1.1, with the padding of Linux.
    #[test]
    fn a_fast_open_cookie_follows_the_other_options() {
        let mut options = Options {
            mss: Some(1460),
            window_scale: Some(7),
            sack_permitted: true,
            timestamps: Some(TIMESTAMPS),
            ..Options::default()
        };
        options.set_fast_open(FastOpenCookie::new(&[9; 16]));
        assert_eq!(options.len(), 40);
        assert_eq!(Options::parse::<AllFormats>(&written(&options)), Ok(options));
        let mut options = Options::default();
        for (cookie, area) in [
            (&[1, 2, 3, 4, 5, 6, 7, 8][..], &[34, 10, 1, 2, 3, 4, 5, 6, 7, 8, 1, 1][..]),
            (&[1, 2, 3, 4, 5, 6], &[34, 8, 1, 2, 3, 4, 5, 6]),
            (&[], &[34, 2, 1, 1]),
        ] {
            options.set_fast_open(FastOpenCookie::new(cookie));
            assert_eq!(options.fast_open().unwrap().as_slice(), cookie);
            assert_eq!(written(&options), area);
            assert_eq!(Options::parse::<AllFormats>(area), Ok(options));
        }
        for wrong in [&[34, 3, 1][..], &[34, 4, 1, 2], &[34, 7, 1, 2, 3, 4, 5], &[34; 34]] {
            assert_eq!(Options::parse::<AllFormats>(wrong), Ok(Options::default()), "{wrong:?}");
        }
    }

    /// RFC 2018 section 3: a SYN has no blocks.
    #[test]
    fn a_cookie_and_blocks_are_never_together() {
        let mut options = Options::default();
        options.set_fast_open(FastOpenCookie::new(&[9; 16]));
        assert!(options.sack.is_empty() && options.sack.as_slice().is_empty());
        options.sack.push(SeqRange::from_len(SeqNumber(1), 5));
        assert_eq!((options.fast_open(), options.sack.as_slice().len()), (None, 1));
        options.set_fast_open(None);
        assert_eq!(options.sack.as_slice().len(), 1);
        options.set_fast_open(Some(FastOpenCookie::REQUEST));
        assert_eq!((options.fast_open(), options.len()), (Some(FastOpenCookie::REQUEST), 4));
        options.set_fast_open(None);
        assert!(options.is_empty());
    }

    #[test]
    fn unknown_options_are_skipped_by_length() {
        let area = [254, 4, 0xaa, 0xbb, 77, 2, 2, 4, 0x02, 0x18];
        let options = Options { mss: Some(536), ..Options::default() };
        assert_eq!(Options::parse::<AllFormats>(&area), Ok(options));
    }

    #[test]
    fn nothing_counts_after_the_end_of_the_list() {
        assert_eq!(Options::parse::<AllFormats>(&[1, 0, 2, 99]), Ok(Options::default()));
    }

    #[test]
    fn the_last_of_two_counts() {
        let read = Options::parse::<AllFormats>(&[2, 4, 0x05, 0xb4, 2, 4, 0x02, 0x18]).unwrap();
        assert_eq!(read.mss, Some(536));
    }

    #[test]
    fn a_window_scale_above_14_is_14() {
        let options = Options::parse::<AllFormats>(&[3, 3, 15]).unwrap();
        assert_eq!(options.window_scale, Some(14));
        assert_eq!(Options::parse::<AllFormats>(&[3, 3, 255]), Ok(options));
    }

    #[test]
    fn lengths_that_cannot_be_are_errors() {
        let malformed: [&[u8]; 13] = [
            &[2],
            &[2, 0],
            &[2, 1],
            &[77, 0],
            &[77, 1],
            &[77, 3],
            &[2, 3, 5],
            &[2, 5, 5, 0xb4, 0],
            &[3, 2],
            &[4, 3, 0],
            &[8, 9, 0, 0, 0, 0, 0, 0, 0],
            &[5, 2],
            &[5, 9, 0, 0, 0, 0, 0, 0, 0],
        ];
        for area in malformed {
            assert_eq!(Options::parse::<AllFormats>(area), Err(WireError::Option), "{area:?}");
        }
    }
}

//! The initial window (RFC 6928, RFC 3390, allman98 section 3 and appendix A).

use super::LARGEST_WINDOW;
use super::parameters::Size;
use crate::UnknownWord;
use core::fmt;
use core::str::FromStr;

/// RFC 6928 section 2, equation 1: most segments, most bytes, least segments.
const RFC_6928: [u32; 3] = [10, 14_600, 2];
/// RFC 3390 section 1, equation 1: most segments, most bytes, least segments.
const RFC_3390: [u32; 3] = [4, 4_380, 2];

/// One byte more than the largest window.
const BEYOND_LARGEST: u32 = LARGEST_WINDOW + 1;

/// The initial congestion window, which is also the largest one after an idle period.
///
/// Textual form: `rfc6928`, `rfc3390`; `10` segments, `14600B` or `14k` bytes; or both bounds of allman98, as
/// in `4,4096B`.
///
/// ```
/// use ackclock::congestion::InitialWindow;
///
/// assert_eq!(InitialWindow::default().window(1460), 14_600);
/// assert_eq!(InitialWindow::segments(4).window(1460), 5_840);
/// assert_eq!("4,4096B".parse(), Ok(InitialWindow::new(4, 4096)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum InitialWindow {
    /// min(10 MSS, max(2 MSS, 14600)) (RFC 6928 section 2).
    #[default]
    Rfc6928,
    /// min(4 MSS, max(2 MSS, 4380)) (RFC 3390; allman98 section 3, which evaluates it).
    Rfc3390,
    /// The two bounds of allman98 (appendix A); the lower one applies.
    AtMost {
        /// Most segments; 0: no such bound.
        segments: u16,
        /// Most bytes; 0: no such bound.
        bytes: u32,
    },
}

impl InitialWindow {
    /// The possible words, for help and error texts.
    pub const WORDS: &'static str = "rfc6928, rfc3390, up to 65535 segments as in 10, up to 1 GiB \
                                     as in 14600B or 14k, or the lesser of both as in 4,4096B";

    /// At most `segments` segments and at most `bytes` bytes; 0: no such bound; both 0: the standard.
    pub const fn new(segments: u16, bytes: u32) -> Self {
        match (segments, bytes) {
            (0, 0) => InitialWindow::Rfc6928,
            _ => InitialWindow::AtMost { segments, bytes },
        }
    }

    /// This many segments; 0: the standard.
    pub const fn segments(segments: u16) -> Self {
        InitialWindow::new(segments, 0)
    }

    /// This many bytes, but at least one segment; 0: the standard.
    pub const fn bytes(bytes: u32) -> Self {
        InitialWindow::new(0, bytes)
    }

    /// Whether the bound in bytes is at most TCP's largest window, 1 GiB.
    pub const fn is_usable(&self) -> bool {
        !matches!(self, InitialWindow::AtMost { bytes: BEYOND_LARGEST.., .. })
    }

    /// The window of RFC 6928 in bytes for segments of `mss` bytes, which must not be 0.
    pub(crate) fn rfc6928(mss: u32) -> u32 {
        standard(RFC_6928, mss)
    }

    /// The window in bytes for segments of `mss` bytes: at least one segment.
    pub fn window(&self, mss: u32) -> u32 {
        let mss = mss.max(1);
        let window = match *self {
            InitialWindow::Rfc6928 | InitialWindow::AtMost { segments: 0, bytes: 0 } => {
                Self::rfc6928(mss)
            }
            InitialWindow::Rfc3390 => standard(RFC_3390, mss),
            InitialWindow::AtMost { segments: 0, bytes } => bytes,
            InitialWindow::AtMost { segments, bytes: 0 } => mss.saturating_mul(segments.into()),
            InitialWindow::AtMost { segments, bytes } => {
                mss.saturating_mul(segments.into()).min(bytes)
            }
        };
        window.max(mss)
    }
}

/// The formula of both RFCs: min(most MSS, max(least MSS, bytes)).
fn standard([most, bytes, least]: [u32; 3], mss: u32) -> u32 {
    mss.saturating_mul(most).min(mss.saturating_mul(least).max(bytes))
}

impl FromStr for InitialWindow {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let (first, second) = text.split_once(',').unzip();
        let window = match (first.unwrap_or(text).parse(), second.map(str::parse)) {
            _ if text == "rfc6928" => Some(InitialWindow::Rfc6928),
            _ if text == "rfc3390" => Some(InitialWindow::Rfc3390),
            (Ok(Size::Segments(segments @ 1..)), None) => {
                segments.try_into().ok().map(InitialWindow::segments)
            }
            (Ok(Size::Bytes(bytes @ 1..)), None) => Some(InitialWindow::bytes(bytes)),
            (Ok(Size::Segments(segments @ 1..)), Some(Ok(Size::Bytes(bytes @ 1..)))) => {
                segments.try_into().ok().map(|segments| InitialWindow::new(segments, bytes))
            }
            _ => None,
        };
        window.filter(InitialWindow::is_usable).ok_or(UnknownWord::Value { wanted: Self::WORDS })
    }
}

impl fmt::Display for InitialWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            InitialWindow::Rfc6928 | InitialWindow::AtMost { segments: 0, bytes: 0 } => {
                f.write_str("rfc6928")
            }
            InitialWindow::Rfc3390 => f.write_str("rfc3390"),
            InitialWindow::AtMost { segments: 0, bytes } => write!(f, "{}", Size::Bytes(bytes)),
            InitialWindow::AtMost { segments, bytes: 0 } => write!(f, "{segments}"),
            InitialWindow::AtMost { segments, bytes } => {
                write!(f, "{segments},{}", Size::Bytes(bytes))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    fn for_each_mss(window: InitialWindow) -> [u32; 3] {
        [536, 1460, 9000].map(|mss| window.window(mss))
    }

    #[test]
    fn the_standard_window_is_rfc_6928s() {
        // Ten segments; exactly both bounds; two segments, more than 14600 bytes.
        assert_eq!(for_each_mss(InitialWindow::default()), [5_360, 14_600, 18_000]);
        // 14600 bytes, between two segments and ten.
        assert_eq!(InitialWindow::default().window(4000), 14_600);
    }

    #[test]
    fn the_older_standard_is_rfc_3390s() {
        // Four segments; three; two.
        assert_eq!(for_each_mss(InitialWindow::Rfc3390), [2_144, 4_380, 18_000]);
        assert_eq!(
            [1095, 1096, 2190, 2191].map(|mss| InitialWindow::Rfc3390.window(mss)),
            [4_380, 4_380, 4_380, 4_382]
        );
    }

    #[test]
    fn windows_are_written_as_they_are_read() {
        for words in ["rfc6928", "rfc3390", "10", "14600B", "4,4096B"] {
            assert_eq!(words.parse::<InitialWindow>().unwrap().to_string(), words);
        }
        assert_eq!("14k".parse(), Ok(InitialWindow::bytes(14_336)));
    }

    #[test]
    fn what_is_no_window_is_refused() {
        for words in [
            "",
            "0",
            "0B",
            "ten",
            "2G",
            "65536",
            "5000000000",
            "4,4",
            "4096B,4",
            "4,",
            ",4B",
            "0,1B",
        ] {
            let error = words.parse::<InitialWindow>().unwrap_err();
            assert!(error.to_string().starts_with("use rfc6928, rfc3390,"), "{words}: {error}");
        }
    }

    #[test]
    fn knobs_of_zero_mean_the_standard() {
        assert_eq!(InitialWindow::segments(0), InitialWindow::default());
        assert_eq!(InitialWindow::bytes(0), InitialWindow::default());
    }

    #[test]
    fn one_knob_alone_decides() {
        assert_eq!(for_each_mss(InitialWindow::segments(4)), [2_144, 5_840, 36_000]);
        // A single segment of 9000 bytes is more than 4380 bytes, but nothing less can be sent.
        assert_eq!(for_each_mss(InitialWindow::bytes(4380)), [4_380, 4_380, 9_000]);
    }

    #[test]
    fn the_lesser_of_both_knobs_decides() {
        // The two examples of allman98 appendix A.
        assert_eq!(InitialWindow::new(4, 4096).window(512), 2048);
        assert_eq!(InitialWindow::new(5, 4096).window(1024), 4096);
    }

    #[test]
    fn it_holds_at_least_one_segment_and_never_overflows() {
        assert_eq!(InitialWindow::new(1, 1).window(1460), 1460);
        assert_eq!(InitialWindow::default().window(0), 10);
        assert_eq!(InitialWindow::segments(u16::MAX).window(u32::MAX), u32::MAX);
        assert_eq!(InitialWindow::default().window(u32::MAX), u32::MAX);
    }

    #[test]
    fn a_window_beyond_one_gibibyte_is_not_usable() {
        assert!(InitialWindow::default().is_usable());
        assert!(InitialWindow::new(u16::MAX, 1 << 30).is_usable());
        assert!(!InitialWindow::bytes((1 << 30) + 1).is_usable());
    }
}

//! The AccECN options (RFC 9768 section 3.2.3): counters of the payload bytes that arrived with each
//! codepoint.

/// Kinds of the option, by the codepoint whose counter comes first (IANA registry of TCP parameters).
pub(super) const ORDER_0: u8 = 172;
pub(super) const ORDER_1: u8 = 174;

/// Most counters in an option.
const MOST: usize = 3;
/// Bytes of a counter in an option.
const FIELD: usize = 3;
/// Mask of the bits of a counter in an option.
const MASK: u32 = (1 << 24) - 1;

/// An AccECN option: up to three counters modulo 2^24. Trailing counters may be omitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AccurateEcnOption {
    /// Whether the counter of ECT(1) comes first and that of ECT(0) last (kind 174), or the reverse (kind
    /// 172).
    pub ect1_first: bool,
    /// Number of counters, 0 to 3.
    pub len: u8,
    /// The counters in their order in the option: of bytes that arrived with ECT(0), with CE and with ECT(1),
    /// or the reverse.
    pub fields: [u32; MOST],
}

impl AccurateEcnOption {
    /// The counter of bytes that arrived with ECT(0), if it is present.
    pub fn ect0(&self) -> Option<u32> {
        self.field(if self.ect1_first { 2 } else { 0 })
    }

    /// The counter of bytes that arrived with CE, if it is present.
    pub fn ce(&self) -> Option<u32> {
        self.field(1)
    }

    /// The counter of bytes that arrived with ECT(1), if it is present.
    pub fn ect1(&self) -> Option<u32> {
        self.field(if self.ect1_first { 0 } else { 2 })
    }

    fn field(&self, at: usize) -> Option<u32> {
        self.fields.get(..usize::from(self.len))?.get(at).copied()
    }

    /// Bytes that the option takes, including padding to whole words: 4, 8 or 12.
    pub const fn words_len(&self) -> usize {
        Self::padded(self.len)
    }

    /// Bytes that an option with `fields` counters takes, including padding to whole words.
    pub(crate) const fn padded(fields: u8) -> usize {
        (2 + FIELD * fields as usize).next_multiple_of(4)
    }

    /// Reads the option's data, after kind and length. If its length is not that of whole counters, the rest
    /// is treated as padding.
    pub(super) fn read(kind: u8, data: &[u8]) -> Self {
        let mut option = AccurateEcnOption { ect1_first: kind == ORDER_1, ..Self::default() };
        let (fields, _) = data.as_chunks::<FIELD>();
        for (field, &[high, middle, low]) in option.fields.iter_mut().zip(fields) {
            *field = u32::from_be_bytes([0, high, middle, low]);
            option.len += 1;
        }
        option
    }

    /// The option as words of an option area, with the padding in front; [`words_len`](Self::words_len) says
    /// how many of the words are used.
    pub(super) fn to_words(self) -> [[u8; 4]; 3] {
        let [first, second, third] = self.fields.map(|field| field.to_be_bytes());
        let kind = if self.ect1_first { ORDER_1 } else { ORDER_0 };
        let ([_, a, b, c], [_, d, e, f], [_, g, h, i]) = (first, second, third);
        let pad = 1; // No operation.
        match self.len {
            0 => [[pad, pad, kind, 2], [0; 4], [0; 4]],
            1 => [[pad, pad, pad, kind], [5, a, b, c], [0; 4]],
            2 => [[kind, 8, a, b], [c, d, e, f], [0; 4]],
            _ => [[pad, kind, 11, a], [b, c, d, e], [f, g, h, i]],
        }
    }

    /// The option packed into nine bytes, and a tag above 127 that identifies them.
    pub(super) fn to_bytes(self) -> ([u32; 2], u16, u8) {
        let [first, second, third] = self.fields.map(|field| field & MASK);
        let words = [first << 8 | second >> 16, second << 16 | third >> 8];
        let tag = 0x80 | u8::from(self.ect1_first) << 2 | self.len.min(MOST as u8);
        (words, third as u16 & 0xff, tag)
    }

    /// Unpacks what [`to_bytes`](Self::to_bytes) has packed.
    pub(super) fn from_bytes([first, second]: [u32; 2], last: u16, tag: u8) -> Option<Self> {
        let fields = [
            first >> 8,
            (first << 16 | second >> 16) & MASK,
            (second << 8 | u32::from(last)) & MASK,
        ];
        (tag & 0x80 != 0).then_some(AccurateEcnOption {
            ect1_first: tag & 4 != 0,
            len: tag & 3,
            fields,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{AllFormats, Options, SackBlocks, Timestamps};
    use std::vec;
    use std::vec::Vec;

    const FIELDS: [u32; 3] = [0x01_0203, 0x04_0506, 0xff_0809];

    fn option(ect1_first: bool, len: u8) -> AccurateEcnOption {
        let mut fields = FIELDS;
        fields[usize::from(len)..].fill(0);
        AccurateEcnOption { ect1_first, len, fields }
    }

    fn written(options: &Options) -> Vec<u8> {
        let mut area = vec![0xee; options.len()];
        let (len, _) = options.write::<AllFormats>(&mut area);
        assert_eq!(len, area.len());
        area
    }

    fn of(option: AccurateEcnOption) -> Options {
        let mut options = Options::default();
        options.set_accurate_ecn(Some(option));
        options
    }

    /// RFC 9768 figure 4 and table 5.
    #[test]
    fn an_option_is_written_in_both_orders_and_in_each_length() {
        for (ect1_first, kind) in [(false, 172), (true, 174)] {
            let all: [&[u8]; 4] = [
                &[1, 1, kind, 2],
                &[1, 1, 1, kind, 5, 1, 2, 3],
                &[kind, 8, 1, 2, 3, 4, 5, 6],
                &[1, kind, 11, 1, 2, 3, 4, 5, 6, 0xff, 8, 9],
            ];
            for (len, expected) in (0..).zip(all) {
                let options = of(option(ect1_first, len));
                assert_eq!(written(&options), expected);
                assert_eq!(Options::parse::<AllFormats>(expected), Ok(options));
            }
        }
    }

    #[test]
    fn counters_have_names_in_both_orders() {
        let names = |option: AccurateEcnOption| [option.ect0(), option.ce(), option.ect1()];
        let [first, second, third] = FIELDS.map(Some);
        assert_eq!(names(option(false, 3)), [first, second, third]);
        assert_eq!(names(option(true, 3)), [third, second, first]);
        assert_eq!(names(option(false, 1)), [first, None, None]);
        assert_eq!(names(option(true, 2)), [None, second, first]);
        assert_eq!(names(option(false, 0)), [None; 3]);
    }

    /// Section 3.2.3: "use those whole 3-octet fields that fit within the length and ignore the remainder".
    #[test]
    fn of_another_length_the_whole_counters_count() {
        let read = |area: &[u8]| Options::parse::<AllFormats>(area).map(|all| all.accurate_ecn());
        assert_eq!(read(&[172, 4, 9, 9]), Ok(Some(option(false, 0))));
        assert_eq!(read(&[172, 6, 1, 2, 3, 9]), Ok(Some(option(false, 1))));
        let long = [174, 13, 1, 2, 3, 4, 5, 6, 0xff, 8, 9, 9, 9];
        assert_eq!(read(&long), Ok(Some(option(true, 3))));
    }

    #[test]
    fn up_to_three_sack_blocks_stand_beside_it() {
        let mut sack = SackBlocks::EMPTY;
        for n in 0..3 {
            let start = crate::seq::SeqNumber(n * 100);
            assert!(sack.push(crate::seq::SeqRange::from_len(start, 50)));
        }
        let mut options = Options { sack, ..Options::default() };
        options.set_accurate_ecn(Some(option(false, 3)));
        assert_eq!(written(&options).len(), 40);
        assert_eq!(Options::parse::<AllFormats>(&written(&options)), Ok(options));
        assert_eq!(options.sack.as_slice().len(), 3);
        // Beside timestamps the last of them does not fit.
        options.timestamps = Some(Timestamps { value: 1, echo: 2 });
        let read = Options::parse::<AllFormats>(&written(&options)).unwrap();
        assert_eq!((read.accurate_ecn(), read.sack.as_slice().len()), (Some(option(false, 3)), 1));
        // With four of them it is left out.
        let mut four = SackBlocks::EMPTY;
        for n in 0..4 {
            four.push(crate::seq::SeqRange::from_len(crate::seq::SeqNumber(n * 100), 50));
        }
        let mut area = [172, 2].to_vec();
        area.extend(&written(&Options { sack: four, ..Options::default() })[2..]);
        let read = Options::parse::<AllFormats>(&area).unwrap();
        assert_eq!((read.accurate_ecn(), read.sack), (None, four));
    }
}

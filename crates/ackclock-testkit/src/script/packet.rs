//! Segments as scripts write them.

use ackclock::seq::{SeqNumber, SeqRange};
use ackclock::time::Duration;
use ackclock::wire::{
    AccurateEcnOption, Ecn, FastOpenCookie, Flags, KeyIds, Options, SackBlocks, SignatureKind,
    Timestamps, UserTimeout,
};
use std::fmt;
use std::str::FromStr;

const FLAGS: [(char, Flags); 9] = [
    ('F', Flags::FIN),
    ('S', Flags::SYN),
    ('R', Flags::RST),
    ('P', Flags::PSH),
    ('U', Flags::URG),
    ('E', Flags::ECE),
    ('W', Flags::CWR),
    ('A', Flags::AE),
    ('.', Flags::ACK),
];

const CODEPOINTS: [(&str, Ecn); 4] =
    [("[not-ect]", Ecn::NotEct), ("[ect0]", Ecn::Ect0), ("[ect1]", Ecn::Ect1), ("[ce]", Ecn::Ce)];

/// A segment in relative numbers. What is `None` was not written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Packet {
    /// ECN codepoint.
    pub ecn: Option<Ecn>,
    /// Flags.
    pub flags: Flags,
    /// Sequence number.
    pub seq: SeqNumber,
    /// Bytes of payload.
    pub len: u32,
    /// Acknowledgment number; written exactly if the ACK flag is.
    pub ack: SeqNumber,
    /// The header's window field.
    pub window: Option<u16>,
    /// Urgent pointer.
    pub urgent: Option<u16>,
    /// Options.
    pub options: Option<Options>,
    /// What a TCP-AO option says of keys.
    pub key_ids: Option<KeyIds>,
}

impl Packet {
    /// Whether `sent`, of which everything is known, is what this describes.
    pub fn describes(&self, sent: &Packet) -> bool {
        let options = sent.options.unwrap_or_default();
        let options_agree = match self.options {
            Some(written) => written == options,
            None => Options { timestamps: None, ..options } == Options::default(),
        };
        let same = |written: Option<u16>, sent| written.is_none() || written == sent;
        self.flags == sent.flags
            && (self.seq, self.len, self.ack) == (sent.seq, sent.len, sent.ack)
            && same(self.window, sent.window)
            && same(self.urgent, sent.urgent)
            && (self.ecn.is_none() || self.ecn == sent.ecn)
            && (self.key_ids.is_none() || self.key_ids == sent.key_ids)
            && options_agree
    }
}

impl FromStr for Packet {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut packet = Packet::default();
        let (head, options) = match text.split_once('<') {
            Some((head, rest)) => {
                let list = rest.trim_end().strip_suffix('>').ok_or("`>` is missing at the end")?;
                (head, Some(list))
            }
            None => (text, None),
        };
        packet.options = options.map(parse_options).transpose()?;
        packet.key_ids = options.map(parse_key_ids).transpose()?.flatten();
        let mut words = head.split_whitespace().peekable();
        if let Some(word) = words.next_if(|word| word.starts_with('[')) {
            let found = CODEPOINTS.iter().find(|(name, _)| *name == word);
            packet.ecn = Some(found.ok_or_else(|| format!("`{word}` is no ECN codepoint"))?.1);
        }
        packet.flags = parse_flags(words.next().ok_or("flags are missing")?)?;
        let range = words.next().ok_or("FIRST:END(LENGTH) is missing")?;
        (packet.seq, packet.len) = parse_range(range)?;
        let mut has_ack = false;
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("`{word}` needs a number"))?;
            match word {
                "ack" => (packet.ack, has_ack) = (relative(value)?, true),
                "win" => packet.window = Some(number(value)?),
                "urg" => packet.urgent = Some(number(value)?),
                _ => return Err(format!("`{word}` is neither ack, win nor urg")),
            }
        }
        if has_ack != packet.flags.contains(Flags::ACK) {
            return Err("the flag `.` and `ack N` go together".into());
        }
        Ok(packet)
    }
}

pub(super) fn number<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("`{text}` is no number that fits here"))
}

/// A sequence number; negative ones and those up to 2^32 are the same circle.
pub(super) fn relative(text: &str) -> Result<SeqNumber, String> {
    number::<i64>(text).map(|n| SeqNumber(n as u32))
}

fn parse_flags(text: &str) -> Result<Flags, String> {
    let mut flags = Flags::NONE;
    for letter in text.chars().filter(|_| text != "-") {
        let found = FLAGS.iter().find(|(name, _)| *name == letter);
        flags |= found.ok_or_else(|| format!("`{letter}` in `{text}` is no flag"))?.1;
    }
    Ok(flags)
}

fn parse_range(text: &str) -> Result<(SeqNumber, u32), String> {
    let parts = text.strip_suffix(')').and_then(|text| text.split_once('('));
    let parts = parts.and_then(|(range, len)| Some((range.split_once(':')?, len)));
    let ((start, end), len) = parts.ok_or_else(|| format!("`{text}` is not FIRST:END(LENGTH)"))?;
    let (start, end, len) = (relative(start)?, relative(end)?, number::<u32>(len)?);
    if start + len != end {
        return Err(format!("`{text}`: the length is not END - FIRST"));
    }
    Ok((start, len))
}

/// What `ao KEY_ID RNEXT_KEY_ID` says.
fn parse_key_ids(list: &str) -> Result<Option<KeyIds>, String> {
    let words = list.split(',').map(|option| option.split_whitespace().collect::<Vec<_>>());
    let mut ao = words.filter(|words| words.first() == Some(&"ao"));
    match ao.next().as_deref() {
        None | Some([_]) => Ok(None),
        Some([_, key_id, rnext_key_id]) => {
            let (key_id, rnext_key_id) = (number(key_id)?, number(rnext_key_id)?);
            Ok(Some(KeyIds { key_id, rnext_key_id }))
        }
        Some(words) => Err(format!("`{}` is not ao [KEY_ID RNEXT_KEY_ID]", words.join(" "))),
    }
}

fn parse_options(list: &str) -> Result<Options, String> {
    let mut options = Options::default();
    for option in list.split(',') {
        let words: Vec<&str> = option.split_whitespace().collect();
        match words[..] {
            [] | ["nop"] => {}
            ["mss", mss] => options.mss = Some(number(mss)?),
            ["wscale", shift] => options.window_scale = Some(number(shift)?),
            ["md5"] => options.signature = Some(SignatureKind::Md5),
            ["ao", ..] => options.signature = Some(SignatureKind::Ao),
            ["sackOK"] => options.sack_permitted = true,
            ["TS", "val", value, "ecr", echo] => {
                let (value, echo) = (number(value)?, number(echo)?);
                options.timestamps = Some(Timestamps { value, echo });
            }
            ["uto", time] => {
                let timeout = Duration::from_secs(number(time)?);
                options.set_user_timeout(Some(UserTimeout::new(timeout)));
            }
            ["FO", ref cookie @ ..] => options.set_fast_open(Some(parse_cookie(cookie)?)),
            [kind @ ("accecn0" | "accecn1"), ref counters @ ..] => {
                let option = parse_counters(kind == "accecn1", counters)?;
                options.set_accurate_ecn(Some(option));
            }
            ["sack", ref blocks @ ..] => {
                let counters = options.accurate_ecn();
                parse_blocks(blocks, &mut options.sack)?;
                options.set_accurate_ecn(counters);
            }
            _ => return Err(format!("`{}` is no option", option.trim())),
        }
    }
    Ok(options)
}

/// A Fast Open cookie in hexadecimal digits; without any it asks for one.
fn parse_cookie(words: &[&str]) -> Result<FastOpenCookie, String> {
    let digits = words.concat();
    let wrong = || format!("`FO {digits}` is no cookie: write 8 to 32 hexadecimal digits, or none");
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let byte = |pair: &[u8; 2]| {
        let text = std::str::from_utf8(pair).ok();
        text.and_then(|text| u8::from_str_radix(text, 16).ok())
    };
    let bytes: Option<Vec<u8>> = pairs.iter().map(byte).collect();
    let bytes = bytes.filter(|_| rest.is_empty()).ok_or_else(wrong)?;
    FastOpenCookie::new(&bytes).ok_or_else(wrong)
}

/// Up to three counters as they stand in an AccECN option.
fn parse_counters(ect1_first: bool, words: &[&str]) -> Result<AccurateEcnOption, String> {
    let mut option = AccurateEcnOption { ect1_first, ..AccurateEcnOption::default() };
    for word in words {
        let place = option.fields.get_mut(usize::from(option.len));
        *place.ok_or("an AccECN option has three counters at most")? = number(word)?;
        option.len += 1;
    }
    Ok(option)
}

fn parse_blocks(words: &[&str], blocks: &mut SackBlocks) -> Result<(), String> {
    for word in words {
        let ends = word.split_once(':').ok_or_else(|| format!("`{word}` is not FIRST:END"))?;
        if !blocks.push(SeqRange::new(relative(ends.0)?, relative(ends.1)?)) {
            return Err(format!("no more than {} SACK blocks", SackBlocks::MAX));
        }
    }
    Ok(())
}

/// Shows a sequence number as [`relative`] reads it: numbers before the SYN are negative.
pub(super) struct Relative(pub(super) SeqNumber);

impl fmt::Display for Relative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.0 as i32)
    }
}

impl fmt::Display for Packet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, codepoint) in CODEPOINTS {
            // The usual one is left out, as in scripts.
            if self.ecn == Some(codepoint) && codepoint != Ecn::NotEct {
                write!(f, "{name} ")?;
            }
        }
        for (letter, flag) in FLAGS {
            if self.flags.contains(flag) {
                write!(f, "{letter}")?;
            }
        }
        if self.flags == Flags::NONE {
            f.write_str("-")?;
        }
        let Packet { seq, len, ack, .. } = *self;
        write!(f, " {}:{}({len})", Relative(seq), Relative(seq + len))?;
        if self.flags.contains(Flags::ACK) {
            write!(f, " ack {}", Relative(ack))?;
        }
        if let Some(window) = self.window {
            write!(f, " win {window}")?;
        }
        if let Some(urgent) = self.urgent.filter(|_| self.flags.contains(Flags::URG)) {
            write!(f, " urg {urgent}")?;
        }
        match self.options.map(|options| option_words(&options, self.key_ids)) {
            Some(words) if !words.is_empty() => write!(f, " <{}>", words.join(",")),
            _ => Ok(()),
        }
    }
}

fn option_words(options: &Options, key_ids: Option<KeyIds>) -> Vec<String> {
    let mut words = Vec::new();
    let Options { mss, window_scale, sack_permitted, timestamps, signature, sack } = options;
    words.extend(signature.map(|kind| match kind {
        SignatureKind::Md5 => "md5".to_owned(),
        SignatureKind::Ao => match key_ids {
            Some(KeyIds { key_id, rnext_key_id }) => format!("ao {key_id} {rnext_key_id}"),
            None => "ao".to_owned(),
        },
    }));
    words.extend(mss.map(|mss| format!("mss {mss}")));
    words.extend(sack_permitted.then(|| "sackOK".to_owned()));
    words.extend(timestamps.map(|Timestamps { value, echo }| format!("TS val {value} ecr {echo}")));
    words.extend(window_scale.map(|shift| format!("wscale {shift}")));
    words.extend(
        options
            .user_timeout()
            .map(|timeout| format!("uto {}", timeout.duration().as_millis() / 1_000)),
    );
    words.extend(options.fast_open().map(|cookie| {
        let digits = cookie.as_slice().iter().map(|byte| format!("{byte:02x}"));
        format!("FO {}", digits.collect::<String>()).trim_end().to_owned()
    }));
    words.extend(options.accurate_ecn().map(|option| {
        let fields = option.fields.iter().take(option.len.into());
        let counters: String = fields.map(|counter| format!(" {counter}")).collect();
        format!("accecn{}{counters}", u8::from(option.ect1_first))
    }));
    if !sack.is_empty() {
        let blocks = sack.as_slice().iter();
        let blocks =
            blocks.map(|block| format!(" {}:{}", Relative(block.start), Relative(block.end)));
        words.push(format!("sack{}", blocks.collect::<String>()));
    }
    words
}

//! Verdicts, and what the judge could not tell.

use crate::sentence::Sentence;
use ackclock::time::Instant;
use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;

/// A breach of a sentence by the judged host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The sentence.
    pub sentence: &'static Sentence,
    /// When: of a segment, when it passed; of a silence, when it had lasted too long.
    pub time: Instant,
    /// Number of the packet that broke the sentence, or after which the host was silent; packets count from
    /// 1 in the order in which the judge saw them, sent and received alike.
    pub packet: u64,
    /// The host's end of the connection.
    pub local: SocketAddr,
    /// The other end.
    pub remote: SocketAddr,
    /// What was seen and what would have been right, in one line.
    pub seen: String,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Verdict { sentence, time, packet, local, remote, seen } = self;
        write!(
            f,
            "{time:?} packet {packet} {local} to {remote}: {seen}; {sentence}: \"{}\"",
            sentence.quote
        )
    }
}

/// Why the judge says nothing about a segment or a connection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Unknown {
    /// The beginning of the connection was not seen.
    NoStart,
    /// The capture lacks packets: something was acknowledged, or answered, that was not seen.
    Gap,
    /// A packet larger than the path can carry: the capture was taken before segmentation or after reassembly.
    SuperSegment,
    /// The packet is cut, a fragment, or malformed in a way that hosts may read differently.
    Unreadable,
}

impl Unknown {
    /// The reason in words.
    pub const fn text(self) -> &'static str {
        match self {
            Unknown::NoStart => "the beginning of the connection is missing",
            Unknown::Gap => "the capture lacks packets",
            Unknown::SuperSegment => "captured before segmentation or after reassembly",
            Unknown::Unreadable => "the packet cannot be read",
        }
    }
}

/// What the judge found: verdicts, and how much it could judge.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Findings {
    /// Breaches in the order in which they were seen. Of one sentence and connection at most
    /// [`Findings::MOST_OF_ONE`] are kept.
    pub verdicts: Vec<Verdict>,
    /// How often each sentence was broken, kept or not.
    pub counts: BTreeMap<&'static str, u64>,
    /// Segments of the host that were judged.
    pub judged: u64,
    /// Connections that were forgotten since they were over for long: if their ends are used again without a SYN, nothing
    /// is known of them.
    pub forgotten: u64,
    /// Segments of the host about which at least one question stayed open, by reason.
    pub unknown: BTreeMap<Unknown, u64>,
}

impl Findings {
    /// Verdicts kept for one sentence on one connection: a broken rule breaks often.
    pub const MOST_OF_ONE: usize = 8;

    /// Whether no sentence was broken.
    pub fn is_clean(&self) -> bool {
        self.verdicts.is_empty()
    }

    /// The first breach of a sentence about what one segment holds, which binds every host at any time.
    pub fn of_form(&self) -> Option<&Verdict> {
        self.verdicts.iter().find(|verdict| verdict.sentence.of_form)
    }

    /// The share of the host's segments about which a question stayed open, in parts per million.
    pub fn unknown_ppm(&self) -> u64 {
        let unknown: u64 = self.unknown.values().sum();
        (unknown * 1_000_000).checked_div(self.judged + unknown).unwrap_or(0)
    }

    /// Adds the findings of another judge.
    pub fn join(&mut self, other: Findings) {
        self.verdicts.extend(other.verdicts);
        self.judged += other.judged;
        self.forgotten += other.forgotten;
        for (name, count) in other.counts {
            *self.counts.entry(name).or_default() += count;
        }
        for (reason, count) in other.unknown {
            *self.unknown.entry(reason).or_default() += count;
        }
    }
}

/// The record of one connection's verdicts: its rules write them here, and only the first of a kind are kept.
#[derive(Debug)]
pub(crate) struct Docket<'a> {
    pub(crate) findings: &'a mut Findings,
    pub(crate) local: SocketAddr,
    pub(crate) remote: SocketAddr,
    /// Verdicts of this connection so far, by sentence.
    pub(crate) written: &'a mut BTreeMap<&'static str, usize>,
}

impl Docket<'_> {
    /// Writes a verdict; `seen` is asked only if it is kept.
    pub(crate) fn forbid(
        &mut self,
        sentence: &'static Sentence,
        time: Instant,
        packet: u64,
        seen: impl FnOnce() -> String,
    ) {
        *self.findings.counts.entry(sentence.name).or_default() += 1;
        let written = self.written.entry(sentence.name).or_default();
        *written += 1;
        if *written <= Findings::MOST_OF_ONE {
            let (local, remote) = (self.local, self.remote);
            let seen = seen();
            self.findings.verdicts.push(Verdict { sentence, time, packet, local, remote, seen });
        }
    }
}

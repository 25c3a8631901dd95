//! Sentences of RFCs: what a verdict appeals to.

use std::fmt;

/// How strongly a sentence binds (RFC 2119).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// SHOULD, SHOULD NOT: there may be valid reasons to do otherwise.
    Should,
    /// MUST, MUST NOT: no conforming host does otherwise.
    Must,
}

/// A sentence of an RFC that binds a host and whose breach can be seen from outside.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sentence {
    /// A short name that never changes, such as `ack-beyond-received`.
    pub name: &'static str,
    /// Number of the RFC.
    pub rfc: u16,
    /// Section, such as `3.10.7.4`.
    pub section: &'static str,
    /// How strongly it binds.
    pub level: Level,
    /// The sentence as it stands in the RFC.
    pub quote: &'static str,
    /// Whether it is about what one segment holds, and so binds hosts of any age, law and timer, whatever
    /// has reached them and what of it they have kept.
    pub of_form: bool,
}

impl Sentence {
    /// A sentence with MUST, or one that states a fact which a host has no choice about.
    pub(crate) const fn must(
        name: &'static str,
        rfc: u16,
        section: &'static str,
        quote: &'static str,
    ) -> Sentence {
        Sentence { name, rfc, section, level: Level::Must, quote, of_form: false }
    }

    /// A sentence with SHOULD.
    pub(crate) const fn should(
        name: &'static str,
        rfc: u16,
        section: &'static str,
        quote: &'static str,
    ) -> Sentence {
        Sentence { name, rfc, section, level: Level::Should, quote, of_form: false }
    }

    /// The same sentence, as one about what a segment holds.
    pub(crate) const fn of_form(self) -> Sentence {
        Sentence { of_form: true, ..self }
    }
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (RFC {} section {})", self.name, self.rfc, self.section)
    }
}

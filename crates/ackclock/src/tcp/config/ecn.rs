//! Whether a connection uses explicit congestion notification.

use crate::words::words;

/// Whether a connection uses explicit congestion notification (RFC 3168).
///
/// As a word: `off`, `accept` or `request`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum EcnMode {
    /// Never.
    Off,
    /// If the peer asks for it.
    #[default]
    Accept,
    /// Our SYN asks for it too. If it is not answered in time the next one does not: there are
    /// boxes that drop such SYNs (section 6.1.1.1).
    Request,
}

words! {
    EcnMode: "off, accept or request",
    "off" = Off,
    "accept" = Accept,
    "request" = Request,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn each_word_is_read_back_and_others_are_refused() {
        for word in ["off", "accept", "request"] {
            assert_eq!(word.parse::<EcnMode>().unwrap().to_string(), word);
        }
        let error = "on".parse::<EcnMode>().unwrap_err();
        assert_eq!(error.to_string(), "use off, accept or request");
    }
}

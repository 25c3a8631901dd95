//! The character generator service (RFC 864): lines of rotating printable characters.

use super::sending::CHUNK;
use super::server::Progress;
use crate::congestion::CongestionController;
use crate::stack::{Handle, Stack};
use crate::time::Instant;

/// Printable ASCII characters, from the space on.
const CHARACTERS: u64 = 95;
/// Characters per line, CR and LF not counted (RFC 864's recommended pattern).
const LINE: u64 = 72;
/// Bytes per line.
const LINE_BYTES: u64 = LINE + 2;

/// The byte at `offset` of the stream: each line begins one character after the one before.
pub fn chargen_byte(offset: u64) -> u8 {
    let (line, column) = (offset / LINE_BYTES, offset % LINE_BYTES);
    match column {
        0..LINE => b' ' + ((line % CHARACTERS + column) % CHARACTERS) as u8,
        LINE => b'\r',
        _ => b'\n',
    }
}

/// Fills the send queue; what is received is thrown away.
pub(super) fn serve<C: CongestionController + Clone>(
    now: Instant,
    stack: &mut Stack<'_, C>,
    handle: Handle,
    sent_before: u64,
) -> Progress {
    let received = super::discard::consume_all(now, stack, handle);
    let mut sent = 0;
    let mut chunk = [0; CHUNK];
    loop {
        for (offset, byte) in (sent_before + sent..).zip(chunk.iter_mut()) {
            *byte = chargen_byte(offset);
        }
        let taken = stack.send(now, handle, &chunk).unwrap_or(0);
        sent += taken as u64;
        if taken < chunk.len() {
            return Progress { received, sent };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn lines(from: u64, count: u64) -> Vec<u8> {
        (from * LINE_BYTES..(from + count) * LINE_BYTES).map(chargen_byte).collect()
    }

    #[test]
    fn the_first_lines_are_those_of_rfc_864() {
        let first =
            b" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefg\r\n";
        let second =
            b"!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefgh\r\n";
        assert_eq!(lines(0, 2), [first.as_slice(), second].concat());
    }

    #[test]
    fn after_all_characters_have_led_a_line_the_lines_repeat() {
        assert_eq!(lines(94, 1)[..3], *b"~ !");
        assert_eq!(lines(95, 95), lines(0, 95));
    }
}

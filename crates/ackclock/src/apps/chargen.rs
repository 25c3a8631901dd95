//! The character generator service (RFC 864): lines of rotating printable characters.

use super::sending::CHUNK;
use super::server::Progress;
use crate::congestion::CongestionController;
use crate::stack::{Handle, Stack};
use crate::time::Instant;

/// Printable ASCII characters, from the space on.
const CHARACTERS: u8 = 95;
/// Characters per line, CR and LF not counted (RFC 864's recommended pattern).
const LINE: u8 = 72;
/// Bytes per line.
const LINE_BYTES: u8 = LINE + 2;

/// The byte at `offset` of the stream: each line begins one character after the one before.
pub fn chargen_byte(offset: u64) -> u8 {
    Place::at(offset).byte()
}

/// A place in the stream, from which one goes on without a division.
#[derive(Clone, Copy)]
struct Place {
    /// The line's number, modulo the number of characters.
    line: u8,
    /// Bytes of it before the place.
    column: u8,
}

impl Place {
    const fn at(offset: u64) -> Self {
        let line = (offset / LINE_BYTES as u64) % CHARACTERS as u64;
        Place { line: line as u8, column: (offset % LINE_BYTES as u64) as u8 }
    }

    fn next(self) -> Self {
        if self.column < LINE_BYTES - 1 {
            return Place { column: self.column + 1, ..self };
        }
        let line = if self.line < CHARACTERS - 1 { self.line + 1 } else { 0 };
        Place { line, column: 0 }
    }

    const fn byte(self) -> u8 {
        match self.column {
            LINE => b'\r',
            column if column > LINE => b'\n',
            column => b' ' + (self.line + column) % CHARACTERS,
        }
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
        let room = stack.send_room(handle).min(CHUNK);
        let data = chunk.get_mut(..room).unwrap_or_default();
        let mut place = Place::at(sent_before + sent);
        for byte in data.iter_mut() {
            *byte = place.byte();
            place = place.next();
        }
        let taken = stack.send(now, handle, data).unwrap_or(0);
        sent += taken as u64;
        if taken == 0 {
            return Progress { received, sent };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn lines(from: u64, count: u64) -> Vec<u8> {
        let line = u64::from(LINE_BYTES);
        let bytes: Vec<u8> = (from * line..(from + count) * line).map(chargen_byte).collect();
        let mut place = Place::at(from * line);
        for byte in &bytes {
            assert_eq!(*byte, place.byte());
            place = place.next();
        }
        bytes
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

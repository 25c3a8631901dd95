//! The character generator service (RFC 864): lines of rotating printable characters.

use super::pattern::CHUNK;
use super::server::Progress;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::stack::{Handle, Stack};
use crate::storage::copy;
use crate::time::Instant;

/// Printable ASCII characters, from the space on.
const CHARACTERS: usize = 95;
/// Characters per line, CR and LF not counted (RFC 864's recommended pattern).
const LINE: usize = 72;
/// End of a line: CR LF.
const END: &[u8] = b"\r\n";
/// Bytes per line.
const LINE_BYTES: u64 = (LINE + END.len()) as u64;

/// The printable characters once, then the first of them again, so that every line is a slice of it.
const RING: [u8; CHARACTERS + LINE] = {
    let mut ring = [0; CHARACTERS + LINE];
    let (mut rest, mut character) = (ring.as_mut_slice(), 0);
    while let Some((place, others)) = rest.split_first_mut() {
        *place = b' ' + character;
        character = (character + 1) % CHARACTERS as u8;
        rest = others;
    }
    ring
};

/// The byte at `offset` of the stream: each line begins one character after the one before.
pub fn chargen_byte(offset: u64) -> u8 {
    let mut byte = [0];
    fill(&mut byte, offset);
    let [byte] = byte;
    byte
}

/// Writes the bytes of the stream from `offset` on into `data`.
fn fill(mut data: &mut [u8], offset: u64) {
    let mut line = ((offset / LINE_BYTES) % CHARACTERS as u64) as usize;
    let mut skipped = (offset % LINE_BYTES) as usize;
    while !data.is_empty() {
        for part in [RING.get(line..line + LINE).unwrap_or_default(), END] {
            let start = skipped.min(part.len());
            skipped -= start;
            let count = copy(data, part.get(start..).unwrap_or_default());
            data = data.get_mut(count..).unwrap_or_default();
        }
        line = (line + 1) % CHARACTERS;
    }
}

/// Fills the send queue with the stream and discards what is received.
pub(super) fn serve<C: CongestionController + Clone, P: Profile>(
    now: Instant,
    stack: &mut Stack<'_, C, P>,
    handle: Handle,
    sent_before: u64,
) -> Progress {
    let received = super::services::consume_all(now, stack, handle);
    let mut sent = 0;
    let mut chunk = [0; CHUNK];
    loop {
        let room = stack.send_room(handle).min(CHUNK);
        let data = chunk.get_mut(..room).unwrap_or_default();
        fill(data, sent_before + sent);
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
        let range = from * LINE_BYTES..(from + count) * LINE_BYTES;
        let bytes: Vec<u8> = range.clone().map(chargen_byte).collect();
        for begin in 0..bytes.len() {
            let mut tail = std::vec![0; bytes.len() - begin];
            fill(&mut tail, range.start + begin as u64);
            assert_eq!(tail, bytes[begin..]);
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

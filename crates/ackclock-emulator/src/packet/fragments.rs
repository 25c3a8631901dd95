//! Fragments of IPv4 (RFC 791 section 3.2): cut by routers where DF is not set, put together by hosts.

use super::checksum;
use ackclock::time::{Duration, Instant};
use std::collections::BTreeMap;

/// The DF and MF bits and the offset of the second half of the fragment field's word.
const DONT_FRAGMENT: u16 = 0x4000;
const MORE_FRAGMENTS: u16 = 0x2000;
const OFFSET: u16 = 0x1fff;

/// How long a host waits for the rest of a packet (RFC 1122 section 3.3.2: 60 to 120 s).
const REASSEMBLY_TIME: Duration = Duration::from_secs(60);
/// Most packets of which a host keeps fragments; at the limit the oldest is forgotten.
const MOST_PACKETS: usize = 256;

/// The word with the fragment's bits, and the length of the header in bytes; `None` if it is not IPv4.
fn fields(packet: &[u8]) -> Option<(u16, usize)> {
    let fixed = packet.first_chunk::<20>()?;
    let length = usize::from(fixed[0] & 0xf) * 4;
    let is_ipv4 = fixed[0] >> 4 == 4 && (20..=packet.len()).contains(&length);
    is_ipv4.then_some((u16::from_be_bytes([fixed[6], fixed[7]]), length))
}

/// Whether routers may cut a packet.
pub(crate) fn may_be_cut(packet: &[u8]) -> bool {
    fields(packet).is_some_and(|(word, _)| word & DONT_FRAGMENT == 0)
}

/// The fragments of a packet that is longer than `mtu` and may be cut.
pub(crate) fn cut(packet: &[u8], mtu: usize) -> Vec<Vec<u8>> {
    let Some((word, header)) = fields(packet) else { return Vec::new() };
    let (before, more) = (usize::from(word & OFFSET) * 8, word & MORE_FRAGMENTS);
    let room = (mtu.saturating_sub(header) & !7).max(8);
    let data = &packet[header..];
    let pieces = data.chunks(room).enumerate().map(|(index, piece)| {
        let is_last = (index + 1) * room >= data.len();
        let offset = ((before + index * room) / 8) as u16;
        let more = if is_last { more } else { MORE_FRAGMENTS };
        with_header(&packet[..header], offset | more, piece)
    });
    pieces.collect()
}

/// A packet with this header, whose word of the fragment's bits, length and checksum are set, and these
/// data.
fn with_header(header: &[u8], word: u16, data: &[u8]) -> Vec<u8> {
    let mut packet = [header, data].concat();
    let length = packet.len() as u16;
    packet[2..4].copy_from_slice(&length.to_be_bytes());
    packet[6..8].copy_from_slice(&word.to_be_bytes());
    packet[10..12].fill(0);
    let sum = checksum::of(&packet[..header.len()]);
    packet[10..12].copy_from_slice(&sum.to_be_bytes());
    packet
}

/// The fragments that a host keeps until it has all of a packet.
#[derive(Debug, Default)]
pub(crate) struct Reassembly {
    /// By source, destination, protocol and identification.
    packets: BTreeMap<[u8; 11], Parts>,
}

/// The fragments of one packet.
#[derive(Debug)]
struct Parts {
    began: Instant,
    header: Vec<u8>,
    /// Each piece of data by its offset.
    pieces: BTreeMap<usize, Vec<u8>>,
    /// Length of all data, once the last fragment has come.
    length: Option<usize>,
}

impl Reassembly {
    /// Takes a packet that has arrived. `Err` if it is whole by itself, otherwise the packet that is now
    /// complete, if one is.
    pub(crate) fn take(&mut self, now: Instant, packet: &[u8]) -> Result<Option<Vec<u8>>, Whole> {
        let (word, header) = fields(packet).ok_or(Whole)?;
        if word & (MORE_FRAGMENTS | OFFSET) == 0 {
            return Err(Whole);
        }
        if !checksum::is_sound(&packet[..header]) {
            return Ok(None);
        }
        self.forget(now);
        let mut key = [0; 11];
        key[..8].copy_from_slice(&packet[12..20]);
        key[8] = packet[9];
        key[9..].copy_from_slice(&packet[4..6]);
        let parts = self.packets.entry(key).or_insert_with(|| Parts {
            began: now,
            header: packet[..header].to_vec(),
            pieces: BTreeMap::new(),
            length: None,
        });
        let offset = usize::from(word & OFFSET) * 8;
        let length = usize::from(u16::from_be_bytes([packet[2], packet[3]]));
        let data = packet.get(header..length).unwrap_or_default();
        if word & MORE_FRAGMENTS == 0 {
            parts.length = Some(offset + data.len());
        }
        parts.pieces.insert(offset, data.to_vec());
        let whole = parts.whole();
        if whole.is_some() {
            self.packets.remove(&key);
        }
        Ok(whole)
    }

    /// Drops fragments that have waited for too long, and the oldest if there are too many.
    fn forget(&mut self, now: Instant) {
        self.packets.retain(|_, parts| now.saturating_since(parts.began) < REASSEMBLY_TIME);
        if self.packets.len() >= MOST_PACKETS {
            let oldest = self.packets.iter().min_by_key(|(_, parts)| parts.began);
            if let Some(key) = oldest.map(|(key, _)| *key) {
                self.packets.remove(&key);
            }
        }
    }
}

/// A packet is no fragment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Whole;

impl Parts {
    /// The packet, if no piece is missing.
    fn whole(&self) -> Option<Vec<u8>> {
        let length = self.length?;
        let mut data = Vec::with_capacity(length);
        for (offset, piece) in &self.pieces {
            if *offset > data.len() {
                return None;
            }
            data.truncate(*offset);
            data.extend_from_slice(piece);
        }
        (data.len() == length).then(|| with_header(&self.header, 0, &data))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::testing::ip_packet;
    use ackclock::wire::{Checksums, Ecn, parse_packet};

    const NOW: Instant = Instant::from_secs(1);

    /// A packet that may be cut.
    fn packet() -> Vec<u8> {
        let packet = ip_packet(false, 1, Ecn::NotEct, 576);
        with_header(&packet[..20], 0, &packet[20..])
    }

    #[test]
    fn fragments_in_any_order_make_the_packet_again_whichever_way_they_were_cut() {
        let packet = packet();
        assert!(may_be_cut(&packet) && !may_be_cut(&ip_packet(false, 1, Ecn::NotEct, 576)));
        let cut_once = cut(&packet, 300);
        assert_eq!(cut_once.iter().map(Vec::len).collect::<Vec<_>>(), [300, 296]);
        let mut fragments: Vec<_> = cut_once.iter().flat_map(|each| cut(each, 120)).collect();
        assert!(fragments.iter().all(|each| each.len() <= 120));
        fragments.reverse();
        let mut reassembly = Reassembly::default();
        let (last, before) = fragments.split_last().unwrap();
        for each in before {
            assert_eq!(reassembly.take(NOW, each), Ok(None));
            assert_eq!(reassembly.take(NOW, each), Ok(None), "a fragment that comes twice");
        }
        assert_eq!(reassembly.take(NOW, last), Ok(Some(packet.clone())));
        assert!(parse_packet(&packet, Checksums::ALL).is_ok() && reassembly.packets.is_empty());
    }

    #[test]
    fn what_is_whole_stays_and_what_waits_for_long_is_forgotten() {
        let mut reassembly = Reassembly::default();
        assert_eq!(reassembly.take(NOW, &packet()), Err(Whole));
        assert_eq!(reassembly.take(NOW, &ip_packet(true, 1, Ecn::NotEct, 100)), Err(Whole));
        let fragments = cut(&packet(), 300);
        assert_eq!(reassembly.take(NOW, &fragments[0]), Ok(None));
        assert_eq!(reassembly.take(NOW + REASSEMBLY_TIME, &fragments[1]), Ok(None));
    }
}

//! Headers of the segments of one IPv4 connection that have timestamps and no other option, and of its
//! SYN.
//!
//! What all of them have in common is written and summed once.

use super::checksum::Checksum;
use super::ip::{IpProtocol, saturate};
use super::ipv4;
use super::options::{BEFORE_TIMESTAMPS, USUAL_SYN, usual_syn};
use super::segment::FIXED_HEADER;
use super::{Address, Ecn, Flags, Timestamps, WriteChecksum};
use crate::seq::SeqNumber;

/// Length of the headers before the options, in bytes.
const BEFORE_OPTIONS: usize = ipv4::HEADER + FIXED_HEADER;
/// Length of the longest of these headers in bytes.
const LONGEST: usize = BEFORE_OPTIONS + USUAL_SYN;

/// In what the headers differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainFields {
    pub(crate) hop_limit: u8,
    pub(crate) dscp: u8,
    pub(crate) ecn: Ecn,
    pub(crate) seq: SeqNumber,
    pub(crate) ack: SeqNumber,
    pub(crate) flags: Flags,
    pub(crate) window: u16,
    pub(crate) timestamps: Timestamps,
}

/// The last header written, and sums of what the next one has in common with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainHeader {
    words: [[u8; 4]; LONGEST / 4],
    /// Of the IP header, but for the words that change.
    ip: Checksum,
    /// Of the pseudo-header, but for the length.
    pseudo: Checksum,
    /// Of the TCP header, but for the words that change.
    tcp: Checksum,
}

impl PlainHeader {
    /// Nobody's.
    pub(crate) const EMPTY: Self = PlainHeader {
        words: [[0; 4]; LONGEST / 4],
        ip: Checksum::ZERO,
        pseudo: Checksum::ZERO,
        tcp: Checksum::ZERO,
    };

    /// Where TCP's header begins, in bytes.
    pub(crate) const TRANSPORT_OFFSET: usize = ipv4::HEADER;

    /// Headers from one end to the other, each an address and a port; `None` if these are of IPv6.
    #[inline(never)]
    pub(crate) fn between([source, destination]: [(Address, u16); 2]) -> Option<Self> {
        let ends = match (source.0, destination.0) {
            (Address::V4(from), Address::V4(to)) => [from.to_bits(), to.to_bits()],
            _ => return None,
        };
        let fragment = u32::from(ipv4::DONT_FRAGMENT);
        let ports = u32::from(source.1) << 16 | u32::from(destination.1);
        let mut words = [0; LONGEST / 4];
        let [_, second, _, third, fourth, fifth, ..] = &mut words;
        (*second, [*third, *fourth], *fifth) = (fragment, ends, ports);
        Some(PlainHeader {
            words: words.map(u32::to_be_bytes),
            ip: Checksum::ZERO.over_words(&ends).over_words(&[fragment]),
            pseudo: Checksum::ZERO.over_words(&ends).over_words(&[IpProtocol::Tcp as u32]),
            tcp: Checksum::ZERO.over_words(&[ports]),
        })
    }

    /// Writes the header of a packet with `payload` in two slices.
    #[inline(always)]
    pub(crate) fn write(
        &mut self,
        fields: &PlainFields,
        payload: [&[u8]; 2],
        checksum: WriteChecksum,
    ) -> &[u8] {
        let Timestamps { value, echo } = fields.timestamps;
        self.write_with(fields, [BEFORE_TIMESTAMPS, value, echo], payload, checksum)
    }

    /// Writes the header of a SYN that has the options of nearly every one.
    #[inline(always)]
    pub(crate) fn write_syn(
        &mut self,
        fields: &PlainFields,
        mss: u16,
        shift: u8,
        checksum: WriteChecksum,
    ) -> &[u8] {
        let options = usual_syn(mss, fields.timestamps, shift);
        self.write_with(fields, options, [&[], &[]], checksum)
    }

    /// Writes a header with these options.
    #[inline(always)]
    fn write_with<const OPTIONS: usize>(
        &mut self,
        fields: &PlainFields,
        options: [u32; OPTIONS],
        [first, second]: [&[u8]; 2],
        checksum: WriteChecksum,
    ) -> &[u8] {
        let &PlainFields { hop_limit, dscp, ecn, seq, ack, flags, window, .. } = fields;
        let headers = BEFORE_OPTIONS + 4 * OPTIONS;
        let payload = first.len().saturating_add(second.len());
        let total = u32::from(saturate(payload.saturating_add(headers)));
        let class = u32::from(dscp << 2 | ecn.bits());
        let version_and_length = 0x45 << 24 | class << 16 | total;
        let life = u32::from(hop_limit) << 24 | (IpProtocol::Tcp as u32) << 16;
        let ip = self.ip.over_words(&[version_and_length, life]).complement();
        let data_offset = (FIXED_HEADER / 4 + OPTIONS) as u32;
        let offset_to_window =
            data_offset << 28 | u32::from(flags.bits()) << 16 | u32::from(window);
        let length = (total - ipv4::HEADER as u32) << 16;
        let sum = self.pseudo.over_words(&[length]);
        let sum = match checksum {
            WriteChecksum::PseudoHeader => sum.sum(),
            WriteChecksum::Complete => sum
                .and(self.tcp)
                .over_words(&[seq.0, ack.0, offset_to_window])
                .over_words(&options)
                .over(first)
                .over(second)
                .complement(),
        };
        let [at_0, _, at_2, _, _, _, at_seq, at_ack, at_flags, at_sum, at_options @ ..] =
            &mut self.words;
        *at_0 = version_and_length.to_be_bytes();
        *at_2 = (life | u32::from(ip)).to_be_bytes();
        *at_seq = seq.0.to_be_bytes();
        *at_ack = ack.0.to_be_bytes();
        *at_flags = offset_to_window.to_be_bytes();
        *at_sum = (u32::from(sum) << 16).to_be_bytes();
        for (at, word) in at_options.iter_mut().zip(options) {
            *at = word.to_be_bytes();
        }
        self.words.as_flattened().get(..headers).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Header, IpInfo, MAX_HEADER, Options, write_packet_header};
    use std::vec::Vec;

    #[test]
    fn it_is_the_header_that_the_other_way_writes() {
        let (source, destination) = ([10, 0, 0, 1], [192, 168, 7, 200]);
        let ends = [(source.into(), 80), (destination.into(), 40_000)];
        let mut plain = PlainHeader::between(ends).expect("of IPv4");
        let bytes: Vec<u8> = (0..200).collect();
        for (n, checksum) in (0..200u32)
            .flat_map(|n| [(n, WriteChecksum::Complete), (n, WriteChecksum::PseudoHeader)])
        {
            let payload = [&bytes[..n as usize / 3], &bytes[..n as usize]];
            let word = n.wrapping_mul(0x9e37_79b9);
            let ip = IpInfo {
                source: source.into(),
                destination: destination.into(),
                hop_limit: word as u8,
                dscp: (word >> 8) as u8 & 0x3f,
                ecn: if n % 2 == 0 { Ecn::Ect0 } else { Ecn::NotEct },
            };
            let timestamps = Timestamps { value: !word, echo: word.rotate_left(7) };
            let header = Header {
                source_port: 80,
                destination_port: 40_000,
                seq: SeqNumber(word),
                ack: SeqNumber(word.rotate_left(16)),
                flags: if n % 3 == 0 { Flags::ACK } else { Flags::ACK | Flags::PSH },
                window: (word >> 3) as u16,
                urgent_pointer: 0,
                options: Options { timestamps: Some(timestamps), ..Options::default() },
            };
            let mut other = [0; MAX_HEADER];
            let len = write_packet_header(&mut other, &ip, &header, payload, checksum);
            let fields = PlainFields {
                hop_limit: ip.hop_limit,
                dscp: ip.dscp,
                ecn: ip.ecn,
                seq: header.seq,
                ack: header.ack,
                flags: header.flags,
                window: header.window,
                timestamps,
            };
            assert_eq!(plain.write(&fields, payload, checksum), &other[..len], "{n}");
            let options = Options {
                mss: Some(n as u16),
                window_scale: Some(n as u8 % 15),
                sack_permitted: true,
                ..header.options
            };
            let syn = Header { flags: Flags::SYN, options, ..header };
            let fields = PlainFields { flags: Flags::SYN, ..fields };
            let len = write_packet_header(&mut other, &ip, &syn, [&[], &[]], checksum);
            let written = plain.write_syn(&fields, n as u16, n as u8 % 15, checksum);
            assert_eq!(written, &other[..len], "SYN {n}");
        }
    }
}

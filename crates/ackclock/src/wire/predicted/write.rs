//! The template for writing the headers of a connection's packets.

use super::super::checksum::Checksum;
use super::super::ip::{IPV6_HEADER, IpProtocol, saturate};
use super::super::options::{BEFORE_TIMESTAMPS, LONE_TIMESTAMPS};
use super::super::segment::FIXED_HEADER;
use super::super::{Address, Ecn, Flags, Timestamps, WriteChecksum, ipv4};
use crate::seq::SeqNumber;
use core::net::IpAddr;

/// Length of the longest header of a template, in bytes: IPv6, TCP and timestamps.
const LONGEST: usize = IPV6_HEADER + FIXED_HEADER + LONE_TIMESTAMPS;

/// The fields in which the headers of one connection differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteFields {
    /// Time to live or hop limit.
    pub(crate) hop_limit: u8,
    /// Differentiated services codepoint, 0 to 63.
    pub(crate) dscp: u8,
    pub(crate) ecn: Ecn,
    pub(crate) seq: SeqNumber,
    pub(crate) ack: SeqNumber,
    /// Any flags; the urgent pointer is zero.
    pub(crate) flags: Flags,
    /// The window field, scaled as it is sent.
    pub(crate) window: u16,
    /// Timestamps, the only option, if any.
    pub(crate) timestamps: Option<Timestamps>,
}

/// The parts of the IP header that a template needs.
#[derive(Clone, Copy, Debug)]
enum IpHeader {
    /// The sum of the constant words.
    V4(Checksum),
    V6,
}

/// The template: the header of one connection written last, and sums of what the next one has in common with
/// it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteTemplate {
    /// The header; IP's, of either family, ends and TCP's begins at byte 40.
    words: [[u8; 4]; LONGEST / 4],
    ip: IpHeader,
    /// The sum of the pseudo-header without the length.
    pseudo: Checksum,
    ports: u32,
    /// The sum of the next header without sequence number and payload.
    sum: Checksum,
    checksum: WriteChecksum,
    /// End of the last header, in bytes.
    end: usize,
}

impl WriteTemplate {
    /// An empty template.
    pub(crate) const EMPTY: Self = WriteTemplate {
        words: [[0; 4]; LONGEST / 4],
        ip: IpHeader::V6,
        pseudo: Checksum::NONE,
        ports: 0,
        sum: Checksum::NONE,
        checksum: WriteChecksum::Complete,
        end: IPV6_HEADER,
    };

    /// Makes it the template for headers from one end to the other, each an address and a port; false if they
    /// are of different families. The words that differ from header to header are left unchanged.
    // Written in place, since it is large.
    #[inline(never)]
    pub(crate) fn begin(&mut self, [source, destination]: [(Address, u16); 2]) -> bool {
        let pseudo = match (IpAddr::from(source.0), IpAddr::from(destination.0)) {
            (IpAddr::V4(source), IpAddr::V4(destination)) => {
                let ends = [source, destination].map(|address| address.to_bits());
                let fragment = u32::from(ipv4::DONT_FRAGMENT);
                let [_, _, _, _, _, _, second, _, at_source, at_destination, ..] = &mut self.words;
                *second = fragment.to_be_bytes();
                [*at_source, *at_destination] = ends.map(u32::to_be_bytes);
                let ends = Checksum::default().over_words(&ends);
                self.ip = IpHeader::V4(ends.over_words(&[fragment]));
                ends
            }
            (IpAddr::V6(source), IpAddr::V6(destination)) => {
                let [s0, s1, s2, s3] = quarters(source.to_bits());
                let [d0, d1, d2, d3] = quarters(destination.to_bits());
                let ends = [s0, s1, s2, s3, d0, d1, d2, d3];
                let [_, _, places @ ..] = &mut self.words;
                for (place, word) in places.iter_mut().zip(ends) {
                    *place = word.to_be_bytes();
                }
                self.ip = IpHeader::V6;
                Checksum::default().over_words(&ends)
            }
            _ => return false,
        };
        self.ports = u32::from(source.1) << 16 | u32::from(destination.1);
        self.pseudo = pseudo.over_words(&[u32::from(IpProtocol::Tcp as u8)]);
        let [.., at_ports, _, _, _, _, before, _, _] = &mut self.words;
        (*at_ports, *before) = (self.ports.to_be_bytes(), BEFORE_TIMESTAMPS.to_be_bytes());
        true
    }

    /// Offset of the TCP header, in bytes.
    #[inline]
    pub(crate) fn transport_offset(&self) -> usize {
        match self.ip {
            IpHeader::V4(_) => ipv4::HEADER,
            IpHeader::V6 => IPV6_HEADER,
        }
    }

    /// The headers of the packet with these fields and this payload, which is only summed.
    #[inline(always)]
    pub(crate) fn write(
        &mut self,
        fields: &WriteFields,
        payload: [&[u8]; 2],
        checksum: WriteChecksum,
    ) -> &[u8] {
        let [first, second] = payload;
        self.prepare(fields, first.len().saturating_add(second.len()), checksum);
        self.write_next(fields.seq, payload)
    }

    /// Prepares headers with these fields except the sequence number, for payloads of `payload_len` bytes
    /// each, for [`write_next`](Self::write_next).
    #[inline(always)]
    pub(crate) fn prepare(
        &mut self,
        fields: &WriteFields,
        payload_len: usize,
        checksum: WriteChecksum,
    ) {
        let &WriteFields { ack, flags, window, .. } = fields;
        let timestamps = fields.timestamps;
        let options = if timestamps.is_some() { LONE_TIMESTAMPS } else { 0 };
        let header_len = FIXED_HEADER + options;
        let length = payload_len.saturating_add(header_len);
        self.write_ip(fields, length);
        let data_offset = (header_len as u32 / 4) << 28;
        let flags_and_window = data_offset | u32::from(flags.bits()) << 16 | u32::from(window);
        let mut sum = self.pseudo.over_words(&[u32::from(saturate(length)) << 16]);
        let is_complete = checksum == WriteChecksum::Complete;
        if is_complete {
            sum = sum.over_words(&[self.ports, ack.0, flags_and_window]);
        }
        let [.., at_ack, at_flags, _, _, at_value, at_echo] = &mut self.words;
        *at_ack = ack.0.to_be_bytes();
        *at_flags = flags_and_window.to_be_bytes();
        if let Some(Timestamps { value, echo }) = timestamps {
            *at_value = value.to_be_bytes();
            *at_echo = echo.to_be_bytes();
            if is_complete {
                sum = sum.over_words(&[BEFORE_TIMESTAMPS, value, echo]);
            }
        }
        self.sum = sum;
        self.checksum = checksum;
        self.end = IPV6_HEADER + header_len;
    }

    /// The headers of a packet that differs from the last one, or from the prepared one, only in sequence
    /// number and in the content of its payload, which has the same length.
    #[inline(always)]
    pub(crate) fn write_next(&mut self, seq: SeqNumber, payload: [&[u8]; 2]) -> &[u8] {
        let sum = match self.checksum {
            WriteChecksum::PseudoHeader => self.sum.sum(),
            WriteChecksum::Complete => {
                let [first, second] = payload;
                self.sum.over_words(&[seq.0]).over(first).over(second).complement()
            }
        };
        let [.., at_seq, _, _, at_sum, _, _, _] = &mut self.words;
        *at_seq = seq.0.to_be_bytes();
        // The urgent pointer in the same word is zero.
        *at_sum = (u32::from(sum) << 16).to_be_bytes();
        let begin = IPV6_HEADER - self.transport_offset();
        self.words.as_flattened().get(begin..self.end).unwrap_or_default()
    }

    /// Writes the fields of the IP header that change, for `length` bytes.
    #[inline(always)]
    fn write_ip(&mut self, fields: &WriteFields, length: usize) {
        let &WriteFields { hop_limit, dscp, ecn, .. } = fields;
        let class = u32::from(dscp << 2 | ecn.bits());
        let protocol = u32::from(IpProtocol::Tcp as u8);
        let [v6_first, v6_second, _, _, _, v4_first, _, v4_third, ..] = &mut self.words;
        match self.ip {
            IpHeader::V4(sum) => {
                let total_len = u32::from(saturate(length.saturating_add(ipv4::HEADER)));
                let first = 0x45 << 24 | class << 16 | total_len;
                let third = u32::from(hop_limit) << 24 | protocol << 16;
                let sum = sum.over_words(&[first, third]).complement();
                *v4_first = first.to_be_bytes();
                *v4_third = (third | u32::from(sum)).to_be_bytes();
            }
            IpHeader::V6 => {
                let second = u32::from(saturate(length)) << 16 | protocol << 8;
                *v6_first = (6 << 28 | class << 20).to_be_bytes();
                *v6_second = (second | u32::from(hop_limit)).to_be_bytes();
            }
        }
    }
}

/// An IPv6 address as words.
fn quarters(address: u128) -> [u32; 4] {
    [(address >> 96) as u32, (address >> 64) as u32, (address >> 32) as u32, address as u32]
}

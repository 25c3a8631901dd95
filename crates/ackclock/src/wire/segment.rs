//! TCP segments (RFC 9293 section 3.1).

use super::checksum::Checksum;
use super::ip::{self, IpProtocol};
use super::{AllFormats, Checksums, Formats, IpInfo, Options};
use crate::seq::SeqNumber;
use core::fmt;

/// Length of a TCP header without options, in bytes.
pub(super) const FIXED_HEADER: usize = 20;

/// Length of the longest IP and TCP headers ever written together, in bytes: IPv6 (40), and TCP with a full
/// option area (60).
pub const MAX_HEADER: usize = 100;

/// The control bits of a TCP header, including the reserved bits next to the data offset.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Flags(u16);

impl Flags {
    /// No bit set.
    pub const NONE: Flags = Flags(0);
    /// FIN: no more data from the sender.
    pub const FIN: Flags = Flags(0x001);
    /// SYN: synchronize sequence numbers.
    pub const SYN: Flags = Flags(0x002);
    /// RST: reset the connection.
    pub const RST: Flags = Flags(0x004);
    /// PSH: push function.
    pub const PSH: Flags = Flags(0x008);
    /// ACK: the acknowledgment field is significant.
    pub const ACK: Flags = Flags(0x010);
    /// URG: the urgent pointer is significant.
    pub const URG: Flags = Flags(0x020);
    /// ECE: ECN-Echo (RFC 3168).
    pub const ECE: Flags = Flags(0x040);
    /// CWR: congestion window reduced (RFC 3168).
    pub const CWR: Flags = Flags(0x080);
    /// AE: Accurate ECN (RFC 9768; formerly the nonce sum of RFC 3540).
    pub const AE: Flags = Flags(0x100);

    /// The flags in the twelve bits after the data offset, including reserved ones.
    pub const fn from_bits(bits: u16) -> Flags {
        Flags(bits & 0x0fff)
    }

    /// The flags as the twelve bits after the data offset.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The ACE field (AE, CWR and ECE, RFC 9768) as a number from 0 to 7.
    pub const fn ace(self) -> u8 {
        (self.0 >> 6 & 7) as u8
    }

    /// The flags AE, CWR and ECE for an ACE field of `number` modulo 8.
    pub const fn from_ace(number: u8) -> Flags {
        Flags((number as u16 & 7) << 6)
    }

    /// Whether all bits of `other` are set.
    pub const fn contains(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any bit of `other` is set.
    pub const fn intersects(self, other: Flags) -> bool {
        self.0 & other.0 != 0
    }

    /// The bits of both.
    #[must_use]
    pub const fn union(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl core::ops::BitOr for Flags {
    type Output = Flags;

    fn bitor(self, other: Flags) -> Flags {
        self.union(other)
    }
}

impl core::ops::BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Flags) {
        *self = *self | other;
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [
            (Flags::SYN, "SYN"),
            (Flags::FIN, "FIN"),
            (Flags::RST, "RST"),
            (Flags::PSH, "PSH"),
            (Flags::ACK, "ACK"),
            (Flags::URG, "URG"),
            (Flags::ECE, "ECE"),
            (Flags::CWR, "CWR"),
            (Flags::AE, "AE"),
        ];
        let mut first = true;
        for (flag, name) in names {
            if self.contains(flag) {
                f.write_str(if first { "" } else { "|" })?;
                f.write_str(name)?;
                first = false;
            }
        }
        if first { f.write_str("-") } else { Ok(()) }
    }
}

/// A TCP header, parsed or to be written. Ports are in host order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// Port of the sender.
    pub source_port: u16,
    /// Port of the receiver.
    pub destination_port: u16,
    /// SEG.SEQ: sequence number of the first payload byte, or of the SYN.
    pub seq: SeqNumber,
    /// SEG.ACK; valid if the ACK bit is set.
    pub ack: SeqNumber,
    /// Control bits.
    pub flags: Flags,
    /// The window field of the header, unscaled.
    pub window: u16,
    /// The urgent pointer field; valid if the URG bit is set.
    pub urgent_pointer: u16,
    /// Options.
    pub options: Options,
}

impl Header {
    /// Reads the header at the beginning of `bytes`, and returns it with the bytes after it. The checksum is
    /// not verified: this is for analysing captures, which may hold only the beginning of a packet.
    ///
    /// # Errors
    /// The header is truncated, or a field or an option is malformed.
    #[inline]
    pub fn parse(bytes: &[u8]) -> Result<(Header, &[u8]), WireError> {
        Self::parse_of::<AllFormats>(bytes)
    }

    #[inline]
    fn parse_of<F: Formats>(bytes: &[u8]) -> Result<(Header, &[u8]), WireError> {
        let (fixed, rest) =
            bytes.split_first_chunk::<FIXED_HEADER>().ok_or(WireError::Truncated)?;
        let [ports, seq, ack, flags_and_window, last] = ip::words(fixed);
        let (options, payload) = ((flags_and_window >> 28) as usize)
            .saturating_mul(4)
            .checked_sub(FIXED_HEADER)
            .and_then(|options_len| rest.split_at_checked(options_len))
            .ok_or(WireError::DataOffset)?;
        let source_port = (ports >> 16) as u16;
        let destination_port = ports as u16;
        if source_port == 0 || destination_port == 0 {
            return Err(WireError::Port);
        }
        let header = Header {
            source_port,
            destination_port,
            seq: SeqNumber(seq),
            ack: SeqNumber(ack),
            flags: Flags::from_bits((flags_and_window >> 16) as u16),
            window: flags_and_window as u16,
            urgent_pointer: last as u16,
            options: Options::parse::<F>(options)?,
        };
        Ok((header, payload))
    }

    /// The fixed header as 32-bit words, for `options_len` bytes of options (a multiple of 4), with a
    /// checksum of zero.
    fn to_words(self, options_len: usize) -> [u32; FIXED_HEADER / 4] {
        // At most 15 words, which fits into four bits.
        let data_offset = ((FIXED_HEADER + options_len) / 4) as u16;
        [
            pair(self.source_port, self.destination_port),
            self.seq.0,
            self.ack.0,
            pair(data_offset << 12 | self.flags.bits(), self.window),
            u32::from(self.urgent_pointer),
        ]
    }
}

fn pair(high: u16, low: u16) -> u32 {
    u32::from(high) << 16 | u32::from(low)
}

/// A received TCP segment: its header, fields of its IP header, and its payload in place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment<'a> {
    /// The TCP header.
    pub header: Header,
    /// Fields of the IP header.
    pub ip: IpInfo,
    /// The payload.
    pub payload: &'a [u8],
}

impl<'a> Segment<'a> {
    /// Reads a TCP segment. The checksum is verified first, since nothing else in a damaged segment can be
    /// trusted.
    #[inline]
    pub(super) fn parse<F: Formats>(
        bytes: &'a [u8],
        ip: IpInfo,
        verify: Checksums,
    ) -> Result<Segment<'a>, WireError> {
        if bytes.len() < FIXED_HEADER {
            return Err(WireError::Truncated);
        }
        let sum = Checksum::pseudo_header(&ip, IpProtocol::Tcp, bytes.len());
        if verify.transport && sum.over(bytes).complement() != 0 {
            return Err(WireError::Checksum);
        }
        let (header, payload) = Header::parse_of::<F>(bytes)?;
        Ok(Segment { header, ip, payload })
    }

    /// SEG.LEN: payload bytes, plus one each for SYN and FIN (RFC 9293 section 3.4).
    pub fn len(&self) -> u32 {
        let flags = self.header.flags;
        (self.payload.len() as u32)
            .wrapping_add(u32::from(flags.contains(Flags::SYN)))
            .wrapping_add(u32::from(flags.contains(Flags::FIN)))
    }

    /// Whether the segment occupies no sequence numbers.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Why a packet could not be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WireError {
    /// The packet is shorter than its headers say, or than a header must be.
    Truncated,
    /// Neither IPv4 nor IPv6.
    Version,
    /// The IP header checksum is wrong.
    IpChecksum,
    /// The TCP or ICMP checksum is wrong.
    Checksum,
    /// A fragment; fragments are not reassembled.
    Fragment,
    /// The data offset is below 5, or beyond the end of the segment.
    DataOffset,
    /// A TCP, IPv4 or IPv6 option has a wrong length or exceeds the option area, or requires the packet to be
    /// dropped.
    Option,
    /// A port number of zero.
    Port,
    /// A protocol other than TCP and ICMP.
    UnknownProtocol,
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WireError::Truncated => "the packet is shorter than its headers say",
            WireError::Version => "the packet is neither IPv4 nor IPv6",
            WireError::IpChecksum => "the IP header checksum is wrong",
            WireError::Checksum => "the checksum is wrong",
            WireError::Fragment => "the packet is a fragment; let the sender set DF",
            WireError::DataOffset => "the TCP data offset points outside the segment",
            WireError::Option => "an option is malformed or forbids to take the packet",
            WireError::Port => "port 0 cannot be an end of a TCP connection",
            WireError::UnknownProtocol => "the packet carries neither TCP nor ICMP",
        })
    }
}

impl core::error::Error for WireError {}

/// How the TCP checksum of an outgoing packet is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WriteChecksum {
    /// Complete: the checksum over header and payload.
    #[default]
    Complete,
    /// Partial: the sum of the pseudo-header only (not inverted); the device completes it.
    PseudoHeader,
}

/// Writes the IP and TCP headers of one packet into `to` and returns their length in bytes.
///
/// `payload` is what the packet will carry, in two slices in order; it is only summed. Options that do not
/// fit into the 40 bytes of an option area are omitted, SACK blocks first.
pub fn write_packet_header(
    to: &mut [u8; MAX_HEADER],
    ip: &IpInfo,
    header: &Header,
    payload: [&[u8]; 2],
    checksum: WriteChecksum,
) -> usize {
    write_packet_header_of::<AllFormats>(to, ip, header, payload, checksum)
}

/// As [`write_packet_header`], with the options that an image has.
pub(crate) fn write_packet_header_of<F: Formats>(
    to: &mut [u8; MAX_HEADER],
    ip: &IpInfo,
    header: &Header,
    payload: [&[u8]; 2],
    checksum: WriteChecksum,
) -> usize {
    let [first, second] = payload;
    let payload_len = first.len().saturating_add(second.len());
    let Headers { tcp, len, sum } = write_headers::<F>(to, ip, header, payload_len, checksum);
    let sum = match checksum {
        WriteChecksum::PseudoHeader => sum.sum(),
        WriteChecksum::Complete => sum.over(first).over(second).complement(),
    };
    write_field(to, tcp + CHECKSUM, sum.to_be_bytes());
    len
}

/// Offset of the checksum in a TCP header, in bytes.
pub(super) const CHECKSUM: usize = 16;

/// Written headers that still lack the TCP checksum.
#[derive(Clone, Copy, Debug)]
struct Headers {
    /// Offset of the TCP header, in bytes.
    tcp: usize,
    /// Length of all headers, in bytes.
    len: usize,
    /// The sum of the pseudo-header, and of the TCP header if the checksum is to be complete.
    sum: Checksum,
}

impl Headers {
    const NONE: Self = Headers { tcp: 0, len: 0, sum: Checksum::NONE };
}

#[inline]
fn write_headers<F: Formats>(
    to: &mut [u8; MAX_HEADER],
    ip: &IpInfo,
    header: &Header,
    payload_len: usize,
    checksum: WriteChecksum,
) -> Headers {
    let tcp = ip::header_len(ip);
    let place = to.get_mut(tcp..);
    let Some((fixed, options)) = place.and_then(<[u8]>::split_first_chunk_mut::<FIXED_HEADER>)
    else {
        // Cannot happen: `MAX_HEADER` bytes hold all headers.
        return Headers::NONE;
    };
    let (options_len, sum) = header.options.write::<F>(options);
    let words = header.to_words(options_len);
    ip::write_words(fixed, words);
    let written = sum.over_words(&words);
    let header_len = FIXED_HEADER + options_len;
    let length = header_len.saturating_add(payload_len);
    ip::write_header(to, ip, IpProtocol::Tcp, length);
    let sum = Checksum::pseudo_header(ip, IpProtocol::Tcp, length);
    let sum = match checksum {
        WriteChecksum::PseudoHeader => sum,
        WriteChecksum::Complete => sum.and(written),
    };
    Headers { tcp, len: tcp + header_len, sum }
}

/// Writes a field at an offset within the headers.
#[inline]
fn write_field<const N: usize>(to: &mut [u8; MAX_HEADER], at: usize, field: [u8; N]) {
    if let Some(place) = to.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<N>) {
        *place = field;
    }
}

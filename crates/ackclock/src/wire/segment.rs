//! TCP segments (RFC 9293 section 3.1).

use super::checksum::Checksum;
use super::ip::{self, IpProtocol};
use super::{AllFormats, Checksums, Formats, IpInfo, Options};
use crate::seq::SeqNumber;
use core::fmt;

/// Bytes of a TCP header without options.
pub(super) const FIXED_HEADER: usize = 20;

/// The longest IP and TCP header that is ever written, in bytes: IPv6 (40) and TCP with a full
/// option area (60).
pub const MAX_HEADER: usize = 100;

/// The control bits of a TCP header, the four bits beside the data offset included.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Flags(u16);

impl Flags {
    /// No bit set.
    pub const NONE: Flags = Flags(0);
    /// No more data from the sender.
    pub const FIN: Flags = Flags(0x001);
    /// Synchronize sequence numbers.
    pub const SYN: Flags = Flags(0x002);
    /// Reset the connection.
    pub const RST: Flags = Flags(0x004);
    /// Push function.
    pub const PSH: Flags = Flags(0x008);
    /// The acknowledgement field is significant.
    pub const ACK: Flags = Flags(0x010);
    /// The urgent pointer is significant.
    pub const URG: Flags = Flags(0x020);
    /// ECN echo (RFC 3168).
    pub const ECE: Flags = Flags(0x040);
    /// Congestion window reduced (RFC 3168).
    pub const CWR: Flags = Flags(0x080);
    /// Accurate ECN (RFC 9768; the nonce sum of RFC 3540 before).
    pub const AE: Flags = Flags(0x100);

    /// The twelve bits after the data offset, reserved ones included.
    pub const fn from_bits(bits: u16) -> Flags {
        Flags(bits & 0x0fff)
    }

    /// The twelve bits after the data offset.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// AE, CWR and ECE as a number, the ACE field of RFC 9768: 0 to 7.
    pub const fn ace(self) -> u8 {
        (self.0 >> 6 & 7) as u8
    }

    /// AE, CWR and ECE that stand for a number modulo 8.
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

    /// All bits of both.
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
    /// SEG.ACK; meaningful with the ACK bit.
    pub ack: SeqNumber,
    /// Control bits.
    pub flags: Flags,
    /// The window field as it stands in the header, not scaled.
    pub window: u16,
    /// The urgent pointer field; meaningful with the URG bit.
    pub urgent_pointer: u16,
    /// Options.
    pub options: Options,
}

impl Header {
    /// Reads the header at the beginning of `bytes`; returns what follows it too. The checksum is not
    /// verified: this is for the analysis of captures, which may have kept no more than the beginning of a
    /// packet.
    ///
    /// # Errors
    /// The header is cut short, or a field or an option is malformed.
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

    /// The fixed header as 32-bit words, with `options_len` bytes of options to follow (a multiple
    /// of 4), and a checksum of zero.
    fn to_words(self, options_len: usize) -> [u32; FIXED_HEADER / 4] {
        // At most 15 words, so that it fits its four bits.
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

/// A received TCP segment: its header, fields of its IP header, and its payload, which is not copied.
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
    /// Reads a TCP segment; the checksum comes first, since nothing else of a damaged one is to be
    /// believed.
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

    /// SEG.LEN: payload bytes, plus one for SYN and one for FIN (RFC 9293 section 3.4).
    pub fn len(&self) -> u32 {
        let flags = self.header.flags;
        (self.payload.len() as u32)
            .wrapping_add(u32::from(flags.contains(Flags::SYN)))
            .wrapping_add(u32::from(flags.contains(Flags::FIN)))
    }

    /// Whether the segment occupies no sequence number.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Why a packet could not be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WireError {
    /// Shorter than its header says or than a header must be.
    Truncated,
    /// Neither IPv4 nor IPv6.
    Version,
    /// The IP header checksum is wrong.
    IpChecksum,
    /// The TCP or ICMP checksum is wrong.
    Checksum,
    /// A fragment: fragments are not reassembled.
    Fragment,
    /// The data offset is below 5 or beyond the segment.
    DataOffset,
    /// An option of TCP, IPv4 or IPv6 whose length is wrong or runs over the option area, or that forbids
    /// to take the packet.
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
    /// The header is written with the full checksum over header and payload.
    #[default]
    Complete,
    /// The header is written with the checksum of the pseudo-header only (not inverted); the
    /// device sums the rest.
    PseudoHeader,
}

/// Writes the IP and TCP headers of one packet into `to` and returns their length in bytes.
///
/// `payload` is what the packet will carry, in two slices in order; it is only summed. Options that
/// do not fit into the 40 bytes of an option area are left out, SACK blocks last.
pub fn write_packet_header(
    to: &mut [u8; MAX_HEADER],
    ip: &IpInfo,
    header: &Header,
    payload: [&[u8]; 2],
    checksum: WriteChecksum,
) -> usize {
    write_packet_header_of::<AllFormats>(to, ip, header, payload, checksum)
}

/// The same of the options that an image writes.
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

/// Headers that are written except for TCP's checksum.
#[derive(Clone, Copy, Debug)]
struct Headers {
    /// Where TCP's begins, in bytes.
    tcp: usize,
    /// Length of both.
    len: usize,
    /// The sum of the pseudo-header, and of TCP's header if that is to be complete.
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
        // Never: `MAX_HEADER` bytes hold every header.
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

/// Writes a field that lies within every header.
#[inline]
fn write_field<const N: usize>(to: &mut [u8; MAX_HEADER], at: usize, field: [u8; N]) {
    if let Some(place) = to.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<N>) {
        *place = field;
    }
}

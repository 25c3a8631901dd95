//! From a captured packet to a TCP header and what matters around it.

use crate::capture::Record;
use ackclock::wire::{Ecn, Header, WireError};
use etherparse::{EtherType, LaxNetSlice, LaxSlicedPacket};
use std::net::{IpAddr, SocketAddr};

/// Types of link-layer headers (tcpdump.org/linktypes.html) that are understood.
mod link_type {
    pub(super) const NULL: i32 = 0;
    pub(super) const ETHERNET: i32 = 1;
    pub(super) const PPP: i32 = 9;
    /// What raw IP was called where the file's types are those of the system that captured.
    pub(super) const DLT_RAW: [i32; 2] = [12, 14];
    pub(super) const RAW: i32 = 101;
    pub(super) const LOOP: i32 = 108;
    pub(super) const LINUX_SLL: i32 = 113;
    pub(super) const IPV4: i32 = 228;
    pub(super) const IPV6: i32 = 229;
    pub(super) const LINUX_SLL2: i32 = 276;
}

/// A TCP segment as it was captured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Packet {
    pub(crate) source: SocketAddr,
    pub(crate) destination: SocketAddr,
    pub(crate) header: Header,
    /// Payload bytes on the wire, captured or not.
    pub(crate) payload_len: u32,
    /// Whether the capture lacks some of its bytes.
    pub(crate) cut: bool,
    /// Identification of an IPv4 packet; none in IPv6.
    pub(crate) ip_id: Option<u16>,
    pub(crate) ecn: Ecn,
}

/// Why a packet is not analysed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Skipped {
    /// Its link type is not known here.
    LinkType,
    /// Neither IPv4 nor IPv6, or IP without TCP.
    NotTcp,
    /// A fragment of an IP packet.
    Fragment,
    /// Its headers contradict themselves.
    Malformed,
    /// Its headers were not captured whole.
    Cut,
}

impl Packet {
    /// Reads the headers of a packet.
    pub(crate) fn read(record: &Record<'_>) -> Result<Packet, Skipped> {
        let packet = slice(record.link_type, record.data)?;
        let net = packet.net.ok_or(match packet.stop_err {
            Some(_) => Skipped::Malformed,
            None => Skipped::NotTcp,
        })?;
        let payload = match net.ip_payload_ref() {
            Some(payload) if payload.ip_number == etherparse::IpNumber::TCP => payload,
            _ => return Err(Skipped::NotTcp),
        };
        if payload.fragmented {
            return Err(Skipped::Fragment);
        }
        let bytes = payload.payload;
        // Where the TCP header begins, counted from the IP header.
        let (source, destination, ip_id, traffic_class, ip_len, ip_start) = match &net {
            LaxNetSlice::Ipv4(ip) => {
                let header = ip.header();
                (
                    IpAddr::from(header.source_addr()),
                    IpAddr::from(header.destination_addr()),
                    Some(header.identification()),
                    header.slice().get(1).copied().unwrap_or_default(),
                    usize::from(header.total_len()),
                    header.slice().as_ptr(),
                )
            }
            LaxNetSlice::Ipv6(ip) => {
                let header = ip.header();
                let length = usize::from(header.payload_length());
                (
                    IpAddr::from(header.source_addr()),
                    IpAddr::from(header.destination_addr()),
                    None,
                    header.traffic_class(),
                    if length == 0 { 0 } else { length + header.slice().len() },
                    header.slice().as_ptr(),
                )
            }
            LaxNetSlice::Arp(_) => return Err(Skipped::NotTcp),
        };
        let headers = (bytes.as_ptr() as usize).saturating_sub(ip_start as usize);
        let before = (ip_start as usize).saturating_sub(record.data.as_ptr() as usize);
        let on_wire = record.original_len.saturating_sub(before);
        // Packets that were captured before segmentation may have no length (IPv4 and IPv6), or be
        // longer than their length field can express (IPv6).
        let ip_len = if ip_len < headers { on_wire } else { ip_len };
        let tcp_len = ip_len.saturating_sub(headers);
        let (header, header_len) = read_header(bytes)?;
        let payload_len = tcp_len.checked_sub(header_len).ok_or(Skipped::Malformed)?;
        Ok(Packet {
            source: SocketAddr::new(source, header.source_port),
            destination: SocketAddr::new(destination, header.destination_port),
            header,
            payload_len: u32::try_from(payload_len).map_err(|_| Skipped::Malformed)?,
            cut: bytes.len() < tcp_len,
            ip_id,
            ecn: match traffic_class & 0b11 {
                0b00 => Ecn::NotEct,
                0b01 => Ecn::Ect1,
                0b10 => Ecn::Ect0,
                _ => Ecn::Ce,
            },
        })
    }
}

/// The IP packet of a record that was captured whole; `None` if it was cut, or there is none that is understood.
pub fn ip_packet<'a>(record: &Record<'a>) -> Option<&'a [u8]> {
    if record.data.len() < record.original_len {
        return None;
    }
    let packet = slice(record.link_type, record.data).ok()?;
    let start = match packet.net? {
        LaxNetSlice::Ipv4(ip) => ip.header().slice().as_ptr() as usize,
        LaxNetSlice::Ipv6(ip) => ip.header().slice().as_ptr() as usize,
        LaxNetSlice::Arp(_) => return None,
    };
    let before = start.checked_sub(record.data.as_ptr() as usize)?;
    record.data.get(before..)
}

/// The header, if need be without its options, and its length in bytes.
fn read_header(bytes: &[u8]) -> Result<(Header, usize), Skipped> {
    match Header::parse(bytes) {
        Ok((header, rest)) => Ok((header, bytes.len() - rest.len())),
        Err(WireError::Truncated) => Err(Skipped::Cut),
        Err(WireError::Option | WireError::DataOffset) => {
            // Options that make no sense or were cut off do not make the rest of the header wrong.
            let mut fixed = *bytes.first_chunk::<20>().ok_or(Skipped::Cut)?;
            let length = usize::from(fixed[12] >> 4) * 4;
            fixed[12] = 5 << 4 | fixed[12] & 0x0f;
            let (header, _) = Header::parse(&fixed).map_err(|_| Skipped::Malformed)?;
            if length < fixed.len() { Err(Skipped::Malformed) } else { Ok((header, length)) }
        }
        Err(_) => Err(Skipped::Malformed),
    }
}

fn slice(link_type: i32, data: &[u8]) -> Result<LaxSlicedPacket<'_>, Skipped> {
    // The protocol as Ethernet numbers it, and what follows the link-layer header.
    let (ether_type, rest) = match link_type {
        link_type::ETHERNET => {
            return LaxSlicedPacket::from_ethernet(data).map_err(|_| Skipped::Cut);
        }
        link_type::LINUX_SLL => after(data, 16, 14)?,
        link_type::LINUX_SLL2 => after(data, 20, 0)?,
        link_type::RAW | link_type::IPV4 | link_type::IPV6 => (version(data)?, data),
        raw if link_type::DLT_RAW.contains(&raw) => (version(data)?, data),
        // Four bytes of an address family, whose numbers and byte order depend on the system.
        link_type::NULL | link_type::LOOP => {
            let rest = data.get(4..).ok_or(Skipped::Cut)?;
            (version(rest)?, rest)
        }
        link_type::PPP => {
            // Address and control bytes are there or not (RFC 1662 section 3.2).
            let rest = data.strip_prefix(&[0xff, 0x03]).unwrap_or(data);
            match rest {
                [0x00, 0x21 | 0x57, rest @ ..] => (version(rest)?, rest),
                [_, _, ..] => return Err(Skipped::NotTcp),
                _ => return Err(Skipped::Cut),
            }
        }
        _ => return Err(Skipped::LinkType),
    };
    Ok(LaxSlicedPacket::from_ether_type(EtherType(ether_type), rest))
}

/// The protocol field at `field` of a header of `length` bytes, and what follows that.
fn after(data: &[u8], length: usize, field: usize) -> Result<(u16, &[u8]), Skipped> {
    let (header, rest) = data.split_at_checked(length).ok_or(Skipped::Cut)?;
    let field = header.get(field..).and_then(|from| from.first_chunk::<2>());
    Ok((u16::from_be_bytes(*field.ok_or(Skipped::Cut)?), rest))
}

/// The protocol, as Ethernet numbers it, of what begins with an IP header.
fn version(data: &[u8]) -> Result<u16, Skipped> {
    match data.first().ok_or(Skipped::Cut)? >> 4 {
        4 => Ok(EtherType::IPV4.0),
        6 => Ok(EtherType::IPV6.0),
        _ => Err(Skipped::NotTcp),
    }
}

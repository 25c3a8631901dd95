//! Super-segments cut into the segments that a device makes of them.

use super::socket::Tapped;

/// Header bytes before TCP's, and TCP's own, of a packet that can be cut.
fn headers(packet: &[u8]) -> Option<(usize, usize)> {
    const TCP: u8 = 6;
    let ip = match packet.first()? >> 4 {
        4 if *packet.get(9)? == TCP => usize::from(packet.first()? & 0xf) * 4,
        6 if *packet.get(6)? == TCP => 40,
        _ => return None,
    };
    Some((ip, usize::from(packet.get(ip + 12)? >> 4) * 4))
}

/// Gives each segment of a packet, its checksum complete if it was to be completed later.
pub(super) fn each_segment(tapped: &Tapped<'_>, take: &mut dyn FnMut(&[u8])) {
    let packet = tapped.packet;
    let Some((ip, tcp)) = headers(packet) else { return take(packet) };
    let size = usize::from(tapped.segment_size);
    let payload = packet.len().saturating_sub(ip + tcp);
    if size == 0 || payload <= size {
        if !tapped.needs_checksum {
            return take(packet);
        }
        let mut whole = packet.to_vec();
        complete(&mut whole, ip);
        return take(&whole);
    }
    let mut at = 0;
    while at < payload {
        let length = size.min(payload - at);
        let mut segment = packet[..ip + tcp].to_vec();
        segment.extend_from_slice(&packet[ip + tcp + at..][..length]);
        change(&mut segment, ip, at, at + length == payload);
        take(&segment);
        at += length;
    }
}

/// Sets what differs between the segments of one packet: lengths, the number, flags and checksums.
fn change(segment: &mut [u8], ip: usize, at: usize, is_last: bool) {
    /// FIN and PSH, which the last segment has, and CWR, which the first one has.
    const LAST: u8 = 0x09;
    const FIRST: u8 = 0x80;
    let seq = [0, 1, 2, 3].map(|byte| segment[ip + 4 + byte]);
    let seq = u32::from_be_bytes(seq).wrapping_add(at as u32);
    segment[ip + 4..ip + 8].copy_from_slice(&seq.to_be_bytes());
    if !is_last {
        segment[ip + 13] &= !LAST;
    }
    if at > 0 {
        segment[ip + 13] &= !FIRST;
    }
    let length = segment.len() as u16;
    if segment[0] >> 4 == 4 {
        segment[2..4].copy_from_slice(&length.to_be_bytes());
        segment[10..12].fill(0);
        let sum = finished(sum(&segment[..ip]));
        segment[10..12].copy_from_slice(&sum.to_be_bytes());
    } else {
        segment[4..6].copy_from_slice(&(length - 40).to_be_bytes());
    }
    complete(segment, ip);
}

/// Completes the checksum of a TCP packet.
fn complete(packet: &mut [u8], ip: usize) {
    let addresses = if packet[0] >> 4 == 4 { 12..20 } else { 8..40 };
    packet[ip + 16..ip + 18].fill(0);
    let length = (packet.len() - ip) as u32;
    let total = sum(&packet[addresses]) + 6 + length + sum(&packet[ip..]);
    packet[ip + 16..ip + 18].copy_from_slice(&finished(total).to_be_bytes());
}

fn sum(bytes: &[u8]) -> u32 {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let pairs = pairs.iter().map(|pair| u32::from(u16::from_be_bytes(*pair))).sum::<u32>();
    pairs + rest.first().map_or(0, |last| u32::from(*last) << 8)
}

fn finished(mut sum: u32) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::seq::SeqNumber;
    use ackclock::time::Instant;
    use ackclock::wire::{
        Checksums, Flags, Header, IpInfo, MAX_HEADER, Options, Protocol, WriteChecksum,
        parse_packet, write_packet_header,
    };

    #[test]
    fn a_super_segment_is_cut_into_segments_with_right_headers() {
        for addresses in [["10.0.0.1", "10.0.0.2"], ["fd00::1", "fd00::2"]] {
            let [source, destination] =
                addresses.map(|text| text.parse::<std::net::IpAddr>().unwrap().into());
            let header = Header {
                source_port: 1,
                destination_port: 2,
                seq: SeqNumber(u32::MAX - 9),
                ack: SeqNumber(7),
                flags: Flags::ACK | Flags::PSH,
                window: 100,
                urgent_pointer: 0,
                options: Options::default(),
            };
            let ip = IpInfo {
                source,
                destination,
                hop_limit: 64,
                dscp: 0,
                ecn: ackclock::wire::Ecn::NotEct,
            };
            let payload: Vec<u8> = (0..25).collect();
            let mut bytes = [0; MAX_HEADER];
            let pseudo = WriteChecksum::PseudoHeader;
            let length = write_packet_header(&mut bytes, &ip, &header, [&payload, &[]], pseudo);
            let packet = [&bytes[..length], &payload].concat();
            let tapped = Tapped {
                time: Instant::ZERO,
                interface: 1,
                is_outgoing: true,
                is_tun: true,
                is_loopback: false,
                segment_size: 10,
                needs_checksum: true,
                packet: &packet,
            };
            let mut seen = Vec::new();
            each_segment(&tapped, &mut |packet| {
                let verified = Checksums { ip: true, transport: true };
                let parsed = parse_packet(packet, verified).unwrap();
                let Protocol::Tcp(segment) = parsed.protocol else { panic!("no TCP") };
                let psh = segment.header.flags.contains(Flags::PSH);
                seen.push((segment.header.seq.0, segment.payload.to_vec(), psh));
            });
            let expected = [
                (u32::MAX - 9, (0..10).collect::<Vec<u8>>(), false),
                (0, (10..20).collect(), false),
                (10, (20..25).collect(), true),
            ];
            assert_eq!(seen, expected);
        }
    }
}

//! Super-segments cut into the segments that a device makes of them.

use super::socket::Tapped;
use ackclock::stack::Transmit;
use ackclock::wire::{Ecn, MAX_HEADER, WriteChecksum};

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
    // Whoever has more header than the stack writes (options of IP) is judged as it is.
    let can_be_cut = |(ip, tcp): &(usize, usize)| ip + tcp <= MAX_HEADER;
    let split = |(ip, tcp): (usize, usize)| Some((ip, packet.split_at_checked(ip + tcp)?));
    let Some((ip, (header, payload))) = headers(packet).filter(can_be_cut).and_then(split) else {
        return take(packet);
    };
    let is_one = tapped.segment_size == 0 || payload.len() <= tapped.segment_size.into();
    if is_one && !tapped.needs_checksum {
        return take(packet);
    }
    let whole = Transmit {
        header,
        payload: [payload, &[]],
        transport_offset: ip,
        segment_size: if is_one { 0 } else { tapped.segment_size },
        checksum: WriteChecksum::PseudoHeader,
        ecn: Ecn::NotEct,
    };
    whole.cut(&mut |segment| {
        let [first, second] = segment.payload;
        take(&[segment.header, first, second].concat());
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::seq::SeqNumber;
    use ackclock::time::Instant;
    use ackclock::wire::{
        Checksums, Flags, Header, IpInfo, Options, Protocol, parse_packet, write_packet_header,
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
            let ip = IpInfo { source, destination, hop_limit: 64, dscp: 0, ecn: Ecn::NotEct };
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

//! Answers to probes: what routers and hosts send back, and which probe it was about.

use super::packet::number_of;
use super::{Flow, Method};
use smoltcp::wire::{
    Icmpv4Message, Icmpv4Packet, Icmpv6Message, Icmpv6Packet, IpProtocol, Ipv4Packet, Ipv6Packet,
    TcpPacket, UdpPacket,
};
use std::net::IpAddr;

/// What became of a probe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnswerKind {
    /// A router gave it up: its hop limit was spent.
    TimeExceeded,
    /// The target has it.
    Reached,
    /// A router or the target could not deliver it, for this reason (ICMP's code).
    Unreachable(u8),
}

/// An answer to one of our probes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// Who answered.
    pub from: IpAddr,
    /// The probe's number.
    pub number: u16,
    /// What became of it.
    pub kind: AnswerKind,
}

/// Code of "port unreachable" in ICMP (RFC 792) and ICMPv6 (RFC 4443): the host itself says so.
const PORT_UNREACHABLE: [u8; 2] = [3, 4];

/// The bytes of a transport header that any quotation has (RFC 792).
const QUOTED: usize = 8;

impl Flow {
    /// Reads an IPv4 packet that came; `None`: it is no answer to this flow's probes.
    pub fn answer_in_ipv4(&self, bytes: &[u8]) -> Option<Answer> {
        let packet = Ipv4Packet::new_checked(bytes).ok()?;
        let from = IpAddr::V4(packet.src_addr());
        match packet.next_header() {
            IpProtocol::Icmp => self.icmpv4(from, packet.payload()),
            IpProtocol::Tcp => self.tcp(from, packet.payload()),
            _ => None,
        }
    }

    fn icmpv4(&self, from: IpAddr, bytes: &[u8]) -> Option<Answer> {
        let message = Icmpv4Packet::new_checked(bytes).ok()?;
        let code = message.msg_code();
        let kind = match message.msg_type() {
            Icmpv4Message::EchoReply => {
                return self.echo_reply(from, message.echo_ident(), message.echo_seq_no());
            }
            Icmpv4Message::TimeExceeded if code == 0 => AnswerKind::TimeExceeded,
            Icmpv4Message::DstUnreachable => self.unreachable(from, code),
            _ => return None,
        };
        Some(Answer { from, number: self.quoted_ipv4(message.data())?, kind })
    }

    /// Reads an ICMPv6 message that came from there; `None`: it is no answer to this flow's probes.
    pub fn answer_in_icmpv6(&self, from: IpAddr, bytes: &[u8]) -> Option<Answer> {
        let message = Icmpv6Packet::new_checked(bytes).ok()?;
        let code = message.msg_code();
        let kind = match message.msg_type() {
            Icmpv6Message::EchoReply => {
                return self.echo_reply(from, message.echo_ident(), message.echo_seq_no());
            }
            Icmpv6Message::TimeExceeded if code == 0 => AnswerKind::TimeExceeded,
            Icmpv6Message::DstUnreachable => self.unreachable(from, code),
            _ => return None,
        };
        Some(Answer { from, number: self.quoted_ipv6(message.payload())?, kind })
    }

    fn echo_reply(&self, from: IpAddr, identifier: u16, number: u16) -> Option<Answer> {
        let ours = self.method == Method::Icmp && identifier == self.identifier;
        (ours && from == self.target).then_some(Answer { from, number, kind: AnswerKind::Reached })
    }

    /// A closed port is the answer that a UDP probe hopes for.
    fn unreachable(&self, from: IpAddr, code: u8) -> AnswerKind {
        let closed = PORT_UNREACHABLE[usize::from(from.is_ipv6())];
        match code == closed && from == self.target && self.method == Method::Udp {
            true => AnswerKind::Reached,
            false => AnswerKind::Unreachable(code),
        }
    }

    /// A SYN-ACK or RST from the target.
    fn tcp(&self, from: IpAddr, bytes: &[u8]) -> Option<Answer> {
        let segment = TcpPacket::new_checked(bytes).ok()?;
        let ours = self.method == Method::Tcp
            && from == self.target
            && (segment.src_port(), segment.dst_port()) == (self.port, self.identifier);
        let answers = segment.ack() && (segment.syn() || segment.rst());
        let number = number_of(segment.ack_number() - 1);
        (ours && answers).then_some(Answer { from, number, kind: AnswerKind::Reached })
    }

    /// The number of the probe that a message quotes, at least its IP header and 8 bytes more.
    fn quoted_ipv4(&self, quoted: &[u8]) -> Option<u16> {
        let header = usize::from(quoted.first()? & 0x0f) * 4;
        let is_whole = quoted.first()? >> 4 == 4 && header >= 20;
        let transport = quoted.get(header..).filter(|_| is_whole)?;
        // A quotation is shorter than its total length says.
        let packet = Ipv4Packet::new_unchecked(quoted);
        let is_ours = IpAddr::V4(packet.dst_addr()) == self.target;
        self.quoted_transport(packet.next_header(), transport).filter(|_| is_ours)
    }

    fn quoted_ipv6(&self, quoted: &[u8]) -> Option<u16> {
        const HEADER: usize = 40;
        let transport = quoted.get(HEADER..)?;
        let packet = Ipv6Packet::new_unchecked(quoted);
        let is_ours = packet.version() == 6 && IpAddr::V6(packet.dst_addr()) == self.target;
        self.quoted_transport(packet.next_header(), transport).filter(|_| is_ours)
    }

    fn quoted_transport(&self, protocol: IpProtocol, bytes: &[u8]) -> Option<u16> {
        let quoted = bytes.get(..QUOTED)?;
        match (self.method, protocol) {
            (Method::Icmp, IpProtocol::Icmp) => {
                let request = Icmpv4Packet::new_unchecked(quoted);
                let ours = request.msg_type() == Icmpv4Message::EchoRequest
                    && request.echo_ident() == self.identifier;
                ours.then(|| request.echo_seq_no())
            }
            (Method::Icmp, IpProtocol::Icmpv6) => {
                let request = Icmpv6Packet::new_unchecked(quoted);
                let ours = request.msg_type() == Icmpv6Message::EchoRequest
                    && request.echo_ident() == self.identifier;
                ours.then(|| request.echo_seq_no())
            }
            (Method::Udp, IpProtocol::Udp) => {
                let datagram = UdpPacket::new_unchecked(quoted);
                let ours = self.has_ports(datagram.src_port(), datagram.dst_port());
                ours.then(|| datagram.checksum() & 0x7fff)
            }
            (Method::Tcp, IpProtocol::Tcp) => {
                // The ports and the sequence number are within the first 8 bytes.
                let segment = TcpPacket::new_unchecked(quoted);
                let ours = self.has_ports(segment.src_port(), segment.dst_port());
                ours.then(|| number_of(segment.seq_number()))
            }
            _ => None,
        }
    }

    fn has_ports(&self, source: u16, destination: u16) -> bool {
        (source, destination) == (self.identifier, self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::super::packet::ipv4;
    use super::super::{LARGEST, Probe, ProbeError, UDP_PORT};
    use super::*;
    use smoltcp::phy::ChecksumCapabilities;
    use smoltcp::wire::{IpAddress, TcpControl, TcpRepr, TcpSeqNumber};
    use std::net::Ipv4Addr;

    const US: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
    const ROUTER: Ipv4Addr = Ipv4Addr::new(10, 0, 1, 1);
    const HOST: Ipv4Addr = Ipv4Addr::new(10, 0, 2, 1);

    fn flow(method: Method) -> Flow {
        let (local, target) = (IpAddr::V4(US), IpAddr::V4(HOST));
        let port = if method == Method::Tcp { 80 } else { UDP_PORT };
        Flow { method, local, target, identifier: 4711, port }
    }

    fn flow6(method: Method) -> Flow {
        let address = |text: &str| text.parse().unwrap();
        Flow { local: address("fd00::1"), target: address("fd00:2::1"), ..flow(method) }
    }

    fn probe(number: u16) -> Probe {
        Probe { number, hop_limit: 2, bytes: 100 }
    }

    fn protocol(method: Method) -> IpProtocol {
        match method {
            Method::Icmp => IpProtocol::Icmp,
            Method::Udp => IpProtocol::Udp,
            Method::Tcp => IpProtocol::Tcp,
        }
    }

    fn sent(flow: &Flow, number: u16) -> Vec<u8> {
        let payload = flow.payload(probe(number)).unwrap();
        ipv4([US, HOST], protocol(flow.method), 2, &payload)
    }

    /// An ICMP error message about a packet, of which it quotes this many bytes.
    fn error(from: Ipv4Addr, kind: Icmpv4Message, code: u8, about: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; 8];
        bytes.extend_from_slice(about);
        let mut message = Icmpv4Packet::new_unchecked(&mut bytes[..]);
        message.set_msg_type(kind);
        message.set_msg_code(code);
        message.fill_checksum();
        ipv4([from, US], IpProtocol::Icmp, 64, &bytes)
    }

    const METHODS: [Method; 3] = [Method::Icmp, Method::Udp, Method::Tcp];

    #[test]
    fn a_router_tells_which_probe_it_gave_up_by_its_header_and_eight_bytes() {
        for method in METHODS {
            let flow = flow(method);
            for number in [0, 1, 89, 0x7fff] {
                let about = &sent(&flow, number)[..28];
                let message = error(ROUTER, Icmpv4Message::TimeExceeded, 0, about);
                let expected =
                    Answer { from: ROUTER.into(), number, kind: AnswerKind::TimeExceeded };
                assert_eq!(flow.answer_in_ipv4(&message), Some(expected), "{method} {number}");
                let other = Flow { identifier: 4712, ..flow };
                assert_eq!(other.answer_in_ipv4(&message), None, "{method}");
                let other = Flow { target: ROUTER.into(), ..flow };
                assert_eq!(other.answer_in_ipv4(&message), None, "{method}");
            }
        }
    }

    #[test]
    fn routers_of_ipv6_tell_it_too() {
        let from: IpAddr = "fd00:1::1".parse().unwrap();
        for (method, next_header) in [(Method::Icmp, 58), (Method::Udp, 17)] {
            let flow = flow6(method);
            let mut message = vec![3, 0, 0, 0, 0, 0, 0, 0];
            let payload = flow.payload(probe(7)).unwrap();
            let (IpAddr::V6(local), IpAddr::V6(target)) = (flow.local, flow.target) else {
                unreachable!()
            };
            message.extend([0x60, 0, 0, 0, 0, 60, next_header, 1]);
            message.extend(local.octets().into_iter().chain(target.octets()));
            message.extend(payload);
            let expected = Answer { from, number: 7, kind: AnswerKind::TimeExceeded };
            assert_eq!(flow.answer_in_icmpv6(from, &message), Some(expected), "{method}");
            for length in 0..56 {
                assert_eq!(flow.answer_in_icmpv6(from, &message[..length]), None, "{length}");
            }
        }
    }

    #[test]
    fn the_target_answers_each_method_in_its_way() {
        let reached =
            |number| Some(Answer { from: HOST.into(), number, kind: AnswerKind::Reached });
        let icmp = flow(Method::Icmp);
        let mut reply = icmp.payload(probe(3)).unwrap();
        reply[0] = 0;
        let reply = ipv4([HOST, US], IpProtocol::Icmp, 64, &reply);
        assert_eq!(icmp.answer_in_ipv4(&reply), reached(3));

        let udp = flow(Method::Udp);
        let closed = error(HOST, Icmpv4Message::DstUnreachable, 3, &sent(&udp, 4));
        assert_eq!(udp.answer_in_ipv4(&closed), reached(4));

        let tcp = flow(Method::Tcp);
        for control in [TcpControl::Syn, TcpControl::Rst] {
            let probe = tcp.payload(probe(5)).unwrap();
            let probe = TcpPacket::new_checked(&probe[..]).unwrap();
            let answer = TcpRepr {
                src_port: 80,
                dst_port: 4711,
                control,
                seq_number: TcpSeqNumber(0),
                ack_number: Some(probe.seq_number() + probe.segment_len()),
                window_len: 0,
                window_scale: None,
                max_seg_size: None,
                sack_permitted: false,
                sack_ranges: [None; 3],
                timestamp: None,
                payload: &[],
            };
            let mut bytes = vec![0; answer.buffer_len()];
            let mut segment = TcpPacket::new_unchecked(&mut bytes[..]);
            let (from, to) = (IpAddress::from(HOST), IpAddress::from(US));
            answer.emit(&mut segment, &from, &to, &ChecksumCapabilities::default());
            let answer = ipv4([HOST, US], IpProtocol::Tcp, 64, &bytes);
            assert_eq!(tcp.answer_in_ipv4(&answer), reached(5));
            let spoofed = ipv4([ROUTER, US], IpProtocol::Tcp, 64, &bytes);
            assert_eq!(tcp.answer_in_ipv4(&spoofed), None);
        }
    }

    #[test]
    fn a_router_that_knows_no_way_says_why() {
        for method in METHODS {
            let flow = flow(method);
            let message = error(ROUTER, Icmpv4Message::DstUnreachable, 1, &sent(&flow, 9));
            let kind = AnswerKind::Unreachable(1);
            let expected = Answer { from: ROUTER.into(), number: 9, kind };
            assert_eq!(flow.answer_in_ipv4(&message), Some(expected));
        }
    }

    #[test]
    fn our_own_requests_and_what_is_cut_short_are_no_answers() {
        for method in METHODS {
            let flow = flow(method);
            let probe = sent(&flow, 1);
            assert_eq!(flow.answer_in_ipv4(&probe), None, "{method}");
            let message = error(ROUTER, Icmpv4Message::TimeExceeded, 0, &probe);
            for length in 0..message.len() {
                assert_eq!(flow.answer_in_ipv4(&message[..length]), None, "{method} {length}");
            }
            for length in 0..28 {
                let short = error(ROUTER, Icmpv4Message::TimeExceeded, 0, &probe[..length]);
                assert_eq!(flow.answer_in_ipv4(&short), None, "{method} {length}");
            }
        }
    }

    #[test]
    fn probes_are_valid_and_look_alike_to_routers_that_spread_flows() {
        let whole = |bytes: &[u8], at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        let icmp = flow(Method::Icmp);
        let other = Flow { identifier: 0xfffe, ..icmp };
        let small = Probe { bytes: 30, ..probe(7) };
        let echo = [(icmp, probe(1)), (icmp, probe(0xffff)), (other, probe(2)), (other, small)]
            .map(|(flow, probe)| flow.payload(probe).unwrap());
        assert!(echo.iter().all(|echo| Icmpv4Packet::new_unchecked(&echo[..]).verify_checksum()));
        assert!(echo.iter().all(|each| whole(each, 2) == whole(&echo[0], 2)));
        for number in [0, 1, 0x7fff] {
            let udp = flow(Method::Udp).payload(probe(number)).unwrap();
            let udp = UdpPacket::new_checked(&udp[..]).unwrap();
            assert!(udp.verify_checksum(&US.into(), &HOST.into()), "{number}");
            let tcp = flow(Method::Tcp).payload(probe(number)).unwrap();
            let tcp = TcpPacket::new_checked(&tcp[..]).unwrap();
            assert!(tcp.verify_checksum(&US.into(), &HOST.into()) && tcp.syn() && !tcp.ack());
        }
    }

    #[test]
    fn echo_requests_of_ipv6_have_the_same_checksum_whatever_their_length() {
        let checksum = |identifier, probe| {
            let flow = Flow { identifier, ..flow6(Method::Icmp) };
            let (IpAddr::V6(local), IpAddr::V6(target)) = (flow.local, flow.target) else {
                panic!("not IPv6");
            };
            // As the kernel fills it in.
            let mut packet = Icmpv6Packet::new_unchecked(flow.payload(probe).unwrap());
            packet.fill_checksum(&local, &target);
            packet.checksum()
        };
        let first = checksum(4711, probe(1));
        assert_eq!(checksum(0xfffe, probe(0xffff)), first);
        assert_eq!(checksum(1, Probe { bytes: 512, ..probe(9) }), first);
    }

    #[test]
    fn a_probe_has_the_length_that_was_asked_for_or_there_is_none() {
        for method in METHODS {
            for flow in [flow(method), flow6(method)] {
                let least = super::super::least_bytes(method, flow.target);
                let ip = if flow.target.is_ipv4() { 20 } else { 40 };
                for bytes in [least, 512, LARGEST] {
                    let payload = flow.payload(Probe { bytes, ..probe(1) }).unwrap();
                    assert_eq!(payload.len() + ip, usize::from(bytes));
                }
                for bytes in [0, least - 1, LARGEST + 1] {
                    let refused = flow.payload(Probe { bytes, ..probe(1) });
                    assert!(matches!(refused, Err(ProbeError::Size { .. })), "{refused:?}");
                }
            }
        }
    }
}

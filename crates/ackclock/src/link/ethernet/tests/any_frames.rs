//! Any frames whatever, and frames near valid ones: nothing panics, and nothing grows.

use super::*;
use crate::test_random::Random;
use proptest::prelude::*;

fn any_frame(random: &mut Random) -> Vec<u8> {
    let hardware = [US, THEM, ROUTER, EthernetAddress::BROADCAST, EthernetAddress::default()];
    let ips = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.77", "0.0.0.0", "224.0.0.1"];
    let v6 = ["fd00::1", "fd00::2", "fd00::3", "::", "ff02::1", "ff02::1:ff00:1"];
    let (to, from) = (random.pick(&hardware), random.pick(&hardware));
    let mut bytes = match random.below(4) {
        0 => {
            let sender = std::format!("10.0.0.{}", random.below(200));
            let sender = if random.one_in(2) { &sender } else { random.pick(&ips) };
            arp_frame(to, random.one_in(2), (from, sender), random.pick(&ips))
        }
        1 => {
            let flags = random.pick(&[Flags::SYN, Flags::ACK, Flags::RST | Flags::ACK]);
            let ends = [5000, 80].map(|port| std::format!("{}:{port}", random.pick(&ips)));
            frame(to, from, EtherType::Ipv4, &tcp_packet(&ends[0], &ends[1], flags))
        }
        2 => {
            let solicited = random.one_in(2);
            let kinds = [
                NdpKind::Solicitation,
                NdpKind::Advertisement { solicited, overrides: random.one_in(2) },
            ];
            let [source, destination, target] = [(); 3].map(|()| random.pick(&v6).parse().unwrap());
            let kind = random.pick(&kinds);
            let ndp = Ndp { kind, source, destination, target, hardware: Some(from) };
            let mut bytes = [0; MAX_HEADER];
            let length = ndp.write(&mut bytes);
            frame(to, from, EtherType::Ipv6, &bytes[..length])
        }
        _ => {
            let flags = random.pick(&[Flags::SYN, Flags::ACK]);
            let ends = [5000, 80].map(|port| std::format!("[{}]:{port}", random.pick(&v6)));
            frame(to, from, EtherType::Ipv6, &tcp_packet(&ends[0], &ends[1], flags))
        }
    };
    if random.one_in(8) {
        let at = random.below(bytes.len() as u32) as usize;
        bytes[at] ^= 1 << random.below(8);
    }
    if random.one_in(8) {
        bytes.truncate(random.below(90) as usize);
    }
    bytes
}

proptest! {
    #[test]
    fn arbitrary_bytes_are_survived(frames in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..120), 0..20)) {
        let mut host = Host::new(&["10.0.0.1/24", "fd00::1/64"]);
        for mut bytes in frames {
            host.on_frame(&bytes);
            // The same with a header that lets it in.
            for kind in [EtherType::Arp, EtherType::Ipv4, EtherType::Ipv6] {
                if bytes.len() >= ETHERNET_HEADER {
                    bytes[..ETHERNET_HEADER].copy_from_slice(&ethernet_header(US, THEM, kind));
                }
                host.on_frame(&bytes);
            }
            host.frames();
        }
    }

    #[test]
    fn no_one_is_asked_for_more_than_once_a_second_and_few_are_remembered(seed in any::<u64>()) {
        let mut random = Random(seed | 1);
        let mut host = Host::new(&["10.0.0.1/24", "fd00::1/64"]);
        host.listen("0.0.0.0:80");
        host.listen("[::]:80");
        host.ethernet.set_gateway("10.0.0.3".parse().unwrap()).unwrap();
        let mut asked: Vec<(IpAddr, Instant)> = Vec::new();
        for _ in 0..150 {
            match random.below(9) {
                0 => host.wait(),
                1 => {
                    host.connect(&std::format!("10.0.{}.{}:80", random.below(2), 2 + random.below(9)));
                }
                // Now and then so long that whoever is known is asked whether it is still there.
                2 if random.one_in(4) => host.now += Duration::from_secs(random.below(40).into()),
                2 => host.now += Duration::from_millis(random.below(2_000).into()),
                3 => {
                    let sender = std::format!("10.0.0.{}", 2 + random.below(9));
                    host.on_frame(&arp_frame(US, true, (THEM, &sender), "10.0.0.1"));
                }
                _ => host.on_frame(&any_frame(&mut random)),
            }
            for bytes in host.frames() {
                prop_assert!(bytes.len() <= ETHERNET_HEADER + 1500);
                let frame = Frame::parse(&bytes).unwrap();
                prop_assert_eq!(frame.source, US);
                let target: Option<IpAddr> = match frame.kind {
                    Some(EtherType::Arp) => Arp::parse(frame.payload)
                        .filter(|arp| arp.is_request)
                        .map(|arp| arp.target.into()),
                    Some(EtherType::Ipv6) => Ndp::parse(frame.payload, Checksums::default())
                        .filter(|ndp| ndp.kind == NdpKind::Solicitation)
                        .map(|ndp| ndp.target.into()),
                    _ => None,
                };
                if let Some(target) = target {
                    let last = asked.iter().rev().find(|(other, _)| *other == target);
                    if let Some((_, at)) = last {
                        prop_assert!(host.now >= *at + SECOND, "{target} was asked for too often");
                    }
                    asked.push((target, host.now));
                }
            }
            prop_assert!(host.ethernet.neighbours.len() <= 4);
            // The stack is never asked again and again for a packet that cannot be sent.
            prop_assert!(host.frames().is_empty());
        }
    }
}

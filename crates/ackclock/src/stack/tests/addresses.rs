//! To which addresses a stack speaks, from which it does, and whom it does not hear.

use super::*;
use crate::wire;

/// Hands a SYN from 10.0.0.1 to `to` to a proxy that takes any destination.
fn syn_to(to: IpAddr) -> Host {
    let mut client = host_with(CLIENT, config());
    client.connect(millis(0), addr("10.0.0.2:80"), None, &Config::default()).unwrap();
    let syn = packets(millis(0), &mut client).remove(0);
    let parsed = segment(&syn);
    let ip = wire::IpInfo { destination: to.into(), ..parsed.ip };
    let mut server = host_with(SERVER, config());
    let any = ListenConfig { any_destination: true, ..ListenConfig::new(addr("0.0.0.0:0")) };
    server.listen(any).unwrap();
    server.on_packet(millis(0), &packet_of(&ip, &parsed.header));
    server
}

/// MUST-57, also where a listener takes any destination.
#[test]
fn a_syn_to_a_group_is_dropped_silently() {
    for to in ["10.0.0.255", "255.255.255.255", "224.0.0.1"] {
        let mut server = syn_to(to.parse().unwrap());
        assert_eq!(packets(millis(0), &mut server), Vec::<Vec<u8>>::new(), "{to}");
        assert_eq!(server.statistics().bad_address, 1, "{to}");
    }
    let mut server = syn_to("10.0.0.254".parse().unwrap());
    assert_eq!(packets(millis(0), &mut server).len(), 1);
}

/// A packet like `packet` from another source.
fn from(packet: &[u8], source: &str) -> Vec<u8> {
    let parsed = segment(packet);
    let ip = wire::IpInfo { source: source.parse::<IpAddr>().unwrap().into(), ..parsed.ip };
    packet_of(&ip, &parsed.header)
}

/// MUST-63: what a listener and a host at `server` answer to a SYN, an ack and an echo request of a host
/// that cannot be, which are one less than those to one that can.
fn silence(client: &str, server: &str, sources: &[&str]) {
    let now = millis(0);
    let mut sender = host_with(client, config());
    let to = SocketAddr::new(server.parse().unwrap(), 80);
    sender.connect(now, to, None, &Config::default()).unwrap();
    let syn = packets(now, &mut sender).remove(0);
    let ack = with_header(&syn, |header| (header.flags, header.options) = Default::default());
    for source in sources {
        let mut host = strangers::trusting(server);
        host.listen(ListenConfig::new(to)).unwrap();
        host.on_packet(now, &from(&syn, source));
        host.on_packet(now, &from(&ack, source));
        let ip = segment(&from(&syn, source)).ip;
        host.on_packet(now, &strangers::echo_request(&ip));
        assert_eq!(packets(now, &mut host), Vec::<Vec<u8>>::new(), "{source}");
        assert_eq!(host.statistics().bad_address, 3, "{source}");
        host.on_packet(now, &syn);
        host.on_packet(now, &strangers::echo_request(&segment(&syn).ip));
        assert_eq!(packets(now, &mut host).len(), 2, "{client}");
    }
}

/// MUST-63, RFC 1122 section 3.2.1.3: the server is 10.0.0.2/24.
#[test]
fn who_cannot_be_is_not_answered() {
    let nobody = ["0.0.0.0", "0.1.2.3", "127.0.0.1", "127.255.0.9"];
    let many = ["224.0.0.1", "240.0.0.1", "255.255.255.255", "10.0.0.255", "10.0.0.0"];
    silence(CLIENT, SERVER, &nobody);
    silence(CLIENT, SERVER, &many);
    silence(CLIENT, SERVER, &[SERVER]);
}

/// Over a loopback link whatever is sent comes back, from whichever address of ours.
#[test]
fn who_has_a_loopback_address_may_talk_to_itself() {
    for (own, to) in
        [("127.0.0.1", "10.0.0.2:80"), ("::1", "[::1]:80"), ("127.0.0.1", "127.0.0.1:80")]
    {
        let mut host = host_with(own, config());
        let other = Cidr { address: "10.0.0.2".parse().unwrap(), prefix: 24 };
        host.add_address(other).unwrap();
        let listener = host.listen(ListenConfig::new(addr(to))).unwrap();
        host.connect(millis(0), addr(to), None, &Config::default()).unwrap();
        for _ in 0..3 {
            for packet in packets(millis(0), &mut host) {
                host.on_packet(millis(0), &packet);
            }
        }
        assert!(host.accept(listener).is_some(), "{to}");
        assert_eq!(host.statistics().bad_address, 0, "{to}");
    }
}

/// RFC 4291 sections 2.5.2, 2.5.3, 2.5.5.2 and 2.7.
#[test]
fn who_cannot_be_is_not_answered_over_ipv6() {
    let nobody = ["::", "::1", "ff02::1", "::ffff:10.0.0.1", "2001:db8::2"];
    silence("2001:db8::1", "2001:db8::2", &nobody);
}

/// MUST-46 for IPv6.
#[test]
fn nobody_connects_to_a_group() {
    let mut host = host_with("2001:db8::1", config());
    for to in ["[ff02::1]:80", "[::]:80"] {
        let refused = host.connect(millis(0), addr(to), None, &Config::default());
        assert_eq!(refused, Err(ConnectError::InvalidRemote), "{to}");
    }
}

/// MUST-43, MUST-44, MUST-45.
#[test]
fn a_connection_keeps_to_the_local_address_it_began_with() {
    let mut pair = Pair::new();
    let second = Cidr { address: "10.0.0.7".parse().unwrap(), prefix: 24 };
    pair.client.add_address(second).unwrap();
    pair.listen();
    let first = CLIENT.parse::<IpAddr>().unwrap();
    for (local, address) in [(None, first), (Some(addr("10.0.0.7:0")), second.address)] {
        let to = addr("10.0.0.2:80");
        let client = pair.client.connect(pair.now, to, local, &Config::default()).unwrap();
        let mut sent = packets(pair.now, &mut pair.client);
        pair.server.on_packet(pair.now, &sent[0]);
        let syn_ack = packets(pair.now, &mut pair.server);
        pair.client.on_packet(pair.now, &syn_ack[0]);
        pair.client.send(pair.now, client, b"x").unwrap();
        sent.extend(packets(pair.now, &mut pair.client));
        pair.client.abort(pair.now, client).unwrap();
        sent.extend(packets(pair.now, &mut pair.client));
        let sources: Vec<_> = sent.iter().map(|packet| segment(packet).ip.source).collect();
        assert_eq!(sources, [address; 3], "SYN, data, RST");
        assert_eq!(segment(&syn_ack[0]).ip.destination, address);
    }
}

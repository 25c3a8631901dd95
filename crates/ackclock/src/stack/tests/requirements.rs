//! Numbered requirements of RFC 9293 that no other test shows by the way.

use super::records::with_header;
use super::*;

/// Hands a SYN from 10.0.0.1 to `to` to a proxy that takes any destination.
fn syn_to(to: IpAddr) -> Host {
    let mut client = host_with(CLIENT, config());
    client.connect(millis(0), addr("10.0.0.2:80"), None, &Config::default()).unwrap();
    let syn = packets(millis(0), &mut client).remove(0);
    let parsed = segment(&syn);
    let ip = wire::IpInfo { destination: to, ..parsed.ip };
    let mut bytes = [0; wire::MAX_HEADER];
    let complete = wire::WriteChecksum::Complete;
    let n = wire::write_packet_header(&mut bytes, &ip, &parsed.header, [&[], &[]], complete);
    let mut server = host_with(SERVER, config());
    let any = ListenConfig { any_destination: true, ..ListenConfig::new(addr("0.0.0.0:0")) };
    server.listen(any).unwrap();
    server.on_packet(millis(0), &bytes[..n]);
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

//! Signed connections (RFC 2385): what is sent has a signature, and what has no right one does nothing.

use super::*;
use crate::tcp::{Keepalive, State};
use crate::wire::md5::{is_signed_by, sign_headers};
use crate::wire::{Options, SignatureKind, complete_checksum};

const KEY: &[u8] = b"two routers share this";
/// Nobody has this one.
const OTHER: &[u8] = b"somebody else's";
/// What is verified where a test damages packets: the signature is to notice, not the checksum.
const NOTHING: Checksums = Checksums { ip: false, transport: false };

fn scope(peers: &str) -> KeyScope {
    KeyScope::of(peers.parse().unwrap())
}

fn set_key(host: &mut Host, peers: &str, key: &[u8]) {
    host.set_md5_key(millis(0), &scope(peers), key).unwrap();
}

/// A pair whose ends have the same key for each other.
fn signed_pair() -> Pair {
    signed_pair_with(config())
}

fn signed_pair_with(config: StackConfig) -> Pair {
    let mut pair = Pair::with(config, config);
    set_key(&mut pair.client, "10.0.0.2/32", KEY);
    set_key(&mut pair.server, "10.0.0.0/24", KEY);
    pair
}

/// How many segments were dropped for their signatures: without one, with one too many, with a wrong one.
fn dropped(host: &Host) -> (u64, u64, u64) {
    let statistics = host.statistics();
    let Statistics { signature_missing, signature_unexpected, signature_wrong, .. } = statistics;
    (*signature_missing, *signature_unexpected, *signature_wrong)
}

/// The same packet with this key's signature, or with none.
fn signed_again(packet: &[u8], key: Option<&[u8]>) -> Vec<u8> {
    let Segment { mut header, ip, payload } = segment(packet);
    header.options.signature = key.map(|_| SignatureKind::Md5);
    let (mut headers, complete) = ([0; MAX_HEADER], WriteChecksum::Complete);
    let len = write_packet_header(&mut headers, &ip, &header, [payload, &[]], complete);
    let offset = if ip.source.is_ipv4() { 20 } else { 40 };
    if let Some(key) = key {
        sign_headers(&mut headers[..len], offset, [payload, &[]], complete, key);
    }
    [&headers[..len], payload].concat()
}

/// A packet from the client to the server, with this header and payload, as the client signs it.
fn signed_packet(header: &Header, payload: &[u8]) -> Vec<u8> {
    let ip = IpInfo {
        source: CLIENT.parse::<IpAddr>().unwrap().into(),
        destination: SERVER.parse::<IpAddr>().unwrap().into(),
        hop_limit: 64,
        dscp: 0,
        ecn: crate::wire::Ecn::NotEct,
    };
    let signature = Some(SignatureKind::Md5);
    let header = Header { options: Options { signature, ..header.options }, ..*header };
    let (mut headers, complete) = ([0; MAX_HEADER], WriteChecksum::Complete);
    let len = write_packet_header(&mut headers, &ip, &header, [payload, &[]], complete);
    signed_again(&[&headers[..len], payload].concat(), Some(KEY))
}

impl Pair {
    /// As [`run`](Pair::run), and asserts that every packet on the way is signed. Gives all.
    fn run_signed(&mut self) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        loop {
            self.now += STEP;
            let before = all.len();
            for packet in packets(self.now, &mut self.client) {
                assert!(is_signed_by(&packet, KEY), "{:?}", segment(&packet));
                self.server.on_packet(self.now, &packet);
                all.push(packet);
            }
            for packet in packets(self.now, &mut self.server) {
                assert!(is_signed_by(&packet, KEY), "{:?}", segment(&packet));
                self.client.on_packet(self.now, &packet);
                all.push(packet);
            }
            if all.len() == before {
                return all;
            }
        }
    }
}

/// Section 2: every segment, whatever it is.
#[test]
fn each_segment_of_a_connection_is_signed_from_its_syn_to_its_time_wait() {
    let mut pair = signed_pair();
    let listener = pair.listen();
    let client = pair.connect();
    assert_eq!(pair.run_signed().len(), 3, "SYN, SYN-ACK, ACK");
    let server = pair.server.accept(listener).unwrap();
    pair.client.send(pair.now, client, &[7; 4_000]).unwrap();
    pair.server.send(pair.now, server, b"answer").unwrap();
    let data = pair.run_signed();
    assert_eq!(pair.server.received(server).unwrap()[0], [7; 4_000]);
    assert_eq!(pair.client.received(client).unwrap()[0], *b"answer");
    pair.server.consume(pair.now, server, 4_000).unwrap();
    pair.client.shutdown(pair.now, client).unwrap();
    pair.run_signed();
    pair.server.close(pair.now, server).unwrap();
    let last = pair.run_signed();
    let fin = last.iter().find(|packet| segment(packet).header.flags.contains(Flags::FIN));
    // The peer's FIN comes again, and old data: TIME-WAIT answers.
    pair.client.on_packet(pair.now, fin.unwrap());
    let answers = packets(pair.now, &mut pair.client);
    assert_eq!(shape(&answers), [(Flags::ACK, String::new())]);
    assert!(is_signed_by(&answers[0], KEY));
    // Of a connection that is over a segment comes again, which nobody knows.
    let old = data.iter().find(|packet| !segment(packet).payload.is_empty()).unwrap();
    let old = signed_again(&with_header(old, |header| header.source_port = 9), Some(KEY));
    pair.server.on_packet(pair.now, &old);
    let answers = packets(pair.now, &mut pair.server);
    assert_eq!(shape(&answers), [(Flags::RST, String::new())]);
    assert!(is_signed_by(&answers[0], KEY));
    assert_eq!((dropped(&pair.client), dropped(&pair.server)), ((0, 0, 0), (0, 0, 0)));
}

#[test]
fn resets_challenges_and_probes_are_signed() {
    let mut pair = signed_pair();
    let (client, server) = pair.established();
    pair.client.set_keepalive(pair.now, client, Some(Keepalive::default())).unwrap();
    pair.wait();
    let probe = pair.run_signed();
    assert_eq!(probe.len(), 2, "a keepalive probe and its answer");
    // RFC 5961 section 4.2: a SYN in the window is challenged.
    let syn = signed_again(&with_header(&probe[0], |h| h.flags = Flags::SYN), Some(KEY));
    pair.server.on_packet(pair.now, &syn);
    let challenge = packets(pair.now, &mut pair.server);
    assert_eq!(shape(&challenge), [(Flags::ACK, String::new())]);
    assert!(is_signed_by(&challenge[0], KEY));
    pair.server.abort(pair.now, server).unwrap();
    let reset = pair.run_signed();
    assert_eq!(shape(&reset), [(Flags::RST | Flags::ACK, String::new())]);
    assert_eq!(pair.client.info(pair.now, client).unwrap().error, Some(Error::Reset));
    // Nobody listens there: who has the key is told so.
    let to = addr("10.0.0.2:81");
    let refused = pair.client.connect(pair.now, to, None, &Config::default()).unwrap();
    pair.run_signed();
    assert_eq!(pair.client.info(pair.now, refused).unwrap().error, Some(Error::Refused));
}

/// Section 4.3; RFC 9293 section 3.7.1 has the sender deduct options, and the MSS announced stays.
#[test]
fn full_segments_leave_room_for_the_signature() {
    for (sack, timestamps, mss, in_use) in [
        (true, true, 1_440, (true, false)),
        (true, false, 1_440, (true, false)),
        (false, true, 1_428, (false, true)),
        (false, false, 1_440, (false, false)),
    ] {
        let mut pair = signed_pair();
        let listener = pair.listen();
        let to = addr("10.0.0.2:80");
        let config = Config { sack, timestamps, ..Config::default() };
        let client = pair.client.connect(pair.now, to, None, &config).unwrap();
        pair.run_signed();
        let server = pair.server.accept(listener).unwrap();
        for info in [pair.client.info(pair.now, client), pair.server.info(pair.now, server)] {
            let info = info.unwrap();
            assert!(info.signed);
            assert_eq!((info.mss, info.peer_mss), (mss, 1_460));
            assert_eq!((info.sack, info.timestamps), in_use);
        }
        pair.client.send(pair.now, client, &[1; 3_000]).unwrap();
        let sent = packets(pair.now, &mut pair.client);
        assert_eq!(sent[0].len(), 1_500);
    }
}

#[test]
fn a_hole_is_reported_by_sack_blocks_beside_the_signature() {
    let mut pair = signed_pair();
    let (client, server) = pair.established();
    pair.client.send(pair.now, client, &[1; 4 * 1_440]).unwrap();
    let sent = packets(pair.now, &mut pair.client);
    for lost in [1, 3] {
        pair.server.on_packet(pair.now, &sent[lost]);
    }
    let reports = packets(pair.now, &mut pair.server);
    let report = segment(reports.last().unwrap());
    assert_eq!(report.header.options.sack.as_slice().len(), 2);
    assert!(is_signed_by(reports.last().unwrap(), KEY));
    pair.client.on_packet(pair.now, reports.last().unwrap());
    assert_eq!(pair.client.info(pair.now, client).unwrap().sacked, 2 * 1_440);
    for found in [0, 2] {
        pair.server.on_packet(pair.now, &sent[found]);
    }
    assert_eq!(pair.server.received(server).unwrap()[0].len(), 4 * 1_440);
}

/// Section 2: "must result in the segment being dropped and must not produce any response".
#[test]
fn whoever_does_not_have_the_key_hears_nothing_and_is_counted() {
    for (key, expected) in [(Some(OTHER), (0, 0, 1)), (None, (1, 0, 0))] {
        let mut pair = Pair::new();
        set_key(&mut pair.server, "10.0.0.0/24", KEY);
        if let Some(key) = key {
            set_key(&mut pair.client, "10.0.0.2/32", key);
        }
        let listener = pair.listen();
        pair.connect();
        pair.run();
        assert_eq!(dropped(&pair.server), expected);
        assert_eq!(pair.server.statistics().packets_sent, 0);
        assert_eq!(pair.server.accept(listener), None);
    }
}

#[test]
fn a_signature_that_nobody_expects_is_dropped() {
    let mut pair = Pair::new();
    set_key(&mut pair.client, "10.0.0.2/32", KEY);
    let listener = pair.listen();
    pair.connect();
    pair.run();
    assert_eq!(dropped(&pair.server), (0, 1, 0));
    assert_eq!(pair.server.statistics().packets_sent, 0);
    assert_eq!(pair.server.accept(listener), None);
}

/// Section 2: the answer of a peer that does not sign is not heard, and the SYN stays signed.
#[test]
fn a_syn_ack_without_signature_opens_nothing() {
    let mut pair = signed_pair();
    pair.listen();
    let client = pair.connect();
    let syn = packets(pair.now, &mut pair.client).remove(0);
    pair.server.on_packet(pair.now, &syn);
    let syn_ack = packets(pair.now, &mut pair.server).remove(0);
    for (forged, expected) in [(None, (1, 0, 0)), (Some(OTHER), (1, 0, 1))] {
        pair.client.on_packet(pair.now, &signed_again(&syn_ack, forged));
        assert_eq!(dropped(&pair.client), expected);
        assert_eq!(pair.client.info(pair.now, client).unwrap().state, State::SynSent);
    }
    pair.client.on_packet(pair.now, &syn_ack);
    assert_eq!(pair.client.info(pair.now, client).unwrap().state, State::Established);
}

/// What an attacker sends who sees all and has no key: it does nothing in any state.
#[test]
fn resets_acks_and_data_of_strangers_do_nothing() {
    let mut pair = signed_pair();
    let listener = pair.listen();
    let client = pair.connect();
    let syn = packets(pair.now, &mut pair.client).remove(0);
    pair.server.on_packet(pair.now, &syn);
    let syn_ack = packets(pair.now, &mut pair.server).remove(0);
    // A half-open connection.
    let reset = with_header(&syn, |header| {
        header.flags = Flags::RST;
        header.seq += 1;
    });
    pair.server.on_packet(pair.now, &signed_again(&reset, None));
    pair.server.on_packet(pair.now, &signed_again(&reset, Some(OTHER)));
    assert_eq!(dropped(&pair.server), (1, 0, 1));
    pair.client.on_packet(pair.now, &syn_ack);
    pair.run_signed();
    let server = pair.server.accept(listener).expect("the reset did nothing");
    // An established one, on which two packets in a row have arrived: the next could be predicted.
    for _ in 0..2 {
        pair.client.send(pair.now, client, b"data").unwrap();
        pair.run_signed();
    }
    pair.client.send(pair.now, client, b"true").unwrap();
    let next = packets(pair.now, &mut pair.client).remove(0);
    let before = pair.server.info(pair.now, server).unwrap();
    for key in [None, Some(OTHER)] {
        for flags in [Flags::ACK | Flags::PSH, Flags::RST | Flags::ACK, Flags::FIN | Flags::ACK] {
            let Segment { mut header, ip, .. } = segment(&next);
            header.flags = flags;
            header.options.signature = None;
            let mut headers = [0; MAX_HEADER];
            let whole = WriteChecksum::Complete;
            let len = write_packet_header(&mut headers, &ip, &header, [b"evil", &[]], whole);
            let forged = [&headers[..len], b"evil"].concat();
            pair.server.on_packet(pair.now, &signed_again(&forged, key));
        }
    }
    assert_eq!(dropped(&pair.server), (4, 0, 4));
    assert_eq!(pair.server.info(pair.now, server).unwrap(), before);
    assert_eq!(packets(pair.now, &mut pair.server), Vec::<Vec<u8>>::new());
    pair.server.on_packet(pair.now, &next);
    assert_eq!(pair.server.received(server).unwrap()[0], *b"datadatatrue");
}

#[test]
fn any_altered_byte_of_a_signed_segment_has_it_dropped() {
    let mut pair = signed_pair();
    let (client, server) = pair.established();
    pair.client.send(pair.now, client, b"some text that nobody is to alter").unwrap();
    let packet = packets(pair.now, &mut pair.client).remove(0);
    let before = pair.server.info(pair.now, server).unwrap();
    // The addresses, and all of the segment but its checksum, which routers may rewrite.
    let places = (12..packet.len()).filter(|at| !(36..38).contains(at));
    let mut altered = 0;
    for at in places {
        for other in 1..=255 {
            let mut packet = packet.clone();
            packet[at] ^= other;
            pair.server.on_received(pair.now, &Received { packet: &packet, verify: NOTHING });
            altered += 1;
        }
    }
    assert_eq!(pair.server.info(pair.now, server).unwrap(), before);
    assert_eq!(packets(pair.now, &mut pair.server), Vec::<Vec<u8>>::new());
    let Statistics { bad_header, bad_address, not_for_us, malformed, .. } =
        *pair.server.statistics();
    let (missing, unexpected, wrong) = dropped(&pair.server);
    // Without its own source address it is of a peer without a key, or of none that may be.
    let counted = missing + unexpected + wrong + bad_header + bad_address + not_for_us + malformed;
    assert_eq!(counted, altered);
    pair.server.on_packet(pair.now, &packet);
    assert_eq!(pair.server.received(server).unwrap()[0].len(), 33);
}

/// A signature is of one segment of one connection: it does not fit another, and the same one again is old.
#[test]
fn a_replayed_segment_is_not_taken_twice() {
    let mut pair = signed_pair();
    let (client, server) = pair.established();
    pair.client.send(pair.now, client, b"once").unwrap();
    let packet = packets(pair.now, &mut pair.client).remove(0);
    for _ in 0..3 {
        pair.server.on_packet(pair.now, &packet);
    }
    assert_eq!(pair.server.received(server).unwrap()[0], *b"once");
    let mut elsewhere = packet.clone();
    elsewhere[20] ^= 1;
    complete_checksum(&mut elsewhere);
    pair.server.on_packet(pair.now, &elsewhere);
    assert_eq!(dropped(&pair.server), (0, 0, 1));
}

/// A link that puts segments together leaves one signature, which is none of the whole.
#[test]
fn segments_put_together_on_the_way_are_dropped() {
    let mut pair = signed_pair();
    let (client, server) = pair.established();
    pair.client.send(pair.now, client, &[1; 2 * 1_440]).unwrap();
    let sent = packets(pair.now, &mut pair.client);
    let mut merged = [&sent[0][..], segment(&sent[1]).payload].concat();
    let length = (merged.len() as u16).to_be_bytes();
    merged[2..4].copy_from_slice(&length);
    pair.server.on_received(pair.now, &Received { packet: &merged, verify: NOTHING });
    assert_eq!(dropped(&pair.server), (0, 0, 1));
    assert_eq!(pair.server.info(pair.now, server).unwrap().bytes_received, 0);
}

#[test]
fn a_link_that_segments_gets_single_segments() {
    let mut link = Capabilities::with_mtu(1500);
    link.segmentation = Segmentation::both(60_000);
    link.checksum = WriteChecksum::PseudoHeader;
    let mut pair = signed_pair_with(StackConfig::new(link, [7, 11]));
    let (client, server) = pair.established_through_cuts();
    pair.client.send(pair.now, client, &[3; 10_000]).unwrap();
    let mut sent = Vec::new();
    while pair
        .client
        .transmit(pair.now, &mut |transmit| {
            assert_eq!(transmit.segment_size, 0);
            transmit.cut(&mut |packet| {
                let mut bytes = std::vec![0; packet.len()];
                packet.copy_to(&mut bytes).unwrap();
                sent.push(bytes);
            });
            Ok(())
        })
        .is_taken()
    {}
    assert_eq!(sent.len(), 7);
    for packet in &sent {
        assert!(is_signed_by(packet, KEY));
        pair.server.on_packet(pair.now, packet);
    }
    assert_eq!(pair.server.received(server).unwrap()[0], [3; 10_000]);
}

impl Pair {
    /// As [`established`](Pair::established), over a link that completes checksums.
    fn established_through_cuts(&mut self) -> (Handle, Handle) {
        let listener = self.listen();
        let client = self.connect();
        for _ in 0..3 {
            for mut packet in packets(self.now, &mut self.client) {
                complete_checksum(&mut packet);
                self.server.on_packet(self.now, &packet);
            }
            for mut packet in packets(self.now, &mut self.server) {
                complete_checksum(&mut packet);
                self.client.on_packet(self.now, &packet);
            }
        }
        (client, self.server.accept(listener).unwrap())
    }
}

/// SYN cookies work: the ack that brings one back is signed.
#[test]
fn a_flooded_listener_answers_with_signed_cookies() {
    let mut pair = signed_pair();
    set_key(&mut pair.server, "10.0.0.9/32", OTHER);
    let config = ListenConfig { half_open: 1, ..ListenConfig::new(addr("0.0.0.0:80")) };
    let listener = pair.server.listen(config).unwrap();
    let header = Header {
        source_port: 1_000,
        destination_port: 80,
        flags: Flags::SYN,
        window: 1_000,
        ..Header::default()
    };
    pair.server.on_packet(pair.now, &signed_packet(&header, b""));
    packets(pair.now, &mut pair.server);
    let client = pair.connect();
    pair.run_signed();
    let server = pair.server.accept(listener).expect("the cookie came back");
    let statistics = pair.server.statistics();
    assert_eq!((statistics.syn_cookies_sent, statistics.syn_cookies_accepted), (1, 1));
    assert!(pair.server.info(pair.now, server).unwrap().signed);
    pair.client.send(pair.now, client, &[5; 5_000]).unwrap();
    pair.run_signed();
    assert_eq!(pair.server.received(server).unwrap()[0].len(), 5_000);
    assert_eq!(dropped(&pair.server), (0, 0, 0));
}

/// There is no room for a cookie beside a signature.
#[test]
fn a_signed_connection_is_not_opened_fast() {
    let mut pair = signed_pair();
    let mut config = ListenConfig::new(addr("0.0.0.0:80"));
    config.set_fast_open(crate::tcp::FastOpenMode::WithoutCookie);
    let listener = pair.server.listen(config).unwrap();
    let fast = Config { fast_open: crate::tcp::FastOpenMode::WithoutCookie, ..Config::default() };
    let to = addr("10.0.0.2:80");
    let client = pair.client.connect(pair.now, to, None, &fast).unwrap();
    pair.client.send(pair.now, client, b"later").unwrap();
    let syn = packets(pair.now, &mut pair.client).remove(0);
    assert_eq!((segment(&syn).payload.len(), segment(&syn).header.options.fast_open()), (0, None));
    let Segment { header, .. } = segment(&syn);
    let with_text = signed_packet(&Header { source_port: 7, ..header }, b"text");
    pair.server.on_packet(pair.now, &with_text);
    assert_eq!(pair.server.statistics().fast_opens, 0);
    assert_eq!(pair.server.accept(listener), None);
}

#[test]
fn a_key_that_takes_anothers_place_counts_at_once() {
    let mut pair = signed_pair();
    let (client, server) = pair.established();
    set_key(&mut pair.client, "10.0.0.2/32", OTHER);
    pair.client.send(pair.now, client, b"data").unwrap();
    let packet = packets(pair.now, &mut pair.client).remove(0);
    assert!(is_signed_by(&packet, OTHER));
    pair.server.on_packet(pair.now, &packet);
    assert_eq!(dropped(&pair.server), (0, 0, 1));
    set_key(&mut pair.server, "10.0.0.0/24", OTHER);
    pair.server.on_packet(pair.now, &packet);
    assert_eq!(pair.server.received(server).unwrap()[0], *b"data");
}

#[test]
fn connections_end_with_the_key_that_signs_them() {
    let mut pair = signed_pair();
    let (client, _) = pair.established();
    pair.client.connect(pair.now, addr("10.0.0.2:81"), None, &Config::default()).unwrap();
    assert_eq!(
        pair.client.remove_key(pair.now, &scope("10.0.0.0/24")),
        Err(KeyError::Unknown),
        "another prefix"
    );
    pair.client.remove_key(pair.now, &scope("10.0.0.2/32")).unwrap();
    let info = pair.client.info(pair.now, client).unwrap();
    assert_eq!((info.state, info.error), (State::Closed, Some(Error::KeyRemoved)));
    assert_eq!(packets(pair.now, &mut pair.client), Vec::<Vec<u8>>::new());
    assert_eq!(pair.client.remove_key(pair.now, &scope("10.0.0.2/32")), Err(KeyError::Unknown));
}

#[test]
fn a_connection_that_was_open_before_its_key_goes_on_without() {
    let mut pair = Pair::new();
    let (client, server) = pair.established();
    set_key(&mut pair.client, "10.0.0.2/32", KEY);
    set_key(&mut pair.server, "10.0.0.1/32", KEY);
    pair.client.send(pair.now, client, b"as before").unwrap();
    pair.run();
    assert_eq!(pair.server.received(server).unwrap()[0], *b"as before");
    let signed = pair.client.connect(pair.now, addr("10.0.0.2:80"), None, &Config::default());
    pair.run();
    assert!(pair.client.info(pair.now, signed.unwrap()).unwrap().signed);
    assert!(!pair.client.info(pair.now, client).unwrap().signed);
}

#[test]
fn the_key_of_the_longest_prefix_and_the_port_counts() {
    let mut host = host_with(CLIENT, config());
    let mut set = |peers: &str, port, key| {
        let scope = KeyScope { port, ..scope(peers) };
        host.set_md5_key(millis(0), &scope, key).unwrap();
    };
    set("10.0.0.0/8", 0, b"all");
    set("10.0.0.0/24", 0, b"some");
    set("10.0.0.0/24", 179, b"bgp");
    set("10.0.0.3/32", 179, b"one");
    for (to, key) in [
        ("10.0.0.2:80", Some(&b"some"[..])),
        ("10.0.0.2:179", Some(b"bgp")),
        ("10.0.0.3:179", Some(b"one")),
        ("10.0.0.3:80", Some(b"some")),
        ("10.9.9.9:179", Some(b"all")),
        ("11.0.0.1:179", None),
    ] {
        host.connect(millis(0), addr(to), None, &Config::default()).unwrap();
        let syn = packets(millis(0), &mut host).remove(0);
        assert_eq!(segment(&syn).header.options.signature.is_some(), key.is_some(), "{to}");
        assert!(key.is_none_or(|key| is_signed_by(&syn, key)), "{to}");
    }
}

#[test]
fn keys_that_cannot_be_are_refused() {
    let mut host = host_with(CLIENT, config());
    let mut set = |peers: &str, key: &[u8]| host.set_md5_key(millis(0), &scope(peers), key);
    assert_eq!(set("10.0.0.0/24", b""), Err(KeyError::Length));
    assert_eq!(set("10.0.0.0/24", &[1; 81]), Err(KeyError::Length));
    assert_eq!(set("10.0.0.0/24", &[1; 80]), Ok(()));
    let long = KeyScope::of(Cidr { address: [10, 0, 0, 0].into(), prefix: 33 });
    assert_eq!(host.set_md5_key(millis(0), &long, KEY), Err(KeyError::Peers));
    for port in 1..crate::stack::limits::KEYS as u16 {
        let scope = KeyScope { port, ..scope("10.0.0.0/24") };
        assert_eq!(host.set_md5_key(millis(0), &scope, KEY), Ok(()));
    }
    let one_more = KeyScope { port: 9_999, ..scope("10.0.0.0/24") };
    assert_eq!(host.set_md5_key(millis(0), &one_more, KEY), Err(KeyError::NoResources));
    assert_eq!(host.statistics().calls_refused, 1);
    host.remove_key(millis(0), &scope("10.0.0.0/24")).unwrap();
    assert_eq!(host.set_md5_key(millis(0), &one_more, KEY), Ok(()));
}

profile! { struct WithoutSignatures: full { Signatures = crate::profile::Absent } }

#[test]
fn a_profile_without_signatures_says_so_and_skips_the_option() {
    let mut host = Stack::new(config(), Window, Storage::growing_for(WithoutSignatures)).unwrap();
    host.add_address("10.0.0.2/24".parse().unwrap()).unwrap();
    assert_eq!(host.set_md5_key(millis(0), &scope("10.0.0.0/24"), KEY), Err(KeyError::LeftOut));
    host.listen(ListenConfig::new(addr("0.0.0.0:80"))).unwrap();
    let header = Header { source_port: 7, destination_port: 80, ..Header::default() };
    host.on_packet(millis(0), &signed_packet(&Header { flags: Flags::SYN, ..header }, b""));
    let answers = packets(millis(0), &mut host);
    assert_eq!(shape(&answers), [(Flags::SYN | Flags::ACK, String::new())]);
    assert_eq!(segment(&answers[0]).header.options.signature, None);
}

//! Connections signed by TCP-AO (RFC 5925): what is sent has a right code, and what has none does nothing.

mod keys;

use super::*;
use crate::seq::SeqNumber;
use crate::tcp::{AoInfo, Keepalive, State};
use crate::wire::ao::{AoAlgorithm, AoKey, AoSigner, AoWitness, key_ids};
use crate::wire::{IcmpErrorKind, KeyIds, Options, SignatureKind, write_icmp_error};
use AoAlgorithm::{Aes128Cmac, HmacSha1};

const NOTHING: Checksums = Checksums { ip: false, transport: false };

/// A key as the client has it; the server has the IDs the other way round.
const FIRST: AoKey<'_> = AoKey {
    send_id: 1,
    recv_id: 2,
    algorithm: HmacSha1,
    covers_options: true,
    key: b"two routers share this",
};
const SECOND: AoKey<'_> = AoKey {
    send_id: 3,
    recv_id: 4,
    algorithm: Aes128Cmac,
    covers_options: false,
    key: b"and this in a year",
};
/// Nobody has this one.
const OTHER: AoKey<'_> = AoKey { key: b"somebody else's", ..FIRST };

fn scope(peers: &str) -> KeyScope {
    KeyScope::of(peers.parse().unwrap())
}

/// A pair whose ends have these keys for each other.
fn pair_with(keys: &[AoKey<'_>], config: StackConfig) -> Pair {
    let mut pair = Pair::with(config, config);
    keys.iter().for_each(|key| add(&mut pair, key));
    pair
}

fn add(pair: &mut Pair, key: &AoKey<'_>) {
    let now = pair.now;
    pair.client.add_ao_key(now, &scope("10.0.0.2/32"), key).unwrap();
    pair.server.add_ao_key(now, &scope("10.0.0.0/24"), &key.turned()).unwrap();
}

fn pair() -> Pair {
    pair_with(&[FIRST], config())
}

/// How many segments were dropped for their signatures, and why.
#[derive(PartialEq, Eq, Debug, Default)]
struct Dropped {
    missing: u64,
    unexpected: u64,
    wrong: u64,
    key_unknown: u64,
    not_checkable: u64,
}

fn dropped(host: &Host) -> Dropped {
    let all = host.statistics();
    Dropped {
        missing: all.signature_missing,
        unexpected: all.signature_unexpected,
        wrong: all.signature_wrong,
        key_unknown: all.signature_key_unknown,
        not_checkable: all.signature_not_checkable,
    }
}

/// Who knows the keys and both initial numbers, and so can check and make packets of a connection.
#[derive(Clone, Copy)]
struct Insider(AoWitness);

impl Insider {
    /// Who has seen the SYN of the client, and the SYN-ACK if there was one.
    fn of(syn: &[u8], syn_ack: Option<&[u8]>) -> Self {
        let mut witness = AoWitness::default();
        [Some(syn), syn_ack].into_iter().flatten().for_each(|packet| witness.see(packet));
        Insider(witness)
    }

    /// The signer of a packet of either end, by a key as the client has it.
    fn signer(&self, packet: &[u8], key: &AoKey<'_>, sne: u32) -> AoSigner {
        let signer = self.0.signer(packet, key.algorithm, key.covers_options, key.key);
        AoSigner { sne, ..signer.unwrap() }
    }

    fn has_signed(&self, packet: &[u8], key: &AoKey<'_>, sne: u32) -> bool {
        self.signer(packet, key, sne).has_signed(packet)
    }

    /// A packet with this header and payload like one that either end has sent, signed.
    fn packet(
        &self,
        like: &[u8],
        key: &AoKey<'_>,
        sne: u32,
        payload: &[u8],
        change: impl FnOnce(&mut Header),
    ) -> Vec<u8> {
        let Segment { mut header, ip, .. } = segment(like);
        header.options = Options { signature: Some(SignatureKind::Ao), ..header.options };
        change(&mut header);
        let (mut headers, complete) = ([0; MAX_HEADER], WriteChecksum::Complete);
        let len = write_packet_header(&mut headers, &ip, &header, [payload, &[]], complete);
        let mut packet = [&headers[..len], payload].concat();
        let is_clients = ip.source.to_string() == CLIENT;
        let (key_id, rnext_key_id) =
            if is_clients { (key.send_id, key.recv_id) } else { (key.recv_id, key.send_id) };
        let ids = KeyIds { key_id, rnext_key_id };
        let signer = self.signer(&packet, key, sne);
        signer.sign_headers(&mut packet, 20, [&[], &[]], complete, ids);
        packet
    }
}

impl Pair {
    /// The handshake, of which the insider sees the SYNs. Gives both connections too.
    fn established_before(&mut self) -> (Handle, Handle, Insider) {
        let listener = self.listen();
        let client = self.connect();
        let syn = packets(self.now, &mut self.client).remove(0);
        self.server.on_packet(self.now, &syn);
        let syn_ack = packets(self.now, &mut self.server).remove(0);
        let insider = Insider::of(&syn, Some(&syn_ack));
        for packet in [&syn, &syn_ack] {
            assert!(insider.has_signed(packet, &FIRST, 0), "{:?}", segment(packet));
        }
        self.client.on_packet(self.now, &syn_ack);
        self.run_before(&insider, &FIRST);
        (client, self.server.accept(listener).unwrap(), insider)
    }

    /// As [`run`](Pair::run), and asserts that each packet is signed by this key. Gives all.
    fn run_before(&mut self, insider: &Insider, key: &AoKey<'_>) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        loop {
            self.now += STEP;
            let before = all.len();
            for packet in packets(self.now, &mut self.client) {
                assert!(insider.has_signed(&packet, key, 0), "{:?}", segment(&packet));
                self.server.on_packet(self.now, &packet);
                all.push(packet);
            }
            for packet in packets(self.now, &mut self.server) {
                assert!(insider.has_signed(&packet, key, 0), "{:?}", segment(&packet));
                self.client.on_packet(self.now, &packet);
                all.push(packet);
            }
            if all.len() == before {
                return all;
            }
        }
    }

    fn ao(&self, client: Handle) -> AoInfo {
        self.client.info(self.now, client).unwrap().ao.unwrap()
    }
}

/// RFC 5925 section 7.4: every segment, whatever it is.
#[test]
fn each_segment_of_a_connection_is_signed_from_its_syn_to_its_time_wait() {
    let mut pair = pair();
    let (client, server, insider) = pair.established_before();
    pair.client.send(pair.now, client, &[7; 4_000]).unwrap();
    pair.server.send(pair.now, server, b"answer").unwrap();
    pair.run_before(&insider, &FIRST);
    assert_eq!(pair.server.received(server).unwrap()[0], [7; 4_000]);
    assert_eq!(pair.client.received(client).unwrap()[0], *b"answer");
    pair.server.consume(pair.now, server, 4_000).unwrap();
    pair.client.shutdown(pair.now, client).unwrap();
    pair.run_before(&insider, &FIRST);
    pair.server.close(pair.now, server).unwrap();
    let last = pair.run_before(&insider, &FIRST);
    let fin = last.iter().find(|packet| segment(packet).header.flags.contains(Flags::FIN));
    // The peer's FIN comes again, and TIME-WAIT answers.
    pair.client.on_packet(pair.now, fin.unwrap());
    let answers = packets(pair.now, &mut pair.client);
    assert_eq!(shape(&answers), [(Flags::ACK, String::new())]);
    assert!(insider.has_signed(&answers[0], &FIRST, 0));
    for host in [&pair.client, &pair.server] {
        assert_eq!(dropped(host), Dropped::default());
    }
}

#[test]
fn resets_challenges_and_probes_are_signed() {
    let mut pair = pair();
    let (client, server, insider) = pair.established_before();
    pair.client.set_keepalive(pair.now, client, Some(Keepalive::default())).unwrap();
    pair.wait();
    let probe = pair.run_before(&insider, &FIRST);
    assert_eq!(probe.len(), 2, "a keepalive probe and its answer");
    // RFC 5961 section 4.2: a SYN in the window is challenged.
    let syn = insider.packet(&probe[0], &FIRST, 0, b"", |header| header.flags = Flags::SYN);
    pair.server.on_packet(pair.now, &syn);
    let challenge = packets(pair.now, &mut pair.server);
    assert_eq!(shape(&challenge), [(Flags::ACK, String::new())]);
    assert!(insider.has_signed(&challenge[0], &FIRST, 0));
    pair.server.abort(pair.now, server).unwrap();
    let reset = pair.run_before(&insider, &FIRST);
    assert_eq!(shape(&reset), [(Flags::RST | Flags::ACK, String::new())]);
    assert_eq!(pair.client.info(pair.now, client).unwrap().error, Some(Error::Reset));
}

/// RFC 5925 section 7.6: beside timestamps there is room for one SACK block.
#[test]
fn full_segments_leave_room_for_the_option_and_sack_stays() {
    for (sack, timestamps, mss) in
        [(true, true, 1_432), (true, false, 1_444), (false, true, 1_432), (false, false, 1_444)]
    {
        let mut pair = pair();
        let listener = pair.listen();
        let config = Config { sack, timestamps, ..Config::default() };
        let client = pair.client.connect(pair.now, addr("10.0.0.2:80"), None, &config).unwrap();
        pair.run();
        let server = pair.server.accept(listener).unwrap();
        for info in [pair.client.info(pair.now, client), pair.server.info(pair.now, server)] {
            let info = info.unwrap();
            assert!(info.signed);
            assert_eq!((info.mss, info.peer_mss), (mss, 1_460));
            assert_eq!((info.sack, info.timestamps), (sack, timestamps));
        }
        pair.client.send(pair.now, client, &[1; 6_000]).unwrap();
        let sent = packets(pair.now, &mut pair.client);
        assert_eq!(sent[0].len(), 1_500);
        for lost in [1, 3] {
            pair.server.on_packet(pair.now, &sent[lost]);
        }
        let reports = packets(pair.now, &mut pair.server);
        let blocks = segment(reports.last().unwrap()).header.options.sack.as_slice().len();
        let expected = if !sack {
            0
        } else if timestamps {
            1
        } else {
            2
        };
        assert_eq!(blocks, expected);
    }
}

/// Section 7.3: "silently discarded", and for each reason its count.
#[test]
fn whoever_does_not_have_the_key_hears_nothing_and_is_counted() {
    let unknown = AoKey { send_id: 9, ..FIRST };
    for (key, expected) in [
        (Some(OTHER), Dropped { wrong: 1, ..Dropped::default() }),
        (Some(unknown), Dropped { key_unknown: 1, ..Dropped::default() }),
        (None, Dropped { missing: 1, ..Dropped::default() }),
    ] {
        let mut pair = Pair::new();
        pair.server.add_ao_key(pair.now, &scope("10.0.0.0/24"), &FIRST.turned()).unwrap();
        if let Some(key) = key {
            pair.client.add_ao_key(pair.now, &scope("10.0.0.2/32"), &key).unwrap();
        }
        let listener = pair.listen();
        pair.connect();
        pair.run();
        assert_eq!(dropped(&pair.server), expected);
        assert_eq!(pair.server.statistics().packets_sent, 0);
        assert_eq!(pair.server.accept(listener), None);
    }
}

/// Section 7.3: at first they are taken as if they had no such option.
#[test]
fn options_without_a_key_are_ignored_or_refused() {
    for refuses in [false, true] {
        let mut pair = Pair::new();
        pair.client.add_ao_key(pair.now, &scope("10.0.0.2/32"), &FIRST).unwrap();
        pair.server.refuse_unmatched_ao(refuses).unwrap();
        pair.listen();
        pair.connect();
        let syn = packets(pair.now, &mut pair.client).remove(0);
        pair.server.on_packet(pair.now, &syn);
        let answers = packets(pair.now, &mut pair.server);
        let statistics = pair.server.statistics();
        let counts = (statistics.signatures_ignored, statistics.signature_unexpected);
        assert_eq!((answers.len(), counts), if refuses { (0, (0, 1)) } else { (1, (1, 0)) });
        // The answer has no option, which the client asks for.
        for answer in &answers {
            assert_eq!(segment(answer).header.options.signature, None);
            pair.client.on_packet(pair.now, answer);
            assert_eq!(pair.client.statistics().signature_missing, 1);
        }
    }
}

/// Any byte that is covered, of the packet's addresses, ports, option and text.
#[test]
fn any_altered_byte_of_a_signed_segment_has_it_dropped() {
    for key in [FIRST, AoKey { algorithm: Aes128Cmac, ..FIRST }] {
        let mut pair = Pair::new();
        pair.client.add_ao_key(pair.now, &scope("10.0.0.2/32"), &key).unwrap();
        pair.server.add_ao_key(pair.now, &scope("0.0.0.0/0"), &key.turned()).unwrap();
        let (client, server) = pair.established();
        pair.client.send(pair.now, client, b"some text that nobody is to alter").unwrap();
        let packet = packets(pair.now, &mut pair.client).remove(0);
        let Info { ao: _, ref received, .. } = before_of(&pair, server);
        let received = *received;
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
        assert_eq!(before_of(&pair, server).received, received);
        assert_eq!(packets(pair.now, &mut pair.server), Vec::<Vec<u8>>::new());
        let all = pair.server.statistics();
        let Dropped { missing, unexpected, wrong, key_unknown, not_checkable } =
            dropped(&pair.server);
        let signatures = missing + unexpected + wrong + key_unknown + not_checkable;
        let others = all.bad_header + all.bad_address + all.not_for_us + all.malformed;
        assert_eq!(signatures + others, altered);
        pair.server.on_packet(pair.now, &packet);
        assert_eq!(pair.server.received(server).unwrap()[0].len(), 33);
    }
}

/// What an attacker could change of a connection.
struct Info {
    ao: Option<AoInfo>,
    received: u64,
}

fn before_of(pair: &Pair, server: Handle) -> Info {
    let info = pair.server.info(pair.now, server).unwrap();
    Info { ao: info.ao, received: info.segments_received }
}

/// Section 6.2: half of the circle four times is the circle once, and what was recorded before is of another
/// sequence number then, though its 32 bits are the same.
#[test]
fn a_segment_of_before_the_wrap_is_not_taken_again() {
    let mut pair = pair();
    let (client, server, insider) = pair.established_before();
    pair.client.send(pair.now, client, b"once").unwrap();
    let recorded = packets(pair.now, &mut pair.client).remove(0);
    pair.server.on_packet(pair.now, &recorded);
    assert_eq!(before_of(&pair, server).ao.unwrap().sne, [0, 0]);
    let extended = u64::from(segment(&recorded).header.seq.0);
    // Acks of the peer's, each with a right code, a quarter of the circle further on.
    for quarter in 1..=4_u64 {
        let seq = extended + (quarter << 30);
        let ack = insider.packet(&recorded, &FIRST, (seq >> 32) as u32, b"", |header| {
            header.seq = SeqNumber(seq as u32);
            header.flags = Flags::ACK;
        });
        pair.server.on_packet(pair.now, &ack);
        assert_eq!(dropped(&pair.server), Dropped::default(), "{quarter}");
    }
    assert_eq!(before_of(&pair, server).ao.unwrap().sne[1], 1);
    pair.server.on_packet(pair.now, &recorded);
    assert_eq!(dropped(&pair.server), Dropped { wrong: 1, ..Dropped::default() });
    // The same with the extension of now has a right code, and so has one of before the wrap with that of then.
    let again = insider.packet(&recorded, &FIRST, 1, b"once", |_| {});
    pair.server.on_packet(pair.now, &again);
    let seq = extended + (3 << 30);
    let before = insider.packet(&recorded, &FIRST, (seq >> 32) as u32, b"", |header| {
        header.seq = SeqNumber(seq as u32);
    });
    pair.server.on_packet(pair.now, &before);
    assert_eq!(dropped(&pair.server), Dropped { wrong: 1, ..Dropped::default() });
}

/// Section 6.2: data cross the end of the sequence numbers in both directions.
#[test]
fn a_transfer_goes_on_when_its_numbers_wrap() {
    // Initial numbers advance by one in 4 microseconds (RFC 6528), so a time is found at which the next ones are at
    // their end.
    let mut probe = pair();
    probe.connect();
    let isn = segment(&packets(probe.now, &mut probe.client)[0]).header.seq;
    let left = u64::from(u32::MAX - isn.0).saturating_sub(20_000);
    let mut pair = pair();
    pair.now = probe.now + Duration::from_micros(4 * left);
    let listener = pair.listen();
    let client = pair.connect();
    pair.run();
    let server = pair.server.accept(listener).unwrap();
    let mut taken = 0;
    for round in 0..20 {
        pair.client.send(pair.now, client, &[round; 5_000]).unwrap();
        pair.run();
        let [first, second] = pair.server.received(server).unwrap();
        assert!(first.iter().chain(second).all(|byte| *byte == round));
        let len = first.len() + second.len();
        pair.server.consume(pair.now, server, len).unwrap();
        taken += len;
    }
    assert_eq!(taken, 100_000);
    assert_eq!(pair.ao(client).sne[0], 1, "the numbers have wrapped");
    assert_eq!(before_of(&pair, server).ao.unwrap().sne[1], 1);
    assert_eq!(dropped(&pair.server), Dropped::default());
    assert_eq!(dropped(&pair.client), Dropped::default());
}

/// Section 7.7: what is of no connection that we know cannot be checked, nor a reset signed.
#[test]
fn nothing_is_answered_of_which_nothing_is_known() {
    let mut pair = pair();
    let (client, _, insider) = pair.established_before();
    pair.client.send(pair.now, client, b"text").unwrap();
    let text = packets(pair.now, &mut pair.client).remove(0);
    let mut restarted = Pair::new();
    restarted.server.add_ao_key(pair.now, &scope("10.0.0.0/24"), &FIRST.turned()).unwrap();
    restarted.listen();
    restarted.server.on_packet(pair.now, &text);
    let not_checkable = Dropped { not_checkable: 1, ..Dropped::default() };
    assert_eq!(dropped(&restarted.server), not_checkable);
    // A SYN to where nobody listens is checked, and the reset that it would get has no key.
    let syn = insider.packet(&text, &FIRST, 0, b"", |header| {
        (header.flags, header.destination_port) = (Flags::SYN, 81);
    });
    restarted.server.on_packet(pair.now, &syn);
    assert_eq!(packets(pair.now, &mut restarted.server), Vec::<Vec<u8>>::new());
    assert_eq!(dropped(&restarted.server), not_checkable);
    assert_eq!(restarted.server.statistics().unsigned_suppressed, 1);
}

/// Section 7.8.
#[test]
fn hard_icmp_errors_are_ignored_unless_the_user_wants_them() {
    let mut pair = pair();
    let (client, _, _) = pair.established_before();
    pair.client.send(pair.now, client, &[1; 1_444]).unwrap();
    let sent = packets(pair.now, &mut pair.client).remove(0);
    let too_big = IcmpErrorKind::PacketTooBig { mtu: 1_000 };
    let error = |kind| {
        let ip = IpInfo {
            source: SERVER.parse::<IpAddr>().unwrap().into(),
            destination: CLIENT.parse::<IpAddr>().unwrap().into(),
            hop_limit: 64,
            dscp: 0,
            ecn: crate::wire::Ecn::NotEct,
        };
        let (mut headers, quote) = ([0; MAX_HEADER], &sent[..28]);
        let len = write_icmp_error(&mut headers, &ip, kind, quote);
        [&headers[..len], quote].concat()
    };
    for kind in [IcmpErrorKind::Refused, too_big] {
        pair.client.on_packet(pair.now, &error(kind));
    }
    let info = pair.client.info(pair.now, client).unwrap();
    assert_eq!((info.soft_error, info.pmtu), (None, 1_500));
    assert_eq!(pair.client.statistics().icmp_ignored, 2);
    pair.client.on_packet(pair.now, &error(IcmpErrorKind::Unreachable));
    let info = pair.client.info(pair.now, client).unwrap();
    assert_eq!(info.soft_error, Some(IcmpErrorKind::Unreachable), "soft ones change nothing");
    pair.client.set_ao_heeds_icmp(pair.now, client, true).unwrap();
    pair.client.on_packet(pair.now, &error(IcmpErrorKind::Refused));
    let info = pair.client.info(pair.now, client).unwrap();
    assert_eq!(info.soft_error, Some(IcmpErrorKind::Refused));
}

/// A SYN cookie is the number that the keys of the connection are made of: nothing need be kept.
#[test]
fn a_flooded_listener_answers_with_signed_cookies() {
    let mut pair = pair_with(&[FIRST, SECOND], config());
    let config = ListenConfig { half_open: 1, ..ListenConfig::new(addr("0.0.0.0:80")) };
    let listener = pair.server.listen(config).unwrap();
    pair.connect();
    let syn = packets(pair.now, &mut pair.client).remove(0);
    pair.server.on_packet(pair.now, &syn);
    packets(pair.now, &mut pair.server);
    let client = pair.connect();
    let syn = packets(pair.now, &mut pair.client).remove(0);
    pair.server.on_packet(pair.now, &syn);
    let cookie = packets(pair.now, &mut pair.server).remove(0);
    let insider = Insider::of(&syn, Some(&cookie));
    assert!(insider.has_signed(&cookie, &FIRST, 0));
    pair.client.on_packet(pair.now, &cookie);
    let ack = packets(pair.now, &mut pair.client).remove(0);
    // Whoever has no key brings no cookie back.
    let mut forged = ack.clone();
    *forged.last_mut().unwrap() ^= 1;
    pair.server.on_received(pair.now, &Received { packet: &forged, verify: NOTHING });
    assert_eq!(dropped(&pair.server), Dropped { wrong: 1, ..Dropped::default() });
    pair.server.on_packet(pair.now, &ack);
    let server = pair.server.accept(listener).expect("the cookie came back");
    let statistics = pair.server.statistics();
    assert_eq!((statistics.syn_cookies_sent, statistics.syn_cookies_accepted), (1, 1));
    pair.client.send(pair.now, client, &[5; 5_000]).unwrap();
    pair.run_before(&insider, &FIRST);
    assert_eq!(pair.server.received(server).unwrap()[0].len(), 5_000);
}

#[test]
fn a_signed_connection_is_not_opened_fast() {
    let mut pair = pair();
    let mut config = ListenConfig::new(addr("0.0.0.0:80"));
    config.set_fast_open(crate::tcp::FastOpenMode::WithoutCookie);
    let listener = pair.server.listen(config).unwrap();
    let fast = Config { fast_open: crate::tcp::FastOpenMode::WithoutCookie, ..Config::default() };
    let client = pair.client.connect(pair.now, addr("10.0.0.2:80"), None, &fast).unwrap();
    pair.client.send(pair.now, client, b"later").unwrap();
    let syn = packets(pair.now, &mut pair.client).remove(0);
    assert_eq!((segment(&syn).payload.len(), segment(&syn).header.options.fast_open()), (0, None));
    let insider = Insider::of(&syn, None);
    let with_text = insider.packet(&syn, &FIRST, 0, b"text", |header| header.source_port = 7);
    pair.server.on_packet(pair.now, &with_text);
    assert_eq!(dropped(&pair.server), Dropped::default());
    assert_eq!(pair.server.statistics().fast_opens, 0);
    assert_eq!(pair.server.accept(listener), None);
}

#[test]
fn a_link_that_segments_gets_single_segments() {
    let mut link = Capabilities::with_mtu(1500);
    link.segmentation = Segmentation::both(60_000);
    let mut pair = pair_with(&[FIRST], StackConfig::new(link, [7, 11]));
    let (client, server, insider) = pair.established_before();
    pair.client.send(pair.now, client, &[3; 10_000]).unwrap();
    let sent = pair.run_before(&insider, &FIRST);
    assert_eq!(sent.iter().filter(|packet| packet.len() > 1_000).count(), 7);
    assert_eq!(pair.server.received(server).unwrap()[0], [3; 10_000]);
}

/// Both ends send SYNs, each by a key that knows nothing of the other's number, and all that follows by both
/// (section 3.2: "All four are used only when a connection goes through 'simultaneous open'").
#[test]
fn both_ends_may_open_at_once() {
    let mut pair = pair();
    let ends = [addr("10.0.0.1:1000"), addr("10.0.0.2:1000")];
    let config = Config::default();
    let client = pair.client.connect(pair.now, ends[1], Some(ends[0]), &config).unwrap();
    let server = pair.server.connect(pair.now, ends[0], Some(ends[1]), &config).unwrap();
    let syns = [packets(pair.now, &mut pair.client), packets(pair.now, &mut pair.server)];
    let insider = Insider::of(&syns[0][0], Some(&syns[1][0]));
    for syn in syns.iter().flatten() {
        assert!(insider.has_signed(syn, &FIRST, 0));
    }
    pair.client.on_packet(pair.now, &syns[1][0]);
    pair.server.on_packet(pair.now, &syns[0][0]);
    pair.run_before(&insider, &FIRST);
    pair.client.send(pair.now, client, b"both").unwrap();
    pair.run_before(&insider, &FIRST);
    assert_eq!(pair.server.received(server).unwrap()[0], *b"both");
}

/// What was kept of connections, their keys among it, goes with them.
#[test]
fn many_connections_one_after_another_leave_nothing() {
    let mut pair = pair();
    let listener = pair.listen();
    for _ in 0..100 {
        let client = pair.connect();
        pair.run();
        let server = pair.server.accept(listener).unwrap();
        pair.server.abort(pair.now, server).unwrap();
        pair.run();
        pair.client.close(pair.now, client).unwrap();
    }
    for host in [&pair.client, &pair.server] {
        assert_eq!(host.ao_sessions(), 0);
        assert_eq!(dropped(host), Dropped::default());
    }
}

/// All are counted; lines in a log are for people.
#[test]
fn of_forged_segments_ten_in_five_seconds_are_told_of() {
    let mut pair = pair();
    let mut told = |after: u64| {
        pair.server.on_timeout(pair.now + Duration::from_millis(after));
        (0..100).filter(|_| pair.server.may_tell()).count()
    };
    assert_eq!([10_000, 14_999, 15_000, 15_001].map(&mut told), [10, 0, 10, 0]);
}

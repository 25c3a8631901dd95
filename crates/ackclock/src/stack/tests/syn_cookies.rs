//! A listener that is flooded with SYNs still opens connections: by SYN cookies (RFC 4987 section 3.6),
//! and without them by giving the places of those that have been half open longest to newer ones.

use super::*;
use crate::profile::Absent;
use crate::stack::half_open::PLACE_KEPT;
use crate::tcp::{EcnMode, Info};

/// How many half-open connections the server has room for.
const PLACES: usize = 4;

profile! { struct WithoutCookies: full { SynCookies = Absent } }

type Flooded<P> = Stack<'static, Window, P>;

/// Lets `count` SYNs arrive, each from a port of its own, that nobody will go on with.
pub(super) fn flood<P: Profile>(now: Instant, server: &mut Flooded<P>, count: u16) {
    (0..count).for_each(|number| flood_one(now, server, number));
}

/// Lets the SYN of this number of a flood arrive.
fn flood_one<P: Profile>(now: Instant, server: &mut Flooded<P>, number: u16) {
    let mut client = host_with(CLIENT, config());
    client.connect(now, addr("10.0.0.2:80"), None, &Config::default()).unwrap();
    let syn = packets(now, &mut client).remove(0);
    server.on_packet(now, &with_header(&syn, |header| header.source_port = 1_000 + number));
    packets(now, server);
}

fn listen<P: Profile>(server: &mut Flooded<P>) -> Listener {
    let few = ListenConfig { half_open: PLACES, ..ListenConfig::new(addr("0.0.0.0:80")) };
    server.listen(few).unwrap()
}

/// A pair whose server has no room for another half-open connection.
fn flooded() -> (Pair, Listener) {
    let mut pair = Pair::new();
    let listener = listen(&mut pair.server);
    flood(pair.now, &mut pair.server, PLACES as u16);
    (pair, listener)
}

/// A client's connection with this configuration to a flooded server, and the server's end of it.
fn opened(config: &Config) -> (Info, Info) {
    let (mut pair, listener) = flooded();
    let client = pair.client.connect(pair.now, addr("10.0.0.2:80"), None, config).unwrap();
    pair.run();
    let server = pair.server.accept(listener).unwrap();
    let statistics = pair.server.statistics();
    assert_eq!((statistics.syn_cookies_sent, statistics.syn_cookies_accepted), (1, 1));
    let infos = (pair.client.info(pair.now, client), pair.server.info(pair.now, server));
    (infos.0.unwrap(), infos.1.unwrap())
}

/// A client's connection to a flooded server: the SYN, the cookie, and the ack of it with `data`, which
/// are yet to be delivered.
fn with_cookie(pair: &mut Pair, data: &[u8]) -> Vec<Vec<u8>> {
    let client = pair.connect();
    let syn = packets(pair.now, &mut pair.client).remove(0);
    pair.server.on_packet(pair.now, &syn);
    let cookie = packets(pair.now, &mut pair.server).remove(0);
    pair.client.on_packet(pair.now, &cookie);
    pair.client.send(pair.now, client, data).unwrap();
    let mut all = packets(pair.now, &mut pair.client);
    all.splice(0..0, [syn, cookie]);
    all
}

#[test]
fn with_timestamps_all_that_both_offer_is_agreed_on() {
    let ecn = EcnMode::Request;
    let (client, server) = opened(&Config { ecn, ..Config::default() });
    let agreed = |info: &Info| (info.sack, info.timestamps, info.ecn, info.peer_mss);
    assert_eq!(agreed(&client), (true, true, true, 1460));
    assert_eq!(agreed(&server), (true, true, true, 1460));
    assert_eq!((client.window_scale, server.window_scale), (Some((3, 3)), Some((3, 3))));
    let none = Config { window_scaling: false, sack: false, ..Config::default() };
    let (client, server) = opened(&none);
    assert_eq!(agreed(&client), (false, true, false, 1460));
    assert_eq!(agreed(&server), (false, true, false, 1460));
    assert_eq!((client.window_scale, server.window_scale), (None, None));
}

#[test]
fn without_timestamps_one_of_the_usual_segment_sizes_is_kept() {
    for (mss, kept) in [(1460, 1460), (1459, 1440), (1300, 1220), (600, 536), (535, 256), (100, 48)]
    {
        let config = Config { timestamps: false, mss: Some(mss), ..Config::default() };
        let (client, server) = opened(&config);
        let agreed = |info: &Info| (info.sack, info.timestamps, info.ecn, info.window_scale);
        assert_eq!(agreed(&client), (false, false, false, None));
        assert_eq!(agreed(&server), (false, false, false, None));
        assert_eq!(server.peer_mss, kept, "{mss}");
    }
}

#[test]
fn the_first_ack_brings_its_data() {
    let (mut pair, listener) = flooded();
    let sent = with_cookie(&mut pair, b"hello");
    // The bare ack is lost.
    let data = sent.last().unwrap();
    pair.server.on_packet(pair.now, data);
    let server = pair.server.accept(listener).unwrap();
    assert_eq!(pair.server.received(server), Ok([&b"hello"[..], &[]]));
    pair.run();
    assert_eq!(pair.server.info(pair.now, server).unwrap().rtt_samples, 0, "nothing was measured");
}

#[test]
fn the_table_stays_as_it_is_and_takes_those_that_were_there_before() {
    let mut pair = Pair::new();
    let listener = listen(&mut pair.server);
    pair.connect();
    let syn = packets(pair.now, &mut pair.client).remove(0);
    pair.server.on_packet(pair.now, &syn);
    let syn_ack = packets(pair.now, &mut pair.server).remove(0);
    flood(pair.now, &mut pair.server, 1_000);
    let statistics = pair.server.statistics();
    assert_eq!(statistics.half_open_overflow, 1_001 - PLACES as u64);
    assert_eq!(statistics.syn_cookies_sent, 1_001 - PLACES as u64);
    pair.client.on_packet(pair.now, &syn_ack);
    pair.run();
    assert!(pair.server.accept(listener).is_some());
    assert_eq!(pair.server.statistics().syn_cookies_accepted, 0);
}

/// What a cookie says is known for one minute or two.
#[test]
fn a_cookie_is_taken_for_a_minute_and_for_two_at_most() {
    for (seconds, taken) in [(60, true), (130, false)] {
        let (mut pair, listener) = flooded();
        let ack = with_cookie(&mut pair, b"").remove(2);
        pair.now += Duration::from_secs(seconds);
        // The listener still has reason to send cookies.
        flood(pair.now, &mut pair.server, 2 * PLACES as u16);
        pair.server.on_packet(pair.now, &ack);
        assert_eq!(pair.server.accept(listener).is_some(), taken, "after {seconds} s");
        let statistics = pair.server.statistics();
        let counts = (statistics.syn_cookies_accepted, statistics.syn_cookies_refused);
        assert_eq!(counts, (taken.into(), (!taken).into()));
    }
}

#[test]
fn what_was_not_sent_as_a_cookie_is_reset() {
    type Change = fn(&mut Header);
    let changes: [Change; 7] = [
        |header| header.flags |= Flags::SYN,
        |header| header.ack += 1,
        |header| header.ack += 4,
        |header| header.ack += 0x1000_0000,
        |header| header.seq += 1,
        |header| header.source_port += 1,
        |header| header.destination_port += 1,
    ];
    let (mut pair, listener) = flooded();
    pair.server.listen(ListenConfig::new(addr("0.0.0.0:81"))).unwrap();
    let ack = with_cookie(&mut pair, b"").remove(2);
    for change in changes {
        pair.server.on_packet(pair.now, &with_header(&ack, change));
        let [(flags, _)] = &shape(&packets(pair.now, &mut pair.server))[..] else {
            panic!("one answer");
        };
        assert_eq!(*flags, Flags::RST);
        assert!(pair.server.accept(listener).is_none());
    }
    // That to another listener, which has sent no cookies, was not looked at.
    assert_eq!(pair.server.statistics().syn_cookies_refused, 6);
    pair.server.on_packet(pair.now, &ack);
    assert!(pair.server.accept(listener).is_some());
}

#[test]
fn a_listener_that_had_room_for_some_minutes_takes_no_cookie() {
    let (mut pair, listener) = flooded();
    let ack = with_cookie(&mut pair, b"").remove(2);
    pair.now += Duration::from_secs(130);
    pair.server.on_packet(pair.now, &ack);
    assert_eq!(shape(&packets(pair.now, &mut pair.server)), [(Flags::RST, "".into())]);
    assert!(pair.server.accept(listener).is_none());
    assert_eq!(pair.server.statistics().syn_cookies_refused, 0, "it was not even looked at");
}

#[test]
fn a_cookie_waits_like_others_until_there_is_room_to_be_accepted() {
    let mut pair = Pair::new();
    let one = ListenConfig { half_open: 1, backlog: 1, ..ListenConfig::new(addr("0.0.0.0:80")) };
    let listener = pair.server.listen(one).unwrap();
    flood(pair.now, &mut pair.server, 1);
    let first = with_cookie(&mut pair, b"").remove(2);
    let second = with_cookie(&mut pair, b"").remove(2);
    pair.server.on_packet(pair.now, &first);
    pair.server.on_packet(pair.now, &second);
    assert_eq!(pair.server.statistics().accept_overflow, 1);
    assert!(pair.server.accept(listener).is_some());
    assert!(pair.server.accept(listener).is_none());
    // The SYN-ACK goes again, and the peer acknowledges it.
    pair.wait();
    pair.run();
    assert!(pair.server.accept(listener).is_some());
}

/// The ack and the first segment are lost: what follows shows nothing, and is no reason for a reset.
#[test]
fn data_behind_a_lost_cookie_waits_for_what_was_lost() {
    let (mut pair, listener) = flooded();
    let sent = with_cookie(&mut pair, &[1; 2 * 1_448]);
    let second = sent.last().unwrap();
    let fin = with_header(second, |header| header.flags |= Flags::FIN);
    let received = Received { packet: second, verify: Checksums::default() };
    assert!(pair.server.claim(pair.now, &received), "no other stack is to answer it");
    pair.server.on_packet(pair.now, &fin);
    assert_eq!(shape(&packets(pair.now, &mut pair.server)), []);
    assert_eq!(pair.server.statistics().syn_cookies_refused, 2);
    let server = (0..10).find_map(|_| {
        pair.wait();
        pair.run();
        pair.server.accept(listener)
    });
    let info = pair.server.info(pair.now, server.unwrap()).unwrap();
    assert_eq!(info.receive_queue, 2 * 1_448);
}

/// Others take what was there when the cookie was sent.
#[test]
fn a_cookie_offers_what_is_there_for_sure() {
    let memory = 1 << 20;
    let mut pair = Pair::with(config(), StackConfig { memory, ..config() });
    let listener = listen(&mut pair.server);
    flood(pair.now, &mut pair.server, PLACES as u16);
    // As many as the unit of a scaled window.
    let sent = with_cookie(&mut pair, b"8 bytes.");
    let edge = |packet: &[u8], shift| {
        let header = segment(packet).header;
        header.ack + (u32::from(header.window) << shift)
    };
    let offered = edge(&sent[1], 0);
    for _ in 0..8 {
        pair.connect();
        pair.run();
    }
    assert_eq!(pair.server.acceptable(listener), 8);
    pair.server.on_packet(pair.now, sent.last().unwrap());
    let ack = packets(pair.now, &mut pair.server).remove(0);
    assert!(!offered.after(edge(&ack, 3)), "{offered} {}", edge(&ack, 3));
    assert_eq!(segment(&sent[1]).header.window, 4_096);
}

/// When the cookie was sent is not known.
#[test]
fn a_cookie_that_waits_is_repeated_by_the_timer_and_measures_nothing() {
    let mut pair = Pair::new();
    let one = ListenConfig { half_open: 1, backlog: 1, ..ListenConfig::new(addr("0.0.0.0:80")) };
    let listener = pair.server.listen(one).unwrap();
    flood(pair.now, &mut pair.server, 1);
    let acks = [(); 2].map(|()| with_cookie(&mut pair, b"").remove(2));
    acks.iter().for_each(|ack| {
        pair.server.on_packet(pair.now, ack);
    });
    let at_once = packets(pair.now, &mut pair.server).len();
    assert!(pair.server.accept(listener).is_some());
    pair.now += Duration::from_secs(1);
    pair.server.on_timeout(pair.now);
    let later = packets(pair.now, &mut pair.server).len();
    // The same ack once more, not one of what was sent just now.
    pair.now += STEP;
    pair.server.on_packet(pair.now, &acks[1]);
    let server = pair.server.accept(listener).unwrap();
    let samples = pair.server.info(pair.now, server).unwrap().rtt_samples;
    assert_eq!((at_once, later, samples), (0, 1, 0));
}

/// A server whose listener does without cookies.
fn cookieless() -> (Flooded<WithoutCookies>, Listener) {
    let mut server = Stack::new(config(), Window, Storage::growing_for(WithoutCookies)).unwrap();
    server.add_address(Cidr { address: SERVER.parse().unwrap(), prefix: 24 }).unwrap();
    let listener = listen(&mut server);
    (server, listener)
}

#[test]
fn without_cookies_the_oldest_give_way() {
    let (mut server, listener) = cookieless();
    let mut client = host_with(CLIENT, StackConfig { secret: [1, 2], ..config() });
    let mut now = millis(1_000);
    let mut open = |server: &mut Flooded<WithoutCookies>, others| {
        client.connect(now, addr("10.0.0.2:80"), None, &Config::default()).unwrap();
        server.on_packet(now, &packets(now, &mut client)[0]);
        let syn_ack = packets(now, server).remove(0);
        for number in others {
            now += PLACE_KEPT;
            flood_one(now, server, number);
        }
        client.on_packet(now, &syn_ack);
        packets(now, &mut client).iter().for_each(|ack| {
            server.on_packet(now, ack);
        });
        now += PLACE_KEPT;
        server.accept(listener).is_some()
    };
    assert!(open(&mut server, 1..PLACES as u16), "its place was not needed yet");
    assert!(!open(&mut server, 10..10 + PLACES as u16), "it was the oldest");
    assert_eq!(server.statistics().half_open_overflow, PLACES as u64);
    assert_eq!(server.statistics().syn_cookies_sent, 0);
    assert_eq!(packets(now, &mut server).len(), 1, "a reset");
}

#[test]
fn without_cookies_whose_syn_ack_has_just_been_sent_keeps_its_place() {
    let (mut server, listener) = cookieless();
    let mut client = host_with(CLIENT, StackConfig { secret: [1, 2], ..config() });
    let mut now = millis(1_000);
    // More at once than there are places for.
    for _ in 0..=PLACES {
        client.connect(now, addr("10.0.0.2:80"), None, &Config::default()).unwrap();
    }
    let mut syn_acks = Vec::new();
    for syn in packets(now, &mut client) {
        server.on_packet(now, &syn);
        syn_acks.extend(packets(now, &mut server));
    }
    now += Duration::from_millis(99);
    let mut finish = |now, server: &mut Flooded<WithoutCookies>, syn_acks: &[Vec<u8>]| {
        client.on_timeout(now);
        syn_acks.iter().for_each(|syn_ack| {
            client.on_packet(now, syn_ack);
        });
        packets(now, &mut client).iter().for_each(|packet| {
            server.on_packet(now, packet);
        });
        server.acceptable(listener)
    };
    assert_eq!(finish(now, &mut server, &syn_acks), PLACES);
    assert_eq!((server.statistics().half_open_overflow, server.statistics().resets_sent), (1, 0));
    // The one that was left repeats its SYN.
    now = millis(2_000);
    finish(now, &mut server, &[]);
    let syn_ack = packets(now, &mut server);
    assert_eq!(finish(now, &mut server, &syn_ack), PLACES + 1);
}

#[test]
fn without_cookies_who_has_finished_the_handshake_keeps_the_place_until_there_is_room() {
    let (mut server, first) = cookieless();
    server.close_listener(millis(1_000), first);
    let few = ListenConfig { half_open: 2, backlog: 1, ..ListenConfig::new(addr("0.0.0.0:80")) };
    let listener = server.listen(few).unwrap();
    let mut client = host_with(CLIENT, StackConfig { secret: [1, 2], ..config() });
    let mut now = millis(1_000);
    let mut syn_acks = Vec::new();
    for _ in 0..2 {
        client.connect(now, addr("10.0.0.2:80"), None, &Config::default()).unwrap();
        server.on_packet(now, &packets(now, &mut client)[0]);
        syn_acks.extend(packets(now, &mut server));
    }
    syn_acks.iter().for_each(|syn_ack| {
        client.on_packet(now, syn_ack);
    });
    let acks = packets(now, &mut client);
    acks.iter().for_each(|ack| {
        server.on_packet(now, ack);
    });
    assert!(server.accept(listener).is_some());
    assert!(server.accept(listener).is_none(), "its ack came before there was room");
    for number in 0..3 {
        now += PLACE_KEPT;
        flood_one(now, &mut server, number);
    }
    server.on_packet(now, &acks[1]);
    assert!(server.accept(listener).is_some());
    assert_eq!(server.statistics().resets_sent, 0);
}

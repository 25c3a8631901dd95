//! What of a connection or listener can be changed while it is open.

use super::*;
use crate::congestion::BuiltIn;
use crate::tcp::{AckPolicy, ConfigError, Error, Keepalive, ReceiveError, State};

/// The window that the next packet of a host tells, whose shift is `shift`.
fn told<C: CongestionController + Clone, P: Profile>(
    now: Instant,
    host: &mut Stack<'_, C, P>,
    shift: u8,
) -> u32 {
    let packets = packets(now, host);
    u32::from(segment(packets.last().expect("a packet")).header.window) << shift
}

/// A pair whose connections acknowledge every segment, and its ends.
fn eager() -> (Pair, Handle, Handle) {
    let mut pair = Pair::new();
    let mut listen = ListenConfig::new(addr("0.0.0.0:80"));
    listen.connection.ack_policy = AckPolicy::EverySegment;
    let listener = pair.server.listen(listen).unwrap();
    let client = pair.connect();
    pair.run();
    let server = pair.server.accept(listener).unwrap();
    (pair, client, server)
}

#[test]
fn a_user_timeout_can_be_set_later() {
    let mut pair = Pair::new();
    let (client, _) = pair.established();
    let timeout = Some(Duration::from_secs(3));
    pair.client.set_user_timeout(pair.now, client, timeout).unwrap();
    pair.client.send(pair.now, client, b"lost").unwrap();
    let begin = pair.now;
    packets(pair.now, &mut pair.client);
    while pair.client.info(pair.now, client).unwrap().error.is_none() {
        pair.now = pair.client.poll_at();
        pair.client.on_timeout(pair.now);
        packets(pair.now, &mut pair.client);
    }
    assert_eq!(pair.now.saturating_since(begin), Duration::from_secs(3));
    let info = pair.client.info(pair.now, client).unwrap();
    assert_eq!(info.error, Some(Error::UserTimeout));
}

#[test]
fn the_time_for_an_answer_to_the_syn_can_be_set_later() {
    let mut pair = Pair::new();
    let client = pair.connect();
    let begin = pair.now;
    pair.client.set_syn_give_up(pair.now, client, Duration::from_secs(7)).unwrap();
    let mut syns = packets(pair.now, &mut pair.client).len();
    while pair.client.info(pair.now, client).unwrap().error.is_none() {
        pair.now = pair.client.poll_at();
        pair.client.on_timeout(pair.now);
        syns += packets(pair.now, &mut pair.client).len();
    }
    assert_eq!((syns, pair.now.saturating_since(begin)), (3, Duration::from_secs(7)));
}

#[test]
fn a_send_buffer_can_be_changed() {
    let mut pair = Pair::new();
    let (client, _) = pair.established();
    pair.client.set_send_buffer(pair.now, client, 10).unwrap();
    assert_eq!(pair.client.send(pair.now, client, &[0; 100]), Ok(10));
    pair.client.set_send_buffer(pair.now, client, 50).unwrap();
    assert_eq!(pair.client.send(pair.now, client, &[0; 100]), Ok(40));
    let zero = pair.client.set_send_buffer(pair.now, client, 0);
    assert_eq!(zero, Err(SettingError::Config(ConfigError::Buffer)));
}

#[test]
fn a_larger_receive_buffer_opens_the_window() {
    let (mut pair, client, server) = eager();
    pair.server.set_receive_buffer(pair.now, server, 256 * 1024).unwrap();
    assert_eq!(packets(pair.now, &mut pair.server).len(), 0, "that is what it has");
    pair.server.set_receive_buffer(pair.now, server, 400_000).unwrap();
    // The peer hears of it at once: the window grows by more than half the old one.
    assert_eq!(told(pair.now, &mut pair.server, 3), 400_000);
    pair.client.send(pair.now, client, b"a").unwrap();
    pair.run();
    assert_eq!(pair.server.receive(pair.now, server, &mut [0; 10]), Ok(1));
}

#[test]
fn a_smaller_receive_buffer_or_clamp_takes_back_no_promise() {
    for by_clamp in [false, true] {
        let (mut pair, client, server) = eager();
        let before = pair.server.info(pair.now, server).unwrap().receive_window;
        match by_clamp {
            true => pair.server.set_window_clamp(pair.now, server, Some(5_000)),
            false => pair.server.set_receive_buffer(pair.now, server, 5_000),
        }
        .unwrap();
        let mut received = 0;
        // The window of the tests' law, and what Nagle holds back.
        while received < before - 5_000 {
            pair.client.send(pair.now, client, &[0; 8_000]).unwrap();
            pair.run();
            let edge = received + pair.server.info(pair.now, server).unwrap().receive_window;
            assert!(edge + 8_000 >= before, "{edge}");
            while let Ok(n @ 1..) = pair.server.receive(pair.now, server, &mut [0; 10_000]) {
                received += n as u32;
            }
        }
        pair.client.send(pair.now, client, &[0; 6_000]).unwrap();
        pair.run();
        let window = pair.server.info(pair.now, server).unwrap().receive_window;
        assert!(window <= 5_000, "{window}");
        assert_eq!(
            pair.server.set_window_clamp(pair.now, server, Some(0)),
            Err(SettingError::Config(ConfigError::Buffer))
        );
    }
}

#[test]
fn a_clamp_of_the_listener_is_told_by_the_syn_ack() {
    let mut pair = Pair::new();
    let mut listen = ListenConfig::new(addr("0.0.0.0:80"));
    listen.connection.window_clamp = Some(3_000);
    pair.server.listen(listen).unwrap();
    pair.connect();
    let syn = packets(pair.now, &mut pair.client);
    pair.server.on_packet(pair.now, &syn[0]);
    let syn_ack = packets(pair.now, &mut pair.server);
    let header = segment(&syn_ack[0]).header;
    assert_eq!((header.window, header.options.window_scale), (3_000, Some(0)));
}

#[test]
fn quick_acks_begin_with_what_waits() {
    let mut pair = Pair::new();
    let mut listen = ListenConfig::new(addr("0.0.0.0:80"));
    let timeout = Duration::from_millis(400);
    listen.connection.ack_policy = AckPolicy::Delayed { timeout, quick_acks: 0 };
    let listener = pair.server.listen(listen).unwrap();
    let client = pair.connect();
    pair.run();
    let server = pair.server.accept(listener).unwrap();
    let acked = |pair: &mut Pair| {
        pair.client.send(pair.now, client, b"a").unwrap();
        pair.run();
        pair.client.info(pair.now, client).unwrap().unacked == 0
    };
    assert!(!acked(&mut pair));
    pair.server.set_quick_acks(pair.now, server, 1).unwrap();
    pair.run();
    assert_eq!(pair.client.info(pair.now, client).unwrap().unacked, 0);
    assert!(acked(&mut pair));
    assert_eq!(pair.server.info(pair.now, server).unwrap().quick_acks, 0);
    assert!(!acked(&mut pair));
}

#[test]
fn another_law_goes_on_from_the_window_of_the_old_one() {
    let law = |name| BuiltIn::by_name(name).unwrap();
    let mut client = Stack::new(config(), law("fixed"), Storage::growing()).unwrap();
    let prefix = 24;
    client.add_address(Cidr { address: addr("10.0.0.1:0").ip(), prefix }).unwrap();
    let mut server = host_with(SERVER, config());
    server.listen(ListenConfig::new(addr("0.0.0.0:80"))).unwrap();
    let now = millis(5);
    let to = addr("10.0.0.2:80");
    let handle = client.connect(now, to, None, &Config::default()).unwrap();
    client.set_controller(now, handle, law("veno")).unwrap();
    assert_eq!(client.info(now, handle).unwrap().congestion, "veno");
    for _ in 0..2 {
        packets(now, &mut client).iter().for_each(|packet| {
            server.on_packet(now, packet);
        });
        packets(now, &mut server).iter().for_each(|packet| {
            client.on_packet(now, packet);
        });
    }
    let window = client.info(now, handle).unwrap().cwnd;
    client.set_controller(now, handle, law("reno")).unwrap();
    let info = client.info(now, handle).unwrap();
    assert_eq!((info.congestion, info.cwnd, info.ssthresh), ("reno", window, u32::MAX));
}

#[test]
fn a_listener_can_be_changed() {
    let mut pair = Pair::new();
    let mut listen = ListenConfig::new(addr("0.0.0.0:80"));
    listen.backlog = 1;
    let listener = pair.server.listen(listen).unwrap();
    for _ in 0..3 {
        pair.connect();
    }
    pair.run();
    assert_eq!(pair.server.acceptable(listener), 1);
    listen.backlog = 2;
    listen.local = addr("0.0.0.0:81");
    pair.server.set_listener(listener, listen).unwrap();
    while pair.server.acceptable(listener) < 2 {
        pair.wait();
        pair.run();
    }
    pair.connect();
    listen.backlog = 0;
    assert_eq!(pair.server.set_listener(listener, listen), Err(ListenError::Backlog));
    pair.server.close_listener(pair.now, listener);
    listen.backlog = 1;
    assert_eq!(pair.server.set_listener(listener, listen), Err(ListenError::InvalidListener));
}

#[test]
fn a_listener_can_wait_for_data() {
    let mut pair = Pair::new();
    let mut listen = ListenConfig::new(addr("0.0.0.0:80"));
    listen.defer_accept = 3;
    let listener = pair.server.listen(listen).unwrap();
    let client = pair.connect();
    pair.run();
    assert_eq!(pair.server.acceptable(listener), 0);
    let states = |pair: &Pair| pair.server.states().map(|(_, state)| state).collect::<Vec<_>>();
    assert_eq!(states(&pair), [State::SynReceived]);
    pair.client.send(pair.now, client, b"now").unwrap();
    pair.run();
    let server = pair.server.accept(listener).unwrap();
    assert_eq!(pair.server.receive(pair.now, server, &mut [0; 10]), Ok(3));
    assert_eq!(states(&pair), [State::Established]);
}

#[test]
fn states_are_told_to_the_end() {
    let mut pair = Pair::new();
    let (client, server) = pair.established();
    let ends =
        [pair.client.local_addr(client), pair.client.remote_addr(client)].map(Option::unwrap);
    let states = |pair: &Pair| pair.client.states().collect::<Vec<_>>();
    pair.client.shutdown(pair.now, client).unwrap();
    pair.run();
    assert_eq!(states(&pair), [(ends, State::FinWait2)]);
    pair.server.shutdown(pair.now, server).unwrap();
    pair.run();
    assert_eq!(states(&pair), [(ends, State::TimeWait)]);
    assert_eq!(pair.client.receive(pair.now, client, &mut [0; 1]), Err(ReceiveError::Finished));
    pair.wait();
    assert_eq!(states(&pair), []);
}

/// MUST-24 and MUST-27, by the call that applications have.
#[test]
fn keepalive_is_switched_on_and_off_for_an_open_connection() {
    let mut pair = Pair::new();
    let (client, _) = pair.established();
    assert_eq!(pair.client.poll_at(), Instant::FAR_FUTURE);
    let settings = Keepalive { idle: Duration::from_secs(100), ..Keepalive::default() };
    let none = Keepalive { count: 0, ..settings };
    let refused = SettingError::Config(ConfigError::Keepalive);
    assert_eq!(pair.client.set_keepalive(pair.now, client, Some(none)), Err(refused));
    assert_eq!(pair.client.set_keepalive(pair.now, client, Some(settings)), Ok(()));
    pair.wait();
    let probe = packets(pair.now, &mut pair.client);
    assert_eq!(shape(&probe), [(Flags::ACK, "".into())]);
    pair.server.on_packet(pair.now, &probe[0]);
    assert_eq!(packets(pair.now, &mut pair.server).len(), 1, "it is answered");
    assert_eq!(pair.client.set_keepalive(pair.now, client, None), Ok(()));
    pair.wait();
    assert_eq!(packets(pair.now, &mut pair.client), Vec::<Vec<u8>>::new());
    pair.client.abort(pair.now, client).unwrap();
    let void = pair.client.set_keepalive(pair.now, client, None);
    assert_eq!(void, Err(SettingError::InvalidHandle));
}

/// MUST-48, MUST-49, SHLD-21, SHLD-22.
#[test]
fn the_application_chooses_dscp_and_ttl_and_may_change_them() {
    let mut pair = Pair::new();
    pair.listen();
    let settings = Config { dscp: 46, hop_limit: 9, ..Config::default() };
    let to = addr("10.0.0.2:80");
    let client = pair.client.connect(pair.now, to, None, &settings).unwrap();
    let seen = |packet: &[u8]| (segment(packet).ip.dscp, segment(packet).ip.hop_limit);
    let syn = packets(pair.now, &mut pair.client);
    assert_eq!(seen(&syn[0]), (46, 9));
    pair.server.on_packet(pair.now, &syn[0]);
    pair.run();
    let dscp = SettingError::Config(ConfigError::Dscp);
    assert_eq!(pair.client.set_dscp(Instant::ZERO, client, 64), Err(dscp));
    let limit = SettingError::Config(ConfigError::HopLimit);
    assert_eq!(pair.client.set_hop_limit(Instant::ZERO, client, 0), Err(limit));
    assert_eq!(pair.client.set_dscp(Instant::ZERO, client, 63), Ok(()));
    assert_eq!(pair.client.set_hop_limit(Instant::ZERO, client, 255), Ok(()));
    pair.client.send(pair.now, client, b"x").unwrap();
    let data = packets(pair.now, &mut pair.client);
    assert_eq!(seen(&data[0]), (63, 255));
}

//! Several stacks with the same addresses, as one for each queue of a device: whose a packet is.

use super::*;
use crate::stack::Received;

/// A second stack at the server's address, which listens as the server does.
fn sibling() -> Host {
    let mut sibling = host_with(SERVER, config());
    sibling.listen(ListenConfig::new(addr("0.0.0.0:80"))).unwrap();
    sibling
}

/// A segment of the client's connection to the server.
fn data(pair: &mut Pair) -> Vec<u8> {
    let (client, _) = pair.established();
    pair.client.send(pair.now, client, b"text").unwrap();
    packets(pair.now, &mut pair.client).remove(0)
}

#[test]
fn a_segment_is_taken_by_the_stack_that_has_its_connection() {
    let mut pair = Pair::new();
    let packet = data(&mut pair);
    let mut sibling = sibling();
    let before = *sibling.statistics();
    assert!(!sibling.claim(pair.now, &Received::unverified(&packet)));
    assert_eq!(packets(pair.now, &mut sibling), Vec::<Vec<u8>>::new());
    assert_eq!(*sibling.statistics(), before, "what is not taken is not counted");
    assert!(pair.server.claim(pair.now, &Received::unverified(&packet)));
    assert_eq!(pair.server.statistics().no_connection, 0);
}

#[test]
fn what_no_stack_takes_is_answered_by_whoever_has_to() {
    let mut pair = Pair::new();
    let packet = data(&mut pair);
    let mut sibling = sibling();
    assert!(!sibling.claim(pair.now, &Received::unverified(&packet)));
    sibling.on_received(pair.now, &Received::unverified(&packet));
    assert_eq!(shape(&packets(pair.now, &mut sibling)), [(Flags::RST, "".into())]);
}

#[test]
fn a_syn_is_taken_where_somebody_listens() {
    let mut pair = Pair::new();
    pair.connect();
    let syn = packets(pair.now, &mut pair.client).remove(0);
    assert!(!host_with(SERVER, config()).claim(pair.now, &Received::unverified(&syn)));
    let mut sibling = sibling();
    assert!(sibling.claim(pair.now, &Received::unverified(&syn)));
    let answer = shape(&packets(pair.now, &mut sibling));
    assert_eq!(answer, [(Flags::SYN | Flags::ACK, "".into())]);
}

#[test]
fn what_concerns_no_connection_is_taken_by_any() {
    let mut sibling = sibling();
    assert!(sibling.claim(millis(0), &Received::unverified(b"nonsense")));
    let mut ping = strangers::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 1, &[8, 0, 0, 0, 0, 1, 0, 1]);
    // Whatever the checksums are.
    let verify = Checksums { ip: false, transport: false };
    assert!(sibling.claim(millis(0), &Received { packet: &ping, verify }));
    assert_eq!(sibling.statistics().echo_replies, 0, "it is sent when the link asks");
    assert_eq!(packets(millis(0), &mut sibling).len(), 1);
    ping[20] = 3;
    ping.extend(strangers::ipv4([10, 0, 0, 2], [10, 0, 0, 1], 6, &[0, 80, 0, 81, 0, 0, 0, 0]));
    let len = ping.len() as u16;
    ping[2..4].copy_from_slice(&len.to_be_bytes());
    let error = Received { packet: &ping, verify };
    assert!(!sibling.claim(millis(0), &error), "it concerns a connection, and none of ours");
}

/// Two stacks that share the server's address, each of which listens with room for one half-open
/// connection.
fn siblings() -> [Host; 2] {
    [0, 1].map(|index| {
        let mut host = host_with(SERVER, config().share(index, 2));
        let one = ListenConfig { half_open: 1, ..ListenConfig::new(addr("0.0.0.0:80")) };
        host.listen(one).unwrap();
        host
    })
}

/// Shows a packet to the first of two stacks that claims it, beginning with `first`; returns which took
/// it.
fn show(now: Instant, hosts: &mut [Host; 2], first: usize, packet: &[u8]) -> Option<usize> {
    let order = [first, 1 - first];
    order.into_iter().find(|host| hosts[*host].claim(now, &Received::unverified(packet)))
}

#[test]
fn a_syn_is_taken_by_the_same_of_several_stacks_wherever_it_comes_first() {
    let mut hosts = siblings();
    let mut client = host_with(CLIENT, StackConfig { secret: [1, 2], ..config() });
    let mut taken = [0; 2];
    for _ in 0..64 {
        client.connect(millis(0), addr("10.0.0.2:80"), None, &Config::default()).unwrap();
        let syn = packets(millis(0), &mut client).remove(0);
        let first = show(millis(0), &mut hosts, 0, &syn).unwrap();
        taken[first] += 1;
        assert_eq!(show(millis(1), &mut hosts, 1, &syn), Some(first));
    }
    // By chance none to one of them once in 2^63 times.
    assert!(taken[0] > 0 && taken[1] > 0, "{taken:?}");
}

#[test]
fn a_cookie_is_taken_by_the_stack_that_has_sent_it() {
    let mut hosts = siblings();
    let mut client = host_with(CLIENT, StackConfig { secret: [1, 2], ..config() });
    let mut cookies = 0;
    for _ in 0..64 {
        let to = addr("10.0.0.2:80");
        client.connect(millis(0), to, None, &Config::default()).unwrap();
        let syn = packets(millis(0), &mut client).remove(0);
        let taker = show(millis(0), &mut hosts, 0, &syn).unwrap();
        let answers = packets(millis(0), &mut hosts[taker]);
        let statistics = hosts[taker].statistics();
        if statistics.syn_cookies_sent > statistics.syn_cookies_accepted {
            client.on_packet(millis(0), &answers[0]);
            let ack = packets(millis(0), &mut client).remove(0);
            assert_eq!(show(millis(0), &mut hosts, 1 - taker, &ack), Some(taker));
            cookies += 1;
        }
    }
    let accepted = hosts.each_ref().map(|host| host.statistics().syn_cookies_accepted);
    assert_eq!(accepted.iter().sum::<u64>(), cookies);
    assert!(accepted[0] > 0 && accepted[1] > 0, "{accepted:?}");
}

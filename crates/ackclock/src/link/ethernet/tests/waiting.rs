//! Packets whose next hop is not known yet.

use super::*;
use crate::tcp::State;

#[test]
fn a_syn_waits_for_the_hardware_address_and_goes_as_soon_as_it_is_known() {
    let mut host = Host::new(&["10.0.0.1/24"]);
    host.connect("10.0.0.2:80");
    #[rustfmt::skip]
    let request = [
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 8, 6,
        0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 1, 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2,
    ];
    assert_eq!(host.frames(), [request]);
    assert!(host.frames().is_empty());
    host.on_frame(&arp_frame(US, false, (THEM, "10.0.0.2"), "10.0.0.1"));
    let frames = host.frames();
    assert_eq!(shape(&frames), [(THEM, "S")]);
    assert_eq!(frames[0][..ETHERNET_HEADER], [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0]);
    assert_eq!(host.ethernet.poll_at(), Instant::FAR_FUTURE);
}

#[test]
fn nobody_is_asked_for_more_than_once_a_second_and_three_times() {
    let mut host = Host::new(&["10.0.0.1/24"]);
    let handle = host.connect("10.0.0.2:80");
    let began = host.now;
    let mut asked = Vec::new();
    while host.stack.info(host.now, handle).unwrap().state == State::SynSent
        && host.now < began + Duration::from_secs(12)
    {
        for (to, what) in shape(&host.frames()) {
            assert_eq!((to, what), (EthernetAddress::BROADCAST, "arp"));
            asked.push(host.now.saturating_since(began).as_millis());
        }
        host.wait();
    }
    // Given up after three seconds: the SYN is lost. Its retransmissions, after one second and two
    // more, each make us ask once more, and are lost a second later.
    assert_eq!(asked, [0, 1000, 2000, 4000, 7000]);
}

#[test]
fn a_neighbour_that_does_not_answer_holds_nobody_up() {
    let mut host = Host::new(&["10.0.0.1/24"]);
    host.meet("10.0.0.2", THEM);
    host.connect("10.0.0.3:80");
    host.connect("10.0.0.2:80");
    let all = EthernetAddress::BROADCAST;
    let mut shapes = shape(&host.frames());
    shapes.sort_by_key(|(_, what)| *what);
    assert_eq!(shapes, [(THEM, "S"), (all, "arp")]);
}

#[test]
fn a_syn_ack_waits_as_a_syn_does() {
    let mut host = Host::new(&["10.0.0.1/24"]);
    host.listen("10.0.0.1:80");
    let syn = tcp_packet("10.0.0.2:5000", "10.0.0.1:80", Flags::SYN);
    host.on_frame(&frame(US, THEM, EtherType::Ipv4, &syn));
    assert_eq!(shape(&host.frames()), [(EthernetAddress::BROADCAST, "arp")]);
    host.on_frame(&arp_frame(US, false, (THEM, "10.0.0.2"), "10.0.0.1"));
    assert_eq!(shape(&host.frames()), [(THEM, "SA")]);
}

#[test]
fn a_reset_to_somebody_unknown_is_dropped_and_counted() {
    let mut host = Host::new(&["10.0.0.1/24"]);
    let syn = tcp_packet("10.0.0.2:5000", "10.0.0.1:80", Flags::SYN);
    host.on_frame(&frame(US, THEM, EtherType::Ipv4, &syn));
    assert_eq!(shape(&host.frames()), [(EthernetAddress::BROADCAST, "arp")]);
    assert_eq!(host.stack.statistics().replies_dropped, 1);
    host.on_frame(&arp_frame(US, false, (THEM, "10.0.0.2"), "10.0.0.1"));
    host.on_frame(&frame(US, THEM, EtherType::Ipv4, &syn));
    assert_eq!(shape(&host.frames()), [(THEM, "R")]);
}

#[test]
fn strangers_that_make_us_ask_do_not_push_out_whom_we_know() {
    let mut host = Host::new(&["10.0.0.1/16"]);
    host.meet("10.0.0.2", THEM);
    host.meet("10.0.0.3", ROUTER);
    for last in 0..100 {
        host.connect(&std::format!("10.0.9.{last}:80"));
        assert!(host.frames().len() <= 1);
    }
    assert_eq!(host.ethernet.statistics().requests_sent, 2, "half the places");
    assert_eq!(host.ethernet.statistics().no_place, 98);
    host.connect("10.0.0.2:80");
    host.connect("10.0.0.3:80");
    assert_eq!(shape(&host.frames()), [(THEM, "S"), (ROUTER, "S")]);
}

#[test]
fn the_neighbour_that_was_needed_least_recently_gives_way() {
    let mut host = Host::new(&["10.0.0.1/24"]);
    for last in 2..6 {
        host.meet(&std::format!("10.0.0.{last}"), EthernetAddress([2, 0, 0, 0, 0, last]));
        host.connect(&std::format!("10.0.0.{last}:80"));
        assert_eq!(shape(&host.frames()).len(), 1);
    }
    host.connect("10.0.0.2:81");
    host.frames();
    assert_eq!(host.ethernet.statistics().replaced, 0);
    host.meet("10.0.0.6", THEM);
    assert_eq!(host.ethernet.neighbours.len(), 4);
    assert_eq!(host.ethernet.statistics().replaced, 1);
    host.connect("10.0.0.2:82");
    assert_eq!(shape(&host.frames()).len(), 1);
    host.connect("10.0.0.3:82");
    assert_eq!(shape(&host.frames()), [(EthernetAddress::BROADCAST, "arp")]);
}

/// Others are met and needed until the cache is full, and one more is met.
fn crowd(host: &mut Host) {
    for last in 3..6 {
        host.meet(&std::format!("10.0.0.{last}"), ROUTER);
        host.connect(&std::format!("10.0.0.{last}:80"));
        host.frames();
    }
    host.meet("10.0.0.6", ROUTER);
}

#[test]
fn a_neighbour_that_has_just_answered_is_not_forgotten_and_asked_for_again() {
    let mut host = Host::new(&["10.0.0.1/24"]);
    let all = EthernetAddress::BROADCAST;
    host.connect("10.0.0.2:80");
    assert_eq!(shape(&host.frames()), [(all, "arp")]);
    host.on_frame(&arp_frame(US, false, (THEM, "10.0.0.2"), "10.0.0.1"));
    assert_eq!(shape(&host.frames()), [(THEM, "S")]);
    crowd(&mut host);
    host.connect("10.0.0.2:81");
    assert_eq!(shape(&host.frames()), [(THEM, "S")]);
    host.now += SECOND;
    crowd(&mut host);
    host.connect("10.0.0.2:82");
    assert!(shape(&host.frames()).contains(&(all, "arp")), "a second later it may be");
}

#[test]
fn a_neighbour_that_is_being_probed_is_not_forgotten_and_asked_for_again() {
    let mut host = Host::new(&["10.0.0.1/24"]);
    host.meet("10.0.0.2", THEM);
    host.now += Duration::from_secs(30);
    host.connect("10.0.0.2:80");
    assert_eq!(shape(&host.frames()), [(THEM, "S")]);
    host.now += Duration::from_secs(5);
    assert_eq!(shape(&host.frames()), [(THEM, "arp")]);
    crowd(&mut host);
    host.connect("10.0.0.2:81");
    assert_eq!(shape(&host.frames()), [(THEM, "S")]);
}

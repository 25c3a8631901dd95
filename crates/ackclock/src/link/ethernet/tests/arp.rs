//! Address resolution for IPv4.

use super::*;

#[test]
fn who_asks_for_us_is_answered_and_known_from_then_on() {
    let mut host = Host::new(&["10.0.0.1/24"]);
    host.on_frame(&arp_frame(EthernetAddress::BROADCAST, true, (THEM, "10.0.0.2"), "10.0.0.1"));
    #[rustfmt::skip]
    let answer = [
        2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 6,
        0, 1, 8, 0, 6, 4, 0, 2, 2, 0, 0, 0, 0, 1, 10, 0, 0, 1, 2, 0, 0, 0, 0, 2, 10, 0, 0, 2,
    ];
    assert_eq!(host.frames(), [answer]);
    host.connect("10.0.0.2:80");
    assert_eq!(shape(&host.frames()), [(THEM, "S")]);
}

#[test]
fn who_looks_whether_our_address_is_free_is_answered_and_not_learned() {
    let mut host = Host::new(&["10.0.0.1/24"]);
    host.on_frame(&arp_frame(EthernetAddress::BROADCAST, true, (THEM, "0.0.0.0"), "10.0.0.1"));
    assert_eq!(shape(&host.frames()), [(THEM, "arp")]);
    assert_eq!(host.ethernet.neighbours.len(), 0);
}

#[test]
fn only_those_who_ask_for_us_are_learned() {
    let mut host = Host::new(&["10.0.0.1/24"]);
    let all = EthernetAddress::BROADCAST;
    for frame in [
        arp_frame(all, true, (THEM, "10.0.0.2"), "10.0.0.3"),
        arp_frame(all, true, (THEM, "10.0.0.2"), "10.0.0.2"),
        arp_frame(US, false, (EthernetAddress::BROADCAST, "10.0.0.2"), "10.0.0.1"),
        arp_frame(US, true, (EthernetAddress::default(), "10.0.0.2"), "10.0.0.1"),
        arp_frame(US, true, (THEM, "10.0.0.1"), "10.0.0.1"),
        arp_frame(US, true, (THEM, "224.0.0.1"), "10.0.0.1"),
    ] {
        host.on_frame(&frame);
    }
    assert_eq!(host.ethernet.neighbours.len(), 0);
    let statistics = host.ethernet.statistics();
    assert_eq!((statistics.malformed, statistics.conflicts), (2, 1));
}

#[test]
fn what_is_known_follows_what_is_said_to_all() {
    let mut host = Host::new(&["10.0.0.1/24"]);
    host.meet("10.0.0.2", THEM);
    host.connect("10.0.0.2:80");
    assert_eq!(shape(&host.frames()), [(THEM, "S")]);
    host.on_frame(&arp_frame(EthernetAddress::BROADCAST, true, (ROUTER, "10.0.0.2"), "10.0.0.2"));
    host.connect("10.0.0.2:81");
    assert_eq!(shape(&host.frames()), [(ROUTER, "S")]);
}

/// Asks for 10.0.0.2, where `THEM` answers.
fn acquainted() -> Host {
    let mut host = Host::new(&["10.0.0.1/24"]);
    host.connect("10.0.0.2:80");
    assert_eq!(shape(&host.frames()), [(EthernetAddress::BROADCAST, "arp")]);
    host.on_frame(&arp_frame(US, false, (THEM, "10.0.0.2"), "10.0.0.1"));
    assert_eq!(shape(&host.frames()), [(THEM, "S")]);
    host
}

/// How long somebody else gets what is for 10.0.0.2 if it says once that it is there, in seconds. It
/// answers nothing, the true one answers all who ask.
fn seconds_of_poisoning(poison: &[u8]) -> u64 {
    let mut host = acquainted();
    host.on_frame(poison);
    let began = host.now;
    for port in 81.. {
        host.connect(&std::format!("10.0.0.2:{port}"));
        let shapes = shape(&host.frames());
        if shapes.contains(&(THEM, "S")) {
            break;
        }
        if shapes.contains(&(EthernetAddress::BROADCAST, "arp")) {
            host.on_frame(&arp_frame(US, false, (THEM, "10.0.0.2"), "10.0.0.1"));
        } else {
            host.now += SECOND;
            host.stack.on_timeout(host.now);
        }
    }
    host.now.saturating_since(began).as_nanos() / SECOND.as_nanos()
}

#[test]
fn what_nobody_asked_for_is_asked_about_before_it_is_believed() {
    let all = EthernetAddress::BROADCAST;
    // 5 s until it is asked, and three questions.
    for (to, is_request, target) in [
        (US, false, "10.0.0.1"),
        (US, true, "10.0.0.1"),
        (all, false, "10.0.0.2"),
        (all, true, "10.0.0.2"),
        (all, true, "10.0.0.9"),
    ] {
        let poison = arp_frame(to, is_request, (ROUTER, "10.0.0.2"), target);
        assert_eq!(seconds_of_poisoning(&poison), 8, "{is_request} {target}");
    }
}

#[test]
fn an_answer_is_believed_for_half_a_minute() {
    let mut host = acquainted();
    host.now += Duration::from_secs(29);
    host.connect("10.0.0.2:81");
    host.frames();
    assert_eq!(host.ethernet.poll_at(), Instant::FAR_FUTURE);
    host.now += SECOND;
    host.connect("10.0.0.2:82");
    host.frames();
    assert_eq!(host.ethernet.poll_at(), host.now + Duration::from_secs(5));
}

#[test]
fn a_neighbour_that_is_needed_after_half_a_minute_is_asked_itself() {
    let mut host = Host::new(&["10.0.0.1/24"]);
    host.meet("10.0.0.2", THEM);
    host.now += Duration::from_secs(30);
    host.stack.on_timeout(host.now);
    let gone = host.connect("10.0.0.2:80");
    assert_eq!(shape(&host.frames()), [(THEM, "S")]);
    host.stack.abort(host.now, gone).unwrap();
    host.now += Duration::from_secs(5);
    assert_eq!(host.ethernet.poll_at(), host.now);
    assert_eq!(shape(&host.frames()), [(THEM, "arp")]);
    host.on_frame(&arp_frame(US, false, (THEM, "10.0.0.2"), "10.0.0.1"));
    assert_eq!(host.ethernet.poll_at(), Instant::FAR_FUTURE);

    // The next time it does not answer.
    host.now += Duration::from_secs(30);
    host.connect("10.0.0.2:80");
    assert_eq!(shape(&host.frames()), [(THEM, "S")]);
    host.now += Duration::from_secs(5);
    let all = EthernetAddress::BROADCAST;
    for (asked, frames) in [(THEM, 1), (THEM, 1), (THEM, 1), (all, 0)] {
        let sent = host.frames();
        let arps: Vec<_> = shape(&sent).into_iter().filter(|(_, what)| *what == "arp").collect();
        assert_eq!(arps, [(asked, "arp"); 3][..frames]);
        host.now += SECOND;
    }
    assert_eq!(host.ethernet.statistics().gave_up, 1);
    host.connect("10.0.0.2:81");
    assert_eq!(shape(&host.frames()), [(all, "arp")], "asked for anew");
}

#[test]
fn at_most_two_answers_wait_for_a_device_without_room() {
    let mut host = Host::new(&["10.0.0.1/24"]);
    for last in 2..5 {
        let sender = std::format!("10.0.0.{last}");
        host.on_frame(&arp_frame(US, true, (THEM, &sender), "10.0.0.1"));
    }
    let full = host.ethernet.transmit(host.now, &mut host.stack, &mut |_| Err(Rejected));
    assert_eq!(full, Offered::Rejected);
    assert_eq!(shape(&host.frames()), [(THEM, "arp"); 2]);
    assert_eq!(host.ethernet.statistics().answers_dropped, 1);
}

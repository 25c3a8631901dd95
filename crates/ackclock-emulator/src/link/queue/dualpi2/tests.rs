//! DualPI2 packet by packet.

use super::*;
use crate::link::queue::Discipline;
use crate::link::queue::testing::discipline;
use crate::packet::testing::ip_packet;
use ackclock::wire::{Checksums, Ecn, parse_packet};

const fn ms(millis: u64) -> Instant {
    Instant::from_millis(millis)
}

fn queue(text: &str) -> DualPi2 {
    let Discipline::DualPi2(config) = discipline(text) else { panic!("{text}") };
    DualPi2::new(config)
}

fn packet(number: u64, ecn: Ecn) -> Packet {
    Packet { number, bytes: ip_packet(false, 1, ecn, 1_000) }
}

fn push(queue: &mut DualPi2, now: Instant, number: u64, ecn: Ecn) -> Account {
    let mut account = Account::default();
    queue.push(now, packet(number, ecn), Line::default(), &mut account);
    account
}

fn codepoint(packet: &Packet) -> Ecn {
    parse_packet(&packet.bytes, Checksums::default()).unwrap().ip.ecn
}

/// What leaves, packet by packet, at a base probability: numbers and codepoints, and the numbers of the dropped.
fn passing(ecn: Ecn, base: f64, packets: u64) -> (Vec<(u64, Ecn)>, Vec<u64>) {
    let mut queue = queue("dualpi2");
    queue.controller.set_base(base);
    let mut account = Account::default();
    let mut left = Vec::new();
    for number in 0..packets {
        push(&mut queue, ms(1), number, ecn);
        left.extend(
            queue.pop(ms(1), &mut account).map(|packet| (packet.number, codepoint(&packet))),
        );
    }
    (left, account.dropped())
}

fn marked(ecn: Ecn, base: f64, packets: u64) -> Vec<u64> {
    let (left, dropped) = passing(ecn, base, packets);
    assert_eq!(dropped, [0; 0]);
    left.iter().filter(|(_, ecn)| *ecn == Ecn::Ce).map(|(number, _)| *number).collect()
}

/// RFC 9331 section 5.1.
#[test]
fn ect1_and_ce_go_to_the_l4s_queue_and_the_others_to_the_classic_one() {
    for v6 in [false, true] {
        for (ecn, expected) in
            [(Ecn::NotEct, false), (Ecn::Ect0, false), (Ecn::Ect1, true), (Ecn::Ce, true)]
        {
            assert_eq!(is_l4s(&ip_packet(v6, 1, ecn, 100)), expected);
        }
    }
    assert!(!is_l4s(&[]) && !is_l4s(&[0x55, 0xff]));
}

#[test]
fn an_l4s_packet_overtakes_the_classic_ones() {
    let mut queue = queue("dualpi2");
    for number in 0..3 {
        push(&mut queue, ms(1), number, Ecn::NotEct);
    }
    push(&mut queue, ms(1), 3, Ecn::Ect1);
    assert_eq!((queue.packets(), queue.bytes()), (4, 4_000));
    let mut account = Account::default();
    let numbers: Vec<_> =
        std::iter::from_fn(|| queue.pop(ms(1), &mut account)).map(|packet| packet.number).collect();
    assert_eq!(numbers, [3, 0, 1, 2]);
    assert_eq!((queue.packets(), queue.bytes()), (0, 0));
}

/// The step at 1 ms; the recurrence says yes from the second packet on.
#[test]
fn an_l4s_packet_that_has_waited_for_the_step_is_marked_unless_it_waits_alone() {
    let marked_after = |micros: u64, packets: u64| {
        let mut queue = queue("dualpi2");
        for number in 0..packets {
            push(&mut queue, ms(1), number, Ecn::Ect1);
        }
        let mut account = Account::default();
        let now = ms(1) + Duration::from_micros(micros);
        while queue.pop(now, &mut account).is_some() {}
        account.statistics.packets_marked
    };
    assert_eq!(marked_after(999, 10), 0);
    // The first one is due when the second one comes, and the last one waits alone.
    assert_eq!(marked_after(1_000, 10), 8);
    assert_eq!(marked_after(50_000, 1), 0);
}

#[test]
fn the_coupled_probability_marks_l4s_packets_at_even_distances() {
    // k p' = 1/4.
    assert_eq!(marked(Ecn::Ect1, 0.125, 16), [4, 8, 12]);
    assert_eq!(marked(Ecn::Ect1, 0.0, 100), [0; 0]);
}

#[test]
fn the_squared_probability_marks_or_drops_classic_packets() {
    // p'^2 = 1/16.
    assert_eq!(marked(Ecn::Ect0, 0.25, 50), [16, 32, 48]);
    let (left, dropped) = passing(Ecn::NotEct, 0.25, 50);
    assert_eq!((left.len(), dropped), (47, vec![16, 32, 48]));
}

/// From p' = 1/k on both queues drop alike, and what can be marked among the L4S packets that stay is.
#[test]
fn overload_drops_both_kinds_at_the_squared_probability() {
    let (left, dropped) = passing(Ecn::Ect1, 0.5, 13);
    assert_eq!(dropped, [4, 8, 12]);
    let unmarked: Vec<_> = left.iter().filter(|(_, ecn)| *ecn != Ecn::Ce).collect();
    assert_eq!(unmarked, [&(0, Ecn::Ect1)]);
    let (left, dropped) = passing(Ecn::Ect0, 0.5, 13);
    assert_eq!(dropped, [4, 8, 12]);
    assert!(left.iter().all(|(_, ecn)| *ecn == Ecn::Ect0));
    assert_eq!(passing(Ecn::NotEct, 0.5, 13).1, [4, 8, 12]);
    assert_eq!(passing(Ecn::Ect1, 1.0, 6).1, [1, 2, 3, 4, 5]);
}

/// Appendix A.2: an L4S queue that does not answer drives the controller too, to the classic target.
#[test]
fn an_l4s_queue_without_answer_is_brought_to_the_classic_target() {
    let mut queue = queue("dualpi2:15ms:1ms:2:100000");
    let mut account = Account::default();
    let mut number = 0;
    // Four packets come in a millisecond, and three of them go: a quarter is to be dropped.
    for millis in 1..20_000 {
        for _ in 0..4 {
            number += 1;
            queue.push(ms(millis), packet(number, Ecn::Ect1), Line::default(), &mut account);
        }
        if millis == 10_000 {
            account.statistics.l4s_waits = Default::default();
        }
        for _ in 0..3 {
            queue.pop(ms(millis), &mut account);
        }
    }
    let waits = account.statistics.l4s_waits;
    let (mean, longest) = (waits.mean().as_millis(), waits.longest.as_millis());
    assert!((10..20).contains(&mean) && longest < 40, "{mean} ms, {longest} ms");
    assert!(account.statistics.packets_marked > 10_000);
}

#[test]
fn each_queue_tells_how_long_its_packets_have_waited() {
    let mut queue = queue("dualpi2");
    for (number, ecn) in [(0, Ecn::NotEct), (1, Ecn::Ect1), (2, Ecn::Ect1)] {
        push(&mut queue, ms(1), number, ecn);
    }
    let mut account = Account::default();
    for now in [2, 4, 8] {
        queue.pop(ms(now), &mut account).unwrap();
    }
    let (l4s, classic) = (account.statistics.l4s_waits, account.statistics.classic_waits);
    // The classic packet is the second to go: 1, 3 and 7 ms.
    let seen = [l4s, classic].map(|waits| (waits.packets, waits.mean(), waits.longest));
    let ms = Duration::from_millis;
    assert_eq!(seen, [(2, ms(4), ms(7)), (1, ms(3), ms(3))]);
}

#[test]
fn a_full_queue_drops_what_comes_of_either_kind() {
    let mut queue = queue("dualpi2:15ms:1ms:2:2");
    push(&mut queue, ms(1), 0, Ecn::Ect1);
    push(&mut queue, ms(1), 1, Ecn::NotEct);
    for (number, ecn) in [(2, Ecn::Ect1), (3, Ecn::NotEct)] {
        let mut account = push(&mut queue, ms(1), number, ecn);
        assert_eq!(account.take_drop().map(|(_, reason)| reason), Some(DropReason::QueueFull));
    }
}

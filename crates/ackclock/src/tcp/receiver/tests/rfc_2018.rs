//! The worked examples of RFC 2018 section 4: the left edge is 5000 and eight segments of 500 bytes
//! are sent.

use super::*;

fn at_5000() -> Receiver<'static> {
    receiver_at(SeqNumber(4999), &config(), 10_000, 8)
}

#[test]
fn case_2_the_first_segment_is_lost() {
    let mut receiver = at_5000();
    for start in (5500..9000).step_by(500) {
        let expected = (5000, vec![(5500, start + 500)]);
        assert_eq!(answer(&mut receiver, start, start + 500), expected);
    }
}

#[test]
fn case_3_every_second_segment_is_lost() {
    let mut receiver = at_5000();
    deliver(&mut receiver, 5000, 5500);
    assert_eq!(answer(&mut receiver, 6000, 6500), (5500, vec![(6000, 6500)]));
    assert_eq!(answer(&mut receiver, 7000, 7500), (5500, vec![(7000, 7500), (6000, 6500)]));
    assert_eq!(
        answer(&mut receiver, 8000, 8500),
        (5500, vec![(8000, 8500), (7000, 7500), (6000, 6500)])
    );
    // The fourth segment arrives late, then the second.
    assert_eq!(answer(&mut receiver, 6500, 7000), (5500, vec![(6000, 7500), (8000, 8500)]));
    assert_eq!(answer(&mut receiver, 5500, 6000), (7500, vec![(8000, 8500)]));
}

#[test]
fn a_hole_that_is_filled_makes_room_for_older_blocks() {
    let mut receiver = at_5000();
    for start in [6000, 7000, 8000, 9000, 10_000] {
        deliver(&mut receiver, start, start + 500);
    }
    assert_eq!(blocks(&receiver, 3), [(10_000, 10_500), (9000, 9500), (8000, 8500)]);
    deliver(&mut receiver, 5000, 6000);
    assert_eq!(blocks(&receiver, 4), [(10_000, 10_500), (9000, 9500), (8000, 8500), (7000, 7500)]);
}

#[test]
fn without_sack_nothing_is_reported() {
    let no_sack = ReceiverConfig { sack: false, ..config() };
    let mut receiver = receiver_with(&no_sack, 10_000, 8);
    assert_eq!(answer(&mut receiver, 1200, 1300), (1000, vec![]));
    assert_eq!(answer(&mut receiver, 1200, 1300), (1000, vec![]));
}

//! Putting data in order.

use super::*;

#[test]
fn in_order_data_are_read_as_they_came() {
    let mut receiver = receiver();
    assert_eq!(deliver(&mut receiver, 1000, 1300), accepted(300));
    assert_eq!(deliver(&mut receiver, 1300, 1400), accepted(100));
    assert_eq!(receiver.rcv_nxt(), SeqNumber(1400));
    let mut part = [0; 250];
    assert_eq!(receiver.read(&mut part), 250);
    assert_eq!(part[..], stream(1000, 1250));
    assert_eq!(receiver.slices().concat(), stream(1250, 1400));
    receiver.consume(100);
    assert_eq!(receiver.queued(), 50);
    assert_eq!(read_all(&mut receiver), stream(1350, 1400));
}

#[test]
fn a_filled_hole_releases_what_waited_behind_it() {
    let mut receiver = receiver();
    assert_eq!(deliver(&mut receiver, 1200, 1300), accepted(0));
    assert_eq!(deliver(&mut receiver, 1400, 1500), accepted(0));
    assert_eq!((receiver.queued(), receiver.out_of_order()), (0, 200));
    assert_eq!(deliver(&mut receiver, 1000, 1200), accepted(300));
    assert_eq!((receiver.queued(), receiver.out_of_order()), (300, 100));
    assert_eq!(deliver(&mut receiver, 1250, 1450), accepted(200));
    assert_eq!(read_all(&mut receiver), stream(1000, 1500));
    assert_eq!(receiver.out_of_order(), 0);
}

#[test]
fn sequence_numbers_wrap() {
    let mut receiver = receiver_at(SeqNumber(u32::MAX - 100), &config(), 10_000, 8);
    let start = u32::MAX - 99;
    assert_eq!(deliver(&mut receiver, 100, 200), accepted(0));
    assert_eq!(deliver(&mut receiver, start.wrapping_add(50), 100), accepted(0));
    assert_eq!(deliver(&mut receiver, start, start.wrapping_add(60)), accepted(300));
    assert_eq!(receiver.rcv_nxt(), SeqNumber(200));
    assert_eq!(read_all(&mut receiver), stream(start, 200));
}

#[test]
fn the_first_arrival_wins() {
    let mut receiver = receiver();
    receiver.on_segment(NOW, SeqNumber(1002), b"CD", false, false);
    receiver.on_segment(NOW, SeqNumber(1006), b"GH", false, false);
    receiver.on_segment(NOW, SeqNumber(1001), b"bcdefghi", false, false);
    receiver.on_segment(NOW, SeqNumber(1000), b"12345", false, false);
    assert_eq!(read_all(&mut receiver), b"1bCDefGHi");
}

#[test]
fn data_beyond_the_window_are_cut_off() {
    let mut receiver = receiver_with(&config(), 100, 8);
    assert_eq!(deliver(&mut receiver, 1090, 1120), accepted(0));
    assert_eq!(receiver.out_of_order(), 10);
    assert_eq!(deliver(&mut receiver, 1000, 1200), accepted(100));
    assert_eq!(receiver.rcv_wnd(), 0);
    assert_eq!(deliver(&mut receiver, 1100, 1101), accepted(0));
    read_all(&mut receiver);
    assert_eq!(
        deliver(&mut receiver, 1100, 1101),
        accepted(0),
        "the new window was not advertised yet"
    );
    assert_eq!(ack(&mut receiver), 100);
    assert_eq!(deliver(&mut receiver, 1100, 1101), accepted(1));
}

#[test]
fn a_range_without_a_place_is_dropped_and_counted() {
    let mut receiver = receiver_with(&config(), 10_000, 2);
    deliver(&mut receiver, 1100, 1200);
    deliver(&mut receiver, 1300, 1400);
    ack(&mut receiver);
    let third = deliver(&mut receiver, 1500, 1600);
    assert_eq!(third, Arrival { dropped: 100, ..accepted(0) });
    assert!(receiver.ack_due(NOW), "dropped data still cause a duplicate ack");
    assert_eq!(blocks(&receiver), [(1300, 1400), (1100, 1200)]);
    assert_eq!(deliver(&mut receiver, 1400, 1500), accepted(0), "what adjoins needs no place");
    assert_eq!(deliver(&mut receiver, 1000, 1050), accepted(50));
    assert_eq!(deliver(&mut receiver, 1050, 1300), accepted(450));
    assert_eq!(read_all(&mut receiver), stream(1000, 1500));
}

#[test]
fn without_ranges_only_data_in_order_are_taken() {
    let mut receiver = receiver_with(&config(), 100, 0);
    assert_eq!(deliver(&mut receiver, 1010, 1020).dropped, 10);
    assert_eq!(deliver(&mut receiver, 1000, 1020), accepted(20));
}

#[test]
fn a_window_larger_than_the_memory_drops_what_does_not_fit() {
    let memory = Buffer::lent(vec![0; 50].leak());
    let ranges = Buffer::lent(vec![SeqRange::default(); 2].leak());
    let mut receiver = agreed(IRS, 100, &config(), memory, ranges);
    assert_eq!(deliver(&mut receiver, 1040, 1060).dropped, 10);
    assert_eq!(deliver(&mut receiver, 1070, 1080).dropped, 10);
    assert_eq!(deliver(&mut receiver, 1000, 1100), Arrival { dropped: 50, ..accepted(50) });
    assert_eq!(read_all(&mut receiver), stream(1000, 1050));
}

#[cfg(feature = "alloc")]
#[test]
fn an_idle_receiver_holds_no_memory_of_its_own() {
    let config = Setup { receive_limit: 10_000, reassembly_ranges: 4, ..config() };
    let (ring, ranges) = (Buffer::growing(), Buffer::growing());
    let mut receiver = agreed(IRS, 10_000, &config, ring, ranges);
    deliver(&mut receiver, 1100, 1200);
    deliver(&mut receiver, 1000, 1050);
    assert_eq!(read_all(&mut receiver), stream(1000, 1050));
    assert_eq!(deliver(&mut receiver, 1050, 1100), accepted(150));
    receiver.release_memory();
    assert_eq!(read_all(&mut receiver), stream(1050, 1200));
    receiver.release_memory();
    let (ring, ranges) = receiver.into_buffers();
    assert_eq!((ring.len(), ranges.len()), (0, 0));
}

#[cfg(feature = "alloc")]
#[test]
fn a_growing_list_of_ranges_has_its_limit() {
    let config = Setup { receive_limit: 10_000, reassembly_ranges: 3, ..config() };
    let (ring, ranges) = (Buffer::growing(), Buffer::growing());
    let mut receiver = agreed(IRS, 10_000, &config, ring, ranges);
    let dropped = [1100, 1200, 1300, 1400, 1500].map(|start| {
        let arrival = deliver(&mut receiver, start, start + 50);
        arrival.dropped
    });
    assert_eq!(dropped, [0, 0, 0, 50, 50]);
}

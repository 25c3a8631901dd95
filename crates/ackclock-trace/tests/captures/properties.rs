//! Whatever the bytes are, reading them ends well.

use crate::script::{End, handshake, ms, pcap, read, segment};
use ackclock_trace::{Observer, Settings, analyse};
use proptest::collection::vec;
use proptest::prelude::*;

/// Counts, and holds nothing.
struct Count(u64);

impl Observer for Count {
    fn on_connection(&mut self, connection: &ackclock_trace::Connection) {
        self.0 += 1;
        for (_, direction) in connection.directions() {
            assert!(direction.unique_bytes <= direction.data_bytes);
            assert!(direction.data_packets <= direction.packets);
        }
        let _ = ackclock_trace::Long(connection).to_string();
    }
}

fn a_capture() -> Vec<u8> {
    let mut segments = handshake(true);
    for n in 0..20 {
        segments.push(segment(ms(50 + n), End::A, 1 + n as u32 * 500, 1).payload(700));
        segments.push(segment(ms(90 + n), End::B, 1, 1 + n as u32 * 300));
    }
    pcap(&segments)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_bytes_can_be_read(bytes in vec(any::<u8>(), 0..2000)) {
        let _ = read(&bytes);
    }

    #[test]
    fn any_bytes_behind_a_header_of_a_file_can_be_read(
        magic in prop::sample::select(vec![
            0xa1b2_c3d4_u32, 0xd4c3_b2a1, 0xa1b2_3c4d, 0x4d3c_b2a1, 0xa1b2_cd34, 0x0a0d_0d0a,
        ]),
        bytes in vec(any::<u8>(), 0..2000),
    ) {
        let _ = read(&[&magic.to_le_bytes()[..], &bytes].concat());
    }

    #[test]
    fn a_capture_with_any_bytes_changed_can_be_read(
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 0..40),
        end in any::<prop::sample::Index>(),
    ) {
        let mut file = a_capture();
        for (at, byte) in changes {
            // The header of the file stays, so that packets are reached.
            let at = 24 + at.index(file.len() - 24);
            file[at] = byte;
        }
        file.truncate(end.index(file.len()) + 1);
        let (summary, _) = analyse(&file[..], Settings::default(), Count(0));
        prop_assert!(summary.tcp_packets <= summary.packets);
    }

    #[test]
    fn any_segments_of_a_connection_can_be_analysed(
        segments in vec(
            (any::<bool>(), any::<u32>(), any::<u32>(), 0_u16..512, any::<u16>(), 0_usize..3000, 0_u64..100),
            1..200,
        ),
    ) {
        let mut now = 0;
        let segments: Vec<_> = segments
            .into_iter()
            .map(|(from_a, seq, ack, flags, window, length, pause)| {
                now += pause;
                // Near one another, or anywhere.
                let near = |number: u32| if number & 1 == 0 { number >> 18 } else { number };
                let from = if from_a { End::A } else { End::B };
                segment(ms(now), from, near(seq), near(ack))
                    .flags(ackclock::wire::Flags::from_bits(flags))
                    .window(window)
                    .payload(length)
                    .sack(&[(near(ack), near(seq))])
            })
            .collect();
        let (summary, result) = analyse(&pcap(&segments)[..], Settings::default(), Count(0));
        prop_assert!(result.is_ok());
        prop_assert_eq!(summary.tcp_packets, segments.len() as u64);
    }
}

#[test]
fn no_more_connections_are_tracked_than_allowed_and_those_given_up_are_counted() {
    let mut segments = Vec::new();
    for n in 0..500 {
        segments.push(segment(ms(n), End::A, 1, 1).port(1000 + n as u16).payload(10));
    }
    let mut settings = Settings::default();
    settings.connections = 100;
    let mut count = Count(0);
    let (summary, result) = analyse(&pcap(&segments)[..], settings, &mut count);
    assert!(result.is_ok());
    assert_eq!((summary.connections, summary.given_up, count.0), (500, 400, 500));
}

#[test]
fn no_more_is_remembered_than_allowed() {
    let mut segments = Vec::new();
    for n in 0..300_u32 {
        // Each connection has three segments on their way.
        let at = |k: u32| segment(ms(u64::from(n)), End::A, 1 + k * 20, 1);
        segments.extend((0..3).map(|k| at(k).port(1000 + n as u16).payload(10)));
    }
    let mut settings = Settings::default();
    settings.records = 30;
    let (summary, _) = analyse(&pcap(&segments)[..], settings, ());
    assert_eq!((summary.connections, summary.given_up), (300, 290));
}

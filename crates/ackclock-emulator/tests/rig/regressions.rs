//! Scripts that once failed.

use crate::script::{Action, EndSetting, PathSetting, Setting, Side};
use crate::world::World;
use ackclock::tcp::Nagle;

fn replay(setting: &Setting, actions: &[Action]) {
    let mut world = World::new(setting);
    for action in actions {
        world.act(*action);
    }
    world.conclude();
}

/// A slow path without impairments.
const PATH: PathSetting = PathSetting {
    bits_per_second: 100_000,
    delay_micros: 0,
    queue_packets: 0,
    loss: 0,
    duplicate: 0,
    reorder: 0,
    reorder_micros: 0,
    corrupt: 0,
    jitter_micros: 0,
    outage_millis: None,
    mtu: 1500,
};

/// An end with the least of every setting.
const END: EndSetting = EndSetting {
    mss: 1,
    send_buffer: 100,
    receive_buffer: 100,
    flight_records: 1,
    reassembly_ranges: 0,
    window_scaling: false,
    timestamps: false,
    sack: false,
    nagle: Nagle::Off,
    delayed_ack_millis: None,
    initial_window: 1,
    recovery: 0,
    law: 0,
};

/// A bug: the window in a retransmitted segment was ignored, and data went where the peer had never
/// offered room.
#[test]
fn the_window_of_a_retransmission_counts() {
    let path = PathSetting {
        bits_per_second: 2_917_526,
        delay_micros: 766,
        queue_packets: 1,
        loss: 41,
        ..PATH
    };
    let back = PathSetting { bits_per_second: 7_710_619, delay_micros: 435, ..PATH };
    let left = EndSetting {
        mss: 50,
        send_buffer: 54,
        receive_buffer: 6,
        flight_records: 2,
        delayed_ack_millis: Some(15),
        ..END
    };
    let right = EndSetting { mss: 27, send_buffer: 103, receive_buffer: 29, ..END };
    let setting = Setting {
        seed: 17_508_928_405_278_704_002,
        ipv6: true,
        simultaneous: true,
        wraps_after: None,
        paths: [path, back],
        ends: [left, right],
    };
    replay(
        &setting,
        &[
            Action::Run { micros: 1806 },
            Action::Write { side: Side::Right, bytes: 295 },
            Action::Run { micros: 7168 },
            Action::Cork { side: Side::Left, on: false },
            Action::Write { side: Side::Left, bytes: 54 },
            Action::Run { micros: 60_463 },
        ],
    );
}

/// A bug: the time since a segment's first transmission stopped at 71 minutes, so that a
/// retransmission after that was taken for the first one.
#[test]
fn a_segment_that_is_probed_for_hours_keeps_its_time() {
    let left = EndSetting { receive_buffer: 1, flight_records: 36, law: 6, ..END };
    let right = EndSetting { send_buffer: 1, delayed_ack_millis: Some(185), ..END };
    let setting = Setting {
        seed: 11_279_156_048_559_955,
        ipv6: false,
        simultaneous: false,
        wraps_after: None,
        paths: [PATH, PATH],
        ends: [left, right],
    };
    replay(&setting, &[Action::Write { side: Side::Left, bytes: 893 }]);
}

/// A bug: both ends had filled each other's window, and refused the acks at its end.
#[test]
fn an_ack_from_the_end_of_the_window_counts() {
    let path = PathSetting {
        bits_per_second: 1_274_005,
        delay_micros: 100_681,
        queue_packets: 1,
        loss: 106,
        corrupt: 77,
        jitter_micros: 23_757,
        ..PATH
    };
    let back = PathSetting {
        bits_per_second: 21_064_255,
        queue_packets: 16,
        loss: 19,
        duplicate: 84,
        ..PATH
    };
    let left = EndSetting {
        mss: 3,
        send_buffer: 103,
        receive_buffer: 35,
        flight_records: 26,
        reassembly_ranges: 2,
        sack: true,
        delayed_ack_millis: Some(311),
        recovery: 7,
        law: 6,
        ..END
    };
    let right = EndSetting {
        mss: 2,
        send_buffer: 780,
        receive_buffer: 52,
        flight_records: 17,
        reassembly_ranges: 8,
        sack: true,
        recovery: 2,
        law: 6,
        ..END
    };
    let setting = Setting {
        seed: 2_668_022_882_315_600_052,
        ipv6: true,
        simultaneous: true,
        wraps_after: None,
        paths: [path, back],
        ends: [left, right],
    };
    replay(
        &setting,
        &[
            Action::Write { side: Side::Left, bytes: 359 },
            Action::Run { micros: 427 },
            Action::ClockJump { side: Side::Left, millis: 4251 },
            Action::Write { side: Side::Right, bytes: 1736 },
            Action::Run { micros: 5_742_645 },
            Action::Run { micros: 166_685 },
            Action::Run { micros: 0 },
        ],
    );
}

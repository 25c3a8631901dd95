//! The state machine of proptest that makes arbitrary scripts.

use crate::script::{Action, EndSetting, LAWS, PathSetting, Setting, Side};
use crate::world::World;
use ackclock::tcp::{Nagle, RecoveryAlgorithm};
use proptest::prelude::*;
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest, prop_state_machine};

/// The actions that a script may still contain: none of an end that has left.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    setting: Setting,
    left: [bool; 2],
}

fn path() -> impl Strategy<Value = PathSetting> {
    let rate = prop_oneof![100_000..10_000_000u64, 10_000_000..1_000_000_000u64];
    let delay = prop_oneof![Just(0u64), 0..1_000u64, 0..500_000u64];
    let rare = || prop_oneof![3 => Just(0u32), 1 => 0..200u32];
    let jitter = prop_oneof![3 => Just(0u64), 1 => 0..50_000u64];
    let outage = prop_oneof![3 => Just(None), 1 => (0..20_000u64, 1..10_000u64).prop_map(Some)];
    let mtu = prop_oneof![3 => Just(1500u32), 1 => 1280..65_535u32];
    let changes = (0..50_000u64, jitter, outage, mtu);
    (rate, delay, 0..100u32, 0..=200u32, rare(), rare(), rare(), changes).prop_map(
        |(rate, delay, queue, loss, duplicate, reorder, corrupt, changes)| PathSetting {
            bits_per_second: rate,
            delay_micros: delay,
            queue_packets: queue,
            loss,
            duplicate,
            reorder,
            reorder_micros: changes.0,
            corrupt,
            jitter_micros: changes.1,
            outage_millis: changes.2,
            mtu: changes.3,
        },
    )
}

fn nagle() -> impl Strategy<Value = Nagle> {
    prop_oneof![Just(Nagle::Off), Just(Nagle::Rfc896), Just(Nagle::Minshall)]
}

fn end() -> impl Strategy<Value = EndSetting> {
    let size = || prop_oneof![1..100u32, 100..100_000u32];
    let sizes = (
        prop_oneof![1..50u16, 50..2_000u16, 2_000..65_495u16],
        size(),
        size(),
        1..200u32,
        0..64u32,
    );
    let ack = prop_oneof![Just(None), (0..=500u64).prop_map(Some)];
    let choices = (1..20u16, 0..RecoveryAlgorithm::ALL.len(), 0..LAWS.len());
    (sizes, (any::<[bool; 3]>(), nagle()), ack, choices).prop_map(
        |(sizes, options, ack, choices)| {
            let (mss, send_buffer, receive_buffer, flight_records, reassembly_ranges) = sizes;
            let ([window_scaling, timestamps, sack], nagle) = options;
            let (initial_window, recovery, law) = choices;
            EndSetting {
                mss,
                send_buffer,
                receive_buffer,
                flight_records,
                reassembly_ranges,
                window_scaling,
                timestamps,
                sack,
                nagle,
                delayed_ack_millis: ack,
                initial_window,
                recovery,
                law,
            }
        },
    )
}

fn setting() -> impl Strategy<Value = Setting> {
    let wraps = prop_oneof![Just(None), (0..20_000u32).prop_map(Some)];
    (any::<u64>(), any::<[bool; 2]>(), wraps, [path(), path()], [end(), end()]).prop_map(
        |(seed, [ipv6, simultaneous], wraps_after, paths, ends)| Setting {
            seed,
            ipv6,
            simultaneous,
            wraps_after,
            paths,
            ends,
        },
    )
}

fn side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::Left), Just(Side::Right)]
}

fn on(side: Side) -> impl Strategy<Value = Action> {
    prop_oneof![
        8 => (1..2_000u32).prop_map(move |bytes| Action::Write { side, bytes }),
        2 => (1..2_000u32).prop_map(move |bytes| Action::Read { side, bytes }),
        2 => any::<bool>().prop_map(move |on| Action::SetReading { side, on }),
        1 => Just(Action::Shutdown { side }),
        1 => nagle().prop_map(move |kind| Action::Nagle { side, kind }),
        1 => any::<bool>().prop_map(move |on| Action::Cork { side, on }),
        1 => any::<bool>().prop_map(move |on| Action::Keepalive { side, on }),
        1 => (0..64u8).prop_map(move |dscp| Action::Dscp { side, dscp }),
        1 => (-5_000..5_000i64).prop_map(move |millis| Action::ClockJump { side, millis }),
    ]
}

fn leaving(side: Side) -> impl Strategy<Value = Action> {
    prop_oneof![Just(Action::Close { side }), Just(Action::Abort { side })]
}

impl ReferenceStateMachine for Script {
    type State = Script;
    type Transition = Action;

    fn init_state() -> BoxedStrategy<Script> {
        setting().prop_map(|setting| Script { setting, left: [false; 2] }).boxed()
    }

    fn transitions(_: &Script) -> BoxedStrategy<Action> {
        let time = prop_oneof![0..2_000u64, 0..300_000u64, 0..10_000_000u64];
        prop_oneof![
            30 => time.prop_map(|micros| Action::Run { micros }),
            60 => side().prop_flat_map(on),
            1 => side().prop_flat_map(leaving),
        ]
        .boxed()
    }

    fn preconditions(script: &Script, action: &Action) -> bool {
        let side = match *action {
            Action::Run { .. } | Action::ClockJump { .. } => return true,
            Action::Write { side, .. }
            | Action::Read { side, .. }
            | Action::SetReading { side, .. }
            | Action::Shutdown { side }
            | Action::Close { side }
            | Action::Abort { side }
            | Action::Nagle { side, .. }
            | Action::Cork { side, .. }
            | Action::Keepalive { side, .. }
            | Action::Dscp { side, .. } => side,
        };
        !script.left[side as usize]
    }

    fn apply(mut script: Script, action: &Action) -> Script {
        if let Action::Close { side } | Action::Abort { side } = *action {
            script.left[side as usize] = true;
        }
        script
    }
}

struct TwoStacks;

impl StateMachineTest for TwoStacks {
    type SystemUnderTest = World;
    type Reference = Script;

    fn init_test(script: &Script) -> World {
        World::new(&script.setting)
    }

    fn apply(mut world: World, _: &Script, action: Action) -> World {
        world.act(action);
        world
    }

    fn teardown(world: World, _: Script) {
        world.conclude();
    }
}

prop_state_machine! {
    // Failures become tests of their own, see `report.rs`.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn two_stacks_keep_their_promises_under_arbitrary_scripts(sequential 1..40 => TwoStacks);
}

//! Events for the tests of the laws, and what holds for all of them.

use super::*;
use proptest::prelude::*;

/// A connection begins, whose peer counts marks.
pub(super) fn start(mss: u32, initial_window: u32) -> Start {
    Start { mss, initial_window, counts_marks: true, ..Start::default() }
}

/// An ack of `bytes` in a full window, outside recovery.
pub(super) fn acked(bytes: u32) -> Ack {
    Ack { bytes_acked: bytes, window_limited: true, ..Ack::default() }
}

/// Congestion with so much in flight.
pub(super) fn congestion(kind: CongestionKind, flight_size: u32) -> Congestion {
    Congestion::new(Instant::ZERO, kind, flight_size)
}

/// Window and threshold.
pub(super) fn sizes(law: &impl CongestionController) -> (u32, u32) {
    (law.window(), law.slow_start_threshold())
}

fn all() -> impl Iterator<Item = BuiltIn> {
    BuiltIn::NAMES.iter().filter_map(|name| BuiltIn::by_name(name))
}

/// All laws, also as their parameters make them.
fn all_variants() -> impl Iterator<Item = BuiltIn> {
    const VARIANTS: [&str; 11] = [
        "cubic:hystart=off,growth=abc",
        "cubic:hystart=linux,growth=delivered",
        "cubic:growth=floor",
        "reno:hystart=on,growth=rfc3465:255",
        "reno:growth=floor",
        "veno:threshold=3,base-rtt=keep,growth=lbc",
        "veno:growth=per-ack",
        "vegas:alpha=0,beta=0,gamma=0",
        "vegas:alpha=255,growth=sabc:1/2",
        "tahoe:growth=sabc:1/3",
        "fixed:1G",
    ];
    all().chain(VARIANTS.iter().map(|words| words.parse().unwrap()))
}

#[test]
fn every_law_is_found_under_its_own_name() {
    let names: std::vec::Vec<_> = all().map(|law| law.name()).collect();
    assert_eq!(
        names,
        ["cubic", "reno", "veno", "vegas", "tahoe", "none", "fixed", "bbr", "prague"]
    );
    assert_eq!(BuiltIn::by_name("Reno"), None);
}

#[test]
fn the_default_law_is_the_first_name() {
    assert_eq!(BuiltIn::default().name(), BuiltIn::NAMES[0]);
}

#[test]
fn a_law_becomes_a_built_in_with_its_parameters() {
    let mut law = BuiltIn::from(Fixed::segments(3));
    law.on_start(&start(1000, 10_000));
    assert_eq!(law.window(), 3_000);
}

#[test]
fn the_laws_with_fast_recovery_want_prr() {
    let wanting: std::vec::Vec<_> =
        all().filter(CongestionController::wants_prr).map(|law| law.name()).collect();
    assert_eq!(wanting, ["cubic", "reno", "veno", "vegas", "prague"]);
}

#[cfg(feature = "alloc")]
mod boxed {
    use super::*;
    use std::boxed::Box;

    #[test]
    fn the_default_is_that_of_the_built_in_laws() {
        assert_eq!(BoxedController::default().name(), BuiltIn::default().name());
    }

    /// A law of somebody else's, that adds up what it hears of in methods the built-in laws leave
    /// as they are.
    #[derive(Clone, Debug, Default)]
    struct Listener {
        heard: u32,
    }

    impl CongestionController for Listener {
        fn name(&self) -> &'static str {
            "listener"
        }
        fn on_start(&mut self, _: &Start) {}
        fn on_sent(&mut self, sent: &Sent) {
            self.heard += sent.bytes;
        }
        fn on_ack(&mut self, _: &Ack) {}
        fn on_congestion(&mut self, _: &Congestion) {}
        fn on_recovery_exit(&mut self, _: Instant, in_flight: u32) {
            self.heard += in_flight;
        }
        fn on_mss_change(&mut self, _: u32) {}
        fn window(&self) -> u32 {
            self.heard
        }
        fn slow_start_threshold(&self) -> u32 {
            u32::MAX
        }
    }

    #[test]
    fn a_law_from_outside_hears_of_everything() {
        let mut law: BoxedController = Box::<Listener>::default();
        tell(&mut law, &Event::Sent(Sent { bytes: 5, ..Sent::default() }));
        tell(&mut law, &Event::RecoveryExit(Instant::ZERO, 70));
        assert_eq!((law.name(), law.window()), ("listener", 75));
    }

    #[test]
    fn a_copy_goes_its_own_way() {
        let mut original: BoxedController = Box::<Reno>::default();
        original.on_start(&start(1000, 10_000));
        let mut copy = original.clone();
        copy.on_ack(&acked(2_000));
        assert_eq!((original.window(), copy.window()), (10_000, 12_000));
    }
}

/// Anything that can happen to a law.
#[derive(Clone, Copy, Debug)]
enum Event {
    Start(Start),
    Sent(Sent),
    Ack(Ack),
    Marks(Marks),
    Loss(Loss),
    Congestion(Congestion),
    RecoveryExit(Instant, u32),
    Undo(Instant),
    Restart(Instant, u32),
    Unvalidated(Instant, u32),
    UnvalidatedLoss(Instant, u32),
    MssChange(u32),
}

fn tell(law: &mut impl CongestionController, event: &Event) {
    match *event {
        Event::Start(start) => law.on_start(&start),
        Event::Sent(sent) => law.on_sent(&sent),
        Event::Ack(ack) => law.on_ack(&ack),
        Event::Marks(marks) => law.on_marks(&marks),
        Event::Loss(loss) => law.on_loss(&loss),
        Event::Congestion(congestion) => law.on_congestion(&congestion),
        Event::RecoveryExit(now, in_flight) => law.on_recovery_exit(now, in_flight),
        Event::Undo(now) => law.on_undo(now),
        Event::Restart(now, window) => law.on_restart_after_idle(now, window),
        Event::Unvalidated(now, least) => law.on_unvalidated_window(now, least),
        Event::UnvalidatedLoss(now, window) => {
            law.on_unvalidated_loss(now, window.min(law.window()));
        }
        Event::MssChange(mss) => law.on_mss_change(mss),
    }
}

/// Everyday sizes and the extremes.
fn size() -> impl Strategy<Value = u32> {
    prop_oneof![0..100_000u32, any::<u32>(), Just(u32::MAX)]
}

fn span() -> impl Strategy<Value = Duration> {
    prop_oneof![0..1_000_000_000u64, any::<u64>()].prop_map(Duration::from_nanos)
}

fn instant() -> impl Strategy<Value = Instant> {
    any::<u64>().prop_map(Instant::from_nanos)
}

fn delivery() -> impl Strategy<Value = DeliveryRate> {
    let sizes = [(); 5].map(|()| size());
    (sizes, span(), proptest::option::of(span()), any::<bool>()).prop_map(
        |(sizes, interval, rtt, app_limited)| {
            let [delivered, prior_delivered, total_delivered, flight_when_sent, lost] = sizes;
            DeliveryRate {
                delivered,
                interval,
                app_limited,
                prior_delivered,
                total_delivered,
                flight_when_sent,
                lost,
                rtt,
            }
        },
    )
}

fn ack() -> impl Strategy<Value = Ack> {
    let sizes = [(); 5].map(|()| size());
    let rtt = proptest::option::of(span());
    let delivery = proptest::option::of(delivery());
    (instant(), sizes, rtt, delivery, any::<([bool; 4], u32)>()).prop_map(
        |(now, sizes, rtt, delivery, (flags, random))| {
            let [bytes_acked, bytes_sacked, bytes_delivered, ..] = sizes;
            let [.., bytes_lost, flight_after] = sizes;
            let [in_recovery, after_timeout, new_round, window_limited] = flags;
            Ack {
                now,
                bytes_acked,
                bytes_sacked,
                bytes_delivered,
                bytes_lost,
                flight_after,
                rtt,
                smoothed_rtt: rtt.unwrap_or_default(),
                delivery,
                in_recovery,
                after_timeout,
                new_round,
                window_limited,
                random,
                ..Ack::default()
            }
        },
    )
}

fn loss() -> impl Strategy<Value = Loss> {
    let sizes = [(); 4].map(|()| size());
    let others = any::<(u32, bool, u32)>();
    (instant(), sizes, others).prop_map(|(now, sizes, (ranges, app_limited, random))| {
        let [bytes, flight_when_sent, lost_since_sent, total_delivered] = sizes;
        Loss {
            now,
            bytes,
            ranges,
            flight_when_sent,
            lost_since_sent,
            app_limited,
            total_delivered,
            random,
        }
    })
}

fn sent() -> impl Strategy<Value = Sent> {
    (instant(), size(), size(), any::<bool>()).prop_map(|(now, bytes, in_flight, app_limited)| {
        Sent { now, bytes, in_flight, app_limited }
    })
}

fn kind() -> impl Strategy<Value = CongestionKind> {
    prop_oneof![
        Just(CongestionKind::FastRetransmit),
        Just(CongestionKind::Ecn),
        Just(CongestionKind::Timeout),
        Just(CongestionKind::RepeatedTimeout),
    ]
}

fn unvalidated() -> impl Strategy<Value = Event> {
    (instant(), size(), any::<bool>()).prop_map(|(now, size, lost)| {
        if lost { Event::UnvalidatedLoss(now, size) } else { Event::Unvalidated(now, size) }
    })
}

fn ack_or_marks() -> impl Strategy<Value = Event> {
    prop_oneof![
        5 => ack().prop_map(Event::Ack),
        1 => (size(), size()).prop_map(|(packets, bytes)| Event::Marks(Marks { packets, bytes })),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        1 => (size(), size()).prop_map(|(mss, window)| Event::Start(start(mss, window))),
        1 => sent().prop_map(Event::Sent),
        1 => loss().prop_map(Event::Loss),
        6 => ack_or_marks(),
        1 => (kind(), size()).prop_map(|(kind, flight)| Event::Congestion(congestion(kind, flight))),
        1 => (instant(), size()).prop_map(|(now, size)| Event::RecoveryExit(now, size)),
        1 => instant().prop_map(Event::Undo),
        1 => (instant(), size()).prop_map(|(now, size)| Event::Restart(now, size)),
        1 => unvalidated(),
        1 => size().prop_map(Event::MssChange),
    ]
}

proptest! {
    #[test]
    fn no_law_panics_or_leaves_its_bounds(
        events in proptest::collection::vec(event(), 1..60),
    ) {
        for mut law in all_variants() {
            let mut mss = 1460;
            law.on_start(&start(mss, 14_600));
            for event in &events {
                tell(&mut law, event);
                match *event {
                    Event::Start(start) => mss = start.mss,
                    Event::MssChange(new) => mss = new,
                    _ => {}
                }
                prop_assert!(law.window() >= mss.max(1), "{law:?}");
                prop_assert!(law.window() <= mss.max(LARGEST_WINDOW), "{law:?}");
                prop_assert_ne!(law.pacing_rate(), Some(0));
                prop_assert_ne!(law.send_quantum(), Some(0));
            }
        }
    }

    /// BBR is not among them: an ack may also end its ProbeRTT, or what a timeout has taken.
    #[test]
    fn a_window_grows_only_while_it_limits_the_sender(
        events in proptest::collection::vec(event(), 1..60),
        ack in ack(),
    ) {
        for mut law in all_variants().filter(|law| law.name() != Bbr::NAME) {
            law.on_start(&start(1460, 14_600));
            for event in &events {
                tell(&mut law, event);
                let before = law.window();
                law.on_ack(&Ack { window_limited: false, ..ack });
                prop_assert!(law.window() <= before, "{law:?}");
            }
        }
    }

    #[test]
    fn an_event_that_is_undone_leaves_window_and_threshold_as_they_were(
        events in proptest::collection::vec(event(), 0..60),
        kind in kind().prop_filter("no event", |kind| *kind != CongestionKind::RepeatedTimeout),
        flights in proptest::collection::vec(size(), 1..4),
    ) {
        for mut law in all_variants() {
            law.on_start(&start(1460, 14_600));
            for event in &events {
                tell(&mut law, event);
            }
            let before = sizes(&law);
            // Only a timeout is repeated; a repetition is taken back with what it repeats.
            let repeats = kind == CongestionKind::Timeout;
            for (index, &flight) in flights.iter().enumerate().take(if repeats { 4 } else { 1 }) {
                let kind = if index == 0 { kind } else { CongestionKind::RepeatedTimeout };
                law.on_congestion(&congestion(kind, flight));
            }
            law.on_undo(Instant::ZERO);
            prop_assert_eq!(sizes(&law), before, "{:?}", law);
        }
    }

    /// Every method is handed on, the provided ones too: whatever happens, a law answers the same
    /// alone, among the built-in laws and in a box.
    #[test]
    #[cfg(feature = "alloc")]
    fn a_law_behaves_the_same_however_it_is_held(
        events in proptest::collection::vec(event(), 1..60),
    ) {
        fn answers(law: &dyn CongestionController) -> impl PartialEq + Debug + use<> {
            (
                law.name(),
                (law.window(), law.slow_start_threshold()),
                law.pacing_rate(),
                law.send_quantum(),
                (law.wants_prr(), law.wants_delivery_rate(), law.limits_itself()),
                (law.counts_marks(), law.wants_l4s()),
            )
        }
        fn check<C>(law: C, events: &[Event]) -> Result<(), TestCaseError>
        where
            C: CongestionController + Into<BuiltIn> + Clone + Send + 'static,
        {
            let (mut alone, mut built_in) = (law.clone(), law.clone().into());
            let mut boxed: BoxedController = std::boxed::Box::new(law);
            for event in events {
                tell(&mut alone, event);
                tell(&mut built_in, event);
                tell(&mut boxed, event);
                prop_assert_eq!(answers(&alone), answers(&built_in));
                prop_assert_eq!(answers(&alone), answers(&boxed));
            }
            Ok(())
        }
        check(Reno::default(), &events)?;
        check(Reno::default().with_hystart(), &events)?;
        check(Cubic::default(), &events)?;
        check(Veno::default(), &events)?;
        check(Vegas::default(), &events)?;
        check(NoControl::default(), &events)?;
        check(Tahoe::default(), &events)?;
        check(Fixed::default(), &events)?;
        check(Bbr::default(), &events)?;
        check(Prague::default(), &events)?;
    }
}

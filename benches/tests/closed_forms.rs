//! What the literature says in closed form, against what comes out of emulated networks.
//! `cargo bench -p ackclock-benches --bench closed_forms` prints the figures.

use ackclock::congestion::{Cubic, Growth, Reno};
use ackclock::time::Duration;
use ackclock_benches::against_smoltcp::fairness;
use ackclock_benches::closed_forms::{
    RTT, Sender, Tooth, formulas, ideal, lossy, sawtooth, shares, slow_start,
};
use ackclock_benches::report::median;

/// Reno, with SACK, whose window grows by acks and not by bytes.
fn reno() -> Sender {
    Sender::new(Reno::new(Growth::PerAck))
}

fn assert_within(tolerance: f64, found: f64, expected: f64, what: &str) {
    let off = found / expected - 1.0;
    assert!(
        off.abs() <= tolerance,
        "{what}: {found:.2}, not {expected:.2} ({:+.1} %)",
        off * 100.0
    );
}

#[test]
fn reno_sends_what_mathis_says_when_every_thousandth_packet_is_lost() {
    for sender in [reno(), reno().delayed_acks()] {
        let found = lossy(&sender, "every:1000", 20, 100, 1);
        assert_eq!(found.timeouts, 0);
        let expected = formulas::mathis(sender.segments_per_ack, 1e-3);
        assert_within(0.1, found.rate, expected, "segments per round trip");
    }
}

/// With a window of 14 segments, every hundredth packet lost, Mathis' formula is 15 % too high: of 9.6
/// round trips it leaves out 2.5.
#[test]
fn reno_sends_in_whole_segments_and_stands_still_for_a_repair() {
    for n in [100, 1000] {
        let found = lossy(&reno(), &format!("every:{n}"), 20, 100, 1);
        assert_eq!(found.timeouts, 0);
        assert_within(0.02, found.rate, formulas::whole_segments(n), "segments per round trip");
    }
}

/// Where every hundredth packet is lost, Mathis' formula is too high by 15 % with an ack per segment, and
/// by 24 % with delayed acks, which leave a segment of every odd window waiting for the next one: for a
/// perfect sender, and for this one.
#[test]
fn reno_sends_what_a_perfect_sender_sends_when_every_hundredth_packet_is_lost() {
    for (sender, off) in [(reno(), -0.149), (reno().delayed_acks(), -0.238)] {
        let b = sender.segments_per_ack;
        let found = lossy(&sender, "every:100", 20, 100, 1);
        assert_eq!(found.timeouts, 0);
        let perfect = ideal::segments_per_round_trip(b, 100, 500);
        assert_within(0.005, found.rate, perfect, "segments per round trip");
        let mathis = formulas::mathis(b, 1e-2);
        assert_within(0.005, perfect, mathis * (1.0 + off), "a perfect sender's");
    }
}

#[test]
fn reno_sends_what_padhye_says_when_packets_are_lost_at_random() {
    for sender in [reno(), reno().delayed_acks()] {
        for p in [1e-3, 1e-2, 2e-2] {
            let ratios = (1..=5).map(|seed| {
                let found = lossy(&sender, &p.to_string(), 20, 60, seed);
                found.rate / formulas::pftk(sender.segments_per_ack, p, found.rto)
            });
            assert_within(0.2, median(ratios.collect()), 1.0, &format!("p = {p}"));
        }
    }
}

/// In CUBIC's own region: Reno would send two thirds of that.
#[test]
fn cubic_sends_what_rfc_9438_says_when_every_ten_thousandth_packet_is_lost() {
    let found = lossy(&Sender::new(Cubic::default()), "every:10000", 30, 60, 1);
    assert_eq!(found.timeouts, 0);
    assert!(found.rate > formulas::mathis(1, 1e-4));
    assert_within(0.1, found.rate, formulas::cubic(1e-4, RTT), "segments per round trip");
}

#[test]
fn slow_start_with_an_ack_per_segment_takes_what_allman98_says() {
    for initial_window in [1, 2, 4, 10] {
        for to in [16, 100, 256, 700] {
            let found = slow_start(&Sender { initial_window, ..reno() }, to);
            let expected = formulas::slow_start(initial_window, to);
            let off = (found - expected).abs();
            assert!(off <= 1.0, "{initial_window} to {to}: {found:.2}, not {expected:.2}");
        }
    }
}

/// A window that grows by half in each round takes 1.71 log2; allman98's equation 6 says 2. From at
/// least two segments, for the ack of a single one waits for the timer (its section 2), to ten times
/// as much or more, so that it is not the whole number of rounds that decides.
#[test]
fn slow_start_with_delayed_acks_takes_a_little_less_than_allman98_says() {
    for initial_window in [2, 4, 10] {
        for to in [100, 256, 700] {
            let sender = Sender { initial_window, ..reno() }.delayed_acks();
            let factor = slow_start(&sender, to) / formulas::slow_start(initial_window, to);
            assert!((1.71..=2.0).contains(&factor), "{initial_window} to {to}: {factor:.3}");
        }
    }
}

#[test]
fn a_full_queue_gives_a_sawtooth_of_the_exact_height_and_length() {
    for (pipe, queue) in [(20, 29), (21, 30), (10, 29)] {
        let teeth = sawtooth(&reno(), pipe, queue, 20, 10);
        assert!(teeth.len() >= 8);
        // What is on the way and in the queue, and one more.
        let most = pipe + queue + 1;
        let period = Duration::from_millis(formulas::tooth(most / 2));
        assert_eq!(teeth, vec![Tooth { period, most, least: most / 2 }; teeth.len()]);
    }
}

#[test]
fn sixteen_equal_reno_flows_get_equal_shares() {
    let index = |seed| fairness(&shares(&reno(), 16, 10, 50, seed));
    let index = median((1..=3).map(index).collect());
    assert!(index > 0.95, "{index:.3}");
}

//! Tables of what the literature says in closed form beside what comes out, in virtual time. Nothing
//! here depends on how fast the machine is.

use ackclock::congestion::{Cubic, Growth, Reno};
use ackclock_benches::against_smoltcp::fairness;
use ackclock_benches::closed_forms::{
    RTT, Sender, formulas, ideal, lossy, sawtooth, shares, slow_start,
};
use ackclock_benches::report::median;

fn row(what: &str, found: f64, expected: f64) {
    println!(
        "| {what} | {found:.2} | {expected:.2} | {:+.1} % |",
        (found / expected - 1.0) * 100.0
    );
}

fn main() {
    let reno = Sender::new(Reno::new(Growth::PerAck));
    println!("Segments per round trip of {:.0} ms:\n", RTT * 1e3);
    println!("| flow | found | expected | off |\n| --- | ---: | ---: | ---: |");
    for sender in [reno, reno.delayed_acks()] {
        let b = sender.segments_per_ack;
        for n in [1000, 100] {
            let rate = lossy(&sender, &format!("every:{n}"), 20, 200, 1).rate;
            row(
                &format!("Reno, b = {b}, 1 of {n}, Mathis"),
                rate,
                formulas::mathis(b, 1.0 / f64::from(n)),
            );
            let ideal = ideal::segments_per_round_trip(b, n, 1_000);
            row("the same, a perfect sender", rate, ideal);
            if b == 1 {
                row("the same, in whole segments", rate, formulas::whole_segments(n));
            }
        }
        for p in [1e-3, 1e-2, 2e-2, 5e-2] {
            let runs: Vec<_> =
                (1..=11).map(|seed| lossy(&sender, &p.to_string(), 20, 200, seed)).collect();
            let rate = median(runs.iter().map(|run| run.rate).collect());
            let rto = median(runs.iter().map(|run| run.rto).collect());
            row(&format!("Reno, b = {b}, p = {p}, Padhye"), rate, formulas::pftk(b, p, rto));
        }
    }
    for n in [10_000, 30_000] {
        let rate = lossy(&Sender::new(Cubic::default()), &format!("every:{n}"), 60, 200, 1).rate;
        row(&format!("CUBIC, 1 of {n}, RFC 9438"), rate, formulas::cubic(1.0 / f64::from(n), RTT));
    }
    println!("\nRound trips of slow start, and as a multiple of allman98's equation 5:\n");
    println!("| from | to | equation 5 | ack per segment | delayed acks | multiple |");
    println!("| ---: | ---: | ---: | ---: | ---: | ---: |");
    for initial_window in [1, 2, 4, 10] {
        for to in [16, 100, 256, 700] {
            let sender = Sender { initial_window, ..reno };
            let expected = formulas::slow_start(initial_window, to);
            let [each, delayed] =
                [sender, sender.delayed_acks()].map(|sender| slow_start(&sender, to));
            let multiple = delayed / expected;
            println!(
                "| {initial_window} | {to} | {expected:.2} | {each:.2} | {delayed:.2} | {multiple:.2} |"
            );
        }
    }
    println!("\nSawtooth of Reno over a line of a segment per millisecond:\n");
    println!("| pipe | queue | window | expected | period | expected |");
    println!("| ---: | ---: | --- | --- | ---: | ---: |");
    for (pipe, queue) in [(20, 29), (21, 30), (10, 29)] {
        let tooth = sawtooth(&reno, pipe, queue, 20, 10)[0];
        let most = pipe + queue + 1;
        println!(
            "| {pipe} | {queue} | {} to {} | {} to {most} | {} ms | {} ms |",
            tooth.least,
            tooth.most,
            most / 2,
            tooth.period.as_millis(),
            formulas::tooth(most / 2)
        );
    }
    let indices = (1..=5).map(|seed| fairness(&shares(&reno, 16, 10, 50, seed))).collect();
    println!("\nJain's index of 16 Reno flows: {:.4}", median(indices));
}

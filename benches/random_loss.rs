//! What laws make of a path of 50 Mbit/s and 40 ms, with a queue of one bandwidth-delay product, that
//! loses packets at random: medians of five runs of 30 s in virtual time. Nothing here depends on
//! how fast the machine is.

use ackclock_benches::random_loss::{BDP, Use, run};
use ackclock_benches::report::median;

const SEEDS: u64 = 5;
const SECONDS: u64 = 30;

fn main() {
    println!("A queue of {BDP} bytes; shares of the line's rate in percent:\n");
    println!("| law | loss | sent | acknowledged | queue, bytes | sent again | timeouts |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for loss in ["0", "0.1%", "1%", "2%", "5%"] {
        for law in ["bbr", "cubic", "reno"] {
            let parsed = law.parse().expect("a law");
            let runs: Vec<Use> = (1..=SEEDS).map(|seed| run(parsed, loss, SECONDS, seed)).collect();
            let [sent, acked, queue, resent, timeouts] = [
                |used: &Use| used.utilisation,
                |used: &Use| used.goodput,
                |used: &Use| used.queue as f64,
                |used: &Use| used.retransmitted as f64,
                |used: &Use| used.timeouts as f64,
            ]
            .map(|value| median(runs.iter().map(value).collect()));
            println!(
                "| {law} | {loss} | {sent:.1} | {acked:.1} | {queue} | {resent} | {timeouts} |"
            );
        }
    }
}

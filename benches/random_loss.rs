//! What laws make of a path of 50 Mbit/s and 40 ms, with a queue of one bandwidth-delay product, that
//! loses packets at random: medians of five runs of 30 s in virtual time. Nothing here depends on
//! how fast the machine is.

use ackclock::congestion::{Bbr, BuiltIn, CongestionController};
use ackclock_benches::deaf_bbr::{Deaf, DeafBbr};
use ackclock_benches::random_loss::{BDP, Use, run};
use ackclock_benches::report::median;

const SEEDS: u64 = 5;
const SECONDS: u64 = 30;
/// Seeds of the runs of BBR at 1 % of loss that are told one by one.
const SINGLE_RUNS: std::ops::RangeInclusive<u64> = 6..=30;
/// Runs with less than this share of the line are counted, in percent.
const LOW_SHARE: f64 = 80.0;

fn main() {
    print_laws();
    print_shares_of_answers();
}

fn print_laws() {
    println!("A queue of {BDP} bytes; shares of the line's rate in percent:\n");
    println!("| law | loss | sent | acknowledged | queue, bytes | sent again | timeouts |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for loss in ["0", "0.1%", "1%", "2%", "5%"] {
        for law in ["bbr", "cubic", "reno"] {
            let parsed: BuiltIn = law.parse().expect("a law");
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

/// Which of BBR's answers to losses costs how much: with all of them, without the one to a probe that
/// lost too much, and with none; where losses are random, and where every hundredth packet is lost,
/// which is never too much.
fn print_shares_of_answers() {
    let (first, last) = (SINGLE_RUNS.start(), SINGLE_RUNS.end());
    println!(
        "\nBBR where 1 % is lost, seeds {first} to {last}, shares of the line's rate that was sent:\n"
    );
    println!("| BBR | loss | least | median | most | below {LOW_SHARE} % |");
    println!("| --- | --- | ---: | ---: | ---: | ---: |");
    for (how, loss) in [("random", "1%"), ("every hundredth packet", "every:100")] {
        print_shares("as in the draft", how, loss, Bbr::new());
        print_shares("no probe is too high", how, loss, DeafBbr::new(Deaf::ToExcess));
        print_shares("hears of no loss", how, loss, DeafBbr::new(Deaf::ToLosses));
    }
}

fn print_shares<C>(name: &str, how: &str, loss: &str, law: C)
where
    C: CongestionController + Clone + 'static,
{
    let mut shares: Vec<f64> =
        SINGLE_RUNS.map(|seed| run(law.clone(), loss, SECONDS, seed).utilisation).collect();
    shares.sort_by(f64::total_cmp);
    let low = shares.iter().filter(|share| **share < LOW_SHARE).count();
    let (least, most) = (shares[0], shares[shares.len() - 1]);
    let middle = median(shares);
    println!("| {name} | {how} | {least:.1} | {middle:.1} | {most:.1} | {low} |");
}

//! Tables of throughput in virtual time, ours and smoltcp's side by side: one flow over a path that
//! loses, and several flows that share a bottleneck. Medians over seeds. Nothing here depends on how
//! fast the machine is.

use ackclock::congestion::BuiltIn;
use ackclock_benches::against_smoltcp::{Setting, Tcp, dumbbell, fairness, single_flow};
use ackclock_benches::report::median;
use ackclock_smoltcp_peer::CongestionControl;

fn law(name: &str) -> BuiltIn {
    BuiltIn::by_name(name).expect("a law")
}

fn main() {
    let columns = [
        ("reno", Tcp::Ours(law("reno"))),
        ("cubic", Tcp::Ours(law("cubic"))),
        ("smoltcp reno", Tcp::Smoltcp(CongestionControl::Reno)),
        ("smoltcp cubic", Tcp::Smoltcp(CongestionControl::Cubic)),
        ("smoltcp none", Tcp::Smoltcp(CongestionControl::None)),
    ];
    println!("One flow, RTT 100 ms, buffers of 32 KiB, bytes per second (median of 11 seeds).");
    for (setting, what) in [
        (
            Setting::Polled,
            "Data and acks are lost, and hosts look at their packets each millisecond:",
        ),
        (Setting::AtOnce, "Only data is lost, and hosts take each packet when it comes:"),
    ] {
        println!("\n{what}\n");
        print!("| loss |");
        columns.iter().for_each(|(name, _)| print!(" {name} |"));
        println!(" reno / smoltcp reno | cubic / smoltcp reno |");
        println!("| --- |{}", " ---: |".repeat(columns.len() + 2));
        for loss in ["0", "0.1%", "1%", "2%", "5%", "10%"] {
            let run = |tcp, seed| single_flow(tcp, setting, loss, seed);
            let rates =
                columns.map(|(_, tcp)| median((0..11).map(|seed| run(tcp, seed)).collect()));
            print!("| {loss} |");
            rates.iter().for_each(|rate| print!(" {rate:.0} |"));
            println!(" {:.2} | {:.2} |", rates[0] / rates[2], rates[1] / rates[2]);
        }
    }
    println!(
        "\nFlows over 200 Mbit/s, RTT 100 ms, a queue of 64 KiB and buffers of 256 KiB, MB/s in all \
         and Jain's index (median of 5 seeds):\n"
    );
    print!("| flows |");
    columns.iter().for_each(|(name, _)| print!(" {name} |"));
    println!("\n| --- |{}", " ---: |".repeat(columns.len()));
    for flows in [4, 16] {
        print!("| {flows} |");
        for (_, tcp) in columns {
            let runs: Vec<Vec<f64>> = (0..5).map(|seed| dumbbell(tcp, flows, seed)).collect();
            let total = median(runs.iter().map(|run| run.iter().sum::<f64>() / 1e6).collect());
            let index = median(runs.iter().map(|run| fairness(run)).collect());
            print!(" {total:.2}, {index:.3} |");
        }
        println!();
    }
}

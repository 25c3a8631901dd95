//! What HyStart++ makes of transfers in both directions at once: a mebibyte echoed over 10 Mbit/s and 40 ms,
//! and one that goes one way, by whether client and server watch their slow starts. In virtual time: nothing
//! here depends on how fast the machine is.

use ackclock_benches::two_way::{Outcome, run};

fn main() {
    println!("| queue | service | client | server | time, s | dropped there | dropped back |");
    println!("| --- | --- | --- | --- | ---: | ---: | ---: |");
    for queue in ["infinite", "256", "128", "64", "32"] {
        for law in ["cubic", "reno"] {
            let [on, off] = ["on", "off"].map(|hystart| format!("{law}:hystart={hystart}"));
            for laws in [[&on, &on], [&on, &off], [&off, &off]] {
                print(queue, "echo", laws.map(String::as_str));
            }
            print(queue, "discard", [&on, &on]);
            print(queue, "discard", [&off, &off]);
        }
    }
}

fn print(queue: &str, service: &str, laws: [&str; 2]) {
    let Outcome { seconds, dropped: [there, back] } = run(queue, service, laws);
    let [client, server] = laws;
    println!("| {queue} | {service} | {client} | {server} | {seconds:.2} | {there} | {back} |");
}

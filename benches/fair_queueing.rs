//! How long a request waits beside a flow with a window of a megabyte from the same host, over lines of
//! several rates, 5 ms long, by what the host lets wait for the line. In virtual time: nothing here
//! depends on how fast the machine is.

use ackclock_benches::fair_queueing::{Beside, run};

fn main() {
    println!("| line | bql | requests | median RTT, ms | longest, ms | the flow, % of the line |");
    println!("| --- | --- | ---: | ---: | ---: | ---: |");
    for (rate, limits) in [
        ("1mbit", &["", "3kB", "15kB"][..]),
        ("10mbit", &["", "3kB", "15kB"]),
        ("100mbit", &["", "3kB", "15kB", "125kB"]),
    ] {
        for limit in limits {
            let Beside { requests, median, longest, share } = run(rate, limit);
            let limit = if limit.is_empty() { "none" } else { limit };
            println!("| {rate} | {limit} | {requests} | {median:.1} | {longest:.1} | {share:.1} |");
        }
    }
}

//! How long many scripts take.

use crate::player::check;
use std::time::Instant;

/// What most scripts are made of: a handshake, data both ways, a loss, an end, and time.
const SCRIPT: &str = "
        established
        write c 5000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        > P. 4001:5001(1000) ack 1
        +0.05 < . 1:1(0) ack 1 <sack 1001:2001>
        < . 1:1(0) ack 1 <sack 1001:3001>
        < . 1:1(0) ack 1 <sack 1001:4001>
        > . 1:1001(1000) ack 1
        +0.05 < P. 1:101(100) ack 5001
        +0.04 > . 5001:5001(0) ack 101
        start read c 200 waitall
        +1 < P. 101:201(100) ack 5001
        done
        +0.04 > . 5001:5001(0) ack 201
        close c
        > F. 5001:5001(0) ack 201
        +0.01 < F. 201:201(0) ack 5002
        > . 5002:5002(0) ack 202
";

/// A thousand plays in one process leave no descriptor and no thread behind; how long they took is
/// printed.
#[test]
fn a_thousand_scripts() {
    let begin = Instant::now();
    for _ in 0..1_000 {
        check(SCRIPT);
    }
    println!("a thousand scripts took {:.1?}", begin.elapsed());
}

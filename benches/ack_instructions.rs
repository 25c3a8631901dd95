//! What an ack costs in each law in the steady state, in instructions.
//!
//! The program runs itself under valgrind's callgrind, for each law with two numbers of acks, and
//! lets it count what is done for acks only. The difference of the counts, divided by the difference
//! of the numbers, is what an ack costs once the law has settled. The result is the same each time.
//!
//! ```sh
//! cargo bench -p ackclock-benches --bench ack_instructions
//! ```

use ackclock::congestion::{
    Ack, BuiltIn, Congestion, CongestionController, CongestionKind, DeliveryRate, Start,
};
use ackclock::time::Duration;
use ackclock_benches::callgrind;
use std::error::Error;
use std::hint::black_box;
use std::process::ExitCode;

const MSS: u32 = 1460;
const ROUND_TRIP: Duration = Duration::from_millis(40);
/// Every second segment of a window of a hundred is acknowledged.
const ACKS_PER_ROUND: u32 = 50;
const ROUND_BYTES: u32 = 2 * MSS * ACKS_PER_ROUND;
/// Something is lost once in so many acks, which keeps the window where it is.
const ACKS_PER_LOSS: u64 = 2_000;
/// A warm-up of the law, and what is measured beyond it.
const ACKS: [u64; 2] = [20_000, 60_000];

/// Tells a law of so many acks.
fn tell(law: &mut BuiltIn, acks: u64) {
    let mut start = Start::default();
    start.mss = MSS;
    start.initial_window = 10 * MSS;
    law.on_start(&start);
    let mut ack = Ack::default();
    (ack.bytes_acked, ack.bytes_delivered) = (2 * MSS, 2 * MSS);
    ack.min_rtt = ROUND_TRIP;
    ack.window_limited = true;
    let mut sample = DeliveryRate::default();
    (sample.delivered, sample.interval) = (ROUND_BYTES, ROUND_TRIP);
    for n in 0..acks {
        if n % ACKS_PER_LOSS == 0 {
            let kind = CongestionKind::FastRetransmit;
            law.on_congestion(&Congestion::new(ack.now, kind, 100 * MSS));
        }
        ack.now += ROUND_TRIP / ACKS_PER_ROUND;
        let queueing = Duration::from_micros(n % 7 * 500);
        ack.rtt = Some(ROUND_TRIP + queueing);
        ack.smoothed_rtt = ROUND_TRIP + queueing;
        ack.new_round = n % u64::from(ACKS_PER_ROUND) == 0;
        ack.flight_after = law.window().min(ROUND_BYTES);
        sample.prior_delivered = sample.total_delivered.saturating_sub(ROUND_BYTES);
        sample.total_delivered += ack.bytes_delivered;
        sample.flight_when_sent = ack.flight_after;
        sample.rtt = ack.rtt;
        let sampled = ack.new_round || law.wants_delivery_rate();
        ack.delivery = sampled.then_some(sample);
        black_box(one_ack(black_box(law), black_box(&ack)));
    }
}

/// An ack, and what the core then asks.
#[inline(never)]
fn one_ack(law: &mut BuiltIn, ack: &Ack) -> (u32, u32, Option<u64>, Option<u32>) {
    law.on_ack(ack);
    (law.window(), law.slow_start_threshold(), law.pacing_rate(), law.send_quantum())
}

/// Instructions that so many acks take.
fn instructions(law: &str, acks: u64) -> Result<f64, Box<dyn Error>> {
    callgrind::count(&["--toggle-collect=*one_ack*"], &["tell", law, &acks.to_string()])
}

fn report() -> Result<(), Box<dyn Error>> {
    println!("law      instructions per ack");
    for law in BuiltIn::NAMES {
        let [few, many] = ACKS.map(|acks| instructions(law, acks));
        let per_ack = (many? - few?) / (ACKS[1] - ACKS[0]) as f64;
        println!("{law:8} {per_ack:.1}");
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["tell", law, acks] => law.parse::<BuiltIn>().map_err(Into::into).and_then(|mut law| {
            tell(&mut law, acks.parse()?);
            Ok(())
        }),
        _ => report(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ack_instructions: {error}");
            ExitCode::FAILURE
        }
    }
}

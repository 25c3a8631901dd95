//! What the literature says: rates in segments per round-trip time, times in round-trip times.
//!
//! `b` is how many segments an ack acknowledges, `p` the share of segments that are lost.

/// M. Mathis, J. Semke, J. Mahdavi and T. Ott, "The Macroscopic Behavior of the TCP Congestion
/// Avoidance Algorithm", CCR July 1997: sqrt(3/2b) / sqrt(p). A loss at even distances halves the
/// window; it is found and repaired in no time, and nothing times out.
pub fn mathis(b: u32, p: f64) -> f64 {
    (1.5 / f64::from(b) / p).sqrt()
}

/// What `mathis` leaves out, for an ack per segment, where every `n`-th packet is lost: the window W
/// is whole segments, and it stands still while a loss is found and repaired.
///
/// Between two losses there are, with their packets, the round trip until the loss is found, W; the
/// one in which it is repaired, W/2; one with each window from W/2 to W - 1, in all 3/8 W^2 - W/4; and
/// of the one with W, whose last ack will not come, half, W/2. That is n = 3/8 W^2 + 7/4 W packets in
/// W/2 + 5/2 round trips.
pub fn whole_segments(n: u32) -> f64 {
    let n = f64::from(n);
    let window = ((1.75_f64.powi(2) + 1.5 * n).sqrt() - 1.75) / 0.75;
    n / (window / 2.0 + 2.5)
}

/// How many packets a line carries between two drops when nothing but its queue limits the window, with
/// an ack per segment, a queue that is never empty, and a least window of `half` segments.
///
/// The window W = 2 `half` is one more than there is room for. The packet that opened it is dropped.
/// W - 1 acks are on their way, then the duplicate acks of what they let go; the third begins the
/// recovery: W + 2. Limited transmit has sent 2 more, so W - 2 packets are ahead of the retransmission,
/// whose ack ends the recovery: W - 1. Then `half` acks open the window by a segment, and so on until
/// W - 1 acks open it to W.
pub fn tooth(half: u64) -> u64 {
    let window = 2 * half;
    (window + 2) + (window - 1) + (half..window).sum::<u64>()
}

/// J. Padhye, V. Firoiu, D. Towsley and J. Kurose, "Modeling TCP Throughput: A Simple Model and its
/// Empirical Validation", SIGCOMM 1998, its approximation, without a bound by the receiver's window
/// (RFC 5348 section 3.1 has it too, with b = 1).
/// `rto` is T0, the first timeout, in round-trip times.
pub fn pftk(b: u32, p: f64, rto: f64) -> f64 {
    let b = f64::from(b);
    let timeouts = (3.0 * (3.0 * b * p / 8.0).sqrt()).min(1.0) * p * (1.0 + 32.0 * p * p);
    1.0 / ((2.0 * b * p / 3.0).sqrt() + rto * timeouts)
}

/// RFC 9438 section 5, the average window of CUBIC where losses come at even distances, with C of its
/// section 5.1 and beta_cubic of its section 4.6. `rtt` is in seconds. It assumes that each window
/// reaches the last one, so that there is no fast convergence, and that Reno would be slower.
pub fn cubic(p: f64, rtt: f64) -> f64 {
    const C: f64 = 0.4;
    const BETA: f64 = 0.7;
    (C * (3.0 + BETA) / (4.0 * (1.0 - BETA))).powf(0.25) * (rtt / p).powf(0.75)
}

/// allman98 equation 5: how long slow start takes from a window of `from` segments to one of `to`,
/// with an ack for each.
pub fn slow_start(from: u16, to: u32) -> f64 {
    (f64::from(to) / f64::from(from)).log2()
}

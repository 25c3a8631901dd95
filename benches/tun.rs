//! Stacks against the kernel over TUN, on one processor: bulk in either direction and ping-pong,
//! with segmentation offload and without, ours and smoltcp in turns, beside a driver that knows its
//! packets beforehand and does nothing but write and read them.
//!
//! With the word `queues` it measures one queue and two instead, on two processors.
//!
//! `sudo benches/tun.sh` builds and runs it. It prints a JSON line for each measurement, and tables of
//! medians at the end. Rates are those of one processor that does nothing else: payload by the
//! processor time of both ends, the kernel's work included, so that other work on the machine counts
//! little.

#[cfg(target_os = "linux")]
#[path = "../crates/ackclock-host/tests/kernel/namespace.rs"]
mod namespace;
#[cfg(target_os = "linux")]
#[path = "tun/mod.rs"]
mod tun;

#[cfg(target_os = "linux")]
fn main() {
    let rounds = std::env::args().filter_map(|argument| argument.parse().ok()).next();
    let several = std::env::args().any(|argument| argument == "queues");
    let measure = if several { tun::measure_queues } else { tun::measure };
    let measured = std::thread::Builder::new()
        .name("tun".into())
        .spawn(move || namespace::in_namespace(|| measure(rounds.unwrap_or(5))));
    let measured = measured.expect("a thread").join();
    measured.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("tun: TUN devices are supported on Linux only");
}

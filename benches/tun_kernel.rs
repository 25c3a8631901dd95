//! Bulk transfers between the stack and the kernel over TUN at MTU 1500. The project asks for
//! 1 Gbit/s or more in either direction.
//!
//! Needs what the kernel tests of `ackclock-host` need (root, `/dev/net/tun`, `ip`); without it
//! the benchmark says what is missing and measures nothing.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
#[path = "../crates/ackclock-host/tests/kernel/namespace.rs"]
mod namespace;

#[cfg(target_os = "linux")]
fn main() {
    // A message that says why it is skipped has the thread's name.
    let measured = std::thread::Builder::new().name("tun_kernel".into()).spawn(|| {
        namespace::in_namespace(|| {
            linux::tun_kernel(&mut criterion::Criterion::default().configure_from_args());
        });
    });
    let measured = measured.expect("a thread").join();
    measured.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("tun_kernel: TUN devices are supported on Linux only");
}

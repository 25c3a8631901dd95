//! Bulk transfers between the stack and the kernel over TUN at MTU 1500. The project asks for
//! 1 Gbit/s or more in either direction.
//!
//! Needs what the kernel tests of `ackclock-host` need (root, `/dev/net/tun`, `ip`); without it
//! the benchmark says what is missing.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
#[path = "../crates/ackclock-host/tests/kernel/namespace.rs"]
mod namespace;

#[cfg(target_os = "linux")]
fn main() {
    namespace::in_namespace(|| {
        linux::tun_kernel(&mut criterion::Criterion::default().configure_from_args());
    });
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("tun_kernel: TUN devices are supported on Linux only");
}

//! What the fuzz targets do with their input.
//!
//! Each body takes any bytes and panics if something that must hold does not. The targets
//! themselves (`fuzz/`) only hand bytes over; here `cargo test` replays seeds and past findings on
//! a stable compiler.
//!
//! Everything goes through the public API, the scoreboard and reassembly too: their state is told by
//! `Info`, by SACK blocks and by what is sent and read. So no feature opens the core's insides for
//! fuzzing, and the bodies outlive every change of those.

#[cfg(target_os = "linux")]
mod interface;
mod negotiation;
mod operations;
mod packets;
mod peer;
mod reassembly;
mod scoreboard;
mod wire;

/// A body.
pub type Body = fn(&[u8]);

/// The fuzz targets by their names.
pub const TARGETS: &[(&str, Body)] = &[
    #[cfg(target_os = "linux")]
    ("interface", interface::run),
    ("negotiation", negotiation::run),
    ("operations", operations::run),
    ("packets", packets::run),
    ("reassembly", reassembly::run),
    ("scoreboard", scoreboard::run),
    ("wire", wire::run),
];

/// Runs the body of that name.
///
/// # Panics
/// If there is none, or if what it checks does not hold.
pub fn run(target: &str, data: &[u8]) {
    let (_, body) = TARGETS.iter().find(|(name, _)| *name == target).expect("a fuzz target");
    body(data);
}

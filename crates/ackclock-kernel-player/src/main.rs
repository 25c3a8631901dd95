//! Plays packet scripts to this machine's kernel, each in a network namespace, over a TUN device.
//!
//! | module | holds |
//! | --- | --- |
//! | `kernel` | the namespace with its device and settings, and the calls of the C library |
//! | `session` | one script, line by line, in real time |
//! | `crew` | many scripts side by side |
//! | `reasons` | why scripts go differently, as the repository keeps it |
//! | `random` | random scripts, played to the library and the kernel |
//! | `gate` | what the play of all scripts says |
//! | `translate` | scripts of the testkit as scripts of socket calls |
//! | `calls`, `other_calls`, `steps`, `table`, `words` | the steps of scripts that are calls, which are the library's players' too |

#[cfg(target_os = "linux")]
#[path = "../../ackclock-packetdrill/tests/scripts/calls.rs"]
mod calls;
#[cfg(target_os = "linux")]
mod command;
#[cfg(target_os = "linux")]
mod crew;
#[cfg(target_os = "linux")]
mod gate;
#[cfg(target_os = "linux")]
mod kernel;
#[cfg(target_os = "linux")]
#[path = "../../ackclock-packetdrill/tests/scripts/other_calls.rs"]
mod other_calls;
#[cfg(target_os = "linux")]
mod random;
#[cfg(target_os = "linux")]
mod reasons;
#[cfg(target_os = "linux")]
mod session;
#[cfg(target_os = "linux")]
#[path = "../../ackclock-packetdrill/tests/scripts/steps.rs"]
mod steps;
#[cfg(target_os = "linux")]
#[path = "../../ackclock-packetdrill/tests/scripts/table.rs"]
mod table;
#[cfg(target_os = "linux")]
mod translate;
#[cfg(target_os = "linux")]
#[path = "../../ackclock-packetdrill/tests/scripts/words.rs"]
mod words;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    command::run()
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("the kernel that plays scripts is Linux");
}

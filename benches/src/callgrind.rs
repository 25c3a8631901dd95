//! Instructions, which no other work on the machine changes: a program counts its own.

use std::error::Error;
use std::process::Command;

/// Instructions that this program takes when it is started with `arguments`, with all that goes before
/// what they ask for; callgrind gets `options`.
///
/// glibc's copies with `rep movsb` are switched off, since such an instruction counts as one for each
/// byte in one version of the machine and for much less in the next.
///
/// # Errors
/// There is no valgrind, it counted nothing, or the program failed.
pub fn count(options: &[&str], arguments: &[&str]) -> Result<f64, Box<dyn Error>> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(options)
        .arg(std::env::current_exe()?)
        .args(arguments)
        .env(
            "GLIBC_TUNABLES",
            "glibc.cpu.x86_rep_movsb_threshold=0x40000000:\
             glibc.cpu.x86_rep_stosb_threshold=0x40000000",
        )
        .output()
        .map_err(|error| format!("valgrind, which counts the instructions: {error}"))?;
    let report = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{arguments:?} failed: {report}").into());
    }
    let count = report.lines().find_map(|line| line.split_once("Collected : "));
    let (_, count) = count.ok_or_else(|| format!("valgrind counted nothing: {report}"))?;
    Ok(count.trim().parse()?)
}

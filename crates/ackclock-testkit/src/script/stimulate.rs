//! Scripts as mere stimuli of a judged stack.

use super::play::play;
use super::run::Runner;
use ackclock_judge::Findings;

/// Plays the peer and the application of a script to a stack, whatever that sends, and for some seconds
/// more; what a judge of the stack finds.
///
/// # Errors
/// A line that cannot be read; packets without an end.
pub fn stimulate(script: &str) -> Result<Findings, String> {
    let mut runner = Runner::stimulating();
    play(script, &mut runner).map_err(|failure| failure.to_string())?;
    runner.into_findings()
}

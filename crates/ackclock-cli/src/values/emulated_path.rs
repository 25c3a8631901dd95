//! An emulated path and what is different on the way back.

use crate::failure::Failure;
use ackclock_emulator::Path;

/// Both directions: the way back is the way there but for what `--path-back` says.
pub(crate) fn there_and_back(there: &Path, back: Option<&str>) -> Result<[Path; 2], Failure> {
    let back = back.map_or_else(|| Ok(there.clone()), |text| there.with(text));
    let back = back.map_err(|error| Failure::Usage(format!("--path-back: {error}")))?;
    Ok([there.clone(), back])
}

/// The path as it is told to people, the way back only if it is another.
pub(crate) fn path_text([there, back]: &[Path; 2]) -> String {
    if there == back { there.to_string() } else { format!("{there}; back {back}") }
}

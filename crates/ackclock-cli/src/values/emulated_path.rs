//! The two directions of an emulated path.

use crate::failure::Failure;
use ackclock_emulator::Path;

/// Both directions of a path: the way back is like the way there except for what `--path-back` says.
pub(crate) fn there_and_back(there: &Path, back: Option<&str>) -> Result<[Path; 2], Failure> {
    let back = back.map_or_else(|| Ok(there.clone()), |text| there.with(text));
    let back = back.map_err(|error| Failure::Usage(format!("--path-back: {error}")))?;
    Ok([there.clone(), back])
}

/// Text of a path for people; the way back stands in it only if it differs.
pub(crate) fn path_text([there, back]: &[Path; 2]) -> String {
    if there == back { there.to_string() } else { format!("{there}; back {back}") }
}

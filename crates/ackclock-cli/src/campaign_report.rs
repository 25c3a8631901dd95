//! The report of a campaign, as files.

use crate::commands::campaign::Report;
use crate::failure::Failure;
use ackclock_measure::campaign::Journal;
use ackclock_measure::report::Findings;
use std::io::Write;

/// Writes the files and says which.
pub(crate) fn write(options: &Report) -> Result<(), Failure> {
    let (plan, records) = Journal::read(&options.directory)
        .map_err(|error| Failure::Environment(error.to_string()))?;
    let directory = options.out.as_ref().unwrap_or(&options.directory);
    let files = Findings::of(&plan, &records).write(directory).map_err(|error| {
        Failure::Environment(format!("cannot write into {}: {error}", directory.display()))
    })?;
    let mut stdout = std::io::stdout().lock();
    let written = files.iter().try_for_each(|file| writeln!(stdout, "{}", file.display()));
    written.map_err(|error| Failure::output(&error))
}

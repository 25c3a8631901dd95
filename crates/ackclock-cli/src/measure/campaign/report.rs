//! Report of a campaign, as files.

use crate::failure::Failure;
use crate::report::stdout;
use ackclock_measure::campaign::Journal;
use ackclock_measure::report::Findings;
use std::io::Write;
use std::path::PathBuf;

/// Settings of a report.
#[derive(Clone, Debug)]
pub(crate) struct ReportSettings {
    /// Directory of the campaign.
    pub(crate) directory: PathBuf,
    /// Directory of the report's files.
    pub(crate) out: PathBuf,
}

/// Writes the files of the report, and their names to standard output.
pub(crate) fn report(settings: &ReportSettings) -> Result<(), Failure> {
    let (plan, records) = Journal::read(&settings.directory)
        .map_err(|error| Failure::Environment(error.to_string()))?;
    let directory = &settings.out;
    let files = Findings::of(&plan, &records).write(directory).map_err(|error| {
        Failure::Environment(format!("cannot write into {}: {error}", directory.display()))
    })?;
    let mut stdout = stdout();
    let written = files.iter().try_for_each(|file| writeln!(stdout, "{}", file.display()));
    written.map_err(|error| Failure::output(&error))
}

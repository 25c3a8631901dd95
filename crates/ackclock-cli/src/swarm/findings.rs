//! Findings as files: the least case of each, and captures of its runs.

use crate::failure::Failure;
use ackclock_emulator::PcapNgCapture;
use ackclock_swarm::{Case, Found, MOST_SEGMENTS, run_watched, variants};
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// The directory that findings are written to.
pub(super) struct Findings<'a> {
    directory: &'a Path,
}

impl<'a> Findings<'a> {
    pub(super) fn new(directory: &'a Path) -> Self {
        Findings { directory }
    }

    /// Writes a finding's case and captures; returns what is to be told of it.
    pub(super) fn write(&self, found: &Found) -> Result<String, Failure> {
        let Found { seed, finding, case } = found;
        let mut case = case.clone();
        case.oracle = Some(finding.oracle.clone());
        let file = self.directory.join(format!("{seed}.toml"));
        let comment = format!("Seed {seed}: {}", finding.text);
        std::fs::create_dir_all(self.directory)
            .and_then(|()| std::fs::write(&file, case.to_toml(&comment)))
            .map_err(|error| {
                Failure::Environment(format!("cannot write {}: {error}", file.display()))
            })?;
        // A case in which the stack panics has no capture.
        if finding.oracle != "panic" {
            capture(&case, &file)?;
        }
        let (oracle, text) = (&finding.oracle, &finding.text);
        Ok(format!("seed {seed}: {oracle}: {text}\n  ackclock swarm --play {}\n", file.display()))
    }
}

/// Writes a capture of each run of a case beside its file; returns the captures' files.
pub(super) fn capture(case: &Case, file: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for (name, variant) in variants(case) {
        let to = file.with_extension(format!("{name}pcapng"));
        let failed = |error: std::io::Error| Failure::capture(&to, &error);
        let mut error = None;
        let writer = BufWriter::new(File::create(&to).map_err(failed)?);
        let observed = run_watched(&variant, MOST_SEGMENTS, |topology| {
            PcapNgCapture::new(topology, writer).map_err(|failure| error = Some(failure)).ok()
        });
        if let Some(error) = error {
            return Err(failed(error));
        }
        let (_, capture) = observed.map_err(|error| Failure::Usage(error.to_string()))?;
        if let Some(capture) = capture {
            capture.finish().map_err(failed)?;
        }
        files.push(to);
    }
    Ok(files)
}

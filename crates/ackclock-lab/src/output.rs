//! A directory of results: JSON, the report, and the raw series as CSV.

use crate::captures;
use crate::json::ResultsError;
use crate::report;
use crate::results::Results;
use ackclock_emulator::read_text;
use ackclock_report::{Format, Plot};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A directory that results are written into.
#[derive(Clone, Debug)]
pub struct Output {
    directory: PathBuf,
}

/// Most bytes of a file that is read.
const MOST: u64 = 256 << 20;

const RESULTS: &str = "results.json";
const PLOTS: &str = "plots.json";
const REPORT: &str = "report.html";
/// Directory of the raw series.
const SERIES: &str = "series";

/// Bytes that there must be room for before anything is run: an empty file needs no room on a full
/// disk.
const PROBE: usize = 64 << 10;

impl Output {
    /// Makes the directory if it is not there, and sees that files can be written into it: before
    /// anything is run.
    ///
    /// # Errors
    /// Why that is not possible.
    pub fn create(directory: &Path) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        let probe = directory.join(".writable");
        let written = fs::write(&probe, [0; PROBE]);
        // A full disk may have taken a part of it.
        fs::remove_file(probe).and(written)?;
        Ok(Output { directory: directory.to_owned() })
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Writes `results.json` and `plots.json`, from which
    /// [`merge_directories`](Results::merge_directories) makes everything else. On an error what was
    /// saved before is still there.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn save(&self, results: &Results) -> io::Result<()> {
        // Plots that `results.json` does not know of do no harm; the reverse would lose them.
        self.replace(PLOTS, &results.plots_to_json())?;
        self.replace(RESULTS, &results.to_json())
    }

    /// Writes a file whole or not at all.
    fn replace(&self, name: &str, text: &str) -> io::Result<()> {
        let unfinished = self.directory.join(format!("{name}.new"));
        let written = fs::write(&unfinished, text)
            .and_then(|()| fs::rename(&unfinished, self.directory.join(name)));
        if written.is_err() {
            // What is left of it takes up room, at most.
            let _ = fs::remove_file(unfinished);
        }
        written
    }

    /// Writes `results.json`, `plots.json`, `report.html` and the series.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write(&self, results: &Results) -> io::Result<()> {
        self.save(results)?;
        let capture = |name: &str| captures::link(&self.directory, name);
        fs::write(self.directory.join(REPORT), report::html(results, &capture))?;
        let series = self.directory.join(SERIES);
        fs::create_dir_all(&series)?;
        for (name, plot) in results.plots() {
            plot.write_csv(&series.join(name + ".csv"))?;
        }
        Ok(())
    }

    /// Writes each plot as a file in each of these formats.
    ///
    /// # Errors
    /// Those of the file system, and that the machine has no font for PNG and PDF.
    pub fn write_plots(&self, results: &Results, formats: &[Format]) -> io::Result<()> {
        for (name, plot) in results.plots() {
            for format in formats {
                let picture = plot.in_format(*format).map_err(io::Error::other)?;
                fs::write(self.directory.join(format!("{name}.{}", format.extension())), picture)?;
            }
        }
        Ok(())
    }
}

/// The two files of a part that are needed to join it with others.
///
/// # Errors
/// Why they cannot be read.
fn read_part(directory: &Path) -> io::Result<[String; 2]> {
    let read = |name: &str| {
        let file = directory.join(name);
        read_text(&file, MOST)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", file.display())))
    };
    Ok([read(RESULTS)?, read(PLOTS)?])
}

impl Results {
    /// Joins the parts in these directories.
    ///
    /// # Errors
    /// Which of them cannot be read, or that they do not belong together.
    pub fn merge_directories(directories: &[PathBuf]) -> Result<Results, ResultsError> {
        let read = |directory: &PathBuf| {
            read_part(directory).map_err(|error| ResultsError::Unreadable(error.to_string()))
        };
        Results::merge(&directories.iter().map(read).collect::<Result<Vec<_>, _>>()?)
    }

    /// All plots, each with a name for its file: those over all variants, then those of jobs.
    pub fn plots(&self) -> Vec<(String, &Plot)> {
        let mut plots = Vec::new();
        for outcome in &self.outcomes {
            let id = outcome.experiment.id();
            for plot in outcome.findings.iter().flat_map(|findings| &findings.plots) {
                plots.push((series_name(&id, None, plot), plot));
            }
            for variant in outcome.samples.variants() {
                for (_, sample) in outcome.samples.of(variant) {
                    for plot in &sample.plots {
                        plots.push((series_name(&id, Some(variant), plot), plot));
                    }
                }
            }
        }
        plots
    }
}

/// The name of a plot's files, without what they end in: of an experiment as a whole, or of a variant.
pub(crate) fn series_name(experiment: &str, variant: Option<&str>, plot: &Plot) -> String {
    let parts = [Some(experiment), variant, Some(plot.name.as_str())];
    file_name(&parts.into_iter().flatten().collect::<Vec<_>>())
}

/// The name of the capture of a variant, without what its file ends in.
pub(crate) fn capture_name(experiment: &str, variant: &str) -> String {
    file_name(&[experiment, variant])
}

/// The link from the report to a plot's points.
pub(crate) fn series_link(name: &str) -> String {
    format!("{SERIES}/{name}.csv")
}

/// Parts of a name, joined, with nothing in them that a file system could mind.
fn file_name(parts: &[&str]) -> String {
    let kept = |c: char| c.is_ascii_alphanumeric() || ".-=_".contains(c);
    parts.join(".").chars().map(|c| if kept(c) { c } else { '_' }).collect()
}

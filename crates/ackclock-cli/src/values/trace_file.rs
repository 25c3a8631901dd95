//! File of a trace, whose format follows from its name.

use ackclock_emulator::TraceFormat;
use std::path::PathBuf;
use std::str::FromStr;

/// File of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TraceFile {
    /// Path of the file.
    pub(crate) path: PathBuf,
    /// Format of the trace.
    pub(crate) format: TraceFormat,
}

impl FromStr for TraceFile {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let format = match text.rsplit_once('.') {
            Some((_, "csv")) => TraceFormat::Csv,
            Some((_, "jsonl")) => TraceFormat::JsonLines,
            _ => return Err("the name must end in .csv or .jsonl, which says how it is written"),
        };
        Ok(TraceFile { path: text.into(), format })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_says_how_a_trace_is_written() {
        let format = |text: &str| text.parse::<TraceFile>().map(|file| file.format).ok();
        assert_eq!(format("a/b.c.csv"), Some(TraceFormat::Csv));
        assert_eq!(format("b.jsonl"), Some(TraceFormat::JsonLines));
        assert_eq!(["b.json", "csv", "b.csv.gz", ""].map(format), [None; 4]);
    }
}

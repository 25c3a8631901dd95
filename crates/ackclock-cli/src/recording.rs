//! Recording of an emulated run: a capture of its packets and a trace of its events, each in a file.

use crate::capture::Capture;
use crate::failure::Failure;
use crate::values::TraceFile;
use ackclock_emulator::{Topology, Trace};
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

/// Files that a run is recorded in; without them nothing is recorded.
#[derive(Clone, Debug)]
pub(crate) struct RecordingSettings {
    /// File of the capture.
    pub(crate) pcap: Option<PathBuf>,
    /// File of the trace.
    pub(crate) trace: Option<TraceFile>,
}

/// Observers that write the capture and the trace.
pub(crate) type Recording = (Option<Capture>, Option<Trace<BufWriter<File>>>);

impl RecordingSettings {
    /// Creates the files; those that exist are overwritten.
    pub(crate) fn start(&self, topology: &Topology) -> Result<Recording, Failure> {
        let capture = self.pcap.as_ref().map(|file| Capture::create(file, topology)).transpose()?;
        let trace = self.trace.as_ref().map(|file| create_trace(file, topology)).transpose()?;
        Ok((capture, trace))
    }

    /// Writes what is still buffered, and closes the files.
    pub(crate) fn finish(&self, (capture, trace): Recording) -> Result<(), Failure> {
        if let (Some(capture), Some(file)) = (capture, &self.pcap) {
            capture.finish().map_err(|error| Failure::capture(file, &error))?;
        }
        if let (Some(trace), Some(file)) = (trace, &self.trace) {
            trace.finish().map_err(|error| Failure::trace(&file.path, &error))?;
        }
        Ok(())
    }
}

fn create_trace(file: &TraceFile, topology: &Topology) -> Result<Trace<BufWriter<File>>, Failure> {
    File::create(&file.path)
        .and_then(|writer| Trace::new(topology, file.format, BufWriter::new(writer)))
        .map_err(|error| Failure::trace(&file.path, &error))
}

//! Who watches an emulated run: a capture and a trace, each if it was asked for.

use crate::capture::Capture;
use crate::failure::Failure;
use crate::options::TransferOptions;
use crate::values::TraceFile;
use ackclock_emulator::{Topology, Trace};
use std::fs::File;
use std::io::BufWriter;

/// A capture and a trace.
pub(crate) type Watchers = (Option<Capture>, Option<Trace<BufWriter<File>>>);

/// Makes the files that the options ask for, or empties them.
pub(crate) fn create(options: &TransferOptions, topology: &Topology) -> Result<Watchers, Failure> {
    let capture = options.pcap.as_ref().map(|file| Capture::create(file, topology)).transpose()?;
    let trace = options.trace.as_ref().map(|file| create_trace(file, topology)).transpose()?;
    Ok((capture, trace))
}

fn create_trace(file: &TraceFile, topology: &Topology) -> Result<Trace<BufWriter<File>>, Failure> {
    File::create(&file.path)
        .and_then(|writer| Trace::new(topology, file.format, BufWriter::new(writer)))
        .map_err(|error| Failure::trace(&file.path, &error))
}

/// Writes what is still held back.
pub(crate) fn finish(watchers: Watchers, options: &TransferOptions) -> Result<(), Failure> {
    let (capture, trace) = watchers;
    if let (Some(capture), Some(file)) = (capture, &options.pcap) {
        capture.finish().map_err(|error| Failure::capture(file, &error))?;
    }
    if let (Some(trace), Some(file)) = (trace, &options.trace) {
        trace.finish().map_err(|error| Failure::trace(&file.path, &error))?;
    }
    Ok(())
}

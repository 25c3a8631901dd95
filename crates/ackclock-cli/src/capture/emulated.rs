//! Capture of an emulated run.

use super::is_pcapng;
use crate::failure::Failure;
use ackclock::time::Instant;
use ackclock_emulator::{Event, LEFT, Observer, PcapCapture, PcapNgCapture, Topology};
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

/// A capture of an emulated run, in a file.
#[derive(Debug)]
pub(crate) enum Capture {
    /// Packets that the host at the left end sends and receives.
    Pcap(PcapCapture<BufWriter<File>>),
    /// Packets at both ends of every link.
    PcapNg(PcapNgCapture<BufWriter<File>>),
}

impl Capture {
    /// Creates the file; one that exists is overwritten.
    pub(crate) fn create(path: &Path, topology: &Topology) -> Result<Self, Failure> {
        let create = || {
            let writer = BufWriter::new(File::create(path)?);
            Ok(if is_pcapng(path) {
                Capture::PcapNg(PcapNgCapture::new(topology, writer)?)
            } else {
                Capture::Pcap(PcapCapture::new(LEFT, writer)?)
            })
        };
        create().map_err(|error| Failure::capture(path, &error))
    }

    /// Writes the packets that are still buffered.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self {
            Capture::Pcap(capture) => capture.finish().map(drop),
            Capture::PcapNg(capture) => capture.finish().map(drop),
        }
    }
}

impl Observer for Capture {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        match self {
            Capture::Pcap(capture) => capture.on_event(now, event),
            Capture::PcapNg(capture) => capture.on_event(now, event),
        }
    }
}

//! Captures of the packets behind the numbers: a pcapng file of each variant's first seed, as many packets as
//! the user asks for.

use ackclock::time::Instant;
use ackclock_emulator::{Event, Observer, PcapNgCapture, Topology};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The directory of captures beside the report.
const DIRECTORY: &str = "captures";

/// Where captures go, and how long each is.
#[derive(Debug)]
pub struct Captures {
    directory: PathBuf,
    packets: NonZeroU64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    begun: BTreeSet<String>,
    failure: Option<io::Error>,
}

impl Captures {
    /// Captures of so many packets each in the directory of a report, from the first one on.
    ///
    /// # Errors
    /// Why their directory cannot be made.
    pub fn create(report: &Path, packets: NonZeroU64) -> io::Result<Arc<Self>> {
        let directory = report.join(DIRECTORY);
        fs::create_dir_all(&directory)?;
        Ok(Arc::new(Captures { directory, packets, state: Mutex::default() }))
    }

    /// The first error, after which the capture that had it ended.
    pub fn take_failure(&self) -> Option<io::Error> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).failure.take()
    }

    /// Begins the capture of that name, unless there was one: what a run sends first is captured.
    pub(crate) fn begin(self: &Arc<Self>, name: &str, topology: &Topology) -> Option<Capture> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.begun.insert(name.to_owned()) {
            return None;
        }
        let file = File::create(self.directory.join(file_name(name)));
        match file.and_then(|file| PcapNgCapture::new(topology, BufWriter::new(file))) {
            Ok(file) => {
                Some(Capture { all: self.clone(), file: Some(file), left: self.packets.get() })
            }
            Err(error) => {
                state.failure.get_or_insert(error);
                None
            }
        }
    }
}

/// The name of a capture's file.
fn file_name(name: &str) -> String {
    format!("{name}.pcapng")
}

/// The link from the report to the capture of that name, if the directory of the report has it.
pub(crate) fn link(report: &Path, name: &str) -> Option<String> {
    let file = file_name(name);
    report.join(DIRECTORY).join(&file).is_file().then(|| format!("{DIRECTORY}/{file}"))
}

/// A capture while it is written.
#[derive(Debug)]
pub(crate) struct Capture {
    all: Arc<Captures>,
    file: Option<PcapNgCapture<BufWriter<File>>>,
    /// Packets that may still be sent.
    left: u64,
}

impl Capture {
    fn finish(&mut self) {
        if let Some(Err(error)) = self.file.take().map(PcapNgCapture::finish) {
            let mut state = self.all.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.failure.get_or_insert(error);
        }
    }
}

impl Observer for Capture {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        if matches!(event, Event::Sent(_)) {
            match self.left.checked_sub(1) {
                Some(left) => self.left = left,
                None => self.finish(),
            }
        }
        if let Some(file) = &mut self.file {
            file.on_event(now, event);
        }
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.finish();
    }
}

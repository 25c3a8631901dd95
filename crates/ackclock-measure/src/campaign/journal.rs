//! The journal of finished steps: a line of JSON for each, written to disk before the next step
//! begins.

use super::plan::Plan;
use super::record::Record;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// The campaign of the directory.
const CAMPAIGN: &str = "campaign.json";
/// The finished steps.
const RESULTS: &str = "results.jsonl";
/// Version of both.
const FORMAT: u32 = 1;

/// The campaign of the directory.
#[derive(Serialize, Deserialize)]
struct Head {
    format: u32,
    digest: String,
    plan: Plan,
}

/// A campaign's directory.
#[derive(Debug)]
pub struct Journal {
    directory: PathBuf,
    /// `None`: nothing is written to disk.
    results: Option<File>,
    records: Vec<Record>,
}

impl Journal {
    /// A journal in memory only: for campaigns that are never resumed, as in an
    /// emulator. It has no place for captures.
    pub fn in_memory() -> Self {
        Journal { directory: PathBuf::new(), results: None, records: Vec::new() }
    }

    /// Opens a campaign's directory, or makes one. A line that was not finished, as a power failure
    /// or a kill may leave behind, is taken away; all others are kept.
    ///
    /// # Errors
    /// See [`JournalError`].
    pub fn open(directory: &Path, plan: &Plan) -> Result<Self, JournalError> {
        let unusable = |error| JournalError::Unusable(directory.to_owned(), error);
        fs::create_dir_all(directory).map_err(unusable)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut results = options.open(directory.join(RESULTS)).map_err(unusable)?;
        lock(&results, patience()).map_err(|error| match error {
            TryLockError::WouldBlock => JournalError::Running(directory.to_owned()),
            TryLockError::Error(error) => unusable(error),
        })?;
        match read_head(directory)? {
            Some(head) if head.digest != plan.digest() => {
                return Err(JournalError::OtherPlan(directory.to_owned()));
            }
            Some(_) => {}
            None => write_head(directory, plan).map_err(unusable)?,
        }
        let mut bytes = Vec::new();
        results.read_to_end(&mut bytes).map_err(unusable)?;
        let whole = finished(&bytes);
        results.set_len(whole.len() as u64).map_err(unusable)?;
        results.seek(SeekFrom::End(0)).map_err(unusable)?;
        let records = parse(directory, whole)?;
        Ok(Journal { directory: directory.to_owned(), results: Some(results), records })
    }

    /// Reads a campaign, also one that goes on.
    ///
    /// # Errors
    /// See [`JournalError`].
    pub fn read(directory: &Path) -> Result<(Plan, Vec<Record>), JournalError> {
        let head =
            read_head(directory)?.ok_or_else(|| JournalError::NoCampaign(directory.to_owned()))?;
        let bytes = fs::read(directory.join(RESULTS))
            .map_err(|error| JournalError::Unusable(directory.to_owned(), error))?;
        Ok((head.plan, parse(directory, finished(&bytes))?))
    }

    /// The steps that are finished.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The campaign's directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Keeps a finished step: when this returns it is on the disk, if the journal is there.
    ///
    /// # Errors
    /// See [`JournalError`].
    pub fn append(&mut self, record: Record) -> Result<(), JournalError> {
        if let Some(results) = &mut self.results {
            let unusable = |error| JournalError::Unusable(self.directory.clone(), error);
            let mut line = serde_json::to_vec(&record).map_err(|error| unusable(error.into()))?;
            line.push(b'\n');
            results.write_all(&line).map_err(unusable)?;
            results.sync_data().map_err(unusable)?;
        }
        self.records.push(record);
        Ok(())
    }
}

/// Takes the lock as soon as its holder releases it, while `wait` returns true.
fn lock(file: &File, mut wait: impl FnMut() -> bool) -> Result<(), TryLockError> {
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if wait() => {}
            result => return result,
        }
    }
}

/// A second. A campaign that was killed may leave a command behind that is just starting, and has its
/// descriptors until it runs.
fn patience() -> impl FnMut() -> bool {
    const STEP: Duration = Duration::from_millis(20);
    let mut left = 50;
    move || {
        thread::sleep(STEP);
        left -= 1;
        left > 0
    }
}

fn read_head(directory: &Path) -> Result<Option<Head>, JournalError> {
    let text = match fs::read(directory.join(CAMPAIGN)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(JournalError::Unusable(directory.to_owned(), error)),
    };
    match serde_json::from_slice::<Head>(&text) {
        Ok(head) if head.format == FORMAT => Ok(Some(head)),
        Ok(head) => Err(JournalError::Format(directory.to_owned(), head.format)),
        Err(error) => Err(JournalError::Damaged(directory.join(CAMPAIGN), 1, error)),
    }
}

/// Writes it whole or not at all.
fn write_head(directory: &Path, plan: &Plan) -> io::Result<()> {
    let head = Head { format: FORMAT, digest: plan.digest(), plan: plan.clone() };
    let unfinished = directory.join("campaign.json.new");
    let mut file = File::create(&unfinished)?;
    file.write_all(&serde_json::to_vec_pretty(&head)?)?;
    file.write_all(b"\n")?;
    file.sync_all()?;
    fs::rename(&unfinished, directory.join(CAMPAIGN))?;
    File::open(directory)?.sync_all()
}

/// The lines that were finished. What follows may end anywhere, also within a character.
fn finished(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    &bytes[..end]
}

fn parse(directory: &Path, lines: &[u8]) -> Result<Vec<Record>, JournalError> {
    let read = |(number, line): (usize, &[u8])| {
        serde_json::from_slice(line)
            .map_err(|error| JournalError::Damaged(directory.join(RESULTS), number, error))
    };
    let lines = lines.split_inclusive(|&byte| byte == b'\n');
    (1..).zip(lines).map(read).collect()
}

/// Why a campaign cannot be kept or read.
#[derive(Debug)]
#[non_exhaustive]
pub enum JournalError {
    /// The directory has the campaign of another plan.
    OtherPlan(PathBuf),
    /// Another program runs it.
    Running(PathBuf),
    /// There is none.
    NoCampaign(PathBuf),
    /// It was written by another version.
    Format(PathBuf, u32),
    /// A line of a file is malformed.
    Damaged(PathBuf, usize, serde_json::Error),
    /// The file system does not take or give it.
    Unusable(PathBuf, io::Error),
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JournalError::OtherPlan(directory) => write!(
                f,
                "{} has the campaign of another plan: give a directory of its own, or the plan as \
                 it was ('limits' may change)",
                directory.display()
            ),
            JournalError::Running(directory) => {
                write!(f, "another program runs the campaign in {}", directory.display())
            }
            JournalError::NoCampaign(directory) => write!(
                f,
                "there is no campaign in {}: 'ackclock campaign run' makes one",
                directory.display()
            ),
            JournalError::Format(directory, format) => write!(
                f,
                "the campaign in {} has format {format} instead of {FORMAT}: use the version that \
                 wrote it",
                directory.display()
            ),
            JournalError::Damaged(file, line, error) => {
                write!(f, "line {line} of {} is damaged: {error}", file.display())
            }
            JournalError::Unusable(directory, error) => {
                write!(f, "the campaign's directory {}: {error}", directory.display())
            }
        }
    }
}

impl std::error::Error for JournalError {}

#[cfg(test)]
mod tests {
    use super::super::plan::tests::small;
    use super::super::record::RouteRecord;
    use super::*;

    /// A directory that goes with the test.
    pub(super) struct Scratch(pub(super) PathBuf);

    impl Scratch {
        pub(super) fn new(name: &str) -> Self {
            let name = format!("ackclock-{name}-{}", std::process::id());
            let directory = std::env::temp_dir().join(name);
            let _ = fs::remove_dir_all(&directory);
            Scratch(directory)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn record(step: &str) -> Record {
        // A line may be cut off in the middle of a character.
        let host = "höst.example".to_owned();
        Record::Route(RouteRecord { step: step.into(), host, ..RouteRecord::default() })
    }

    #[test]
    fn what_was_kept_is_there_again_and_an_unfinished_line_is_not() {
        let scratch = Scratch::new("journal");
        let plan = small();
        let mut journal = Journal::open(&scratch.0, &plan).unwrap();
        journal.append(record("route/0/0")).unwrap();
        journal.append(record("route/0/1")).unwrap();
        drop(journal);
        let file = scratch.0.join(RESULTS);
        let whole = fs::read(&file).unwrap();
        let last = whole[..whole.len() - 1].iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
        for cut in last..whole.len() {
            fs::write(&file, &whole[..cut]).unwrap();
            let mut journal = Journal::open(&scratch.0, &plan).unwrap();
            assert_eq!(journal.records(), [record("route/0/0")], "{cut}");
            journal.append(record("route/0/1")).unwrap();
            drop(journal);
            assert_eq!(fs::read(&file).unwrap(), whole);
            let (read, records) = Journal::read(&scratch.0).unwrap();
            assert_eq!((read.digest(), records.len()), (plan.digest(), 2));
        }
    }

    #[test]
    fn who_is_about_to_let_go_is_waited_for() {
        let scratch = Scratch::new("journal-waits");
        let mut journal = Some(Journal::open(&scratch.0, &small()).unwrap());
        let results = File::open(scratch.0.join(RESULTS)).unwrap();
        let mut left = 2;
        let refused = lock(&results, || {
            left -= 1;
            left > 0
        });
        assert!(matches!((refused, left), (Err(TryLockError::WouldBlock), 0)));
        let taken = lock(&results, || journal.take().is_some());
        assert!(taken.is_ok() && journal.is_none());
    }

    #[test]
    fn another_plan_or_a_second_run_is_refused() {
        let scratch = Scratch::new("journal-refuses");
        let plan = small();
        let journal = Journal::open(&scratch.0, &plan).unwrap();
        let refused = |plan: &Plan| Journal::open(&scratch.0, plan).unwrap_err().to_string();
        assert!(refused(&plan).contains("another program runs"));
        drop(journal);
        let mut other = plan.clone();
        other.rounds = 9;
        assert!(refused(&other).contains("another plan"));
        let mut politer = plan;
        politer.limits.stop.add("a.example").unwrap();
        assert!(Journal::open(&scratch.0, &politer).is_ok());
        assert!(matches!(Journal::read(&scratch.0.join("none")), Err(JournalError::NoCampaign(_))));
    }
}

//! A watch over the interfaces of a network namespace: judges of all TCP hosts whose packets pass there, this machine's kernel
//! among them.
//!
//! Kernel tests begin one when they have entered their namespace. It does nothing unless the environment names a file
//! in `ACKCLOCK_JUDGED`; then every packet of every interface is captured and judged while it comes, and what was found is
//! appended to the file when the watch ends. `crates/ackclock-judge/kernel/kernel.py` runs the tests so, and says which
//! verdicts are known habits of kernels.

mod cut;
mod place;
mod socket;

use place::Places;
use socket::PacketTap;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// Names the file to which findings are appended.
const FILE: &str = "ACKCLOCK_JUDGED";

/// A watch over the namespace of the thread that began it; it ends when this is dropped.
#[derive(Debug)]
pub struct KernelWatch {
    stop: Arc<AtomicBool>,
    watcher: Option<JoinHandle<()>>,
}

impl KernelWatch {
    /// Begins the watch of a test, if the environment asks for it.
    ///
    /// # Panics
    /// If it is asked for, and the namespace gives no packet socket.
    pub fn begin(test: &str) -> Option<Self> {
        let file = PathBuf::from(std::env::var_os(FILE)?);
        let tap = PacketTap::open().unwrap_or_else(|error| panic!("no packet socket: {error}"));
        let stop = Arc::new(AtomicBool::new(false));
        let (test, stopped) = (test.to_owned(), stop.clone());
        // A thread that is begun here is in the same namespace.
        let watcher = thread::spawn(move || {
            let (places, dropped) = watch(tap, &stopped);
            let text = report(&test, places, dropped);
            let file = OpenOptions::new().create(true).append(true).open(&file);
            let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
            written.unwrap_or_else(|error| panic!("{FILE}: {error}"));
        });
        Some(KernelWatch { stop, watcher: Some(watcher) })
    }
}

impl Drop for KernelWatch {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.watcher.take().map(JoinHandle::join);
        if let Some(Err(_)) = ended
            && !thread::panicking()
        {
            panic!("the watch has failed");
        }
    }
}

/// Judges until there is nothing more to come; returns what the socket had no room for besides.
fn watch(mut tap: PacketTap, stop: &AtomicBool) -> (Places, u64) {
    let mut places = Places::default();
    loop {
        // Nothing comes any more that was sent before the watch was told to end.
        let is_last = stop.load(Ordering::Relaxed);
        let mut came = false;
        while let Some(tapped) = tap.next() {
            came = true;
            places.on_packet(&tapped);
        }
        if is_last && !came {
            return (places, tap.dropped());
        }
    }
}

/// A line for each place of which something was judged, fields separated by tabs, and behind it one for each verdict that was
/// kept, which begins with an exclamation mark.
fn report(test: &str, places: Places, dropped: u64) -> String {
    let mut text = String::new();
    for (place, connections, findings) in places.finish() {
        let list = |items: &mut dyn Iterator<Item = (String, u64)>| {
            items.map(|(name, count)| format!("{name}={count}")).collect::<Vec<_>>().join(",")
        };
        let unknown = findings.unknown.iter();
        let unknown = list(&mut unknown.map(|(reason, count)| (format!("{reason:?}"), *count)));
        let counts = findings.counts.iter();
        let counts = list(&mut counts.map(|(name, count)| ((*name).to_owned(), *count)));
        let judged = findings.judged;
        _ = writeln!(
            text,
            "{test}\t{place}\t{connections}\t{judged}\t{dropped}\t{unknown}\t{counts}"
        );
        for verdict in &findings.verdicts {
            _ = writeln!(text, "!{test}\t{place}\t{}\t{verdict}", verdict.sentence.name);
        }
    }
    text
}

//! Kinds of differences: the line that does not hold and what the kernel does instead, without their numbers, after the
//! last thing that was done.

use super::history::History;
use crate::reasons::Whose;
use ackclock::seq::SeqNumber;
use ackclock::wire::Flags;
use ackclock_testkit::script::{Failure, Packet};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A reason and the kinds of differences that it explains.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Class {
    pub(crate) name: String,
    pub(crate) whose: Whose,
    pub(crate) text: String,
    /// Kinds, in which `*` stands for anything.
    pub(crate) kinds: Vec<String>,
    /// Whether its scripts are never twice the same, so that none is kept.
    #[serde(default)]
    pub(crate) varies: bool,
}

impl Class {
    /// The file of its script in a folder.
    pub(crate) fn file(&self, folder: &Path) -> PathBuf {
        let name = self.name.to_lowercase().replace(',', "").replace(' ', "_");
        folder.join(format!("{name}.script"))
    }
}

/// The list.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Classes {
    pub(crate) class: Vec<Class>,
}

impl Classes {
    /// Reads the list.
    ///
    /// # Errors
    /// What cannot be read.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// The class of a kind.
    pub(crate) fn of(&self, kind: &str) -> Option<&Class> {
        let explains = |class: &&Class| class.kinds.iter().any(|pattern| matches(pattern, kind));
        self.class.iter().find(explains)
    }
}

/// What kind of difference it is, as `[marks] what was done | what the library does | what the kernel does`. Of two segments
/// that mean the same it is told in what they differ.
pub(crate) fn kind(script: &str, failure: &Failure) -> String {
    let before = script.lines().take(failure.line.saturating_sub(1));
    let history = History::after(before, &failure.packets);
    let line = without_time(&failure.text);
    let packet = |text: &str| text.parse::<Packet>().ok();
    let library = line.strip_prefix("> ").and_then(packet);
    let told = failure.problem.split(" to peer").next().unwrap_or_default();
    let kernel = told.split_once(" > ").and_then(|(_, text)| packet(text));
    let differs = match (&library, &kernel) {
        (Some(library), Some(kernel)) => differs_in(library, kernel),
        _ => None,
    };
    let name = |packet: &Packet| history.name_sent(packet).to_owned();
    let library = match &library {
        Some(packet) => name(packet),
        None if kernel.is_some() => "nothing".into(),
        None => shape(line),
    };
    let kernel = match &kernel {
        Some(packet) if name(packet) == library => differs.unwrap_or_else(|| name(packet)),
        Some(packet) if has_blocks(packet) => format!("{} with blocks", name(packet)),
        Some(packet) => name(packet),
        None => shape(told),
    };
    let marks = history.marks().join(", ");
    let marks = if marks.is_empty() { marks } else { format!("[{marks}] ") };
    format!("{marks}{} | {library} | {kernel}", history.done)
}

fn has_blocks(packet: &Packet) -> bool {
    !packet.options.unwrap_or_default().sack.is_empty()
}

/// In what the kernel's segment differs from the library's, if both have the same flags but PSH.
fn differs_in(library: &Packet, kernel: &Packet) -> Option<String> {
    let mut fields = Vec::new();
    let blocks = |packet: &Packet| packet.options.unwrap_or_default().sack;
    let relation = |name, kernel: SeqNumber, library: SeqNumber| {
        (kernel != library)
            .then(|| format!("{name} is {}", if kernel.after(library) { "more" } else { "less" }))
    };
    let pushes = |packet: &Packet| packet.flags.contains(Flags::PSH);
    match (pushes(library), pushes(kernel)) {
        (true, false) if kernel.len > 0 => fields.push("no PSH".to_owned()),
        (false, true) if library.len > 0 => fields.push("PSH too".to_owned()),
        (first, second) if first != second => return None,
        _ => {}
    }
    fields.extend(relation("seq", kernel.seq, library.seq));
    fields.extend(
        (library.len != kernel.len)
            .then(|| format!("{} bytes", if library.len < kernel.len { "more" } else { "less" })),
    );
    fields.extend(relation("ack", kernel.ack, library.ack));
    fields.extend((blocks(library) != blocks(kernel)).then(|| {
        match (blocks(library).is_empty(), blocks(kernel).is_empty()) {
            (true, _) => "blocks too".to_owned(),
            (_, true) => "no blocks".to_owned(),
            _ => "other blocks".to_owned(),
        }
    }));
    let others = |packet: &Packet| packet.flags.union(Flags::PSH);
    (others(library) == others(kernel)).then(|| fields.join(", "))
}

fn without_time(line: &str) -> &str {
    match line.split_once(' ') {
        Some((time, rest)) if time.starts_with('+') => rest,
        _ => line,
    }
}

/// A line whose numbers are all the same, with the number of its bytes as none, some.
fn shape(line: &str) -> String {
    let mut shape = String::new();
    let mut digits = String::new();
    for letter in line.chars().chain(['\n']) {
        if letter.is_ascii_digit() {
            digits.push(letter);
            continue;
        }
        if !digits.is_empty() {
            // Only whether there is any payload counts.
            let is_length = shape.ends_with('(');
            shape += if is_length && digits == "0" { "0" } else { "N" };
            digits.clear();
        }
        shape.push(letter);
    }
    shape.trim_end().replace("-N", "N")
}

/// Whether a pattern in which `*` stands for anything is this text.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(line: usize, text: &str, problem: &str, packets: &[&str]) -> Failure {
        let packets = packets.iter().map(|packet| (*packet).to_owned()).collect();
        Failure { line, text: text.into(), problem: problem.into(), packets }
    }

    #[test]
    fn a_kind_tells_what_segments_mean_and_in_what_they_differ() {
        let script = "established\nwrite c 10\n+0.01 < P. 1:101(100) ack 1\n> x\n";
        let sent = "the kernel sent 0.012 > P. 1:11(10) ack 101 win 59760 to peer 0";
        let one = failure(4, "+0.04 > . 1:1(0) ack 101", sent, &[]);
        assert_eq!(kind(script, &one), "[unacked] < data | ack | data");
        let one = failure(4, "+0.04 > . 1:11(10) ack 1", sent, &[]);
        assert_eq!(kind(script, &one), "[unacked] < data | data | PSH too, ack is more");
        let script =
            "established\n< F. 101:101(0) ack 1\n> . 1:1(0) ack 1\n< . 1:1(0) ack 1 win 0\nclose c";
        let one = failure(5, "close c", "no line expects 0.5 > . 0:0(0) ack 1 to peer 0", &[]);
        assert_eq!(kind(script, &one), "[hole, win 0] < ack again | nothing | probe");
        let one = failure(5, "close c", "it answered EBADF", &[]);
        assert_eq!(kind(script, &one), "[hole, win 0] < ack again | close c | it answered EBADF");
    }

    #[test]
    fn that_a_delayed_ack_was_due_is_seen_on_the_kernel() {
        let script = "established\n< P. 1:101(100) ack 1\n> . 1:1(0) ack 101\n< P. 101:201(100) ack 1\nquiet";
        let sent = "no line expects 0.1 > . 1:1(0) ack 201 to peer 0";
        let packets = |acked| {
            [
                "0.01 < P. 1:101(100) ack 1 win 60000",
                acked,
                "0.1 < P. 101:201(100) ack 1 win 60000",
                "0.1 > . 1:1(0) ack 201 win 59760",
            ]
        };
        let soon = failure(5, "quiet", sent, &packets("0.0101 > . 1:1(0) ack 101 win 59860"));
        assert_eq!(kind(script, &soon), "[unacked] < data | nothing | ack");
        let late = failure(5, "quiet", sent, &packets("0.0501 > . 1:1(0) ack 101 win 59860"));
        assert_eq!(kind(script, &late), "[unacked, was due] < data | nothing | ack");
    }

    #[test]
    fn every_script_of_the_corpus_is_named_after_its_class() {
        let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let classes = Classes::read(&crate_folder.join("kinds.toml")).expect("a list");
        let corpus = crate_folder.join("corpus");
        let files: Vec<_> = classes.class.iter().map(|class| class.file(&corpus)).collect();
        for script in std::fs::read_dir(&corpus).expect("a folder") {
            let script = script.expect("a file").path();
            assert!(files.contains(&script), "{} is of no class", script.display());
        }
    }

    #[test]
    fn a_star_stands_for_anything() {
        assert!(matches("a*c*e", "abcde"));
        assert!(matches("*", ""));
        assert!(matches("abc", "abc"));
        assert!(!matches("abc", "abcd"));
        assert!(!matches("a*d", "abc"));
    }
}

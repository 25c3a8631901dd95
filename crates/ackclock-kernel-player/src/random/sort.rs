//! Kinds of differences: the line that does not hold and what the kernel does instead, without their numbers, after the
//! last thing that was done.

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

/// What kind of difference it is, as `what was done | what the library does | what the kernel does`. Of two segments with
/// the same flags it is told in what they differ.
pub(crate) fn kind(script: &str, failure: &Failure) -> String {
    let is_done = |line: &&str| !line.starts_with('>');
    let lines = script.lines().take(failure.line.saturating_sub(1)).map(without_time);
    let done = lines.filter(is_done).last().unwrap_or_default();
    let library = without_time(&failure.text);
    let told = failure.problem.split(" to peer").next().unwrap_or_default();
    let instead = match told.split_once(" > ") {
        Some((_, packet)) => match differs_in(library, packet) {
            Some(fields) => fields,
            None => format!("> {}", shape(&without_window(packet))),
        },
        None => shape(told),
    };
    format!("{}{} | {} | {instead}", marks(script, failure, done), shape(done), shape(library))
}

/// What of the lines before the last one may matter later: the peer's FIN, its windows, and what MSG_MORE held back.
fn marks(script: &str, failure: &Failure, done: &str) -> String {
    let before = || script.lines().take(failure.line.saturating_sub(1)).map(without_time);
    let fins = before().filter(|line| line.starts_with("< F.")).count();
    let window = |text: &str| before().any(|line| line.starts_with('<') && line.contains(text));
    let marks = [
        ("FIN", fins > usize::from(done.starts_with("< F."))),
        ("win 0", window(" win 0")),
        ("win less", window(" win 1000") || window(" win 3000")),
        ("MORE", before().any(|line| line.starts_with("write") && line.ends_with(" more"))),
    ];
    let marks: Vec<&str> = marks.iter().filter(|(_, is)| *is).map(|(mark, _)| *mark).collect();
    if marks.is_empty() { String::new() } else { format!("[{}] ", marks.join(", ")) }
}

/// In what the kernel's segment differs from the library's, if both have the same flags but PSH.
fn differs_in(library: &str, kernel: &str) -> Option<String> {
    let library: Packet = library.strip_prefix("> ")?.parse().ok()?;
    let kernel: Packet = kernel.parse().ok()?;
    let mut fields = Vec::new();
    let blocks = |packet: &Packet| packet.options.unwrap_or_default().sack;
    let relation = |name, kernel: SeqNumber, library: SeqNumber| {
        (kernel != library)
            .then(|| format!("{name} is {}", if kernel.after(library) { "more" } else { "less" }))
    };
    let pushes = |packet: &Packet| packet.flags.contains(Flags::PSH);
    match (pushes(&library), pushes(&kernel)) {
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
    fields.extend((blocks(&library) != blocks(&kernel)).then(|| {
        match (blocks(&library).is_empty(), blocks(&kernel).is_empty()) {
            (true, _) => "blocks too".to_owned(),
            (_, true) => "no blocks".to_owned(),
            _ => "other blocks".to_owned(),
        }
    }));
    let others = |packet: &Packet| packet.flags.union(Flags::PSH);
    (others(&library) == others(&kernel)).then(|| fields.join(", "))
}

/// A segment without its window, which the kernel counts its own way.
fn without_window(packet: &str) -> String {
    match packet.split_once(" win ") {
        Some((head, rest)) => {
            let rest = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
            format!("{head}{rest}")
        }
        None => packet.into(),
    }
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

    #[test]
    fn a_kind_has_no_numbers_but_whether_there_is_payload() {
        let failure = Failure {
            line: 4,
            text: "+0.04 > . 1:1(0) ack 101".into(),
            problem: "the kernel sent 0.012 > P. 1:11(10) ack 101 win 59760 to peer 0".into(),
            packets: Vec::new(),
        };
        let script = "established\nwrite c 10\n+0.01 < P. 1:101(100) ack 1\n> x\n";
        let kind = kind(script, &failure);
        assert_eq!(kind, "< P. N:N(N) ack N | > . N:N(0) ack N | > P. N:N(N) ack N");
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

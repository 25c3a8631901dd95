//! What the kernel's play of all scripts says: each script agrees, or differs with a reason that the list has.

use crate::crew::{Outcome, Script, length};
use crate::random::sort::kind;
use crate::reasons::{Reasons, Whose};
use crate::session::Played;
use crate::translate::translate;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Longest script in milliseconds that is played.
pub(crate) const LONGEST: u64 = 110_000;

/// How one script went.
#[derive(Clone, Debug)]
pub(crate) enum Verdict {
    TooLong,
    Unplayable(String),
    Agrees,
    /// Right, at other times than are written.
    AtOtherTimes(Vec<String>),
    /// As the list says; with what the kernel does instead of the line that does not hold.
    Explained(Whose, String),
    /// Not as the list says, or not in it.
    Problem(String),
}

/// The scripts below a folder, named after the crate and the test that they are of.
///
/// # Errors
/// What cannot be read, or that there are none.
pub(crate) fn read(folder: &Path) -> Result<Vec<Script>, String> {
    let failed = |error| format!("cannot read {}: {error}", folder.display());
    let mut scripts = Vec::new();
    for of in fs::read_dir(folder).map_err(failed)? {
        let of = of.map_err(failed)?.path();
        for file in fs::read_dir(&of).map_err(failed)? {
            let file = file.map_err(failed)?.path();
            let part =
                |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let (of, test) = (part(&of), part(&file));
            let (of, test) = (of.trim_start_matches("ackclock-"), test.trim_end_matches(".script"));
            let text = fs::read_to_string(&file).map_err(failed)?;
            let text = if of == "testkit" { translate(&text) } else { text };
            scripts.push(Script { name: format!("{of}/{test}"), text });
        }
    }
    scripts.sort_by(|a, b| a.name.cmp(&b.name));
    match scripts.is_empty() {
        true => {
            Err(format!("there are no scripts below {}: see docs/packetdrill.md", folder.display()))
        }
        false => Ok(scripts),
    }
}

/// Whether a script went as the list says, or as it is written where the list does not name it.
pub(crate) fn is_expected(reasons: &Reasons, script: &Script, played: &Played) -> bool {
    matches!(verdict(reasons, script, played), Verdict::Agrees | Verdict::Explained(..))
}

/// What is to be said of a script that was played.
pub(crate) fn judge(reasons: &Reasons, script: &Script, outcome: &Outcome) -> Verdict {
    match outcome {
        Ok(played) => verdict(reasons, script, played),
        Err(unplayable) => not_played(reasons, script, Verdict::Unplayable(unplayable.0.clone())),
    }
}

fn verdict(reasons: &Reasons, script: &Script, played: &Played) -> Verdict {
    match (&played.failure, reasons.of(&script.name)) {
        (Some(failure), Some((reason, line))) if failure.text == line => {
            let kind = kind(&script.text, failure);
            let instead = match kind.rsplit(" | ").next() {
                Some(instead) if !instead.trim().is_empty() => instead,
                _ => "the same with other options or another window",
            };
            Verdict::Explained(reason.whose, instead.to_owned())
        }
        (Some(failure), Some((_, line))) => Verdict::Problem(format!(
            "it was known to differ at `{line}`; now it differs elsewhere: {failure}"
        )),
        (Some(failure), None) => Verdict::Problem(format!("it differs: {failure}")),
        (None, Some((_, line))) => Verdict::Problem(format!(
            "it was known to differ at `{line}` and does not any more: take it off the list"
        )),
        (None, None)
            if played.at_other_times.is_empty() || reasons.has_other_times(&script.name) =>
        {
            Verdict::Agrees
        }
        (None, None) => Verdict::AtOtherTimes(played.at_other_times.clone()),
    }
}

/// Whether a script takes too long to be played.
pub(crate) fn is_too_long(script: &Script) -> bool {
    length(&script.text) > LONGEST
}

/// The verdict on a script that is not played: `verdict`, unless the list says how it goes.
pub(crate) fn not_played(reasons: &Reasons, script: &Script, verdict: Verdict) -> Verdict {
    match reasons.names(&script.name) {
        true => Verdict::Problem("it is not played: take it off the list".into()),
        false => verdict,
    }
}

/// The page that the repository keeps: counts, and each script that differs, with its reason.
pub(crate) fn page(verdicts: &[(Script, Verdict)], reasons: &Reasons) -> String {
    let mut page = String::from(
        "# The kernel plays the same scripts: how they went\n\n\
         This page is written by `ackclock-kernel-player play`; [packetdrill.md](packetdrill.md#the-kernel-plays-the-same-scripts)\n\
         says what it does. Reasons stand in `crates/ackclock-kernel-player/differences.toml`.\n\n",
    );
    let _ = write!(page, "{}", counts(verdicts));
    let instead = verdicts.iter().filter_map(|(script, verdict)| match verdict {
        Verdict::Explained(_, instead) => Some((script.name.as_str(), instead.as_str())),
        _ => None,
    });
    let instead: BTreeMap<&str, &str> = instead.collect();
    let _ = write!(
        page,
        "\n## Scripts that differ\n\nEach with the line that does not hold, and what the kernel does instead.\n"
    );
    for reason in reasons.reason.iter().filter(|reason| !reason.scripts.is_empty()) {
        let _ = write!(page, "\n**{}.** {}\n\n", reason.whose, reason.text);
        for (script, line) in &reason.scripts {
            let instead = instead.get(script.as_str()).unwrap_or(&"not played");
            let _ = writeln!(page, "- `{script}` at `{line}`: {instead}");
        }
    }
    let _ = write!(page, "\n## Scripts that hold at other times\n");
    for reason in reasons.reason.iter().filter(|reason| !reason.times.is_empty()) {
        let scripts: Vec<String> = reason.times.iter().map(|name| format!("`{name}`")).collect();
        let _ = write!(
            page,
            "\n**{}.** {}: {}.\n",
            reason.whose,
            reason.text.trim_end_matches('.'),
            scripts.join(", ")
        );
    }
    let _ = write!(page, "\n## Scripts that are not played\n\n");
    for (script, verdict) in verdicts {
        match verdict {
            Verdict::TooLong => {
                let seconds = length(&script.text) / 1_000;
                let _ = writeln!(page, "- `{}`: it takes {seconds} seconds", script.name);
            }
            Verdict::Unplayable(reason) => {
                let _ = writeln!(page, "- `{}`: {reason}", script.name);
            }
            _ => {}
        }
    }
    page
}

/// The first line in which a page that is kept says something else than was seen.
pub(crate) fn first_difference(kept: &str, seen: &str) -> Option<String> {
    let (mut kept, mut seen) = (kept.split('\n'), seen.split('\n'));
    loop {
        match (kept.next(), seen.next()) {
            (None, None) => return None,
            (kept, seen) if kept == seen => {}
            (kept, seen) => {
                let [kept, seen] = [kept, seen].map(|line| line.unwrap_or("its end"));
                return Some(format!("it says `{kept}`, and seen is `{seen}`"));
            }
        }
    }
}

/// A table of how many went how, for each crate.
pub(crate) fn counts(verdicts: &[(Script, Verdict)]) -> String {
    let mut crates: BTreeMap<&str, [usize; 9]> = BTreeMap::new();
    for (script, verdict) in verdicts {
        let of = script.name.split('/').next().unwrap_or_default();
        let row = crates.entry(of).or_default();
        row[0] += 1;
        row[match verdict {
            Verdict::TooLong => 1,
            Verdict::Unplayable(_) => 2,
            Verdict::Agrees | Verdict::AtOtherTimes(_) => 3,
            Verdict::Explained(Whose::Allowed, _) => 4,
            Verdict::Explained(Whose::Linux, _) => 5,
            Verdict::Explained(Whose::Ours, _) => 6,
            Verdict::Explained(Whose::Library, _) => 7,
            Verdict::Problem(_) => 8,
        }] += 1;
    }
    let mut table = String::from(
        "| scripts of | all | too long | no such flag | agree | differ as the standards allow | \
         differ, Linux's | differ, ours | the library's alone | unexplained |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for (of, row) in crates {
        let cells: Vec<String> = row.iter().map(usize::to_string).collect();
        let _ = writeln!(table, "| {of} | {} |", cells.join(" | "));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::sort::Classes;
    use crate::session::Unplayable;
    use ackclock_testkit::script::Failure;

    fn reasons() -> Reasons {
        let text = "[[reason]]\nwhose = 'linux'\ntext = 'It is so.'\ntimes = ['a/late']\n\
                    [reason.scripts]\n'a/known' = '> . 1:1(0) ack 1'\n";
        Reasons::parse(text, &Classes::default()).expect("a list")
    }

    fn judged(name: &str, line: Option<&str>) -> Verdict {
        let script = Script { name: name.into(), text: String::new() };
        let failure = line.map(|line| Failure {
            line: 1,
            text: line.into(),
            problem: "the kernel sent nothing".into(),
            packets: Vec::new(),
        });
        judge(&reasons(), &script, &Ok(Played { failure, at_other_times: Vec::new() }))
    }

    #[test]
    fn the_first_line_that_differs_is_told() {
        assert_eq!(first_difference("a\nb", "a\nb"), None);
        let difference = first_difference("a\nb\nc", "a\nx\ny").expect("another line");
        assert_eq!(difference, "it says `b`, and seen is `x`");
        let end = first_difference("a\n", "a").expect("a line less");
        assert_eq!(end, "it says ``, and seen is `its end`");
    }

    #[test]
    fn only_what_the_list_says_is_explained() {
        let line = Some("> . 1:1(0) ack 1");
        let Verdict::Explained(Whose::Linux, instead) = judged("a/known", line) else {
            panic!("it is explained");
        };
        assert_eq!(instead, "the kernel sent nothing");
        assert!(matches!(judged("a/known", Some("read c 1")), Verdict::Problem(_)));
        assert!(matches!(judged("a/known", None), Verdict::Problem(_)));
        assert!(matches!(judged("a/other", line), Verdict::Problem(_)));
        assert!(matches!(judged("a/other", None), Verdict::Agrees));
        let unplayable = |name: &str| {
            let script = Script { name: name.into(), text: String::new() };
            judge(&reasons(), &script, &Err(Unplayable("no such flag".into())))
        };
        assert!(matches!(unplayable("a/other"), Verdict::Unplayable(_)));
        assert!(matches!(unplayable("a/known"), Verdict::Problem(_)));
        assert!(matches!(unplayable("a/late"), Verdict::Problem(_)));
        let strangers = reasons();
        assert_eq!(strangers.strangers(|name| name == "a/known"), ["a/late"]);
    }
}

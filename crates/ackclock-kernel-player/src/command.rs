//! The command line.

use crate::crew::{Script, play_all};
use crate::gate::{self, Verdict, counts, is_expected, is_too_long, judge, not_played};
use crate::random::draw::draw;
use crate::random::page;
use crate::random::shrink::{Found, Scripted, compare, scripts, shrink};
use crate::random::sort::{Class, Classes};
use crate::reasons::Reasons;
use clap::{Args, Parser, Subcommand};
use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Plays packet scripts to this machine's kernel; as root.
#[derive(Parser)]
#[command(name = "ackclock-kernel-player")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play the scripts that tests have kept (ACKCLOCK_KEEP_SCRIPTS=FOLDER cargo test …), and compare with the list.
    Play(Play),
    /// Play random scripts to the library and to the kernel, and sort what differs.
    Random(Random),
}

#[derive(Args)]
struct Random {
    /// Seeds of the scripts, as 0..1000.
    #[arg(long, value_parser = seeds)]
    seeds: Range<u64>,
    /// Kinds of differences that are explained.
    #[arg(long, default_value = "crates/ackclock-kernel-player/kinds.toml")]
    kinds: PathBuf,
    /// Scripts side by side.
    #[arg(long, default_value = "32")]
    jobs: NonZeroUsize,
    /// The folder of scripts that show the classes.
    #[arg(long, default_value = "crates/ackclock-kernel-player/corpus")]
    corpus: PathBuf,
    /// Make a script of each class smaller that has none in the folder, and write it there.
    #[arg(long)]
    keep: bool,
    /// Write a page of what was seen.
    #[arg(long)]
    page: Option<PathBuf>,
    /// Show all scripts that differ, and not only one of each kind that is not explained.
    #[arg(long)]
    show: bool,
}

fn seeds(text: &str) -> Result<Range<u64>, String> {
    let ends = text.split_once("..").ok_or("write FIRST..END, as in 0..1000")?;
    let number = |text: &str| text.parse().map_err(|_| format!("`{text}` is no number"));
    Ok(number(ends.0)?..number(ends.1)?)
}

#[derive(Args)]
struct Play {
    /// The folder of scripts.
    folder: PathBuf,
    /// Why scripts differ.
    #[arg(long, default_value = "crates/ackclock-kernel-player/differences.toml")]
    differences: PathBuf,
    /// Why random scripts differ, which the list above refers to.
    #[arg(long, default_value = "crates/ackclock-kernel-player/kinds.toml")]
    kinds: PathBuf,
    /// Scripts side by side.
    #[arg(long, default_value = "32")]
    jobs: NonZeroUsize,
    /// Only scripts with this in their names.
    #[arg(long)]
    only: Option<String>,
    /// The page of results, which has to say what is seen.
    #[arg(long)]
    page: Option<PathBuf>,
    /// Write the page.
    #[arg(long, requires = "page")]
    write: bool,
    /// Show packets and calls of scripts that differ with a reason, too.
    #[arg(long)]
    show: bool,
}

pub(crate) fn run() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Play(play) => play.run(),
        Command::Random(random) => random.run(),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

impl Play {
    /// Whether all went as it is written, or as the list says.
    fn run(&self) -> Result<bool, String> {
        let begin = Instant::now();
        let reasons = Reasons::read(&self.differences, &Classes::read(&self.kinds)?)?;
        let mut scripts = gate::read(&self.folder)?;
        let strangers = reasons.strangers(|name| scripts.iter().any(|script| script.name == name));
        if !strangers.is_empty() {
            return Err(format!("the list names scripts that are not there: {strangers:?}"));
        }
        if let Some(only) = &self.only {
            scripts.retain(|script| script.name.contains(only));
        }
        let (long, short): (Vec<Script>, _) = scripts.into_iter().partition(is_too_long);
        let expected = |script: &Script, played: &_| is_expected(&reasons, script, played);
        let outcomes = play_all(&short, self.jobs.get(), expected)?;
        let mut verdicts = Vec::new();
        for (script, outcome) in short.into_iter().zip(&outcomes) {
            let failure = outcome.as_ref().ok().and_then(|played| played.failure.as_ref());
            if let Some(failure) = failure.filter(|_| self.show) {
                println!("{}: {failure}\n", script.name);
            }
            let verdict = judge(&reasons, &script, outcome);
            verdicts.push((script, verdict));
        }
        verdicts.extend(long.into_iter().map(|script| {
            let verdict = not_played(&reasons, &script, Verdict::TooLong);
            (script, verdict)
        }));
        verdicts.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
        self.tell(&verdicts);
        println!("It took {:.0?}.", begin.elapsed());
        self.keep_page(&gate::page(&verdicts, &reasons))?;
        Ok(!verdicts.iter().any(|(_, verdict)| matches!(verdict, Verdict::Problem(_))))
    }

    fn tell(&self, verdicts: &[(Script, Verdict)]) {
        for (script, verdict) in verdicts {
            match verdict {
                Verdict::AtOtherTimes(lines) => {
                    println!("{}: at other times: {}", script.name, lines.join("; "));
                }
                Verdict::Problem(problem) => println!("{}: {problem}\n", script.name),
                _ => {}
            }
        }
        println!("{}", counts(verdicts));
    }

    /// Writes the page, or compares it. Of some of the scripts there is none.
    fn keep_page(&self, text: &str) -> Result<(), String> {
        let Some(path) = self.page.as_ref().filter(|_| self.only.is_none()) else {
            return Ok(());
        };
        let failed = |error| format!("cannot keep {}: {error}", path.display());
        if self.write {
            return fs::write(path, text).map_err(failed);
        }
        match gate::first_difference(&fs::read_to_string(path).map_err(failed)?, text) {
            None => Ok(()),
            Some(difference) => Err(format!("{}: {difference}; --write writes it", path.display())),
        }
    }
}

impl Random {
    /// Whether every difference is of a kind that the list explains.
    fn run(&self) -> Result<bool, String> {
        let begin = Instant::now();
        let classes = Classes::read(&self.kinds)?;
        let drawn = self.seeds.clone().count();
        let scripts = scripts(self.seeds.clone().map(|seed| (seed, draw(seed))));
        let played = scripts.len();
        let found = compare(scripts, self.jobs.get())?;
        println!("{drawn} scripts were drawn, {played} played to both, {} differ", found.len());
        for one in found.iter().filter(|_| self.show) {
            let Scripted { seed, script, .. } = &one.scripted;
            println!("seed {seed}: {}\n{script}\n{}\n", one.kind, one.failure);
        }
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut open: BTreeMap<&str, Vec<&Found>> = BTreeMap::new();
        for one in &found {
            match classes.of(&one.kind) {
                Some(class) => {
                    let Class { whose, name, text, .. } = class;
                    *counts.entry(format!("{whose}: {name}. {text}")).or_default() += 1;
                }
                None => open.entry(&one.kind).or_default().push(one),
            }
        }
        for (class, count) in counts {
            println!("{count:6} {class}");
        }
        for (kind, found) in &open {
            println!("\nnot explained, {} times: {kind}", found.len());
            if let Some(first) = found.iter().min_by_key(|one| one.len()) {
                let Scripted { seed, script, .. } = &first.scripted;
                println!("seed {seed}\n{script}\n{}", first.failure);
            }
        }
        if self.keep {
            self.keep(&found, &classes)?;
        }
        if let Some(path) = &self.page {
            let text = page::page(&self.seeds, played, &found, &classes, &self.corpus);
            let failed = |error| format!("cannot write {}: {error}", path.display());
            fs::write(path, text).map_err(failed)?;
        }
        println!("It took {:.0?}.", begin.elapsed());
        Ok(open.is_empty())
    }

    /// Writes the smallest script of each class of which the folder has none yet, made smaller.
    fn keep(&self, found: &[Found], classes: &Classes) -> Result<(), String> {
        let folder = &self.corpus;
        let mut smallest: BTreeMap<&str, (&Class, &Found)> = BTreeMap::new();
        for one in found {
            let Some(class) = classes.of(&one.kind) else { continue };
            if class.varies || class.file(folder).exists() {
                continue;
            }
            let (_, place) = smallest.entry(&class.name).or_insert((class, one));
            if one.len() < place.len() {
                *place = one;
            }
        }
        let (new, found): (Vec<&Class>, Vec<Found>) =
            smallest.into_values().map(|(class, one)| (class, one.clone())).unzip();
        let shrunk = shrink(found, self.jobs.get())?;
        let failed = |error| format!("cannot write to {}: {error}", folder.display());
        fs::create_dir_all(folder).map_err(failed)?;
        for (class, one) in new.iter().zip(shrunk) {
            let Scripted { seed, script, .. } = &one.scripted;
            let text = format!("# seed {seed}: {}\n{script}", one.kind);
            fs::write(class.file(folder), text).map_err(failed)?;
        }
        Ok(())
    }
}

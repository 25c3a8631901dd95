//! The command line.

use crate::crew::{Script, play_all};
use crate::gate::{self, Verdict, before, counts, is_known, judge, page};
use crate::reasons::Reasons;
use clap::{Args, Parser, Subcommand};
use std::fs;
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
}

#[derive(Args)]
struct Play {
    /// The folder of scripts.
    folder: PathBuf,
    /// Why scripts differ.
    #[arg(long, default_value = "crates/ackclock-kernel-player/differences.toml")]
    differences: PathBuf,
    /// Scripts side by side.
    #[arg(long, default_value_t = 32)]
    jobs: usize,
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
        let reasons = Reasons::read(&self.differences)?;
        let mut scripts = gate::read(&self.folder)?;
        let strangers = reasons.strangers(|name| scripts.iter().any(|script| script.name == name));
        if !strangers.is_empty() {
            return Err(format!("the list names scripts that are not there: {strangers:?}"));
        }
        if let Some(only) = &self.only {
            scripts.retain(|script| script.name.contains(only));
        }
        let (long, short): (Vec<Script>, _) =
            scripts.into_iter().partition(|script| before(script).is_some());
        let known = |script: &Script, played: &_| is_known(&reasons, script, played);
        let outcomes = play_all(&short, self.jobs, known)?;
        let mut verdicts = Vec::new();
        for (script, outcome) in short.into_iter().zip(&outcomes) {
            let failure = outcome.as_ref().ok().and_then(|played| played.failure.as_ref());
            if let Some(failure) = failure.filter(|_| self.show) {
                println!("{}: {failure}\n", script.name);
            }
            let verdict = judge(&reasons, &script, outcome);
            verdicts.push((script, verdict));
        }
        verdicts.extend(long.into_iter().map(|script| (script, Verdict::TooLong)));
        verdicts.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
        self.tell(&verdicts);
        println!("It took {:.0?}.", begin.elapsed());
        self.keep_page(&page(&verdicts, &reasons))?;
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
        match fs::read_to_string(path).map_err(failed)? == text {
            true => Ok(()),
            false => Err(format!("{} says something else: write it with --write", path.display())),
        }
    }
}

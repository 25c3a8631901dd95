//! The gauntlet: judged situations of all kinds that a stack has to pass without a verdict.
//!
//! `gauntlet [--scripts DIR] [--part I/N] [--only NAME] [--skip FILE] [--judge-alone] [--all] [--list]` runs the stack of this
//! workspace through packet scripts (one file each in DIR, as stimuli only: what they expect is not looked at)
//! and over emulated paths, and says the first thing that is wrong:
//!
//! | exit code | line | what |
//! | --- | --- | --- |
//! | 0 | `clean: N situations, N segments` | nothing |
//! | 1 | `judge: SITUATION: VERDICT` | the judge names a sentence |
//! | 2 | `panic: ...` | the stack panicked |
//! | 3 | `hang: ...` | data that the path delivers does not arrive, or packets without an end |
//! | 4 | `bytes: ...` | other bytes arrived than were sent |
//! | 6 | `numbers: ...` | what a stack tells of a connection is not what its application did; an invariant does not hold; something is left of a connection that is over |
//!
//! `GAUNTLET_TRACE=1` prints each packet of an emulated path, and each peer's script. With `--judge-alone` only the judge ends the run, with `--all` nothing does. `mutants.py` runs it with each mutant of the stack.

mod actor;
mod batches;
mod drawn;
mod emulated;
mod far;
mod hosts;
mod peers;
mod rates;
mod situations;
mod speeds;
#[cfg(test)]
mod tests;
mod values;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;

/// What ended a situation.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Fault {
    Judge(String),
    Panic(String),
    Hang(String),
    Bytes(String),
    Numbers(String),
}

impl Fault {
    fn code(&self) -> u8 {
        match self {
            Fault::Judge(_) => 1,
            Fault::Panic(_) => 2,
            Fault::Hang(_) => 3,
            Fault::Bytes(_) => 4,
            Fault::Numbers(_) => 6,
        }
    }

    fn line(&self, situation: &str) -> String {
        match self {
            Fault::Judge(text) => format!("judge: {situation}: {text}"),
            Fault::Panic(text) => format!("panic: {situation}: {text}"),
            Fault::Hang(text) => format!("hang: {situation}: {text}"),
            Fault::Bytes(text) => format!("bytes: {situation}: {text}"),
            Fault::Numbers(text) => format!("numbers: {situation}: {text}"),
        }
    }
}

/// What came of a situation: the judged segments, or what was wrong.
type Outcome = Result<u64, Fault>;

/// A situation: its name, and what runs it.
struct Situation {
    name: String,
    run: Box<dyn Fn() -> Outcome>,
}

/// The scripts of a folder, in the order of their names.
fn scripts(folder: &Path) -> std::io::Result<Vec<Situation>> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    paths.sort();
    let situation = |path: &std::path::PathBuf| {
        let script = std::fs::read_to_string(path)?;
        let name = format!("script {}", path.file_stem().unwrap_or_default().display());
        let run = Box::new(move || play(&script));
        Ok(Situation { name, run })
    };
    paths.iter().map(situation).collect()
}

fn play(script: &str) -> Outcome {
    let findings = ackclock_testkit::script::stimulate(script).map_err(Fault::Hang)?;
    match findings.verdicts.first() {
        Some(verdict) => Err(Fault::Judge(verdict.to_string())),
        None => Ok(findings.judged),
    }
}

/// What the command line asks for.
#[derive(Default)]
struct Options {
    scripts: Option<String>,
    part: Option<(usize, usize)>,
    only: Option<String>,
    skip: Vec<String>,
    judge_alone: bool,
    list: bool,
    all: bool,
}

fn options() -> Result<Options, String> {
    let mut options = Options::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} wants a value"));
        match argument.as_str() {
            "--scripts" => options.scripts = Some(value()?),
            "--only" => options.only = Some(value()?),
            "--skip" => {
                let text = std::fs::read_to_string(value()?).map_err(|error| error.to_string())?;
                options.skip = text.lines().map(String::from).collect();
            }
            "--part" => {
                let text = value()?;
                let (part, parts) = text.split_once('/').ok_or("--part wants I/N")?;
                let number = |text: &str| text.parse().map_err(|_| format!("{text}: no number"));
                options.part = Some((number(part)?, number(parts)?));
            }
            "--judge-alone" => options.judge_alone = true,
            "--list" => options.list = true,
            "--all" => options.all = true,
            _ => return Err(format!("no option {argument}")),
        }
    }
    Ok(options)
}

/// Runs one situation; a panic is a fault like others.
fn passed(situation: &Situation) -> Outcome {
    catch_unwind(AssertUnwindSafe(|| (situation.run)())).unwrap_or_else(|panic| {
        if let Some(fault) = panic.downcast_ref::<Fault>() {
            return Err(fault.clone());
        }
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or(panic.downcast_ref::<&str>().map(ToString::to_string));
        Err(Fault::Panic(text.unwrap_or_default()))
    })
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::from(64);
        }
    };
    std::panic::set_hook(Box::new(|_| {}));
    let mut list = match options.scripts.as_deref().map(|folder| scripts(Path::new(folder))) {
        None => Vec::new(),
        Some(Ok(list)) => list,
        Some(Err(error)) => {
            eprintln!("{error}");
            return ExitCode::from(64);
        }
    };
    list.extend(situations::all());
    let (part, parts) = options.part.unwrap_or((0, 1));
    let wanted = |(index, situation): &(usize, Situation)| {
        index % parts.max(1) == part
            && !options.skip.contains(&situation.name)
            && options.only.as_ref().is_none_or(|only| situation.name.contains(only))
    };
    let (mut count, mut judged, mut code) = (0, 0, 0);
    for (_, situation) in list.into_iter().enumerate().filter(wanted) {
        if options.list {
            println!("{}", situation.name);
            continue;
        }
        let began = std::time::Instant::now();
        let outcome = passed(&situation);
        if options.all {
            println!("{:8.3} ms  {}", began.elapsed().as_secs_f64() * 1e3, situation.name);
        }
        count += 1;
        match outcome {
            Ok(segments) => judged += segments,
            Err(fault) => {
                println!("{}", fault.line(&situation.name));
                let ends = matches!(fault, Fault::Judge(_)) || !options.judge_alone;
                if ends && !options.all {
                    return ExitCode::from(fault.code());
                }
                code = fault.code();
            }
        }
    }
    if code == 0 && !options.list {
        println!("clean: {count} situations, {judged} segments");
    }
    ExitCode::from(code)
}

//! ackclock's sockets beside their peers: see `benches/sockets.sh`, which runs it.

mod cases;
mod contestants;
mod process;
mod report;
mod services;
mod workloads;
mod world;

use cases::{Case, DIRECT, LOSSY, PATH};
use contestants::{ALL, Contestant};
use report::Rounds;
use std::io;
use std::thread;
use world::{Emulation, World};

const USAGE: &str = "usage: sockets direct ROUNDS | lossy ROUNDS ACKCLOCK | serve CONTESTANT";

fn main() -> io::Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let words: Vec<_> = arguments.iter().map(String::as_str).collect();
    let rounds = || words[1].parse().map_err(|_| io::Error::other(USAGE));
    match words[..] {
        ["direct", _] => direct(rounds()?),
        ["lossy", _, program] => lossy(rounds()?, program),
        ["serve", name] => {
            let contestant = ALL.iter().find(|contestant| contestant.name == name);
            process::serve(contestant.ok_or_else(|| io::Error::other(USAGE))?)
        }
        _ => Err(io::Error::other(USAGE)),
    }
}

/// Contestants in turns, one at a time, on the processors that this process has.
fn direct(rounds: usize) -> io::Result<()> {
    let processors = match thread::available_parallelism()?.get() {
        1 => "on one processor".to_string(),
        2 => "on two processors".to_string(),
        n => format!("on {n} processors"),
    };
    let mut all = vec![vec![Rounds::new(); ALL.len()]; DIRECT.len()];
    for round in 0..rounds {
        for (case, all) in DIRECT.iter().zip(&mut all).filter(|(case, _)| round == 0 || !case.once) {
            for (contestant, rounds) in ALL.iter().zip(all) {
                let name = format!("{}, {processors}", case.name);
                let figures = run(case, contestant, None);
                report::tell(&name, contestant, round, &figures);
                rounds.push(figures.ok());
            }
        }
    }
    for (case, all) in DIRECT.iter().zip(&all) {
        report::conclude(case, &format!("{}, {processors}", case.name), all);
    }
    Ok(())
}

/// All contestants at the same time, since the path leaves the processors idle.
fn lossy(rounds: usize, program: &str) -> io::Result<()> {
    for case in &LOSSY {
        let mut all = vec![Rounds::new(); ALL.len()];
        for (round, seed) in (0..rounds).zip(1..) {
            let runs: Vec<_> = thread::scope(|scope| {
                let one = |contestant| {
                    scope.spawn(move || {
                        let emulation = Emulation { program, path: PATH, seed };
                        run(case, contestant, Some(&emulation))
                    })
                };
                let threads: Vec<_> = ALL.iter().map(one).collect();
                threads.into_iter().map(|it| it.join().expect("no panic")).collect()
            });
            for ((contestant, rounds), figures) in ALL.iter().zip(&mut all).zip(runs) {
                report::tell(case.name, contestant, round, &figures);
                rounds.push(figures.ok());
            }
        }
        report::conclude(case, case.name, &all);
    }
    Ok(())
}

/// Lets a contestant serve a workload in a world of its own.
fn run(
    case: &Case,
    contestant: &Contestant,
    emulation: Option<&Emulation<'_>>,
) -> io::Result<Vec<f64>> {
    let world = World::new(contestant, emulation)?;
    let mut process = world.start(contestant)?;
    world.as_client(|| {
        workloads::await_service()?;
        (case.workload)(&mut process, case.times)
    })
}

//! Plays many scripts side by side, each thread in a seat of its own, and again what did not go as written.

use crate::kernel::seat::Seat;
use crate::session::{Played, Unplayable, play};
use ackclock_testkit::script::{Step, When};
use std::sync::Mutex;
use std::thread;

/// One script.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// How a script went in the end.
pub(crate) type Outcome = Result<Played, Unplayable>;

/// Of what differs, how many play side by side when it is played again.
const AGAIN: [usize; 3] = [12, 6, 2];

/// Plays all, `jobs` at once, and returns how each went, in the same order. What does not go as expected is played up to
/// three times more, fewer and fewer at once, and counts as it went best: a machine with other things to do is
/// late, and what is late may be in another order.
///
/// # Errors
/// Why there is no seat.
pub(crate) fn play_all(
    scripts: &[Script],
    jobs: usize,
    is_expected: impl Fn(&Script, &Played) -> bool,
) -> Result<Vec<Outcome>, String> {
    let all: Vec<usize> = (0..scripts.len()).collect();
    let mut outcomes = play_some(scripts, &all, jobs)?;
    for jobs in AGAIN {
        let is_open = |n: &usize| match &outcomes[*n] {
            Ok(played) => !is_expected(&scripts[*n], played),
            Err(_) => false,
        };
        let open: Vec<usize> = all.iter().copied().filter(is_open).collect();
        if open.is_empty() {
            break;
        }
        for (n, outcome) in open.iter().zip(play_some(scripts, &open, jobs)?) {
            if let (Ok(before), Ok(now)) = (&outcomes[*n], &outcome)
                && (is_worse(before, now) || is_expected(&scripts[*n], now))
            {
                outcomes[*n] = outcome;
            }
        }
    }
    Ok(outcomes)
}

/// Whether the first went less as it is written.
fn is_worse(first: &Played, second: &Played) -> bool {
    let far = |played: &Played| played.failure.as_ref().map_or(usize::MAX, |failure| failure.line);
    let key = |played: &Played| (far(played), usize::MAX - played.at_other_times.len());
    key(first) < key(second)
}

/// Plays those with these numbers, the longest first.
fn play_some(scripts: &[Script], which: &[usize], jobs: usize) -> Result<Vec<Outcome>, String> {
    let mut waiting: Vec<(usize, usize)> = which.iter().copied().enumerate().collect();
    waiting.sort_by_key(|(_, n)| length(&scripts[*n].text));
    let waiting = Mutex::new(waiting);
    let outcomes: Mutex<Vec<Option<Outcome>>> = Mutex::new(vec![None; which.len()]);
    let work = || -> Result<(), String> {
        let mut seat = Seat::new()?;
        loop {
            let next = waiting.lock().expect("no thread has failed").pop();
            let Some((place, n)) = next else { break };
            let outcome = play(&mut seat, &scripts[n].text);
            outcomes.lock().expect("no thread has failed")[place] = Some(outcome);
        }
        seat.watched.forget();
        Ok(())
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs.min(which.len())).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("no thread fails"))
    })?;
    let outcomes = outcomes.into_inner().expect("no thread has failed");
    Ok(outcomes.into_iter().flatten().collect())
}

/// Milliseconds that a script takes.
pub(crate) fn length(text: &str) -> u64 {
    let mut nanos = 0;
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        match Step::parse(line) {
            Ok((When::After(after), _)) => nanos += after.as_nanos(),
            Ok((When::At(at), _)) => nanos = at.as_nanos(),
            Err(_) => {}
        }
    }
    nanos / 1_000_000
}

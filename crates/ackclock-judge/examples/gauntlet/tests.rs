//! The stack itself passes the gauntlet: what does not is a breach to mend, or a rule to sharpen. In parts, which run at a time.

use super::{Fault, Outcome, Situation, passed, situations};

const PARTS: usize = 4;

/// Situations that are not passed, each with what is wrong.
fn faults(list: impl Iterator<Item = Situation>) -> Vec<String> {
    let fault =
        |situation: Situation| passed(&situation).err().map(|fault| fault.line(&situation.name));
    list.filter_map(fault).collect()
}

#[track_caller]
fn passes(part: usize) {
    let list: Vec<Situation> = situations::all();
    assert!(list.len() > 3_000, "{} situations", list.len());
    let faults = faults(list.into_iter().skip(part).step_by(PARTS));
    assert!(
        faults.is_empty(),
        "{} situations are not passed:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn the_stack_passes_the_first_part() {
    passes(0);
}

#[test]
fn the_stack_passes_the_second_part() {
    passes(1);
}

#[test]
fn the_stack_passes_the_third_part() {
    passes(2);
}

#[test]
fn the_stack_passes_the_fourth_part() {
    passes(3);
}

#[test]
fn what_is_wrong_is_told_whoever_finds_it() {
    let situation =
        |name: &str, run: fn() -> Outcome| Situation { name: name.into(), run: Box::new(run) };
    let list = [
        situation("well", || Ok(1)),
        situation("judged", || Err(Fault::Judge("a verdict".into()))),
        situation("panics", || panic!("as it may not")),
    ];
    assert_eq!(
        faults(list.into_iter()),
        ["judge: judged: a verdict", "panic: panics: as it may not"]
    );
}

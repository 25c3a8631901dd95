//! `docs/command_line.md` beside the program's own help.

use std::collections::BTreeSet;
use std::process::Command;

const PAGE: &str = include_str!("../../../docs/command_line.md");

/// Subcommands whose options the page lists.
const TRANSFERS: [&[&str]; 4] = [&["discard"], &["echo"], &["serve"], &["hosts"]];

/// Those whose options it names in passing.
const OTHERS: [&[&str]; 8] = [
    &["bprobe"],
    &["emulate"],
    &["lab", "run"],
    &["path"],
    &["proxy"],
    &["setup", "tun"],
    &["swarm"],
    &["trace"],
];

/// The name of an option at the beginning of `text`, which follows two dashes.
fn name_at(text: &str) -> String {
    text.chars().take_while(|&c| c == '-' || c.is_ascii_alphanumeric()).collect()
}

/// The long option that a line of help is about, such as `-i, --interval <TIME>`.
fn option_in(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let first = words.next()?;
    let long = if first.ends_with(',') { words.next()? } else { first };
    long.strip_prefix("--").map(name_at)
}

/// The long options of a subcommand.
fn options_of(subcommand: &[&str]) -> BTreeSet<String> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_ackclock"));
    let output = program.args(subcommand).arg("--help").output().expect("the program starts");
    let help = String::from_utf8(output.stdout).expect("text");
    let options: BTreeSet<String> = help.lines().filter_map(option_in).collect();
    assert!(options.contains("help"), "{subcommand:?}: {help}");
    options
}

/// The long options that the page names.
fn options_of_page() -> BTreeSet<String> {
    let after = |before| PAGE.split(before).skip(1).map(name_at);
    // Not the rules of tables, which consist of hyphens.
    let is_option = |name: &String| name.starts_with(|c: char| c.is_ascii_alphanumeric());
    after(" --").chain(after("`--")).filter(is_option).collect()
}

#[test]
fn the_page_has_every_option_of_transfers() {
    let page = options_of_page();
    let all: BTreeSet<String> = TRANSFERS.iter().flat_map(|command| options_of(command)).collect();
    // Every subcommand has these two.
    let missing: Vec<_> =
        all.difference(&page).filter(|name| *name != "help" && *name != "version").collect();
    assert!(missing.is_empty(), "not in docs/command_line.md: {missing:?}");
}

#[test]
fn the_program_has_every_option_of_the_page() {
    let commands = TRANSFERS.iter().chain(&OTHERS);
    let all: BTreeSet<String> = commands.flat_map(|command| options_of(command)).collect();
    // What cargo is told, and what every subcommand has.
    let cargo = |name: &str| ["release", "open", "help"].contains(&name);
    let unknown: Vec<_> =
        options_of_page().into_iter().filter(|name| !all.contains(name) && !cargo(name)).collect();
    assert!(unknown.is_empty(), "in docs/command_line.md only: {unknown:?}");
}

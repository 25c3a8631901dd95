//! The page that the repository keeps of random scripts: how many differed, and why.

use super::shrink::Found;
use super::sort::Classes;
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;

/// What was seen of the scripts of these seeds, of which `played` leave room for a kernel's timers.
pub(crate) fn page(
    seeds: &Range<u64>,
    played: usize,
    found: &[Found],
    classes: &Classes,
    corpus: &Path,
) -> String {
    let mut page = String::from(
        "# Random scripts, played to the library and the kernel: how they went\n\n\
         This page is written by `ackclock-kernel-player random`; [packetdrill.md](packetdrill.md#the-kernel-plays-the-same-scripts)\n\
         says what it does. Classes and their reasons stand in `crates/ackclock-kernel-player/kinds.toml`.\n\n",
    );
    let Range { start, end } = seeds;
    let _ = writeln!(
        page,
        "Of the {} scripts of the seeds {start}..{end} {played} were played; the others have timers of the library so near to\n\
         another line that a kernel's may be later than it. {} differ.\n",
        end - start,
        found.len()
    );
    page += "| class | whose | times | script | why |\n| --- | --- | --- | --- | --- |\n";
    let class_of = |one: &&Found| classes.of(&one.kind).map(|class| &class.name);
    for class in &classes.class {
        let times = found.iter().filter(|one| class_of(one) == Some(&class.name)).count();
        let file = class.file(corpus);
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let script = match file.exists() {
            true => format!("[{name}](../{})", file.display()),
            false => String::new(),
        };
        let _ = writeln!(
            page,
            "| {} | {} | {times} | {script} | {} |",
            class.name, class.whose, class.text
        );
    }
    let open = found.iter().filter(|one| class_of(one).is_none()).count();
    let _ = writeln!(page, "| not explained | | {open} | | |");
    page
}

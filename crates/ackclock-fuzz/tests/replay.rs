//! Seeds and past findings of every fuzz target.

use ackclock_fuzz::{TARGETS, run};
use std::fs;
use std::path::{Path, PathBuf};

fn folder(kind: &str, target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(kind).join(target)
}

/// Runs the target on each file of the folder, in order of their names; gives how many.
fn replay(kind: &str, target: &str) -> usize {
    let Ok(entries) = fs::read_dir(folder(kind, target)) else {
        return 0;
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    for file in &files {
        // So that the input is named if it panics.
        println!("{}", file.display());
        run(target, &fs::read(file).expect("a readable file"));
    }
    files.len()
}

#[test]
fn seeds_hold() {
    for (target, _) in TARGETS {
        assert!(replay("corpus", target) > 0, "{target} has no seed");
    }
}

#[test]
fn past_findings_hold() {
    for (target, _) in TARGETS {
        replay("regressions", target);
    }
}

#[test]
fn any_bytes_are_taken() {
    for (target, body) in TARGETS {
        println!("{target}");
        for len in [0, 1, 2, 3, 100, 2_000] {
            for byte in [0, 1, 0x55, 0xff] {
                body(&vec![byte; len]);
            }
        }
    }
}

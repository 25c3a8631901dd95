//! Random scripts that went differently on a kernel, made as small as they show it: what the library does in them.

use crate::player::check;
use std::fs;
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

#[test]
fn what_random_scripts_have_shown() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ackclock-kernel-player/corpus");
    let mut count = 0;
    for file in fs::read_dir(&folder).expect("a folder of scripts") {
        let path = file.expect("a file").path();
        let script = fs::read_to_string(&path).expect("a script");
        // The name under which it is kept.
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let thread = thread::Builder::new().name(format!("random::{name}"));
        let played = thread.spawn(move || check(&script)).expect("a thread").join();
        played.unwrap_or_else(|panic| resume_unwind(panic));
        count += 1;
    }
    assert!(count > 0, "there are scripts in {}", folder.display());
}

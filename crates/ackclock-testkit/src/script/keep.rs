//! Keeping scripts, so that others than the tests that they stand in can play them.

use std::fs;
use std::path::Path;

/// Names the folder.
const FOLDER: &str = "ACKCLOCK_KEEP_SCRIPTS";

/// Writes a script to the folder that the environment variable `ACKCLOCK_KEEP_SCRIPTS` names, in a file with the
/// name of the running test; the test's further scripts get numbers. Without the variable it does nothing.
///
/// # Panics
/// If the file cannot be written.
pub fn keep(script: &str) {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let thread = std::thread::current();
    let Some(test) = thread.name().filter(|name| *name != "main") else { return };
    let folder = Path::new(&folder).join(std::env::var("CARGO_PKG_NAME").unwrap_or_default());
    let test = test.replace("::", ".");
    for n in 1.. {
        let name = if n == 1 { format!("{test}.script") } else { format!("{test}.{n}.script") };
        let path = folder.join(name);
        match fs::read_to_string(&path) {
            Ok(kept) if kept == script => return,
            // Another one of this test.
            Ok(_) => {}
            Err(_) => {
                let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&path, script));
                return written.unwrap_or_else(|error| {
                    panic!("{FOLDER}: cannot write {}: {error}", path.display())
                });
            }
        }
    }
}

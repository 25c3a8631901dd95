//! The report of a failed run: a regression test and a capture.

use crate::script::{Action, Setting};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Writes `failed.rs` and `failed.pcapng` where cargo keeps what tests leave behind. While a script is
/// shrunk each failure overwrites the last, so that the smallest remains.
pub(crate) fn write(setting: &Setting, actions: &[Action], capture: &[u8]) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let [test, packets] = ["failed.rs", "failed.pcapng"].map(|name| folder.join(name));
    let written =
        fs::write(&test, text(setting, actions)).and_then(|()| fs::write(&packets, capture));
    match written {
        Ok(()) => eprintln!(
            "this run is now a test in {}, its packets are in {}",
            test.display(),
            packets.display()
        ),
        Err(error) => eprintln!("cannot keep the run that failed: {error}"),
    }
}

fn text(setting: &Setting, actions: &[Action]) -> String {
    let mut text = String::from("#[test]\nfn name_me_after_the_promise() {\n    let setting = ");
    let indented = format!("{setting:#?}").replace('\n', "\n    ");
    let _ = writeln!(text, "{indented};\n    replay(&setting, &[");
    for action in actions {
        let action = format!("{action:?}").replace("side: ", "side: Side::");
        let _ = writeln!(text, "        Action::{action},");
    }
    text.push_str("    ]);\n}\n");
    text
}

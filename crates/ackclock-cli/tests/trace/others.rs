//! Other programs that read captures, and their output.

use std::collections::HashMap;
use std::process::Command;

/// Whether a program is installed; if `CI` is set, it must be.
pub(crate) fn is_there(program: &str) -> bool {
    let found = Command::new("sh").args(["-c", &format!("command -v {program}")]).output();
    let found = found.is_ok_and(|output| output.status.success());
    assert!(found || std::env::var_os("CI").is_none(), "{program} is missing: install it");
    if !found {
        eprintln!("skipped a comparison: {program} is missing");
    }
    found
}

fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().expect(program);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// Output of `tcptrace -l -r` about the first connection: the values of both directions by their name.
pub(crate) fn tcptrace(file: &str) -> HashMap<String, [String; 2]> {
    let text = said("tcptrace", &["-l", "-r", "-n", file]);
    let mut values = HashMap::new();
    for line in text.lines() {
        // A line has name, colon, value and possibly unit, and the same again for the other direction.
        let Some((name, rest)) = line.split_once(':') else { continue };
        let Some((a, b)) = rest.split_once(&format!(" {}:", name.trim())) else { continue };
        let value = |text: &str| text.split_whitespace().next().unwrap_or_default().to_owned();
        // Two lines have the same name: the first is about bytes, the second about packets.
        let name = match values.contains_key(name.trim()) {
            true => format!("{} again", name.trim()),
            false => name.trim().to_owned(),
        };
        values.insert(name, [value(a), value(b)]);
    }
    assert!(values.contains_key("total packets"), "{text}");
    values
}

/// Fields of tshark's `tcp.analysis`.
const FIELDS: [&str; 7] = [
    "retransmission",
    "fast_retransmission",
    "spurious_retransmission",
    "out_of_order",
    "duplicate_ack",
    "keep_alive",
    "zero_window",
];

/// Number of packets that tshark marks with a field of `tcp.analysis`, by source address and field.
pub(crate) fn tshark(file: &str) -> HashMap<(String, &'static str), u64> {
    let fields = FIELDS.map(|field| format!("tcp.analysis.{field}"));
    let mut arguments = vec!["-r", file, "-T", "fields", "-e", "ip.src"];
    fields.iter().for_each(|field| arguments.extend(["-e", field]));
    let mut counts = HashMap::new();
    for line in said("tshark", &arguments).lines() {
        let mut columns = line.split('\t');
        let source = columns.next().expect("an address").to_owned();
        for (field, _) in FIELDS.into_iter().zip(columns).filter(|(_, mark)| !mark.is_empty()) {
            *counts.entry((source.clone(), field)).or_default() += 1;
        }
    }
    counts
}

/// Copy of a capture with later times. An emulated run begins at the time 0, which tcptrace takes for
/// "no time".
pub(crate) fn later(file: &str) -> String {
    let shifted = format!("{file}.later.pcap");
    said("editcap", &["-F", "nsecpcap", "-t", "1000000000", file, &shifted]);
    shifted
}

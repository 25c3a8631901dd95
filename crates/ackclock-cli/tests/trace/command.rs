//! `ackclock trace` without other programs.

use crate::{Directory, ackclock, capture, json, truncate};
use std::path::Path;
use std::process::{Command, Stdio};

const TRANSFER: [&str; 5] = ["discard", "--bytes", "200k", "--path", "loss=packets:20:40"];

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

#[test]
fn a_connection_is_a_line_or_a_table_or_an_object() {
    let directory = Directory::new("trace-forms");
    let file = directory.path("run.pcap");
    capture(&file, &TRANSFER);
    let brief = ackclock(&["trace", &file]);
    let lines: Vec<_> = text(&brief.stdout).lines().collect();
    let [line, summary] = lines[..] else { panic!("{brief:?}") };
    assert!(line.contains("10.0.0.2:9  ") && line.contains(" 204800 B > 0 B <  "), "{line}");
    assert!(line.contains("closed, ") && line.ends_with(" retransmitted"), "{line}");
    assert!(summary.ends_with("; 1 connections"), "{summary}");
    let long = ackclock(&["trace", "-l", &file]);
    let table = text(&long.stdout);
    let unique = table.lines().find(|line| line.contains("unique bytes")).expect(table);
    assert_eq!(unique.split_whitespace().collect::<Vec<_>>(), ["unique", "bytes", "204800", "0"]);
    let object = json(&file);
    let again = object["connections"][0]["a_to_b"]["retransmitted_packets"].as_u64();
    let explained = ackclock(&["trace", "--explain", &file]);
    let lines = text(&explained.stdout).lines().filter(|line| line.contains(" again, ")).count();
    assert_eq!(again, Some(lines as u64));
    assert!(again >= Some(1));
}

#[test]
fn graphs_are_one_page_and_files_for_xplot() {
    let directory = Directory::new("trace-graphs");
    let (file, page) = (directory.path("run.pcapng"), directory.path("page.html"));
    capture(&file, &TRANSFER);
    let plots = directory.path("plots");
    let output = ackclock(&["trace", &file, "--html", &page, "--xplot", &plots]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let html = std::fs::read_to_string(&page).expect("the page");
    // Both ends were captured; each has four graphs: time and sequence numbers, outstanding data,
    // throughput, and round-trip times.
    assert_eq!(html.matches("<svg").count(), 8);
    assert!(html.contains("left to right") && html.contains("Retransmissions, a to b"));
    let mut names: Vec<_> = Path::new(&plots)
        .read_dir()
        .expect("the directory")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("text"))
        .collect();
    names.sort_unstable();
    // The way back has graphs, too, since it carries SYN and FIN.
    let kinds = ["owin", "rtt", "tput", "tsg"];
    let expected = ["1_a2b", "1_b2a", "2_a2b", "2_b2a"]
        .iter()
        .flat_map(|way| kinds.map(|kind| format!("{way}_{kind}.xpl")));
    assert_eq!(names, expected.collect::<Vec<_>>());
    let plot = std::fs::read_to_string(Path::new(&plots).join("1_a2b_tsg.xpl")).expect("a plot");
    assert!(plot.starts_with("timeval signed\ntitle\n10.0.0.1:") && plot.ends_with("\ngo\n"));
    // Each retransmission is marked in the graph.
    let again = json(&file)["connections"][0]["a_to_b"]["retransmitted_packets"].as_u64();
    assert_eq!(Some(plot.matches("\nR\n").count() as u64), again);
}

#[test]
fn connections_can_be_chosen() {
    let directory = Directory::new("trace-chosen");
    let file = directory.path("run.pcapng");
    capture(&file, &TRANSFER);
    let lines = |more: &[&str]| {
        let output = ackclock(&[&["trace", &file], more].concat());
        // The last line is about the capture.
        text(&output.stdout).lines().count() - 1
    };
    assert_eq!((lines(&[]), lines(&["-n", "2"]), lines(&["-n", "1,2"])), (2, 1, 2));
    assert_eq!((lines(&["--port", "9"]), lines(&["--port", "7"])), (2, 0));
    assert_eq!((lines(&["--host", "10.0.0.1"]), lines(&["--host", "::1"])), (2, 0));
}

#[test]
fn a_truncated_capture_is_analysed_and_said_to_be_truncated() {
    let directory = Directory::new("trace-truncated");
    let file = directory.path("run.pcap");
    capture(&file, &TRANSFER);
    truncate(&file, 10);
    let page = directory.path("page.html");
    let output = ackclock(&["trace", &file, "--html", &page]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains(" 204800 B > 0 B <"), "{output:?}");
    let complaint = text(&output.stderr);
    assert!(
        complaint.contains("run.pcap: the capture ends within a packet: 10 bytes"),
        "{complaint}"
    );
    assert!(std::fs::read_to_string(&page).expect("the page").contains("10 bytes of what begins"));
    let output = ackclock(&["trace", &file, "--json"]);
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(output.status.code(), Some(1));
    assert!(object["error"].as_str().expect("an error").contains("10 bytes"), "{object}");
}

#[test]
fn what_cannot_be_read_is_said() {
    let output = ackclock(&["trace", "/nowhere/at/all.pcap"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0));
    assert!(text(&output.stderr).starts_with("ackclock: cannot open the capture /nowhere/at/all"));
    let output = ackclock(&["trace", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("not a capture in pcap or pcapng format"));
    let output = ackclock(&["trace", "x.pcap", "--html", "/nowhere/at/all.html"]);
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_capture_may_come_through_a_pipe() {
    let directory = Directory::new("trace-pipe");
    let file = directory.path("run.pcap");
    capture(&file, &TRANSFER);
    let output = Command::new(env!("CARGO_BIN_EXE_ackclock"))
        .args(["trace", "-"])
        .stdin(std::fs::File::open(&file).expect("the capture"))
        .stdout(Stdio::piped())
        .output()
        .expect("the program starts");
    assert_eq!(output.stdout, ackclock(&["trace", &file]).stdout);
}

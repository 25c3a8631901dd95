//! `ackclock trace --judge`.

use crate::{Directory, ackclock, capture};

/// Adds a number to the acknowledgment of the first ack of data that the server sends.
fn spoil(file: &str, by: u32) {
    let mut bytes = std::fs::read(file).expect("a capture");
    // A pcap file: 24 bytes, and 16 before each packet, which begins with an IPv4 header of 20.
    let mut at = 24;
    while at < bytes.len() {
        let length =
            u32::from_le_bytes(bytes[at + 8..at + 12].try_into().expect("4 bytes")) as usize;
        let tcp = at + 16 + 20;
        let (from_server, flags) = (bytes[tcp..tcp + 2] == [0, 9], bytes[tcp + 13]);
        if from_server && flags == 0x10 {
            let ack = u32::from_be_bytes(bytes[tcp + 8..tcp + 12].try_into().expect("4 bytes"));
            bytes[tcp + 8..tcp + 12].copy_from_slice(&ack.wrapping_add(by).to_be_bytes());
            std::fs::write(file, bytes).expect("it can be written");
            return;
        }
        at += 16 + length;
    }
    panic!("the server acknowledges nothing");
}

#[test]
fn a_capture_of_our_own_breaks_nothing_and_a_spoilt_one_does() {
    let directory = Directory::new("judge");
    let file = directory.path("transfer.pcap");
    capture(&file, &["discard", "--path", "loss=1%", "--bytes", "200000"]);
    let output = ackclock(&["trace", &file, "--judge"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(
        text.lines().any(|line| line.ends_with(" segments judged at its own interface, 0 not"))
    );

    spoil(&file, 1_000_000);
    let output = ackclock(&["trace", &file, "--judge"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("; ack-beyond-received (RFC 9293 section 3.4): "), "{text}");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("broken"), "{error}");
}

#[test]
fn a_capture_is_judged_from_a_file_alone() {
    let output = ackclock(&["trace", "-", "--judge"]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("give a file"), "{error}");
}

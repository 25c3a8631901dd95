//! Keys that sign segments over an emulated path.

use serde_json::Value;
use std::process::{Command, Output};

fn ackclock(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_ackclock");
    Command::new(program).args(arguments).output().expect("the program starts")
}

fn json(arguments: &[&str]) -> Value {
    let output = ackclock(arguments);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

#[test]
fn a_key_signs_the_connection_over_an_emulated_path() {
    let signed = json(&["discard", "--bytes", "1M", "--md5-key", "secret", "--json"]);
    assert_eq!(signed["local"]["signed"], true);
    assert_eq!(signed["local"]["acked_bytes"], 1 << 20);
    assert_eq!(json(&["discard", "--bytes", "1M", "--json"])["local"]["signed"], false);
    let output = ackclock(&["discard", "--md5-key", &"x".repeat(81)]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("1 to 80 bytes"), "{output:?}");
}

#[test]
fn keys_of_tcp_ao_sign_the_connection_over_an_emulated_path() {
    for key in ["1=secret", "3/4:AES128:no-options=hex:00ff"] {
        let signed = json(&["discard", "--bytes", "1M", "--ao-key", key, "--json"]);
        let local = &signed["local"];
        assert_eq!(local["signed"], true);
        assert_eq!(local["acked_bytes"], 1 << 20);
        let current = key[..1].parse::<u64>().unwrap();
        assert_eq!(local["ao"]["current_key"], current);
        assert!(local["ao"]["accepted_segments"].as_u64() > Some(100), "{local}");
        assert_eq!(local["ao"]["dropped_segments"], 0);
    }
    assert_eq!(json(&["discard", "--bytes", "1M", "--json"])["local"]["ao"], Value::Null);
    for (keys, reason) in [
        (&["--ao-key", "secret"][..], "ID[/RECV_ID]"),
        (&["--ao-key", "1=a", "--ao-key", "1=b"], "one of the IDs"),
    ] {
        let output = ackclock(&[&["discard"], keys].concat());
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(reason), "{output:?}");
    }
}

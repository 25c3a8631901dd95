//! The program as its users see it: its output and its exit status.

use serde_json::Value;
use std::process::{Command, Output, Stdio};

fn ackclock(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_ackclock");
    Command::new(program).args(arguments).output().expect("the program starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// The only line on standard error.
fn complaint(output: &Output) -> String {
    let text = String::from_utf8(output.stderr.clone()).expect("text");
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 1, "{text}");
    lines[0].to_owned()
}

fn json(arguments: &[&str]) -> Value {
    let output = ackclock(arguments);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// A path with a bandwidth-delay product of 125 MB: 10 Gbit/s with a round trip of a tenth of a second.
#[test]
fn of_a_window_of_86_000_segments_what_was_lost_is_sent_again_and_nothing_else() {
    let line = "rate=10gbit,delay=50ms,queue=infinite";
    let (path, back) = (format!("{line},loss=every:1000"), format!("{line},loss=0"));
    let report = json(&[
        "discard",
        "--json",
        "--cc=fixed:86000",
        "--buffer=256M",
        "--bytes=256M",
        "--path",
        &path,
        "--path-back",
        &back,
    ]);
    // Besides data segments, the counted packets include the handshake and the FIN.
    let segments = (256u64 << 20).div_ceil(1_448);
    let retransmitted = report["totals"]["retransmitted_segments"].as_u64().expect("a count");
    assert_eq!(retransmitted, segments / 1_000, "{}", report["totals"]);
    assert_eq!(report["local"]["timeouts"], 0);
}

/// The largest window that can be advertised (RFC 7323 section 2.3).
#[test]
fn a_buffer_of_a_gibibyte_is_a_window_of_a_gibibyte() {
    let report = json(&["discard", "--json", "--buffer=1G", "--bytes=100k", "--path=rate=1gbit"]);
    let window = 65_535 << 14;
    assert_eq!(report["local"]["send_window_bytes"], window, "{}", report["local"]);
    assert_eq!(report["remote"]["send_window_bytes"], window, "{}", report["remote"]);
}

#[test]
fn wrong_options_are_a_usage_error_in_one_line() {
    for arguments in [
        &["discard", "--no-such-option"][..],
        &["discard", "--bytes", "much"],
        &["discard", "--path", "rate=fast"],
        &["discard", "--path-back", "rate=fast"],
        &["discard", "--path-back", "speed=1"],
        &["discard", "--scenario", "file.toml", "--iw", "4"],
        &["echo", "--scenario", "file.toml", "--bytes", "1M"],
        &["discard", "10.7.0.1:9", "--scenario", "file.toml"],
        &["discard", "--recovery", "prayer"],
        &["discard", "--rto", "rfc6298:often"],
        &["discard", "--backoff", "quadratic"],
        &["discard", "--ack-policy", "never"],
        &["discard", "--ack-timer", "heartbeat=1s"],
        &["discard", "--ecn", "on"],
        &["discard", "--buffer", "0"],
        &["discard", "--interval", "1ns"],
        &["discard", "--connect-timeout", "0"],
        &["discard", "--trace", "file.txt"],
        &["discard", "--cc", "cubic,prayer"],
        &["discard", "--cc", "cubic,reno", "--json"],
        &["discard", "--seeds", "2", "--pcap", "file"],
        &["discard", "--seeds", "0"],
        &["discard", "10.7.0.1:9", "--seeds", "3"],
        &["discard", "10.7.0.1:9", "--tun", "t", "--address", "10.7.0.2/24", "--cc", "cubic,reno"],
        &["discard", "10.7.0.1:9"],
        &["discard", "--tun", "t", "--address", "10.7.0.2/24"],
        &["discard", "127.0.0.1:9", "--tun", "t", "--address", "10.7.0.2/24"],
        &["discard", "10.7.0.2:9", "--tun", "t", "--address", "10.7.0.2/24"],
        &["echo", "10.7.0.1", "--tun", "t", "--address", "10.7.0.2/24"],
        &["echo", "[fd07::1]:7", "--tun", "t", "--address", "10.7.0.2/24"],
        &["discard", "--via", "raw"],
        &["discard", "--guard"],
        &["discard", "127.0.0.1:9", "--via", "raw"],
        &["discard", "[fd07::1]:9", "--via", "raw"],
        &["discard", "10.7.0.1:9", "--via", "raw", "--tun", "t"],
        &["discard", "10.7.0.1:9", "--via", "raw", "--ports", "9-1"],
        &["discard", "10.7.0.1:9", "--via", "raw", "--address", "fd07::2/64"],
        &["discard", "10.7.0.1:9", "--tun", "t", "--address", "10.7.0.2/24", "--guard"],
        &["discard", "10.7.0.1:9", "--via", "packet", "--interface", "t"],
        &["discard", "10.7.0.1:9", "--tun", "t", "--address", "10.7.0.2/24", "--queues", "0"],
        &["discard", "10.7.0.1:9", "--tun", "t", "--address", "10.7.0.2/24", "--queues", "257"],
        &["discard", "10.7.0.1:9", "--via", "kernel"],
        &["serve", "discard", "--via", "raw", "--ports", "1-2"],
        &["serve", "discard", "--via", "raw", "--port", "0"],
        &["hosts"],
        &["hosts", "-", "--window", "1k"],
        &["hosts", "-", "--guard"],
        &["hosts", "-", "--rate", "0"],
        &["setup", "tun", "ack0", "--apply", "--undo"],
        &["serve", "discard"],
        &["serve", "time", "--via", "kernel"],
        &["serve", "echo", "--via", "kernel", "--tun", "t", "--address", "10.7.0.2/24"],
        &["serve", "echo", "--via", "kernel", "--cc", "reno"],
        &["serve", "echo", "--via", "kernel", "--idle-time", "1h"],
        &["serve", "echo", "--tun", "t", "--address", "10.7.0.2/24", "--keepalive", "often"],
        &["serve", "echo", "--via", "kernel", "--pcap", "file"],
        &["setup"],
        &["setup", "tun", "a name"],
        &["setup", "tun", "ack0", "--address", "10.7.0.2/32", "--dry-run"],
        &["setup", "tun", "ack0", "--address", "10.7.0.255/24", "--dry-run"],
        &["setup", "tun", "ack0", "--address", "fd07::2/64", "--mtu", "1279", "--dry-run"],
        &["lab"],
        &["lab", "run"],
        &["lab", "run", "no-such-experiment"],
        &["lab", "run", "all", "--shard", "3/2", "--out", "directory"],
        &["lab", "run", "all", "--shard", "1/2"],
        &["lab", "run", "all", "--seeds", "0"],
        &["lab", "run", "all", "--set", "buffer"],
        &["lab", "run", "fixed_windows", "--set", "buffer=20"],
        &["lab", "run", "fixed_windows", "--sweep", "w1=10..20"],
        &["lab", "run", "/no/such/file.toml"],
        &["lab", "show"],
        &["lab", "merge"],
        &["no-such-command"],
        &[],
    ] {
        let output = ackclock(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        assert!(complaint(&output).starts_with("ackclock: "), "{arguments:?}");
        assert_eq!(stdout(&output), "");
    }
}

#[test]
fn help_and_version_go_to_standard_output() {
    for (arguments, text) in [
        (&["--help"][..], "discard"),
        (&["discard", "--help"], "--ack-policy"),
        (&["--version"], env!("CARGO_PKG_VERSION")),
    ] {
        let output = ackclock(arguments);
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).contains(text));
    }
}

#[test]
fn discard_over_the_emulated_path_reports_in_json() {
    let report = json(&["discard", "--bytes", "2M", "-i", "500ms", "--json"]);
    assert_eq!(report["schema"], 1);
    assert_eq!(report["command"], "discard");
    assert_eq!(report["virtual_time"], true);
    assert_eq!(report["error"], Value::Null);
    assert_eq!(report["interrupted"], false);
    assert_eq!(report["parameters"]["bytes"], 2 << 20);
    assert_eq!(report["parameters"]["congestion_control"], "cubic");
    assert_eq!(report["totals"]["acked_bytes"], 2 << 20);
    assert_eq!(report["local"]["acked_bytes"], 2 << 20);
    assert_eq!(report["remote"]["received_bytes"], 2 << 20);
    assert_eq!(report["remote"]["state"], "CLOSED");
    assert!(report["wall_seconds"].as_f64().is_some());

    // The intervals follow each other without a gap and add up.
    let intervals = report["intervals"].as_array().expect("a list");
    assert_eq!(intervals[0]["start_seconds"], 0.0);
    assert_eq!(intervals[0]["end_seconds"], 0.5);
    for pair in intervals.windows(2) {
        assert_eq!(pair[0]["end_seconds"], pair[1]["start_seconds"]);
    }
    let last = intervals.last().expect("at least one");
    assert_eq!(last["end_seconds"], report["totals"]["duration_seconds"]);
    let sum = |key: &str| intervals.iter().filter_map(|each| each[key].as_u64()).sum::<u64>();
    assert_eq!(sum("acked_bytes"), 2 << 20);
    assert_eq!(sum("retransmitted_segments"), report["totals"]["retransmitted_segments"]);
}

#[test]
fn echo_over_the_emulated_path_brings_every_byte_back() {
    let report = json(&["echo", "--bytes", "500000", "--path", "loss=2%", "--json"]);
    let totals = &report["totals"];
    assert_eq!(
        (&totals["sent_bytes"], &totals["received_bytes"]),
        (&500_000.into(), &500_000.into())
    );
    assert_eq!(report["parameters"]["path"], "rate=10mbit,delay=20ms,loss=2%,queue=64");
}

#[test]
fn a_transfer_can_be_limited_by_time() {
    let report = json(&["discard", "--time", "2s", "--path", "loss=0%", "--json"]);
    let lasted = report["totals"]["duration_seconds"].as_f64().expect("a number");
    assert!((2.0..3.0).contains(&lasted), "{lasted}");
    assert_eq!(report["remote"]["received_bytes"], report["totals"]["sent_bytes"]);
}

#[test]
fn options_of_tcp_reach_the_connection() {
    let report = json(&[
        "discard", "--bytes", "300k", "--cc", "tahoe", "--mss", "1000", "--path", "loss=0%",
        "--json",
    ]);
    assert_eq!(report["local"]["congestion_control"], "tahoe");
    // Timestamps take 12 of the 1000 bytes (RFC 9293 section 3.7.1).
    assert_eq!(report["local"]["mss_bytes"], 988);
    assert_eq!(report["remote"]["peer_mss_bytes"], 1000);
}

#[test]
fn recovery_and_ecn_are_chosen_by_name() {
    let usual = json(&["discard", "--bytes", "1M", "--json"]);
    let chosen = json(&[
        "discard",
        "--bytes",
        "1M",
        "--recovery",
        "timeout-only",
        "--ecn",
        "request",
        "--json",
    ]);
    let [usual, chosen] = [&usual["local"], &chosen["local"]];
    assert_eq!((&usual["ecn"], &chosen["ecn"]), (&Value::Bool(false), &Value::Bool(true)));
    assert_eq!(chosen["fast_recoveries"], 0);
    assert!(usual["fast_recoveries"].as_u64() > Some(0) && chosen["timeouts"].as_u64() > Some(0));
}

#[test]
fn the_words_of_recovery_and_timers_reach_the_connection_and_the_report() {
    let report = json(&[
        "discard",
        "--bytes",
        "300k",
        "--recovery",
        "newreno",
        "--rto",
        "jacobson88:ticks:one",
        "--backoff",
        "linear",
        "--ack-policy",
        "delayed=200ms/0",
        "--ack-timer",
        "heartbeat",
        "--ecn",
        "request",
        "--json",
    ]);
    let asked = &report["parameters"];
    let words = ["recovery", "rto", "backoff", "ack_policy", "ack_timer", "ecn"];
    let told = words.map(|word| asked[word].as_str().expect("a word"));
    let expected = [
        "newreno",
        "jacobson88:ticks=500ms/2:one",
        "linear",
        "delayed=200ms/0",
        "heartbeat=200ms",
        "request",
    ];
    assert_eq!(told, expected);
    let local = &report["local"];
    assert_eq!((&local["recovery"], &local["ecn"]), (&"newreno".into(), &true.into()));
    // The RTO is at least two ticks of half a second each.
    assert!(local["rto_seconds"].as_f64().expect("a number") >= 0.5);
}

#[test]
fn a_law_brings_its_recovery_unless_one_is_named() {
    let run = |options: &[&str]| {
        let report = json(&[&["discard", "--bytes", "50k", "--json"], options].concat());
        let words = ["congestion_control", "recovery"];
        let [asked, local] = [&report["parameters"], &report["local"]]
            .map(|table| words.map(|word| table[word].as_str().expect("a word").to_owned()));
        assert_eq!(asked[1], local[1]);
        [asked[0].clone(), local[0].clone(), local[1].clone()]
    };
    assert_eq!(run(&["--cc", "reno"]), ["reno", "reno", "rack"]);
    assert_eq!(run(&["--cc", "newreno"]), ["newreno", "reno", "newreno"]);
    assert_eq!(run(&["--cc", "tahoe"]), ["tahoe", "tahoe", "tahoe"]);
    let named = run(&["--cc", "tahoe", "--recovery", "rfc6675"]);
    assert_eq!(named, ["tahoe", "tahoe", "rfc6675"]);
}

#[test]
fn the_way_back_can_differ_from_the_way_there() {
    let run = |back: &str| {
        let path = ["--path", "rate=10mbit,delay=5ms,loss=0", "--path-back", back];
        json(&[&["discard", "--bytes", "100k", "--json"][..], &path].concat())
    };
    let report = run("delay=95ms");
    assert_eq!(report["parameters"]["path"], "rate=10mbit,delay=5ms,loss=0%,queue=64");
    assert_eq!(report["parameters"]["path_back"], "rate=10mbit,delay=95ms,loss=0%,queue=64");
    let round_trip = report["local"]["min_rtt_seconds"].as_f64().expect("a number");
    assert!((0.1..0.102).contains(&round_trip), "{round_trip}");
    let path = "emulated path rate=10mbit,delay=20ms,loss=1%,queue=64; back rate=10mbit,delay=20ms,\
                loss=0%,queue=64, ";
    let text = stdout(&ackclock(&["discard", "--bytes", "10k", "--path-back", "loss=0"]));
    assert!(text.contains(path), "{text}");
}

/// Writes a scenario of two flows over a router, of which one names no service; the lines `flow` belong to
/// the first flow.
fn scenario(name: &str, flow: &str) -> std::path::PathBuf {
    let text = format!(
        "duration = \"20s\"\nseed = 7\n[chain]\nhops = [\"loss=1%\", \"rate=1mbit,loss=0\"]\n\
         [[flows]]\nfrom = \"left\"\nto = \"right\"\n{flow}\n\
         [[flows]]\nfrom = \"right\"\nto = \"left\"\nservice = \"discard\"\nstart = \"1s\"\n"
    );
    let file = format!("ackclock-scenario-{}-{name}.toml", std::process::id());
    let file = std::env::temp_dir().join(file);
    std::fs::write(&file, text).expect("a file");
    file
}

#[test]
fn a_scenario_is_run_and_each_flow_and_link_reported() {
    let file = scenario("report", "bytes = 200000");
    let capture = file.with_extension("pcapng");
    let trace = file.with_extension("csv");
    let [path, pcap, csv] =
        [&file, &capture, &trace].map(|file| file.to_str().expect("a path in UTF-8"));
    let report = json(&["echo", "--scenario", path, "--pcap", pcap, "--trace", csv, "--json"]);
    let text = stdout(&ackclock(&["echo", "--scenario", path, "--seed", "8"]));
    let written = [&capture, &trace].map(|file| std::fs::read(file).expect("it was written"));
    for file in [&file, &capture, &trace] {
        std::fs::remove_file(file).expect("the file goes");
    }
    assert_eq!((&report["command"], &report["error"]), (&"echo".into(), &Value::Null));
    assert_eq!(report["parameters"]["seed"], 7);
    assert_eq!((&report["from_seconds"], &report["until_seconds"]), (&0.0.into(), &20.0.into()));
    let [first, second] = [&report["flows"][0], &report["flows"][1]];
    // A flow that names no service gets that of the command.
    assert_eq!((&first["name"], &first["service"]), (&"left>right#1".into(), &"echo".into()));
    assert_eq!(first["delivered_bytes"], 200_000);
    assert_eq!(first["local"]["received_bytes"], 200_000);
    assert!(first["ended_seconds"].as_f64().is_some());
    assert_eq!((&second["service"], &second["ended_seconds"]), (&"discard".into(), &Value::Null));
    assert_eq!(second["started_seconds"], 1.0);
    let links = report["links"].as_array().expect("a list");
    let ends = links.iter().map(|link| (link["from"].as_str(), link["to"].as_str()));
    let expected = [("left", "router1"), ("router1", "left"), ("router1", "right")];
    assert!(ends.take(3).eq(expected.map(|(from, to)| (Some(from), Some(to)))));
    assert!(links[0]["lost_packets"].as_u64() > Some(0));
    assert!(written[1].starts_with(b"time_ns,event,"));
    assert_eq!(written[0][..4], [0x0a, 0x0d, 0x0d, 0x0a]);

    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 9, "{text}");
    assert!(lines[0].starts_with("Flow          Transfer     Bitrate "), "{text}");
    assert!(lines[1].starts_with("left>right#1   195 KBytes "), "{text}");
    assert!(lines[2].ends_with("  goes on"), "{text}");
    assert!(lines[3].starts_with("Link           Busy "), "{text}");
    assert!(lines[8].contains(": 0.00 to 20.00 s of virtual time, seed 8, took "), "{text}");
}

#[test]
fn a_scenario_that_cannot_be_used_is_told_with_its_place() {
    let file = scenario("wrong", "bites = 200000");
    let path = file.to_str().expect("a path in UTF-8");
    let output = ackclock(&["discard", "--scenario", path]);
    std::fs::remove_file(&file).expect("the file goes");
    assert_eq!(output.status.code(), Some(2));
    let expected =
        format!("ackclock: {path}:8: bites: there is no such key here: did you mean bytes?");
    assert_eq!(complaint(&output), expected);
    let output = ackclock(&["discard", "--scenario", "/no/such/file"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(complaint(&output).contains("/no/such/file"));
}

#[test]
fn the_same_seed_gives_the_same_packets_and_another_one_others() {
    let directory = std::env::temp_dir().join(format!("ackclock-seed-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let capture = |name: &str, seed: &str| {
        let file = directory.join(name);
        let path = file.to_str().expect("a path in UTF-8");
        json(&["discard", "--bytes", "200k", "--seed", seed, "--pcap", path, "--json"]);
        std::fs::read(file).expect("a capture")
    };
    let [first, second, other] =
        [("first", "7"), ("second", "7"), ("other", "8")].map(|(name, seed)| capture(name, seed));
    std::fs::remove_dir_all(&directory).expect("the directory goes");
    // The magic number of pcap with nanoseconds.
    assert_eq!(first[..4], [0x4d, 0x3c, 0xb2, 0xa1]);
    assert!(first.len() > 200 << 10, "all payload is captured");
    assert!(first == second, "two runs with one seed differ");
    assert!(first != other, "two seeds give the same run");
}

#[test]
fn traces_and_captures_of_both_ends_are_written_as_their_names_say() {
    let directory = std::env::temp_dir().join(format!("ackclock-trace-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let written = |option: &str, name: &str| {
        let file = directory.join(name);
        let path = file.to_str().expect("a path in UTF-8");
        json(&["discard", "--bytes", "20k", option, path, "--json"]);
        std::fs::read(file).expect("the file")
    };
    let csv = written("--trace", "t.csv");
    let lines = written("--trace", "t.jsonl");
    let capture = written("--pcap", "c.pcapng");
    std::fs::remove_dir_all(&directory).expect("the directory goes");
    let csv = String::from_utf8(csv).expect("text");
    assert!(csv.starts_with("time_ns,event,"));
    let lines = String::from_utf8(lines).expect("text");
    let first: Value = serde_json::from_str(lines.lines().next().expect("a line")).expect("JSON");
    assert_eq!((&first["time_ns"], &first["event"]), (&0.into(), &"sent".into()));
    assert_eq!((&first["from"], &first["flags"]), (&"left".into(), &"SYN".into()));
    assert_eq!(csv.lines().count(), lines.lines().count() + 1);
    // The type of a section header block, and its byte order magic.
    assert_eq!(capture[..4], [0x0a, 0x0d, 0x0d, 0x0a]);
    assert_eq!(capture[8..12], [0x4d, 0x3c, 0x2b, 0x1a]);
}

#[test]
fn text_has_a_line_for_each_interval_and_a_summary() {
    let output = ackclock(&["discard", "--bytes", "1M", "-i", "250ms"]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    let mut lines = text.lines();
    assert!(lines.next().is_some_and(|it| it.starts_with("[ ID] ") && it.ends_with(" Limit")));
    assert!(text.contains(", limited by the congestion window "), "{text}");
    let first = lines.next().expect("an interval");
    assert!(first.starts_with("[  1]   0.00-0.25   sec  "), "{first}");
    let sender = lines.find(|line| line.ends_with("sender")).expect("a summary");
    assert!(sender.contains(" 1.00 MBytes "), "{sender}");
    assert!(lines.next().expect("the other end").ends_with("receiver"));
    assert_eq!(output.stderr, b"", "no progress bar without a terminal");
}

#[test]
fn a_path_that_loses_everything_is_a_failed_transfer() {
    let output = ackclock(&["discard", "--path", "loss=100%", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(complaint(&output).contains("timed out"), "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert!(report["error"].as_str().is_some_and(|error| error.contains("timed out")));
    assert_eq!(report["totals"]["connect_seconds"], Value::Null);
}

#[test]
fn a_capture_that_cannot_be_written_is_the_environments_fault() {
    let output = ackclock(&["discard", "--bytes", "1", "--pcap", "/no/such/directory/file"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(complaint(&output).contains("/no/such/directory/file"));
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_anywhere_still_has_its_exit_status() {
    let full = || std::fs::File::create("/dev/full").expect("a device that is always full");
    let program = env!("CARGO_BIN_EXE_ackclock");
    let status = Command::new(program).arg("discard").stdout(full()).stderr(full()).status();
    assert_eq!(status.expect("the program starts").code(), Some(3));
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_without_an_end_is_refused() {
    let folder = std::env::temp_dir().join(format!("ackclock-endless-{}", std::process::id()));
    std::fs::create_dir(&folder).expect("it is new");
    for name in ["results.json", "plots.json"] {
        std::os::unix::fs::symlink("/dev/zero", folder.join(name)).expect("a link");
    }
    // With a bound on its memory the program fails even if it sets none to what it reads.
    let script =
        "ulimit -v 4000000; program=$0; folder=$1; eval \"\\\"$program\\\" $2\" </dev/zero";
    for arguments in [
        "discard --scenario /dev/zero",
        "hosts /dev/zero",
        "hosts -",
        "hosts /dev/null --stop-list /dev/zero",
        "campaign run /dev/zero --out $folder/campaign",
        "lab merge $folder",
    ] {
        let output = Command::new("sh")
            .args(["-c", script, env!("CARGO_BIN_EXE_ackclock")])
            .args([folder.as_os_str(), arguments.as_ref()])
            .output()
            .expect("sh runs");
        assert!(matches!(output.status.code(), Some(2 | 3)), "{arguments}: {output:?}");
        let complaint = complaint(&output);
        assert!(complaint.contains("which no such file needs"), "{arguments}: {complaint}");
    }
    std::fs::remove_dir_all(folder).expect("it was made");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_blamed_on_the_file_that_fills_it() {
    let output = ackclock(&["discard", "--bytes", "1M", "--pcap", "/dev/full"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(complaint(&output).contains("the capture /dev/full"), "{output:?}");
}

#[cfg(unix)]
#[test]
fn a_transfer_ends_when_nobody_reads_its_intervals_any_more() {
    let mut process = Command::new(env!("CARGO_BIN_EXE_ackclock"))
        .args(["discard", "--bytes", "1T", "-i", "1s"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(process.stdout.take());
    let output = process.wait_with_output().expect("the end");
    assert_eq!(output.status.code(), Some(141));
    assert_eq!(output.stderr, b"", "{output:?}");
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_enough_ends_a_report_without_a_word() {
    for arguments in [&["discard", "--bytes", "10k"][..], &["lab", "list"], &["--help"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let run = Command::new(env!("CARGO_BIN_EXE_ackclock"))
            .args(arguments)
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn();
        let output = run.and_then(|run| run.wait_with_output()).expect("the program starts");
        assert_eq!(output.status.code(), Some(141), "{arguments:?}");
        assert_eq!(output.stderr, b"", "{arguments:?}: {output:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_to_a_closed_standard_output_is_a_failure() {
    let program = env!("CARGO_BIN_EXE_ackclock");
    for arguments in ["discard --bytes 10k --json", "lab list", "--help"] {
        let script = format!("\"$0\" {arguments} >&-");
        let output = Command::new("sh").args(["-c", &script]).arg(program).output();
        let output = output.expect("sh runs");
        assert_eq!(output.status.code(), Some(3), "{arguments}: {output:?}");
        assert!(complaint(&output).contains("standard output is closed"), "{output:?}");
    }
    // Whoever wants no report may have it in /dev/null.
    let nowhere = Command::new(program).args(["lab", "list"]).stdout(Stdio::null()).status();
    assert_eq!(nowhere.expect("the program starts").code(), Some(0));
}

#[test]
fn laws_are_compared_in_a_table_and_on_a_page_of_its_own() {
    let file = std::env::temp_dir().join(format!("ackclock-compare-{}.html", std::process::id()));
    let path = file.to_str().expect("a path of text");
    let common =
        ["discard", "--cc", "cubic,bbr", "--path", "rate=50mbit,delay=40ms,loss=0,queue=333"];
    let compared = |more: &[&str]| stdout(&ackclock(&[&common[..], more].concat()));
    let table = compared(&["--time", "5s", "--seeds", "2", "--html", path]);
    let laws: Vec<&str> = table.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(laws[..3], ["Law", "cubic", "bbr"], "{table}");
    assert!(!table.contains("limited by the window"), "{table}");
    let page = std::fs::read_to_string(&file).expect("it was written");
    std::fs::remove_file(&file).expect("it was written");
    assert_eq!(page.matches("<svg").count(), 4);
    assert!(page.contains("ackclock discard --cc cubic,bbr --path"), "the command line");
    for elsewhere in ["src=", "href=\"http", "@import", "url("] {
        assert!(!page.contains(elsewhere), "{elsewhere}");
    }
    // Half of what the path holds is all that such buffers let go.
    let small = compared(&["--time", "5s", "--buffer", "256k"]);
    let limited = small.matches("limited by the window 9").count();
    assert_eq!(limited, 2, "{small}");
}

#[test]
fn a_scenario_runs_with_another_law_and_several_are_compared() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/scenarios/moving.toml");
    let report = json(&["discard", "--scenario", file, "--cc", "reno", "--json"]);
    assert_eq!(report["flows"][0]["local"]["congestion_control"], "reno", "{report}");
    let table = stdout(&ackclock(&["discard", "--scenario", file, "--cc", "reno,cubic"]));
    let rows = table.lines().filter(|line| line.starts_with("reno") || line.starts_with("cubic"));
    assert_eq!(rows.count(), 2, "{table}");
}

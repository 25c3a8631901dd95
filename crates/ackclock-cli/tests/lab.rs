//! `ackclock lab` as its users see it.

#[cfg(target_os = "linux")]
mod namespace;

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn lab(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_ackclock");
    Command::new(program).arg("lab").args(arguments).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

#[test]
fn the_list_names_experiments_and_what_they_show() {
    let output = lab(&["list"]);
    assert_eq!(output.status.code(), Some(0));
    let list = text(&output.stdout);
    let line =
        list.lines().find(|line| line.starts_with("zhang91.fixed_windows ")).expect("it is listed");
    assert!(line.contains("figures 8 and 9") && line.contains(" s, quick "), "{line}");
}

#[test]
fn a_wrong_name_is_answered_with_the_near_ones() {
    let output = lab(&["run", "zhang91.fixed_window"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    let complaint = text(&output.stderr);
    assert!(complaint.contains("near are zhang91.fixed_windows"), "{complaint}");
}

#[test]
fn a_directory_that_cannot_be_written_fails_before_anything_is_run() {
    // A directory below a file cannot be made, not even by root.
    let below_a_file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml/results");
    for option in ["--out", "--plots"] {
        let output = lab(&["run", "all", option, below_a_file]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0));
        let complaint = text(&output.stderr);
        assert!(complaint.starts_with("ackclock: cannot write into "), "{complaint}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_fails_before_anything_is_run() {
    let script = r#"
        mkdir "$work/disk"
        mount -t tmpfs -o size=16k tmpfs "$work/disk"
        status=0
        # All takes hours.
        timeout 20 "$A" lab run all --out "$work/disk/out" 2>"$work/complaint" || status=$?
        umount "$work/disk"
        echo $status $(grep -c '^ackclock: cannot write into ' "$work/complaint")
    "#;
    let Some(output) = namespace::in_namespace(script) else {
        return;
    };
    assert_eq!(namespace::reports(&output), [3, 1], "exit status and complaints");
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_ends_the_run_and_keeps_what_was_finished() {
    // So many seeds take much longer than the test may.
    let script = r#"
        mkdir "$work/disk"
        mount -t tmpfs -o size=1m tmpfs "$work/disk"
        "$A" lab run fixed_windows --quick --seeds 1000000 --jobs 1 --out "$work/disk/out" \
            >"$work/table" 2>"$work/complaint" &
        until [ -e "$work/disk/out/results.json" ]; do sleep 0.01; done
        cat /dev/zero >"$work/disk/full" 2>/dev/null || true
        status=0
        wait $! || status=$?
        merged=0
        "$A" lab merge "$work/disk/out" >"$work/merged" || merged=$?
        echo $status $merged
        grep -q 'jobs have not been run' "$work/merged" && echo 1
        ls "$work/disk/out" | wc -l
        umount "$work/disk"
        grep -c '^ackclock: cannot write into ' "$work/complaint"
    "#;
    let Some(output) = namespace::in_namespace(script) else {
        return;
    };
    // The exit status of the run and that of the merge, a line about missing jobs, files, complaints.
    assert_eq!(namespace::reports(&output), [3, 1, 1, 2, 1]);
}

#[test]
fn the_parts_of_a_run_are_merged_into_what_one_run_gives() {
    let directory = std::env::temp_dir().join(format!("ackclock-lab-cli-{}", std::process::id()));
    let run = |name: &str, more: &[&str]| {
        let out = directory.join(name);
        let out = out.to_str().expect("a path of text");
        let common = ["run", "fixed_windows", "--quick", "--out", out];
        let output = lab(&[&common[..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        text(&output.stdout)
    };
    let table = run("whole", &["--jobs", "2"]);
    assert!(table.contains("holds    longest queue 1, tau 0.01s"), "{table}");
    run("one", &["--jobs", "1", "--shard", "1/2"]);
    run("two", &["--shard", "2/2"]);
    let path = |name: &str| directory.join(name).to_str().expect("a path of text").to_owned();
    let output = lab(&["merge", &path("one"), &path("two"), "--out", &path("merged")]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let read = |of: &str, file: &str| std::fs::read(Path::new(&path(of)).join(file)).expect(file);
    for file in ["results.json", "plots.json", "report.html"] {
        assert!(read("whole", file) == read("merged", file), "{file} differs");
    }
    std::fs::remove_dir_all(&directory).expect("it was made");
}

#[test]
#[cfg(unix)]
fn ctrl_c_leaves_a_partial_report_that_can_be_read_again() {
    let directory = std::env::temp_dir().join(format!("ackclock-lab-stop-{}", std::process::id()));
    let out = directory.join("part");
    let path = out.to_str().expect("a path of text");
    // The first experiment is over soon, the second one takes minutes.
    let arguments = ["lab", "run", "fixed_windows", "many_flows", "--jobs", "1", "--out", path];
    let run = Command::new(env!("CARGO_BIN_EXE_ackclock"))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // Once the directory exists the program handles signals.
    while !out.exists() {
        std::thread::yield_now();
    }
    let signalled = Command::new("kill").args(["-INT", &run.id().to_string()]).status();
    assert!(signalled.expect("kill is there").success());
    let output = run.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(text(&output.stderr).contains("interrupted"), "{output:?}");
    let report = std::fs::read_to_string(out.join("report.html")).expect("there is a report");
    assert!(report.contains("Not all of it has been run") && report.ends_with("</html>"));
    // The results of an interrupted run can be merged.
    let merged = lab(&["merge", path]);
    assert_eq!((merged.status.code(), &merged.stdout), (Some(1), &output.stdout));
    assert!(text(&merged.stdout).contains("jobs have not been run"), "{merged:?}");
    std::fs::remove_dir_all(&directory).expect("it was made");
}

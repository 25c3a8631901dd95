//! `ackclock packetdrill` with a stub in the place of packetdrill, which prints how it was called.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with a stub, both libraries (of no content) and a script.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, script: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("ackclock-{name}-{}", std::process::id()));
        fs::create_dir_all(folder.join("scripts")).expect("a folder");
        let stub = folder.join("packetdrill");
        // The loader only warns of a library that is none.
        let text =
            "#!/bin/sh\necho \"preload $LD_PRELOAD\"\npwd\nfor it; do echo \"$it\"; done\nexit 7\n";
        fs::write(&stub, text).expect("a stub");
        fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).expect("a program");
        for library in ["libackclock_packetdrill.so", "libackclock_packetdrill_preload.so"] {
            fs::write(folder.join(library), "").expect("a file");
        }
        fs::write(folder.join("scripts/one.pkt"), script).expect("a script");
        Folder(folder.canonicalize().expect("a folder"))
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ackclock"));
        command.args(["packetdrill", "scripts/one.pkt"]).args(arguments);
        command.current_dir(&self.0).env_remove("LD_PRELOAD").output().expect("the program starts")
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn lines(output: &Output) -> Vec<String> {
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn packetdrill_is_run_in_the_scripts_folder_with_both_libraries() {
    let folder = Folder::new("packetdrill", "--mtu=1400\n0 socket(...) = 3\n");
    let here = folder.path().display();
    let output =
        folder.run(&["--packetdrill", "./packetdrill", "--libraries", ".", "--flags", "trace=on"]);
    assert_eq!(output.status.code(), Some(7), "{output:?}");
    assert_eq!(
        lines(&output),
        [
            format!("preload {here}/libackclock_packetdrill_preload.so"),
            format!("{here}/scripts"),
            format!("--so_filename={here}/libackclock_packetdrill.so"),
            "--so_flags=local=192.168.0.1,mtu=1400,trace=on".into(),
            "--local_ip=192.168.0.1".into(),
            "--gateway_ip=192.168.0.1".into(),
            "--remote_ip=192.0.2.1".into(),
            "one.pkt".into(),
        ]
    );
}

#[test]
fn addresses_that_the_script_or_the_command_line_name_stay() {
    let folder = Folder::new("addresses", "--local_ip=10.0.0.1\n0 socket(...) = 3\n");
    let common = ["--packetdrill", "./packetdrill", "--libraries", "."];
    let output = folder.run(&[&common[..], &["--", "--remote_ip=10.0.0.2", "-v"]].concat());
    let expected = ["--so_flags=local=10.0.0.1,,", "--remote_ip=10.0.0.2", "-v", "one.pkt"];
    assert_eq!(lines(&output)[3..], expected);
    let output =
        folder.run(&[&common[..], &["--", "--ip_version=ipv6", "--local_ip=fd00::1"]].concat());
    let expected = [
        "--so_flags=local=fd00::1,,",
        "--remote_ip=fd3d:fa7b:d17d::1",
        "--ip_version=ipv6",
        "--local_ip=fd00::1",
        "one.pkt",
    ];
    assert_eq!(lines(&output)[3..], expected);
}

#[test]
fn what_is_missing_is_named() {
    let folder = Folder::new("missing", "0 socket(...) = 3\n");
    let told = |output: Output| {
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (status, problem) = told(folder.run(&["--libraries", "nowhere"]));
    assert!(
        status == Some(3) && problem.contains("nowhere/libackclock_packetdrill.so: run"),
        "{problem}"
    );
    let (status, problem) = told(folder.run(&["--libraries", ".", "--packetdrill", "./nothing"]));
    assert!(status == Some(3) && problem.contains("cannot run ./nothing"), "{problem}");
    fs::remove_file(folder.path().join("scripts/one.pkt")).expect("the script");
    let (status, problem) = told(folder.run(&[]));
    assert!(
        status == Some(2) && problem.contains("cannot read the script scripts/one.pkt"),
        "{problem}"
    );
}

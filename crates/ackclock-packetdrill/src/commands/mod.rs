//! Shell commands of a script that set the kernel, as settings of this stack: `sysctl`, what writes to
//! `/proc/sys`, and shell scripts that hold nothing else. They are read, never run.

mod sysctl;
mod words;

use crate::flags::Flags;
use std::path::Path;
use words::{Simple, simple_commands};

/// How deep shell scripts that call others are followed.
const DEPTH: u8 = 4;
/// Programs that set up the kernel's network, of which this stack has no part, or whose settings are of no
/// effect on it.
const OF_THE_KERNEL: [&str; 7] =
    ["ip", "ethtool", "nft", "iptables", "ip6tables", "modprobe", "true"];

/// What a command line comes to.
pub(crate) struct Outcome {
    /// The settings from now on.
    pub(crate) flags: Flags,
    /// What of it sets no kernel, and is for the shell.
    pub(crate) rest: String,
}

/// Reads a command line.
///
/// # Errors
/// Names the setting that cannot be used.
pub(crate) fn settings(line: &str, flags: &Flags) -> Result<Outcome, String> {
    let (mut changes, mut rest) = (Vec::new(), Vec::new());
    collect(line, DEPTH, &mut changes, &mut rest);
    let mut flags = flags.clone();
    for change in &changes {
        flags.set(change)?;
    }
    flags.connection.validate().map_err(|error| error.to_string())?;
    Ok(Outcome { flags, rest: rest.join("\n") })
}

/// Adds the flags that a command line stands for, and what of it is for the shell.
fn collect(line: &str, depth: u8, changes: &mut Vec<String>, rest: &mut Vec<String>) {
    for command in simple_commands(line) {
        if read(&command, depth, changes, rest).is_none() {
            rest.push(command.text.to_owned());
        }
    }
}

/// Adds the flags that a command stands for; `None` if it is for the shell.
fn read(
    command: &Simple<'_>,
    depth: u8,
    changes: &mut Vec<String>,
    rest: &mut Vec<String>,
) -> Option<()> {
    let (program, arguments) = command.words.split_first()?;
    let name = Path::new(program).file_name()?.to_str()?;
    let of_the_kernel = |file: &String| file.starts_with("/sys/") || file.starts_with("/proc/sys/");
    match name {
        _ if command.is_pipeline => return None,
        "sysctl" | "set_sysctls.py" => {
            let assignments = arguments.iter().filter_map(|word| word.split_once('='));
            for (name, value) in assignments {
                changes.extend(sysctl::flags(&sysctl::dotted(name), value));
            }
        }
        "echo" if command.output.as_ref().is_some_and(of_the_kernel) => {
            let name = sysctl::dotted(command.output.as_deref()?);
            changes.extend(sysctl::flags(&name, &arguments.join(" ")));
        }
        "tc" => changes.extend(pacing(arguments)),
        _ if OF_THE_KERNEL.contains(&name) => {}
        // What set_sysctls.py would have left to put back.
        _ if name.starts_with("sysctl_restore") => {}
        _ => {
            let depth = depth.checked_sub(1)?;
            let text = std::fs::read_to_string(program).ok().filter(|text| is_shell(text))?;
            collect(&text, depth, changes, rest);
        }
    }
    Some(())
}

/// Whether a file is a shell script by its first line.
fn is_shell(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.starts_with("#!") && first.contains("sh")
}

/// The queue `fq` paces what connections send; others do not.
fn pacing(arguments: &[String]) -> Option<String> {
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let sets = has("add") || has("replace");
    sets.then(|| format!("pacing={}", if has("fq") { "always" } else { "law" }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::tcp::{EcnMode, Pacing};

    fn read(line: &str) -> Result<Outcome, String> {
        settings(line, &Flags::default())
    }

    #[test]
    fn what_sets_the_kernel_sets_the_flags() {
        let line = "sysctl -q -w net.ipv4.tcp_sack=0 net/ipv4/tcp_timestamps=0\n\
                    ../common/set_sysctls.py /proc/sys/net/ipv4/tcp_wmem=\"4096 50000 4194304\" \\\n\
                    /proc/sys/net/ipv4/tcp_ecn=1; tc qdisc replace dev tun0 root fq # and paced\n\
                    echo 0 > /proc/sys/net/ipv4/tcp_window_scaling\n\
                    ip tcp_metrics flush all > /dev/null 2>&1 && /tmp/sysctl_restore_${PPID}.sh";
        let outcome = read(line).expect("usable settings");
        let connection = outcome.flags.connection;
        assert_eq!(outcome.rest, "");
        assert!(!connection.sack && !connection.timestamps && !connection.window_scaling);
        assert_eq!((connection.send_buffer, connection.ecn), (50_000, EcnMode::Request));
        assert_eq!(connection.pacing, Pacing::Always);
    }

    #[test]
    fn other_commands_are_for_the_shell() {
        let line = "sysctl net.ipv4.tcp_sack=0; echo 'a b' > c\n/no/such/file.sh; ip a | grep b";
        let outcome = read(line).expect("usable settings");
        assert_eq!(outcome.rest, "echo 'a b' > c\n/no/such/file.sh\nip a | grep b");
        assert!(!outcome.flags.connection.sack);
    }

    #[test]
    fn scripts_of_the_shell_are_followed() {
        let folder = std::env::temp_dir();
        let file = folder.join(format!("ackclock-defaults-{}.sh", std::process::id()));
        let text = "#!/bin/bash\n# A comment.\nsysctl -q net.ipv4.tcp_sack=0\n";
        std::fs::write(&file, text).expect("a file");
        let outcome = read(file.to_str().expect("a name"));
        let _ = std::fs::remove_file(&file);
        let outcome = outcome.expect("usable settings");
        assert!(!outcome.flags.connection.sack && outcome.rest.is_empty());
    }

    #[test]
    fn a_setting_that_cannot_be_used_is_named() {
        let problem = read("sysctl net.ipv4.tcp_congestion_control=nobodys").map(|_| ());
        assert!(problem.is_err_and(|problem| problem.starts_with("flag `cc=nobodys`: ")));
    }
}

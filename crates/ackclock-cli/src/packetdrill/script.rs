//! The options of a script that the library has to know too.

/// The family that a script is played over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Family {
    #[default]
    V4,
    V6,
}

/// What packetdrill's options say, on its command line or in the script; `None`: nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct ScriptOptions {
    pub(super) family: Family,
    pub(super) local: Option<String>,
    pub(super) remote: Option<String>,
    pub(super) mtu: Option<String>,
}

impl ScriptOptions {
    /// Those of a script and of the command line, which comes first.
    pub(super) fn of(script: &str, arguments: &[String]) -> Self {
        let lines = script.lines().map(str::trim).filter(|line| line.starts_with("--"));
        let all: Vec<&str> = arguments
            .iter()
            .map(String::as_str)
            .chain(lines.flat_map(str::split_whitespace))
            .collect();
        let value = |name: &str| {
            let mut values =
                all.iter().filter_map(|option| option.strip_prefix(name)?.strip_prefix('='));
            values.next().map(str::to_owned)
        };
        let family = match value("--ip_version").as_deref() {
            Some("ipv6") => Family::V6,
            _ => Family::V4,
        };
        let (local, remote) = (value("--local_ip"), value("--remote_ip"));
        ScriptOptions { family, local, remote, mtu: value("--mtu") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_comes_before_the_script() {
        let script = "// A comment.\n--local_ip=10.0.0.1 --mtu=1400\n --remote_ip=10.0.0.2\n\n0 socket(...) = 3\n";
        let options =
            ScriptOptions::of(script, &["--mtu=1280".to_owned(), "--ip_version=ipv6".into()]);
        let expected = ScriptOptions {
            family: Family::V6,
            local: Some("10.0.0.1".into()),
            remote: Some("10.0.0.2".into()),
            mtu: Some("1280".into()),
        };
        assert_eq!(options, expected);
        assert_eq!(ScriptOptions::of("0 socket(...) = 3", &[]), ScriptOptions::default());
    }
}

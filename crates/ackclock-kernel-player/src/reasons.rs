//! Why scripts go differently on the kernel: the list that the repository keeps.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// Whose a difference is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Whose {
    /// Both do what the standards allow.
    Allowed,
    /// Linux does what no standard asks for, or what one forbids.
    Linux,
    /// Ours is not as it says it is.
    Ours,
    /// What the script asks for is the library's alone.
    Library,
}

impl fmt::Display for Whose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Whose::Allowed => "as the standards allow",
            Whose::Linux => "Linux's",
            Whose::Ours => "ours",
            Whose::Library => "the library's alone",
        })
    }
}

/// One reason, and the scripts that show it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reason {
    pub(crate) whose: Whose,
    pub(crate) text: String,
    /// Scripts, each with the line that does not hold on the kernel.
    #[serde(default)]
    pub(crate) scripts: BTreeMap<String, String>,
    /// Scripts that hold, at other times.
    #[serde(default)]
    pub(crate) times: Vec<String>,
}

/// The list.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reasons {
    pub(crate) reason: Vec<Reason>,
}

impl Reasons {
    /// Reads the list.
    ///
    /// # Errors
    /// What cannot be read.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// The reason for which a script does not hold, and its line.
    pub(crate) fn of(&self, script: &str) -> Option<(&Reason, &str)> {
        let mut all = self.reason.iter();
        all.find_map(|reason| Some((reason, reason.scripts.get(script)?.as_str())))
    }

    /// Whether a script holds at other times.
    pub(crate) fn has_other_times(&self, script: &str) -> bool {
        self.reason.iter().any(|reason| reason.times.iter().any(|name| name == script))
    }

    /// Whether the list says how a script goes.
    pub(crate) fn names(&self, script: &str) -> bool {
        self.of(script).is_some() || self.has_other_times(script)
    }

    /// Scripts that the list names and `known` does not have.
    pub(crate) fn strangers(&self, known: impl Fn(&str) -> bool) -> Vec<&str> {
        let all = self.reason.iter();
        let all = all.flat_map(|reason| reason.scripts.keys().chain(&reason.times));
        all.map(String::as_str).filter(|name| !known(name)).collect()
    }
}

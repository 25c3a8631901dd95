//! Why scripts go differently on the kernel: the list that the repository keeps.

use crate::random::sort::Classes;
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
#[derive(Clone, Debug)]
pub(crate) struct Reason {
    pub(crate) whose: Whose,
    pub(crate) text: String,
    /// Scripts, each with the line that does not hold on the kernel.
    pub(crate) scripts: BTreeMap<String, String>,
    /// Scripts that hold, at other times.
    pub(crate) times: Vec<String>,
}

/// A reason as it is written: in its own words, or as a class of random scripts has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    class: Option<String>,
    whose: Option<Whose>,
    text: Option<String>,
    #[serde(default)]
    scripts: BTreeMap<String, String>,
    #[serde(default)]
    times: Vec<String>,
}

impl Written {
    fn reason(self, classes: &Classes) -> Result<Reason, String> {
        let (whose, text) = match (self.class, self.whose, self.text) {
            (None, Some(whose), Some(text)) => (whose, text),
            (Some(name), None, None) => {
                let class = classes.class.iter().find(|class| class.name == name);
                let class = class.ok_or_else(|| format!("there is no class `{name}`"))?;
                (class.whose, class.text.clone())
            }
            _ => return Err("a reason has `whose` and `text`, or a `class`".into()),
        };
        Ok(Reason { whose, text, scripts: self.scripts, times: self.times })
    }
}

/// The list as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenList {
    reason: Vec<Written>,
}

/// The list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reasons {
    pub(crate) reason: Vec<Reason>,
}

impl Reasons {
    /// Reads the list, with the words of these classes.
    ///
    /// # Errors
    /// What cannot be read.
    pub(crate) fn read(path: &Path, classes: &Classes) -> Result<Self, String> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        Self::parse(&text, classes).map_err(|error| format!("{}: {error}", path.display()))
    }

    pub(crate) fn parse(text: &str, classes: &Classes) -> Result<Self, String> {
        let list: WrittenList = toml::from_str(text).map_err(|error| error.to_string())?;
        let reasons = list.reason.into_iter().map(|written| written.reason(classes));
        let reason = reasons.collect::<Result<Vec<_>, _>>()?;
        for (n, one) in reason.iter().enumerate() {
            if reason[..n].iter().any(|other| other.text == one.text) {
                return Err(format!("a reason stands twice: {}", one.text));
            }
            let named = one.scripts.keys().chain(&one.times);
            for script in named {
                let others = reason[..n].iter();
                let mut others = others.flat_map(|other| other.scripts.keys().chain(&other.times));
                if others.any(|other| other == script) {
                    return Err(format!("{script} has two reasons"));
                }
            }
        }
        Ok(Reasons { reason })
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

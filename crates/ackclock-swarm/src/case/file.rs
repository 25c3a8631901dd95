//! A case as a file: TOML, written so that it can be read and changed by hand.

use super::{Case, Line};
use serde::Deserialize;
use std::fmt;

/// Why a case cannot be read or run, in one line that names the setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaseError(pub String);

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CaseError {}

/// The keys of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    seed: u64,
    #[serde(default = "four")]
    ip: u8,
    #[serde(default)]
    shape: Option<String>,
    hops: Vec<[String; 2]>,
    #[serde(default)]
    changes: Vec<String>,
    #[serde(default)]
    hosts: Vec<String>,
    flows: Vec<String>,
    #[serde(default)]
    oracle: Option<String>,
}

fn four() -> u8 {
    4
}

impl Case {
    /// Reads a file's text.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn from_toml(text: &str) -> Result<Case, CaseError> {
        let keys: Keys = toml::from_str(text).map_err(|error| CaseError(error.to_string()))?;
        let line = |text: &String| text.parse::<Line>().map_err(CaseError);
        let lines = |texts: &[String]| texts.iter().map(line).collect::<Result<Vec<_>, _>>();
        let shape = keys.shape.as_deref().unwrap_or("pair");
        let hops = keys.hops.iter().map(|[there, back]| Ok([line(there)?, line(back)?]));
        let case = Case {
            seed: keys.seed,
            ip: keys.ip,
            shape: shape.parse().map_err(CaseError)?,
            hops: hops.collect::<Result<_, CaseError>>()?,
            changes: lines(&keys.changes)?,
            hosts: lines(&keys.hosts)?,
            flows: lines(&keys.flows)?,
            oracle: keys.oracle,
        };
        case.check()?;
        Ok(case)
    }

    /// The text of a file that [`from_toml`](Self::from_toml) reads. Each line of `comment` stands at its
    /// head.
    pub fn to_toml(&self, comment: &str) -> String {
        let mut text = String::new();
        let mut add = |line: &str| {
            text.push_str(line);
            text.push('\n');
        };
        comment.lines().for_each(|line| add(&format!("# {line}")));
        if let Some(oracle) = &self.oracle {
            add(&format!("oracle = \"{oracle}\""));
        }
        add(&format!("seed = {}", self.seed));
        add(&format!("ip = {}", self.ip));
        add(&format!("shape = \"{}\"", self.shape));
        add("hops = [");
        for [there, back] in &self.hops {
            add(&format!("    [\"{there}\", \"{back}\"],"));
        }
        add("]");
        for (key, lines) in
            [("changes", &self.changes), ("hosts", &self.hosts), ("flows", &self.flows)]
        {
            if !lines.is_empty() {
                add(&format!("{key} = ["));
                lines.iter().for_each(|line| add(&format!("    \"{line}\",")));
                add("]");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_read_as_it_was_written() {
        let text = "oracle = \"liveness\"\nseed = 7\nip = 6\nshape = \"chain\"\nhops = [\n    \
                    [\"rate=1mbit\", \"\"],\n    [\"loss=0%\", \"loss=1%\"],\n]\nhosts = [\n    \
                    \"law=reno\",\n]\nflows = [\n    \"from=0,to=1,ours=1000\",\n]\n";
        let case = Case::from_toml(text).unwrap();
        assert_eq!(case.to_toml(""), text);
        let error = Case::from_toml("seed = 1\nhops = []\nflows = []").unwrap_err();
        assert_eq!(error.to_string(), "a pair has one hop");
    }
}

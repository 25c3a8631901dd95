//! A line of settings, `key=value,key=value`: what a path, a host or a flow is written as.

use std::fmt;
use std::str::FromStr;

/// Settings in the order in which they were given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Line {
    items: Vec<(String, String)>,
}

impl Line {
    /// The value of a key; `None` if it is not given.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.items.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// The value of a key, read; `None` if it is not given or cannot be read.
    pub fn read<T: FromStr>(&self, key: &str) -> Option<T> {
        self.get(key)?.parse().ok()
    }

    /// Sets a key, which keeps its place if it has one.
    pub fn set(&mut self, key: &str, value: impl fmt::Display) {
        let value = value.to_string();
        match self.items.iter_mut().find(|(name, _)| name == key) {
            Some((_, present)) => *present = value,
            None => self.items.push((key.to_owned(), value)),
        }
    }

    /// This line with a key set.
    pub fn with(&self, key: &str, value: impl fmt::Display) -> Line {
        let mut line = self.clone();
        line.set(key, value);
        line
    }

    /// This line without a key.
    pub fn without(&self, key: &str) -> Line {
        let items = self.items.iter().filter(|(name, _)| name != key).cloned().collect();
        Line { items }
    }

    /// Keys and values in their order.
    pub fn items(&self) -> impl Iterator<Item = (&str, &str)> {
        self.items.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

/// Reads `key=value,key=value`. A value may contain `=`.
impl FromStr for Line {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut line = Line::default();
        for item in text.split(',').filter(|item| !item.is_empty()) {
            let Some((key, value)) = item.split_once('=') else {
                return Err(format!("'{item}' is not of the form key=value"));
            };
            if line.get(key).is_some() {
                return Err(format!("'{key}' is given twice: keep one"));
            }
            line.set(key, value);
        }
        Ok(line)
    }
}

/// Writes the text that [`FromStr`] reads.
impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (key, value)) in self.items.iter().enumerate() {
            let separator = if index > 0 { "," } else { "" };
            write!(f, "{separator}{key}={value}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_written_as_it_was_read() {
        let text = "law=cubic,ack_policy=delayed=40ms/0,sack=off";
        let line: Line = text.parse().unwrap();
        assert_eq!(line.to_string(), text);
        assert_eq!(line.get("ack_policy"), Some("delayed=40ms/0"));
        assert_eq!(
            line.with("law", "reno").without("sack").to_string(),
            "law=reno,ack_policy=delayed=40ms/0"
        );
        assert!("".parse::<Line>().unwrap().is_empty());
        assert!("law".parse::<Line>().is_err() && "a=1,a=2".parse::<Line>().is_err());
    }
}

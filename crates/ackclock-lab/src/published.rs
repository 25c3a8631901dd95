//! The numbers that the papers print, from `published.toml` beside this crate's manifest.

use ackclock::time::Duration;
use std::collections::BTreeSet;
use std::sync::{LazyLock, Mutex, PoisonError};
use toml::{Table, Value};

static PUBLISHED: LazyLock<Table> = LazyLock::new(|| {
    include_str!("../published.toml").parse().expect("a test reads published.toml")
});

/// The keys that were read.
static READ: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// The keys of numbers and statements that nothing in this process has read yet. What is read as a whole,
/// such as a list, is read with all that is in it; a list of texts is one statement.
pub fn unread() -> Vec<String> {
    let mut all = Vec::new();
    for (paper, value) in PUBLISHED.iter() {
        leaves(paper.clone(), value, &mut all);
    }
    let read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    let is_read = |leaf: &String| {
        let ends = leaf.match_indices('.').map(|(end, _)| end).chain([leaf.len()]);
        ends.into_iter().any(|end| read.contains(&leaf[..end]))
    };
    all.retain(|leaf| !is_read(leaf));
    all
}

/// The keys below one, down to what is a number or a statement.
fn leaves(key: String, value: &Value, all: &mut Vec<String>) {
    match value {
        Value::Table(table) => {
            table.iter().for_each(|(name, value)| leaves(format!("{key}.{name}"), value, all));
        }
        Value::Array(array) if !array.iter().all(Value::is_str) => {
            let elements = array.iter().enumerate();
            elements.for_each(|(index, value)| leaves(format!("{key}.{index}"), value, all));
        }
        _ => all.push(key),
    }
}

/// The value at a key such as `zhang91.fixed_windows_small_pipe.max_queue.0`; numbers count the
/// elements of arrays.
fn value(key: &str) -> &'static Value {
    let value = find(key);
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if !read.contains(key) {
        read.insert(key.to_owned());
    }
    value
}

/// The same, which does not count as read.
fn find(key: &str) -> &'static Value {
    let mut keys = key.split('.');
    let first = keys.next().and_then(|first| PUBLISHED.get(first));
    let found = keys.fold(first, |value, key| match value? {
        Value::Table(table) => table.get(key),
        Value::Array(array) => array.get(key.parse::<usize>().ok()?),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("published.toml has no '{key}'"))
}

/// A number that a paper prints.
///
/// # Panics
/// If there is no number of that key.
pub fn number(key: &str) -> f64 {
    match value(key) {
        Value::Integer(integer) => *integer as f64,
        Value::Float(float) => *float,
        other => panic!("'{key}' of published.toml is no number but {other:?}"),
    }
}

/// A whole number that a paper prints.
///
/// # Panics
/// If there is no number of that key, or it is no whole one that fits.
pub(crate) fn whole<T: TryFrom<i64>>(key: &str) -> T {
    let whole = value(key).as_integer().and_then(|integer| T::try_from(integer).ok());
    whole.unwrap_or_else(|| panic!("'{key}' of published.toml is no whole number that fits"))
}

/// A time in seconds that a paper prints.
///
/// # Panics
/// If there is no number of that key.
pub(crate) fn seconds(key: &str) -> Duration {
    Duration::from_nanos((number(key) * 1e9).round() as u64)
}

/// The names of a table, in the alphabet's order.
///
/// # Panics
/// If there is no table of that key.
pub(crate) fn names(key: &str) -> impl Iterator<Item = &'static str> {
    let table = find(key).as_table();
    let table = table.unwrap_or_else(|| panic!("'{key}' of published.toml is no table"));
    table.keys().map(String::as_str)
}

/// A number, list or statement of a paper as text.
///
/// # Panics
/// If there is nothing of that key.
pub fn text(key: &str) -> String {
    match value(key) {
        Value::String(text) => text.clone(),
        other => serde_json::to_string(other).expect("a value of TOML is one of JSON"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_statements_are_found_by_their_keys() {
        assert_eq!(number("zhang91.one_way_3.tau_1s_utilisation"), 0.90);
        assert_eq!(number("zhang91.fixed_windows_small_pipe.max_queue.1"), 23.0);
        assert_eq!(text("zhang91.fixed_windows_small_pipe.buffer_packets"), "infinite");
        assert_eq!(whole::<u32>("veno.dummynet.queue_packets"), 8);
        assert_eq!(seconds("veno.dummynet.one_way_delay_s"), Duration::from_millis(50));
    }

    #[test]
    #[should_panic(expected = "has no 'zhang91.one_way_4'")]
    fn a_key_that_is_not_there_is_named() {
        number("zhang91.one_way_4");
    }
}

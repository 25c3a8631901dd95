//! Experiments by the names that users type.

use crate::experiment::{Experiment, Paper};
use crate::papers;
use std::fmt;

/// Names at least this similar are suggested (Jaro-Winkler, 1 is the same).
const NEAR: f64 = 0.75;
/// Suggestions at most.
const SUGGESTIONS: usize = 4;

/// The experiments of these names, in the order of the reports: `zhang91.one_way_3`, `one_way_3` if
/// no other paper has one of that name, `zhang91` for all of that paper, or `all`.
///
/// # Errors
/// The first name that is none, with those that are near.
pub fn select<S: AsRef<str>>(names: &[S]) -> Result<Vec<&'static Experiment>, UnknownName> {
    let mut wanted = vec![false; papers::all().count()];
    for name in names.iter().map(AsRef::as_ref) {
        let mut found = false;
        for (wanted, experiment) in wanted.iter_mut().zip(papers::all()) {
            if matches(name, experiment) {
                (*wanted, found) = (true, true);
            }
        }
        if !found {
            return Err(UnknownName::new(name));
        }
    }
    let chosen = papers::all().zip(wanted).filter(|(_, wanted)| *wanted);
    Ok(chosen.map(|(experiment, _)| experiment).collect())
}

fn matches(name: &str, experiment: &Experiment) -> bool {
    let is_unique = || papers::all().filter(|each| each.name == name).count() == 1;
    name == "all"
        || name == experiment.paper.name()
        || name == experiment.id()
        || (name == experiment.name && is_unique())
}

/// A name that is no experiment's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownName {
    name: String,
    near: Vec<String>,
}

impl UnknownName {
    fn new(name: &str) -> Self {
        let papers = Paper::ALL.iter().map(|paper| paper.name().to_owned());
        let ids = papers::all().map(Experiment::id);
        let similarity = |known: &str| {
            let short = known.split_once('.').map_or(known, |(_, short)| short);
            strsim::jaro_winkler(name, known).max(strsim::jaro_winkler(name, short))
        };
        let mut known: Vec<_> = papers
            .chain(ids)
            .map(|known| (similarity(&known), known))
            .filter(|(similarity, known)| *similarity >= NEAR || known.contains(name))
            .collect();
        known.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        known.truncate(SUGGESTIONS);
        let near = known.into_iter().map(|(_, known)| known).collect();
        UnknownName { name: name.to_owned(), near }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no experiment '{}'; ", self.name)?;
        match self.near.is_empty() {
            true => f.write_str("'ackclock lab list' names them"),
            false => write!(f, "near are {}", self.near.join(", ")),
        }
    }
}

impl std::error::Error for UnknownName {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_experiment_is_found_by_id_by_name_by_paper_and_among_all() {
        let ids = |name: &str| -> Vec<String> {
            select(&[name]).unwrap().into_iter().map(Experiment::id).collect()
        };
        assert_eq!(ids("zhang91.one_way_3"), ["zhang91.one_way_3"]);
        assert_eq!(ids("one_way_3"), ["zhang91.one_way_3"]);
        assert!(ids("zhang91").contains(&"zhang91.one_way_3".to_owned()));
        assert_eq!(ids("all").len(), papers::all().count());
    }

    #[test]
    fn a_wrong_name_is_answered_with_the_near_ones() {
        let error = select(&["zhang91.one_way"]).unwrap_err().to_string();
        assert!(
            error.starts_with(
                "there is no experiment 'zhang91.one_way'; near are zhang91.one_way_3"
            ),
            "{error}"
        );
        let error = select(&["qqqq"]).unwrap_err().to_string();
        assert_eq!(error, "there is no experiment 'qqqq'; 'ackclock lab list' names them");
    }
}

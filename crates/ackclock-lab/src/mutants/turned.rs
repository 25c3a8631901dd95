//! Which mutants turn which verdict red, from `turned.json` beside this crate's manifest.

use crate::finding::{Finding, Tolerance, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Mutants by quantity, by experiment.
pub(crate) type Turned = BTreeMap<String, BTreeMap<String, Vec<String>>>;

static TURNED: LazyLock<Turned> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../turned.json")).expect("a test reads turned.json")
});

static FAMILIES: LazyLock<BTreeSet<(&str, String)>> = LazyLock::new(|| {
    let quantities = TURNED.iter().flat_map(|(id, of)| of.keys().map(move |each| (id, each)));
    quantities.map(|(id, quantity)| (id.as_str(), family(quantity))).collect()
});

/// The entries of these mutants alone.
pub(super) fn of_others(is_one: impl Fn(&str) -> bool) -> Turned {
    let mut turned = TURNED.clone();
    for quantities in turned.values_mut() {
        for mutants in quantities.values_mut() {
            mutants.retain(|mutant| is_one(mutant));
        }
        quantities.retain(|_, mutants| !mutants.is_empty());
    }
    turned.retain(|_, quantities| !quantities.is_empty());
    turned
}

/// Puts the mutants of each quantity into the order of the list.
pub(super) fn in_order(turned: &mut Turned) {
    let place = |name: &String| super::ALL.iter().position(|mutant| mutant.name == name);
    for mutants in turned.values_mut().flat_map(BTreeMap::values_mut) {
        mutants.sort_by_key(place);
    }
}

#[cfg(test)]
pub(crate) fn table() -> &'static Turned {
    &TURNED
}

/// A quantity without its numbers: what is measured at other loads, delays or losses is of one family.
fn family(quantity: &str) -> String {
    let mut family = String::new();
    for c in quantity.chars() {
        match c {
            '0'..='9' | '.' if family.ends_with('#') => {}
            '0'..='9' => family.push('#'),
            other => family.push(other),
        }
    }
    family
}

/// Takes the verdict from a finding that no mutant turns. Mutants are tried in quick runs; what only a
/// full run measures goes by its family.
pub(crate) fn keep_if_turned(id: &str, quick: bool, finding: &mut Finding) {
    let is_judged = matches!(finding.verdict, Verdict::Holds | Verdict::Fails);
    let turned = TURNED.get(id).is_some_and(|of| of.contains_key(&finding.quantity));
    if !is_judged || turned || (!quick && FAMILIES.contains(&(id, family(&finding.quantity)))) {
        return;
    }
    let told = match finding.verdict {
        Verdict::Holds => "asked and met, but no mutant turns it",
        _ => "asked and not met, but no mutant turns it",
    };
    let note = finding.note.take().map_or(String::new(), |note| note + "; ");
    *finding = finding.clone().tolerance(Tolerance::ReportOnly).note(note + told);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Spread;

    #[test]
    fn numbers_do_not_make_another_family() {
        assert_eq!(family("share at 0.01%, 16+16"), "share at #%, #+#");
        assert_eq!(family("share at 1%, 4+4"), "share at #%, #+#");
    }

    #[test]
    fn a_verdict_that_no_mutant_turns_is_reported_only() {
        let judged =
            || Finding::new("a quantity", Spread::exactly(1.0)).tolerance(Tolerance::AtLeast(0.5));
        let mut finding = judged();
        keep_if_turned("zhang91.one_way_3", true, &mut finding);
        assert_eq!(finding.verdict, Verdict::Reported);
        assert_eq!(finding.note.as_deref(), Some("asked and met, but no mutant turns it"));
    }
}

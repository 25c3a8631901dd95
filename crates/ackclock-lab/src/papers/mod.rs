//! The experiments, by paper.

mod allman98;
mod allman99;
mod compare;
mod datagram;
pub(crate) mod flows;
mod generator;
mod jacobson88;
mod segments;
mod veno;
mod zhang91;

use crate::experiment::Experiment;

/// All experiments, in the order of the reports.
pub fn all() -> impl Iterator<Item = &'static Experiment> {
    let papers: [&'static [Experiment]; 5] = [
        jacobson88::EXPERIMENTS,
        zhang91::EXPERIMENTS,
        allman98::EXPERIMENTS,
        allman99::EXPERIMENTS,
        veno::EXPERIMENTS,
    ];
    papers.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_experiment_has_an_id_of_its_own() {
        let ids: BTreeSet<String> = all().map(Experiment::id).collect();
        assert_eq!(ids.len(), all().count());
    }

    #[test]
    fn each_variant_has_a_name_of_its_own_and_seeds() {
        for (experiment, quick) in all().flat_map(|each| [(each, false), (each, true)]) {
            let variants = experiment.variants(quick);
            let names: BTreeSet<String> = variants.iter().map(|variant| variant.name()).collect();
            assert_eq!(names.len(), variants.len(), "{}", experiment.id());
            assert!(variants.iter().all(|variant| variant.seeds > 0), "{}", experiment.id());
        }
    }

    /// So that the report can show how results depend on what the paper does not say.
    #[test]
    fn each_choice_is_varied() {
        for experiment in all() {
            let variants = experiment.variants(false);
            for choice in experiment.choices {
                let is_varied = |variant: &crate::Variant| {
                    variant.instead == Some(choice.parameter)
                        && variant.setting(choice.parameter) != Some(choice.value)
                };
                let id = experiment.id();
                assert!(variants.iter().any(is_varied), "{id}: {}", choice.parameter);
            }
        }
    }
}

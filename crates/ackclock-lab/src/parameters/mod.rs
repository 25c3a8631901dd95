//! What an experiment can be run with other values of.
//!
//! An experiment names what its paper states ([`Parameter`]) and what was chosen for what the paper
//! does not state ([`Choice`](crate::Choice)); those of TCP are the same for all ([`tcp`]). A run with
//! other values ([`Settings`]) is shown by tables and pictures, and not judged.

mod kind;
mod settings;
pub(crate) mod tcp;

pub use kind::Kind;
pub use settings::{SettingError, Settings};

use crate::experiment::Experiment;

/// Something that a paper states, and that can be set to something else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name, as in `--set NAME=VALUE`.
    pub name: &'static str,
    /// What may stand there.
    pub kind: Kind,
    /// The value where a variant has none of its own; nothing if all have.
    pub value: &'static str,
    /// What the paper says of it.
    pub says: &'static str,
}

/// A parameter as an experiment offers it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Offer {
    /// Its name.
    pub name: &'static str,
    /// What may stand there, besides the values.
    pub kind: Kind,
    /// The values that the experiment has itself; the one without which a variant goes first.
    pub values: Vec<String>,
    /// What the paper says of it, or why this value was chosen.
    pub says: &'static str,
    /// Who says so.
    pub source: Source,
}

/// Where a parameter's value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The paper states it.
    Stated,
    /// It was chosen, since the paper does not state it.
    Chosen,
    /// It belongs to TCP, not to the experiment.
    Tcp,
}

impl Offer {
    /// Whether a word may stand there.
    pub(crate) fn accepts(&self, word: &str) -> bool {
        self.values.iter().any(|value| value == word) || self.kind.accepts(word)
    }

    /// What may stand there, in words.
    pub fn takes(&self) -> String {
        let takes = self.kind.takes();
        match takes.is_empty() {
            true => self.values.join(", "),
            false => takes,
        }
    }
}

impl Experiment {
    /// What it can be run with other values of: what the paper states, what was chosen, and TCP.
    pub fn offers(&self) -> Vec<Offer> {
        let stated = self.parameters.iter().map(|parameter| self.offer(parameter, Source::Stated));
        let mut offers: Vec<Offer> = stated.collect();
        for choice in self.choices {
            match offers.iter_mut().find(|offer| offer.name == choice.parameter) {
                // Named only for what may stand there.
                Some(offer) => (offer.says, offer.source) = (choice.reason, Source::Chosen),
                None => {
                    let kind = Kind::of_choice(choice.parameter, choice.value);
                    let (name, value, says) = (choice.parameter, choice.value, choice.reason);
                    let parameter = Parameter { name, kind, value, says };
                    offers.push(self.offer(&parameter, Source::Chosen));
                }
            }
        }
        let of_tcp = if self.sends { tcp::ALL } else { &[] };
        for parameter in of_tcp {
            if offers.iter().all(|offer| offer.name != parameter.name) {
                let mut offer = self.offer(parameter, Source::Tcp);
                offer.values =
                    tcp::listed(parameter.name).iter().map(|&word| word.into()).collect();
                offers.push(offer);
            }
        }
        offers
    }

    fn offer(&self, parameter: &Parameter, source: Source) -> Offer {
        let &Parameter { name, kind, value, says } = parameter;
        let mut values: Vec<String> = Vec::new();
        let chosen = self.choices.iter().find(|choice| choice.parameter == name);
        let first = chosen.map_or(value, |choice| choice.value);
        let variants = self.variants(false);
        let of_variants = variants.iter().filter_map(|variant| variant.setting(name));
        for value in std::iter::once(first).chain(of_variants) {
            if !value.is_empty() && !values.iter().any(|each| each == value) {
                values.push(value.to_owned());
            }
        }
        Offer { name, kind, values, says, source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{papers, published, select};
    use std::collections::BTreeSet;

    /// So that whatever an experiment varies can be set by its users.
    #[test]
    fn each_setting_of_a_variant_is_offered_once_with_a_sentence() {
        for experiment in papers::all() {
            let offers = experiment.offers();
            let names: BTreeSet<&str> = offers.iter().map(|offer| offer.name).collect();
            let id = experiment.id();
            assert_eq!(names.len(), offers.len(), "{id}");
            for variant in experiment.variants(false).iter().chain(&experiment.variants(true)) {
                for (name, _) in variant.settings() {
                    assert!(names.contains(name), "{id}: {name}");
                }
            }
            for offer in &offers {
                assert!(!offer.says.is_empty(), "{id}: {}", offer.name);
                assert!(
                    offer.source == Source::Tcp || !offer.values.is_empty(),
                    "{id}: {}",
                    offer.name
                );
            }
        }
    }

    #[test]
    fn a_stated_value_is_the_one_that_the_paper_prints() {
        for (id, name, key) in [
            ("jacobson88.startup", "queue", "jacobson88.startup.gateway_buffer_packets"),
            (
                "jacobson88.four_conversations",
                "queue",
                "jacobson88.four_conversations.gateway_buffer_packets",
            ),
            ("veno.loss_sweep", "buffer", "veno.loss_sweep.buffer_packets"),
            ("veno.utilisation", "buffer", "veno.loss_sweep.buffer_packets"),
        ] {
            let offers = select(&[id]).unwrap()[0].offers();
            let offer = offers.iter().find(|offer| offer.name == name).unwrap();
            assert_eq!(offer.values, [published::text(key)], "{id}");
        }
    }

    #[test]
    fn an_experiment_offers_what_is_stated_what_was_chosen_and_tcp() {
        let experiment = select(&["zhang91.two_way_1_1_small_pipe"]).unwrap()[0];
        let offers = experiment.offers();
        let offer = |name: &str| offers.iter().find(|offer| offer.name == name).unwrap();
        assert_eq!(offer("buffer").source, Source::Stated);
        assert_eq!(offer("buffer").values, ["20", "60", "120"]);
        assert_eq!(offer("start").source, Source::Chosen);
        assert_eq!(offer("start").values, ["5s", "60s"]);
        assert_eq!(offer("cc").source, Source::Tcp);
        assert_eq!(offer("recovery").source, Source::Chosen);
    }
}

//! Parameters of TCP, which every experiment has in which stacks of this project send: what would
//! have come out with another TCP than the paper's.

use super::{Kind, Parameter};
use crate::experiment::Variant;
use ackclock::congestion::{Bbr, BuiltIn};
use ackclock::tcp::{Config, CongestionControl};
use std::str::FromStr;

/// The values of [`WHOLE`].
const PAPER: &str = "paper";
const TODAY: &str = "today";
const TODAY_BBR: &str = "today-bbr";

/// All of TCP at once.
const WHOLE: &str = "tcp";

const fn parameter(name: &'static str, kind: Kind, says: &'static str) -> Parameter {
    Parameter { name, kind, value: "", says }
}

/// The parameters. Each is the paper's unless it is set.
pub(super) const ALL: &[Parameter] = &[
    Parameter {
        name: WHOLE,
        kind: Kind::Listed,
        value: PAPER,
        says: "or today: CUBIC, RACK, SACK, timestamps, ten segments at first and today's timers; \
               segment sizes, buffers and Nagle's rule stay the paper's. today-bbr is the same with BBR, \
               which paces",
    },
    parameter("cc", Kind::Law, "the law of all hosts, with the recovery that it brings"),
    parameter("recovery", Kind::Recovery, "how losses are found and repaired"),
    parameter("iw", Kind::InitialWindow, "the window that a connection begins with"),
    parameter("ack_policy", Kind::Acks, "when receivers acknowledge"),
    parameter("rto", Kind::Timer, "the retransmission timer"),
    parameter("ecn", Kind::Ecn, "whether queues may mark instead of dropping"),
    parameter("pacing", Kind::Pacing, "whether transmissions are spread over the round trip"),
];

/// The values that are listed for one of them.
pub(super) fn listed(name: &str) -> &'static [&'static str] {
    if name == WHOLE { &[PAPER, TODAY, TODAY_BBR] } else { &[] }
}

/// The settings of a connection as a variant wants them, from the paper's.
pub(crate) fn settings(variant: &Variant, papers: Config) -> Config {
    let mut settings = papers;
    if is_todays(variant) {
        settings = Config::default();
        (settings.mss, settings.nagle) = (papers.mss, papers.nagle);
        settings.send_buffer = papers.send_buffer;
        settings.receive_buffer = papers.receive_buffer;
    }
    if let Some(recovery) = law_of(variant).and_then(|law| law.recovery) {
        settings.recovery = recovery;
    }
    set(variant, "recovery", &mut settings.recovery);
    set(variant, "iw", &mut settings.initial_window);
    set(variant, "ack_policy", &mut settings.ack_policy);
    set(variant, "rto", &mut settings.rto);
    set(variant, "ecn", &mut settings.ecn);
    set(variant, "pacing", &mut settings.pacing);
    settings
}

/// The law of a host as a variant wants it, from the paper's.
pub(crate) fn law(variant: &Variant, papers: BuiltIn) -> BuiltIn {
    match (law_of(variant), variant.setting(WHOLE)) {
        (Some(law), _) => law.law,
        (None, Some(TODAY)) => BuiltIn::default(),
        (None, Some(TODAY_BBR)) => Bbr::default().into(),
        _ => papers,
    }
}

fn is_todays(variant: &Variant) -> bool {
    matches!(variant.setting(WHOLE), Some(TODAY | TODAY_BBR))
}

fn law_of(variant: &Variant) -> Option<CongestionControl> {
    variant.setting("cc")?.parse().ok()
}

/// What cannot be read was refused when it was set.
fn set<T: FromStr>(variant: &Variant, name: &str, setting: &mut T) {
    if let Some(value) = variant.setting(name).and_then(|word| word.parse().ok()) {
        *setting = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::tcp::{AckPolicy, RecoveryAlgorithm};

    fn papers() -> Config {
        let mut config = Config::default();
        (config.mss, config.receive_buffer, config.sack) = (Some(450), 9000, false);
        config.ack_policy = AckPolicy::EverySegment;
        config.recovery = RecoveryAlgorithm::Tahoe;
        config
    }

    #[test]
    fn without_a_setting_all_is_the_papers() {
        let variant = Variant::new(&[("tau", "1s"), ("tcp", "paper")], 1);
        assert_eq!(settings(&variant, papers()), papers());
        let tahoe: BuiltIn = "tahoe".parse().unwrap();
        assert_eq!(law(&variant, tahoe), tahoe);
    }

    #[test]
    fn todays_tcp_keeps_what_belongs_to_the_scenario() {
        let variant = Variant::new(&[("tcp", "today"), ("iw", "4")], 1);
        let todays = settings(&variant, papers());
        assert_eq!((todays.mss, todays.receive_buffer, todays.sack), (Some(450), 9000, true));
        assert_eq!(todays.recovery, RecoveryAlgorithm::default());
        assert_eq!(todays.initial_window, "4".parse().unwrap());
        assert_eq!(law(&variant, "tahoe".parse().unwrap()), BuiltIn::default());
        let variant = Variant::new(&[("tcp", "today-bbr")], 1);
        assert_eq!(settings(&variant, papers()).recovery, RecoveryAlgorithm::default());
        assert_eq!(law(&variant, "tahoe".parse().unwrap()), "bbr".parse().unwrap());
    }

    #[test]
    fn a_law_brings_its_recovery_unless_another_is_set() {
        let newreno = Variant::new(&[("cc", "newreno")], 1);
        assert_eq!(settings(&newreno, papers()).recovery, RecoveryAlgorithm::NewReno);
        let both = Variant::new(&[("cc", "newreno"), ("recovery", "rack")], 1);
        assert_eq!(settings(&both, papers()).recovery, RecoveryAlgorithm::Rack);
        assert_eq!(law(&both, "tahoe".parse().unwrap()), "reno".parse().unwrap());
    }
}

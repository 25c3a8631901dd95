//! What a judge is told of a host that runs our stack.

use ackclock::congestion::{CongestionController, InitialWindow};
use ackclock::tcp::{AckPolicy, Config, MtuProbing, Nagle, RecoveryAlgorithm, RestartAfterIdle};
use ackclock::time::Duration;
use ackclock_judge::{Law, Settings};

/// What a judge is told of a host that opens connections with `config` and `law`, sees all packets of, at the
/// very time that they pass, and all calls.
pub fn told(config: &Config, law: &impl CongestionController) -> Settings {
    let law = match law.name() {
        "reno" => Law::Reno,
        "cubic" => Law::Cubic,
        "veno" => Law::Veno,
        "bbr" => Law::Bbr,
        "prague" => Law::Prague,
        _ => Law::Unknown,
    };
    let defaults = Settings::default();
    Settings {
        law,
        initial_window: match config.initial_window {
            InitialWindow::AtMost { segments, .. } if segments > 0 => segments.into(),
            _ => defaults.initial_window,
        },
        least_rto: config.rto.min,
        initial_rto: config.rto.initial,
        largest_rto: config.rto.max,
        ack_delay: match config.ack_policy {
            AckPolicy::Delayed { timeout, .. } => timeout,
            _ => defaults.ack_delay,
        },
        reaction: Duration::ZERO,
        nagle: match config.nagle {
            Nagle::Off => Some(ackclock_judge::Nagle::Off),
            Nagle::Rfc896 => Some(ackclock_judge::Nagle::Rfc896),
            Nagle::Minshall => Some(ackclock_judge::Nagle::Minshall),
            _ => None,
        },
        probes_path: config.mtu_probing != MtuProbing::Off,
        sees_all: true,
        calls_are_told: true,
        time_wait: config.msl.saturating_mul(2),
        keepalive: config.keepalive.map_or(defaults.keepalive, |keepalive| keepalive.idle),
        give_up: config.shortest_wait(),
        longest_wait: Some(config.longest_wait()),
        syn_give_up: config.syn_give_up,
        heeds_sack: config.sack && config.recovery.needs_sack(),
        reassembly_ranges: config.reassembly_ranges as usize,
        waits_for_reordering: config.recovery == RecoveryAlgorithm::Rack,
        conserves_packets: config.recovery == RecoveryAlgorithm::Rack,
        heeds_partial_acks: config.recovery == RecoveryAlgorithm::NewReno,
        goes_back: matches!(
            config.recovery,
            RecoveryAlgorithm::GoBackN | RecoveryAlgorithm::TahoeGoBackN
        ),
        keeps_half_open: true,
        answers_strangers: true,
        reports_duplicates: true,
        restarts_after_idle: config.restart_after_idle == RestartAfterIdle::RestartWindow,
        ..defaults
    }
}

//! The profiles are what docs/profiles.toml says, from which the tables of docs/packetdrill.md are made.

use super::*;

const LIST: &str = include_str!("../../../../docs/profiles.toml");

/// What a profile has, in the order and the words of the list.
fn choices(flags: &Flags) -> Vec<(&'static str, String)> {
    let Flags { connection, keepalive, .. } = flags;
    let Keepalive { idle, interval, count, .. } = keepalive;
    vec![
        ("law", flags.law.to_string()),
        ("recovery", connection.recovery.name().to_owned()),
        ("lost_retransmission", connection.lost_retransmission.to_string()),
        ("rto", connection.rto.estimator.to_string()),
        ("rto_min", connection.rto.min.to_string()),
        ("rto_initial", connection.rto.initial.to_string()),
        ("rto_max", connection.rto.max.to_string()),
        ("syn_give_up", connection.syn_give_up.to_string()),
        ("syn_ack_give_up", flags.syn_ack_give_up.unwrap_or(connection.syn_give_up).to_string()),
        ("nagle", connection.nagle.to_string()),
        ("ack_policy", connection.ack_policy.to_string()),
        ("ecn", connection.ecn.to_string()),
        ("initial_window", connection.initial_window.to_string()),
        ("restart_after_idle", connection.restart_after_idle.to_string()),
        ("receive_buffer", connection.receive_buffer.to_string()),
        ("buffer_tuning", connection.buffer_tuning.to_string()),
        ("msl", connection.msl.to_string()),
        ("fin_timeout", connection.fin_wait_2_timeout.to_string()),
        ("keepalive", format!("{idle}/{interval}/{count}")),
        ("syn_options", format!("{:?}", flags.syn_options).to_lowercase()),
        ("habits", format!("{:?}", flags.habits).to_lowercase()),
    ]
}

/// The values of a key, of each choice of the list.
fn listed(key: &str) -> Vec<&'static str> {
    let of_key = |line: &'static str| {
        let (name, value) = line.split_once(" = ")?;
        (name == key).then_some(value.trim_matches('"'))
    };
    LIST.lines().filter_map(of_key).collect()
}

#[test]
fn the_profiles_are_what_the_list_says() {
    for profile in ["linux", "freebsd", "rfc"] {
        let flags: Flags = format!("profile={profile}").parse().expect("usable flags");
        let said: Vec<_> = listed("setting").into_iter().zip(listed(profile)).collect();
        let choices = choices(&flags);
        let had: Vec<_> = choices.iter().map(|(name, value)| (*name, value.as_str())).collect();
        assert_eq!(had, said, "{profile}");
    }
}

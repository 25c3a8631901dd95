//! Settings of the kernel by their names, as flags.

/// A name with dots, whether it was written so, with slashes, or as a file of `/proc/sys`.
pub(super) fn dotted(name: &str) -> String {
    name.trim_start_matches("/proc/sys/").replace('/', ".")
}

/// The flags that a setting stands for; none if it is of no effect on this stack.
pub(super) fn flags(name: &str, value: &str) -> Vec<String> {
    let words: Vec<&str> = value.split_whitespace().collect();
    let value = words.join(":");
    let is_off = value == "0";
    let flag = |key: &str, value: &str| vec![format!("{key}={value}")];
    let switch = |key: &str| flag(key, if is_off { "off" } else { "on" });
    let of_tcp = name.strip_prefix("net.ipv4.tcp_");
    match of_tcp.unwrap_or(name) {
        "timestamps" => switch("timestamps"),
        "sack" => switch("sack"),
        "window_scaling" => switch("wscale"),
        "rmem" => flag("rmem", &value),
        "wmem" => flag("wmem", &value),
        "ecn" => flag(
            "ecn",
            if is_off {
                "off"
            } else if value == "1" {
                "request"
            } else {
                "accept"
            },
        ),
        "congestion_control" => flag("cc", &value),
        "slow_start_after_idle" => flag("restart", if is_off { "never" } else { "rfc5681" }),
        // Without RACK losses are told by duplicate acks.
        "recovery" => flag("recovery", if is_off { "rfc6675" } else { "rack" }),
        "syn_retries" => flag("syn_retries", &value),
        "synack_retries" => flag("synack_retries", &value),
        "no_metrics_save" => flag("reuse_metrics", if is_off { "on" } else { "off" }),
        "keepalive_time" => flag("keepidle", &value),
        "keepalive_intvl" => flag("keepintvl", &value),
        "keepalive_probes" => flag("keepcnt", &value),
        "min_tso_segs" => flag("min_tso_segs", &value),
        "notsent_lowat" => flag("notsent_lowat", &value),
        "fastopen" => flag("fastopen", &value),
        "fastopen_key" => flag("fastopen_key", &value.replace(',', ":")),
        "fin_timeout" => flag("fin_timeout", &format!("{value}000")),
        "net.core.somaxconn" => flag("backlog", &value),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::Flags;

    #[test]
    fn names_may_be_written_in_three_ways() {
        for name in ["net.ipv4.tcp_sack", "net/ipv4/tcp_sack", "/proc/sys/net/ipv4/tcp_sack"] {
            assert_eq!(flags(&dotted(name), "0"), ["sack=off"]);
        }
    }

    /// Each with a value that the kernel takes.
    #[test]
    fn all_flags_can_be_used() {
        for (name, value, flag) in [
            ("tcp_timestamps", "2", "timestamps=on"),
            ("tcp_window_scaling", "0", "wscale=off"),
            ("tcp_rmem", "4096\t131072 6291456", "rmem=4096:131072:6291456"),
            ("tcp_wmem", "4096 16384 4194304", "wmem=4096:16384:4194304"),
            ("tcp_ecn", "2", "ecn=accept"),
            ("tcp_congestion_control", "reno", "cc=reno"),
            ("tcp_slow_start_after_idle", "1", "restart=rfc5681"),
            ("tcp_recovery", "0", "recovery=rfc6675"),
            ("tcp_syn_retries", "6", "syn_retries=6"),
            ("tcp_synack_retries", "5", "synack_retries=5"),
            ("tcp_no_metrics_save", "0", "reuse_metrics=on"),
            ("tcp_keepalive_time", "7200", "keepidle=7200"),
            ("tcp_keepalive_intvl", "75", "keepintvl=75"),
            ("tcp_keepalive_probes", "9", "keepcnt=9"),
            ("tcp_min_tso_segs", "4", "min_tso_segs=4"),
            ("tcp_notsent_lowat", "4294967295", "notsent_lowat=4294967295"),
            ("tcp_fastopen", "0x70403", "fastopen=0x70403"),
            ("tcp_fin_timeout", "60", "fin_timeout=60000"),
        ] {
            let told = flags(&format!("net.ipv4.{name}"), value);
            assert_eq!(told, [flag]);
            assert_eq!(Flags::default().set(flag), Ok(()));
        }
        let keys = "0badcafe-00000000-00000000-00000001,a1a1a1a1-b2b2b2b2-c3c3c3c3-d4d4d4d4";
        let told = flags("net.ipv4.tcp_fastopen_key", keys);
        assert_eq!(Flags::default().set(&told[0]), Ok(()));
        assert!(flags("net.ipv4.ip_forward", "1").is_empty());
    }
}

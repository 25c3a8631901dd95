//! What the flags of the library are for a kernel: sysctls of the namespace, its device and its routes, and options
//! that sockets begin with.

use super::md5::Md5Key;
use std::collections::BTreeMap;

/// A kernel with a script's flags.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Settings {
    /// Values by their names below `/proc/sys/net`.
    pub(crate) sysctls: BTreeMap<&'static str, String>,
    /// The window law that sockets are given: the default of a namespace can be only one that every user may choose.
    pub(crate) law: &'static str,
    /// Of the device, in bytes.
    pub(crate) mtu: u32,
    /// Most segments that are handed to the device as one. With 1 each is a piece of its own, as without the
    /// habits of Linux.
    pub(crate) train: u32,
    /// Of the routes; RFC 6928's without.
    pub(crate) initial_window: Option<u32>,
    /// Whether every segment is acknowledged at once, by the routes.
    pub(crate) ack_every: bool,
    /// That signs all segments of both ends.
    pub(crate) md5_key: Option<Md5Key>,
    /// Whether acks are delayed from the first one on (`quickack=0`).
    pub(crate) delay_acks: bool,
}

/// The kernel as it comes, less what would blur a script: nothing is remembered of a peer, no answer is held back for
/// being one of many, and the namespace's only user needs no SYN cookies.
const GROUND: [(&str, &str); 30] = [
    ("core/somaxconn", "4096"),
    ("ipv4/tcp_abort_on_overflow", "0"),
    ("ipv4/tcp_autocorking", "0"),
    ("ipv4/tcp_base_mss", "1024"),
    ("ipv4/tcp_comp_sack_nr", "0"),
    ("ipv4/tcp_early_retrans", "3"),
    ("ipv4/tcp_ecn", "2"),
    ("ipv4/tcp_fastopen", "3"),
    ("ipv4/tcp_fin_timeout", "60"),
    ("ipv4/tcp_invalid_ratelimit", "0"),
    ("ipv4/tcp_keepalive_intvl", "75"),
    ("ipv4/tcp_keepalive_probes", "9"),
    ("ipv4/tcp_keepalive_time", "7200"),
    ("ipv4/tcp_min_tso_segs", "2"),
    ("ipv4/tcp_moderate_rcvbuf", "0"),
    ("ipv4/tcp_mtu_probing", "0"),
    ("ipv4/tcp_no_metrics_save", "1"),
    ("ipv4/tcp_notsent_lowat", "4294967295"),
    ("ipv4/tcp_recovery", "1"),
    ("ipv4/tcp_rmem", "4096\t131072\t6291456"),
    ("ipv4/tcp_rto_min_us", "200000"),
    ("ipv4/tcp_sack", "1"),
    ("ipv4/tcp_slow_start_after_idle", "1"),
    ("ipv4/tcp_syn_linear_timeouts", "0"),
    ("ipv4/tcp_syn_retries", "6"),
    ("ipv4/tcp_synack_retries", "5"),
    ("ipv4/tcp_syncookies", "0"),
    ("ipv4/tcp_timestamps", "1"),
    ("ipv4/tcp_window_scaling", "1"),
    ("ipv4/tcp_wmem", "4096\t16384\t4194304"),
];

/// Window laws of kernels.
const LAWS: [&str; 3] = ["reno", "cubic", "bbr"];

impl Settings {
    /// The kernel that these flags of the library ask for.
    ///
    /// # Errors
    /// Names the flag that no kernel has.
    pub(crate) fn read(flags: &str) -> Result<Self, String> {
        let mut settings = Settings {
            sysctls: GROUND.map(|(name, value)| (name, value.to_owned())).into(),
            law: "cubic",
            mtu: 1500,
            train: 65_535,
            initial_window: None,
            ack_every: false,
            md5_key: None,
            delay_acks: false,
        };
        for pair in flags.split([',', ' ']).filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').ok_or_else(|| format!("flag `{pair}`"))?;
            settings.set(key, value).ok_or_else(|| format!("the kernel has no flag `{pair}`"))?;
        }
        Ok(settings)
    }

    /// Sets one flag; none if a kernel has no such thing.
    fn set(&mut self, key: &str, value: &str) -> Option<()> {
        let switch = if value == "on" { "1" } else { "0" };
        match (key, value) {
            ("profile", "linux") | ("judge" | "trace" | "local", _) => {}
            ("habits", _) => self.train = if value == "linux" { 65_535 } else { 1 },
            ("quickack", _) => {
                self.delay_acks = value == "0";
                self.ack_every = value == "always";
            }
            ("mtu", _) => self.mtu = value.parse().ok()?,
            ("iw", "0" | "rfc6928") => self.initial_window = None,
            // Routes count it in segments.
            ("iw", _) => self.initial_window = Some(value.parse().ok()?),
            ("recovery", "rack") => {
                self.put("ipv4/tcp_recovery", "1")?;
                self.put("ipv4/tcp_early_retrans", "3")?;
            }
            // The nearest that there is: no tail loss probes, and RACK as far as it can be turned off.
            ("recovery", "newreno" | "rfc6675") => {
                self.put("ipv4/tcp_recovery", "0")?;
                self.put("ipv4/tcp_early_retrans", "0")?;
            }
            ("cc", _) => self.law = *LAWS.iter().find(|law| **law == value)?,
            ("timestamps", _) => self.put("ipv4/tcp_timestamps", switch)?,
            ("wscale", _) => self.put("ipv4/tcp_window_scaling", switch)?,
            ("sack", _) => self.put("ipv4/tcp_sack", switch)?,
            ("reuse_metrics", "on") => self.put("ipv4/tcp_no_metrics_save", "0")?,
            // Half of a buffer is the window.
            ("rmem", _) => {
                let window: u64 = value.parse().ok()?;
                self.put("ipv4/tcp_rmem", format!("4096\t{0}\t{0}", window * 2))?;
            }
            ("wmem", _) if value.contains(':') => {
                self.put("ipv4/tcp_wmem", value.replace(':', "\t"))?;
            }
            ("wmem", _) => {
                let most: u64 = value.parse().ok()?;
                self.put("ipv4/tcp_wmem", format!("4096\t{most}\t{}", most.max(4096)))?;
            }
            ("ecn", _) => {
                let modes = ["off", "request", "accept", "request-accurate", "", "accept-accurate"];
                let mode = modes.iter().position(|mode| *mode == value)?;
                self.put("ipv4/tcp_ecn", mode)?;
            }
            ("rto_min", _) => {
                self.put("ipv4/tcp_rto_min_us", value.parse::<u32>().ok()? * 1_000)?;
            }
            ("syn_retries", _) => {
                self.put("ipv4/tcp_syn_retries", value)?;
                self.put("ipv4/tcp_synack_retries", value)?;
            }
            ("synack_retries", _) => self.put("ipv4/tcp_synack_retries", value)?,
            ("fin_timeout", _) => {
                self.put("ipv4/tcp_fin_timeout", value.parse::<u32>().ok()? / 1_000)?;
            }
            ("backlog", _) => self.put("core/somaxconn", value)?,
            ("early_data", "off") => self.put("ipv4/tcp_fastopen", 1)?,
            ("early_data", "without-cookie") => self.put("ipv4/tcp_fastopen", 0x203)?,
            ("fastopen", _) => self.put("ipv4/tcp_fastopen", bits(value)?)?,
            ("fastopen_key", _) => self.put("ipv4/tcp_fastopen_key", value)?,
            ("keepidle", _) => self.put("ipv4/tcp_keepalive_time", value)?,
            ("keepintvl", _) => self.put("ipv4/tcp_keepalive_intvl", value)?,
            ("keepcnt", _) => self.put("ipv4/tcp_keepalive_probes", value)?,
            ("notsent_lowat", _) => self.put("ipv4/tcp_notsent_lowat", value)?,
            ("min_tso_segs", _) => self.put("ipv4/tcp_min_tso_segs", value)?,
            ("restart", "never") => self.put("ipv4/tcp_slow_start_after_idle", 0)?,
            ("restart", "rfc5681") => self.put("ipv4/tcp_slow_start_after_idle", 1)?,
            ("mtu_probing", "off") => self.put("ipv4/tcp_mtu_probing", 0)?,
            ("mtu_probing", "black-hole") => self.put("ipv4/tcp_mtu_probing", 1)?,
            ("mtu_probing", "always") => self.put("ipv4/tcp_mtu_probing", 2)?,
            ("base_mss", _) => self.put("ipv4/tcp_base_mss", value)?,
            // What the kernel does, and nothing else.
            ("nagle", "minshall") | ("delack", "40") | ("lost_retransmission", "repair") => {}
            ("md5_key", _) => self.md5_key = Some(Md5Key::new(value.as_bytes())?),
            ("md5_digits", _) => self.md5_key = Some(Md5Key::of_digits(value)?),
            _ => return None,
        }
        Some(())
    }

    fn put(&mut self, name: &'static str, value: impl ToString) -> Option<()> {
        self.sysctls.insert(name, value.to_string());
        Some(())
    }
}

/// A decimal or hexadecimal number.
fn bits(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_become_sysctls_and_those_that_no_kernel_has_are_named() {
        let settings = Settings::read("profile=linux,cc=reno,rmem=60000 iw=3,habits=none");
        let settings = settings.expect("flags of a kernel");
        assert_eq!(settings.law, "reno");
        assert_eq!(settings.sysctls["ipv4/tcp_rmem"], "4096\t120000\t120000");
        assert_eq!((settings.initial_window, settings.train), (Some(3), 1));
        for flag in [
            "profile=freebsd",
            "msl=1000",
            "ao_key=0:SHA1=x",
            "delack=100",
            "cc=vegas",
            "iw",
            "iw=14600B",
            "mtu=x",
        ] {
            assert!(Settings::read(flag).expect_err(flag).contains(flag), "{flag}");
        }
    }
}

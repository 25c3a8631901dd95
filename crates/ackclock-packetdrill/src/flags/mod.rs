//! The flags of the library: `key=value` pairs, separated by commas or blanks, that set what a
//! script sets by sysctl elsewhere.

mod fast_open;
#[cfg(test)]
mod profile_tests;
mod signatures;
mod values;

pub(crate) use fast_open::FastOpenRules;
pub(crate) use signatures::SignatureKeys;

use ackclock::congestion::{BuiltIn, InitialWindow};
use ackclock::tcp::{
    AckPolicy, BufferTuning, Config, CongestionControl, EcnMode, Keepalive, LostRetransmission,
    Nagle, RecoveryAlgorithm, RtoEstimator,
};
use ackclock::time::Duration;
use std::fmt::Display;
use std::net::IpAddr;
use std::str::FromStr;
pub(crate) use values::{Habits, SynOptions};
use values::{buffer, count, habits, millis, number, seconds, switch, syn_options};

/// What the flags say.
#[derive(Clone, Debug)]
pub(crate) struct Flags {
    /// What a connection starts with.
    pub(crate) connection: Config,
    /// The window law.
    pub(crate) law: BuiltIn,
    /// Of the link, in bytes.
    pub(crate) mtu: u32,
    /// Largest backlog of a listener, as the kernel's `net.core.somaxconn`.
    pub(crate) backlog: u16,
    /// Who may open connections fast, as the kernel's `net.ipv4.tcp_fastopen`.
    pub(crate) fast_open: FastOpenRules,
    /// Keys of the Fast Open cookies that listeners give; `None`: the stack's own.
    pub(crate) fast_open_keys: Option<[[u8; 16]; 2]>,
    /// Keys that sign all segments.
    pub(crate) signatures: SignatureKeys,
    /// Times and count of keepalive probes, where a socket has them on and sets none.
    pub(crate) keepalive: Keepalive,
    /// TCP_NOTSENT_LOWAT of sockets that set none, in bytes.
    pub(crate) unsent_low_water: u32,
    /// How laws count acks, and what ends their slow start, where they have no `growth` and `hystart` of their own.
    slow_start: &'static [(&'static str, &'static str)],
    /// Order of the options of a SYN.
    pub(crate) syn_options: SynOptions,
    /// What the sockets do that no standard asks for.
    pub(crate) habits: Habits,
    /// For how long a SYN-ACK is sent again, where that is not as of a SYN.
    pub(crate) syn_ack_give_up: Option<Duration>,
    /// Least segments that are sent in one piece, as the kernel's `net.ipv4.tcp_min_tso_segs`.
    pub(crate) min_tso_segs: u16,
    /// Whether packets and changes of state are written to stderr.
    pub(crate) trace: bool,
    /// Whether a judge sees every packet, who ends the process when a segment holds what none may hold.
    pub(crate) judge: bool,
    /// Where connections start from that were not bound.
    pub(crate) local: [IpAddr; 2],
}

/// How the kernels and the standards are set by default. As a word: `linux`, `freebsd` or `rfc`.
#[derive(Clone, Copy)]
enum Profile {
    Linux,
    FreeBsd,
    Rfc,
}

impl FromStr for Profile {
    type Err = &'static str;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "linux" => Ok(Profile::Linux),
            "freebsd" => Ok(Profile::FreeBsd),
            "rfc" => Ok(Profile::Rfc),
            _ => Err("use linux, freebsd or rfc"),
        }
    }
}

impl Profile {
    /// How laws count acks, and what ends their slow start: all that an ack tells of, and CUBIC's own HyStart; two
    /// segments at most (RFC 3465 section 2.3); min(N, SMSS) (RFC 5681 equation 2).
    fn slow_start(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Profile::Linux => &[("growth", "delivered"), ("hystart", "linux")],
            Profile::FreeBsd => &[("growth", "rfc3465:2")],
            Profile::Rfc => &[("growth", "rfc3465:1")],
        }
    }

    /// The settings in which the profiles differ.
    fn apply(self, flags: &mut Flags) {
        let (law, recovery, ecn, quick_acks, rto_min, receive_buffer, syn_retries) = match self {
            Profile::Linux => {
                ("cubic", RecoveryAlgorithm::Rack, EcnMode::Accept, 16, 200, 6 << 20, 6)
            }
            Profile::FreeBsd => {
                ("cubic", RecoveryAlgorithm::Rfc6675, EcnMode::Accept, 0, 30, 2 << 20, 3)
            }
            Profile::Rfc => ("reno", RecoveryAlgorithm::Rfc6675, EcnMode::Off, 0, 1_000, 65_535, 7),
        };
        flags.habits = match self {
            Profile::Linux => Habits::Linux,
            Profile::FreeBsd => Habits::FreeBsd,
            Profile::Rfc => Habits::None,
        };
        flags.syn_options = match self {
            Profile::FreeBsd => SynOptions::FreeBsd,
            Profile::Linux | Profile::Rfc => SynOptions::Linux,
        };
        flags.slow_start = self.slow_start();
        flags.law = flags.as_in_profile(BuiltIn::by_name(law).unwrap_or_default(), "");
        let connection = &mut flags.connection;
        connection.recovery = recovery;
        connection.ecn = ecn;
        connection.rto.min = Duration::from_millis(rto_min);
        // FreeBSD's TCPTV_REXMTMAX.
        connection.rto.max =
            Duration::from_secs(if matches!(self, Profile::FreeBsd) { 64 } else { 120 });
        // Linux's TIME-WAIT is a minute, FreeBSD's twice 30 s; RFC 9293 section 3.4.2 has two minutes for the MSL.
        connection.msl = Duration::from_secs(if matches!(self, Profile::Rfc) { 120 } else { 30 });
        connection.rto.estimator = match self {
            Profile::Linux => RtoEstimator::Linux,
            Profile::FreeBsd => RtoEstimator::FreeBsd,
            Profile::Rfc => RtoEstimator::Rfc6298,
        };
        connection.receive_buffer = receive_buffer;
        connection.buffer_tuning = BufferTuning::Fixed;
        connection.syn_give_up = syn_give_up(connection, syn_retries);
        if let Profile::FreeBsd = self {
            connection.buffer_tuning = BufferTuning::FreeBsd;
            // TCPTV_KEEP_INIT.
            connection.syn_give_up = Duration::from_secs(75);
        }
        flags.syn_ack_give_up = match self {
            // Linux's tcp_synack_retries.
            Profile::Linux => Some(syn_give_up(connection, 5)),
            // Four timeouts, each 200 ms more than twice the one before.
            Profile::FreeBsd => Some(Duration::from_millis(15_600)),
            Profile::Rfc => None,
        };
        let timeout = Duration::from_millis(40);
        connection.ack_policy = match self {
            Profile::FreeBsd => AckPolicy::EverySecond { timeout },
            Profile::Linux | Profile::Rfc => AckPolicy::Delayed { timeout, quick_acks },
        };
        connection.lost_retransmission = match self {
            Profile::Linux => LostRetransmission::Repair,
            Profile::FreeBsd | Profile::Rfc => LostRetransmission::Reduce,
        };
        connection.initial_window = InitialWindow::default();
        connection.nagle = match self {
            Profile::Linux => Nagle::Minshall,
            Profile::FreeBsd | Profile::Rfc => Nagle::Rfc896,
        };
    }
}

/// When the SYN was retransmitted so often without an answer (1, 3, 7, 15… initial timeouts).
pub(crate) fn syn_give_up(connection: &Config, retries: u32) -> Duration {
    let timeouts = 2_u64.saturating_pow(retries.saturating_add(1)).saturating_sub(1);
    connection.rto.initial.saturating_mul(timeouts)
}

impl Default for Flags {
    /// The profile `linux`.
    fn default() -> Self {
        let mut flags = Flags {
            connection: Config::default(),
            law: BuiltIn::default(),
            mtu: 1500,
            backlog: 4_096,
            fast_open: FastOpenRules::default(),
            fast_open_keys: None,
            signatures: SignatureKeys::default(),
            keepalive: Keepalive::default(),
            unsent_low_water: u32::MAX,
            slow_start: Profile::Linux.slow_start(),
            syn_options: SynOptions::Linux,
            habits: Habits::Linux,
            syn_ack_give_up: None,
            min_tso_segs: 2,
            trace: false,
            judge: false,
            local: [
                IpAddr::from([192, 168, 0, 1]),
                IpAddr::from([0xfd3d, 0xfa7b, 0xd17d, 0, 0, 0, 0, 1]),
            ],
        };
        Profile::Linux.apply(&mut flags);
        flags
    }
}

impl FromStr for Flags {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut flags = Flags::default();
        let pairs = || text.split([',', ' ']).filter(|pair| !pair.is_empty());
        // The profile is the ground on which the others stand, and a law may bring a recovery that
        // another one replaces, wherever they are written.
        let rank = |pair: &str| match pair.split_once('=') {
            Some(("profile", _)) => 0,
            Some(("cc", _)) => 1,
            _ => 2,
        };
        for current in 0..=2 {
            for pair in pairs().filter(|pair| rank(pair) == current) {
                flags.set(pair)?;
            }
        }
        flags.connection.validate().map_err(|error| error.to_string())?;
        flags.signatures.try_out().map_err(|error| error.to_string())?;
        Ok(flags)
    }
}

impl Flags {
    /// A law as the profile has it, but for the parameters that `words` name.
    pub(crate) fn as_in_profile(&self, law: BuiltIn, words: &str) -> BuiltIn {
        let unnamed = self.slow_start.iter().filter(|(name, _)| !words.contains(name));
        unnamed.fold(law, |law, (name, value)| law.with_parameter(name, value).unwrap_or(law))
    }

    /// Sets what one pair says.
    ///
    /// # Errors
    /// Names the pair, and what is wrong with it.
    pub(crate) fn set(&mut self, pair: &str) -> Result<(), String> {
        let (key, value) =
            pair.split_once('=').ok_or_else(|| format!("flag `{pair}`: write key=value"))?;
        let wrong = |reason: &dyn Display| format!("flag `{pair}`: {reason}");
        match key {
            "profile" => value.parse::<Profile>().map_err(|error| wrong(&error))?.apply(self),
            "mtu" => self.mtu = number(pair, value)?,
            "backlog" => self.backlog = number(pair, value)?,
            "trace" => self.trace = switch(pair, value)?,
            "judge" => self.judge = switch(pair, value)?,
            "local" => {
                let address: IpAddr = value.parse().map_err(|error| wrong(&error))?;
                self.local[usize::from(address.is_ipv6())] = address;
            }
            "early_data" => {
                self.fast_open.server = value.parse().map_err(|error| wrong(&error))?;
            }
            "fastopen" => self.fast_open = FastOpenRules::from_bits(number(pair, value)?),
            "fastopen_key" => {
                let keys = fast_open::keys(value).ok_or_else(|| wrong(&fast_open::KEY_FORM))?;
                self.fast_open_keys = Some(keys);
            }
            "md5_key" => self.signatures.md5 = Some(value.to_owned()),
            "ao_key" => self.signatures.add_ao(value).map_err(|error| wrong(&error))?,
            "syn_options" => self.syn_options = syn_options(pair, value)?,
            "habits" => self.habits = habits(pair, value)?,
            "min_tso_segs" => self.min_tso_segs = count(pair, value)?,
            "keepidle" => self.keepalive.idle = seconds(pair, value)?,
            "keepintvl" => self.keepalive.interval = seconds(pair, value)?,
            "keepcnt" => self.keepalive.count = count(pair, value)?,
            "notsent_lowat" => self.unsent_low_water = number(pair, value)?,
            "cc" => {
                let CongestionControl { law, recovery, .. } =
                    value.parse().map_err(|error| wrong(&error))?;
                self.law = self.as_in_profile(law, value);
                self.connection.recovery = recovery.unwrap_or(self.connection.recovery);
            }
            _ => return self.set_connection(pair, (key, value)),
        }
        Ok(())
    }

    /// As [`set`](Self::set), of what a connection starts with.
    fn set_connection(&mut self, pair: &str, (key, value): (&str, &str)) -> Result<(), String> {
        let wrong = |reason: &dyn Display| format!("flag `{pair}`: {reason}");
        let connection = &mut self.connection;
        match key {
            "recovery" => connection.recovery = value.parse().map_err(|error| wrong(&error))?,
            "lost_retransmission" => {
                connection.lost_retransmission = value.parse().map_err(|error| wrong(&error))?;
            }
            "iw" if value == "0" => connection.initial_window = InitialWindow::default(),
            "iw" => connection.initial_window = value.parse().map_err(|error| wrong(&error))?,
            "mtu_probing" => {
                connection.mtu_probing = value.parse().map_err(|error| wrong(&error))?;
            }
            "base_mss" => connection.base_mss = number(pair, value)?,
            "nagle" => connection.nagle = value.parse().map_err(|error| wrong(&error))?,
            "ecn" => connection.ecn = value.parse().map_err(|error| wrong(&error))?,
            "restart" => {
                connection.restart_after_idle = value.parse().map_err(|error| wrong(&error))?;
            }
            "pacing" => connection.pacing = value.parse().map_err(|error| wrong(&error))?,
            "sack" => connection.sack = switch(pair, value)?,
            "reuse_metrics" => connection.reuse_metrics = switch(pair, value)?,
            "timestamps" => connection.timestamps = switch(pair, value)?,
            "wscale" => connection.window_scaling = switch(pair, value)?,
            "rto" => connection.rto.estimator = value.parse().map_err(|error| wrong(&error))?,
            "rto_min" => connection.rto.min = millis(pair, value)?,
            "rto_initial" => connection.rto.initial = millis(pair, value)?,
            "delack" => {
                let timeout = millis(pair, value)?;
                connection.ack_policy = match connection.ack_policy {
                    AckPolicy::EverySecond { .. } => AckPolicy::EverySecond { timeout },
                    policy => AckPolicy::Delayed { timeout, quick_acks: quick_acks(policy) },
                };
            }
            "quickack" => {
                let quick_acks = number(pair, value)?;
                connection.ack_policy = match connection.ack_policy {
                    policy @ AckPolicy::EverySecond { .. } if quick_acks == 0 => policy,
                    policy => AckPolicy::Delayed { timeout: ack_timeout(policy), quick_acks },
                };
            }
            "syn_retries" => {
                connection.syn_give_up = syn_give_up(connection, number(pair, value)?);
                self.syn_ack_give_up = None;
            }
            "synack_retries" => {
                self.syn_ack_give_up = Some(syn_give_up(connection, number(pair, value)?));
            }
            "fin_timeout" => connection.fin_wait_2_timeout = millis(pair, value)?,
            "msl" => connection.msl = millis(pair, value)?,
            "rmem" => {
                connection.receive_buffer = buffer(pair, value)?.most;
                connection.buffer_tuning = BufferTuning::Fixed;
            }
            "buffers" => {
                connection.buffer_tuning = value.parse().map_err(|error| wrong(&error))?;
            }
            "wmem" => connection.send_buffer = buffer(pair, value)?.usual,
            _ => return Err(format!("flag `{pair}`: there is no `{key}`")),
        }
        Ok(())
    }
}

/// How often the SYN is retransmitted within the time that [`syn_give_up`] gives.
pub(crate) fn syn_retries(connection: &Config) -> u32 {
    let retries = 1..u32::from(u8::MAX);
    let too_many = |retries: &u32| syn_give_up(connection, *retries) > connection.syn_give_up;
    retries.into_iter().find(too_many).map_or(0, |retries| retries - 1)
}

/// How many segments are acknowledged one by one at first.
pub(crate) fn quick_acks(policy: AckPolicy) -> u16 {
    match policy {
        AckPolicy::Delayed { quick_acks, .. } => quick_acks,
        _ => 0,
    }
}

/// How long an ack is delayed at most.
pub(crate) fn ack_timeout(policy: AckPolicy) -> Duration {
    match policy {
        AckPolicy::Delayed { timeout, .. } | AckPolicy::EverySecond { timeout } => timeout,
        _ => Duration::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::congestion::CongestionController;
    use ackclock::tcp::{FastOpenMode, Pacing, RestartAfterIdle};

    #[test]
    fn the_profile_comes_first_wherever_it_is_written() {
        let flags: Flags = "iw=3,rto_min=50 profile=rfc,".parse().expect("usable flags");
        assert_eq!(flags.connection.initial_window, InitialWindow::segments(3));
        assert_eq!(flags.connection.rto.min, Duration::from_millis(50));
        assert_eq!(flags.connection.ecn, EcnMode::Off);
    }

    #[test]
    fn keys_that_cannot_be_are_refused() {
        let read = |text: &str| text.parse::<Flags>().map(|flags| flags.signatures);
        let keys = read("md5_key=a=b,ao_key=1/2:AES128=x,ao_key=3=y").expect("usable flags");
        assert_eq!((keys.md5.as_deref(), keys.ao.len()), (Some("a=b"), 2));
        for (text, problem) in [
            ("md5_key=", "1 to 80 bytes"),
            ("ao_key=x", "ID[/RECV_ID]"),
            ("ao_key=1=x,ao_key=1=y", "one of the IDs"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(problem), "{error}");
        }
    }

    #[test]
    fn laws_and_windows_have_the_words_of_the_command_line() {
        let flags: Flags = "recovery=rack,cc=tahoe".parse().expect("usable flags");
        assert_eq!(
            (flags.law.name(), flags.connection.recovery),
            ("tahoe", RecoveryAlgorithm::Rack)
        );
        let flags: Flags = "cc=newreno".parse().expect("usable flags");
        assert_eq!(
            (flags.law.name(), flags.connection.recovery),
            ("reno", RecoveryAlgorithm::NewReno)
        );
        let flags: Flags =
            "profile=rfc,cc=veno:threshold=3 iw=14600B".parse().expect("usable flags");
        assert_eq!(flags.law.to_string(), "veno:threshold=3,growth=rfc3465:1");
        assert_eq!(flags.connection.initial_window, InitialWindow::bytes(14_600));
        let flags: Flags =
            "iw=0,early_data=off,rto_initial=500,local=10.1.2.3".parse().expect("usable");
        assert_eq!(flags.connection.initial_window, InitialWindow::Rfc6928);
        assert_eq!(flags.connection.rto.initial, Duration::from_millis(500));
        assert_eq!(flags.local[0], IpAddr::from([10, 1, 2, 3]));
    }

    #[test]
    fn what_is_set_by_sysctl_has_flags() {
        let text = "restart=never,pacing=always,keepidle=10,keepintvl=3,keepcnt=2,\
                    notsent_lowat=4000,rmem=4096:131072:6291456,wmem=4096:16384:4194304,fastopen=0x405";
        let flags: Flags = text.parse().expect("usable flags");
        assert_eq!(flags.connection.restart_after_idle, RestartAfterIdle::Never);
        assert_eq!(flags.connection.pacing, Pacing::Always);
        let (idle, interval) = (Duration::from_secs(10), Duration::from_secs(3));
        assert_eq!(flags.keepalive, Keepalive { idle, interval, count: 2 });
        assert_eq!(flags.unsent_low_water, 4_000);
        let buffers = (flags.connection.receive_buffer, flags.connection.send_buffer);
        assert_eq!(buffers, (6_291_456, 16_384));
        let FastOpenRules { client, server, all_listeners } = flags.fast_open;
        assert_eq!((client, server), (FastOpenMode::WithoutCookie, FastOpenMode::Off));
        assert!(all_listeners);
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let cases = [
            ("colour=blue", "flag `colour=blue`: there is no `colour`"),
            ("iw", "flag `iw`: write key=value"),
            ("rto_min=x", "flag `rto_min=x`: not a number that fits"),
            ("sack=maybe", "flag `sack=maybe`: use on or off"),
            ("keepcnt=0", "flag `keepcnt=0`: not a number that fits"),
            ("rmem=1:2", "flag `rmem=1:2`: use bytes, or least:usual:most bytes"),
            (
                "fastopen_key=12-34",
                "flag `fastopen_key=12-34`: use four groups of eight hexadecimal digits, as in \
                 00000000-00000000-00000000-00000000, or two such keys with a colon between",
            ),
            ("early_data=1", "flag `early_data=1`: use off, on or without-cookie"),
            ("profile=mac", "flag `profile=mac`: use linux, freebsd or rfc"),
            ("rmem=0", "buffers and window_clamp must be at least one byte, buffers at most 1 GiB"),
        ];
        for (text, problem) in cases {
            assert_eq!(text.parse::<Flags>().map(|_| ()), Err(problem.to_owned()));
        }
    }

    #[test]
    fn a_syn_is_given_up_after_its_last_timeout() {
        let mut connection = Config::default();
        connection.rto.initial = Duration::from_secs(1);
        assert_eq!(syn_give_up(&connection, 6), Duration::from_secs(127));
        assert_eq!(syn_give_up(&connection, 0), Duration::from_secs(1));
        for retries in [0, 1, 6, 20] {
            connection.syn_give_up = syn_give_up(&connection, retries);
            assert_eq!(syn_retries(&connection), retries);
        }
    }
}

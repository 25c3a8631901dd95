//! `set NAME VALUE…`

use super::packet::number;
use super::time::seconds;
use ackclock::congestion::{BuiltIn, InitialWindow, Reno};
use ackclock::tcp::{AckPolicy, Config, Keepalive, RecoveryAlgorithm};
use ackclock::time::Duration;
use ackclock::wire::ao::AoKey;

/// What a script's connection is opened with.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// Of the connection.
    pub(super) connection: Config,
    /// The window law.
    pub(super) law: BuiltIn,
    /// Of the link, in bytes.
    pub(super) mtu: u32,
    /// Of the Fast Open cookies that the listener gives.
    pub(super) fast_open_key: Option<[u8; 16]>,
    /// That signs all segments.
    pub(super) md5_key: Option<[u8; 16]>,
    /// Keys of TCP-AO, as [`AoKey`](ackclock::wire::ao::AoKey) reads them, of which the first is in use at first.
    pub(super) ao_keys: Vec<String>,
}

impl Default for Settings {
    /// As the documentation of the module says.
    fn default() -> Self {
        let mut connection = Config::default();
        connection.mss = Some(1000);
        connection.receive_buffer = 10_000;
        connection.timestamps = false;
        connection.window_scaling = false;
        connection.recovery = RecoveryAlgorithm::NewReno;
        connection.ack_policy = delayed(Duration::from_millis(40), 0);
        let law = Reno::default().into();
        Settings {
            connection,
            law,
            mtu: 1500,
            fast_open_key: None,
            md5_key: None,
            ao_keys: Vec::new(),
        }
    }
}

fn delayed(timeout: Duration, quick_acks: u16) -> AckPolicy {
    AckPolicy::Delayed { timeout, quick_acks }
}

impl Settings {
    /// Takes the words after `set`.
    pub(super) fn set(&mut self, words: &[&str]) -> Result<(), String> {
        let Config { rto, .. } = &mut self.connection;
        match *words {
            ["mtu", bytes] => self.mtu = number(bytes)?,
            ["law", name] => {
                let law = BuiltIn::by_name(name);
                self.law = law.ok_or_else(|| format!("law must be one of {:?}", BuiltIn::NAMES))?;
            }
            ["recovery", name] => {
                self.connection.recovery =
                    name.parse().map_err(|error| format!("{name}: {error}"))?;
            }
            ["ecn", mode] => {
                self.connection.ecn = mode.parse().map_err(|error| format!("{mode}: {error}"))?;
            }
            ["pacing", mode] => {
                self.connection.pacing =
                    mode.parse().map_err(|error| format!("{mode}: {error}"))?;
            }
            ["fast_open", mode] => {
                self.connection.fast_open =
                    mode.parse().map_err(|error| format!("{mode}: {error}"))?;
            }
            ["fast_open_key", digits] => {
                let key = u128::from_str_radix(digits, 16).map_err(|error| error.to_string())?;
                self.fast_open_key = Some(key.to_be_bytes());
            }
            ["md5_key", digits] => {
                let key = u128::from_str_radix(digits, 16).map_err(|error| error.to_string())?;
                self.md5_key = Some(key.to_be_bytes());
            }
            ["ao_key", key] => {
                AoKey::read(key).map_err(|error| format!("{key}: {error}"))?;
                self.ao_keys.push(key.to_owned());
            }
            ["mss", "link"] => self.connection.mss = None,
            ["mss", bytes] => self.connection.mss = Some(number(bytes)?),
            ["mtu_probing", mode] => {
                self.connection.mtu_probing =
                    mode.parse().map_err(|error| format!("{mode}: {error}"))?;
            }
            ["base_mss", bytes] => self.connection.base_mss = number(bytes)?,
            ["send_buffer", bytes] => self.connection.send_buffer = number(bytes)?,
            ["receive_buffer", bytes] => self.connection.receive_buffer = number(bytes)?,
            ["reassembly_ranges", count] => self.connection.reassembly_ranges = number(count)?,
            ["reuse_metrics", value] => self.connection.reuse_metrics = switch(value)?,
            ["window_scaling", value] => self.connection.window_scaling = switch(value)?,
            ["timestamps", value] => self.connection.timestamps = switch(value)?,
            ["sack", value] => self.connection.sack = switch(value)?,
            ["nagle", kind] => {
                self.connection.nagle = kind.parse().map_err(|error| format!("{kind}: {error}"))?;
            }
            ["ack_policy", "every"] => self.connection.ack_policy = AckPolicy::EverySegment,
            ["ack_policy", "bsd43"] => self.connection.ack_policy = AckPolicy::Bsd43,
            ["ack_policy", "delayed", timeout, quick_acks] => {
                self.connection.ack_policy = delayed(seconds(timeout)?, number(quick_acks)?);
            }
            ["initial_window", segments] => {
                self.connection.initial_window = InitialWindow::segments(number(segments)?);
            }
            ["rto", initial, min, max] => {
                (rto.initial, rto.min, rto.max) = (seconds(initial)?, seconds(min)?, seconds(max)?);
            }
            ["give_up", time] => self.connection.give_up = seconds(time)?,
            ["syn_give_up", time] => self.connection.syn_give_up = seconds(time)?,
            ["user_timeout", time] => self.connection.user_timeout = Some(seconds(time)?),
            ["advertised_user_timeout", time] => {
                self.connection.advertised_user_timeout = Some(seconds(time)?);
            }
            ["keepalive", idle, interval, count] => {
                let (idle, interval) = (seconds(idle)?, seconds(interval)?);
                self.connection.keepalive =
                    Some(Keepalive { idle, interval, count: number(count)? });
            }
            ["linger", time] => self.connection.linger = Some(seconds(time)?),
            ["msl", time] => self.connection.msl = seconds(time)?,
            ["fin_wait_2_timeout", time] => self.connection.fin_wait_2_timeout = seconds(time)?,
            _ => return Err(format!("`set {}` is no setting", words.join(" "))),
        }
        self.connection.validate().map_err(|error| error.to_string())
    }
}

/// `on` or `off`.
pub(super) fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("`{text}` is neither on nor off")),
    }
}

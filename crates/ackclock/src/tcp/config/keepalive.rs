//! Probes of an idle peer.

use super::ConfigError;
use crate::time::Duration;

/// Keepalive probes (RFC 9293 section 3.8.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Keepalive {
    /// Idle time before the first probe.
    pub idle: Duration,
    /// Time between probes.
    pub interval: Duration,
    /// The connection is over after so many probes without any answer, at least 1.
    pub count: u16,
}

impl Default for Keepalive {
    /// Two hours (MUST-28), then 9 probes 75 s apart.
    fn default() -> Self {
        Keepalive { idle: Duration::from_secs(7200), interval: Duration::from_secs(75), count: 9 }
    }
}

impl Keepalive {
    /// Checks the settings.
    ///
    /// # Errors
    /// [`ConfigError::Keepalive`] if one of them is zero.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let usable = !self.idle.is_zero() && !self.interval.is_zero() && self.count > 0;
        if usable { Ok(()) } else { Err(ConfigError::Keepalive) }
    }
}

//! What a listener keeps of the [`Config`] that its connections inherit: of settings for what was left
//! out nothing.

use super::{Config, Initial, Keepalive, RecoveryAlgorithm};
use crate::time::Duration;

/// The settings that matter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptConfig {
    window_scaling: bool,
    #[cfg(feature = "timestamps")]
    timestamps: bool,
    #[cfg(feature = "sack")]
    sack: bool,
    nagle: bool,
    recovery: RecoveryAlgorithm,
    give_up: Duration,
    keepalive: Option<Keepalive>,
}

impl KeptConfig {
    /// No clock ticks that would have a phase.
    pub(crate) const fn new(config: &Config, _clock_phase: u32) -> Self {
        KeptConfig {
            window_scaling: config.window_scaling,
            #[cfg(feature = "timestamps")]
            timestamps: config.timestamps,
            #[cfg(feature = "sack")]
            sack: config.sack,
            nagle: config.nagle,
            recovery: config.recovery,
            give_up: config.give_up,
            keepalive: config.keepalive,
        }
    }

    /// The settings, the others being what they are by default.
    #[inline(always)]
    pub(crate) fn get(&self) -> Config {
        Config {
            window_scaling: self.window_scaling,
            #[cfg(feature = "timestamps")]
            timestamps: self.timestamps,
            #[cfg(feature = "sack")]
            sack: self.sack,
            nagle: self.nagle,
            recovery: self.recovery,
            give_up: self.give_up,
            keepalive: self.keepalive,
            ..Config::default()
        }
    }

    /// What they make of a connection.
    #[inline(always)]
    pub(crate) fn initial(&self) -> Initial {
        Initial::new(&self.get(), 0)
    }
}

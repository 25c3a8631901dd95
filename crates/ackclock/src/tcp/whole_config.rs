//! What a listener keeps of the [`Config`] that its connections inherit, where most of it matters.

use super::{Config, Initial};

/// All settings, and what they make of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptConfig {
    config: Config,
    initial: Initial,
}

impl KeptConfig {
    #[cfg_attr(feature = "fast-path", inline(never))]
    pub(crate) fn new(config: &Config, clock_phase: u32) -> Self {
        KeptConfig { config: *config, initial: Initial::new(config, clock_phase) }
    }

    #[inline]
    pub(crate) const fn get(&self) -> &Config {
        &self.config
    }

    #[inline]
    pub(crate) const fn initial(&self) -> &Initial {
        &self.initial
    }
}

//! What a listener keeps of the [`Config`] that its connections inherit, where most of it matters.

use super::Config;

/// All settings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptConfig(Config);

impl KeptConfig {
    pub(crate) const fn new(config: &Config) -> Self {
        KeptConfig(*config)
    }

    #[inline]
    pub(crate) const fn get(&self) -> &Config {
        &self.0
    }
}

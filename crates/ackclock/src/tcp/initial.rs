//! What a [`Config`] makes of a new connection: converted once for all connections of a listener, and
//! copied into each.

use super::Config;
use super::sender::Rto;
use super::settings::Settings;

/// The parts that are not as they stand in the configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Initial {
    pub(super) settings: Settings,
    pub(super) rto: Rto,
}

impl Initial {
    /// `clock_phase` is the host's random word for the phase of clocks that tick.
    // Where most of it is constant, it is so only in place.
    #[cfg_attr(not(feature = "fast-path"), inline(always))]
    pub(crate) fn new(config: &Config, clock_phase: u32) -> Self {
        Initial { settings: Settings::new(config), rto: Rto::new(&config.rto, clock_phase) }
    }
}

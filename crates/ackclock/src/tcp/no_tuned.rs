//! What stands in for settings that nearly all connections leave as they are, where they were left out:
//! they are what they are by default.

use super::Config;
use super::settings::Settings;
use crate::congestion::InitialWindow;
use crate::time::Duration;

/// Nothing is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tuned;

impl Tuned {
    pub(super) fn new(_config: &Config) -> Self {
        Tuned
    }
}

impl Settings {
    pub(crate) fn mss(&self) -> Option<u16> {
        None
    }

    pub(crate) fn initial_window(&self, mss: u32) -> u32 {
        InitialWindow::rfc6928(mss.max(1))
    }

    pub(crate) fn syn_give_up(&self) -> Duration {
        Config::SYN_GIVE_UP
    }

    pub(crate) fn set_syn_give_up(&mut self, _give_up: Duration) {}

    pub(crate) fn user_timeout(&self) -> Duration {
        Duration::MAX
    }

    pub(crate) fn set_user_timeout(&mut self, _timeout: Option<Duration>) {}

    pub(crate) fn linger(&self) -> Duration {
        Duration::MAX
    }

    pub(crate) fn msl(&self) -> Duration {
        Config::MSL
    }

    pub(crate) fn fin_wait_2_timeout(&self) -> Duration {
        Config::FIN_WAIT_2_TIMEOUT
    }
}

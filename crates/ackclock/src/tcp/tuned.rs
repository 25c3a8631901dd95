//! Settings of a connection that nearly all leave as they are.

use super::Config;
use super::settings::{CompactDuration, Settings};
use crate::congestion::InitialWindow;
use crate::time::Duration;

/// Those that matter for longer than the moment a connection is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tuned {
    /// Largest segment to send, in payload bytes without options.
    mss: Option<u16>,
    initial_window: InitialWindow,
    syn_give_up: CompactDuration,
    user_timeout: CompactDuration,
    linger: CompactDuration,
    msl: CompactDuration,
    fin_wait_2_timeout: CompactDuration,
}

impl Tuned {
    #[inline(always)]
    pub(super) fn new(config: &Config) -> Self {
        let or_for_ever =
            |time: Option<Duration>| time.map_or(CompactDuration::FOR_EVER, CompactDuration::new);
        Tuned {
            mss: config.mss,
            initial_window: config.initial_window,
            syn_give_up: CompactDuration::new(config.syn_give_up),
            user_timeout: or_for_ever(config.user_timeout),
            linger: or_for_ever(config.linger),
            msl: CompactDuration::new(config.msl),
            fin_wait_2_timeout: CompactDuration::new(config.fin_wait_2_timeout),
        }
    }
}

impl Settings {
    pub(crate) fn mss(&self) -> Option<u16> {
        self.tuned.mss
    }

    /// In bytes, for segments of `mss` bytes.
    pub(crate) fn initial_window(&self, mss: u32) -> u32 {
        self.tuned.initial_window.window(mss)
    }

    pub(crate) fn syn_give_up(&self) -> Duration {
        self.tuned.syn_give_up.get()
    }

    pub(crate) fn set_syn_give_up(&mut self, give_up: Duration) {
        self.tuned.syn_give_up = CompactDuration::new(give_up);
    }

    /// [`Duration::MAX`] if there is none.
    pub(crate) fn user_timeout(&self) -> Duration {
        self.tuned.user_timeout.get()
    }

    pub(crate) fn set_user_timeout(&mut self, timeout: Option<Duration>) {
        self.tuned.user_timeout = CompactDuration::new(timeout.unwrap_or(Duration::MAX));
    }

    /// [`Duration::MAX`]: for ever.
    pub(crate) fn linger(&self) -> Duration {
        self.tuned.linger.get()
    }

    pub(crate) fn msl(&self) -> Duration {
        self.tuned.msl.get()
    }

    pub(crate) fn fin_wait_2_timeout(&self) -> Duration {
        self.tuned.fin_wait_2_timeout.get()
    }
}

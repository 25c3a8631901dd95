//! Progress bar on standard error, if that is a terminal.

use ackclock::apps::Amount;
use ackclock::time::Duration;
use indicatif::{ProgressBar, ProgressStyle};

/// Progress bar of a transfer.
pub(crate) struct Progress {
    bar: ProgressBar,
    amount: Amount,
}

impl Progress {
    /// A bar for a transfer of this size. It is drawn only on a terminal.
    pub(crate) fn new(amount: Amount) -> Self {
        let bar = ProgressBar::new(match amount {
            Amount::Bytes(bytes) => bytes,
            Amount::Time(time) => time.as_millis(),
        });
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {percent:>3} %") {
            bar.set_style(style);
        }
        Progress { bar, amount }
    }

    /// A bar that is never drawn.
    pub(crate) fn hidden() -> Self {
        Progress { bar: ProgressBar::hidden(), amount: Amount::Bytes(0) }
    }

    /// Shows how many bytes have been sent in how much time.
    pub(crate) fn set(&self, bytes: u64, elapsed: Duration) {
        self.bar.set_position(match self.amount {
            Amount::Bytes(_) => bytes,
            Amount::Time(_) => elapsed.as_millis(),
        });
    }

    /// Removes the bar from the terminal.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

//! Prague: a scalable law for L4S (RFC 9330, RFC 9331), after
//! draft-briscoe-iccrg-prague-congestion-control-04.
//!
//! A classic law needs ever longer between two signs of congestion as it gets faster; a scalable one sees about
//! two marks in each round trip at any rate, and answers each by little. That takes a peer that counts marks
//! (RFC 9768): with any other, Prague is CUBIC.
//!
//! | section of the draft | what | where |
//! | --- | --- | --- |
//! | 2.2, 2.3.1 | ECT(1), and which law where marks are not counted | here |
//! | 2.3.2 | how many of the bytes were marked, as a moving average | [`extent`] |
//! | 2.4, 2.5 | decrease, increase, losses, round trips that count as longer (2.4.4), pacing, queues that are not of L4S | [`scalable`] |
//!
//! Not done: windows below two segments (RFC 9331 section 4.3 item 5).

mod extent;
mod scalable;
#[cfg(test)]
mod tests;

use super::delegation::delegate_all;
use super::parameters::Parameters;
use super::{CongestionController, Cubic, Growth};
use scalable::Scalable;

/// Prague congestion control for L4S: sends new data as ECT(1) and answers marks by their extent where the peer
/// counts them (AccECN, RFC 9768), and is [`Cubic`] where it does not.
///
/// In words: `prague`. Ask for AccECN on the connection, or the peer will not count.
///
/// ```
/// use ackclock::congestion::{CongestionController, Prague, Start};
///
/// let mut law = Prague::default();
/// let mut start = Start::default();
/// law.on_start(&start);
/// assert!(!law.wants_l4s(), "CUBIC, whose marks go by RFC 3168");
/// start.counts_marks = true;
/// law.on_start(&start);
/// assert!(law.wants_l4s());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prague(Mode);

/// Which law it is on this connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Classic(Cubic),
    Scalable(Scalable),
}

impl Prague {
    pub(super) const NAME: &'static str = "prague";

    /// Prague before a connection exists.
    pub const fn new() -> Self {
        Prague(Mode::Classic(Cubic::new(Growth::STANDARD)))
    }
}

impl Default for Prague {
    fn default() -> Self {
        Prague::new()
    }
}

impl Parameters for Prague {}

/// Calls a method of the law that it is; its name, and how it starts, are its own.
macro_rules! call_mode {
    ([] $self:ident.name()) => {
        Prague::NAME
    };
    ([] $self:ident.on_start($start:ident)) => {{
        $self.0 = if $start.counts_marks {
            Mode::Scalable(Scalable::new())
        } else {
            Mode::Classic(Cubic::default())
        };
        call_mode!(@$self.on_start($start))
    }};
    ([] $self:ident.$method:ident $arguments:tt) => {
        call_mode!(@$self.$method $arguments)
    };
    (@$self:ident.$method:ident $arguments:tt) => {
        match $self {
            Prague(Mode::Classic(law)) => law.$method $arguments,
            Prague(Mode::Scalable(law)) => law.$method $arguments,
        }
    };
}

impl CongestionController for Prague {
    delegate_all!(call_mode []);
}

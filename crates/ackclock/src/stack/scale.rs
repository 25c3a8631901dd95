//! How many connections an image can have at the same time, and the data structures that follow from this.

use super::demux::{HashKeys, Multilinear};
use super::ready::Credit;
use super::timers::TimerCell;
use super::timers::heap::HeapCell;
use super::timers::scan::ScanCell;
use crate::profile::InitialValue;
use crate::tcp::challenge::AnswerLimit;
use core::fmt::Debug;

/// Choice of the number of connections: [`Many`] or [`Few`].
pub trait Scale: sealed::Sealed + Copy + Eq + Debug + Default + Send + Sync + 'static {
    /// Whether it is [`Many`].
    const IS_MANY: bool;
    /// The timer queue's cell for one connection.
    type TimerCell: TimerCell;
    /// Keys of the four-tuple hash.
    type HashKeys: HashKeys;
    /// The credit of one connection in the ready queue.
    type Credit: Credit;
    /// Rate limits of resets, one for each group of sources. If there is only one, an attacker with spoofed
    /// segments can use it up, and so find out whether a port is in use.
    type ResetLimits: AsMut<[AnswerLimit]> + InitialValue + Debug;
}

/// Thousands of connections: found by a hash table, their deadlines by a heap, and their shares of the link
/// by bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Many;

/// A handful of connections: searched linearly, and sending one transmission in turn, which needs less code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Few;

impl Scale for Many {
    const IS_MANY: bool = true;
    type TimerCell = HeapCell;
    type HashKeys = Multilinear;
    type Credit = i32;
    type ResetLimits = [AnswerLimit; 256];
}

impl Scale for Few {
    const IS_MANY: bool = false;
    type TimerCell = ScanCell;
    type HashKeys = ();
    type Credit = ();
    type ResetLimits = [AnswerLimit; 1];
}

impl<const N: usize> InitialValue for [AnswerLimit; N] {
    const INITIAL: Self = [AnswerLimit::INITIAL; N];
}

mod sealed {
    /// Restricts the choice to these two.
    pub trait Sealed {}
    impl Sealed for super::Many {}
    impl Sealed for super::Few {}
}

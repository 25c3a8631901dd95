//! How many connections an image has at a time, and what that means for how they are found.

use super::demux::{HashKeys, Multilinear};
use super::ready::Credit;
use super::timers::TimerCell;
use super::timers::heap::HeapCell;
use super::timers::scan::ScanCell;
use crate::profile::InitialValue;
use crate::tcp::challenge::AnswerLimit;
use core::fmt::Debug;

/// The choice between [`Many`] and [`Few`].
pub trait Scale: sealed::Sealed + Copy + Eq + Debug + Default + Send + Sync + 'static {
    /// Whether there may be many.
    const IS_MANY: bool;
    /// How deadlines are kept.
    type TimerCell: TimerCell;
    /// Keys of the hash of four-tuples.
    type HashKeys: HashKeys;
    /// What a connection may send in its turn.
    type Credit: Credit;
    /// Limits of resets, for as many groups of sources. Where there is one for all, somebody who spoofs
    /// segments can use it up, and find out by that whether a port is in use.
    type ResetLimits: AsMut<[AnswerLimit]> + InitialValue + Debug;
}

/// Thousands of connections: a hash table finds them, a heap their deadlines, and what they send is
/// shared out by bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Many;

/// A handful of connections: all of them are looked through, and send in turn, which takes less text.
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
    /// Keeps the choice between two answers a choice between two.
    pub trait Sealed {}
    impl Sealed for super::Many {}
    impl Sealed for super::Few {}
}

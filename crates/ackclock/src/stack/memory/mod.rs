//! The memory of all queues: how much there is, which part of it each queue has, and what stays with
//! connections that are idle.

#[cfg_attr(not(feature = "alloc"), path = "lent.rs")]
mod budget;
mod fit;
pub(super) mod idle;

pub(super) use budget::{MemoryBudget, QueueSizes};
pub(super) use idle::IdleMemory;

use crate::profile::Profile;
use crate::storage::Buffer;
use crate::tcp::Buffers;

/// The memory of all queues of a stack.
#[derive(Debug)]
pub(super) struct QueueMemory<'a, P: Profile> {
    /// Lent buffers of connections that are not in use; none where storage grows.
    pub(super) spare: Buffer<'a, Option<Buffers<'a, P>>>,
    /// Least and most bytes that a lent receive buffer holds; `None` where storage grows.
    pub(super) lent_receive: Option<(usize, usize)>,
    /// How many bytes there are, and how many are in use.
    pub(super) budget: MemoryBudget,
    /// What idle connections keep.
    pub(super) idle: IdleMemory<'a, P>,
}

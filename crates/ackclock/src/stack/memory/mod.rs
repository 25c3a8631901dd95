//! The memory of all queues: how much there is, which part of it each queue has, and what stays with
//! connections that are idle.

#[cfg_attr(not(feature = "alloc"), path = "lent.rs")]
mod budget;
pub(super) mod idle;

pub(super) use budget::{MemoryBudget, QueueSizes};
pub(super) use idle::IdleMemory;

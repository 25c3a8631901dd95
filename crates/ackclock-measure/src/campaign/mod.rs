//! Campaigns: many transfers to many hosts in rounds, with the routes and the burst capacity of the
//! common path measured in between (allman98 section 5.2).
//!
//! A [`Plan`] is a file that says what is measured; [`steps`] puts it in order, the same order for
//! the same seed; [`run`] takes one step after another, politely, with [`Instruments`] that do the
//! measuring; a [`Journal`] keeps each finished step, so that an interrupted campaign goes on where
//! it stopped.

mod budget;
mod caps;
mod engine;
mod journal;
mod plan;
mod problem;
mod record;
mod schedule;

pub use budget::{Charge, Spent};
pub(crate) use caps::header_bytes;
pub use caps::{Estimate, Excess, POLITE};
pub use engine::{
    CampaignError, Ended, Instruments, Progress, Stop, TransferOrder, Transferred, run,
};
pub use journal::{Journal, JournalError};
pub use plan::{BurstSettings, Limits, Plan, RouteSettings, Transfers, Variant};
pub use problem::PlanError;
pub use record::{BurstRecord, CrossingRecord, Record, RouteRecord, Rtt, TransferRecord};
pub use schedule::{Step, steps};

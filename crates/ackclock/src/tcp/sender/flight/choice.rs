//! How an image records the data in flight, as types: the values of
//! [`Profile::Flight`](crate::profile::Profile::Flight).

use super::bulk::BulkFlight;
use super::records::RecordedFlight;
use super::{Flight, FlightMemory};
use crate::profile::Profile;
use core::fmt::Debug;

/// How an image records the data in flight; one of the types beside this trait.
pub trait FlightChoice: Copy + Eq + Debug + Default + Send + Sync + 'static {
    /// The data in flight on one connection.
    #[expect(private_bounds, reason = "what a flight does is the affair of this crate alone")]
    type Flight<'a, P: Profile>: Flight<Memory = FlightMemory<'a, P>>;
    /// Whether memory for records has to be lent.
    const KEEPS_RECORDS: bool;
}

/// A record for each transmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Records;

/// A few totals instead of records, so that no memory for records is needed. Only for an image without SACK,
/// segmentation, delivery rates, undo and time-based recovery (RACK-TLP): with any of these parts it does not
/// compile. Acks are never predicted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InBulk;

impl FlightChoice for Records {
    type Flight<'a, P: Profile> = RecordedFlight<'a, P>;
    const KEEPS_RECORDS: bool = true;
}

impl FlightChoice for InBulk {
    type Flight<'a, P: Profile> = BulkFlight<'a, P>;
    const KEEPS_RECORDS: bool = false;
}

/// The type of the data in flight on a connection of an image with profile `P`.
pub(crate) type FlightOf<'a, P> = <<P as Profile>::Flight as FlightChoice>::Flight<'a, P>;

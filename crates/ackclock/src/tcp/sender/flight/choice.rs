//! How an image keeps its flights, as types: what [`Profile::Flight`](crate::profile::Profile::Flight)
//! may be.

use super::bulk::BulkFlight;
use super::records::RecordedFlight;
use super::{Flight, FlightMemory};
use crate::profile::Profile;
use core::fmt::Debug;

/// How an image keeps its flights; one of the types beside this trait.
pub trait FlightChoice: Copy + Eq + Debug + Default + Send + Sync + 'static {
    /// What is in the network on one connection.
    #[expect(private_bounds, reason = "what a flight does is the affair of this crate alone")]
    type Flight<'a, P: Profile>: Flight<Memory = FlightMemory<'a, P>>;
    /// Whether records have to be lent for it.
    const KEEPS_RECORDS: bool;
}

/// A record for each transmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Records;

/// A few numbers instead of records, of which none need be lent. An image can do with them that knows
/// nothing of single transmissions: one without SACK, segmentation, delivery rates, undo and a recovery
/// that goes by time. A part that is there nevertheless does not compile. Acks are never predicted.
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

/// What is in the network on a connection of an image with the profile `P`.
pub(crate) type FlightOf<'a, P> = <<P as Profile>::Flight as FlightChoice>::Flight<'a, P>;

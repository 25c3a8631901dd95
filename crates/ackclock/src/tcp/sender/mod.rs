//! The sending half.

mod flight;

pub use flight::FlightRecord;

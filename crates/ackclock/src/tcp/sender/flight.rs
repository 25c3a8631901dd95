//! What is in the network: one record per transmission (docs: "Flight").

/// One transmission: where it lies in sequence space, when it was sent, and what became of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlightRecord {}

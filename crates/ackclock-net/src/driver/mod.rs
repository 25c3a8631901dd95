//! Drivers, which carry the packets of a network and provide its clock.

#[cfg(all(unix, feature = "tokio-net"))]
mod descriptor;
#[cfg(target_os = "linux")]
mod device;
mod task;
mod thread;
mod timer;

#[cfg(all(unix, feature = "tokio-net"))]
pub use descriptor::TokioLink;
pub use task::Driver;
pub use timer::Timer;
#[cfg(feature = "tokio")]
pub use timer::TokioTimer;

use crate::ended::Ended;
use crate::network::Shared;
use std::sync::Arc;

/// The driver's handle of its network: dropping it, for whatever reason, ends the network.
#[derive(Debug)]
struct Driving(Arc<Shared>);

impl Driving {
    /// The device has failed.
    fn failed(&self, error: impl ToString) {
        self.0.end(Ended::Device(error.to_string()));
    }
}

impl Drop for Driving {
    fn drop(&mut self) {
        self.0.end(Ended::DriverDropped);
    }
}

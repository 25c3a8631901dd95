//! Drivers: what carries a network's packets and tells its time.

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

/// The driver's hold of its network, which is over when the driver is gone, however it went.
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

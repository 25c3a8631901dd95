//! The clock that benchmarks go by.

use std::time::Duration;

/// Processor time of this thread: what else runs on the machine does not count.
#[cfg(target_os = "linux")]
pub fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(not(target_os = "linux"))]
pub fn processor_time() -> Duration {
    std::time::UNIX_EPOCH.elapsed().unwrap_or_default()
}

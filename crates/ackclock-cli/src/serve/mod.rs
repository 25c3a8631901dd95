//! A discard, echo or chargen service, on this program's stack or on the kernel's sockets.

#[cfg(target_os = "linux")]
mod idle;
#[cfg(unix)]
mod kernel;
mod learned;
#[cfg(target_os = "linux")]
mod meter;
#[cfg(target_os = "linux")]
mod own_stack;
mod refused;
mod settings;
mod summary;

#[cfg(unix)]
pub(crate) use kernel::over_kernel;
#[cfg(target_os = "linux")]
pub(crate) use own_stack::{StackSettings, over_own_stack};
pub(crate) use settings::ServeSettings;

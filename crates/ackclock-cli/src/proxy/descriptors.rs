//! How many descriptors this process may have: a proxy needs one for each connection.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io;

/// Allows this process as many descriptors as it may allow itself; returns how many, `None` for no limit.
pub(super) fn raise_limit() -> io::Result<Option<u64>> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })?;
    Ok(maximum)
}

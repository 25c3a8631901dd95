//! The discard service (RFC 863): what is received is thrown away.

use super::server::Progress;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::stack::{Handle, Stack};
use crate::time::Instant;

/// Takes everything that has been received.
pub(super) fn serve<C: CongestionController + Clone, P: Profile>(
    now: Instant,
    stack: &mut Stack<'_, C, P>,
    handle: Handle,
) -> Progress {
    Progress { received: consume_all(now, stack, handle), sent: 0 }
}

/// Throws away everything that has been received; returns how many bytes.
pub(super) fn consume_all<C: CongestionController + Clone, P: Profile>(
    now: Instant,
    stack: &mut Stack<'_, C, P>,
    handle: Handle,
) -> u64 {
    let Ok([first, second]) = stack.received(handle) else {
        return 0;
    };
    let n = first.len() + second.len();
    if n == 0 || stack.consume(now, handle, n).is_err() {
        return 0;
    }
    n as u64
}

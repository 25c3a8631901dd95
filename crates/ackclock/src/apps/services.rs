//! The echo and discard services (RFC 862, RFC 863).

use super::pattern::CHUNK;
use super::server::Progress;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::stack::{Handle, Stack};
use crate::storage::copy;
use crate::time::Instant;

/// Echo: moves received data to the send queue, as far as that has room. The rest stays in the receive queue,
/// so that the receive window slows the peer down and no further memory is needed.
pub(super) fn echo<C: CongestionController + Clone, P: Profile>(
    now: Instant,
    stack: &mut Stack<'_, C, P>,
    handle: Handle,
) -> Progress {
    let mut echoed = 0;
    let mut chunk = [0; CHUNK];
    loop {
        let n = match stack.received(handle) {
            Ok([first, second]) => {
                let n = copy(&mut chunk, first);
                n + copy(chunk.get_mut(n..).unwrap_or_default(), second)
            }
            Err(_) => 0,
        };
        let data = chunk.get(..n).unwrap_or_default();
        let taken = stack.send(now, handle, data).unwrap_or(0);
        if taken == 0 || stack.consume(now, handle, taken).is_err() {
            return Progress { received: echoed, sent: echoed };
        }
        echoed += taken as u64;
    }
}

/// Discard: reads everything that has been received.
pub(super) fn discard<C: CongestionController + Clone, P: Profile>(
    now: Instant,
    stack: &mut Stack<'_, C, P>,
    handle: Handle,
) -> Progress {
    Progress { received: consume_all(now, stack, handle), sent: 0 }
}

/// Reads and discards everything that has been received; returns how many bytes.
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

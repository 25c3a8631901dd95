//! The echo service (RFC 862): what is received is sent back.

use super::sending::CHUNK;
use super::server::Progress;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::stack::{Handle, Stack};
use crate::storage::copy;
use crate::time::Instant;

/// Moves what has been received to the send queue, as far as it has room. What has none stays in
/// the receive queue, so that the peer is slowed down by the window and no memory is needed.
pub(super) fn serve<C: CongestionController + Clone, P: Profile>(
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

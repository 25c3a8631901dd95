//! Keys for MD5 signatures (RFC 2385).

use super::keys::{KeyScope, Scheme, SignatureKey};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::stack::{KeyError, Stack};
use crate::time::Instant;
use crate::wire::md5::digest;

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// Has the segments of connections with some peers signed with MD5 (RFC 2385), as BGP speakers do and
    /// Linux's `TCP_MD5SIG`: each segment that is sent has a signature, and one that arrives without one,
    /// or with a wrong one, is dropped and counted. The key is 1 to 80 bytes long, and both ends have
    /// the same.
    ///
    /// It concerns connections that are opened from now on, by either end; those that are open go on as they
    /// are. A key that takes another's place counts at once for connections that the other one has signed.
    /// Signed connections have no Fast Open, use SACK or timestamps but not both (there is no room for
    /// blocks beside them), and leave no segmentation to the link.
    ///
    /// MD5 is no longer thought strong, but it is what many routers have.
    ///
    /// # Errors
    /// The key's length or the prefix cannot be, the profile has no
    /// [`Signatures`](crate::profile::Profile::Signatures), or [`limits::KEYS`](crate::stack::limits::KEYS) keys are there.
    pub fn set_md5_key(
        &mut self,
        now: Instant,
        scope: &KeyScope,
        key: &[u8],
    ) -> Result<(), KeyError> {
        self.set_key(now, scope, SignatureKey::new(Scheme::Md5(digest), key)?)
    }
}

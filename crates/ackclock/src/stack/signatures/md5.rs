//! User call for MD5 signatures (RFC 2385).

use super::keys::{KeyScope, Scheme, SignatureKey};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::stack::{KeyError, Stack};
use crate::time::Instant;
use crate::wire::md5::digest;

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// Sets an MD5 key for connections with some peers (RFC 2385), as used for BGP (Linux: `TCP_MD5SIG`). Every
    /// segment sent on them is signed; arriving segments without a signature, or with a wrong one, are dropped
    /// and counted. The key is 1 to 80 bytes long, and both ends must have the same one.
    ///
    /// The key applies to connections that either end opens from now on; open connections without a signature
    /// stay unsigned. If it replaces a key with the same scope, connections signed with the old key use the new
    /// one at once. Signed connections do not use Fast Open or segmentation offload, and use either SACK or
    /// timestamps, not both (there is no room for SACK blocks beside timestamps and signature).
    ///
    /// MD5 is no longer considered secure, but many routers support nothing else.
    ///
    /// # Errors
    /// The length of the key or the prefix is invalid, the profile has no
    /// [`Signatures`](crate::profile::Profile::Signatures), or there are already
    /// [`limits::KEYS`](crate::stack::limits::KEYS) keys.
    pub fn set_md5_key(
        &mut self,
        now: Instant,
        scope: &KeyScope,
        key: &[u8],
    ) -> Result<(), KeyError> {
        self.set_key(now, scope, SignatureKey::new(Scheme::Md5(digest), key)?)
    }
}

//! Master keys of TCP-AO, as users configure them.

use super::AoAlgorithm;
use crate::words::UnknownWord;

/// A master key tuple (MKT, RFC 5925 section 3.1), without the connections that it applies to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct AoKey<'k> {
    /// SendID: the KeyID in segments signed with this key that we send; the peer's `recv_id`.
    pub send_id: u8,
    /// RecvID: the KeyID in segments signed with this key that we receive; the peer's `send_id`.
    pub recv_id: u8,
    /// How traffic keys are derived and segments signed.
    pub algorithm: AoAlgorithm,
    /// Whether other options than TCP-AO are signed, so that nothing on the path may change them.
    pub covers_options: bool,
    /// The master key, 1 to 80 bytes.
    pub key: &'k [u8],
}

impl<'k> AoKey<'k> {
    /// The textual form of a key, for help and error texts.
    pub const WORDS: &'static str =
        "ID[/RECV_ID][:SHA1|AES128][:no-options]=KEY, IDs from 0 to 255";

    /// Reads a key: its ID, or SendID and RecvID, each 0 to 255; the algorithm (default SHA1); whether other
    /// options are excluded; and the master key in plain text, which may be empty here.
    ///
    /// # Errors
    /// The text has another form.
    pub fn read(text: &'k str) -> Result<Self, UnknownWord> {
        let wanted = UnknownWord::Value { wanted: Self::WORDS };
        let (words, key) = text.split_once('=').ok_or(wanted)?;
        let mut words = words.split(':');
        let ids = words.next().unwrap_or_default();
        let (send_id, recv_id) = ids.split_once('/').unwrap_or((ids, ids));
        let id = |text: &str| text.parse().map_err(|_| wanted);
        let mut read = AoKey {
            send_id: id(send_id)?,
            recv_id: id(recv_id)?,
            algorithm: AoAlgorithm::default(),
            covers_options: true,
            key: key.as_bytes(),
        };
        for word in words {
            match word {
                "no-options" => read.covers_options = false,
                _ => read.algorithm = word.parse().map_err(|_| wanted)?,
            }
        }
        Ok(read)
    }

    /// The key as the other end must configure it, with the IDs exchanged.
    #[must_use]
    pub const fn turned(&self) -> Self {
        AoKey { send_id: self.recv_id, recv_id: self.send_id, ..*self }
    }
}

impl core::fmt::Debug for AoKey<'_> {
    /// Hides the key, which is secret.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let AoKey { send_id, recv_id, algorithm, covers_options, .. } = self;
        f.debug_struct("AoKey")
            .field("send_id", send_id)
            .field("recv_id", recv_id)
            .field("algorithm", algorithm)
            .field("covers_options", covers_options)
            .finish_non_exhaustive()
    }
}

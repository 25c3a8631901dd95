//! Random bits from the operating system.

use rustix::io::retry_on_intr;
use rustix::rand::{GetRandomFlags, getrandom};
use std::io;

/// 128 random bits to key a stack with (`StackConfig::secret`).
///
/// # Errors
/// When the kernel has no random source (before Linux 3.17).
pub fn secret() -> io::Result<[u64; 2]> {
    let mut bytes = [[0u8; 8]; 2];
    for word in &mut bytes {
        // Requests of up to 256 bytes are never answered in part (getrandom(2)).
        retry_on_intr(|| getrandom(&mut *word, GetRandomFlags::empty()))?;
    }
    Ok(bytes.map(u64::from_ne_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_secrets_differ_in_both_words() {
        let (first, second) = (secret().unwrap(), secret().unwrap());
        assert_ne!(first[0], second[0]);
        assert_ne!(first[1], second[1]);
    }
}

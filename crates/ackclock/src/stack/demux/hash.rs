//! The demultiplexer's keyed hash of a four-tuple; its values never appear in packets.
//!
//! It is computed for many packets, and only has to prevent that someone without the keys can choose
//! four-tuples that collide: any two collide with a probability of 2^-32 (multilinear hashing with half as
//! many multiplications; Lemire and Kaser, "Strongly universal string hashing is fast", 2014, section 3).

use crate::stack::secret::Secret;
use crate::stack::tuple::FourTuple;
use crate::wire::Address;
use core::fmt::Debug;

/// Keys of the hash; empty if the image has no hash table.
pub trait HashKeys: Debug {
    /// The keys before the secret is known.
    const NONE: Self;

    /// The keys derived from a secret.
    fn of(secret: &Secret) -> Self;

    /// The hash of a four-tuple.
    fn hash(&self, tuple: &FourTuple) -> u32;
}

impl HashKeys for () {
    const NONE: Self = ();

    fn of(_secret: &Secret) -> Self {}

    fn hash(&self, _tuple: &FourTuple) -> u32 {
        0
    }
}

/// One key for each word of a four-tuple, and one for the sum.
pub struct Multilinear([u64; 11]);

impl Debug for Multilinear {
    /// Hides the keys.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Multilinear")
    }
}

impl HashKeys for Multilinear {
    const NONE: Self = Multilinear([0; 11]);

    fn of(secret: &Secret) -> Self {
        let mut number = 0;
        Multilinear([0; 11].map(|_: u64| {
            let key = secret.demux_key(number);
            number += 1;
            key
        }))
    }

    fn hash(&self, tuple: &FourTuple) -> u32 {
        let FourTuple { local, remote } = tuple;
        let ports = u32::from(local.port()) << 16 | u32::from(remote.port());
        match (local.ip(), remote.ip()) {
            (Address::V4(local), Address::V4(remote)) => {
                self.multilinear([local.to_bits(), remote.to_bits(), ports, 0])
            }
            (local, remote) => {
                let [a, b, c, d] = words(local);
                let [e, f, g, h] = words(remote);
                self.multilinear([a, b, c, d, e, f, g, h, ports, 0])
            }
        }
    }
}

impl Multilinear {
    fn multilinear<const WORDS: usize>(&self, words: [u32; WORDS]) -> u32 {
        let [offset, keys @ ..] = &self.0;
        let pairs = keys.as_chunks::<2>().0.iter().zip(words.as_chunks::<2>().0);
        let sum = pairs.fold(*offset, |sum, ([key0, key1], [word0, word1])| {
            let product = key0.wrapping_add(u64::from(*word0));
            sum.wrapping_add(product.wrapping_mul(key1.wrapping_add(u64::from(*word1))))
        });
        (sum >> 32) as u32
    }
}

fn words(address: Address) -> [u32; 4] {
    let bits = match address {
        Address::V4(address) => address.to_ipv6_mapped().to_bits(),
        Address::V6(address) => address.to_bits(),
    };
    [96, 64, 32, 0].map(|shift| (bits >> shift) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::net::SocketAddr;

    fn hash(secret: [u64; 2], tuple: &FourTuple) -> u32 {
        Multilinear::of(&Secret::new(secret)).hash(tuple)
    }

    #[test]
    fn every_word_of_a_tuple_counts_for_the_demultiplexer() {
        let end = |address: [u16; 8], port| SocketAddr::new(address.into(), port);
        let mut hashes = std::vec![];
        for word in 0..=16 {
            let mut ends = [[0; 8]; 2];
            if let Some(word) = ends.as_flattened_mut().get_mut(word) {
                *word = 1;
            }
            for (local, remote) in [(1, 2), (2, 1)] {
                let [ours, theirs] = ends;
                let tuple = FourTuple {
                    local: end(ours, local).into(),
                    remote: end(theirs, remote).into(),
                };
                hashes.push(hash([1, 2], &tuple));
            }
        }
        let first = FourTuple { local: end([0; 8], 1).into(), remote: end([0; 8], 2).into() };
        hashes.push(hash([1, 3], &first));
        let count = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), count);
    }
}
